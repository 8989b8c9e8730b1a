"""Write one block of a kernel: loads, computation and stores of values whose loops are open."""

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from akgen.tools.compose.back.accesses import AccessCodegen
from akgen.tools.compose.back.layout import COMBINE, Sink
from akgen.tools.compose.back.operands import Location
from akgen.tools.compose.back.operations import host_value, kernel_value
from akgen.tools.compose.back.writer import Extent, Tile
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name, call, joined
from akgen.tools.dsl.ir import TileRef

_WHOLE = frozenset({"floor", "ceil", "trunc", "round"})


class BlockCodegen(AccessCodegen):
    """Writes blocks."""

    def arg(self, sink: Sink) -> int:
        if sink.kind == "store":
            return self.t.nest.stores[sink.index].value
        return self.t.values[sink.index].args[0]

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
        steps = self._steps(values)
        last = max(steps.values(), default=0)
        for step in range(last + 1):
            now = [i for i in values if steps[i] == step]
            arriving = [i for i in loads if steps[i] == step]
            with self.w.stage("copyin"):
                columns = {i: self._load(i) for i in arriving}
            with self.w.stage("compute"):
                for i in arriving:
                    self._arrived(i, columns[i])
                for i in now:
                    if i not in self.held:
                        self._compute(i, uses, mine - keep)
                    self.ops.clear()
                    self._drop_dead(i, uses, mine - keep)
                for i in loads:
                    if steps[i] == step + 1 and self.is_indexed(i):
                        self.prepare(i)
                        self.ops.clear()
        with self.w.stage("compute"):
            for s in sinks:
                if s.kind == "accumulate":
                    self._accumulate(s.index)
                    self.ops.clear()
            stored = [(s.index, self._store_tile(s.index)) for s in sinks if s.kind == "store"]
            for i in keep:
                if self._wanted_as_scalar(i):
                    self.ops.scalar(self.held[i])
        with self.w.stage("copyout"):
            for index, tile in stored:
                self._store(index, tile)
        self.ops.clear()

    def _steps(self, values: Sequence[int]) -> dict[int, int]:
        """Return after how many copies each value is there: a load waits for its indices."""
        steps: dict[int, int] = {}
        for i in values:
            before = max((steps.get(a, 0) for a in self.t.values[i].args if i not in self.owner), default=0)
            steps[i] = before + self.is_indexed(i)
        return steps

    def needs(self, roots: Sequence[int]) -> list[int]:
        """Return what must be computed for `roots`, in order; held values and what lies below them are left out."""
        seen: set[int] = set()
        stack = [r for r in roots if r not in self.held]
        while stack:
            i = stack.pop()
            if i in seen:
                continue
            seen.add(i)
            if i not in self.owner:
                stack.extend(a for a in self.t.values[i].args if a not in self.held)
        return sorted(seen)

    def snapshot(self) -> dict[int, tuple[Location, Expr | None]]:
        return {i: (held, held.scalar) for i, held in self.held.items()}

    def forget(self, before: dict[int, tuple[Location, Expr | None]]) -> None:
        """Give back what was computed inside a loop that ends here, scalars included."""
        for i, held in list(self.held.items()):
            if i not in before:
                if held.tile is not None:
                    self.w.release(held.tile)
                del self.held[i]
        for i, (held, scalar) in before.items():
            held.scalar = scalar
            self.held[i] = held

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

    def _compute(self, index: int, uses: dict[int, int], mine: set[int]) -> None:
        value = self.t.values[index]
        if value.op in ("const", "count", "inv_count"):
            self.held[index] = Location(value.dtype, host=self.t.constants[index])
            return
        extent = self.extent_of(value)
        if value.op == "iota" and extent == "S" and self.steers(index):
            start = self._start_of(index)
            real = value.dtype.is_float
            self.held[index] = Location(
                value.dtype, scalar=self._variable(call("float", start) if real else start)
            )
            return
        if value.op == "iota":
            self.held[index] = Location(value.dtype, tile=self._iota(index, extent))
            return
        if value.op == "reduce":
            self.held[index] = Location(value.dtype, tile=self._reduce(index))
            return
        if value.op == "scan":
            self.held[index] = Location(value.dtype, tile=self._scan(index, uses, mine))
            return
        args = [self.held[a] for a in value.args]
        host = host_value(value, args) if extent == "S" else None
        if host is not None:
            self.held[index] = Location(value.dtype, host=host)
            return
        if extent == "S" and self.steers(index):
            known = kernel_value(value, [self.ops.scalar(a) if a.tile is None else None for a in args])
            if known is not None:
                self.held[index] = Location(value.dtype, scalar=self._variable(known))
                return
        wish = "" if extent == "F" else self.meaning(index)
        dst = self._reusable(value, uses, mine, extent)
        if dst is None:
            dst = self.w.allocate(extent, self.w.type_name(value.dtype), wish=wish)
        elif wish:
            dst.wishes.append(wish)
        self.ops.emit(value, args, dst, cut=index in self._cut)
        self.held[index] = Location(value.dtype, tile=dst)

    @cached_property
    def _cut(self) -> frozenset[int]:
        """Return the values that are rounded to whole numbers, so that one wrong bit may change them by one."""
        whole = (v for v in self.t.values if v.op in _WHOLE or not v.dtype.is_float)
        return frozenset(a for v in whole for a in v.args)

    def _reusable(self, value: Value, uses: dict[int, int], mine: set[int], extent: Extent) -> Tile | None:
        """Return an operand's buffer that the result may overwrite."""
        if value.op in ("isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge") or extent == "S":
            return None
        for a in value.args:
            held = self.held[a]
            last = uses.get(a, 0) == value.args.count(a) and a in mine
            if last and held.tile is not None and held.tile.extent == extent:
                shared = any(h.tile is held.tile for j, h in self.held.items() if j != a)
                if held.tile.dtype == self.w.type_name(value.dtype) and not shared and value.op != "where":
                    return held.tile
        return None

    def _iota(self, index: int, extent: Extent) -> Tile:
        """Write start + step * position along rows, columns or both."""
        value = self.t.values[index]
        access = value.access
        assert access is not None and value.value is not None and value.step is not None
        real, dtype = value.dtype.is_float, self.w.type_name(value.dtype)
        parts: list[Tile] = []
        start = self._start_of(index)
        along: list[tuple[int | None, Extent, Expr]] = [
            (self.layout.row, "R", self.layout.row_count),
            (self.layout.lane, "C" if self.layout.row is not None else "F", self.layout.lane_count),
        ]
        for across, letter, count in along:
            if across is None or across not in dict(access.strides):
                continue
            tile = self.w.allocate(letter, dtype)
            step = access.stride(across) * value.step
            first = ZERO if parts else start
            moved = call("float", first) if real and first != ZERO else first
            if step == 1:
                self.w.op("iota", tile, moved, extent=(count,))
            else:
                self.w.op("iota", tile, ZERO, extent=(count,))
                self.w.op("mul", tile, tile.ref, Const(value=float(step) if real else int(step)))
                if first != ZERO:
                    self.w.op("add", tile, tile.ref, moved)
            parts.append(tile)
        if not parts:
            tile = self.w.allocate("S", dtype)
            self.w.op("fill", tile, call("float", start) if real else start, extent=(ONE,))
            return tile
        if len(parts) == 1:
            return parts[0]
        dst = self.w.allocate(extent, dtype)
        wide = self.ops.widened(Location(value.dtype, tile=parts[0]), extent)
        self.w.op("add", dst, wide.ref, self.ops.operand(Location(value.dtype, tile=parts[1]), extent))
        for tile in parts:
            self.w.release(tile)
        return dst

    def _scan(self, index: int, uses: dict[int, int], mine: set[int]) -> Tile:
        """Run along the tile; then all of it takes in what the tiles before made, and so does what goes to the next.

        Where a loop walks the axis outside of the tile, each turn is one step.
        """
        value, extent = self.t.values[index], self.extent_of(self.t.values[index])
        assert value.kind is not None
        source = self.ops.widened(self.held[value.args[0]], extent)
        if value.over[0] not in (self.layout.row, self.layout.lane):
            if value.reverse:
                text = f"a running {value.kind} from the end along an axis of windows is not covered"
                raise Unsupported("scan", text)
            stepped, running = self.w.allocate(extent, self.w.type_name(value.dtype)), self.carries[index]
            self.w.op(COMBINE[value.kind], stepped, source.ref, running.ref)
            self.w.op("copy", running, stepped.ref)
            return stepped
        down = value.over[0] == self.layout.row and source.extent != "R"  # a tile of rows alone is one line
        axis: Literal["last", "first"] = "first" if down else "last"
        carry, part = self.carries.get(index), None
        if carry is not None and axis == "last":
            part = self.ops.temporary(carry.extent, value.dtype)
            self.w.op(f"reduce_{value.kind}", part, source.ref, axis=axis)
        dst = self._reusable(value, uses, mine, extent) or self.w.allocate(
            extent, self.w.type_name(value.dtype)
        )
        self.w.op(f"scan_{value.kind}", dst, source.ref, axis=axis, reverse=value.reverse)
        if carry is not None:
            before = self.ops.operand(Location(value.dtype, tile=carry), extent)
            self.w.op(COMBINE[value.kind], dst, dst.ref, before)
            if part is not None:
                self.w.op(COMBINE[value.kind], carry, carry.ref, part.ref)
            else:
                self.w.op("reduce_first" if value.reverse else "reduce_last", carry, dst.ref, axis="first")
        return dst

    def _start_of(self, index: int) -> Expr:
        """Return the number that a range has at a tile's first element."""
        value = self.t.values[index]
        assert value.access is not None and value.value is not None and value.step is not None
        outer: list[Expr] = [_number(value.value)] if value.value else []
        for axis, stride in value.access.strides:
            index_of = self.layout.index.get(axis, ZERO)
            if index_of != ZERO:
                outer.append(index_of * _number(stride * value.step))
        return joined("+", outer, ZERO)

    def _variable(self, value: Expr) -> Name:
        variable = Name(id=self.w.unique("v"))
        self.w.assign(variable, value)
        return variable

    def _reduce(self, index: int) -> Tile:
        value = self.t.values[index]
        return self._fold(value, self.held[value.args[0]], self.extent_of(value), self.meaning(index))

    def _fold(self, value: Value, held: Location, extent: Extent, wish: str) -> Tile:
        """Reduce a tile over those of the reduction's axes that lie inside tiles; return a tile of `extent`."""
        assert held.tile is not None
        source = held.tile
        dst = self.w.allocate(extent, source.dtype, wish=wish)
        axis: Literal["last", "first", "all"] = "last"
        if source.extent == "F" and self.layout.row is not None and extent != "R":
            axis = "first" if extent == "C" else "all"
        self.w.op(f"reduce_{value.kind}", dst, source.ref, axis=axis)
        return dst

    def _accumulate(self, index: int) -> None:
        value, total = self.t.values[index], self.totals[index]
        assert value.kind is not None
        arg = self.held[value.args[0]]
        if arg.tile is None or arg.tile.extent != total.extent:
            wide = arg
            if arg.tile is None or arg.tile.extent == "S":
                wide = Location(value.dtype, tile=self.ops.widened(arg, total.extent))
            part = (
                self._fold(value, wide, total.extent, f"tile_{value.kind}")
                if wide.extent != total.extent
                else None
            )
            tile = part or wide.tile
            assert tile is not None
            self.w.op(COMBINE[value.kind], total, total.ref, tile.ref)
            if part is not None:
                self.w.release(part)
            return
        self.w.op(COMBINE[value.kind], total, total.ref, arg.tile.ref)

    def _store_tile(self, index: int) -> Tile:
        """Return the tile to be stored, in the form in which the output lies in memory."""
        store = self.t.nest.stores[index]
        held = self.held[store.value]
        extent = self.extent(store.axes)
        if held.dtype == DType.BOOL:
            number = self.w.allocate(self.ops.widened(held, extent).extent, self.w.floats)
            self.w.op("cast", number, self.ops.widened(held, extent).ref)
            self.ops.scratch.append(number)
            held = Location(DType.FLOAT32, tile=number)
        tile = self.ops.widened(held, extent)
        if tile.extent == "F" and self._turned(self.t.stores[index]):
            turned = self.w.allocate("T", tile.dtype)
            self.w.op("transpose", turned, tile.ref)
            self.ops.scratch.append(turned)
            return turned
        count = self.apart(index)
        if count is None:
            return tile
        column = self.w.allocate("K", tile.dtype)
        self.w.op("broadcast", column, TileRef(tile=tile.name, view="column"), extent=(count, ONE))
        self.ops.scratch.append(column)
        return column


def _number(value: float) -> Const:
    """Return a number; whole ones as integers, so that positions stay exact."""
    return Const(value=int(value) if value == int(value) else value)
