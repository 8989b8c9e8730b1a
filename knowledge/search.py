"""Search over API cards, the error catalogue and the operator list, by words (BM25), in English and Chinese.

A query's words are taken for what they mean (`search_words.json`), and an operation that it names brings the cards of
what computes it.
"""

import logging
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from akgen.knowledge.cards import ApiCard, cards, cards_of, operations
from akgen.knowledge.data_files import read_json
from akgen.knowledge.errors import catalogue
from akgen.knowledge.operators import find_operators, operators
from akgen.knowledge.patterns import patterns

if TYPE_CHECKING:
    import bm25s

_NAME_WEIGHT = 3  # how often an entry's name counts against its text
_MEANT = 0.5  # a word's meaning against the word itself
_OPERATION = (
    4.0  # what computes an operation that the query names, in BM25's units; less for each that follows
)
_NAMED = 20.0  # an entry whose very name stands in the query
_COMMON = 0.6  # an interface that expert kernels call, for every doubling of how many do
_KINDS = {"api": 1.0, "error": 0.6, "operator": 0.8}
_ENDINGS = ("isation", "ization", "ations", "ation", "ings", "ing", "ally", "ies", "ed", "es", "ly", "s", "e")
_LEAST_STEM = 3


class Hit(NamedTuple):
    """One found entry; `score` is comparable only within one query."""

    kind: str  # "api", "error", "operator"
    name: str
    text: str
    score: float


class _Index(NamedTuple):
    entries: tuple[tuple[str, str, str], ...]
    model: "bm25s.BM25"


def _words(text: str) -> list[str]:
    """Split at non-letters and inside CamelCase, so that `reduce sum` finds ReduceSum; without endings."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    joined = re.findall(r"[A-Za-z0-9]+", text)
    return [_stem(w.lower()) for w in re.findall(r"[A-Za-z]+[0-9]*", spaced) + joined]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word


@cache
def _meanings() -> dict[str, str]:
    """Return other words for a word, by the word as it is and without its ending."""
    means: dict[str, str] = read_json("search_words.json")["means"]
    return {_stem(word): meaning for word, meaning in means.items()} | means


@cache
def _skipped() -> frozenset[str]:
    return frozenset(read_json("search_words.json")["skipped"].split())


def _in_english(query: str) -> str:
    """Put English words in place of the Chinese ones that are known, the longest first."""
    for chinese, english in sorted(read_json("search_words.json")["zh"].items(), key=lambda p: -len(p[0])):
        query = query.replace(chinese, f" {english} ")
    return query


def _card_text(card: ApiCard) -> str:
    names = " ".join([card.name] * _NAME_WEIGHT)
    return " ".join((names, card.summary, card.summary, card.family, card.signatures[0], *card.rules))


@cache
def _index() -> _Index:
    import bm25s  # brings scipy: only for those who search

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it tells of every step, whoever listens

    entries = [("api", card.name, card.text()) for card in cards().values()]
    searched = [_card_text(card) for card in cards().values()]
    entries += [
        ("error", code, f"{code}: {e.sentence} {e.cause} Remedy: {e.remedy}")
        for code, e in catalogue().items()
    ]
    entries += [
        ("operator", op.name, f"{op.name} ({op.category}): {op.definition}; {', '.join(op.aliases)}")
        for op in operators()
    ]
    searched += [text for _, _, text in entries[len(searched) :]]
    model = bm25s.BM25()
    model.index([_words(text) for text in searched], show_progress=False)
    return _Index(tuple(entries), model)


def search(query: str, count: int = 5) -> tuple[Hit, ...]:
    """Return the entries that fit a query best; entries that share no word with it are left out."""
    index = _index()
    asked = [w for w in re.findall(r"[A-Za-z0-9_]+", _in_english(query)) if w.lower() not in _skipped()]
    scores = _scores(index, " ".join(asked))
    meant = [_meanings()[w] for w in (_known(a.lower()) for a in asked) if w is not None]
    if meant:
        scores = [s + _MEANT * m for s, m in zip(scores, _scores(index, " ".join(meant)), strict=True)]
    by_operation, named = _by_operation(query), set(re.findall(r"[\w:]+", query))
    found = []
    for (kind, name, text), score in zip(index.entries, scores, strict=True):
        common = _COMMON * _common().get(name, 0.0) if kind == "api" and score > 0 else 0.0
        more = (
            (by_operation.get(name, 0.0) if kind == "api" else 0.0)
            + common
            + _NAMED * (kind != "operator" and name in named)
        )
        found.append(Hit(kind, name, text, score * _KINDS[kind] + more))
    best = sorted((hit for hit in found if hit.score > 0), key=lambda hit: -hit.score)
    return tuple(best[:count])


@cache
def _common() -> dict[str, float]:
    """Return how common an interface is: the binary logarithm of one more than the expert kernels that call it."""
    texts = ["".join(pattern.files.values()) for pattern in patterns()]
    words = [set(re.findall(r"\w+", text)) for text in texts]
    return {name: math.log2(1 + sum(name.rpartition("::")[2] in w for w in words)) for name in cards()}


def _scores(index: _Index, text: str) -> list[float]:
    """Return what every entry scores for a text; words that no entry has count nothing."""
    known = [word for word in _words(text) if word in index.model.vocab_dict]
    return list(map(float, index.model.get_scores(known))) if known else [0.0] * len(index.entries)


def _known(word: str) -> str | None:
    return next((w for w in (word, _stem(word)) if w in _meanings()), None)


def _by_operation(query: str) -> dict[str, float]:
    """Return what the cards of the operations in a query are worth."""
    worth: dict[str, float] = {}
    for operation in _operations_in(query):
        for place, card in enumerate(cards_of(operation)):
            worth[card.name] = max(worth.get(card.name, 0.0), _OPERATION / (1 + place))
    return worth


def _operations_in(query: str) -> Iterator[str]:
    yield from (w for w in re.findall(r"[a-z][a-z0-9_]+", query.lower()) if w in operations())
    yield from (named.operator for named in find_operators(query))
