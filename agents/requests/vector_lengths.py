"""Write lengths in a list of declared shapes as shapes: "a is 256x512, bias is 512" tells a vector of 512 elements.

A length is the size of an axis that the text tells. Names of scalars keep their numbers ("eps is 64"), as do those that
an equals sign gives one, where shapes are told by other words. What may be a small number is asked about.
"""

import re

from akgen.agents.requests.formula import is_scalar, is_vector
from akgen.agents.requests.problems import Unclear

_SIZES = r"(?:[\[(] ?\d+(?: ?, ?\d+)+ ?[\])]|(?<![\w.])\d+(?: ?[x×*] ?\d+)+(?![\w.]))"
_LINK = r" ?(?:is|are|of|has|是|为|[:：=])? ?"
_TOLD = re.compile(rf"(?<![\w.])(?P<name>[a-z]\w*)(?P<link>{_LINK})(?P<sizes>{_SIZES})", re.I)
_LENGTH = re.compile(
    rf"(?<![\w.])(?P<name>[a-z]\w*)(?P<link>{_LINK})(?<!\w)(?P<size>\d+)"
    r"(?=(?P<type> ?(?:fp|bf|float|bfloat)(?:16|32))?"
    r"\s*(?:[,.;，。；)）\n]|\Z|and\b|和|与))(?!\.\d)",
    re.I,
)
_OPERAND = re.compile(
    r"(?<=[-+*/@^(])\s?([a-z]\w*)|(?<![\w.])([a-z]\w*)(?=\s?[-+*/@^)])", re.I
)  # beside a sign
_OF_NORMS = frozenset(("weight", "gamma", "beta", "bias", "g"))  # as long as an axis of what they scale
_NORM = re.compile(r"norm(?![a-z])|归一化", re.I)
_LEAST = 16  # what a factor is seldom


def with_vectors(said: str) -> str:
    """Return the text with the lengths of vectors as shapes. Raises Unclear where one may be a number."""
    told = list(_TOLD.finditer(said))
    sizes = {int(n) for m in told for n in re.findall(r"\d+", m["sizes"])}
    operands = {(m[1] or m[2]).lower() for m in _OPERAND.finditer(said)}
    norm = _NORM.search(said) is not None
    equals = any("=" in m["link"] for m in told)

    def written(match: re.Match[str]) -> str:
        name, size = match["name"].lower(), int(match["size"])
        if (
            size not in sizes
            or not ((name in operands and not match["type"]) or (norm and name in _OF_NORMS - operands))
            or is_scalar(name)
            or ("=" in match["link"] and not equals)
        ):
            return match[0]
        if size < _LEAST and not is_vector(name):
            raise Unclear("number_or_vector", name=match["name"], size=size)
        return f"{match['name']}{match['link']}({size},)"

    return _LENGTH.sub(written, said)
