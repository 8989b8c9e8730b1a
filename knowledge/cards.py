"""API cards: how an Ascend C call is written, what it demands, which types it takes."""

import difflib
import json
from functools import cache

from akgen.knowledge.data_files import KnowledgeFact, read_text

_WHOLE_WORD = 3  # letters; Or begins too many words


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
    accuracy: str | None = (
        None  # of the chip, as the twin gives it; None: it computes nothing that is rounded
    )
    accuracy_source: str | None = None

    def text(self) -> str:
        """Return the card as a prompt or a person reads it."""
        lines = [f"{self.name} ({self.family}): {self.summary}", *(f"    {s}" for s in self.signatures)]
        if self.dtypes:
            lines.append(f"    types: {self.dtypes}")
        lines += [f"    - {rule}" for rule in self.rules]
        if self.accuracy:
            lines.append(f"    accuracy: {self.accuracy} (source: {self.accuracy_source})")
        return "\n".join(lines)


@cache
def cards() -> dict[str, ApiCard]:
    text = read_text("api_cards.jsonl")
    found = [ApiCard.model_validate(json.loads(line)) for line in text.splitlines() if line]
    return {card.name: card for card in found}


def nearest(name: str, count: int = 3) -> tuple[ApiCard, ...]:
    """Return the cards whose names come closest to an invented one.

    The longest name that begins it comes first: who writes Subtract means Sub, not Extract.
    """
    by_lower = {n.lower(): card for n, card in cards().items()}
    wrong = name.lower()
    begins = sorted((n for n in by_lower if len(n) >= _WHOLE_WORD and wrong.startswith(n)), key=len)[-1:]
    close = difflib.get_close_matches(wrong, by_lower, n=count, cutoff=0.4)
    return tuple(by_lower[n] for n in dict.fromkeys([*begins, *close]))[:count]
