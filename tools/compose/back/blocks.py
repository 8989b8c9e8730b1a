"""Write one block of a kernel: loads, computation and stores of values whose loops are open."""

from collections.abc import Sequence

from akgen.tools.compose.back.layout import COMBINE, START, Layout, Sink, Tensors
from akgen.tools.compose.back.operations import Held, Operations, host_value, type_name
from akgen.tools.compose.back.writer import Extent, Tile, Writer
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.nest import Value
from akgen.tools.compose.middle.template import Address, Template
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType


class Blocks:
    """Emits blocks through a writer; `held` says where each value is."""

    def __init__(self, template: Template, writer: Writer, layout: Layout, tensors: Tensors) -> None:
        self.t, self.w, self.layout, self.tensors = template, writer, layout, tensors
        self.ops = Operations(writer, layout.extents)
        self.held: dict[int, Held] = {}
        self.totals: dict[int, Tile] = {}
        self.workspaces: list[tuple[str, str]] = []  # name, elements per core
        self.owner: dict[int, int] = {}  # reductions over loops, by the level that owns them

    def extent_of(self, value: Value) -> Extent:
        return self.extent(value.deps)

    def extent(self, axes: Sequence[int]) -> Extent:
        rows, columns = self.layout.row in axes, self.layout.lane in axes
        if self.layout.row is None:
            return "F" if columns else "S"
        return "F" if rows and columns else "R" if rows else "C" if columns else "S"

    def arg(self, sink: Sink) -> int:
        if sink.kind == "store":
            return self.t.nest.stores[sink.index].value
        return self.t.values[sink.index].args[0]

    # one block of loads, computation and stores

    def block(self, values: list[int], sinks: list[Sink], keep: set[int]) -> None:
        """Compute `values` in order, then serve the sinks; `keep` stay held afterwards."""
        uses: dict[int, int] = {}
        for i in values:
            if i not in self.owner:
                for a in self.t.values[i].args:
                    uses[a] = uses.get(a, 0) + 1
        for s in sinks:
            uses[self.arg(s)] = uses.get(self.arg(s), 0) + 1
        mine = set(values)
        loads = [i for i in values if self.t.values[i].op == "load" and not self._read(i)]
        with self.w.stage("copyin"):
            columns = {i: self._load(i) for i in loads}
        with self.w.stage("compute"):
            for i in loads:
                self._arrived(i, columns[i])
            for i in values:
                if i not in self.held:
                    self._compute(i, uses, mine - keep)
                self.ops.clear()
                self._drop_dead(i, uses, mine - keep)
            for s in sinks:
                if s.kind == "accumulate":
                    self._accumulate(s.index)
                    self.ops.clear()
            stored = [(s.index, self._store_tile(s.index)) for s in sinks if s.kind == "store"]
            for i in keep:
                if self._wanted_as_scalar(i):
                    self.ops.scalar_text(self.held[i])
        with self.w.stage("copyout"):
            for index, tile in stored:
                self._store(index, tile)
        self.ops.clear()

    def _wanted_as_scalar(self, index: int) -> bool:
        held = self.held.get(index)
        if held is None or held.tile is None or held.extent != "S" or held.dtype == DType.BOOL:
            return False
        return any(index in v.args and self.extent_of(v) != "S" for v in self.t.values)

    def _drop_dead(self, index: int, uses: dict[int, int], mine: set[int]) -> None:
        """Release operands that nothing in this block needs any more."""
        for a in set(self.t.values[index].args):
            uses[a] = uses.get(a, 0) - self.t.values[index].args.count(a)
            if uses[a] <= 0 and a in mine and a in self.held:
                held = self.held[a]
                if held.tile is not None and not any(
                    h.tile is held.tile for j, h in self.held.items() if j != a
                ):
                    self.w.release(held.tile)
                del self.held[a]

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
        self.held[index] = Held(value.dtype, tile=tile)
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
        self.held[index] = Held(value.dtype, variable=variable)
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
            self.held[index] = Held(value.dtype, tile=vector)
        if value.dtype == DType.BOOL:
            held = self.held[index]
            assert held.tile is not None
            mask = self.w.allocate(held.tile.extent, "mask")
            self.ops.op("gt", mask.name, held.tile.name, "0.5")
            self.w.release(held.tile)
            self.held[index] = Held(value.dtype, tile=mask)

    def _compute(self, index: int, uses: dict[int, int], mine: set[int]) -> None:
        value = self.t.values[index]
        if value.op in ("const", "count", "inv_count"):
            self.held[index] = Held(value.dtype, host=self.t.texts[index])
            return
        extent = self.extent_of(value)
        if value.op == "iota":
            self.held[index] = Held(value.dtype, tile=self._iota(index, extent))
            return
        if value.op == "reduce":
            self.held[index] = Held(value.dtype, tile=self._reduce(index))
            return
        args = [self.held[a] for a in value.args]
        text = host_value(value, args) if extent == "S" else None
        if text is not None:
            self.held[index] = Held(value.dtype, host=text)
            return
        dst = self._reusable(value, uses, mine, extent) or self.w.allocate(extent, type_name(value.dtype))
        self.ops.emit(value, args, dst)
        self.held[index] = Held(value.dtype, tile=dst)

    def _reusable(self, value: Value, uses: dict[int, int], mine: set[int], extent: Extent) -> Tile | None:
        """Return an operand's buffer that the result may overwrite."""
        if value.op in ("isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge") or extent == "S":
            return None
        for a in value.args:
            held = self.held[a]
            last = uses.get(a, 0) == value.args.count(a) and a in mine
            if last and held.tile is not None and held.tile.extent == extent:
                shared = any(h.tile is held.tile for j, h in self.held.items() if j != a)
                if held.tile.dtype == type_name(value.dtype) and not shared and value.op != "where":
                    return held.tile
        return None

    def _iota(self, index: int, extent: Extent) -> Tile:
        """Write start + step * position along rows, columns or both."""
        value = self.t.values[index]
        access = value.access
        assert access is not None and value.value is not None and value.step is not None
        parts: list[Tile] = []
        outer = [f"{value.value:g}" if value.value else ""]
        outer += [
            f"({self.layout.index[a]}) * {s * value.step:g}"
            for a, s in access.strides
            if a in self.layout.index and self.layout.index[a] != "0"
        ]
        start = " + ".join(t for t in outer if t) or "0"
        for axis, letter, count in (
            (self.layout.row, "R", self.layout.row_count),
            (self.layout.lane, "C" if self.layout.row is not None else "F", self.layout.lane_count),
        ):
            if axis is None or axis not in dict(access.strides):
                continue
            tile = self.w.allocate(letter, type_name(value.dtype))  # type: ignore[arg-type]
            step = access.stride(axis) * value.step
            first = start if not parts else "0"
            if step == 1:
                origin = f"float({first})" if value.dtype.is_float and first != "0" else first
                self.ops.op("iota", tile.name, origin, count)
            else:
                self.ops.op("iota", tile.name, "0", count)
                number = f"{float(step)!r}" if value.dtype.is_float else f"{int(step)}"
                self.ops.op("mul", tile.name, tile.name, number)
                if first != "0":
                    self.ops.op(
                        "add", tile.name, tile.name, f"float({first})" if value.dtype.is_float else first
                    )
            parts.append(tile)
        if not parts:
            tile = self.w.allocate("S", type_name(value.dtype))
            self.ops.op("fill", tile.name, f"float({start})" if value.dtype.is_float else start, "1")
            return tile
        if len(parts) == 1:
            return parts[0]
        dst = self.w.allocate(extent, type_name(value.dtype))
        wide = self.ops.widened(Held(value.dtype, tile=parts[0]), extent)
        self.ops.op("add", dst.name, wide.name, self.ops.operand(Held(value.dtype, tile=parts[1]), extent))
        for tile in parts:
            self.w.release(tile)
        return dst

    def _reduce(self, index: int) -> Tile:
        value = self.t.values[index]
        return self._fold(value, self.held[value.args[0]], self.extent_of(value))

    def _fold(self, value: Value, held: Held, extent: Extent) -> Tile:
        """Reduce a tile over those of the reduction's axes that lie inside tiles; return a tile of `extent`."""
        assert held.tile is not None and value.kind in START
        source = held.tile
        if source.dtype != "float32":
            raise Unsupported("reduction", "a reduction of integers is not covered")
        dst = self.w.allocate(extent, "float32")
        axis = ""
        if source.extent == "F" and self.layout.row is not None:
            axis = {"R": "", "C": ", axis=0", "S": ", axis=None"}[extent]
        self.w.line(f"reduce_{value.kind}({dst.name}, {source.name}{axis})")
        return dst

    def _accumulate(self, index: int) -> None:
        value, total = self.t.values[index], self.totals[index]
        assert value.kind is not None
        arg = self.held[value.args[0]]
        if arg.tile is None or arg.tile.extent != total.extent:
            wide = arg
            if arg.tile is None or arg.tile.extent == "S":
                wide = Held(value.dtype, tile=self.ops.widened(arg, total.extent))
            part = self._fold(value, wide, total.extent) if wide.extent != total.extent else None
            tile = part or wide.tile
            assert tile is not None
            self.ops.op(COMBINE[value.kind], total.name, total.name, tile.name)
            if part is not None:
                self.w.release(part)
            return
        self.ops.op(COMBINE[value.kind], total.name, total.name, arg.tile.name)

    # stores

    def _store_tile(self, index: int) -> Tile:
        store = self.t.nest.stores[index]
        held = self.held[store.value]
        extent = self.extent(store.axes)
        if held.dtype == DType.BOOL:
            number = self.w.allocate(self.ops.widened(held, extent).extent, "float32")
            self.ops.op("cast", number.name, self.ops.widened(held, extent).name)
            self.ops.scratch.append(number)
            return number
        if held.tile is not None and held.tile.extent == extent:
            return held.tile
        return self.ops.widened(held, extent)

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

    # addresses

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
