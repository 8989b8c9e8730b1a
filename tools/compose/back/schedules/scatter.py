"""Schedules of scattering: each core owns what it scatters into, so that all goes there in the order of indices."""

from akgen.tools.compose.back.layout import TURN
from akgen.tools.compose.back.schedules.base import OPERATIONS, Kind, Library
from akgen.tools.compose.back.writer import Tensor, Tile
from akgen.tools.compose.middle.symbolic import literal
from akgen.tools.compose.middle.symbolic_nest import Address
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name, binary, call, joined, product

OPERATIONS["scatter_elements"] = "scatter_elements"
OPERATIONS["scatter_rows"] = "scatter_rows"
UPDATES = {
    None: "scatter",
    "sum": "scatter_add",
    "max": "scatter_max",
    "min": "scatter_min",
    "prod": "scatter_mul",
}
PIECE = 64  # elements of a row that make a copy worth its while


class _Scatter(Library):
    """What both forms share: the operands, and where they lie."""

    def prepare(self) -> None:
        found = [i for i, v in enumerate(self.t.values) if v.op in OPERATIONS]
        if len(found) != 1 or any(v.op not in (*OPERATIONS, "load") for v in self.t.values):
            raise Unsupported("scatter", "a scatter beside other operations of the same phase is not covered")
        self.value = self.t.values[found[0]]
        self.index, *others = self.value.args
        self.source = others.pop(0) if self.value.value is None else None
        self.base = others.pop(0) if self.value.fill is None else None
        if len(self.value.over) > 1:
            raise Unsupported("scatter", "a scatter along an axis that is cut in several is not covered")
        self.picked = self.value.over[0] if self.value.over else None
        self.split(list(self.value.deps))
        self.lines()

    def split(self, axes: list[int]) -> None:
        """Tell the result's axes apart, outermost first."""
        raise NotImplementedError

    def lines(self) -> None:
        """Say what the host sets."""
        raise NotImplementedError

    def length(self, axis: int | None, *, host: bool = False) -> Expr:
        if axis is None:
            return ONE
        return self.t.sizes[axis] if host else self.size(axis)

    def address(self, value: int) -> Address:
        address = self.t.addresses[value]
        assert address is not None
        if address.guards or address.scales:
            raise Unsupported("scatter", "a scatter of what is picked in the same phase is not covered")
        return address

    def tensor(self, value: int) -> Tensor:
        origin = self.t.values[value].origin
        assert origin is not None
        return self.tensors.source(self.w, origin)

    def at(self, address: Address, *places: tuple[int | None, Expr]) -> Expr:
        """Return the address of an element, given its place along some axes."""
        terms = [] if address.offset == ZERO else [self.number(address.offset)]
        terms += [] if address.turn == ZERO else [TURN * self.number(address.turn)]
        for axis, place in places:
            stride = ZERO if axis is None else self.number(address.stride(axis))
            if stride != ZERO and place != ZERO:
                terms.append(place if stride == ONE else place * stride)
        return joined("+", terms, ZERO)

    def near(self, value: int, axis: int | None) -> None:
        """Refuse an operand whose elements do not adjoin along an axis."""
        if axis is not None and self.address(value).stride(axis) not in (ONE, ZERO):
            raise Unsupported("layout", "a scatter of elements that do not adjoin in memory is not covered")

    def dtype(self) -> str:
        if self.value.dtype == DType.BOOL:
            raise Unsupported("scatter", "a scatter of truth values is not covered")
        return self.w.type_name(self.value.dtype)

    def constant(self, value: float | int | bool | None) -> Const:
        assert value is not None
        return literal(float(value) if self.value.dtype.is_float else int(value))


class ScatterElements(_Scatter):
    """Each core takes stretches of rows into UB and walks all indices of the row."""

    kind: Kind = "scatter_elements"

    def split(self, axes: list[int]) -> None:
        if not 1 <= len(axes) <= 2:
            raise Unsupported("scatter", "a scatter into rows that lie in no regular distance is not covered")
        self.lane, self.row = axes[-1], axes[0] if len(axes) == 2 else None

    def lines(self) -> None:
        lane = self.length(self.lane, host=True)
        self.part.cores = product([self.length(self.row, host=True), call("ceil_div", lane, 1024)])
        self.tile_of("tile", call("max", 1024, call("align_up", call("ceil_div", lane, self.spare()), 64)))
        self.part.fits = binary(">=", self.name("tile"), 64)

    def spare(self) -> Expr:
        """Return how many cores share a row."""
        return call("max", 1, Name(id="cores") // self.length(self.row, host=True))

    def run(self) -> None:
        tile, item, j, m = self.param("tile"), self.name("item"), self.name("j"), self.name("m")
        lane, k, n, q = self.size(self.lane), self.length(self.picked), self.name("n"), self.name("q")
        tiles, row = self.name("lane_tiles"), self.name("r")
        self.w.capacities = {"F": (tile,), "J": (Const(value=1024),)}
        into = self.w.allocate("F", self.dtype())
        self.w.assign(tiles, call("ceil_div", lane, tile))
        count = product([self.length(self.row), tiles])
        with self.w.loop(item, call("program_id"), count, call("num_programs")):
            self.w.assign(row, item // tiles)
            self.w.assign(j, item % tiles * tile)
            self.w.assign(m, call("min", tile, lane - j))
            self._begin(into, row, j, m)
            self.w.close_stage()
            with self.w.loop(q, 0, k, 1024):
                self.w.assign(n, call("min", 1024, k - q))
                self._step(into, row, j, q, n)
            self.w.close_stage()
            with self.w.stage("copyout"):
                for store, address in zip(self.t.nest.stores, self.t.stores, strict=True):
                    if address.stride(self.lane) != ONE:
                        raise Unsupported("layout", "a scatter into elements that lie apart is not covered")
                    place = self.at(address, (self.row, row), (self.lane, j))
                    self.w.store(self.tensors.target(self.w, store), place, into)
            self.w.close_stage()

    def _begin(self, into: Tile, row: Expr, j: Expr, m: Expr) -> None:
        if self.base is None:
            with self.w.stage("compute"):
                self.w.op("fill", into, self.constant(self.value.fill), extent=(m,))
            return
        self.near(self.base, self.lane)
        loaded = self.w.allocate("F", into.dtype, loaded=True)
        with self.w.stage("copyin"):
            place = self.at(self.address(self.base), (self.row, row), (self.lane, j))
            self.w.load(loaded, self.tensor(self.base), place, (m,))
        with self.w.stage("compute"):
            self.w.op("copy", into, loaded.ref)
        self.w.release(loaded)

    def _step(self, into: Tile, row: Expr, j: Expr, q: Expr, n: Expr) -> None:
        """Scatter up to 1,024 elements."""
        places = self.w.allocate("J", "int32", loaded=True)
        moved = self.w.allocate("J", "int32")
        values = self.w.allocate("J", into.dtype, loaded=self.source is not None)
        self.near(self.index, self.picked)
        with self.w.stage("copyin"):
            place = self.at(self.address(self.index), (self.row, row), (self.picked, q))
            self.w.load(places, self.tensor(self.index), place, (n,))
            if self.source is not None:
                self.near(self.source, self.picked)
                place = self.at(self.address(self.source), (self.row, row), (self.picked, q))
                self.w.load(values, self.tensor(self.source), place, (n,))
        with self.w.stage("compute"):
            if self.source is None:
                self.w.op("fill", values, self.constant(self.value.value), extent=(n,))
            self.w.op("sub", moved, places.ref, j)
            self.w.op(UPDATES[self.value.kind], into, moved.ref, values.ref)


class ScatterRows(_Scatter):
    """Each core takes some columns of all rows: what is scattered into is copied, then row after row goes there."""

    kind: Kind = "scatter_rows"

    def split(self, axes: list[int]) -> None:
        if not 2 <= len(axes) <= 3:
            raise Unsupported("scatter", "a scatter into rows that lie in no regular distance is not covered")
        self.lane, self.row, self.outer = axes[-1], axes[-2], axes[0] if len(axes) == 3 else None
        if self.value.kind not in (None, "sum"):
            raise Unsupported("scatter", f"rows that are combined by {self.value.kind} are not covered")

    def lines(self) -> None:
        lane, outer = self.length(self.lane, host=True), self.length(self.outer, host=True)
        lane_tile = self.name("lane_tile")
        share = call("ceil_div", lane, call("max", 1, Name(id="cores") // outer))
        self.part.cores = outer * call("ceil_div", lane, PIECE)
        self.set(lane_tile, call("min", 2048, call("align_up", share, PIECE)))
        self.part.fixed = [lane_tile]
        self.tile_of("row_tile", Const(value=128), rows=True)

    def run(self) -> None:
        row_tile, lane_tile = self.param("row_tile"), self.param("lane_tile")
        item, j, m = self.name("item"), self.name("j"), self.name("m")
        n, q, r, outer = self.name("n"), self.name("q"), self.name("r"), self.name("o")
        lane, rows, tiles = self.size(self.lane), self.size(self.row), self.name("lane_tiles")
        k = self.length(self.picked)
        self.w.capacities = {"F": (row_tile, lane_tile), "I": (row_tile,)}
        self.w.assign(tiles, call("ceil_div", lane, lane_tile))
        with self.w.loop(item, call("program_id"), self.length(self.outer) * tiles, call("num_programs")):
            self.w.assign(outer, item // tiles)
            self.w.assign(j, item % tiles * lane_tile)
            self.w.assign(m, call("min", lane_tile, lane - j))
            with self.tiles(r, n, 0, rows, row_tile):
                tile = self._slab(
                    self.base, self.value.fill, (self.outer, outer), (self.row, r), (self.lane, j), (n, m)
                )
                self._store(tile, outer, r, j, None)
            self.w.close_stage()
            with self.tiles(q, n, 0, k, row_tile):
                places, own = self.w.allocate("I", "int32", loaded=True), self.w.allocate("I", "int32")
                self.near(self.index, self.picked)
                with self.w.stage("copyin"):
                    self.w.load(
                        places,
                        self.tensor(self.index),
                        self.at(self.address(self.index), (self.picked, q)),
                        (n,),
                    )
                tile = self._slab(
                    self.source,
                    self.value.value,
                    (self.outer, outer),
                    (self.picked, q),
                    (self.lane, j),
                    (n, m),
                )
                with self.w.stage("compute"):
                    self._placed(own, places, rows)
                self._store(tile, outer, ZERO, j, own)
                self.w.release(places)
                self.w.release(own)
            self.w.close_stage()

    def _placed(self, own: Tile, places: Tile, rows: Expr) -> None:
        """Copy indices to a tile of their own; negative ones may count from the end."""
        if not self.value.tag:
            self.w.op("copy", own, places.ref)
            return
        number, below = self.w.allocate("I", "float32"), self.w.allocate("I", "mask")
        self.w.op("cast", number, places.ref)
        self.w.op("lt", below, number.ref, Const(value=0.0))
        self.w.op("cast", number, below.ref)
        self.w.op("cast", own, number.ref, rounding="trunc")
        self.w.op("mul", own, own.ref, rows)
        self.w.op("add", own, own.ref, places.ref)
        self.w.release(number)
        self.w.release(below)

    def _slab(
        self,
        value: int | None,
        constant: float | int | bool | None,
        outer: tuple[int | None, Expr],
        rows: tuple[int | None, Expr],
        lanes: tuple[int | None, Expr],
        shape: tuple[Expr, Expr],
    ) -> Tile:
        """Return a tile of an operand, loaded or filled."""
        if value is None:
            tile = self.w.allocate("F", self.dtype())
            with self.w.stage("compute"):
                self.w.op("fill", tile, self.constant(constant), extent=shape)
            self.w.release(tile)
            return tile
        address = self.address(value)
        self.near(value, lanes[0])
        tile = self.w.allocate("F", self.dtype(), loaded=True)
        stride = ZERO if rows[0] is None else self.number(address.stride(rows[0]))
        with self.w.stage("copyin"):
            self.w.load(tile, self.tensor(value), self.at(address, outer, rows, lanes), shape, stride)
        self.w.release(tile)
        return tile

    def _store(self, tile: Tile, outer: Expr, r: Expr, j: Expr, index: Tile | None) -> None:
        with self.w.stage("copyout"):
            for store, address in zip(self.t.nest.stores, self.t.stores, strict=True):
                if address.stride(self.lane) != ONE:
                    raise Unsupported("layout", "a scatter into rows whose elements lie apart is not covered")
                place = self.at(address, (self.outer, outer), (self.row, r), (self.lane, j))
                adds = index is not None and self.value.kind == "sum"
                stride = self.number(address.stride(self.row))
                target = self.tensors.target(self.w, store)
                self.w.store(target, place, tile, stride, index=index, add=adds)
