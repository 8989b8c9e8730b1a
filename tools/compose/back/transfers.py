"""Write loads and stores: addresses, strides, and what must be done with elements that have just arrived."""

from collections.abc import Sequence

from akgen.tools.compose.back.layout import TURN, Layout, Tensors
from akgen.tools.compose.back.operands import HALF, Location
from akgen.tools.compose.back.operations import OperationCodegen
from akgen.tools.compose.back.tile_names import meaning
from akgen.tools.compose.back.writer import Extent, Shape, Tile, Writer
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.middle.symbolic_nest import Address, SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name, Read, joined


class Transfers:
    """Copies between global memory and tiles; `held` says where each value is."""

    def __init__(self, template: SymbolicNest, writer: Writer, layout: Layout, tensors: Tensors) -> None:
        self.t, self.w, self.layout, self.tensors = template, writer, layout, tensors
        self.ops = OperationCodegen(writer, layout.extents)
        self.held: dict[int, Location] = {}
        self.totals: dict[int, Tile] = {}
        self.carries: dict[int, Tile] = {}  # of scans: what all tiles before made
        self.owner: dict[int, int] = {}  # reductions over loops, by the level that owns them

    def meaning(self, index: int) -> str:
        """Return what a buffer with this value should be called."""
        return meaning(index, self.t.values, self.tensors.inputs)

    def extent_of(self, value: Value) -> Extent:
        return self.extent(value.deps)

    def extent(self, axes: Sequence[int]) -> Extent:
        rows, columns = self.layout.row in axes, self.layout.lane in axes
        if self.layout.row is None:
            return "F" if columns else "S"
        return "F" if rows and columns else "R" if rows else "C" if columns else "S"

    def _load(self, index: int) -> Tile | None:
        """Write the load of a value; return the tile it came in if it needs another form: a column, or turned."""
        value, address = self.t.values[index], self.t.addresses[index]
        assert value.origin is not None and address is not None
        extent = self.extent_of(value)
        dtype = self.w.floats if value.dtype == DType.BOOL else self.w.type_name(value.dtype)
        tensor = self.tensors.source(self.w, value.origin)
        offset = self.base(address)
        lane = self.layout.lane
        if extent == "F" and self.layout.row is None and lane is not None and address.stride(lane) != ONE:
            column = self.w.allocate("K", dtype, loaded=True, wish=self.meaning(index))
            step = self.number(address.stride(lane))
            self.w.load(column, tensor, offset, (self.layout.lane_count, ONE), step)
            return column
        if extent == "R" and address.stride(self._row()) != ONE:
            column = self.w.allocate("K", dtype, loaded=True, wish=self.meaning(index))
            self.w.load(column, tensor, offset, (self.layout.row_count, ONE), self.stride(address))
            return column
        if extent == "F" and self._turned(address):
            tile = self.w.allocate("T", dtype, loaded=True, wish=self.meaning(index) + "_turned")
            self.w.load(tile, tensor, offset, self._across(), self.number(address.stride(self._lane())))
            return tile
        self._check_lane(extent, address)
        tile = self.w.allocate(extent, dtype, loaded=True, wish=self.meaning(index))
        stride = self.stride(address) if extent == "F" and self._strided(address) else None
        self.w.load(tile, tensor, offset, self.layout.extents[extent], stride)
        self.held[index] = Location(value.dtype, tile=tile)
        return None

    def _read(self, index: int) -> bool:
        """Read a single number without a tile, if buffers are short; return whether that was done."""
        value, address = self.t.values[index], self.t.addresses[index]
        if not self.w.frugal or self.extent_of(value) != "S" or value.dtype != DType.FLOAT32:
            return False
        assert value.origin is not None and address is not None
        if value.args or address.guards:
            return False
        tensor, item = self.tensors.source(self.w, value.origin)
        variable = Name(id=self.w.unique("v"))
        self.w.assign(variable, Read(tensor=tensor, index=self.base(address), item=item))
        self.held[index] = Location(value.dtype, scalar=variable)
        return True

    def _turned(self, address: Address) -> bool:
        """Return whether it is the axis of rows that is contiguous in memory, not that of columns."""
        row, lane = self.layout.row, self.layout.lane
        return (
            None not in (row, lane)
            and address.stride(self._lane()) != ONE
            and address.stride(self._row()) == ONE
        )

    def _across(self) -> Shape:
        """Return the extent of a turned tile."""
        return (self.layout.lane_count, self.layout.row_count)

    def _lane(self) -> int:
        assert self.layout.lane is not None
        return self.layout.lane

    def _row(self) -> int:
        assert self.layout.row is not None
        return self.layout.row

    def stride(self, address: Address) -> Expr:
        return self.number(address.stride(self._row()))

    def _strided(self, address: Address) -> bool:
        """Return whether the rows of a tile do not adjoin in memory; those of a column tile never do."""
        return self.layout.row is not None and address.stride(self.layout.row) != self.layout.lane_count

    def _check_lane(self, extent: Extent, address: Address) -> None:
        lane = self.layout.lane
        if extent in ("F", "C") and lane is not None and address.stride(lane) != ONE:
            raise Unsupported("layout", "a tensor whose innermost axis is not contiguous is not covered")

    def _arrived(self, index: int, column: Tile | None) -> None:
        """Finish a load: gather a column of single elements, make masks of truth values."""
        value = self.t.values[index]
        if column is not None and column.extent == "T":
            tile = self.w.allocate("F", column.dtype, wish=self.meaning(index))
            self.w.op("transpose", tile, column.ref)
            self.w.release(column)
            self.held[index] = Location(value.dtype, tile=tile)
        elif column is not None:
            kind: Extent = "R" if self.layout.row is not None else "F"
            vector = self.w.allocate(kind, column.dtype, wish=self.meaning(index))
            self.w.op("reduce_sum", vector, column.ref)
            self.w.release(column)
            self.held[index] = Location(value.dtype, tile=vector)
        if value.dtype == DType.BOOL:
            held = self.held[index]
            assert held.tile is not None
            mask = self.w.allocate(held.tile.extent, "mask")
            self.w.op("gt", mask, held.tile.ref, HALF)
            self.w.release(held.tile)
            self.held[index] = Location(value.dtype, tile=mask)

    def _store(self, index: int, tile: Tile) -> None:
        store, address = self.t.nest.stores[index], self.t.stores[index]
        extent = self.extent(store.axes)
        tensor = self.tensors.target(self.w, store)
        lane = self.layout.lane
        if tile.extent == "T":
            self.w.store(tensor, self.base(address), tile, self.number(address.stride(self._lane())))
            return
        if tile.extent == "K":
            along = self._row() if extent == "R" else self._lane()
            self.w.store(tensor, self.base(address), tile, self.number(address.stride(along)))
            return
        if extent in ("F", "C") and lane is not None and address.stride(lane) != ONE:
            raise Unsupported("layout", "an output whose innermost axis is not contiguous is not covered")
        stride = self.stride(address) if extent == "F" and self._strided(address) else None
        self.w.store(tensor, self.base(address), tile, stride)

    def apart(self, index: int) -> Expr | None:
        """Return how many values a store writes one by one, apart in memory; None if they adjoin."""
        store, address = self.t.nest.stores[index], self.t.stores[index]
        extent, lane = self.extent(store.axes), self.layout.lane
        if extent == "R" and address.stride(self._row()) != ONE:
            return self.layout.row_count
        alone = extent == "F" and self.layout.row is None and lane is not None
        return self.layout.lane_count if alone and address.stride(lane or 0) != ONE else None

    def base(self, address: Address) -> Expr:
        """Return the address of a tile's first element."""
        terms = self.start(address)
        for axis, stride in address.strides:
            index = self.layout.index.get(axis, ZERO)
            if index == ZERO:
                continue
            factor = self.number(stride)
            terms.append(index if factor == ONE else index * factor)
        return joined("+", terms, ZERO)

    def start(self, address: Address) -> list[Expr]:
        """Return the terms of an address that no axis moves."""
        terms = [] if address.offset == ZERO else [self.number(address.offset)]
        if address.turn == ZERO:
            return terms
        return [*terms, TURN if address.turn == ONE else TURN * self.number(address.turn)]

    def number(self, value: Expr) -> Expr:
        """Return an integer host expression as the kernel sees it."""
        return value if isinstance(value, Const) else self.w.scalar(value, "int")
