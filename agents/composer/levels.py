"""Write a template as nested loops: which value is computed at which depth, in how many passes.

Level 0 is the kernel, deeper levels are loops. A value belongs to the deepest level that introduces one of its axes
(or one of its operands). A reduction over looped axes is owned by the level outside these loops: it is accumulated
inside and finished after them, and what needs it waits for another pass.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from akgen.agents.composer.nest import Value
from akgen.agents.composer.operations import Held, Operations, host_value, type_name
from akgen.agents.composer.scope import Unsupported
from akgen.agents.composer.template import Address, Template
from akgen.agents.composer.writer import Extent, Tile, Writer
from akgen.tools.dtypes import DType

START = {"sum": "0.0", "max": "-3.4028234663852886e+38", "min": "3.4028234663852886e+38"}
COMBINE = {"sum": "add", "max": "maximum", "min": "minimum"}


@dataclass(frozen=True)
class Level:
    """A loop level: the axes that its loops run over, and how to open them.

    `guard` is a condition under which exactly one core sees a value of this level (None: every core sees its own).
    """

    axes: frozenset[int]
    opened: Callable[[], AbstractContextManager[None]]
    guard: str | None = None


@dataclass(frozen=True)
class Sink:
    """What must be done with a value: accumulated into a reduction, or stored."""

    kind: str  # "accumulate", "store"
    index: int  # of the reduction's value, of the store


@dataclass
class Layout:
    """How axes map to tiles: the axis of rows and of columns, and the text of every axis's first index."""

    row: int | None
    lane: int | None
    index: dict[int, str]
    extents: dict[Extent, str]
    row_count: str = "n"
    lane_count: str = "m"


@dataclass(frozen=True)
class Tensors:
    """Names of the kernel's tensor parameters; `position` is the index of a list's element in the loop over it."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    lists: frozenset[str] = frozenset()
    position: str = "k"

    def of(self, writer: Writer, name: str) -> str:
        return writer.tensor(name, self.position if name in self.lists else None)


class Emitter:
    """Writes one template through the levels. `combine` makes per-core results global (level 0)."""

    def __init__(
        self,
        template: Template,
        writer: Writer,
        layout: Layout,
        levels: Sequence[Level],
        tensors: "Tensors",
    ) -> None:
        self.t, self.w, self.layout, self.levels = template, writer, layout, levels
        self.tensors = tensors
        self.ops = Operations(writer, layout.extents)
        self.held: dict[int, Held] = {}
        self.workspaces: list[tuple[str, str]] = []  # name, elements per core
        self.totals: dict[int, Tile] = {}
        self.owner = self._owners()
        self.depth = self._depths()

    # analysis

    def _axis_depth(self, axis: int) -> int:
        for k, level in enumerate(self.levels):
            if axis in level.axes:
                return k
        return 0

    def _owners(self) -> dict[int, int]:
        """Return the level that owns each reduction over looped axes."""
        owners: dict[int, int] = {}
        for i in self.t.nest.reductions():
            value = self.t.values[i]
            depths = [self._axis_depth(a) for a in value.over if self._axis_depth(a) > 0]
            if depths:
                owners[i] = min(depths) - 1
                kept = max((self._axis_depth(a) for a in value.deps), default=0)
                if kept > owners[i]:
                    raise Unsupported("reduction", "a reduction over an outer axis only is not covered here")
        return owners

    def _depths(self) -> list[int]:
        depths: list[int] = []
        for i, v in enumerate(self.t.values):
            if i in self.owner:
                depths.append(self.owner[i])
                continue
            own = max((self._axis_depth(a) for a in v.deps), default=0)
            depths.append(max([own, *(depths[a] for a in v.args)]))
        return depths

    def extent_of(self, value: Value) -> Extent:
        return self.extent(value.deps)

    def extent(self, axes: Sequence[int]) -> Extent:
        rows, columns = self.layout.row in axes, self.layout.lane in axes
        if self.layout.row is None:
            return "F" if columns else "S"
        return "F" if rows and columns else "R" if rows else "C" if columns else "S"

    def _arg(self, sink: Sink) -> int:
        if sink.kind == "store":
            return self.t.nest.stores[sink.index].value
        return self.t.values[sink.index].args[0]

    def _sink_depth(self, sink: Sink) -> int:
        depth = self.depth[self._arg(sink)]
        if sink.kind == "store":
            axes = self.t.nest.stores[sink.index].axes
            return max([depth, *(self._axis_depth(a) for a in axes)])
        return max([depth, *(self._axis_depth(a) for a in self.t.values[sink.index].over)])

    def _needs(self, roots: Sequence[int]) -> list[int]:
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

    def _needs_through(self, roots: Sequence[int]) -> set[int]:
        """As _needs, but through reductions that are still to be done."""
        seen: set[int] = set()
        stack = [r for r in roots if r not in self.held]
        while stack:
            i = stack.pop()
            if i not in seen:
                seen.add(i)
                stack.extend(a for a in self.t.values[i].args if a not in self.held)
        return seen

    # levels

    def run(self) -> None:
        """Write the body of the kernel."""
        sinks = [Sink("store", k) for k in range(len(self.t.nest.stores))]
        self._level(0, sinks)

    def _level(self, k: int, sinks: list[Sink]) -> None:
        pending = list(sinks)
        while True:
            waiting = self._owned_for(k, pending)
            if not waiting:
                break
            stage = [
                r for r in waiting
                if not any(o != r and o in self._needs_through([r]) for o in waiting)
            ]  # fmt: skip
            inner = [Sink("accumulate", r) for r in stage]
            ready = [s for s in pending if self._sink_depth(s) > k and not self._owned_for(k, [s])]
            pending = [s for s in pending if s not in ready]
            self._pass(k, inner, ready)
        deeper = [s for s in pending if self._sink_depth(s) > k]
        if deeper:
            self._pass(k, [], deeper)
        here = [s for s in pending if self._sink_depth(s) <= k]
        if here:
            self._here(k, here)

    def _owned_for(self, k: int, sinks: Sequence[Sink]) -> list[int]:
        needed = self._needs_through([self._arg(s) for s in sinks])
        return sorted(r for r in needed if self.owner.get(r) == k and r not in self.held)

    def _pass(self, k: int, accumulate: list[Sink], others: list[Sink]) -> None:
        sinks = accumulate + others
        roots = [self._arg(s) for s in sinks]
        needed = [i for i in self._needs(roots) if self.depth[i] <= k]
        fixed = set(self._boundary(roots, k))
        self._block(k, [i for i in needed if i in fixed or self._feeds(i, fixed)], [], keep=fixed)
        self._extract(roots, k)
        totals = {s.index: self._start(s.index) for s in accumulate}
        level = self.levels[k + 1]
        self.w.close_stage()
        with level.opened():
            before = self._snapshot()
            self.totals.update(totals)
            self._level(k + 1, sinks)
            self._forget(before)
        self.w.close_stage()
        for index, tile in totals.items():
            self.held[index] = Held(self.t.values[index].dtype, tile=tile)
        if k == 0 and totals:
            self._combine(totals)

    def _boundary(self, roots: Sequence[int], k: int) -> Iterator[int]:
        """Yield values of depth <= k that something deeper uses."""
        deep = [i for i in self._needs(roots) if self.depth[i] > k]
        used = {a for i in deep for a in self.t.values[i].args} | set(roots)
        for i in used:
            if self.depth[i] <= k and i not in self.held and i not in self.owner:
                yield i

    def _feeds(self, index: int, targets: set[int]) -> bool:
        stack = [t for t in targets]
        seen: set[int] = set()
        while stack:
            i = stack.pop()
            if i == index:
                return True
            if i not in seen:
                seen.add(i)
                stack.extend(self.t.values[i].args)
        return False

    def _extract(self, roots: Sequence[int], k: int) -> None:
        """Make scalars of single values that deeper levels need as such, before their loops begin."""
        deep = [i for i in self._needs(roots) if self.depth[i] > k]
        used = {a for i in deep if self.extent_of(self.t.values[i]) != "S" for a in self.t.values[i].args}
        with self.w.stage("compute"):
            for i in sorted(used):
                held = self.held.get(i)
                if held is not None and held.tile is not None and held.extent == "S":
                    if held.dtype != DType.BOOL and held.variable is None:
                        self.ops.scalar_text(held)

    def _snapshot(self) -> dict[int, tuple[Held, str | None]]:
        return {i: (held, held.variable) for i, held in self.held.items()}

    def _forget(self, before: dict[int, tuple[Held, str | None]]) -> None:
        """Give back what was computed inside a loop that ends here, variables included."""
        for i, held in list(self.held.items()):
            if i not in before:
                if held.tile is not None:
                    self.w.release(held.tile)
                del self.held[i]
        for i, (held, variable) in before.items():
            held.variable = variable
            self.held[i] = held

    def _start(self, index: int) -> Tile:
        value = self.t.values[index]
        if value.kind not in START:
            raise Unsupported(f"reduce {value.kind}", f"a reduction by {value.kind} is not covered")
        extent = self.extent_of(value)
        tile = self.w.allocate(extent, type_name(value.dtype))
        with self.w.stage("compute"):
            self.ops.op("fill", tile.name, START[value.kind], self.layout.extents[extent])
        return tile

    def _combine(self, totals: dict[int, Tile]) -> None:
        """Add up (or take the extreme of) what the cores found, through global memory."""
        slots: dict[int, tuple[str, str]] = {}
        for index, tile in totals.items():
            name = f"ws{len(self.workspaces)}"
            width = "8" if tile.extent == "S" else f"align_up({self.layout.lane_count}, 8)"
            self.workspaces.append((name, width))
            slots[index] = (self.w.tensor(name), width)
            with self.w.stage("copyout"):
                self.ops.op("store", name, f"program_id() * {width}", tile.name)
        self.w.line("sync_all()")
        self.w.close_stage()
        for index, tile in totals.items():
            name, width = slots[index]
            kind = self.t.values[index].kind
            assert kind is not None
            if tile.extent == "S":
                parts = self.w.allocate("P", "float32", loaded=True)
                with self.w.stage("copyin"):
                    self.ops.op("load", parts.name, name, "0", "(num_programs(), 1)", "stride=8")
                with self.w.stage("compute"):
                    self.w.line(f"reduce_{kind}({tile.name}, {parts.name}, axis=None)")
                self.w.release(parts)
                continue
            part = self.w.allocate(tile.extent, "float32", loaded=True)
            with self.w.stage("compute"):
                self.ops.op("fill", tile.name, START[kind], self.layout.extents[tile.extent])
            counter = self.w.unique("core")
            with self.w.indented(f"for {counter} in range(num_programs()):"):
                with self.w.stage("copyin"):
                    offset = f"{counter} * {width}"
                    self.ops.op("load", part.name, name, offset, self.layout.extents[tile.extent])
                with self.w.stage("compute"):
                    self.ops.op(COMBINE[kind], tile.name, tile.name, part.name)
            self.w.release(part)
            self.w.close_stage()

    def _here(self, k: int, sinks: list[Sink]) -> None:
        roots = [self._arg(s) for s in sinks]
        values = self._needs(roots)
        guard = self.levels[k].guard
        if guard is not None:
            self.w.close_stage()
            with self.w.indented(f"if {guard}:"):
                before = self._snapshot()
                self._block(k, values, sinks, keep=set())
                self._forget(before)
            self.w.close_stage()
        else:
            before = self._snapshot()
            self._block(k, values, sinks, keep=set())
            self._forget(before)

    # one block of loads, computation and stores

    def _block(self, k: int, values: list[int], sinks: list[Sink], keep: set[int]) -> None:
        """Compute `values` in order, then serve the sinks; `keep` stay held afterwards."""
        uses: dict[int, int] = {}
        for i in values:
            if i not in self.owner:
                for a in self.t.values[i].args:
                    uses[a] = uses.get(a, 0) + 1
        for s in sinks:
            uses[self._arg(s)] = uses.get(self._arg(s), 0) + 1
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
        name = self.tensors.of(self.w, self.tensors.inputs[value.origin.input])
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
        name = self.tensors.of(self.w, self.tensors.inputs[value.origin.input])
        variable = self.w.unique("v")
        self.w.close_stage()
        self.w.line(f"{variable} = read({name}, {self.base(address)})")
        self.held[index] = Held(value.dtype, variable=variable)
        return True

    def _row(self) -> int:
        assert self.layout.row is not None
        return self.layout.row

    def stride(self, address: Address) -> str:
        return self.number(address.stride(self._row()))

    def _strided(self, address: Address) -> bool:
        return self.layout.row is not None and address.stride(self.layout.row) != self._lane_size()

    def _lane_size(self) -> str:
        return "" if self.layout.lane is None else self.t.sizes[self.layout.lane]

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
                    self.ops.op("add", tile.name, tile.name, f"float({first})" if value.dtype.is_float else first)
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
