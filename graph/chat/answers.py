"""Answer questions without a model: about interfaces, codes and the chip, and, from its run, about the kernel in hand.

Patterns beside this file tell questions from requests, which get no answer here.
"""

import difflib
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from akgen.agents.plan import Tiling
from akgen.agents.prompts.advice import advice_for
from akgen.agents.requests.language import Language
from akgen.graph.chat.texts import said, translated
from akgen.graph.store.records import Solution
from akgen.graph.store.run_store import TaskStore, sources_of
from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.chip import Chip
from akgen.knowledge.errors import catalogue, chinese
from akgen.knowledge.operators import find_operators
from akgen.knowledge.search import search
from akgen.tools.core.project import KernelProject

MOST_CARDS = 3
_NEAR = 8.0  # score of a search from which an entry is about what is asked
_MOST_NEAR = 4
_CODE = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![A-Za-z0-9_])")
_NAME = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9_]*(?:::[A-Za-z0-9_]+)*(?![A-Za-z0-9_])")
_HUMP = re.compile(r"[a-z0-9][A-Z]")
_LONG_NAME = 6  # letters of an interface that is recognised in lower case
_SIZES = re.compile(r"\d ?(?:[x*×,]|by|乘以?) ?\d")
_SHAPE = re.compile(rf"{_SIZES.pattern}|\b(?:fp|bf|int)\d+\b")
KERNEL = ("code", "host", "tiling", "profile", "verdict")  # what can be asked of the kernel in hand


def answer(text: str, language: Language, chip: Chip) -> str | None:
    """Return the answer to a question about a code, an interface or the chip; None if it is no such question."""
    found = [_of_code(code, language) for code in _codes(text)]
    if not found:
        found = [card.text() for card in _asked_cards(text)]
    if not found:
        found = list(_of_chip(text, language, chip))
    if not found and asks("use", text) and not asks("making", text) and not _SHAPE.search(text):
        found = concepts_in(text, language)[:MOST_CARDS]
    return "\n\n".join(found) or None


def nearest_entries(text: str, language: Language) -> str | None:
    """Return what the knowledge has on a question that nothing else answers; None if it is none, or has nothing."""
    if not asks("question", text) or _SHAPE.search(text):
        return None
    hits = [hit for hit in search(text, _MOST_NEAR) if hit.score >= _NEAR and hit.kind != "operator"]
    if not hits:
        return None
    lines = [f"  {hit.name}: {_about(hit.kind, hit.name, language)}" for hit in hits]
    return "\n".join([said("nearest", language), *lines])


def _about(kind: str, name: str, language: Language) -> str:
    if kind == "api":
        return cards()[name].summary
    translated = chinese(name) if language is Language.CHINESE else None
    return (translated or catalogue()[name]).sentence


def _codes(text: str) -> Iterator[str]:
    """Yield the error codes that a text names: in capitals anywhere, in small letters in a question."""
    asked = asks("question", text) or bool(_CODE.fullmatch(text.strip()))
    for match in _CODE.finditer(text):
        code = match[0].upper()
        if code in catalogue() and (asked or match[0] == code):
            yield code
        elif match[0] == code and asked and code not in cards():
            yield from difflib.get_close_matches(code, catalogue(), n=1, cutoff=0.8)


def _of_code(code: str, language: Language) -> str:
    entry = catalogue()[code]
    known = chinese(code) if language is Language.CHINESE else None
    values = {"code": code, "sentence": (known or entry).sentence, "remedy": (known or entry).remedy}
    return said("error_code", language, cause=entry.cause, **values)


def _asked_cards(text: str) -> list[ApiCard]:
    """Return the interfaces that a question is about; one that is named alone is asked about, too."""
    if _SIZES.search(text) or asks("making", text):
        return []
    if _is_name(text):
        return [card for card in _named(text, strict=True) if not find_operators(_plain(text))]
    return list(_named(text, strict=not asks("call", text)))[:MOST_CARDS] if asks("use", text) else []


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text.strip().rstrip("?？().;")) is not None


def _plain(name: str) -> str:
    """Write `LayerNorm` as people write the operator."""
    return _HUMP.sub(lambda m: f"{m[0][0]} {m[0][1]}", name).lower()


def _named(text: str, *, strict: bool) -> Iterator[ApiCard]:
    """Yield the interfaces named in a text; `strict`: not those whose names are operators or plain words as well."""
    for name in dict.fromkeys(m[0] for m in _NAME.finditer(text)):
        card = cards().get(name) or _in_small_letters().get(name.lower())
        if card is None:
            continue
        spelt = name == card.name and bool(_HUMP.search(name))
        if spelt or not strict or not find_operators(name.lower()):
            yield card


@cache
def _in_small_letters() -> dict[str, ApiCard]:
    """Return the interfaces by their names in small letters, where the name is no plain word."""
    return {n.lower(): c for n, c in cards().items() if _HUMP.search(n) and len(n) >= _LONG_NAME}


def _of_chip(text: str, language: Language, chip: Chip) -> Iterator[str]:
    if not asks("amount", text) or asks("of_kernel", text):
        return
    asked = asked_of_chip(text)
    if asked:
        facts = [said(f"chip_{key}", language, chip=chip) for key in asked]
        yield f"{chip.name}: " + "; ".join(facts)


class KernelAnswer(NamedTuple):
    """What is said, and source text that is shown with it."""

    text: str
    code: str = ""


def about_kernel(asked: str, place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    """Answer what `asked_of_kernel` found, of a finished task."""
    return _ANSWERS[asked](place, solution, language)


def profile_lines(place: TaskStore, solution: Solution, language: Language) -> list[str]:
    """Say where the time went, and what would save some: a line for the whole, one for each pipe, the advice."""
    profile = solution.profile
    if profile is None:
        return [said("no_timeline", language)]
    lines = [translated(profile.summary(), language)]
    if profile.start_us:
        lines.append(said("start", language, us=profile.start_us))
    for pipe in profile.pipes:
        busy, stalled = pipe.shares
        shares = said("pipe", language, busy=busy, stalled=stalled, count=pipe.instructions)
        lines.append(f"{pipe.pipe:<5} {shares}")
    project = KernelProject(op_type="", kernel="", files=sources_of(place.folder, solution.project))
    lines += advice_for(profile, project)
    return lines + ([f"timeline: {solution.page}"] if solution.page else [])


def _profile(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    return KernelAnswer("\n".join(profile_lines(place, solution, language)))


def _code(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    return KernelAnswer(said("kernel_of", language, task=solution.task), place.kernel(solution))


def _host(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    files = sources_of(place.folder, solution.project)
    host = [f"// {path}\n{text}" for path, text in sorted(files.items()) if path.startswith("op_host/")]
    if not host:
        return KernelAnswer(said("no_host", language, task=solution.task), place.kernel(solution))
    return KernelAnswer(said("host_of", language, task=solution.task), "\n".join(host))


def _tiling(place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    found = _tiling_of(place, solution)
    if found is None:
        return KernelAnswer(said("no_tiling", language, task=solution.task))
    cores = solution.profile.cores if solution.profile else found.block_dim
    lines = [said("tiling", language, tiling=found, cores=cores)]
    lines += [f"  {b.name}: {b.space}, {b.copies} x {b.size_bytes} B" for b in found.buffers]
    return KernelAnswer("\n".join(lines))


def _tiling_of(place: TaskStore, solution: Solution) -> Tiling | None:
    attempts = place.sample(solution.sample).attempts()
    own = next((a for a in attempts if a.number == solution.attempt), None)
    return own.plan.tiling if own is not None and own.plan is not None else None


def _verdict(_place: TaskStore, solution: Solution, language: Language) -> KernelAnswer:
    verdict = solution.verdict
    trials = sum(case.trials for case in verdict.cases)
    lines = [
        said("verdict_of", language, outcome=solution.outcome, toolchain=solution.toolchain, trials=trials)
    ]
    lines.append(translated(verdict.summary(), language))
    lines += [translated(drawn.sentence, language) for drawn in verdict.all_drawn]
    return KernelAnswer("\n".join(lines))


_ANSWERS: dict[str, Callable[[TaskStore, Solution, Language], KernelAnswer]] = {
    "code": _code, "host": _host, "tiling": _tiling, "profile": _profile, "verdict": _verdict,
}  # fmt: skip


def asks(name: str, text: str) -> bool:
    """Say whether a text fits one of the patterns: `question`, `use`, `call`, `making`, `amount`, `of_kernel`."""
    return _pattern(name).search(text) is not None


def asked_of_kernel(text: str) -> str | None:
    """Return what of the kernel in hand a text asks for; None if nothing: shapes without a question are a request."""
    if _SHAPE.search(text) and not asks("question", text):
        return None
    return next((name for name in KERNEL if _pattern(f"kernel.{name}").search(text.strip())), None)


def asked_of_chip(text: str) -> list[str]:
    """Return which sizes of the chip a text names."""
    return [name for name in _data()["chip"] if _pattern(f"chip.{name}").search(text)]


def concepts_in(text: str, language: str) -> list[str]:
    """Return what the concepts mean that a text names: memories, pipes, tiling."""
    known = _data()["concepts"]
    found = [name for name in known if _concept(name).search(text)]
    return [f"{name}: {known[name][language]}" for name in found]


@cache
def _concept(name: str) -> re.Pattern[str]:
    words = (
        w if not w.isascii() else rf"(?<![a-z0-9_]){w}(?![a-z0-9_])"
        for w in _data()["concepts"][name]["words"]
    )
    return re.compile("|".join(words), re.I)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    found: Any = _data()
    for name in path.split("."):
        found = found[name]
    text = "|".join(found)
    for name, meant in _data()["names"].items():
        text = text.replace(f"<{name}>", meant)
    return re.compile(text, re.I)


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files("akgen.graph.chat").joinpath("questions.json").read_text("utf-8"))
    return data
