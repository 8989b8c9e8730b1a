"""Schedules for windows and picked elements: reduced axes are loops outside of tiles that accumulate."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from akgen.tools.compose.back.layout import CORE, CORES, Layout, Level
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.schedules.base import Kind, Schedule
from akgen.tools.compose.back.schedules.rows import Tiles
from akgen.tools.compose.back.writer import Extent, Shape
from akgen.tools.compose.scope import Unsupported
from akgen.tools.dsl.expr import ONE, Expr, call, product
from akgen.tools.dsl.ir import Assign

LINE = 2048  # elements of a tile


class _Walked(Schedule):
    """Loops over the reduced axes inside of those over tiles."""

    def reduced(self) -> tuple[int, ...]:
        overs = {self.t.values[i].over for i in self.t.nest.reductions()}
        return next(iter(overs)) if overs else ()

    def check(self, emitter: LoopCodegen) -> None:
        inner = len(emitter.levels) - 2
        if any(level != inner for level in emitter.owner.values()):
            raise Unsupported("reduction", "this combination of reductions is not covered")

    def walk_levels(self) -> list[Level]:
        over = self.reduced()

        @contextmanager
        def walked() -> Iterator[None]:
            with ExitStack() as loops:
                for axis in over:
                    loops.enter_context(self.w.loop(self.name(f"q{axis}"), 0, self.size(axis)))
                yield

        return [Level(frozenset(over), walked)] if over else []


class Windows(_Walked, Tiles):
    """Tiles of rows and columns of the results; the longest kept axis gives the rows."""

    kind: Kind = "windows"

    def prepare(self) -> None:
        over = self.reduced()
        self.lane = len(self.t.sizes) - 1
        kept = [a for a in range(self.lane) if a not in over]
        if not kept:
            raise Unsupported("layout", "windows along one axis only have no rows")
        self.row = max(kept, key=lambda a: self.t.nest.sizes[a])
        self.outer = [a for a in kept if a != self.row]
        rows = product(self.t.sizes[a] for a in kept)
        self.share(rows, rows)
        lane_tile = self.name("lane_tile")
        whole = call("align_up", self.t.sizes[self.lane], 64)
        self.part.host.insert(0, Assign(name=lane_tile.id, value=call("min", 1024, whole)))
        self.part.fixed, self.part.columns = [lane_tile], lane_tile
        self.tile_of("row_tile", self.tuning.rows(self.name("per_core")), self.t.sizes[self.row], rows=True)

    def layout(self) -> Layout:
        base = super().layout()
        base.index.update({axis: self.name(f"q{axis}") for axis in self.reduced()})
        return base

    def levels(self) -> list[Level]:
        m, j, lane, tile = self.name("m"), self.name("j"), self.size(self.lane), self.param("lane_tile")
        self.bounds(product([self.size(a) for a in (*self.outer, self.row)]))
        columns = Level(frozenset({self.lane}), lambda: self.tiles(j, m, 0, lane, tile))
        return [self.root(), columns, *self.row_levels(), *self.walk_levels()]


class LineByLine(_Walked):
    """Tiles of one axis: whatever varies along the others is the same throughout a tile."""

    kind: Kind = "lines"

    def prepare(self) -> None:
        over = self.reduced()
        self.lane = len(self.t.sizes) - 1
        self.kept = [a for a in range(self.lane) if a not in over]
        lane = self.t.sizes[self.lane]
        self.part.cores = self.rounds()
        self.tile_of("tile", call("min", LINE, self.tuning.whole(lane)))

    def rounds(self) -> Expr:
        lane = self.t.sizes[self.lane]
        return product([*(self.t.sizes[a] for a in self.kept), call("ceil_div", lane, LINE)])

    def dealt(self) -> tuple[tuple[int, int], ...]:
        return (*((axis, 1) for axis in self.kept), (self.lane, LINE))

    def capacities(self) -> dict[Extent, Shape]:
        return self.flat(self.param("tile"))

    def layout(self) -> Layout:
        index = self.counted(self.name("item") // self.name("lane_tiles"), self.kept)
        index |= {axis: self.name(f"q{axis}") for axis in self.reduced()}
        index[self.lane] = self.name("j")
        m = self.name("m")
        return Layout(row=None, lane=self.lane, index=index, extents={"F": (m,), "S": (ONE,)}, lane_count=m)

    def levels(self) -> list[Level]:
        tiles, item, tile = self.name("lane_tiles"), self.name("item"), self.param("tile")
        lane, j, m = self.size(self.lane), self.name("j"), self.name("m")
        first, last, each = self.name("first"), self.name("last"), self.name("per_core")
        count = product([tiles, *(self.size(a) for a in self.kept)])
        self.w.assign(tiles, call("ceil_div", lane, tile))
        self.w.assign(each, call("ceil_div", count, CORES))
        self.w.assign(first, CORE * each)
        self.w.assign(last, call("min", first + each, count))

        @contextmanager
        def items() -> Iterator[None]:
            with self.w.loop(item, first, last):
                self.w.assign(j, item % tiles * tile)
                self.w.assign(m, call("min", tile, lane - j))
                yield

        return [self.root(), Level(frozenset([*self.kept, self.lane]), items), *self.walk_levels()]


class ElementByElement(LineByLine):
    """As lines; rows that an index picks from need not fit into UB, as elements are read one by one."""

    kind: Kind = "elements"
