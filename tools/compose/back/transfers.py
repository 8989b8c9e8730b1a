"""Write loads and stores: addresses, strides, and what must be done with elements that have just arrived."""

from collections.abc import Sequence

from akgen.tools.compose.back.layout import Layout, Tensors
from akgen.tools.compose.back.operands import Location, type_name
from akgen.tools.compose.back.operations import OperationCodegen
from akgen.tools.compose.back.writer import Extent, Tile, Writer
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.middle.symbolic_nest import Address, SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType


class Transfers:
    """Copies between global memory and tiles; `held` says where each value is."""

    def __init__(self, template: SymbolicNest, writer: Writer, layout: Layout, tensors: Tensors) -> None:
        self.t, self.w, self.layout, self.tensors = template, writer, layout, tensors
        self.ops = OperationCodegen(writer, layout.extents)
        self.held: dict[int, Location] = {}
        self.totals: dict[int, Tile] = {}
        self.owner: dict[int, int] = {}  # reductions over loops, by the level that owns them

    def extent_of(self, value: Value) -> Extent:
        return self.extent(value.deps)

    def extent(self, axes: Sequence[int]) -> Extent:
        rows, columns = self.layout.row in axes, self.layout.lane in axes
        if self.layout.row is None:
            return "F" if columns else "S"
        return "F" if rows and columns else "R" if rows else "C" if columns else "S"

    def _load(self, index: int) -> Tile | None:
        """Write the load of a value; return the column tile if it came with one element per row."""
        value, address = self.t.values[index], self.t.addresses[index]
        assert value.origin is not None and address is not None
        extent = self.extent_of(value)
        dtype = "float32" if value.dtype == DType.BOOL else type_name(value.dtype)
        name = self._tensor(value.origin)
        offset = self.base(address)
        lane = self.layout.lane
        if extent == "F" and self.layout.row is None and lane is not None and address.stride(lane) != "1":
            column = self.w.allocate("K", dtype, loaded=True)
            step = self.number(address.stride(lane))
            self.ops.op("load", column.name, name, offset, f"({self.layout.lane_count}, 1)", f"stride={step}")
            return column
        if extent == "R" and address.stride(self._row()) != "1":
            column = self.w.allocate("K", dtype, loaded=True)
            shape = f"({self.layout.row_count}, 1)"
            self.ops.op("load", column.name, name, offset, shape, f"stride={self.stride(address)}")
            return column
        tile = self.w.allocate(extent, dtype, loaded=True)
        self._check_lane(extent, address)
        extra = [f"stride={self.stride(address)}"] if extent == "F" and self._strided(address) else []
        self.ops.op("load", tile.name, name, offset, self.layout.extents[extent], *extra)
        self.held[index] = Location(value.dtype, tile=tile)
        return None

    def _read(self, index: int) -> bool:
        """Read a single number without a tile, if buffers are short; return whether that was done."""
        value, address = self.t.values[index], self.t.addresses[index]
        if not self.w.frugal or self.extent_of(value) != "S" or value.dtype != DType.FLOAT32:
            return False
        assert value.origin is not None and address is not None
        name = self._tensor(value.origin)
        variable = self.w.unique("v")
        self.w.close_stage()
        self.w.line(f"{variable} = read({name}, {self.base(address)})")
        self.held[index] = Location(value.dtype, variable=variable)
        return True

    def _tensor(self, origin: Origin) -> str:
        return self.tensors.of(self.w, self.tensors.inputs[origin.input], origin.element)

    def _row(self) -> int:
        assert self.layout.row is not None
        return self.layout.row

    def stride(self, address: Address) -> str:
        return self.number(address.stride(self._row()))

    def _strided(self, address: Address) -> bool:
        """Return whether the rows of a tile do not adjoin in memory; those of a column tile never do."""
        return self.layout.row is not None and address.stride(self.layout.row) != self.layout.lane_count

    def _check_lane(self, extent: Extent, address: Address) -> None:
        lane = self.layout.lane
        if extent in ("F", "C") and lane is not None and address.stride(lane) != "1":
            raise Unsupported("layout", "a tensor whose innermost axis is not contiguous is not covered")

    def _arrived(self, index: int, column: Tile | None) -> None:
        """Finish a load: gather a column of single elements, make masks of truth values."""
        value = self.t.values[index]
        if column is not None:
            if column.dtype != "float32":
                raise Unsupported("layout", "integers that lie apart in memory are not covered")
            vector = self.w.allocate("R" if self.layout.row is not None else "F", "float32")
            self.ops.op("reduce_sum", vector.name, column.name)
            self.w.release(column)
            self.held[index] = Location(value.dtype, tile=vector)
        if value.dtype == DType.BOOL:
            held = self.held[index]
            assert held.tile is not None
            mask = self.w.allocate(held.tile.extent, "mask")
            self.ops.op("gt", mask.name, held.tile.name, "0.5")
            self.w.release(held.tile)
            self.held[index] = Location(value.dtype, tile=mask)

    def _store(self, index: int, tile: Tile) -> None:
        store, address = self.t.nest.stores[index], self.t.stores[index]
        extent = self.extent(store.axes)
        name = self.tensors.of(self.w, self.tensors.outputs[store.output])
        lane = self.layout.lane
        if extent in ("F", "C") and lane is not None and address.stride(lane) != "1":
            raise Unsupported("layout", "an output whose innermost axis is not contiguous is not covered")
        extra: list[str] = []
        if extent == "F" and self._strided(address):
            extra = [f"stride={self.stride(address)}"]
        if extent == "R" and address.stride(self._row()) != "1":
            raise Unsupported("layout", "an output with one value per row, apart in memory, is not covered")
        self.ops.op("store", name, self.base(address), tile.name, *extra)

    def base(self, address: Address) -> str:
        """Return the address of a tile's first element."""
        terms = [] if address.offset == "0" else [self.number(address.offset)]
        for axis, stride in address.strides:
            index = self.layout.index.get(axis, "0")
            if index == "0":
                continue
            factor = self.number(stride)
            plain = index.isidentifier()
            terms.append(index if factor == "1" else f"{index if plain else f'({index})'} * {factor}")
        return " + ".join(terms) or "0"

    def number(self, text: str) -> str:
        """Return an integer host expression as the kernel sees it."""
        if text.lstrip("-").isdigit():
            return text
        return self.w.scalar(text, "int")
