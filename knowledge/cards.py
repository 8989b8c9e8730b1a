"""API cards: how an Ascend C call is written, what it demands, which types it takes."""

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from akgen.knowledge.data_files import KnowledgeFact, read_json, read_text

_AS_EXPECTED = ("Exact.", "Rounded once to the type.")  # an accuracy that a listing leaves out
_WHOLE_WORD = 3  # letters; Or begins too many words


_OF_OP_DEF = (
    "host and tiling",
    "registration",
    "tiling context",
    "inference context",
    "attributes",
    "shape and tensor",
)
_NOT_CALLED = ("parameters", "temporary sizes")
Frame = Literal["vector", "cube", "matmul", "tiling", "structure", "registration", "inference"]
"""Where the snippets of a card stand: the text of tools/cards/frames/ around them declares what they name."""


class Mistake(KnowledgeFact):
    """What is often written in place of the use, and the code of the finding that it gets."""

    code: str
    finding: str


class ApiCard(KnowledgeFact):
    """One API, in our own words after the vendor's "Ascend C API Reference"."""

    name: str
    family: str
    signatures: tuple[str, ...]
    summary: str
    rules: tuple[str, ...] = ()
    dtypes: str | None = None
    header: str | None = None
    namespace: str | None = None
    prototypes: tuple[str, ...] = ()  # C++ declarations as documented, without __aicore__ inline
    host_sizes: tuple[str, ...] = ()  # host functions that say how much temporary memory it wants
    frame: Frame = "vector"
    twin: bool = True  # false: the chip has it, the twin does not simulate it
    use: str | None = None  # one call, or the few statements that it takes
    mistake: Mistake | None = None
    accuracy: str | None = (
        None  # of the chip, as the twin gives it; None: it computes nothing that is rounded
    )
    accuracy_source: str | None = None

    @property
    def is_call(self) -> bool:
        """Say whether it is called by its bare name, and by people: no method, no structure, no size of a buffer."""
        return self.twin and "::" not in self.name and self.family not in _NOT_CALLED

    @property
    def of_op_def(self) -> bool:
        """Say whether only operators with a definition and tiling data use it, not kernels launched with `<<<>>>`."""
        first = self.signatures[0]
        tiled = self.family == "kernel macros" and "tiling" in first.lower()
        return tiled or "context->" in first or self.family in _OF_OP_DEF

    def text(self) -> str:
        """Return the card as a prompt or a person reads it."""
        lines = [f"{self.name} ({self.family}): {self.summary}", *(f"    {s}" for s in self.signatures)]
        if self.dtypes:
            lines.append(f"    types: {self.dtypes}")
        lines += [f"    - {rule}" for rule in self.rules]
        if not self.twin:
            lines.append("    twin: no")
        if self.use:
            lines.append(f"    use: {self.use}")
        if self.mistake:
            lines.append(f"    mistake ({self.mistake.finding}): {self.mistake.code}")
        if self.accuracy:
            lines.append(f"    accuracy: {self.accuracy} (source: {self.accuracy_source})")
        return "\n".join(lines)

    def brief(self) -> "ApiCard":
        """Return the card with no more than one call and what it does."""
        return self.model_copy(
            update={"signatures": self.signatures[:1], "rules": (), "dtypes": None, "accuracy": None}
        )

    def notes(self) -> tuple[str, ...]:
        """Return what a listing says of the card below its call; NAME stands for its own name."""
        forms = (f"also {form}".replace(f"{self.name}<", "NAME<").replace(f"{self.name}(", "NAME(")
                 for form in self.signatures[1:])  # fmt: skip
        accuracy = (self.accuracy,) if self.accuracy and self.accuracy not in _AS_EXPECTED else ()
        types = (f"Types: {self.dtypes}.",) if self.dtypes else ()
        return (*types, *forms, *self.rules, *accuracy)


def listing(shown: Iterable[ApiCard]) -> str:
    """Write cards as a prompt lists them: by family, and what several of a family have in common once."""
    families: dict[str, list[ApiCard]] = {}
    for card in shown:
        families.setdefault(card.family, []).append(card)
    return "\n".join(_family(name, members) for name, members in families.items())


def _family(name: str, members: Sequence[ApiCard]) -> str:
    said = Counter(note for card in members for note in card.notes())
    lines = [f"[{name}]"]
    for card in members:
        lines.append(f"{card.signatures[0]}: {card.summary.rstrip('.')}.")
        lines += [f"  - {n.replace('NAME', card.name)}" for n in card.notes() if said[n] == 1]
    for note, count in said.items():
        if count > 1:
            of = [c.name for c in members if note in c.notes()]
            lines.append(f"- {'all' if len(of) == len(members) else ', '.join(of)}: {note}")
    return "\n".join(lines)


@cache
def every_kernel() -> tuple[ApiCard, ...]:
    """Return the cards of what a kernel needs whatever it computes."""
    return _named(read_json("aten_cards.json")["every"].split())


@cache
def every_host() -> tuple[ApiCard, ...]:
    """Return the cards of what host code needs whatever the kernel computes."""
    return _named(read_json("aten_cards.json")["host"].split())


def cards_of(operation: str) -> tuple[ApiCard, ...]:
    """Return the cards of what computes an ATen operation (`softmax`, `aten.add.Tensor`), none if it is not known."""
    parts = operation.split(".")
    name = parts[1] if parts[0] == "aten" and len(parts) > 1 else operation
    return _named(_by_operation().get(name) or _by_operation().get(f"_{name}", ()))


def operations() -> frozenset[str]:
    """Return the names of the ATen operations that have cards."""
    return frozenset(_by_operation())


@cache
def _by_operation() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in read_json("aten_cards.json")["groups"]:
        for operation in group["operations"].split():
            found.setdefault(operation, {}).update(dict.fromkeys(group["cards"].split()))
    return {operation: tuple(names) for operation, names in found.items()}


def _named(names: Iterable[str]) -> tuple[ApiCard, ...]:
    table = cards()
    return tuple(table[name] for name in names if name in table)


@cache
def cards() -> dict[str, ApiCard]:
    text = read_text("api_cards.jsonl")
    found = [ApiCard.model_validate(json.loads(line)) for line in text.splitlines() if line]
    return {card.name: card for card in found}


def nearest(name: str, count: int = 3) -> tuple[ApiCard, ...]:
    """Return the cards whose names come closest to an invented one.

    The longest name that begins it comes first: who writes Subtract means Sub, not Extract.
    """
    by_lower = {n.lower(): card for n, card in cards().items() if card.is_call}
    wrong = name.lower()
    begins = sorted((n for n in by_lower if len(n) >= _WHOLE_WORD and wrong.startswith(n)), key=len)[-1:]
    close = difflib.get_close_matches(wrong, by_lower, n=count, cutoff=0.4)
    return tuple(by_lower[n] for n in dict.fromkeys([*begins, *close]))[:count]
