"""Write loads with guards and indices: what lies outside is filled, rows and elements are picked.

Along the lanes, elements that lie a few apart are loaded as one span and picked from it in the Unified Buffer; so are
elements that an index picks from a row that is not much longer than what is picked.
"""

from dataclasses import dataclass
from typing import Literal

from akgen.tools.compose.back.layout import Layout, Tensors
from akgen.tools.compose.back.operands import Location
from akgen.tools.compose.back.transfers import Transfers
from akgen.tools.compose.back.writer import Extent, Shape, Tile, Writer
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.middle.symbolic import literal
from akgen.tools.compose.middle.symbolic_nest import Address, Inside, SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ONE, ZERO, Choice, Const, Element, Expr, Name, binary, call, joined

SPAN_STRIDE = 16  # elements further apart are copied one by one
WIDE = 4096  # elements of a row that is loaded whole to pick from
WIDE_SHARE = 16  # how much longer than what is picked such a row may be


@dataclass
class LoadIndices:
    """The indices of a load, ready for it: an address term, a tile per row, a tile of elements."""

    base: Expr
    rows: Tile | None = None
    step: Expr = ONE  # what the index of rows counts
    elements: Tile | None = None


@dataclass
class Picked:
    """A load that elements are still to be picked from: where `index` says, or every `step`-th."""

    tile: Tile
    extent: Extent
    index: Location | None = None
    step: int = 1  # negative: from the last on


class AccessCodegen(Transfers):
    """Loads of all kinds; `prepared` and `picked` hold what lies between the steps of one."""

    def __init__(self, template: SymbolicNest, writer: Writer, layout: Layout, tensors: Tensors) -> None:
        super().__init__(template, writer, layout, tensors)
        self.widths: dict[Name, Expr] = {}  # lengths of rows that are loaded whole, set by the host
        self.suffix = ""  # of their names
        self.spans: list[int] = []  # how far apart the elements lie of what is loaded as spans
        self.loads_rows = True  # rows to pick from are loaded whole, where they are short
        self.prepared: dict[int, LoadIndices] = {}
        self.picked: dict[int, Picked] = {}
        self._steering: set[int] = set()

    def steers(self, index: int) -> bool:
        """Return whether an index of a load is computed from this value."""
        if not self._steering:
            stack = [a for v in self.t.values if v.op == "load" for a in v.args]
            while stack:
                i = stack.pop()
                if i not in self._steering:
                    self._steering.add(i)
                    stack.extend(self.t.values[i].args)
        return index in self._steering

    def is_indexed(self, index: int) -> bool:
        return self.t.values[index].op == "load" and bool(self.t.values[index].args)

    def _reach(self, index: int) -> Literal["single", "rows", "lanes"]:
        """Return along what of a tile an index varies."""
        extent = self.extent_of(self.t.values[index])
        return "single" if extent == "S" else "rows" if extent == "R" else "lanes"

    def _plain(self, value: Value, address: Address) -> bool:
        lane = self.layout.lane
        step = ONE if lane is None else address.stride(lane)
        near = isinstance(step, Const) and step not in (ZERO, ONE) and abs(int(step.value)) <= SPAN_STRIDE
        across = self.extent_of(value) in ("F", "C")
        if "T" in self.w.capacities and self._turned(address):
            near = False
        return not (value.args or address.guards or (near and across))

    # before the load: indices become scalars and tiles of their own

    def prepare(self, index: int) -> None:
        """Make the indices of a load ready, in a compute block."""
        value, address = self.t.values[index], self.t.addresses[index]
        assert address is not None
        terms = [self.base(address)]
        rows: list[tuple[Location, Expr]] = []
        lanes: list[tuple[int, Expr, Expr]] = []
        for arg, scale, limit in zip(value.args, address.scales, address.limits, strict=True):
            factor = self.number(scale)
            match self._reach(arg):
                case "single":
                    at = self.whole(self.held[arg])
                    terms.append(at if factor == ONE else at * factor)
                case "rows":
                    rows.append((self.held[arg], factor))
                case "lanes":
                    lanes.append((arg, factor, limit))
        ready = LoadIndices(base=joined("+", [t for t in terms if t != ZERO], ZERO))
        if rows:
            self._prepare_rows(ready, rows, address)
        if not self._wide(index, lanes) if lanes else self._scattered(index, address):
            self._prepare_elements(ready, lanes, address)
        self.prepared[index] = ready

    def _scattered(self, index: int, address: Address) -> bool:
        """Return whether a tile's elements lie far apart, by a number that only the host knows."""
        along = address.stride(self.layout.lane) if self.layout.lane is not None else ZERO
        far = not isinstance(along, Const) and self.extent_of(self.t.values[index]) == "F"
        return far and self.layout.row is None and not address.guards

    def whole(self, held: Location) -> Expr:
        """Return an integer as a scalar of the kernel; of a tile, exact beyond what a float holds."""
        if held.scalar is None and held.host is None:
            assert held.tile is not None
            variable = Name(id=self.w.unique("v"))
            self.w.assign(variable, call("int", Element(tile=held.tile.name, index=ZERO)))
            held.scalar = variable
        return self.ops.scalar(held)

    def _prepare_rows(self, ready: LoadIndices, rows: list[tuple[Location, Expr]], address: Address) -> None:
        along = self.number(address.stride(self._row()))
        index = self._own("I")
        ((first, factor), *more) = rows
        assert first.tile is not None
        if not more and along == ZERO:
            self.w.op("copy", index, first.tile.ref)
            ready.step = factor
        else:
            self._scaled(index, first.tile, factor)
            for held, scale in more:
                assert held.tile is not None
                part = self._own("I")
                self._scaled(part, held.tile, scale)
                self.w.op("add", index, index.ref, part.ref)
                self.w.release(part)
            if along != ZERO:
                part = self._own("I")
                self.w.op("iota", part, ZERO, extent=(self.layout.row_count,))
                self._scaled(part, part, along)
                self.w.op("add", index, index.ref, part.ref)
                self.w.release(part)
        ready.rows = index

    def _scaled(self, dst: Tile, source: Tile, factor: Expr) -> None:
        if factor != ONE:
            self.w.op("mul", dst, source.ref, factor)
        elif dst is not source:
            self.w.op("copy", dst, source.ref)

    def _prepare_elements(
        self, ready: LoadIndices, lanes: list[tuple[int, Expr, Expr]], address: Address
    ) -> None:
        assert self.layout.lane is not None
        if self.layout.row is not None:
            raise Unsupported("layout", "elements that an index picks one by one need tiles of one axis")
        index: Tile | None = None

        def add(part: Tile) -> None:
            nonlocal index
            if index is None:
                index = part
            else:
                self.w.op("add", index, index.ref, part.ref)
                self.w.release(part)

        for arg, factor, _ in lanes:
            part = self._own("J")
            self._scaled(part, self.ops.widened(self.held[arg], "F"), factor)
            add(part)
        along = self.number(address.stride(self.layout.lane))
        if along != ZERO:
            part = self._own("J")
            self.w.op("iota", part, ZERO, extent=(self.layout.lane_count,))
            self._scaled(part, part, along)
            add(part)
        ready.elements = index

    def _own(self, extent: Literal["I", "J"]) -> Tile:
        """Return a tile for an index: never one that values of the nest use."""
        like = self.w.capacities["R" if extent == "I" and "R" in self.w.capacities else "F"]
        self.w.capacities[extent] = like[:1] if extent == "I" else like[-1:]
        return self.w.allocate(extent, "int32")

    def _wide(self, index: int, lanes: list[tuple[int, Expr, Expr]]) -> bool:
        """Return whether the row that an index picks from is loaded whole."""
        value, access, lane = self.t.values[index], self.t.values[index].access, self.layout.lane
        assert access is not None and lane is not None
        if not self.loads_rows or len(lanes) > 1 or access.stride(lane) or value.dtype == DType.BOOL:
            return False
        (arg, factor, _) = lanes[0]
        own = "F" if self.layout.row is None else "C"
        limit = access.limits[value.args.index(arg)]
        short = limit <= min(WIDE, WIDE_SHARE * max(64, self.t.nest.sizes[lane]))
        return factor == ONE and self.extent_of(self.t.values[arg]) == own and short

    # the load

    def _load(self, index: int) -> Tile | None:
        value, address = self.t.values[index], self.t.addresses[index]
        assert value.origin is not None and address is not None
        if self._plain(value, address):
            return super()._load(index)
        extent, lane = self.extent_of(value), self.layout.lane
        ready = self.prepared.pop(index, None) or LoadIndices(base=self.base(address))
        dtype = self.w.floats if value.dtype == DType.BOOL else self.w.type_name(value.dtype)
        tensor = self.tensors.source(self.w, value.origin)
        step = ONE if lane is None or extent in ("S", "R") else self.number(address.stride(lane))
        if ready.elements is not None:
            self._forbid(address.guards)
            tile = self.w.allocate(extent, dtype, loaded=True, wish=self.meaning(index))
            self.w.load(tile, tensor, ready.base, self.layout.extents[extent], index=ready.elements)
            self.w.release(ready.elements)
            self.held[index] = Location(value.dtype, tile=tile)
            return None
        lanes = [k for k, a in enumerate(value.args) if self._reach(a) == "lanes"]
        if lanes:
            width = self._width(address.limits[lanes[0]])
            self._row_of(index, ready, dtype, width, self.held[value.args[lanes[0]]])
            return None
        if extent == "R" and (address.stride(self._row()) != ONE or ready.rows is not None):
            return self._column(index, ready, dtype)
        if step != ONE:
            self._span(index, ready, dtype, step)
            return None
        tile = self.w.allocate(extent, dtype, loaded=True, wish=self.meaning(index))
        shape = self.layout.extents[extent]
        along = "rows" if extent == "R" else "lanes"
        self._transfer(index, tile, ready, shape, along=along)
        self.held[index] = Location(value.dtype, tile=tile)
        return None

    def _transfer(
        self, index: int, tile: Tile, ready: LoadIndices, shape: Shape, *, along: str, step: Expr = ONE
    ) -> None:
        """Write the copy of one extent, whose columns lie along lanes (or rows), with its bounds or index."""
        value, address = self.t.values[index], self.t.addresses[index]
        assert value.origin is not None and address is not None
        tensor = self.tensors.source(self.w, value.origin)
        if ready.rows is not None:
            self._forbid(address.guards)
            self.w.load(tile, tensor, ready.base, shape, ready.step, index=ready.rows)
            self.w.release(ready.rows)
            return
        stride = self.stride(address) if len(shape) == 2 else None
        if not address.guards:
            self.w.load(tile, tensor, ready.base, shape, stride)
            return
        rows, columns = self._bounds(address.guards, shape, along, step)
        fill: Expr = literal(value.value if value.value is not None else 0)
        if value.dtype.is_float:
            fill = literal(float(value.value or 0.0))
        self.w.load(tile, tensor, ready.base, shape, stride, rows=rows, columns=columns, fill=fill)

    def _forbid(self, guards: tuple[Inside, ...]) -> None:
        if guards:
            raise Unsupported("layout", "an index beside positions that lie outside is not covered")

    def _bounds(
        self, guards: tuple[Inside, ...], shape: Shape, along: str, step: Expr
    ) -> tuple[tuple[Expr, Expr] | None, tuple[Expr, Expr]]:
        """Return which rows and columns of an extent the guards let through."""
        two = len(shape) == 2
        limits: dict[str, list[tuple[Expr, Expr]]] = {"rows": [], "columns": []}
        for guard in guards:
            low, high = self._ends(guard)
            by_row = ZERO if self.layout.row is None else guard.stride(self.layout.row)
            by_lane = ZERO if self.layout.lane is None else guard.stride(self.layout.lane)
            if along == "rows":
                by_row, by_lane = ZERO, by_row
            if by_row != ZERO and by_lane != ZERO:
                raise Unsupported("layout", "a window across both axes of a tile needs tiles of one axis")
            if by_lane != ZERO:
                if by_lane != step:
                    raise Unsupported(
                        "layout", "a padded axis that is not the tensor's innermost is not covered"
                    )
                limits["columns"].append((low, high))
            elif by_row != ZERO:
                limits["rows"].append(self._walked(low, high, by_row))
            else:
                inside = binary("and", binary("<=", low, 0), binary(">", high, 0))
                last = Choice(cond=inside, then=shape[0], other=ZERO)
                limits["rows" if two else "columns"].append((ZERO, last))
        columns = _both(limits["columns"]) or (ZERO, shape[-1])
        return _both(limits["rows"]), columns

    def _walked(self, low: Expr, high: Expr, step: Expr) -> tuple[Expr, Expr]:
        if not isinstance(step, Const) or int(step.value) < 1:
            raise Unsupported("layout", "a padded axis that is walked backwards is not covered")
        if step == ONE:
            return low, high
        return call("ceil_div", call("max", low, 0), step), call("ceil_div", call("max", high, 0), step)

    def _ends(self, guard: Inside) -> tuple[Expr, Expr]:
        """Return how far from a tile's first element a guarded index becomes 0, and how far it reaches its limit."""
        before = guard.offset
        before = Const(value=-int(before.value)) if isinstance(before, Const) else self.number(-before)
        limit = self.number(guard.limit)
        last = limit if before == ZERO else limit + before
        moved = self.base(Address(offset=ZERO, strides=guard.strides))
        if moved == ZERO:
            return before, last
        return (-moved if before == ZERO else before - moved), last - moved

    def _span(self, index: int, ready: LoadIndices, dtype: str, step: Expr) -> None:
        """Load everything from a tile's first to its last element; what is wanted lies `step` apart."""
        value, address = self.t.values[index], self.t.addresses[index]
        extent, count = self.extent_of(value), self.layout.lane_count
        assert address is not None
        if not isinstance(step, Const) or step == ZERO:
            raise Unsupported("layout", "a tensor whose innermost axis is not contiguous is not covered")
        apart, back = abs(int(step.value)), int(step.value) < 0
        self.spans.append(apart)
        if back and address.guards:
            raise Unsupported("layout", "a padded axis that is walked backwards is not covered")
        reach = (count - 1) * apart if apart > 1 else count - 1
        shape = (*self.layout.extents[extent][:-1], reach + 1)
        own = self.w.capacities[extent]
        self.w.capacities["W"] = (*own[:-1], own[-1] * apart) if apart > 1 else own
        tile = self.w.allocate("W", dtype, loaded=True)
        if back:
            ready.base = ready.base - reach
        self._transfer(index, tile, ready, shape, along="lanes", step=step)
        self.picked[index] = Picked(tile, extent, step=int(step.value))

    def _row_of(self, index: int, ready: LoadIndices, dtype: str, width: Name, operand: Location) -> None:
        """Load the rows that an index picks elements from."""
        extent = self.extent_of(self.t.values[index])
        shape = (*self.layout.extents[extent][:-1], width)
        self.w.capacities["W"] = (*self.w.capacities[extent][:-1], width)
        tile = self.w.allocate("W", dtype, loaded=True)
        self._transfer(index, tile, ready, shape, along="lanes")
        self.picked[index] = Picked(tile, extent, index=operand)

    def _width(self, limit: Expr) -> Name:
        """Return the kernel's name for the length of a row that is loaded whole; the host sets it."""
        known = next((n for n, e in self.widths.items() if e == limit), None)
        name = known or Name(id=f"width{len(self.widths)}{self.suffix}")
        self.widths[name] = limit
        return self.w.variable(name)

    def _column(self, index: int, ready: LoadIndices, dtype: str) -> Tile | None:
        """Load one element per row."""
        value, address = self.t.values[index], self.t.addresses[index]
        assert value.origin is not None and address is not None
        if dtype != "float32":
            raise Unsupported("layout", "integers that lie apart in memory are not covered")
        column = self.w.allocate("K", dtype, loaded=True)
        self._transfer(index, column, ready, (self.layout.row_count, ONE), along="lanes")
        return column

    # after the load

    def _arrived(self, index: int, column: Tile | None) -> None:
        picked = self.picked.pop(index, None)
        if picked is not None:
            dst = self.w.allocate(picked.extent, picked.tile.dtype)
            own = self._every(picked.step) if picked.index is None else None
            source = own if picked.index is None else picked.index.tile
            assert source is not None
            self.w.op("gather", dst, picked.tile.ref, source.ref)
            self.w.release(picked.tile)
            if own is not None:
                self.w.release(own)
            self.held[index] = Location(self.t.values[index].dtype, tile=dst)
        super()._arrived(index, column)

    def _every(self, step: int) -> Tile:
        """Return the positions of every `step`-th element; of a negative step, from the last on."""
        index = self._own("J")
        self.w.op("iota", index, ZERO, extent=(self.layout.lane_count,))
        self._scaled(index, index, Const(value=step))
        if step < 0:
            self.w.op("add", index, index.ref, (self.layout.lane_count - 1) * -step)
        return index


def _both(bounds: list[tuple[Expr, Expr]]) -> tuple[Expr, Expr] | None:
    """Return the intersection of ranges."""
    if not bounds:
        return None
    first, *rest = bounds
    for low, high in rest:
        lows = [e for e in (first[0], low) if e != ZERO] or [ZERO]
        first = (lows[0] if len(lows) == 1 else call("max", *lows), call("min", first[1], high))
    return first
