"""Choose how a loop nest runs: flat, by rows, by rows and columns, or item by item; and write its kernel."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from akgen.agents.composer.levels import Emitter, Layout, Level, Tensors
from akgen.agents.composer.listing import ELEMENT, POSITION
from akgen.agents.composer.scope import Unsupported
from akgen.agents.composer.template import Template
from akgen.agents.composer.writer import Extent, Writer

Kind = Literal["single", "flat", "rows", "tiles", "items", "columns", "list", "list_items"]


@dataclass
class Part:
    """One nest's share of a kernel: what the host sets before the launch, and how much work there is."""

    kind: Kind
    host: list[str] = field(default_factory=list)  # lines that set capacities and shares, given `cores`
    cores: str = "1"  # host expression: how many cores this part can use
    fits: str | None = None  # host condition under which this schedule works at all
    tile: str | None = None  # the capacity parameter that fit_tile decides
    fixed: list[str] = field(default_factory=list)  # other capacity parameters
    workspaces: list[tuple[str, str]] = field(default_factory=list)


def kinds(template: Template) -> tuple[Kind, ...]:
    """Return the schedules that this nest can run under, best first. Raises Unsupported if there is none."""
    count = len(template.sizes)
    overs = {template.values[i].over for i in template.nest.reductions()}
    if template.listed:
        return ("list_items",) if overs else ("list",)
    if count == 0:
        return ("single",)
    if count == 1:
        return ("flat",)
    lane, rest = (count - 1,), tuple(range(count - 1))
    if not overs:
        return ("rows", "tiles")
    found: list[Kind] = []
    if all(o in (lane, rest, (*rest, *lane)) for o in overs):
        found.append("rows")
    if len(overs) == 1:
        over = next(iter(overs))
        found.append("items" if count - 1 in over else "columns")
    if not found:
        listed = ", ".join(str(list(o)) for o in sorted(overs))
        raise Unsupported("reduction", f"reductions over axes {listed} of {count} together are not covered")
    return tuple(found)


def write(
    template: Template,
    kind: Kind,
    writer: Writer,
    suffix: str,
    tensors: Tensors,
) -> Part:
    """Write the nest into the kernel under this schedule."""
    builder_class: type[_Builder] = {
        "single": _Single, "flat": _Flat, "rows": _Rows, "tiles": _Tiles, "items": _Items, "columns": _Columns,
        "list": _List, "list_items": _ListItems,
    }[kind]  # fmt: skip
    builder = builder_class(template, writer, suffix, tensors)
    part, layout, levels = builder.part, builder.layout(), builder.levels()
    writer.capacities = builder.capacities()
    emitter = Emitter(template, writer, layout, levels, tensors)
    builder.check(emitter)
    emitter.run()
    part.workspaces = emitter.workspaces
    return part


class _Builder:
    """Shared by all schedules: names of parameters, loops."""

    kind: Kind

    def __init__(self, template: Template, writer: Writer, suffix: str, tensors: Tensors) -> None:
        self.t, self.w, self.suffix, self.tensors = template, writer, suffix, tensors
        self.part = Part(kind=self.kind)
        self.prepare()

    def prepare(self) -> None:
        """Set names and the part's host lines."""

    def check(self, emitter: Emitter) -> None:
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

    def bounds(self, count: str) -> None:
        """Write which units this core works on."""
        per_core = self.param("per_core")
        self.w.line(f"{self.name('first')} = program_id() * {per_core}")
        self.w.line(f"{self.name('last')} = min({self.name('first')} + {per_core}, {count})")


class _Single(_Builder):
    """No axes: a few numbers, on one core."""

    kind = "single"

    def layout(self) -> Layout:
        return Layout(row=None, lane=None, index={}, extents={"S": "1"})

    def levels(self) -> list[Level]:
        return [self.root()]


class _Flat(_Builder):
    """One axis, cut over the cores and then into tiles."""

    kind = "flat"

    def prepare(self) -> None:
        n = self.t.sizes[0]
        self.share(n, f"ceil_div({n}, 2048)", 64)
        self.part.tile = self.name("tile")
        self.part.host.append(
            f"{self.part.tile} = min(FIT, max(1024, align_up(ceil_div({self.name('per_core')}, 4), 64)))"
        )

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


class _Rows(_Builder):
    """Whole rows in UB, several per tile; rows cut over the cores."""

    kind = "rows"

    def prepare(self) -> None:
        self.lane, self.row = len(self.t.sizes) - 1, len(self.t.sizes) - 2
        self.outer = list(range(self.row))
        self.rows = " * ".join(self.t.sizes[: self.lane])
        self.share(self.rows, self.rows)
        self.part.tile = self.name("row_tile")
        self.part.fixed = [self.t.sizes[self.lane]]
        self.part.host.append(f"{self.part.tile} = min(FIT, {self.name('per_core')}, {self.t.sizes[self.row]})")
        self.part.fits = f"{self.part.tile} >= 1"

    def check(self, emitter: Emitter) -> None:
        if any(level > 0 for level in emitter.owner.values()):
            raise Unsupported("reduction", "a reduction over rows inside an outer axis is not covered by rows")

    def capacities(self) -> dict[Extent, str]:
        tile, lane = self.param("row_tile"), self.size(self.lane)
        return {**self.small(), "F": f"({tile}, {lane})", "R": tile, "C": lane, "K": f"({tile}, 1)"}

    def layout(self) -> Layout:
        n, lane = self.name("n"), self.size(self.lane)
        index = {self.row: self.name("r"), self.lane: "0", **self.outer_index()}
        extents: dict[Extent, str] = {"F": f"({n}, {lane})", "R": n, "C": lane, "S": "1"}
        return Layout(
            row=self.row, lane=self.lane, index=index, extents=extents, row_count=n, lane_count=lane
        )

    def outer_index(self) -> dict[int, str]:
        """Return the index of each outer axis, all of which are counted by one loop variable."""
        o, index = self.name("o"), {}
        for k, axis in enumerate(self.outer):
            inner = [self.size(a) for a in self.outer[k + 1 :]]
            text = o if not inner else f"{o} // {_product(inner)}"
            index[axis] = text if k == 0 else f"{text} % {self.size(axis)}"
        return index

    def levels(self) -> list[Level]:
        total = " * ".join(self.size(a) for a in range(self.lane))
        self.bounds(total)
        return [self.root(), *self.row_levels()]

    def row_levels(self) -> list[Level]:
        first, last, tile = self.name("first"), self.name("last"), self.param("row_tile")
        n, r, o, rows = self.name("n"), self.name("r"), self.name("o"), self.size(self.row)
        low, high = (first, last) if not self.outer else (self.name("low"), self.name("high"))

        @contextmanager
        def opened() -> Iterator[None]:
            with self.loop(f"for {r} in range({low}, {high}, {tile}):", f"{n} = min({tile}, {high} - {r})"):
                yield

        inner = Level(frozenset({self.row}), opened)
        if not self.outer:
            return [inner]

        @contextmanager
        def outside() -> Iterator[None]:
            with self.loop(
                f"for {o} in range({first} // {rows}, ceil_div({last}, {rows})):",
                f"{low} = max({first} - {o} * {rows}, 0)",
                f"{high} = min({last} - {o} * {rows}, {rows})",
            ):
                yield

        return [Level(frozenset(self.outer), outside, guard=f"{low} == 0"), inner]


class _Tiles(_Rows):
    """Rows too long for UB, no reductions: columns are cut as well."""

    kind = "tiles"

    def prepare(self) -> None:
        super().prepare()
        lane_tile = self.name("lane_tile")
        self.part.fixed = [lane_tile]
        self.part.host.insert(0, f"{lane_tile} = min(2048, align_up({self.t.sizes[self.lane]}, 64))")
        self.part.fits = None

    def capacities(self) -> dict[Extent, str]:
        tile, lane = self.param("row_tile"), self.param("lane_tile")
        return {**self.small(), "F": f"({tile}, {lane})", "R": tile, "C": lane, "K": f"({tile}, 1)"}

    def layout(self) -> Layout:
        base = super().layout()
        m = self.name("m")
        base.index[self.lane] = self.name("j")
        base.extents.update({"F": f"({self.name('n')}, {m})", "C": m})
        base.lane_count = m
        return base

    def levels(self) -> list[Level]:
        total = " * ".join(self.size(a) for a in range(self.lane))
        self.bounds(total)
        m, j, lane, tile = self.name("m"), self.name("j"), self.size(self.lane), self.param("lane_tile")

        @contextmanager
        def columns() -> Iterator[None]:
            with self.loop(f"for {j} in range(0, {lane}, {tile}):", f"{m} = min({tile}, {lane} - {j})"):
                yield

        level = Level(frozenset({self.lane}), columns, guard="program_id() == 0")
        return [self.root(), level, *self.row_levels()]


class _Items(_Builder):
    """One item (a combination of the kept axes) after the other per core; each is read once per pass."""

    kind = "items"

    def prepare(self) -> None:
        over = next(iter({self.t.values[i].over for i in self.t.nest.reductions()}))
        self.lane = len(self.t.sizes) - 1
        self.over = list(over)
        self.kept = [a for a in range(len(self.t.sizes)) if a not in over]
        inner = [a for a in over if a != self.lane]
        self.row = inner[-1] if inner else None
        self.loops = inner[:-1]
        self.items = _product([self.t.sizes[a] for a in self.kept if a != self.lane]) if self.kept else "1"
        self.tile_lines()

    def tile_lines(self) -> None:
        self.share(self.items, self.items)
        lane = self.t.sizes[self.lane]
        if self.row is None:
            self.part.tile = self.name("tile")
            self.part.host.append(f"{self.part.tile} = min(FIT, align_up({lane}, 64))")
            return
        lane_tile = self.name("lane_tile")
        self.part.host.append(f"{lane_tile} = min(2048, align_up({lane}, 64))")
        self.part.fixed = [lane_tile]
        self.part.tile = self.name("row_tile")
        self.part.host.append(f"{self.part.tile} = min(FIT, {self.t.sizes[self.row]})")

    def check(self, emitter: Emitter) -> None:
        if any(level != 1 for level in emitter.owner.values()):
            raise Unsupported("reduction", "this combination of reductions is not covered")

    def capacities(self) -> dict[Extent, str]:
        if self.row is None:
            return {**self.small(), "F": self.param("tile"), "K": f"({self.param('tile')}, 1)"}
        tile, lane = self.param("row_tile"), self.param("lane_tile")
        return {**self.small(), "F": f"({tile}, {lane})", "R": tile, "C": lane, "K": f"({tile}, 1)"}

    def layout(self) -> Layout:
        n, m = self.name("n"), self.name("m")
        index = {self.lane: self.name("j"), **self.item_index()}
        for axis in self.loops:
            index[axis] = self.name(f"q{axis}")
        extents: dict[Extent, str] = {"F": m, "S": "1"}
        if self.row is not None:
            index[self.row] = self.name("r")
            extents = {"F": f"({n}, {m})", "R": n, "C": m, "S": "1"}
        return Layout(
            row=self.row, lane=self.lane, index=index, extents=extents, row_count=n, lane_count=m
        )

    def item_index(self) -> dict[int, str]:
        item, index = self.name("item"), {}
        kept = [a for a in self.kept if a != self.lane]
        for k, axis in enumerate(kept):
            inner = [self.size(a) for a in kept[k + 1 :]]
            text = item if not inner else f"{item} // {_product(inner)}"
            index[axis] = text if k == 0 else f"{text} % {self.size(axis)}"
        return index

    def levels(self) -> list[Level]:
        kept = [a for a in self.kept if a != self.lane]
        self.bounds(_product([self.size(a) for a in kept]) if kept else "1")
        item = self.name("item")

        @contextmanager
        def items() -> Iterator[None]:
            with self.loop(f"for {item} in range({self.name('first')}, {self.name('last')}):"):
                yield

        return [self.root(), Level(frozenset(kept), items), Level(frozenset(self.over), self.inner)]

    @contextmanager
    def inner(self) -> Iterator[None]:
        with self.reduce_loops(), self.lane_loop():
            yield

    @contextmanager
    def reduce_loops(self) -> Iterator[None]:
        """Open the loops over reduced axes other than the innermost, rows last."""
        with _nested([self.loop(f"for {self.name(f'q{a}')} in range({self.size(a)}):") for a in self.loops]):
            if self.row is None:
                yield
                return
            n, r, rows, tile = self.name("n"), self.name("r"), self.size(self.row), self.param("row_tile")
            with self.loop(f"for {r} in range(0, {rows}, {tile}):", f"{n} = min({tile}, {rows} - {r})"):
                yield

    @contextmanager
    def lane_loop(self) -> Iterator[None]:
        m, j, lane = self.name("m"), self.name("j"), self.size(self.lane)
        tile = self.param("tile" if self.row is None else "lane_tile")
        with self.loop(f"for {j} in range(0, {lane}, {tile}):", f"{m} = min({tile}, {lane} - {j})"):
            yield


class _Columns(_Items):
    """The innermost axis is kept: items are tiles of columns, reduced row by row."""

    kind = "columns"

    def tile_lines(self) -> None:
        lane = self.t.sizes[self.lane]
        lane_tile, tiles = self.name("lane_tile"), self.name("lane_tiles")
        count = f"({self.items}) * {tiles}" if self.items != "1" else tiles
        self.part.host += [
            f"{lane_tile} = min(512, align_up({lane}, 64))",
            f"{tiles} = ceil_div({lane}, {lane_tile})",
        ]
        self.share(count, f"({self.items}) * ceil_div({lane}, 512)")
        self.part.fixed = [lane_tile]
        self.part.tile = self.name("row_tile")
        assert self.row is not None
        self.part.host.append(f"{self.part.tile} = min(FIT, {self.t.sizes[self.row]})")

    def item_index(self) -> dict[int, str]:
        tiles = self.param("lane_tiles")
        index = super().item_index()
        item = self.name("item")
        return {a: text.replace(item, f"({item} // {tiles})") for a, text in index.items()}

    def levels(self) -> list[Level]:
        kept = [a for a in self.kept if a != self.lane]
        tiles, item = self.param("lane_tiles"), self.name("item")
        self.bounds(_product([tiles, *(self.size(a) for a in kept)]))
        m, j, lane, tile = self.name("m"), self.name("j"), self.size(self.lane), self.param("lane_tile")

        @contextmanager
        def items() -> Iterator[None]:
            with self.loop(
                f"for {item} in range({self.name('first')}, {self.name('last')}):",
                f"{j} = {item} % {tiles} * {tile}",
                f"{m} = min({tile}, {lane} - {j})",
            ):
                yield

        return [
            self.root(),
            Level(frozenset(self.kept), items),
            Level(frozenset(self.over), self.reduce_loops),
        ]


class _List(_Builder):
    """Lists of tensors, pointwise: the tiles of all tensors are dealt out to the cores in turn."""

    kind = "list"

    def prepare(self) -> None:
        self.leader = next(n for n in self.tensors.inputs if n in self.tensors.lists).removeprefix("g_")
        self.part.cores = f"ceil_div({self.leader}.total_numel, 2048)"
        self.part.tile = "tile"
        share = f"ceil_div({self.leader}.total_numel, cores * 4)"
        self.part.host.append(f"tile = min(FIT, max(1024, align_up({share}, 64)))")

    def capacities(self) -> dict[Extent, str]:
        return {**self.small(), "F": self.param("tile"), "K": f"({self.param('tile')}, 1)"}

    def layout(self) -> Layout:
        index = {POSITION: self.tensors.position, ELEMENT: "i"}
        return Layout(row=None, lane=ELEMENT, index=index, extents={"F": "m", "S": "1"}, lane_count="m")

    def count(self) -> str:
        """Return how many outputs there are, as the kernel sees it."""
        name = next(n for n in self.tensors.outputs if n in self.tensors.lists)
        self.tensors.of(self.w, name)
        return f"len({name})"

    def numel(self) -> str:
        name = next(n for n in self.tensors.inputs if n in self.tensors.lists)
        return f"{self.tensors.of(self.w, name)}.numel"

    def levels(self) -> list[Level]:
        tile, k = self.param("tile"), self.tensors.position
        self.w.line("turn = 0")

        @contextmanager
        def positions() -> Iterator[None]:
            with self.loop(
                f"for {k} in range({self.count()}):",
                f"size = {self.numel()}",
                "start = (program_id() + num_programs() - turn % num_programs()) % num_programs()",
                f"turn = turn + ceil_div(size, {tile})",
            ):
                yield

        @contextmanager
        def elements() -> Iterator[None]:
            with self.loop(
                f"for i in range(start * {tile}, size, num_programs() * {tile}):", f"m = min({tile}, size - i)"
            ):
                yield

        return [
            self.root(), Level(frozenset({POSITION}), positions), Level(frozenset({ELEMENT}), elements)
        ]  # fmt: skip


class _ListItems(_List):
    """Lists of tensors, reduced one by one: whole tensors are dealt out to the cores."""

    kind = "list_items"

    def prepare(self) -> None:
        super().prepare()
        self.part.cores = f"len({self.leader})"
        self.part.host = [f"tile = min(FIT, max(64, align_up({self.leader}.max_numel, 64)))"]

    def levels(self) -> list[Level]:
        tile, k = self.param("tile"), self.tensors.position

        @contextmanager
        def positions() -> Iterator[None]:
            with self.loop(
                f"for {k} in range(program_id(), {self.count()}, num_programs()):", f"size = {self.numel()}"
            ):
                yield

        @contextmanager
        def elements() -> Iterator[None]:
            with self.loop(f"for i in range(0, size, {tile}):", f"m = min({tile}, size - i)"):
                yield

        return [
            self.root(), Level(frozenset({POSITION}), positions), Level(frozenset({ELEMENT}), elements)
        ]  # fmt: skip


def _product(texts: list[str]) -> str:
    if not texts:
        return "1"
    return texts[0] if len(texts) == 1 else f"({' * '.join(texts)})"


@contextmanager
def _nested(loops: list[object]) -> Iterator[None]:
    if not loops:
        yield
        return
    with loops[0], _nested(loops[1:]):  # type: ignore[attr-defined]
        yield
