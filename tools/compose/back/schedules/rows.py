"""Schedules that keep rows together: whole rows in UB, or rows and column tiles where nothing is reduced."""

from collections.abc import Iterator
from contextlib import contextmanager

from akgen.tools.compose.back.layout import CORE, FIRST_CORE, Layout, Level
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.schedules.base import Kind, Schedule
from akgen.tools.compose.back.writer import Extent, Shape
from akgen.tools.compose.scope import Unsupported
from akgen.tools.dsl.expr import ONE, ZERO, Expr, Name, binary, call, joined, product
from akgen.tools.dsl.ir import Assign, If

LANES_OF_A_CORE = 512  # columns that are worth a core
BUFFERED = 4  # tiles that go through the pipeline in the time of one alone
TURNED_ROWS = 16  # rows that an instruction turns
TURNED_LANES = 128  # columns of a tile that is turned: as many rows are contiguous on the other side


class Rows(Schedule):
    """Whole rows in UB, several per tile; rows cut over the cores."""

    kind: Kind = "rows"

    def prepare(self) -> None:
        self.lane, turned = len(self.t.sizes) - 1, self.t.turned()
        self.row = self.lane - 1 if turned is None else turned
        self.outer = [a for a in range(self.lane) if a != self.row]
        rows = product(self.t.sizes[: self.lane])
        self.share(rows, rows)
        if turned is not None:  # whole blocks of sixteen rows are turned at once
            each, per_core = call("ceil_div", rows, Name(id="cores")), self.name("per_core")
            step = call("max", 1, call("min", TURNED_ROWS, each // TURNED_ROWS * TURNED_ROWS))
            self.part.host = [Assign(name=per_core.id, value=call("align_up", each, step))]
        width = self.t.sizes[self.lane] if turned is None else None
        share = self.tuning.rows(self.name("per_core"), width, work=self.work())
        self.tile_of("row_tile", share, self.t.sizes[self.row], rows=True)
        self.part.fixed = [self.t.sizes[self.lane]]
        self.part.fits = binary(">=", self.name("row_tile"), 1)
        if not self.t.nest.overs() and turned is None and not self.suffix:
            # else cores would idle that may take columns
            busy = binary(">", rows * 2, self.tuning.cores())
            short = binary("<", self.t.sizes[self.lane], 2 * LANES_OF_A_CORE)
            enough = binary(">=", rows, self.tuning.cores())
            narrow = binary("<", self.t.sizes[self.lane] // LANES_OF_A_CORE, self.tuning.cores())
            parts = [self.part.fits, binary("or", busy, short), binary("or", enough, narrow)]
            self.part.fits = joined("and", parts, ONE)

    def rounds(self) -> Expr:
        tiles = product(self.t.sizes[a] for a in self.outer)
        return call("ceil_div", tiles, BUFFERED) if self.outer else ZERO

    def check(self, emitter: LoopCodegen) -> None:
        if any(level > 0 for level in emitter.owner.values()):
            raise Unsupported(
                "reduction", "a reduction over rows inside an outer axis is not covered by rows"
            )

    def capacities(self) -> dict[Extent, Shape]:
        return self.two_axes(self.param("row_tile"), self.size(self.lane))

    def layout(self) -> Layout:
        n, lane = self.name("n"), self.size(self.lane)
        index = {self.row: self.name("r"), self.lane: ZERO, **self.counted(self.name("o"), self.outer)}
        extents: dict[Extent, Shape] = {"F": (n, lane), "R": (n,), "C": (lane,), "S": (ONE,)}
        return Layout(
            row=self.row, lane=self.lane, index=index, extents=extents, row_count=n, lane_count=lane
        )

    def levels(self) -> list[Level]:
        self.bounds(product([self.size(a) for a in range(self.lane)]))
        return [self.root(), *self.row_levels()]

    def row_levels(self) -> list[Level]:
        first, last, tile = self.name("first"), self.name("last"), self.param("row_tile")
        n, r, o, rows = self.name("n"), self.name("r"), self.name("o"), self.size(self.row)
        low, high = (first, last) if not self.outer else (self.name("low"), self.name("high"))

        inner = Level(frozenset({self.row}), lambda: self.tiles(r, n, low, high, tile))
        if not self.outer:
            return [inner]

        @contextmanager
        def outside() -> Iterator[None]:
            with self.w.loop(o, first // rows, call("ceil_div", last, rows)):
                self.w.assign(low, call("max", first - o * rows, 0))
                self.w.assign(high, call("min", last - o * rows, rows))
                yield

        return [Level(frozenset(self.outer), outside, guard=binary("==", low, 0)), inner]


class Tiles(Rows):
    """Rows too long for UB, or fewer than cores, no reductions: columns are cut as well, over the cores, too."""

    kind: Kind = "tiles"

    def prepare(self) -> None:
        super().prepare()
        lane_tile = self.name("lane_tile")
        self.part.fixed = [lane_tile]
        whole = call("align_up", self.t.sizes[self.lane], 64)
        most = 2048 if self.t.turned() is None else TURNED_LANES
        self.part.host.insert(0, Assign(name=lane_tile.id, value=call("min", most, whole)))
        self.part.fits = None
        if self.t.turned() is not None:
            return
        self.part.columns = lane_tile
        # cores that share rows take columns beside each other
        rows, lane = product(self.t.sizes[: self.lane]), self.t.sizes[self.lane]
        parts, columns = self.name("column_parts"), self.name("columns")
        busy = self.busy()
        beside = call("max", 1, call("min", busy // rows, lane // LANES_OF_A_CORE))
        strips = binary(
            "and", binary("<", rows, busy), binary(">=", lane // LANES_OF_A_CORE, busy)
        )  # columns of their own for all
        self.part.sizes += [
            Assign(name=parts.id, value=beside),
            If(cond=strips, then=(Assign(name=parts.id, value=busy),)),
        ]
        self.part.cores = rows * parts
        self.part.host = [
            Assign(name=parts.id, value=call("min", parts, Name(id="cores"))),
            Assign(name=columns.id, value=call("align_up", call("ceil_div", lane, parts), 64)),
            Assign(name=lane_tile.id, value=call("min", most, columns)),
            Assign(
                name=self.name("per_core").id,
                value=call("ceil_div", rows, call("max", 1, Name(id="cores") // parts)),
            ),
        ]

    def capacities(self) -> dict[Extent, Shape]:
        return self.two_axes(self.param("row_tile"), self.param("lane_tile"))

    def layout(self) -> Layout:
        base = super().layout()
        m = self.name("m")
        base.index[self.lane] = self.name("j")
        base.extents.update({"F": (self.name("n"), m), "C": (m,)})
        base.lane_count = m
        return base

    def levels(self) -> list[Level]:
        m, j, lane, tile = self.name("m"), self.name("j"), self.size(self.lane), self.param("lane_tile")
        rows = product([self.size(a) for a in range(self.lane)])
        if self.t.turned() is not None:
            self.bounds(rows)
            level = Level(frozenset({self.lane}), lambda: self.tiles(j, m, 0, lane, tile), guard=FIRST_CORE)
            return [self.root(), level, *self.row_levels()]
        parts, columns, left = self.param("column_parts"), self.param("columns"), self.name("left")
        per_core, first = self.param("per_core"), self.name("first")
        self.w.assign(first, CORE // parts * per_core)
        self.w.assign(self.name("last"), call("min", first + per_core, rows))
        self.w.assign(left, CORE % parts * columns)
        right = call("min", left + columns, lane)
        level = Level(
            frozenset({self.lane}),
            lambda: self.tiles(j, m, left, right, tile),
            guard=binary("<", CORE, parts),
        )
        return [self.root(), level, *self.row_levels()]
