"""Pass 4, alignment: copies become DataCopy where the length is whole blocks of 32 bytes, else DataCopyPad."""

from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.code import CopyCall, KernelCode


class AlignedFunction(Frozen):
    name: str
    params: tuple[str, ...]
    lines: tuple[str, ...]  # indented


class AlignedCode(Frozen):
    class_name: str
    functions: tuple[AlignedFunction, ...]
    library: tuple[str, ...]
    syncs: bool


def align(code: KernelCode) -> AlignedCode:
    """Return the code with every copy printed."""
    library = set(code.library)
    functions = []
    for f in code.functions:
        lines = []
        for line in f.lines:
            text = line.content if isinstance(line.content, str) else _copy(line.content, library)
            lines.append("    " * line.depth + text)
        functions.append(AlignedFunction(name=f.name, params=f.params, lines=tuple(lines)))
    return AlignedCode(
        class_name=code.class_name, functions=tuple(functions), library=tuple(sorted(library)), syncs=code.syncs
    )  # fmt: skip


def _copy(c: CopyCall, library: set[str]) -> str:
    ends = (c.local, c.remote) if c.direction == "in" else (c.remote, c.local)
    if c.blocks:
        return f"DataCopy({ends[0]}, {ends[1]}, static_cast<uint32_t>({c.extent[0]}));"
    name = "TileLoad" if c.direction == "in" else "TileStore"
    if len(c.extent) == 1:
        library.add(name)
        return f"{name}({ends[0]}, {ends[1]}, {c.extent[0]});"
    library.add(f"{name}Rows")
    return f"{name}Rows({ends[0]}, {ends[1]}, {c.extent[0]}, {c.extent[1]}, {c.pitch}, {c.stride});"
