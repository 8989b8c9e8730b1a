"""What all schedules share; and the two simplest: single numbers, and one flat axis."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Literal

from akgen.tools.compose.back.layout import Layout, Level, Tensors
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import Extent, Writer
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest

Kind = Literal["single", "flat", "rows", "tiles", "items", "columns", "split", "list", "list_items"]


@dataclass(frozen=True)
class TileSize:
    """The capacity parameter that the host sets: what fits into UB, and not more than any of `most`."""

    param: str
    most: tuple[str, ...]
    rows: bool  # counts rows, not elements


@dataclass
class Part:
    """One nest's share of a kernel: what the host sets before the launch, and how much work there is."""

    kind: Kind
    host: list[str] = field(default_factory=list)  # lines that set capacities and shares, given `cores`
    cores: str = "1"  # host expression: how many cores this part can use
    fits: str | None = None  # host condition under which this schedule works at all
    tile: TileSize | None = None
    fixed: list[str] = field(default_factory=list)  # other capacity parameters
    workspaces: list[tuple[str, str]] = field(default_factory=list)


SCHEDULES: dict[Kind, type["Schedule"]] = {}


class Schedule:
    """Shared by all schedules: names of parameters, loops."""

    kind: Kind

    def __init_subclass__(cls) -> None:
        SCHEDULES[cls.kind] = cls

    def __init__(
        self, template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
    ) -> None:
        self.t, self.w, self.suffix, self.tensors, self.tuning = template, writer, suffix, tensors, tuning
        self.part = Part(kind=self.kind)
        self.prepare()

    def prepare(self) -> None:
        """Set names and the part's host lines."""

    def check(self, emitter: LoopCodegen) -> None:
        """Refuse what the schedule cannot do."""

    def name(self, base: str) -> str:
        return base + self.suffix

    def size(self, axis: int) -> str:
        return self.w.scalar(self.t.sizes[axis], "int", own=True)

    def param(self, base: str) -> str:
        """Return a scalar parameter that the host sets under its own name."""
        return self.w.scalar(self.name(base), "int", own=True)

    @contextmanager
    def loop(self, *lines: str) -> Iterator[None]:
        """Open a loop: its header, then assignments in its body."""
        with self.w.indented(lines[0]):
            for text in lines[1:]:
                self.w.line(text)
            yield

    def group(self) -> tuple[str, str]:
        """Return where partial results that belong together begin in a workspace, and how many they are."""
        return ("0", "num_programs()")

    def small(self) -> dict[Extent, str]:
        return {"S": "8", "P": "(64, 1)"}

    def capacities(self) -> dict[Extent, str]:
        return self.small()

    def layout(self) -> Layout:
        raise NotImplementedError

    def levels(self) -> list[Level]:
        raise NotImplementedError

    def root(self) -> Level:
        @contextmanager
        def opened() -> Iterator[None]:
            yield

        return Level(frozenset(), opened, guard="program_id() == 0")

    def share(self, count: str, cores: str, step: int = 1) -> None:
        """Let the host cut `count` units evenly: `cores` and per_core, in multiples of `step`."""
        per_core = self.name("per_core")
        each = f"ceil_div({count}, cores)"
        self.part.cores = cores
        self.part.host.append(f"{per_core} = {f'align_up({each}, {step})' if step > 1 else each}")

    def tile_of(self, param: str, *most: str, rows: bool = False) -> None:
        """Let the host decide a capacity parameter."""
        self.part.tile = TileSize(self.name(param), most, rows)

    def bounds(self, count: str) -> None:
        """Write which units this core works on."""
        per_core = self.param("per_core")
        self.w.line(f"{self.name('first')} = program_id() * {per_core}")
        self.w.line(f"{self.name('last')} = min({self.name('first')} + {per_core}, {count})")


class Single(Schedule):
    """No axes: a few numbers, on one core."""

    kind: Kind = "single"

    def layout(self) -> Layout:
        return Layout(row=None, lane=None, index={}, extents={"S": "1"})

    def levels(self) -> list[Level]:
        return [self.root()]


class Flat(Schedule):
    """One axis, cut over the cores and then into tiles."""

    kind: Kind = "flat"

    def prepare(self) -> None:
        n = self.t.sizes[0]
        self.share(n, f"ceil_div({n}, {self.tuning.grain(2048)})", 64)
        self.tile_of("tile", self.tuning.piece(self.name("per_core")))

    def capacities(self) -> dict[Extent, str]:
        return {**self.small(), "F": self.param("tile"), "K": f"({self.param('tile')}, 1)"}

    def layout(self) -> Layout:
        m, i = self.name("m"), self.name("i")
        return Layout(row=None, lane=0, index={0: i}, extents={"F": m, "S": "1"}, lane_count=m)

    def levels(self) -> list[Level]:
        n, tile, m, i = self.size(0), self.param("tile"), self.name("m"), self.name("i")
        self.bounds(n)

        @contextmanager
        def opened() -> Iterator[None]:
            first, last = self.name("first"), self.name("last")
            with self.loop(f"for {i} in range({first}, {last}, {tile}):", f"{m} = min({tile}, {last} - {i})"):
                yield

        return [self.root(), Level(frozenset({0}), opened)]


def product(texts: list[str]) -> str:
    if not texts:
        return "1"
    return texts[0] if len(texts) == 1 else f"({' * '.join(texts)})"


@contextmanager
def nested(loops: list[AbstractContextManager[None]]) -> Iterator[None]:
    if not loops:
        yield
        return
    with loops[0], nested(loops[1:]):
        yield
