"""Schedules that take one item (a combination of the kept axes) after the other, in several passes."""

from collections.abc import Iterator
from contextlib import contextmanager

from akgen.tools.compose.back.layout import Layout, Level
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.schedules.base import Kind, Schedule, nested, product
from akgen.tools.compose.back.writer import Extent
from akgen.tools.compose.scope import Unsupported


class ItemByItem(Schedule):
    """One item (a combination of the kept axes) after the other per core; each is read once per pass."""

    kind: Kind = "items"

    def prepare(self) -> None:
        over = next(iter({self.t.values[i].over for i in self.t.nest.reductions()}))
        self.lane = len(self.t.sizes) - 1
        self.over = list(over)
        self.kept = [a for a in range(len(self.t.sizes)) if a not in over]
        inner = [a for a in over if a != self.lane]
        self.row = inner[-1] if inner else None
        self.loops = inner[:-1]
        self.items = product([self.t.sizes[a] for a in self.kept if a != self.lane]) if self.kept else "1"
        self.tile_lines()

    def tile_lines(self) -> None:
        self.share(self.items, self.items)
        lane = self.t.sizes[self.lane]
        if self.row is None:
            self.tile_of("tile", self.tuning.whole(lane))
            return
        lane_tile = self.name("lane_tile")
        self.part.host.append(f"{lane_tile} = min(2048, align_up({lane}, 64))")
        self.part.fixed = [lane_tile]
        self.tile_of("row_tile", self.t.sizes[self.row], rows=True)

    def check(self, emitter: LoopCodegen) -> None:
        if any(level != 1 for level in emitter.owner.values()):
            raise Unsupported("reduction", "this combination of reductions is not covered")

    def capacities(self) -> dict[Extent, str]:
        if self.row is None:
            return {**self.small(), "F": self.param("tile"), "K": f"({self.param('tile')}, 1)"}
        tile, lane = self.param("row_tile"), self.param("lane_tile")
        return {**self.small(), "F": f"({tile}, {lane})", "R": tile, "C": lane, "K": f"({tile}, 1)"}

    def layout(self) -> Layout:
        n, m = self.name("n"), self.name("m")
        index = {self.lane: self.name("j"), **self.item_index()}
        for axis in self.loops:
            index[axis] = self.name(f"q{axis}")
        extents: dict[Extent, str] = {"F": m, "S": "1"}
        if self.row is not None:
            index[self.row] = self.name("r")
            extents = {"F": f"({n}, {m})", "R": n, "C": m, "S": "1"}
        return Layout(row=self.row, lane=self.lane, index=index, extents=extents, row_count=n, lane_count=m)

    def item_index(self) -> dict[int, str]:
        item, index = self.name("item"), {}
        kept = [a for a in self.kept if a != self.lane]
        for k, axis in enumerate(kept):
            inner = [self.size(a) for a in kept[k + 1 :]]
            text = item if not inner else f"{item} // {product(inner)}"
            index[axis] = text if k == 0 else f"{text} % {self.size(axis)}"
        return index

    def levels(self) -> list[Level]:
        kept = [a for a in self.kept if a != self.lane]
        self.bounds(product([self.size(a) for a in kept]) if kept else "1")
        item = self.name("item")

        @contextmanager
        def items() -> Iterator[None]:
            with self.loop(f"for {item} in range({self.name('first')}, {self.name('last')}):"):
                yield

        return [self.root(), Level(frozenset(kept), items), Level(frozenset(self.over), self.inner)]

    @contextmanager
    def inner(self) -> Iterator[None]:
        with self.reduce_loops(), self.lane_loop():
            yield

    @contextmanager
    def reduce_loops(self) -> Iterator[None]:
        """Open the loops over reduced axes other than the innermost, rows last."""
        with nested([self.loop(f"for {self.name(f'q{a}')} in range({self.size(a)}):") for a in self.loops]):
            if self.row is None:
                yield
                return
            n, r, rows, tile = self.name("n"), self.name("r"), self.size(self.row), self.param("row_tile")
            with self.loop(f"for {r} in range(0, {rows}, {tile}):", f"{n} = min({tile}, {rows} - {r})"):
                yield

    @contextmanager
    def lane_loop(self) -> Iterator[None]:
        m, j, lane = self.name("m"), self.name("j"), self.size(self.lane)
        tile = self.param("tile" if self.row is None else "lane_tile")
        with self.loop(f"for {j} in range(0, {lane}, {tile}):", f"{m} = min({tile}, {lane} - {j})"):
            yield


class Columns(ItemByItem):
    """The innermost axis is kept: items are tiles of columns, reduced row by row."""

    kind: Kind = "columns"

    def tile_lines(self) -> None:
        lane = self.t.sizes[self.lane]
        lane_tile, tiles = self.name("lane_tile"), self.name("lane_tiles")
        count = f"({self.items}) * {tiles}" if self.items != "1" else tiles
        self.part.host += [
            f"{lane_tile} = min(512, align_up({lane}, 64))",
            f"{tiles} = ceil_div({lane}, {lane_tile})",
        ]
        self.share(count, f"({self.items}) * ceil_div({lane}, {self.tuning.grain(512)})")
        self.part.fixed = [lane_tile]
        assert self.row is not None
        self.tile_of("row_tile", self.t.sizes[self.row], rows=True)

    def item_index(self) -> dict[int, str]:
        tiles = self.param("lane_tiles")
        index = super().item_index()
        item = self.name("item")
        return {a: text.replace(item, f"({item} // {tiles})") for a, text in index.items()}

    def levels(self) -> list[Level]:
        kept = [a for a in self.kept if a != self.lane]
        tiles, item = self.param("lane_tiles"), self.name("item")
        self.bounds(product([tiles, *(self.size(a) for a in kept)]))
        m, j, lane, tile = self.name("m"), self.name("j"), self.size(self.lane), self.param("lane_tile")

        @contextmanager
        def items() -> Iterator[None]:
            with self.loop(
                f"for {item} in range({self.name('first')}, {self.name('last')}):",
                f"{j} = {item} % {tiles} * {tile}",
                f"{m} = min({tile}, {lane} - {j})",
            ):
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
        rows, lane = product(list(self.t.sizes[: self.lane])), self.t.sizes[self.lane]
        parts, per_core = self.name("parts"), self.name("per_core")
        grain = self.tuning.grain(8192)
        self.part.cores = f"{rows} * max(1, min({self.tuning.cores()} // {rows}, {lane} // {grain}))"
        self.part.host += [
            f"{parts} = max(1, cores // {rows})",
            f"{per_core} = align_up(ceil_div({lane}, {parts}), 64)",
        ]
        self.tile_of("tile", self.tuning.piece(per_core))
        self.part.fits = f"{parts} >= 3"

    def check(self, emitter: LoopCodegen) -> None:
        if any(level != 0 for level in emitter.owner.values()):
            raise Unsupported("reduction", "this combination of reductions is not covered")

    def capacities(self) -> dict[Extent, str]:
        return {**self.small(), "F": self.param("tile"), "K": f"({self.param('tile')}, 1)"}

    def group(self) -> tuple[str, str]:
        return (f"{self.name('item')} * {self.param('parts')} * 8", self.param("parts"))

    def layout(self) -> Layout:
        item, m = self.name("item"), self.name("m")
        index = {self.lane: self.name("j")}
        for k in range(self.lane):
            inner = [self.size(a) for a in range(k + 1, self.lane)]
            text = item if not inner else f"{item} // {product(inner)}"
            index[k] = text if k == 0 else f"{text} % {self.size(k)}"
        return Layout(row=None, lane=self.lane, index=index, extents={"F": m, "S": "1"}, lane_count=m)

    def levels(self) -> list[Level]:
        parts, per_core, lane, tile = (
            self.param("parts"),
            self.param("per_core"),
            self.size(self.lane),
            self.param("tile"),
        )
        item, first, last = self.name("item"), self.name("first"), self.name("last")
        self.w.line(f"{item} = program_id() // {parts}")
        self.w.line(f"{first} = program_id() % {parts} * {per_core}")
        self.w.line(f"{last} = min({first} + {per_core}, {lane})")
        m, j = self.name("m"), self.name("j")

        @contextmanager
        def tiles() -> Iterator[None]:
            with self.loop(f"for {j} in range({first}, {last}, {tile}):", f"{m} = min({tile}, {last} - {j})"):
                yield

        root = self.root()
        mine = Level(root.axes, root.opened, guard=f"{first} == 0")
        return [mine, Level(frozenset({self.lane}), tiles)]
