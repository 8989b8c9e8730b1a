"""Schedules that keep rows together: whole rows in UB, or rows and column tiles where nothing is reduced."""

from collections.abc import Iterator
from contextlib import contextmanager

from akgen.tools.compose.back.layout import Layout, Level
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.schedules.base import Kind, Schedule, product
from akgen.tools.compose.back.writer import Extent
from akgen.tools.compose.scope import Unsupported


class Rows(Schedule):
    """Whole rows in UB, several per tile; rows cut over the cores."""

    kind: Kind = "rows"

    def prepare(self) -> None:
        self.lane, self.row = len(self.t.sizes) - 1, len(self.t.sizes) - 2
        self.outer = list(range(self.row))
        self.rows = " * ".join(self.t.sizes[: self.lane])
        self.share(self.rows, self.rows)
        self.tile_of("row_tile", self.tuning.rows(self.name("per_core")), self.t.sizes[self.row], rows=True)
        self.part.fixed = [self.t.sizes[self.lane]]
        self.part.fits = f"{self.name('row_tile')} >= 1"

    def check(self, emitter: LoopCodegen) -> None:
        if any(level > 0 for level in emitter.owner.values()):
            raise Unsupported(
                "reduction", "a reduction over rows inside an outer axis is not covered by rows"
            )

    def capacities(self) -> dict[Extent, str]:
        tile, lane = self.param("row_tile"), self.size(self.lane)
        return {**self.small(), "F": f"({tile}, {lane})", "R": tile, "C": lane, "K": f"({tile}, 1)"}

    def layout(self) -> Layout:
        n, lane = self.name("n"), self.size(self.lane)
        index = {self.row: self.name("r"), self.lane: "0", **self.outer_index()}
        extents: dict[Extent, str] = {"F": f"({n}, {lane})", "R": n, "C": lane, "S": "1"}
        return Layout(
            row=self.row, lane=self.lane, index=index, extents=extents, row_count=n, lane_count=lane
        )

    def outer_index(self) -> dict[int, str]:
        """Return the index of each outer axis, all of which are counted by one loop variable."""
        o, index = self.name("o"), {}
        for k, axis in enumerate(self.outer):
            inner = [self.size(a) for a in self.outer[k + 1 :]]
            text = o if not inner else f"{o} // {product(inner)}"
            index[axis] = text if k == 0 else f"{text} % {self.size(axis)}"
        return index

    def levels(self) -> list[Level]:
        total = " * ".join(self.size(a) for a in range(self.lane))
        self.bounds(total)
        return [self.root(), *self.row_levels()]

    def row_levels(self) -> list[Level]:
        first, last, tile = self.name("first"), self.name("last"), self.param("row_tile")
        n, r, o, rows = self.name("n"), self.name("r"), self.name("o"), self.size(self.row)
        low, high = (first, last) if not self.outer else (self.name("low"), self.name("high"))

        @contextmanager
        def opened() -> Iterator[None]:
            with self.loop(f"for {r} in range({low}, {high}, {tile}):", f"{n} = min({tile}, {high} - {r})"):
                yield

        inner = Level(frozenset({self.row}), opened)
        if not self.outer:
            return [inner]

        @contextmanager
        def outside() -> Iterator[None]:
            with self.loop(
                f"for {o} in range({first} // {rows}, ceil_div({last}, {rows})):",
                f"{low} = max({first} - {o} * {rows}, 0)",
                f"{high} = min({last} - {o} * {rows}, {rows})",
            ):
                yield

        return [Level(frozenset(self.outer), outside, guard=f"{low} == 0"), inner]


class Tiles(Rows):
    """Rows too long for UB, no reductions: columns are cut as well."""

    kind: Kind = "tiles"

    def prepare(self) -> None:
        super().prepare()
        lane_tile = self.name("lane_tile")
        self.part.fixed = [lane_tile]
        self.part.host.insert(0, f"{lane_tile} = min(2048, align_up({self.t.sizes[self.lane]}, 64))")
        self.part.fits = None

    def capacities(self) -> dict[Extent, str]:
        tile, lane = self.param("row_tile"), self.param("lane_tile")
        return {**self.small(), "F": f"({tile}, {lane})", "R": tile, "C": lane, "K": f"({tile}, 1)"}

    def layout(self) -> Layout:
        base = super().layout()
        m = self.name("m")
        base.index[self.lane] = self.name("j")
        base.extents.update({"F": f"({self.name('n')}, {m})", "C": m})
        base.lane_count = m
        return base

    def levels(self) -> list[Level]:
        total = " * ".join(self.size(a) for a in range(self.lane))
        self.bounds(total)
        m, j, lane, tile = self.name("m"), self.name("j"), self.size(self.lane), self.param("lane_tile")

        @contextmanager
        def columns() -> Iterator[None]:
            with self.loop(f"for {j} in range(0, {lane}, {tile}):", f"{m} = min({tile}, {lane} - {j})"):
                yield

        level = Level(frozenset({self.lane}), columns, guard="program_id() == 0")
        return [self.root(), level, *self.row_levels()]
