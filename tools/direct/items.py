"""Read the declarations and definitions of a C++ text, by its brackets: types, values, functions with their bodies.

Macros of the file that mark code of the device are written out first, so that the file can be split by its marks. Not
covered: macros of included files, and variadic ones.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from akgen.tools.twin.kernel.dialect import blanked

DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
_LEFT_OUT = re.compile(
    r"^[ \t]*#[ \t]*if[ \t]+0\b(?:(?!^[ \t]*#[ \t]*if).)*?(?=^[ \t]*#[ \t]*(?:else|elif|endif))", re.M | re.S
)
_SCOPE = re.compile(r"^\s*(?:inline\s+)?namespace\b[\w\s:]*$|^\s*extern\s*$")
_TYPE = re.compile(r"\b(?:class|struct|union|enum)\s+(?!\w+\s*\()")
_OPERATOR = re.compile(r"\boperator\s*[^\w\s(]+")
# A constructor's members in braces, before its body: `K() : a_{1}, b_{2} {`.
_MEMBERS_FOLLOW = re.compile(r"\)\s*(?:noexcept\s*)?:[^:][^;]*$")
_ANOTHER_BRACE = re.compile(r"\s*(?:,\s*[\w:<>]+\s*(?:\([^()]*\)\s*,\s*[\w:<>]+\s*)*)?\{")
_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^()\n]*)\))?((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE
)
_MARK = re.compile(r"__aicore__|__global__|\[aicore\]")
_MOST_DEPTH = 8
_MOST_CHARACTERS = 2_000_000  # of the written out text


def plain(text: str) -> str:
    """Blank out comments and literals; every other character keeps its place."""
    return blanked(text)


class SourceItem(NamedTuple):
    """A declaration or definition at the scope of a file or a namespace: text[begin:end]."""

    begin: int
    end: int
    brace: int | None = None  # where its body begins
    is_data: bool = False  # a type, or a value with an initialiser


def items_of(bare: str) -> Iterator[SourceItem]:
    """Yield the items of a text without directives, comments and literals, in order; namespaces are opened."""
    at = begin = 0
    while at < len(bare):
        c = bare[at]
        if c == "(":
            at = matching(bare, at, "()")
        elif c in ";}":
            if c == ";":
                yield SourceItem(begin, at + 1)
            begin = at + 1
        elif c == "{":
            if not _SCOPE.search(bare[begin:at]):
                item = _with_body(bare, begin, at)
                yield item
                at = item.end - 1
            begin = at + 1
        at += 1


def _with_body(bare: str, begin: int, brace: int) -> SourceItem:
    end = matching(bare, brace, "{}") + 1
    head = bare[begin:brace]
    while _MEMBERS_FOLLOW.search(head) and (more := _ANOTHER_BRACE.match(bare, end)):
        end = matching(bare, more.end() - 1, "{}") + 1
    outside = without_arguments(_OPERATOR.sub("operator", _without_parameters(head)))
    attributes = r"alignas\s*\([^()]*\)|__attribute__\s*\(\([^()]*(?:\([^()]*\))?[^()]*\)\)"
    is_type = _TYPE.search(outside) is not None and "(" not in re.sub(attributes, "", head)
    if not is_type and "=" not in outside:
        return SourceItem(begin, end, brace)
    stop = bare.find(";", end)
    return SourceItem(begin, stop + 1 if stop >= 0 else end, brace, is_data=True)


def _without_parameters(head: str) -> str:
    inner = None
    while inner != head:
        inner, head = head, re.sub(r"\([^()]*\)", "", head)
    return head


def without_arguments(head: str) -> str:
    """Leave out template arguments: `template <> struct Apply<Kind::ADD>` is a struct, `Pair<struct A> f` is none."""
    inner = None
    while inner != head:
        inner, head = head, re.sub(r"<[^<>{}]*>", "", head)
    return head


def without_directives(text: str) -> str:
    """Blank out directives, too, and what `#if 0` leaves out."""
    return DIRECTIVE.sub(_blanks, _LEFT_OUT.sub(_blanks, plain(text)))


def _blanks(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def matching(bare: str, at: int, pair: str) -> int:
    """Return where the bracket at `at` closes; the end of the text if it does not."""
    depth = 0
    for i in range(at, len(bare)):
        depth += (bare[i] == pair[0]) - (bare[i] == pair[1])
        if depth == 0:
            return i
    return len(bare) - 1


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
