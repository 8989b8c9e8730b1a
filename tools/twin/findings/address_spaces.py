"""Pointers that drop the address space: `__gm__` and `__ubuf__` are parts of a type for the device's compiler.

For every other compiler they are nothing, so that casts and initialisations without them show in the text alone: of
the kernel's arguments, and of what GetPhyAddr returns.
"""

import re
from collections.abc import Mapping

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import without_comments

_CAST = (
    r"(?:\(\s*(?P<c>(?:const\s+)?[A-Za-z_][\w:]*(?:<[\w:, ]*>)?)\s*\*\s*\)"
    r"|reinterpret_cast\s*<\s*(?P<r>(?:const\s+)?[A-Za-z_][\w:]*(?:<[\w:, ]*>)?)\s*\*\s*>\s*\()\s*"
)
_BUFFER_CAST = re.compile(r"\bSetGlobalBuffer\s*\(\s*" + _CAST)
_OPERAND_CAST = re.compile(_CAST + r"\(?\s*(?P<name>[A-Za-z_]\w*)\b(?!\s*(?:\(|->|\.|\[|::))")
_GLOBAL_NAME = re.compile(
    r"(?:\bGM_ADDR\s{1,9}|__gm__[\w\s:]{1,99}\*\s{0,9}(?:const\s{1,9})?)(?P<name>[A-Za-z_]\w*)\s{0,9}[,;)=]"
)
_DECLARED = re.compile(
    r"\b(?!return\b|new\b)[A-Za-z_]\w*(?:<[^;{}]{0,99}>)?[\s*&]{1,9}\b(?P<name>[A-Za-z_]\w*)\s{0,9}[;=,)\[{]"
)


def without_address_spaces(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each line where a pointer to memory of the device loses its address space."""
    found = (*_without_local_space(files), *_without_global_space(files))
    return tuple({(d.file, d.line): d for d in found}.values())


def _without_global_space(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each cast of an address of global memory to a pointer that does not say `__gm__`.

    Such addresses are what SetGlobalBuffer takes and what a file declares as GM_ADDR or `__gm__ T *`, under names that
    it declares as nothing else.
    """
    found: list[Diagnostic] = []
    for file, text in sorted(files.items()):
        plain = without_comments(text)
        names = _global_names(plain)
        for match in (*_BUFFER_CAST.finditer(plain), *_OPERAND_CAST.finditer(plain)):
            kind = (match["c"] or match["r"]).strip()
            given = match.groupdict().get("name")
            if (given is not None and given not in names) or _names_a_space(kind, plain):
                continue
            takes = (
                "SetGlobalBuffer takes a __gm__ pointer" if given is None else f"{given} is a __gm__ pointer"
            )
            found.append(
                Diagnostic(
                    code="ADDRESS_SPACE",
                    text=f"{takes}; {kind} * points to no memory of the device.",
                    file=file,
                    line=plain.count("\n", 0, match.start()) + 1,
                    remedy=f"Write (__gm__ {kind} *).",
                    stage="compile",
                )
            )
    return tuple({(d.file, d.line): d for d in reversed(found)}.values())[::-1]


_PHYSICAL = r"\(?\s*(?P<tensor>[A-Za-z_][\w.]*(?:\[[^\[\]]*\])?)\s*\.\s*GetPhyAddr\s*\("
_PHYSICAL_CAST = re.compile(_CAST + _PHYSICAL)
_PHYSICAL_KEPT = re.compile(
    r"[;{}(]\s*(?P<kept>(?!auto\b)(?:const\s+)?[A-Za-z_][\w:]*)\s*\*\s*(?:const\s+)?\w+\s*[=({]\s*"
    + _PHYSICAL
)


def _without_local_space(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each pointer without an address space that is made of what GetPhyAddr returns."""
    found: dict[tuple[str, int], Diagnostic] = {}
    for file, text in sorted(files.items()):
        plain = without_comments(text)
        for match in (*_PHYSICAL_CAST.finditer(plain), *_PHYSICAL_KEPT.finditer(plain)):
            groups = match.groupdict()
            kind = (groups.get("kept") or groups.get("c") or groups.get("r") or "").strip()
            if _names_a_space(kind, plain):
                continue
            line = plain.count("\n", 0, match.start("tensor")) + 1
            global_memory = re.search(rf"\bGlobalTensor\s*<[^;{{}}]*\b{match['tensor']}\b", plain) is not None
            space = "__gm__" if global_memory else "__ubuf__"
            found[file, line] = Diagnostic(
                code="ADDRESS_SPACE",
                text=f"{match['tensor']}.GetPhyAddr() is a {space} pointer; "
                f"{kind} * points to no memory of the device.",
                file=file,
                line=line,
                remedy=f"Write {space} {kind} * for the cast and the variable.",
                stage="compile",
            )
    return tuple(d for _, d in sorted(found.items()))


def _names_a_space(kind: str, plain: str) -> bool:
    """Say whether a type is an alias that a text declares with an address space."""
    name = re.escape(kind.split()[-1])
    return re.search(rf"\b{name}\s*=\s*__\w+__|\btypedef\s+__\w+__[^;]*\b{name}\s*;", plain) is not None


def _global_names(plain: str) -> frozenset[str]:
    """Return the names that a text declares as addresses of global memory, and as nothing else."""
    names = {match["name"] for match in _GLOBAL_NAME.finditer(plain)}
    others = {match["name"] for match in _DECLARED.finditer(_GLOBAL_NAME.sub(";", plain))}
    return frozenset(names - others)
