"""Pointers without `__gm__` where an address of global memory is asked for, which the vendor's compiler refuses.

Other compilers have one address space. Covered is what is written most often: a cast in SetGlobalBuffer's first
argument, to a type that is not named after `__gm__` anywhere.
"""

import re
from collections.abc import Mapping

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.entry import without_comments

_CAST = re.compile(
    r"\bSetGlobalBuffer\s*\(\s*(?:\(\s*(?P<c>[\w:<>\s]+?)\s*\*\s*\)|reinterpret_cast\s*<\s*(?P<r>[\w:<>\s]+?)\s*\*\s*>)"
)


def without_global_space(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each cast in SetGlobalBuffer to a pointer that does not say `__gm__`."""
    found = []
    for file, text in sorted(files.items()):
        plain = without_comments(text)
        for match in _CAST.finditer(plain):
            kind = (match["c"] or match["r"]).strip()
            name = re.escape(kind.split()[-1])
            if "__gm__" in kind or re.search(
                rf"\b{name}\s*=\s*__gm__|\btypedef\s+__gm__[^;]*\b{name}\s*;", plain
            ):
                continue
            found.append(
                Diagnostic(
                    code="ADDRESS_SPACE",
                    text=f"SetGlobalBuffer takes a __gm__ pointer; {kind} * points to no memory of the device.",
                    file=file,
                    line=plain.count("\n", 0, match.start()) + 1,
                    remedy=f"Write (__gm__ {kind} *).",
                    stage="compile",
                )
            )
    return tuple(found)
