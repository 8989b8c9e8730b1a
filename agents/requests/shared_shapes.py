"""Tell tensors apart that were told with one shape, "a, b, c: [4, 8]", where a follow-up gives one of them another."""

import re

from akgen.agents.requests.marks import words
from akgen.agents.requests.places import TurnPlace, Turns, dtype_of
from akgen.knowledge.operators import find_operators

_NAME = r"[A-Za-z]\w{0,15}"
_BETWEEN = r"(?: ?(?:,|，|、|/|&|和|与|及) ?(?:and )?| and )"
_SHARED = re.compile(
    rf"(?<![\w.])(?P<names>{_NAME}(?:{_BETWEEN}{_NAME})+)"
    r"(?P<link>[ ,，]*(?:(?:=|:|：|is|are|of|has|have|with|being"
    r"|all|both|each|shape|shapes|in|size|"
    r"形状|大小|都|均|各|为|是|的)[ ,，]*)*)"
    r"(?P<shape>[\[(] ?\d+k?(?: ?, ?\d+k?)* ?,? ?[\])]|\d+k?(?: ?[x*] ?\d+k?)+(?![\w.]))",
    re.A,
)
_NO_NAMES = frozenset(
    ("and", "of", "the", "with", "is", "are", "both", "all", "each", "shape", "shapes", "has", "have")
)
_TOLD = re.compile(
    rf"(?:[^\w]|(?:ok(?:ay)?|now|and|but|actually|sorry|no|wait|please|also|make|set|change|let|the|把|那)(?![a-z]))*"
    rf"(?P<name>{_NAME}) ?(?:'s shape|的?形状|的?shape| shape)? ?(?:现在|应该|也)*"
    r"(?:=|:|：|is|has|to|becomes|should be|must be|改[为成]|换成|变成|是|为)+ ?"
    r"(?:now |only |just |actually |in fact |of shape |shape )*"
    r"(?:[\[(] ?\d|\d+k? ?[x*] ?\d)",
    re.I | re.A,
)
_SHORT = 2  # letters of a name that needs to be no other word
_OF_ALL = frozenset(
    ("shape", "shapes", "size", "sizes", "input", "inputs", "tensor", "tensors", "everything", "all", "both", "it",
     "they", "this", "that", "dims", "dimensions", "them", "these", "batch", "output", "outputs", "result")
)  # fmt: skip


def apart(turns: Turns, name: str, shape: str) -> tuple[TurnPlace, str] | None:
    """Return what stands in the place of the only list of tensors with a shape that has the name: each with its own."""
    found = []
    for at, turn in enumerate(turns):
        for match in _SHARED.finditer(turn):
            names = [(m[0], m.start()) for m in re.finditer(_NAME, match["names"], re.A)]
            names = [n for n in names if n[0].lower() not in _NO_NAMES]
            while len({n.lower() for n, _ in names}) < len(names) or not all(_is_tensor(n) for n, _ in names):
                names = names[1:]  # "+ c, a, b, c: [4, 8]", "rms norm, x [4, 8]"
            if len(names) > 1 and name.lower() in {n.lower() for n, _ in names}:
                found.append((at, match, names))
    if len(found) != 1:
        return None
    at, match, names = found[0]
    written = ", ".join(f"{n} {shape if n.lower() == name.lower() else match['shape']}" for n, _ in names)
    return TurnPlace(at, match.start("names") + names[0][1], match.end()), written


def _is_tensor(name: str) -> bool:
    """Say whether a word may be a tensor's name: a short one, one that is known as such, or one with a number."""
    name = name.lower()
    if dtype_of(name) is not None or find_operators(name):
        return False
    return len(name) <= _SHORT or name in words()["tensors"] or re.search(r"[\d_]", name) is not None


def names_one(text: str) -> bool:
    """Say whether a follow-up gives one tensor, by its name, a shape."""
    match = _TOLD.match(text.strip())
    return match is not None and match["name"].lower() not in _OF_ALL
