"""Kernel code between passes 3 and 4, whose copies are still data; pass 4; the names of its functions.

Pass 4 writes DataCopy where a length is whole blocks. A function is named after what its block moves or leaves behind;
blocks that do the same share one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.buffer_placement import Key, Placement, key
from akgen.tools.dsl.cpp_expr import pascal
from akgen.tools.dsl.ir import Assign, Block, Load, Op, Stage, Store, TileRef, walk
from akgen.tools.dsl.live_ranges import touched

_STAGES: dict[Stage, str] = {
    "copyin": "CopyIn",
    "compute": "Compute",
    "copyout": "CopyOut",
    "cube": "Multiply",
}
_MOST_SUBJECTS = 2  # of a name; what does more is told apart by a number


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


def function_names(
    blocks: Sequence[Block], functions: Sequence[Function], placement: Placement
) -> Mapping[Key, str]:
    """Return each block's function; `functions` are what was printed for the blocks, in their order."""
    printed = {key(b): (b.stage, f.params, f.lines) for b, f in zip(blocks, functions, strict=True)}
    first: dict[object, Block] = {}
    for b in blocks:
        first.setdefault(printed[key(b)], b)
    users = Counter(tile for b in blocks for tile in touched(b))
    wishes: dict[Key, str] = {}
    for stage, bare in _STAGES.items():
        different = [b for b in first.values() if b.stage == stage]
        for b in different:
            wishes[key(b)] = bare if len(different) == 1 else _wish(b, users, placement)
    given: dict[Key, str] = {}
    for at, wish in wishes.items():
        alike = [k for k, other in wishes.items() if other == wish]
        apart = "_" if wish[-1].isdigit() else ""  # or the first of Temp1 would be Temp11
        given[at] = wish if len(alike) == 1 else f"{wish}{apart}{alike.index(at) + 1}"
    return {key(b): given[key(first[printed[key(b)]])] for b in blocks}


def _wish(b: Block, users: Mapping[str, int], placement: Placement) -> str:
    """Return what a block's function should be called; `users` counts the blocks that use a tile."""
    if b.stage == "cube":
        return _STAGES["cube"]
    if b.stage != "compute":
        tensors = [s.tensor for s in b.body if isinstance(s, (Load, Store))]
        return _STAGES[b.stage] + _subjects(tensors)
    written = list(dict.fromkeys(s.dst for s in walk(b.body) if isinstance(s, Op)))
    stored = [o.tensor for o in placement.outs if o.block == key(b)]
    scalars = [s.name for s in walk(b.body) if isinstance(s, Assign)]
    operations = [s for s in walk(b.body) if isinstance(s, Op)]
    if stored:
        return ("Compute" if operations else "Stage") + _subjects(stored)
    left = [t for t in written if users[t] > 1]  # this block is one of them
    grown = [t for t in left if any(_accumulates(s, t) for s in operations)]
    if grown:
        return "Update" + _subjects(grown)
    if operations and not scalars and all(s.name == "fill" for s in operations):
        return "Reset" + _subjects(left)
    return ("Compute" if operations else "Read") + _subjects(scalars or left)


def _accumulates(s: Op, tile: str) -> bool:
    """Return whether an operation adds to what the tile holds."""
    others = [a for a in s.args if isinstance(a, TileRef) and a.tile != tile]
    return s.dst == tile and bool(others) and any(a.tile == tile for a in s.tiles)


def _subjects(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(n.removeprefix("g_") for n in names))
    return "".join(pascal(n) for n in different[:_MOST_SUBJECTS])
