"""Guess what a word that nobody read may mean: a misspelt name, a misspelt word that says nothing, a random draw."""

import difflib
from functools import cache, lru_cache

from akgen.agents.requests.marks import words
from akgen.knowledge.operators import operators, signatures, squashed

_SIMILAR = 0.75
_NEAR = 0.82  # of a name alone, out of its sentence
_TELLING = 7  # letters of a word that is a part of a name: "cumulative" of "cumulative sum"
_LONG = 4  # letters from which a misspelt word that says nothing is recognised


@lru_cache(maxsize=4096)
def misspelt_filler(word: str) -> bool:
    """Say whether the word is a misspelt one that says nothing, and resembles no operator or attribute as much."""
    if len(word) < _LONG or not word.isascii() or not word.isalpha() or word in words()["numbers"]:
        return False
    close = difflib.get_close_matches(word, words()["filler"], n=1, cutoff=0.8)
    longer = bool(close) and (word.startswith(close[0]) or abs(len(word) - len(close[0])) > 1)
    if word in arguments() or (close and word[0] != close[0][0]):
        return False  # "stable" is no misspelt "table": typos seldom change the first letter
    return bool(close) and not longer and len(close[0]) >= _LONG and meant(word)[:1] in ((), tuple(close))


@cache
def arguments() -> frozenset[str]:
    """Return what PyTorch calls the arguments of its operators."""
    return frozenset(p.name for s in signatures() for p in s.parameters)


@lru_cache(maxsize=4096)
def meant(word: str) -> tuple[str, ...]:
    """Return operators, attributes and types that a misspelt word may mean, nearest first."""
    found = difflib.get_close_matches(squashed(word), _spelt(), n=3, cutoff=_SIMILAR)
    return tuple(_spelt()[name] for name in found)


@lru_cache(maxsize=4096)
def part_meant(word: str) -> tuple[str, ...]:
    """Return the word of an operator's name of several words that a misspelt one may mean: "cumlative"."""
    found = difflib.get_close_matches(word, _parts(), n=1, cutoff=_NEAR) if len(word) >= _TELLING else []
    return tuple(w for w in found if w != word)


@cache
def _parts() -> tuple[str, ...]:
    names = (a for op in operators() for a in op.aliases if " " in a)
    return tuple(sorted({w for a in names for w in a.split() if len(w) >= _TELLING}))


@cache
def _spelt() -> dict[str, str]:
    """Return the names of operators, attributes and types by how they are compared."""
    known = {op.name for op in operators()} | {a for op in operators() for a in op.aliases if " " not in a}
    known |= {a for names in words()["attributes"].values() for a in names if a.isascii() and len(a) > 3}
    known |= {d for names in words()["dtypes"].values() for d in names}
    return {squashed(name): name for name in sorted(known)}


def like(word: str, name: str) -> bool:
    """Say whether a name is near enough to be named alone: a short word resembles too many."""
    return word != name and difflib.SequenceMatcher(None, squashed(word), squashed(name)).ratio() >= _NEAR


def draws(word: str) -> bool:
    """Say whether the word names what draws random numbers."""
    return any(word == name if name.isascii() else name in word for name in words()["random"])
