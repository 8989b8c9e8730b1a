"""Where values are, and the forms in which they are operands of tile operations: tiles, views, scalars."""

from akgen.tools.compose.back.writer import Extent, Tile, Writer
from akgen.tools.core.dtypes import DType

_NAMES = {DType.FLOAT32: "float32", DType.INT32: "int32", DType.BOOL: "mask"}


class Location:
    """Where a value is: in a tile, or as a scalar (host expression, literal, or variable of the kernel)."""

    def __init__(
        self, dtype: DType, *, tile: Tile | None = None, host: str | None = None, variable: str | None = None
    ) -> None:
        self.dtype, self.tile, self.host, self.variable = dtype, tile, host, variable

    @property
    def extent(self) -> Extent:
        return self.tile.extent if self.tile is not None else "S"


def type_name(dtype: DType) -> str:
    return _NAMES[dtype]


class Operands:
    """Write operands through a writer. `extents` gives the written extent of each class, such as "(n, m)"."""

    def __init__(self, writer: Writer, extents: dict[Extent, str]) -> None:
        self.w, self.extents = writer, extents
        self.scratch: list[Tile] = []

    # scalars

    def scalar_text(self, held: Location) -> str:
        """Return a scalar usable in the kernel, extracting it from its tile if need be."""
        if held.variable is None:
            if held.host is not None:
                held.variable = self._parameter(held)
            else:
                assert held.tile is not None
                held.variable = self.w.unique("v")
                self.w.line(f"{held.variable} = {held.tile.name}[0]")
        return held.variable

    def _parameter(self, held: Location) -> str:
        assert held.host is not None
        text = held.host
        try:
            float(text)
        except ValueError:
            kind = "float" if held.dtype.is_float else "int"
            return self.w.scalar(text, kind)
        return text

    def temporary(self, extent: Extent, dtype: DType) -> Tile:
        """Return a buffer that is given back after the current value."""
        tile = self.w.allocate(extent, type_name(dtype))
        self.scratch.append(tile)
        return tile

    def clear(self) -> None:
        for tile in self.scratch:
            self.w.release(tile)
        self.scratch = []

    def op(self, name: str, *operands: str) -> None:
        self.w.line(f"{name}({', '.join(operands)})")

    # operands

    def widened(self, held: Location, extent: Extent) -> Tile:
        """Return the value as a tile of a wider class."""
        if held.tile is not None and held.tile.extent == extent:
            return held.tile
        if held.tile is None or held.tile.extent == "S":
            return self._filled(held, extent)
        if held.dtype != DType.FLOAT32:
            return self._widened_through_float(held, extent)
        tile = self.temporary(extent, DType.FLOAT32)
        self.op("broadcast", tile.name, self._view(held.tile), self.extents[extent])
        return tile

    def _filled(self, held: Location, extent: Extent) -> Tile:
        if held.dtype == DType.BOOL:
            number = self.temporary(extent, DType.FLOAT32)
            self.op("fill", number.name, self._as_number(held), self.extents[extent])
            mask = self.temporary(extent, DType.BOOL)
            self.op("gt", mask.name, number.name, "0.5")
            return mask
        tile = self.temporary(extent, held.dtype)
        self.op("fill", tile.name, self.scalar_text(held), self.extents[extent])
        return tile

    def _as_number(self, held: Location) -> str:
        """Return a truth value as a float scalar."""
        if held.host is not None:
            return self.scalar_text(Location(DType.FLOAT32, host=held.host))
        assert held.tile is not None
        number = self.temporary("S", DType.FLOAT32)
        self.op("cast", number.name, held.tile.name)
        return self.scalar_text(Location(DType.FLOAT32, tile=number))

    def _widened_through_float(self, held: Location, extent: Extent) -> Tile:
        assert held.tile is not None
        number = self.temporary(held.tile.extent, DType.FLOAT32)
        self.op("cast", number.name, held.tile.name)
        wide = self.temporary(extent, DType.FLOAT32)
        self.op("broadcast", wide.name, self._view(number), self.extents[extent])
        result = self.temporary(extent, held.dtype)
        if held.dtype == DType.BOOL:
            self.op("gt", result.name, wide.name, "0.5")
        else:
            self.op("cast", result.name, wide.name)
        return result

    @staticmethod
    def _view(tile: Tile) -> str:
        return f"{tile.name}[:, None]" if tile.extent == "R" else f"{tile.name}[None, :]"

    def operand(self, held: Location, extent: Extent, *, views: bool = True) -> str:
        """Return an operand of an operation over `extent`: tile, view or scalar."""
        if held.tile is None or (held.tile.extent == "S" and extent != "S"):
            return self.scalar_text(held)
        if held.tile.extent == extent:
            return held.tile.name
        if views and held.dtype == DType.FLOAT32:
            return self._view(held.tile)
        return self.widened(held, extent).name

    def mask(self, held: Location, extent: Extent) -> str:
        return self.widened(held, extent).name
