"""Read a word with one wrong letter as the only name that it can be: "flaot32", "varience", "entorpy".

What was understood is shown before work begins. A word with two near names, and one that means something itself, stays.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from akgen.agents.requests.guesses import arguments
from akgen.agents.requests.marks import words
from akgen.knowledge.operators import find_operators, operators

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
