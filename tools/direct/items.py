"""Read the declarations and definitions of a C++ text, by its brackets: types, values, functions with their bodies."""

import re
from collections.abc import Iterator
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
