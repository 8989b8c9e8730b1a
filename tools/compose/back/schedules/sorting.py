"""Schedules of sorting: several whole rows per tile, or rows of any length of which the best records are kept."""

from collections.abc import Iterator
from contextlib import contextmanager

from akgen.tools.compose.back.layout import TURN
from akgen.tools.compose.back.schedules.base import OPERATIONS, Kind, Library
from akgen.tools.compose.back.writer import Tile
from akgen.tools.compose.front.graph import EXACT_PLACES
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.middle.symbolic_nest import Address
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ONE, ZERO, Const, Element, Expr, Name, binary, call, joined

OPERATIONS["sort_values"] = OPERATIONS["sort_places"] = "sorting"
PASS = 2048  # results of a pass
INFINITE, NEGATIVE = Const(value=1e39), Const(value=-1e39)
LOWEST = Const(value=-3.4028234663852886e38)


class Sorting(Library):
    """Whole rows in UB, several per tile, sorted as records of key and place; rows cut over the cores."""

    kind: Kind = "sorting"

    def prepare(self) -> None:
        sources = {v.args for v in self.t.values if v.op in OPERATIONS}
        directions = {v.reverse for v in self.t.values if v.op in OPERATIONS}
        if (
            len(sources) > 1
            or len(directions) > 1
            or any(v.op not in (*OPERATIONS, "load") for v in self.t.values)
        ):
            raise Unsupported("sort", "values that are sorted in several ways side by side are not covered")
        ((self.source,),) = sources
        self.sorted = next(v for v in self.t.values if v.op in OPERATIONS)
        address = self.t.addresses[self.source]
        rows = [a for a in self.t.values[self.source].deps if a not in self.sorted.over]
        if len(self.sorted.over) != 1 or len(rows) > 1 or address is None:
            raise Unsupported("sort", "a sort of rows that lie in no regular distance is not covered")
        self.address: Address = address
        (self.lane,) = self.sorted.over
        self.row = rows[0] if rows else None
        if address.stride(self.lane) != ONE:
            raise Unsupported("layout", "a sort along an axis that is not the innermost is not covered")
        self.lines()

    def lines(self) -> None:
        """Let the host decide how many rows a tile has."""
        rows = self.rows()
        self.share(rows, rows)
        width = self.name("width")
        self.set(width, call("align_up", self.t.sizes[self.lane], 32) * 2)
        self.part.fixed = [self.t.sizes[self.lane], width, *self.counts()]
        self.tile_of("row_tile", self.tuning.rows(self.name("per_core")), rows=True)
        self.part.fits = binary(">=", self.name("row_tile"), 1)

    def rows(self) -> Expr:
        """Return the host's count of rows."""
        return ONE if self.row is None else self.t.sizes[self.row]

    def kept(self, value: Value) -> int | None:
        """Return the axis along which results are kept; None where one of each row is."""
        axes = [a for a in value.deps if a != self.row]
        if len(axes) > 1:
            raise Unsupported("sort", "a sorted axis that is cut in several is not covered")
        return axes[0] if axes else None

    def counts(self) -> list[Name]:
        """Return the host variables that say how many results are kept."""
        kept = [self.kept(v) for v in self.t.values if v.op in OPERATIONS]
        return list(dict.fromkeys(self.t.sizes[k] for k in kept if k is not None))

    def count(self, value: Value) -> Expr:
        kept = self.kept(value)
        return ONE if kept is None else self.size(kept)

    def run(self) -> None:
        lane, n, r = self.size(self.lane), self.name("n"), self.name("r")
        tile, width = self.param("row_tile"), self.param("width")
        self.bounds(ONE if self.row is None else self.size(self.row))
        self.w.capacities = {"F": (tile, lane), "P": (tile, width)}
        with self.tiles(r, n, self.name("first"), self.name("last"), tile):
            loaded, records = (
                self.w.allocate("F", "float32", loaded=True, wish="keys"),
                self.w.allocate("P", "float32", wish="records"),
            )
            with self.w.stage("copyin"):
                self.load(loaded, self.at(self.address, r), (n, lane), self.pitch(self.address))
            with self.w.stage("compute"):
                self.turn(loaded)
                self.w.op("sort", records, loaded.ref, ZERO)
            self.results(records, r, (n,), (tile,))

    def turn(self, tile: Tile) -> None:
        """Let the smallest keys be the largest, where these are wanted first."""
        if self.sorted.reverse:
            self.w.op("neg", tile, tile.ref)

    def load(self, tile: Tile, offset: Expr, extent: tuple[Expr, ...], stride: Expr | None) -> None:
        origin = self.t.values[self.source].origin
        assert origin is not None
        self.w.load(tile, self.tensors.source(self.w, origin), offset, extent, stride)

    def results(self, records: Tile, r: Expr, rows: tuple[Expr, ...], capacity: tuple[Expr, ...]) -> None:
        """Take what is stored from sorted records, and store it."""
        made: dict[int, Tile] = {}
        with self.w.stage("compute"):
            for store in self.t.nest.stores:
                value = self.t.values[store.value]
                if store.value in made:
                    continue
                count = self.count(value)
                self.w.capacities["Q"] = (*capacity, count)
                floats = value.dtype == DType.FLOAT32
                name = "sorted_values" if floats else "sorted_places"
                dtype = "float32" if floats else "int32"
                tile = made[store.value] = self.w.allocate("Q", dtype, wish=name)
                self.w.op(name, tile, records.ref, extent=(*rows, count))
                if floats:
                    self.turn(tile)
        with self.w.stage("copyout"):
            for store, address in zip(self.t.nest.stores, self.t.stores, strict=True):
                kept = self.kept(self.t.values[store.value])
                if kept is not None and address.stride(kept) != ONE:
                    raise Unsupported("layout", "sorted rows that lie apart in memory are not covered")
                stride = self.pitch(address) if rows else None
                self.w.store(
                    self.tensors.target(self.w, store), self.at(address, r), made[store.value], stride
                )
        for tile in made.values():
            self.w.release(tile)

    def at(self, address: Address, r: Expr) -> Expr:
        """Return where row `r` begins."""
        terms = [] if address.offset == ZERO else [self.number(address.offset)]
        terms += [] if address.turn == ZERO else [TURN * self.number(address.turn)]
        if self.row is not None:
            stride = self.number(address.stride(self.row))
            terms.append(r if stride == ONE else r * stride)
        return joined("+", terms, ZERO)

    def pitch(self, address: Address) -> Expr | None:
        return None if self.row is None else self.number(address.stride(self.row))


class SortingLong(Sorting):
    """Rows too long for UB: one after the other per core, tile by tile; the best records so far are kept."""

    kind: Kind = "sorting_long"

    def lines(self) -> None:
        rows = self.rows()
        self.share(rows, rows)
        self.tile_of("tile", Const(value=2048), call("align_up", self.t.sizes[self.lane], 64))
        self.part.fixed = [*self.counts()]
        kept = [binary("<=", k, self.name("tile")) for k in self.counts()]  # the first tile fills the list
        self.part.fits = joined("and", [binary(">=", self.name("tile"), 64), *kept], ONE)

    def run(self) -> None:
        lane, m, j, r, tile = (
            self.size(self.lane),
            self.name("m"),
            self.name("j"),
            self.name("r"),
            self.param("tile"),
        )
        counts = [self.count(v) for v in self.t.values if v.op in OPERATIONS]
        most = counts[0] if len(set(counts)) == 1 else call("max", *counts)
        self.w.capacities = {"F": (tile,), "P": (tile * 2,), "C": (call("align_up", most, 32) * 2,)}
        self.bounds(ONE if self.row is None else self.size(self.row))
        with self.row_loop(r):
            best = self.w.allocate("C", "float32", wish="best_records")
            with self.w.stage("compute"):
                self.w.op("fill", best, NEGATIVE)
            self.w.close_stage()
            with self.tiles(j, m, 0, lane, tile):
                loaded, records = (
                    self.w.allocate("F", "float32", loaded=True, wish="keys"),
                    self.w.allocate("P", "float32", wish="records"),
                )
                start = self.at(self.address, r)
                with self.w.stage("copyin"):
                    self.load(loaded, j if start == ZERO else start + j, (m,), None)
                with self.w.stage("compute"):
                    self.turn(loaded)
                    self.w.op("sort", records, loaded.ref, j)
                    self.w.op("keep_top", best, records.ref, binary("==", j, 0))
            self.w.close_stage()
            self.results(best, r, (), ())

    @contextmanager
    def row_loop(self, r: Name) -> Iterator[None]:
        with self.w.loop(r, self.name("first"), self.name("last")):
            yield


class SortingPasses(SortingLong):
    """Neither a row nor what is kept of it fits: each pass over the row takes the best of what is left."""

    kind: Kind = "sorting_passes"

    def lines(self) -> None:
        rows = self.rows()
        self.share(rows, rows)
        self.tile_of("tile", Const(value=PASS), call("align_up", self.t.sizes[self.lane], 64))
        few = binary("<=", self.t.sizes[self.lane], EXACT_PLACES)
        self.part.fits = joined("and", [binary(">=", self.name("tile"), 64), few], ONE)

    def run(self) -> None:
        r, done, count = self.name("r"), self.name("done"), self.name("count")
        counts = [self.count(v) for v in self.t.values if v.op in OPERATIONS]
        most = counts[0] if len(set(counts)) == 1 else call("max", *counts)
        tile = self.param("tile")
        self.w.capacities = {
            "F": (tile,), "P": (tile * 2,), "C": (Const(value=2 * PASS),), "Q": (Const(value=PASS),),
        }  # fmt: skip
        self.key, self.place = self.name("last_key"), self.name("last_place")
        self.bounds(ONE if self.row is None else self.size(self.row))
        with self.row_loop(r):
            self.w.assign(self.key, INFINITE)
            self.w.assign(self.place, Const(value=-1.0))
            with self.w.loop(done, 0, most, PASS):
                self.w.assign(count, call("min", PASS, most - done))
                best = self.collected(r, tile)
                self.handed_out(best, r, done, count)
                self.w.close_stage()
                self.w.release(best)

    def collected(self, r: Expr, tile: Expr) -> Tile:
        """Return the best records of a row of those behind the last one that was handed out."""
        best = self.w.allocate("C", "float32", wish="best_records")
        with self.w.stage("compute"):
            self.w.op("fill", best, NEGATIVE)
        self.w.close_stage()
        m, j, start = self.name("m"), self.name("j"), self.at(self.address, r)
        with self.tiles(j, m, 0, self.size(self.lane), tile):
            loaded = self.w.allocate("F", "float32", loaded=True, wish="keys")
            with self.w.stage("copyin"):
                self.load(loaded, j if start == ZERO else start + j, (m,), None)
            with self.w.stage("compute"):
                self.turn(loaded)
                self.w.op("maximum", loaded, loaded.ref, LOWEST)  # minus infinity stands for what is done
                left = self.left(loaded, j, m)
                records = self.w.allocate("P", "float32", wish="records")
                self.w.op("sort", records, left.ref, j)
                self.w.op("keep_top", best, records.ref, binary("==", j, 0))
        self.w.close_stage()
        for other in (loaded, left, records):
            self.w.release(other)
        return best

    def left(self, keys: Tile, j: Expr, m: Expr) -> Tile:
        """Return the keys behind the last one handed out: smaller, or as large and further on."""
        places = self.w.allocate("F", "float32", wish="places")
        smaller, equal, later = (self.w.allocate("F", "mask", wish=w) for w in ("smaller", "equal", "later"))
        left = self.w.allocate("F", "float32", wish="left")
        self.w.op("iota", places, call("float", j), extent=(m,))
        self.w.op("lt", smaller, keys.ref, self.key)
        self.w.op("eq", equal, keys.ref, self.key)
        self.w.op("gt", later, places.ref, self.place)
        self.w.op("mask_and", equal, equal.ref, later.ref)
        self.w.op("mask_or", smaller, smaller.ref, equal.ref)
        self.w.op("where", left, smaller.ref, keys.ref, NEGATIVE)
        for tile in (places, smaller, equal, later):
            self.w.release(tile)
        return left

    def handed_out(self, best: Tile, r: Expr, done: Expr, count: Expr) -> None:
        """Store the next results of a row, and remember the last of them."""
        keys = self.w.allocate("Q", "float32", wish="sorted_keys")
        places = self.w.allocate("Q", "int32", wish="sorted_places")
        values = self.w.allocate("Q", "float32", wish="sorted_values")
        lowest = self.w.allocate("Q", "mask", wish="lowest")
        with self.w.stage("compute"):
            self.w.op("sorted_values", keys, best.ref, extent=(count,))
            self.w.op("sorted_places", places, best.ref, extent=(count,))
            self.w.assign(self.key, Element(tile=keys.name, index=count - 1))
            self.w.assign(self.place, call("float", Element(tile=places.name, index=count - 1)))
            self.w.op("eq", lowest, keys.ref, LOWEST)
            self.w.op("where", values, lowest.ref, NEGATIVE, keys.ref)
            self.turn(values)
        with self.w.stage("copyout"):
            for store, address in zip(self.t.nest.stores, self.t.stores, strict=True):
                tile = values if self.t.values[store.value].op == "sort_values" else places
                start = self.at(address, r)
                target = self.tensors.target(self.w, store)
                self.w.store(target, done if start == ZERO else start + done, tile)
        for tile in (keys, places, values, lowest):
            self.w.release(tile)
