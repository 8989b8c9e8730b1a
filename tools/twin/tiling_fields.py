"""Fields of the tiling struct that the kernel reads and no line of the host code ever sets."""

import re
from collections.abc import Iterator

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.entry import without_comments
from akgen.tools.twin.host_info import HostInfo, TilingField

_DEFINITION = re.compile(r"TILING_DATA_FIELD_DEF\w*\s*\([^)]*\)")


def unset_fields(project: KernelProject, info: HostInfo | None, key: int) -> tuple[Diagnostic, ...]:
    """Return a warning for each such field, at the kernel's first use of it.

    A field counts as set if its setter, its getter or the member itself stands anywhere in the host's text.
    """
    of_key = info.tiling_class(project.op_type, key) if info is not None else None
    if of_key is None:
        return ()
    host = _DEFINITION.sub("", "\n".join(without_comments(project.files[p]) for p in project.host_files))
    kernel = {p: without_comments(project.files[p]) for p in project.kernel_files}
    found = []
    for name in _plain_names(of_key.fields):
        if re.search(rf"\b[sg]et_{name}\b|(?:\.|->)\s*{name}\b|##", host):
            continue
        use = _first_use(name, kernel)
        if use is not None:
            found.append(
                Diagnostic(
                    code="TILING_UNSET",
                    text=f"The kernel reads {of_key.name}.{name}, and the host never sets it.",
                    file=use[0],
                    line=use[1],
                    remedy=f"Call set_{name}(...) in the tiling function, on every path.",
                    severity="warning",
                    stage="tiling",
                )
            )
    return tuple(found)


def _plain_names(fields: tuple[TilingField, ...]) -> Iterator[str]:
    """Yield the names of fields that are numbers or arrays; library structs are set by the library."""
    return (f.name for f in fields if f.fields is None)


def _first_use(name: str, kernel: dict[str, str]) -> tuple[str, int] | None:
    for path, text in kernel.items():
        match = re.search(rf"(?:\.|->)\s*{name}\b(?!\s*\()", text)
        if match is not None:
            return path, text.count("\n", 0, match.start()) + 1
    return None
