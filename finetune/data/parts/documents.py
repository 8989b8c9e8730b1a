"""Questions about interfaces and findings with grounded answers: from the API cards and the error catalogue.

Every use in an answer is built and runs on the twin without a finding; everything that is called a mistake gets the
finding that is named. What fails that is not kept.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from akgen.finetune.data.record import DataPart, JudgedText, Language, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, render
from akgen.finetune.operators.sketch import LANGUAGES
from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.errors import ErrorEntry, catalogue
from akgen.tools.cards.programs import Snippet, findings, frame_call, mistakes_found, uses_found
from akgen.tools.core.call import Call
from akgen.tools.twin.toolchain import TwinToolchain

CHUNK = 32  # cards of one frame, or codes
COMPILES = "compiles"


class SnippetJudge:
    """Builds and runs snippets of cards below a folder."""

    def __init__(self, twin: TwinToolchain, folder: Path) -> None:
        self._twin, self._folder = twin, folder
        self._call: Callable[[int], Call] = frame_call(folder / "call")
        self._done = 0

    def says_again(self, claim: JudgedText) -> str | None:
        """Return what is otherwise now about a snippet, None if nothing is."""
        assert claim.frame is not None
        self._done += 1
        snippet = Snippet("Again", claim.text)
        found = findings(self._twin, claim.frame, snippet, self._call, self._folder / str(self._done))
        if claim.role == "refused":
            return None if claim.code in found else f"refused: {claim.code} when it was written, {found} now"
        return f"answer: it was built and ran when it was written, {found} now" if found else None

    def kept(self, shown: Sequence[ApiCard]) -> tuple[set[str], set[str]]:
        """Return the cards whose use holds and those whose mistake is told; all are of one frame."""
        self._done += 1
        folder, frame = self._folder / str(self._done), shown[0].frame
        used = [Snippet(c.name, c.use) for c in shown if c.use]
        bad = uses_found(self._twin, frame, used, self._call, folder / "uses") if used else {}
        slips = [c for c in shown if c.mistake]
        told = mistakes_found(self._twin, frame, slips, self._call, folder / "mistakes") if slips else {}
        return (
            {s.card for s in used} - bad.keys(),
            {c.name for c in slips if c.mistake and c.mistake.finding in told.get(c.name, ())},
        )


def chunks() -> list[Sequence[ApiCard] | Sequence[str]]:
    """Return what each chunk is made of: cards of one frame that the twin has, then codes of findings."""
    frames = dict.fromkeys(c.frame for c in cards().values())
    by_frame = [[c for c in cards().values() if c.frame == f and c.twin] for f in frames]
    codes = sorted(catalogue())
    return [
        *(part[i : i + CHUNK] for part in by_frame for i in range(0, len(part), CHUNK)),
        *(codes[i : i + CHUNK] for i in range(0, len(codes), CHUNK)),
    ]


def records(
    number: int, judge: SnippetJudge, origin: Provenance, left_out: "Counter[str]"
) -> Iterator[TrainingRecord]:
    """Yield the records of a chunk, each in both languages' questions."""
    chunk = chunks()[number]
    shown = [c for c in chunk if isinstance(c, ApiCard)]
    if shown:
        used, told = judge.kept(shown)
        for card in shown:
            if card.use and card.name not in used:
                left_out["use of a card that does not run"] += 1
            elif card.mistake and card.name not in told:
                left_out["mistake of a card that is not told"] += 1
            else:
                yield from _of_card(card, origin.model_copy(update={"source": "cards"}))
    for code in chunk:
        if isinstance(code, str):
            yield from _of_code(code, catalogue()[code], origin.model_copy(update={"source": "errors"}))


def _of_card(card: ApiCard, origin: Provenance) -> Iterator[TrainingRecord]:
    use = _claim("answer", card.use, card.frame, None) if card.use else None
    slip = card.mistake and _claim("refused", card.mistake.code, card.frame, card.mistake.finding)
    shown = (("pattern", use), ("rules", card.rules or card.dtypes), ("mistake", slip))
    for language in LANGUAGES:
        for kind, there_is in shown:
            if there_is:
                claims = (use, slip if kind == "mistake" else None)
                yield _record(
                    f"card/{card.name}/{kind}", f"card: {kind}", language, origin, "card",
                    tuple(c for c in claims if c), card=card,
                    shows=kind, entry=catalogue()[card.mistake.finding] if card.mistake else None,
                )  # fmt: skip


def _of_code(code: str, entry: ErrorEntry, origin: Provenance) -> Iterator[TrainingRecord]:
    examples = [c for c in cards().values() if c.twin and c.use and c.mistake and c.mistake.finding == code][
        :1
    ]
    for language in LANGUAGES:
        claims: tuple[JudgedText, ...] = ()
        for card in examples:
            assert card.use is not None and card.mistake is not None
            claims = (
                _claim("refused", card.mistake.code, card.frame, code),
                _claim("answer", card.use, card.frame, None),
            )
        yield _record(
            f"error/{code}", "error code", language, origin, "error_code", claims, code=code,
            entry=entry, examples=examples,
        )  # fmt: skip


def _claim(role: str, text: str, frame: str, code: str | None) -> JudgedText:
    return JudgedText.model_validate({
        "role": role, "form": "snippet", "text": text, "frame": frame, "code": code,
        "outcome": COMPILES if code is None else "trap",
    })  # fmt: skip


def _record(
    name: str, kind: str, language: Language, origin: Provenance, template: str,
    claims: tuple[JudgedText, ...], **told: object,
) -> TrainingRecord:  # fmt: skip
    return TrainingRecord(
        id=f"{name}/{language}", part=DataPart.DOCUMENTS, kind=kind, language=language,
        prompt=asked(f"{template}_question", language=language, **told),
        thought=render(f"{template}_thought", language=language, **told),
        answer=render(f"{template}_answer", language=language, **told), claims=claims,
        outcome=COMPILES if claims else None, provenance=origin,
    )  # fmt: skip
