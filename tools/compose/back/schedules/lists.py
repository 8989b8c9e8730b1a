"""Schedules for lists of tensors."""

from collections.abc import Iterator
from contextlib import contextmanager

from akgen.tools.compose.back.layout import COLUMNS, CORE, CORES, Layout, Level
from akgen.tools.compose.back.schedules.base import Kind, Schedule
from akgen.tools.compose.back.writer import Extent, Shape
from akgen.tools.compose.middle.tensor_lists import ELEMENT, POSITION
from akgen.tools.dsl.expr import ONE, ZERO, Expr, ListLength, ListNumel, Name, Property, call

AT, SIZE = Name(id="i"), Name(id="size")


class Lists(Schedule):
    """Lists of tensors, pointwise: the tiles of all tensors are dealt out to the cores in turn."""

    kind: Kind = "list"

    def prepare(self) -> None:
        self.leader = next(n for n in self.tensors.inputs if n in self.tensors.lists).removeprefix("g_")
        self.cut()

    def cut(self) -> None:
        """Say how many cores there is work for, and how long a tile is."""
        self.part.cores = call("ceil_div", self.elements(), self.tuning.grain(512))
        share = call("max", 1, call("ceil_div", self.elements(), Name(id="cores")))
        self.tile_of("tile", self.tuning.piece(share, work=self.work()))

    def elements(self) -> Expr:
        return Property(tensor=self.leader, name="total_numel")

    def capacities(self) -> dict[Extent, Shape]:
        return self.flat(self.param("tile"))

    def layout(self) -> Layout:
        index: dict[int, Expr] = {POSITION: self.tensors.position, ELEMENT: AT}
        return Layout(
            row=None, lane=ELEMENT, index=index, extents={"F": (COLUMNS,), "S": (ONE,)}, lane_count=COLUMNS
        )

    def count(self) -> Expr:
        """Return how many outputs there are, as the kernel sees it."""
        name = next(n for n in self.tensors.outputs if n in self.tensors.lists)
        self.tensors.of(self.w, name)
        return ListLength(tensor=name)

    def numel(self) -> Expr:
        """Return how many elements the tensor has at which the loop is."""
        name = next(n for n in self.tensors.inputs if n in self.tensors.lists)
        self.tensors.of(self.w, name)
        return ListNumel(tensor=name, index=self.tensors.position)

    def levels(self) -> list[Level]:
        tile, k = self.param("tile"), self.tensors.position
        turn, start = Name(id="turn"), Name(id="start")
        length = Name(id="length")
        self.w.assign(turn, ZERO)
        self.w.assign(length, self.count())

        @contextmanager
        def positions() -> Iterator[None]:
            with self.w.loop(k, 0, length):
                self.w.assign(SIZE, self.numel())
                self.w.assign(start, (CORE + CORES - turn % CORES) % CORES)
                self.w.assign(turn, turn + call("ceil_div", SIZE, tile))
                yield

        elements = Level(
            frozenset({ELEMENT}), lambda: self.tiles(AT, COLUMNS, start * tile, SIZE, tile, step=CORES * tile)
        )
        return [self.root(), Level(frozenset({POSITION}), positions), elements]


class ListByList(Lists):
    """Lists of tensors, reduced one by one: whole tensors are dealt out to the cores."""

    kind: Kind = "list_items"

    def cycles(self) -> None:
        return None

    def cut(self) -> None:
        self.part.cores = ListLength(tensor=self.leader)
        longest = Property(tensor=self.leader, name="max_numel")
        self.tile_of("tile", call("max", 64, self.tuning.whole(longest)))

    def levels(self) -> list[Level]:
        tile, k = self.param("tile"), self.tensors.position

        length = Name(id="length")
        self.w.assign(length, self.count())

        @contextmanager
        def positions() -> Iterator[None]:
            with self.w.loop(k, CORE, length, CORES):
                self.w.assign(SIZE, self.numel())
                yield

        elements = Level(frozenset({ELEMENT}), lambda: self.tiles(AT, COLUMNS, 0, SIZE, tile))
        return [self.root(), Level(frozenset({POSITION}), positions), elements]
