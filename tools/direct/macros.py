"""Write out the macros of a file that mark code of the device, so that the file can be split by its marks.

Not covered: macros of included files, and variadic ones.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^()\n]*)\))?((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE
)
_MARK = re.compile(r"__aicore__|__global__|\[aicore\]")
_MOST_DEPTH = 8
_MOST_CHARACTERS = 2_000_000  # of the written out text


class _Macro(NamedTuple):
    parameters: tuple[str, ...] | None  # None: named without brackets
    body: str

    def with_arguments(self, given: list[str]) -> str:
        text = self.body
        for name, value in zip(self.parameters or (), given, strict=False):
            quoted = '"' + value.replace("\\", "\\\\") + '"'
            text = re.sub(rf"(?<!#)#\s*{re.escape(name)}\b", quoted.replace("\\", "\\\\"), text)
            text = re.sub(rf"\b{re.escape(name)}\b", value.replace("\\", "\\\\"), text)
        return re.sub(r"\s*##\s*", "", text)


def marks_written_out(text: str, code_only: Callable[[str], str]) -> str:
    """Return the text with each use of such a macro replaced by what it stands for; lines keep their numbers.

    `code_only` blanks out directives, comments and literals, each character in its place.
    """
    macros = _marking(text)
    if not macros:
        return text
    use = re.compile(rf"\b(?:{'|'.join(map(re.escape, macros))})\b")
    for _ in range(_MOST_DEPTH):
        bare, before = code_only(text), text
        for found in reversed(list(use.finditer(bare))):
            text = _replaced(text, bare, found.start(), found.end(), macros[found[0]])
        if text == before or len(text) > _MOST_CHARACTERS:
            break
    return text


def _marking(text: str) -> dict[str, _Macro]:
    """Return the macros whose text, or that of a macro in it, holds a mark."""
    every = {
        name: _Macro(
            tuple(p.strip() for p in listed.split(",") if p.strip()) if listed is not None else None,
            " ".join(re.sub(r"//[^\n]*", "", body).replace("\\\n", " ").split()),
        )
        for name, listed, body in ((m[1], m[2], m[3]) for m in _DEFINE.finditer(text))
        if listed is None or "..." not in listed
    }
    marking: dict[str, _Macro] = {}
    for _ in range(_MOST_DEPTH):
        found = {
            name: macro
            for name, macro in every.items()
            if _MARK.search(macro.body) or marking.keys() & set(re.findall(r"\w+", macro.body))
        }
        if found.keys() == marking.keys():
            break
        marking = found
    return marking


def _replaced(text: str, bare: str, begin: int, end: int, macro: _Macro) -> str:
    if macro.parameters is None:
        return text[:begin] + macro.with_arguments([]) + text[end:]
    opening = re.match(r"\s*\(", bare[end:])
    if opening is None:
        return text
    pieces, depth, at = [end + opening.end()], 1, end + opening.end()
    while at < len(bare) and depth:
        c = bare[at]
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 1:
            pieces.append(at + 1)
        at += 1
    given = [text[a:b].strip() for a, b in zip(pieces, [*(p - 1 for p in pieces[1:]), at - 1], strict=True)]
    lines = "\n" * text.count("\n", begin, at)
    return text[:begin] + macro.with_arguments(given) + lines + text[at:]
