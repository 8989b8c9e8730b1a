"""What all schedules share; and the two simplest: single numbers, and one flat axis."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Literal

from akgen.tools.compose.back.layout import BLOCK, CORE, CORES, FIRST_CORE, Layout, Level, Tensors
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.redundancy import LoopWork
from akgen.tools.compose.back.tuning import PIECES, Tuning
from akgen.tools.compose.back.writer import Extent, Shape, Writer
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name, call, product
from akgen.tools.dsl.ir import Assign, Stmt
from akgen.tools.dsl.ops import LIBRARY_LIVE

Kind = Literal[
    "single",
    "flat",
    "rows",
    "tiles",
    "items",
    "columns",
    "shared",
    "split",
    "list",
    "list_items",
    "windows",
    "lines",
    "elements",
    "contraction",
    "grouped",
    "sorting",
    "sorting_long",
    "sorting_passes",
    "scatter_rows",
    "scatter_elements",
    "attention",
    "epilogue",
]


@dataclass(frozen=True)
class TileSize:
    """The capacity parameter that the host sets: what fits into UB, and not more than any of `most`."""

    param: Name
    most: tuple[Expr, ...]
    rows: bool  # counts rows, not elements

    @property
    def longest(self) -> Expr:
        """Return the least of `most`."""
        return call("min", *self.most) if len(self.most) > 1 else self.most[0]


@dataclass
class Part:
    """One nest's share of a kernel: what the host sets before the launch, and how much work there is."""

    kind: Kind
    phase: int = 0  # which shares the Unified Buffer with the other parts of it
    sizes: list[Stmt] = field(default_factory=list)  # what decides how much work there is
    host: list[Stmt] = field(default_factory=list)  # set capacities and shares, given `cores`
    cores: Expr = ONE  # host expression: how many cores this part can use
    even: bool = True  # whether any number up to that will do
    mixed: bool = False  # whether cube cores work for it, one for two programs
    cycles: Expr | None = None  # host expression: about how long one core would take, where that is known
    fits: Expr | None = None  # host condition under which this schedule works at all
    tile: TileSize | None = None
    fixed: list[Name] = field(default_factory=list)  # other capacity parameters
    columns: Name | None = None  # that of them which may be made shorter where not one row fits
    workspaces: list[tuple[str, Expr, DType]] = field(default_factory=list)
    work: tuple[LoopWork, ...] = ()


# operations of several vector instructions
STEPS = {
    "pow": 20,
    "expm1": 18,
    "gelu": 17,
    "gelu_tanh": 10,
    "silu": 9,
    "sigmoid": 9,
    "softplus": 10,
    "round_float16": 2,
    "round_bfloat16": 2,
} | dict.fromkeys(LIBRARY_LIVE, 8)
# cycles of an instruction for 64 elements, where it is not about one for each step
CYCLES = {"exp": 4, "div": 4, "ln": 2, "sqrt": 2, "rsqrt": 6, "reduce": 2, "scan": 8}
LOAD_CYCLES, STORE_CYCLES = 8, 4  # for 64 elements of memory, by one core
ROUND_CYCLES = 2000  # from a tile's load to its store, and numbers that the scalar unit takes from it
TURN_CYCLES, LOOKUP_CYCLES = 30, 100  # for 64 elements that are turned on the way, or that indices pick
SCHEDULES: dict[Kind, type["Schedule"]] = {}
OPERATIONS: dict[str, Kind] = {}  # schedules of library operations (`LIBRARY` of middle/axes.py)


class Schedule:
    """Shared by all schedules: names of parameters, loops."""

    kind: Kind

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            SCHEDULES[cls.kind] = cls

    def __init__(
        self, template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
    ) -> None:
        self.t, self.w, self.suffix, self.tensors, self.tuning = template, writer, suffix, tensors, tuning
        self.part = Part(kind=self.kind)
        self.prepare()
        self.part.cycles = self.cycles()

    def prepare(self) -> None:
        """Set names and what the host does for the part."""

    def check(self, emitter: LoopCodegen) -> None:
        """Refuse what the schedule cannot do."""

    def name(self, base: str) -> Name:
        return Name(id=base + self.suffix)

    def size(self, axis: int) -> Name:
        return self.w.variable(self.t.sizes[axis])

    def param(self, base: str) -> Name:
        """Return a scalar parameter that the host sets under its own name."""
        return self.w.variable(self.name(base))

    @contextmanager
    def tiles(
        self,
        at: Name,
        length: Name,
        first: Expr | int,
        last: Expr,
        tile: Expr,
        step: Expr | None = None,
        *,
        backward: bool = False,
    ) -> Iterator[None]:
        """Open the loop over tiles of a range: `at` is where one begins, `length` how long it is."""
        if backward:
            turn, count = self.name("turn"), call("ceil_div", last, tile)
            with self.w.loop(turn, first, count):
                self.w.assign(at, (count - 1 - turn) * tile)
                self.w.assign(length, call("min", tile, last - at))
                yield
            return
        with self.w.loop(at, first, last, tile if step is None else step):
            self.w.assign(length, call("min", tile, last - at))
            yield

    def group(self) -> tuple[Expr, Expr]:
        """Return where partial results that belong together begin in a workspace, and how many they are."""
        return (ZERO, CORES)

    def work(self) -> int:
        """Return about how many vector instructions a tile takes."""
        return sum(STEPS.get(v.op, 1) for v in self.t.values if v.op not in ("load", "const"))

    def cycles(self) -> Expr | None:
        """Return about how many cycles one core would take: what is done for every element, copies beside it."""
        every = tuple(range(len(self.t.sizes)))
        values = self.t.values
        whole = [v for v in values if v.deps == every or (v.args and values[v.args[0]].deps == every)]
        loads = sum(self._load_cycles(v) for v in whole if v.op == "load")
        stores = STORE_CYCLES * sum(values[s.value].deps == every for s in self.t.nest.stores)
        done = sum(CYCLES.get(v.op, STEPS.get(v.op, 1)) for v in whole if v.op not in ("load", "const"))
        longest = max(loads, stores, done)
        cycles = self.elements() * (longest + (loads + stores + done - longest) // PIECES) // 64
        return cycles if self.rounds() == ZERO else cycles + self.rounds() * ROUND_CYCLES

    def rounds(self) -> Expr:
        """Return how many times the loops come to a tile, where that may be for few elements."""
        return ZERO

    def dealt(self) -> tuple[tuple[int, int], ...]:
        """Return the axes that the cores share, each with how many of its points a core takes; () for all."""
        return ()

    def busy(self) -> Name:
        """Let the host say how many cores are worth their start for this part alone."""
        cycles, known, busy = self.cycles(), self.name("own_cycles"), self.name("own_busy")
        if cycles is not None:
            self.part.sizes.append(Assign(name=known.id, value=cycles))
        self.part.sizes.append(
            Assign(name=busy.id, value=self.tuning.busy(None if cycles is None else known))
        )
        return busy

    def _load_cycles(self, v: Value) -> int:
        if any(len(self.t.sizes) - 1 in self.t.values[a].deps for a in v.args):
            return LOOKUP_CYCLES
        return LOAD_CYCLES if self.t.turned() is None else TURN_CYCLES

    def elements(self) -> Expr:
        """Return how many lanes of tiles the nest has."""
        *outer, lane = self.t.sizes
        return product([*outer, call("align_up", lane, 64)])

    def small(self) -> dict[Extent, Shape]:
        return {"S": (BLOCK,), "P": (Const(value=64), ONE)}

    def flat(self, tile: Name) -> dict[Extent, Shape]:
        """Return the capacities where tiles have one axis."""
        return {**self.small(), "F": (tile,), "K": (tile, ONE)}

    def two_axes(self, rows: Name, columns: Name) -> dict[Extent, Shape]:
        """Return the capacities where tiles have rows and columns."""
        wide: dict[Extent, Shape] = {
            "F": (rows, columns),
            "R": (rows,),
            "C": (columns,),
            "T": (columns, rows),
        }
        return {**self.small(), **wide, "K": (rows, ONE)}

    def capacities(self) -> dict[Extent, Shape]:
        return self.small()

    def layout(self) -> Layout:
        raise NotImplementedError

    def levels(self) -> list[Level]:
        raise NotImplementedError

    def root(self) -> Level:
        return Level(frozenset(), nullcontext, guard=FIRST_CORE)

    def set(self, name: Name, value: Expr) -> None:
        """Let the host set a variable before the launch."""
        self.part.host.append(Assign(name=name.id, value=value))

    def share(self, count: Expr, cores: Expr, step: int = 1) -> None:
        """Let the host cut `count` units evenly: `cores` and per_core, in multiples of `step`."""
        each = call("ceil_div", count, Name(id="cores"))
        self.part.cores = cores
        self.set(self.name("per_core"), call("align_up", each, step) if step > 1 else each)

    def tile_of(self, param: str, *most: Expr, rows: bool = False) -> None:
        """Let the host decide a capacity parameter."""
        self.part.tile = TileSize(self.name(param), most, rows)

    def bounds(self, count: Expr) -> None:
        """Write which units this core works on."""
        per_core, first = self.param("per_core"), self.name("first")
        self.w.assign(first, CORE * per_core)
        self.w.assign(self.name("last"), call("min", first + per_core, count))

    def counted(self, counter: Expr, axes: Sequence[int]) -> dict[int, Expr]:
        """Return the index of each of these axes, all of which are counted by one variable."""
        index: dict[int, Expr] = {}
        for k, axis in enumerate(axes):
            inner = [self.size(a) for a in axes[k + 1 :]]
            outer = counter // product(inner) if inner else counter
            index[axis] = outer if k == 0 else outer % self.size(axis)
        return index


class Library(Schedule):
    """A library operation, whose loops its schedule writes itself."""

    def cycles(self) -> None:
        return None

    def run(self) -> None:
        raise NotImplementedError

    def number(self, value: Expr) -> Expr:
        """Return an integer host expression as the kernel sees it."""
        return value if isinstance(value, Const) else self.w.scalar(value, "int")


class Single(Schedule):
    """No axes: a few numbers, on one core."""

    kind: Kind = "single"

    def elements(self) -> Expr:
        return ONE

    def layout(self) -> Layout:
        return Layout(row=None, lane=None, index={}, extents={"S": (ONE,)})

    def levels(self) -> list[Level]:
        return [self.root()]


class Flat(Schedule):
    """One axis, cut over the cores and then into tiles."""

    kind: Kind = "flat"

    def prepare(self) -> None:
        n = self.t.sizes[0]
        self.share(n, call("ceil_div", n, self.tuning.grain(512)), 64)
        self.tile_of("tile", self.tuning.piece(self.name("per_core"), work=self.work()))

    def capacities(self) -> dict[Extent, Shape]:
        return self.flat(self.param("tile"))

    def layout(self) -> Layout:
        m, i = self.name("m"), self.name("i")
        return Layout(row=None, lane=0, index={0: i}, extents={"F": (m,), "S": (ONE,)}, lane_count=m)

    def levels(self) -> list[Level]:
        n, tile, m, i = self.size(0), self.param("tile"), self.name("m"), self.name("i")
        self.bounds(n)
        first, last = self.name("first"), self.name("last")
        return [self.root(), Level(frozenset({0}), lambda: self.tiles(i, m, first, last, tile))]
