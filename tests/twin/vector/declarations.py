"""The functions that a header gives to a kernel or to op_host code, read from what the preprocessor leaves."""

import re
from collections.abc import Callable
from typing import NamedTuple

_MARKER = re.compile(r'^# \d+ "([^"]+)".*$', re.MULTILINE)
_NAMESPACE = re.compile(r"\bnamespace\s+(\w*)\s*$")
_FUNCTION = re.compile(
    r"(?:template\s*<(?P<head>[^;{}]*)>\s*)?(?:__attribute__\s*\(\(\w+\)\)\s*|inline\s+)+"
    r"(?P<result>[a-z]\w*|T)\s+(?P<name>[A-Z]\w+)\s*\("
)


class Declaration(NamedTuple):
    """One free function of namespace AscendC; `head` is its template parameters, "" without any."""

    name: str
    result: str
    head: str
    parameters: str

    @property
    def text(self) -> str:
        head = f"template <{self.head}> " if self.head else ""
        return f"{head}{self.result} {self.name}({self.parameters})"


def declarations(preprocessed: str, wanted: Callable[[str], bool]) -> list[Declaration]:
    """Return what the files whose paths are wanted declare in namespace AscendC, without `detail` and classes."""
    _, *pieces = _MARKER.split(preprocessed)
    text = "".join(part for path, part in zip(pieces[::2], pieces[1::2], strict=True) if wanted(path))
    return [
        Declaration(m["name"], m["result"], _plain(m["head"] or ""), _plain(parameters))
        for level in _levels(text)
        for m in _FUNCTION.finditer(level)
        if (parameters := _block(level, m.end() - 1, "()")) is not None
        and level[m.end() + len(parameters) + 1 :].lstrip().startswith("{")
    ]


def _levels(text: str) -> list[str]:
    """Return what stands directly in each namespace AscendC, with the contents of other braces left out."""
    found, level, at = [], "", 0
    while (opening := text.find("{", at)) >= 0:
        before, inner = text[at:opening], _block(text, opening, "{}")
        assert inner is not None, before[-200:]
        space = _NAMESPACE.search(before)
        if space and space[1] == "AscendC":
            found += _levels(inner)
        level += before if space else before + "{}"
        at = opening + len(inner) + 2
    return [level + text[at:], *found]


def _block(text: str, opening: int, pair: str) -> str | None:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return text[opening + 1 : at]
    return None


def _plain(text: str) -> str:
    """Write a list of parameters as the cards do."""
    text = re.sub(r"\s+", " ", text.replace("[[maybe_unused]]", "")).strip()
    return re.sub(r" &(?=\w|$|,)", "& ", text).replace("& ,", "&,").strip()
