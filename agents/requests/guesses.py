"""Guess what a word that nobody read may mean: a misspelt name, a misspelt word that says nothing, a random draw.

A word with one wrong letter is read as the only name that it can be: "flaot32", "varience", "entorpy". What was
understood is shown before work begins. A word with two near names, and one that means something itself, stays.
"""

import difflib
import re
from collections.abc import Iterator
from functools import cache, lru_cache

from akgen.agents.requests.marks import words
from akgen.knowledge.operators import find_operators, operators, signatures, squashed

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


_WORD = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z][A-Za-z_]{3,}[A-Za-z](?:\d\d?)?(?![A-Za-z0-9_])")
_COMMON = frozenset((  # words of sentences that readers look for, and what is one letter off them and means something
    "along", "across", "followed", "without", "dimension", "tensor", "nearest", "bilinear", "bicubic", "reflect",
    "replicate",
    "descending", "ascending", "keepdim", "unbiased", "population", "between", "elementwise", "transposed", "causal",
))  # fmt: skip
_WORDS = frozenset(
    ("alone", "aloud", "sensor", "linear", "casual", "follower", "reflects", "along", "unbiased")
)
_SHAPED = re.compile(r" ?(?:[:：=]|is|of)? ?[\[(]?\d")  # behind the name of a tensor
_TURNED = ("un", "non", "in", "de", "dis", "re")  # what turns a meaning around


def without_typos(text: str) -> str:
    """Return a text with every word that is one letter off a single name as that name."""

    def spelt(match: re.Match[str]) -> str:
        word = match[0]
        named = "_" in word and (text.count(word) > 1 or _SHAPED.match(text, match.end()))
        return word if named else _name(word.lower()) or word

    return _WORD.sub(spelt, text)


@lru_cache(maxsize=4096)
def _name(word: str) -> str | None:
    if word in _known() or word in _WORDS or find_operators(word):
        return None
    near = {name for name in _near(word) if name in _names()}
    meant = {frozenset(n.operator for n in find_operators(name)) or frozenset((name,)) for name in near}
    if len(meant) != 1 or word.startswith(_TURNED):
        return None
    name = min(near)
    if word[:-1] in (name, name[:-1]):
        return None  # "squarex": the last letter may be a tensor's name
    return name


def _near(word: str) -> Iterator[str]:
    """Yield what one letter less, more, another one or two exchanged make of a word, with the same first letter."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    stem = re.fullmatch(r"([a-z_]+)(\d*)", word)
    if stem is None:
        return
    name, digits = stem.groups()
    for at in range(1, len(name) + 1):
        head, tail = name[:at], name[at:]
        if tail:
            yield head + tail[1:] + digits
            yield from (head + letter + tail[1:] + digits for letter in letters)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:] + digits
        yield from (head + letter + tail + digits for letter in letters)


@cache
def _names() -> frozenset[str]:
    """Return the names of operators, attributes and types, and the words of those that have several."""
    said = {w for op in operators() for a in (op.name, *op.aliases) for w in re.findall(r"[a-z]+\d*", a)}
    said |= {w for listed in words()["dtypes"].values() for w in listed if w.isascii()}
    said |= _COMMON | {op.name for op in operators() if "_" in op.name}
    return frozenset(w for w in said if len(w) > len("relu6") or w in _COMMON)


@cache
def _known() -> frozenset[str]:
    said = words()
    spelt = {w for name in said["filler"] for w in name.split()}
    spelt |= {w for listed in said["attributes"].values() for a in listed for w in a.split()}
    spelt |= {w for listed in said["dtypes"].values() for w in listed} | {*said["tensors"]}
    spelt |= {w for name in said["numbers"] for w in name.split()}
    return frozenset(spelt | _names() | arguments())
