"""Names of a kernel class's functions: what a block moves or leaves behind; blocks that do the same share one."""

from collections import Counter
from collections.abc import Mapping, Sequence

from akgen.tools.dsl.buffer_placement import Key, Placement, key
from akgen.tools.dsl.code import Function
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
