"""Where values are, and the forms in which they are operands of tile operations: tiles, views, scalars."""

from akgen.tools.compose.back.writer import Extent, Shape, Tile, Writer
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ZERO, Const, Element, Expr, ScalarType
from akgen.tools.dsl.ir import Operand

HALF = Const(value=0.5)  # tells true from false


class Location:
    """Where a value is: in a tile, or as a scalar (host expression, constant, or variable of the kernel)."""

    def __init__(
        self, dtype: DType, *, tile: Tile | None = None, host: Expr | None = None, scalar: Expr | None = None
    ) -> None:
        self.dtype, self.tile, self.host, self.scalar = dtype, tile, host, scalar

    @property
    def extent(self) -> Extent:
        return self.tile.extent if self.tile is not None else "S"


class Operands:
    """Write operands through a writer. `extents` gives the written extent of each class, such as (n, m)."""

    def __init__(self, writer: Writer, extents: dict[Extent, Shape]) -> None:
        self.w, self.extents = writer, extents
        self.scratch: list[Tile] = []

    # scalars

    def scalar(self, held: Location) -> Expr:
        """Return a scalar usable in the kernel, extracting it from its tile if need be."""
        if held.scalar is None:
            if held.host is not None:
                known = isinstance(held.host, Const)
                kind: ScalarType = "float" if held.dtype.is_float else "int"
                held.scalar = held.host if known else self.w.scalar(held.host, kind)
            else:
                assert held.tile is not None
                variable = self.w.value_of(held.tile)
                self.w.assign(variable, Element(tile=held.tile.name, index=ZERO))
                held.scalar = variable
        return held.scalar

    def temporary(self, extent: Extent, dtype: DType) -> Tile:
        """Return a buffer that is given back after the current value."""
        tile = self.w.allocate(extent, self.w.type_name(dtype))
        self.scratch.append(tile)
        return tile

    def clear(self) -> None:
        for tile in self.scratch:
            self.w.release(tile)
        self.scratch = []

    # operands

    def widened(self, held: Location, extent: Extent) -> Tile:
        """Return the value as a tile of a wider class."""
        if held.tile is not None and held.tile.extent == extent:
            return held.tile
        if held.tile is None or held.tile.extent == "S":
            return self._filled(held, extent)
        if held.dtype == DType.BOOL:
            return self._widened_through_float(held, extent)
        tile = self.temporary(extent, held.dtype)
        self.w.op("broadcast", tile, held.tile.view, extent=self.extents[extent])
        return tile

    def _filled(self, held: Location, extent: Extent) -> Tile:
        if held.dtype == DType.BOOL:
            number = self.temporary(extent, DType.FLOAT32)
            self.w.op("fill", number, self._as_number(held), extent=self.extents[extent])
            mask = self.temporary(extent, DType.BOOL)
            self.w.op("gt", mask, number.ref, HALF)
            return mask
        tile = self.temporary(extent, held.dtype)
        self.w.op("fill", tile, self.scalar(held), extent=self.extents[extent])
        return tile

    def _as_number(self, held: Location) -> Expr:
        """Return a truth value as a float scalar."""
        if held.host is not None:
            return self.scalar(Location(DType.FLOAT32, host=held.host))
        assert held.tile is not None
        number = self.temporary("S", DType.FLOAT32)
        self.w.op("cast", number, held.tile.ref)
        return self.scalar(Location(DType.FLOAT32, tile=number))

    def _widened_through_float(self, held: Location, extent: Extent) -> Tile:
        assert held.tile is not None
        number = self.temporary(held.tile.extent, DType.FLOAT32)
        self.w.op("cast", number, held.tile.ref)
        wide = self.temporary(extent, DType.FLOAT32)
        self.w.op("broadcast", wide, number.view, extent=self.extents[extent])
        result = self.temporary(extent, held.dtype)
        self.w.op("gt", result, wide.ref, HALF)
        return result

    def operand(self, held: Location, extent: Extent, *, views: bool = True) -> Operand:
        """Return an operand of an operation over `extent`: tile, view or scalar."""
        if held.tile is None or (held.tile.extent == "S" and extent != "S"):
            return self.scalar(held)
        if held.tile.extent == extent:
            return held.tile.ref
        if views and held.dtype != DType.BOOL:
            return held.tile.view
        return self.widened(held, extent).ref
