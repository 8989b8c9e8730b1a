"""Schedules that take one item (a combination of the kept axes) after the other, in several passes."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from akgen.tools.compose.back.layout import BLOCK, CORE, Layout, Level
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.schedules.base import Kind, Schedule
from akgen.tools.compose.back.writer import Extent, Shape
from akgen.tools.compose.scope import Unsupported
from akgen.tools.dsl.expr import ONE, Expr, Name, binary, call, joined, product
from akgen.tools.dsl.ir import Assign

LEAST_COLUMNS, MOST_COLUMNS = 128, 512  # of a tile that is reduced downwards


class ItemByItem(Schedule):
    """One item (a combination of the kept axes) after the other per core; each is read once per pass."""

    kind: Kind = "items"

    def prepare(self) -> None:
        over = next(iter(self.t.nest.overs()))
        self.lane = len(self.t.sizes) - 1
        self.over = list(over)
        self.kept = [a for a in range(len(self.t.sizes)) if a not in over]
        inner = [a for a in over if a != self.lane]
        self.row = inner[-1] if inner else None
        self.loops = inner[:-1]
        self.items = product(self.t.sizes[a] for a in self.kept if a != self.lane)
        self.tile_lines()

    def rounds(self) -> Expr:
        return self.items

    def tile_lines(self) -> None:
        self.share(self.items, self.items)
        lane = self.t.sizes[self.lane]
        if self.row is None:
            self.tile_of("tile", self.tuning.whole(lane))
            return
        lane_tile = self.name("lane_tile")
        self.set(lane_tile, call("min", 2048, call("align_up", lane, 64)))
        self.part.fixed, self.part.columns = [lane_tile], lane_tile
        self.tile_of("row_tile", self.t.sizes[self.row], rows=True)

    def check(self, emitter: LoopCodegen) -> None:
        if any(level != 1 for level in emitter.owner.values()):
            raise Unsupported("reduction", "this combination of reductions is not covered")

    def capacities(self) -> dict[Extent, Shape]:
        if self.row is None:
            return self.flat(self.param("tile"))
        return self.two_axes(self.param("row_tile"), self.param("lane_tile"))

    def layout(self) -> Layout:
        n, m = self.name("n"), self.name("m")
        index: dict[int, Expr] = {self.lane: self.name("j")}
        index.update(self.counted(self.counter(), [a for a in self.kept if a != self.lane]))
        for axis in self.loops:
            index[axis] = self.name(f"q{axis}")
        extents: dict[Extent, Shape] = {"F": (m,), "S": (ONE,)}
        if self.row is not None:
            index[self.row] = self.name("r")
            extents = {"F": (n, m), "R": (n,), "C": (m,), "S": (ONE,)}
        return Layout(row=self.row, lane=self.lane, index=index, extents=extents, row_count=n, lane_count=m)

    def counter(self) -> Expr:
        """Return what counts the combinations of kept axes."""
        return self.name("item")

    def levels(self) -> list[Level]:
        kept = [a for a in self.kept if a != self.lane]
        self.bounds(product([self.size(a) for a in kept]))
        item, first, last = self.name("item"), self.name("first"), self.name("last")
        items = Level(frozenset(kept), lambda: self.w.loop(item, first, last))
        return [self.root(), items, Level(frozenset(self.over), self.inner)]

    @contextmanager
    def inner(self) -> Iterator[None]:
        with self.reduce_loops(), self.lane_loop():
            yield

    @contextmanager
    def reduce_loops(self) -> Iterator[None]:
        """Open the loops over reduced axes other than the innermost, rows last."""
        with ExitStack() as loops:
            for axis in self.loops:
                loops.enter_context(self.w.loop(self.name(f"q{axis}"), 0, self.size(axis)))
            if self.row is not None:
                n, r, rows = self.name("n"), self.name("r"), self.size(self.row)
                loops.enter_context(
                    self.tiles(r, n, 0, rows, self.param("row_tile"), backward=self.backward())
                )
            yield

    def backward(self) -> bool:
        """Return whether tiles of the reduced axes come in the order from the last to the first, as scans wish."""
        wishes = {self.t.values[i].reverse for i in self.t.nest.scans()}
        if len(wishes) > 1:
            raise Unsupported("scan", "scans in both directions along a row that does not fit into UB")
        return True in wishes

    def lane_loop(self) -> AbstractContextManager[None]:
        m, j, lane = self.name("m"), self.name("j"), self.size(self.lane)
        tile = self.param("tile" if self.row is None else "lane_tile")
        return self.tiles(j, m, 0, lane, tile, backward=self.backward())


class Columns(ItemByItem):
    """The innermost axis is kept: items are tiles of columns, reduced row by row."""

    kind: Kind = "columns"

    def rounds(self) -> Expr:
        return self.items * call("ceil_div", self.t.sizes[self.lane], MOST_COLUMNS)

    def tile_lines(self) -> None:
        lane = self.t.sizes[self.lane]
        lane_tile, tiles = self.name("lane_tile"), self.name("lane_tiles")
        several = self.items != ONE
        # rows wait for one another in scans: the fewer columns a core has, the sooner it is done
        least = self.tuning.grain(64 if self.t.nest.scans() else LEAST_COLUMNS) // 64 * 64
        cores = self.tuning.cores() if self.t.nest.scans() else self.busy()
        widest = call("align_up", call("ceil_div", self.items * lane, cores), 64)
        longest = call("min", MOST_COLUMNS, call("max", least, widest), call("align_up", lane, 64))
        self.part.sizes.append(Assign(name=lane_tile.id, value=longest))
        self.part.sizes.append(Assign(name=tiles.id, value=call("ceil_div", lane, lane_tile)))
        count = self.items * tiles if several else tiles
        self.share(count, count)
        self.part.fixed = [lane_tile]
        assert self.row is not None
        self.tile_of("row_tile", self.t.sizes[self.row], rows=True)

    def counter(self) -> Expr:
        return self.name("item") // self.param("lane_tiles")

    def levels(self) -> list[Level]:
        kept = [a for a in self.kept if a != self.lane]
        tiles, item = self.param("lane_tiles"), self.name("item")
        self.bounds(product([tiles, *(self.size(a) for a in kept)]))
        m, j, lane, tile = self.name("m"), self.name("j"), self.size(self.lane), self.param("lane_tile")

        @contextmanager
        def items() -> Iterator[None]:
            with self.w.loop(item, self.name("first"), self.name("last")):
                self.w.assign(j, item % tiles * tile)
                self.w.assign(m, call("min", tile, lane - j))
                yield

        return [
            self.root(),
            Level(frozenset(self.kept), items),
            Level(frozenset(self.over), self.reduce_loops),
        ]


class SplitRows(Schedule):
    """Few long rows: several cores share a row and meet after each reduction."""

    kind: Kind = "split"

    def prepare(self) -> None:
        self.lane = len(self.t.sizes) - 1
        rows, lane = product(self.t.sizes[: self.lane]), self.t.sizes[self.lane]
        parts, per_core = self.name("parts"), self.name("per_core")
        busy = self.busy()
        shared = call("min", busy // rows, lane // self.tuning.grain(2048))
        self.part.cores, self.part.even = rows * call("max", 1, shared), False
        self.set(parts, call("max", 1, Name(id="cores") // rows))
        self.set(per_core, call("align_up", call("ceil_div", lane, parts), 64))
        self.cut(parts, per_core)

    def cut(self, parts: Name, per_core: Name) -> None:
        """Set the length of tiles, and when the schedule serves."""
        self.tile_of("tile", self.tuning.piece(per_core))
        self.part.fits = binary(">=", parts, 2)

    def check(self, emitter: LoopCodegen) -> None:
        if any(level != 0 for level in emitter.owner.values()):
            raise Unsupported("reduction", "this combination of reductions is not covered")

    def capacities(self) -> dict[Extent, Shape]:
        return self.flat(self.param("tile"))

    def group(self) -> tuple[Expr, Expr]:
        parts = self.param("parts")
        return (self.name("item") * parts * BLOCK, parts)

    def layout(self) -> Layout:
        m = self.name("m")
        index: dict[int, Expr] = {self.lane: self.name("j")}
        index.update(self.counted(self.name("item"), range(self.lane)))
        extents: dict[Extent, Shape] = {"F": (m,), "S": (ONE,)}
        return Layout(row=None, lane=self.lane, index=index, extents=extents, lane_count=m)

    def levels(self) -> list[Level]:
        parts, per_core, lane, tile = (
            self.param("parts"),
            self.param("per_core"),
            self.size(self.lane),
            self.param("tile"),
        )
        item, first, last = self.name("item"), self.name("first"), self.name("last")
        self.w.assign(item, CORE // parts)
        self.w.assign(first, CORE % parts * per_core)
        self.w.assign(last, call("min", first + per_core, lane))
        m, j = self.name("m"), self.name("j")
        root = self.root()
        mine = Level(root.axes, root.opened, guard=binary("==", first, 0))
        return [mine, Level(frozenset({self.lane}), lambda: self.tiles(j, m, first, last, tile))]


class SharedRows(SplitRows):
    """Few rows: each core's part of a row is one tile, which is loaded once and stays in UB for all passes."""

    kind: Kind = "shared"

    def cut(self, parts: Name, per_core: Name) -> None:
        rows, lane = product(self.t.sizes[: self.lane]), self.t.sizes[self.lane]
        self.set(parts, call("ceil_div", lane, per_core))  # no core is without work
        self.set(Name(id="cores"), rows * parts)
        self.tile_of("tile", per_core)
        tile = self.name("tile")
        self.part.fits = joined("and", [binary(">=", parts, 2), binary(">=", tile, per_core)], ONE)

    def levels(self) -> list[Level]:
        root, tiles = super().levels()
        first, last = self.name("first"), self.name("last")
        self.w.assign(self.name("j"), first)
        self.w.assign(self.name("m"), last - first)
        return [root, Level(tiles.axes, nullcontext, once=True)]
