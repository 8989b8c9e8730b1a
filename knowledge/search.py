"""Search over API cards, the error catalogue and the operator list, by words (BM25)."""

import logging
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from akgen.knowledge.cards import cards
from akgen.knowledge.errors import catalogue
from akgen.knowledge.operators import operators

if TYPE_CHECKING:
    import bm25s


class Hit(NamedTuple):
    """One found entry; `score` is BM25's, comparable only within one query."""

    kind: str  # "api", "error", "operator"
    name: str
    text: str
    score: float


class _Index(NamedTuple):
    entries: tuple[tuple[str, str, str], ...]
    model: "bm25s.BM25"


def _words(text: str) -> list[str]:
    """Split at non-letters and inside CamelCase, so that `reduce sum` finds ReduceSum."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    joined = re.findall(r"[A-Za-z0-9]+", text)
    return [w.lower() for w in re.findall(r"[A-Za-z]+[0-9]*", spaced) + joined]


@cache
def _index() -> _Index:
    import bm25s  # brings scipy: only for those who search

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it tells of every step, whoever listens

    entries = [("api", card.name, card.text()) for card in cards().values()]
    entries += [
        ("error", code, f"{code}: {e.sentence} {e.cause} Remedy: {e.remedy}")
        for code, e in catalogue().items()
    ]
    entries += [
        ("operator", op.name, f"{op.name} ({op.category}): {op.definition}; {', '.join(op.aliases)}")
        for op in operators()
    ]
    model = bm25s.BM25()
    model.index([_words(text) for _, _, text in entries], show_progress=False)
    return _Index(tuple(entries), model)


def search(query: str, count: int = 5) -> tuple[Hit, ...]:
    """Return the entries that fit a query best; entries that share no word with it are left out."""
    index = _index()
    k = min(count, len(index.entries))
    found, scores = index.model.retrieve([_words(query)], k=k, show_progress=False)
    return tuple(
        Hit(*index.entries[int(i)], score=float(s)) for i, s in zip(found[0], scores[0], strict=True) if s > 0
    )
