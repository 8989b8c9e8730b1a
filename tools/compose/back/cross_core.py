"""Finish reductions across cores: partial results go through the workspace, all cores meet, each takes its share."""

from collections.abc import Sequence

from akgen.tools.compose.back.blocks import BlockCodegen
from akgen.tools.compose.back.layout import BLOCK, CORE, CORES, Layout, Level, Sink, Tensors
from akgen.tools.compose.back.operands import Location
from akgen.tools.compose.back.writer import Tile, Writer
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ONE, ZERO, Expr, Name, binary, call


class CrossCore(BlockCodegen):
    """Writes what several cores do together."""

    def __init__(
        self,
        template: SymbolicNest,
        writer: Writer,
        layout: Layout,
        levels: Sequence[Level],
        tensors: Tensors,
        share: Name,
    ) -> None:
        super().__init__(template, writer, layout, tensors)
        self.levels = levels
        self.workspaces: list[tuple[str, Expr, DType]] = []  # name, elements per core
        self.group: tuple[Expr, Expr] = (
            ZERO,
            CORES,
        )  # where partial results that belong together lie, and how many
        self.share = share  # parameter: columns that one core combines
        self.programs = Name(id=share.id.replace("column_share", "programs"))  # parameter: of so many cores
        self.shares_columns = False

    def here(self, k: int, sinks: list[Sink]) -> None:
        roots = [self.arg(s) for s in sinks]
        values = self.needs(roots)
        guard = self.levels[k].guard
        if guard is not None:
            self.w.close_stage()
            with self.w.branch(guard):
                before = self.snapshot()
                self.block(values, sinks, keep=set())
                self.forget(before)
            self.w.close_stage()
        elif self.levels[k].once:
            self.block(values, sinks, keep=self._used_later(values))
        else:
            before = self.snapshot()
            self.block(values, sinks, keep=set())
            self.forget(before)

    def _used_later(self, values: list[int]) -> set[int]:
        """Return those of the values that others than these are computed from, or that are stored."""
        stored = {s.value for s in self.t.nest.stores}
        others = [v.args for i, v in enumerate(self.t.values) if i not in values]
        return {i for i in values if i in stored or any(i in args for args in others)}

    def combine(self, totals: dict[int, Tile], rest: list[Sink] | None) -> bool:
        """Make the cores' partial results whole; serve `rest` if that is all that waits, and return whether it was.

        Single numbers are combined by every core. Of vectors, each core combines a share of the columns: the last steps
        are done on that share alone, or the whole vector is put together in the workspace for the next pass.
        """
        slots = self._published(totals)
        singles = {i: t for i, t in totals.items() if t.extent == "S"}
        columns = {i: t for i, t in totals.items() if t.extent != "S"}
        for index, tile in singles.items():
            self._single(index, tile, slots[index][0])
        if not columns:
            return False
        self._shares(columns, slots, rest)
        if rest is None:
            self.w.sync()
            self._whole(columns, slots)
            return False
        numbers = [s for s in rest if not self._of_columns(s)]
        if numbers:
            self.here(0, numbers)
        return True

    def _published(self, totals: dict[int, Tile]) -> dict[int, tuple[str, Expr]]:
        """Write each core's results to its own place and wait for all; return workspace and elements per core."""
        slots: dict[int, tuple[str, Expr]] = {}
        for index, tile in totals.items():
            width = BLOCK if tile.extent == "S" else call("align_up", self.layout.lane_count, BLOCK)
            name = self._workspace(f"{self.meaning(index)}_parts", width, self.t.values[index].dtype)
            slots[index] = (name, width)
            with self.w.stage("copyout"):
                self.w.store((name, None), CORE * width, tile)
        self.w.sync()
        return slots

    def _workspace(self, wish: str, width: Expr, dtype: DType) -> str:
        """Take a workspace of its own, also apart from those of the kernel's other nests."""
        name, number = wish, 1
        while name in self.w.tensors:
            number += 1
            name = f"{wish}{number}"
        self.workspaces.append((name, width, dtype))
        self.w.tensor(name)
        return name

    def _single(self, index: int, tile: Tile, name: str) -> None:
        parts = self.w.allocate("P", tile.dtype, loaded=True, wish="all_parts")
        with self.w.stage("copyin"):
            first, count = self.group
            self.w.load(parts, (name, None), first, (count, ONE), BLOCK)
        with self.w.stage("compute"):
            self.w.op(f"reduce_{self.t.values[index].kind}", tile, parts.ref, axis="all")
        self.w.release(parts)

    def _of_columns(self, sink: Sink) -> bool:
        return self.extent(self.t.nest.stores[sink.index].axes) == "C"

    def _shares(
        self, columns: dict[int, Tile], slots: dict[int, tuple[str, Expr]], rest: list[Sink] | None
    ) -> None:
        """Let each core combine its share of the columns, and finish or publish it."""
        share = self.w.variable(self.share)
        self.shares_columns = True
        self.w.capacities["Q"] = (self.w.variable(self.programs), share)
        low, wide = Name(id=self.w.unique("low")), Name(id=self.w.unique("wide"))
        self.w.assign(low, CORE * share)
        self.w.assign(wide, call("min", share, self.layout.lane_count - low))
        with self.w.branch(binary(">", wide, 0)):
            for index, tile in columns.items():
                name, width = slots[index]
                parts = self.w.allocate("Q", tile.dtype, loaded=True, wish="column_parts")
                with self.w.stage("copyin"):
                    self.w.load(parts, (name, None), low, (CORES, wide), width)
                with self.w.stage("compute"):
                    self.w.op(f"reduce_{self.t.values[index].kind}", tile, parts.ref, axis="first")
                self.w.release(parts)
            if rest is None:
                for index, tile in columns.items():
                    name, width = slots[index]
                    with self.w.stage("copyout"):  # behind the parts of all cores
                        self.w.store((name, None), CORES * width + low, tile)
            else:
                self._finish(columns, [s for s in rest if self._of_columns(s)], low, wide)
        self.w.close_stage()

    def _finish(self, columns: dict[int, Tile], sinks: list[Sink], low: Expr, wide: Expr) -> None:
        """Compute and store what follows from the combined columns, on this core's share of them."""
        lane = self.layout.lane
        assert lane is not None
        index, extent = self.layout.index[lane], self.layout.extents["C"]
        count = self.layout.lane_count
        self.layout.index[lane], self.layout.extents["C"], self.layout.lane_count = low, (wide,), wide
        kept = dict(self.held)
        for i, held in kept.items():
            if held.tile is not None and held.tile.extent == "C" and i not in columns:
                del self.held[i]  # it is as long as all columns: computed again for the share
        before = self.snapshot()
        self.block(self.needs([self.arg(s) for s in sinks]), sinks, keep=set())
        self.forget(before)
        self.held = kept
        self.layout.index[lane], self.layout.extents["C"], self.layout.lane_count = index, extent, count

    def _whole(self, columns: dict[int, Tile], slots: dict[int, tuple[str, Expr]]) -> None:
        """Load the vectors that all cores put together."""
        for index, tile in columns.items():
            name, width = slots[index]
            vector = self.w.allocate("C", tile.dtype, loaded=True, wish=self.meaning(index))
            with self.w.stage("copyin"):
                self.w.load(vector, (name, None), CORES * width, self.layout.extents["C"])
            self.w.release(tile)
            self.held[index] = Location(self.t.values[index].dtype, tile=vector)
