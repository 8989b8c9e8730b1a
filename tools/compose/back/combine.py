"""Combine what the cores found: partial results go through the workspace, all cores meet, each takes its share."""

from typing import TYPE_CHECKING

from akgen.tools.compose.back.layout import Sink
from akgen.tools.compose.back.operations import Held
from akgen.tools.compose.back.writer import Tile

if TYPE_CHECKING:
    from akgen.tools.compose.back.levels import Emitter


def combine(e: "Emitter", totals: dict[int, Tile], rest: list[Sink] | None) -> bool:
    """Make the cores' partial results whole; serve `rest` if that is all that waits, and return whether it was.

    Single numbers are combined by every core. Of vectors, each core combines a share of the columns: the last steps
    are done on that share alone, or the whole vector is put together in the workspace for the next pass.
    """
    slots = _published(e, totals)
    singles = {i: t for i, t in totals.items() if t.extent == "S"}
    columns = {i: t for i, t in totals.items() if t.extent != "S"}
    for index, tile in singles.items():
        _single(e, index, tile, slots[index][0])
    if not columns:
        return False
    _shares(e, columns, slots, rest)
    if rest is None:
        e.w.line("sync_all()")
        e.w.close_stage()
        _whole(e, columns, slots)
        return False
    numbers = [s for s in rest if not _of_columns(e, s)]
    if numbers:
        e.here(0, numbers)
    return True


def _published(e: "Emitter", totals: dict[int, Tile]) -> dict[int, tuple[str, str]]:
    """Write each core's results to its own place and wait for all; return workspace and elements per core."""
    slots: dict[int, tuple[str, str]] = {}
    for index, tile in totals.items():
        width = "8" if tile.extent == "S" else f"align_up({e.layout.lane_count}, 8)"
        name = _workspace(e, width)
        slots[index] = (name, width)
        with e.w.stage("copyout"):
            e.ops.op("store", name, f"program_id() * {width}", tile.name)
    e.w.line("sync_all()")
    e.w.close_stage()
    return slots


def _workspace(e: "Emitter", width: str) -> str:
    name = f"ws{len(e.workspaces)}"
    e.workspaces.append((name, width))
    return e.w.tensor(name)


def _single(e: "Emitter", index: int, tile: Tile, name: str) -> None:
    parts = e.w.allocate("P", "float32", loaded=True)
    with e.w.stage("copyin"):
        first, count = e.group
        e.ops.op("load", parts.name, name, first, f"({count}, 1)", "stride=8")
    with e.w.stage("compute"):
        e.w.line(f"reduce_{e.t.values[index].kind}({tile.name}, {parts.name}, axis=None)")
    e.w.release(parts)


def _of_columns(e: "Emitter", sink: Sink) -> bool:
    return e.extent(e.t.nest.stores[sink.index].axes) == "C"


def _shares(
    e: "Emitter", columns: dict[int, Tile], slots: dict[int, tuple[str, str]], rest: list[Sink] | None
) -> None:
    """Let each core combine its share of the columns, and finish or publish it."""
    share = e.w.scalar(e.share, "int", own=True)
    e.shares_columns = True
    e.w.capacities["Q"] = f"(64, {share})"
    low, wide = e.w.unique("low"), e.w.unique("wide")
    e.w.line(f"{low} = program_id() * {share}")
    e.w.line(f"{wide} = min({share}, {e.layout.lane_count} - {low})")
    with e.w.indented(f"if {wide} > 0:"):
        for index, tile in columns.items():
            name, width = slots[index]
            parts = e.w.allocate("Q", "float32", loaded=True)
            with e.w.stage("copyin"):
                e.ops.op("load", parts.name, name, low, f"(num_programs(), {wide})", f"stride={width}")
            with e.w.stage("compute"):
                e.w.line(f"reduce_{e.t.values[index].kind}({tile.name}, {parts.name}, axis=0)")
            e.w.release(parts)
        if rest is None:
            for index, tile in columns.items():
                name, width = slots[index]
                with e.w.stage("copyout"):  # behind the parts of all cores
                    e.ops.op("store", name, f"num_programs() * {width} + {low}", tile.name)
        else:
            _finish(e, columns, [s for s in rest if _of_columns(e, s)], low, wide)
    e.w.close_stage()


def _finish(e: "Emitter", columns: dict[int, Tile], sinks: list[Sink], low: str, wide: str) -> None:
    """Compute and store what follows from the combined columns, on this core's share of them."""
    lane = e.layout.lane
    assert lane is not None
    index, extent = e.layout.index[lane], e.layout.extents["C"]
    count = e.layout.lane_count
    e.layout.index[lane], e.layout.extents["C"], e.layout.lane_count = low, wide, wide
    kept = dict(e.held)
    for i, held in kept.items():
        if held.tile is not None and held.tile.extent == "C" and i not in columns:
            del e.held[i]  # it is as long as all columns: computed again for the share
    before = e.snapshot()
    e.block(e.needs([e.arg(s) for s in sinks]), sinks, keep=set())
    e.forget(before)
    e.held = kept
    e.layout.index[lane], e.layout.extents["C"], e.layout.lane_count = index, extent, count


def _whole(e: "Emitter", columns: dict[int, Tile], slots: dict[int, tuple[str, str]]) -> None:
    """Load the vectors that all cores put together."""
    for index, tile in columns.items():
        name, width = slots[index]
        vector = e.w.allocate("C", "float32", loaded=True)
        with e.w.stage("copyin"):
            e.ops.op("load", vector.name, name, f"num_programs() * {width}", e.layout.extents["C"])
        e.w.release(tile)
        e.held[index] = Held(e.t.values[index].dtype, tile=vector)
