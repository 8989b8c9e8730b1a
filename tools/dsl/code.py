"""Kernel code between passes 3 and 4, whose copies are still data; pass 4: DataCopy where a length is whole blocks."""

from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.ir import Stage


class CopyCall(Frozen):
    """A transfer of a tile. Texts are C++; `blocks` says that the length is known to be whole blocks of 32 bytes."""

    direction: Literal["in", "out"]
    local: str
    remote: str  # the global tensor
    at: str  # its offset
    extent: tuple[str, ...]
    pitch: str | None  # elements between rows in global memory
    stride: str | None  # elements between rows in the tile
    blocks: bool
    inside: tuple[str, str, str, str] | None = None  # of a guarded load: rows from, to, columns from, to
    fill: str | None = None
    index: str | None = None  # the tile that says where rows or elements lie
    add: str | None = None  # of an adding store: the element type


class Line(Frozen):
    depth: int
    content: str | CopyCall


class Function(Frozen):
    """`stage` is that of the block that it does; None: Process, or a phase's beginning."""

    name: str
    params: tuple[str, ...]
    lines: tuple[Line, ...]
    stage: Stage | None = None


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
    stage: Stage | None = None


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
        functions.append(AlignedFunction(name=f.name, params=f.params, lines=tuple(lines), stage=f.stage))
    return AlignedCode(
        class_name=code.class_name, functions=tuple(functions), library=tuple(sorted(library)), syncs=code.syncs
    )  # fmt: skip


def _copy(c: CopyCall, library: set[str]) -> str:
    if c.inside is not None or c.index is not None:
        return _guarded_or_indexed(c, library)
    remote = f"{c.remote}[{c.at}]"
    ends = (c.local, remote) if c.direction == "in" else (remote, c.local)
    if c.blocks and c.add is None:
        return f"DataCopy({ends[0]}, {ends[1]}, static_cast<uint32_t>({c.extent[0]}));"
    name = "TileLoad" if c.direction == "in" else "TileStore"
    if len(c.extent) == 1:
        library.add(name)
        return _added(c, f"{name}({ends[0]}, {ends[1]}, {c.extent[0]});")
    library.add(f"{name}Rows")
    said = (*ends, *c.extent, c.pitch, c.stride)
    return _added(c, f"{name}Rows({', '.join(map(str, said))});")


def _added(c: CopyCall, call: str) -> str:
    """Return a copy, between the calls that make it add to what is there if it is to."""
    return call if c.add is None else f"SetAtomicAdd<{c.add}>(); {call} SetAtomicNone();"


def _guarded_or_indexed(c: CopyCall, library: set[str]) -> str:
    rows = c.extent if len(c.extent) == 2 else ("1", *c.extent)
    if c.inside is not None:
        library.add("TileLoadGuarded")
        library.add("TileInt")
        pitch, stride = (c.pitch, c.stride) if c.pitch is not None else ("0", f"TileAlignUp({rows[1]}, 32)")
        said = (c.local, c.remote, c.at, *rows, pitch, stride, *c.inside, c.fill)
        return f"TileLoadGuarded({', '.join(map(str, said))});"
    if c.direction == "out":
        library.add("TileStoreIndexed")
        said = (c.remote, c.at, c.local, c.index, *rows, c.pitch, c.stride)
        call = f"TileStoreIndexed({', '.join(map(str, said))});"
        return _added(c, call)
    name = "TileLoadIndexed" if len(c.extent) == 2 else "TileLoadElements"
    library.add(name)
    said = (c.local, c.remote, c.at, c.index, *c.extent, c.pitch, *(() if c.stride is None else (c.stride,)))
    return f"{name}({', '.join(map(str, said))});"
