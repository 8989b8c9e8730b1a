"""Where C++ text uses a name that it does not declare: calls it, takes its address, or hands it on; macros expanded.

The text has no comments and literals any more. A member, a name of another namespace, a type, a parameter, a variable
and a function with a body are the project's own, whatever they are called. Not covered: overloads and scopes; a name
that is declared anywhere in the file is its own everywhere, except behind a leading `::`.

A forbidden word may hide behind another name, so macros are expanded as far as a first look needs it: those that paste
names together by their file's own definitions, those without parameters with the bodies of all files of the project,
since a header may define what a source uses; where a name has several bodies, each is tried. Not covered: which
definition holds at a place, and what `#if` leaves out.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple

_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\(([^()\n]*)\))?[ \t]*(.*)$", re.MULTILINE)
_KEYWORDS = frozenset(
    {
        "return", "case", "else", "do", "goto", "throw", "co_return", "co_yield", "co_await", "using", "new", "delete",
        "and", "or", "not", "typename", "if", "while", "for", "switch", "sizeof", "alignof", "typeid", "constexpr",
    }
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"\s*\(")
_DIRECTIVE = re.compile(r"[ \t]*#")
_DEFINED = re.compile(r"[ \t]*#[ \t]*define[ \t]+(?:\w+\([^()]*)?\Z")  # a macro's name, or its parameter
_MACRO_BODY = re.compile(r"[ \t]*#[ \t]*define[ \t]+\w+(?:\([^()]*\))?[ \t]+")
_DECLARES = re.compile(r"\b(?:struct|class|enum|union|namespace|concept|goto)\s*\Z")
_USING = re.compile(r"\busing\s*\Z")
_DECLARATOR = re.compile(
    r"(?:\A|[;{}(,<>:\]])\s*((?:[A-Za-z_][\w:]*(?:<[^<>;{}]{0,80}>)?(?:\s+|(?=[*&])))+)(?:\*+|&)?\s*\Z"
)
_ENUMERATOR = re.compile(r"\benum\b[^{};]*\{[^{};]*[{,]\s*\Z|\benum\b[^{};]*\{\s*\Z")
_BODY = re.compile(r"\s*(?:const\b|noexcept\b|override\b|final\b|->[\w\s:<>*&]{1,80}|\s)*[{:]")
_BEFORE = re.compile(r"([A-Za-z_]\w*|::|->|\.|[^\sA-Za-z_])\s*\Z")
_QUALIFIER = re.compile(r"([A-Za-z_]\w*|>)\s*::\s*\Z")
_NEAR = 200  # characters on either side that are looked at
_LINE = 2000  # characters of a line that may be a directive
_MOST_FOUND = 5_000  # of one rule's names in a file; what is more is not looked at
_MOST_EXPANDED = 1000  # invocations of macros
_DEPTH = 4
_PLAIN_DEFINE = re.compile(
    r"^[ \t]*(?:#|%:)[ \t]*define[ \t]+([A-Za-z_]\w*)(?!\w|\()[ \t]*(.*)$", re.MULTILINE
)
_WHOLE_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:)[^\n]*", re.MULTILINE)
_WHOLE_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_MACROS_DEEP = 8  # macros inside macros
_MOST_BODIES = 4  # of one name
_ROOM = 100_000  # characters that a text may grow by, beside its own length


class Use(NamedTuple):
    """A name, from its first character to behind its last; with the parenthesis where it is called."""

    start: int
    end: int
    called_end: int


def uses(bare: str, name: re.Pattern[str]) -> Iterator[Use]:
    """Find the uses of what `name` matches, in the order of the text."""
    found = list(islice(name.finditer(bare), _MOST_FOUND))
    own: dict[str, set[str]] = {"callable": set(), "value": set()}
    for match in found:
        if kind := _declared(bare, match):
            own[kind].add(match.group())
    for match in found:
        call = _CALL.match(bare, match.end())
        mine = match.group() in own["callable"] or (call is None and match.group() in own["value"])
        if _used(bare, match, mine):
            yield Use(match.start(), match.end(), call.end() if call else match.end())


def _declared(bare: str, m: re.Match[str]) -> Literal["callable", "value"] | None:
    """Say whether the project gives this name a meaning of its own here: one that can be called, or another."""
    before, after = bare[max(0, m.start() - _NEAR) : m.start()], bare[m.end() : m.end() + _NEAR].lstrip()
    line = _line_before(bare, m.start())
    if _DIRECTIVE.match(line):
        return "callable" if _DEFINED.match(line) else None
    if _DECLARES.search(before) or (_USING.search(before) and after.startswith("=")):
        return "callable"
    declares = _DECLARATOR.search(before)
    if declares is None or _KEYWORDS.intersection(_WORD.findall(declares.group(1))):
        return "value" if _ENUMERATOR.search(before) else None
    if after.startswith("("):
        return "callable" if _has_body(bare, m.end()) else None
    if after[:1] not in ("=", ";", ",", ")", "[", "{", ":") or after.startswith("::"):
        return None
    return "callable" if re.match(r"=\s*\[", after) else "value"


def _line_before(text: str, at: int) -> str:
    """Return the line up to `at`; nothing of one so long that it is no directive."""
    start = text.rfind("\n", max(0, at - _LINE), at) + 1
    return text[start:at] if start > 0 or at <= _LINE else ""


def _has_body(bare: str, at: int) -> bool:
    """Say whether a body stands behind the parameters that open at or behind `at`."""
    _, end = _arguments(bare, bare.index("(", at) + 1)
    return _BODY.match(bare[end : end + _NEAR]) is not None


def _used(bare: str, m: re.Match[str], mine: bool) -> bool:
    before, after = bare[max(0, m.start() - _NEAR) : m.start()], bare[m.end() : m.end() + _NEAR].lstrip()
    line = _line_before(bare, m.start())
    if _DIRECTIVE.match(line):  # another name for it, and not a question or a message
        return not mine and _DEFINED.match(line) is None and _MACRO_BODY.match(line) is not None
    left = _BEFORE.search(before)
    token = left.group(1) if left else ""
    if token in (".", "->"):
        return False
    if token == "::":
        qualifier = _QUALIFIER.search(before)
        if qualifier and qualifier.group(1) not in (*_KEYWORDS, "std"):
            return False
        return not after.startswith("::")
    if mine or after.startswith("::") or after[:1].isalpha() or after[:1] == "_":
        return False  # a type, or a namespace
    # A word before it: declared without a body, which calls nothing.
    return not (token[:1].isalpha() or token[:1] == "_") or token in _KEYWORDS


def pasted(bare: str) -> Iterator[tuple[int, str]]:
    """Expand the macros that paste names together; with the offset where each is invoked."""
    text = bare.replace("%:%:", "##")
    if "##" not in text:
        return
    macros = {
        m.group(1): (m.group(2) is not None, m.group(3) or "", m.group(4)) for m in _DEFINE.finditer(text)
    }
    plain = {
        name: body
        for name, (takes, _, body) in macros.items()
        if not takes and re.fullmatch(r"\w+", body.strip())
    }
    left = [_MOST_EXPANDED]
    for m in re.finditer(r"\b(\w+)\s*\(", text):
        name = m.group(1)
        if left[0] <= 0:
            return
        line = _line_before(text, m.start())
        if name in macros and macros[name][0] and not re.match(r"[ \t]*#", line):
            yield m.start(), _expanded(text, m.start(), macros, plain, left, _DEPTH)


def _expanded(
    text: str,
    at: int,
    macros: dict[str, tuple[bool, str, str]],
    plain: dict[str, str],
    left: list[int],
    depth: int,
) -> str:
    left[0] -= 1
    if left[0] < 0 or depth == 0:
        return ""
    head = re.compile(r"(\w+)\s*\(").match(text, at)
    assert head is not None
    given, end = _arguments(text, head.end())
    _, names, body = macros[head.group(1)]
    made = body
    for name, value in zip((n.strip() for n in names.split(",")), given, strict=False):
        if name.isidentifier():
            fresh = (
                value.strip()
                if re.search(rf"##\s*{name}\b|\b{name}\s*##", body)
                else plain.get(value.strip(), value.strip())
            )
            made = re.sub(rf"\b{name}\b", fresh.replace("\\", r"\\"), made)
    made = re.sub(r"\s*##\s*", "", made)[:10_000]
    rest = text[end : end + 40]
    inner = [
        _expanded(made, m.start(), macros, plain, left, depth - 1)
        for m in re.finditer(r"\b(\w+)\s*\(", made)
        if m.group(1) in macros and macros[m.group(1)][0]
    ]
    return "\n".join([f"; {made}{rest}", *(f"{i}{rest}" for i in inner)])


def _arguments(text: str, at: int) -> tuple[list[str], int]:
    """Return the arguments between here and the closing parenthesis, and the offset behind it."""
    depth, start, given = 1, at, []
    for i in range(at, min(len(text), at + 2000)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0 or (depth == 1 and text[i] == ","):
            given.append(text[start:i])
            start = i + 1
        if depth == 0:
            return given, i + 1
    return given, at


Macros = dict[str, tuple[str, ...]]


def plain_macros(texts: Iterable[str]) -> Macros:
    """Return the bodies of the macros without parameters in texts without comments."""
    found: dict[str, dict[str, None]] = {}
    for text in texts:
        for name, body in _PLAIN_DEFINE.findall(text):
            if body.strip() != name:
                found.setdefault(name, {})[body.strip()] = None
    return {name: tuple(bodies)[:_MOST_BODIES] for name, bodies in found.items()}


def expanded(bare: str, macros: Macros) -> Iterator[str]:
    """Yield the text with its macros expanded, one time for each body of a name; lines stay where they are."""
    text = _WHOLE_DIRECTIVE.sub("", bare)
    if not any(word in macros for word in set(_WHOLE_WORD.findall(text))):
        return
    for number in range(max(map(len, macros.values()))):
        bodies = {name: found[min(number, len(found) - 1)] for name, found in macros.items()}
        yield _replaced(text, bodies)


def _replaced(text: str, bodies: dict[str, str]) -> str:
    most = 2 * len(text) + _ROOM
    for _ in range(_MACROS_DEEP):
        grows = sum(len(bodies.get(word, "")) for word in _WHOLE_WORD.findall(text))
        if grows > most:
            break
        made = _WHOLE_WORD.sub(lambda word: bodies.get(word.group(), word.group()), text)
        if made == text:
            break
        text = made
    return text
