"""Kernel code between passes 3 and 4, whose copies are still data; pass 4: DataCopy where a length is whole blocks."""

from typing import Literal

from akgen.tools.core.frozen import Frozen


class CopyCall(Frozen):
    """A transfer of a tile. Texts are C++; `blocks` says that the length is known to be whole blocks of 32 bytes."""

    direction: Literal["in", "out"]
    local: str
    remote: str  # the global tensor at its offset
    extent: tuple[str, ...]
    pitch: str | None  # elements between rows in global memory
    stride: str | None  # elements between rows in the tile
    blocks: bool


class Line(Frozen):
    depth: int
    content: str | CopyCall


class Function(Frozen):
    name: str
    params: tuple[str, ...]
    lines: tuple[Line, ...]


class KernelCode(Frozen):
    """What a kernel class does: Process first, then its blocks."""

    class_name: str
    functions: tuple[Function, ...]
    library: tuple[str, ...]  # sections of the device library
    syncs: bool  # all cores wait for each other


class Lines:
    """Lines under construction."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.depth = 0

    def add(self, content: str | CopyCall) -> None:
        self.lines.append(Line(depth=self.depth, content=content))

    def open(self, head: str) -> None:
        self.add(head + " {")
        self.depth += 1

    def close(self, tail: str = "}") -> None:
        self.depth -= 1
        self.add(tail)


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
