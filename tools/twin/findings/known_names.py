"""Where names are: the namespace and the header of each name of the twin's headers, and the file of a project's own."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import without_comments
from akgen.tools.twin.findings.code import Code
from akgen.tools.twin.findings.header_classes import block, without_detail
from akgen.tools.twin.precompiled import DEVICE_INCLUDE, HOST_INCLUDE, forwarding_headers

_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*$", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)
_NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s*([\w:]*)\s*$")
_TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:AKGEN_\w+\s+)?(\w+)")
_FUNCTION = re.compile(r"(?<![\w:~])([A-Za-z_]\w*)\s*\(")
_ALIAS = re.compile(r"\busing\s+(\w+)\s*=|\btypedef\b.*?(\w+)\s*$", re.DOTALL)
_CONSTANT = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$", re.DOTALL)
_STRUCT_MACRO = re.compile(r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)")
# What op_host files include; each brings the headers that define most names.
_OFFERED = (
    "register/op_def_registry.h",
    "register/tilingdata_base.h",
    "tiling/platform/platform_ascendc.h",
    "tiling/tiling_api.h",
)


class Place(Frozen):
    """A name's namespace (empty: the global one) and the file that declares it."""

    scope: str
    file: str


@cache
def header_places(side: str) -> dict[str, tuple[Place, ...]]:
    """Return where each name of a side's public headers is."""
    found: dict[str, dict[Place, None]] = {}
    root = HOST_INCLUDE if side == "host" else DEVICE_INCLUDE
    for path in sorted(root.rglob("*.h")):
        file = path.relative_to(root).as_posix()
        if not file.startswith("akgen/"):
            text = without_detail(without_comments(path.read_text(errors="replace")))
            for name, scope in names_in(text):
                if not name.startswith("AKGEN"):
                    found.setdefault(name, {})[Place(scope=scope, file=file)] = None
    return {name: tuple(places) for name, places in found.items()}


def own_places(name: str, code: Code) -> tuple[Place, ...]:
    """Return where a unit's own files declare a name outside of classes and functions."""
    return tuple(
        Place(scope=scope, file=file)
        for file, text in code.files.items()
        for found, scope in names_in(without_comments(text))
        if found == name
    )


def names_of_scope(scope: str, side: str) -> frozenset[str]:
    return frozenset(
        n
        for n, places in header_places(side).items()
        if any(p.scope.split("::")[-1] == scope for p in places)
    )


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a text without comments declares at namespace scope, with its namespace."""
    for macro in _MACRO.findall(text):
        yield macro, ""
    yield from _declared(_DIRECTIVE.sub("", text), "")


def _declared(text: str, scope: str) -> Iterator[tuple[str, str]]:
    at = start = 0
    while at < len(text):
        letter = text[at]
        if letter == ";":
            yield from ((n, scope) for n in _of_statement(text[start:at]))
            start = at + 1
        elif letter == "{":
            inner = block(text, at)
            head = text[start:at]
            space = _NAMESPACE.match(head.strip())
            if space is not None or head.strip() == 'extern "C"':
                name = space[1] if space is not None else ""
                yield from _declared(inner, "::".join(filter(None, (scope, name))))
            else:
                yield from ((n, scope) for n in _of_head(head, inner))
            at += len(inner) + 1
            start = at + 1
        at += 1


def _of_head(head: str, inner: str) -> Iterator[str]:
    yield from _STRUCT_MACRO.findall(head)
    kind = _TYPE.search(_without_template(head))
    if kind is not None and "(" not in _without_template(head)[: kind.start()]:
        yield kind[1]
        if re.search(r"\benum\s+(?!class)", head):
            yield from re.findall(r"(?:^|,)\s*(\w+)", inner)
        return
    yield from _of_statement(head)


def _of_statement(text: str) -> Iterator[str]:
    text = _without_template(text).strip()
    yield from _STRUCT_MACRO.findall(text)
    if re.match(r"(?:using\s+namespace|friend|return|static_assert)\b", text):
        return
    alias = _ALIAS.search(text)
    if alias is not None:
        yield alias[1] or alias[2]
        return
    function = _FUNCTION.search(
        re.sub(r"\b(?:AKGEN_\w+|__attribute__|alignas|decltype)\s*\([^()]*\)", "", text)
    )
    if function is not None and function.start() > 0 and not function[1].isupper():
        yield function[1]
    elif function is None and (constant := _CONSTANT.search(text)) and " " in text:
        yield constant[1]


def _without_template(text: str) -> str:
    found = re.match(r"\s*template\s*<", text)
    return text[found.end() + len(block(text, found.end() - 1, "<>")) + 1 :] if found else text


def header_for(place: Place) -> str:
    """Return the header that op_host files include for a name."""
    if place.file in _OFFERED:
        return place.file
    return next((h for h in _OFFERED if place.file in brought_by(h)), place.file)


@cache
def brought_by(header: str) -> frozenset[str]:
    """Return a host header and all that it includes."""
    forwarded = {h.path: h.brings for h in forwarding_headers() if h.folder == HOST_INCLUDE.name}
    found: set[str] = set()
    wanted = [header]
    while wanted:
        path = wanted.pop()
        if path in found:
            continue
        found.add(path)
        file = HOST_INCLUDE / path
        wanted += forwarded.get(path) or (_INCLUDE.findall(file.read_text()) if file.is_file() else ())
    return frozenset(found)


def included(code: Code, file: str | None) -> frozenset[str]:
    """Return the headers that one file of a unit brings, those of the project by their names."""
    by_name = {Path(f).name: f for f in code.files}
    found: set[str] = set()
    wanted = [file or ""]
    while wanted:
        path = wanted.pop()
        for name in _INCLUDE.findall(without_comments(code.files.get(path, ""))):
            own = by_name.get(Path(name).name)
            if own is not None and own not in found:
                found.add(own)
                wanted.append(own)
            found |= brought_by(name)
    return frozenset(found)


@cache
def headers(side: str) -> frozenset[str]:
    """Return every header that code of a side may include."""
    root = HOST_INCLUDE if side == "host" else DEVICE_INCLUDE
    files = {p.relative_to(root).as_posix() for p in root.rglob("*.h")}
    files |= {h.path for h in forwarding_headers() if h.folder == root.name and h.brings}
    return frozenset(f for f in files if not f.startswith(("akgen/", "ascendc/")))
