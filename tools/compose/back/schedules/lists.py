"""Schedules for lists of tensors."""

from collections.abc import Iterator
from contextlib import contextmanager

from akgen.tools.compose.back.layout import Layout, Level
from akgen.tools.compose.back.schedules.base import Kind, Schedule
from akgen.tools.compose.back.writer import Extent
from akgen.tools.compose.middle.tensor_lists import ELEMENT, POSITION


class Lists(Schedule):
    """Lists of tensors, pointwise: the tiles of all tensors are dealt out to the cores in turn."""

    kind: Kind = "list"

    def prepare(self) -> None:
        self.leader = next(n for n in self.tensors.inputs if n in self.tensors.lists).removeprefix("g_")
        self.cut()

    def cut(self) -> None:
        """Say how many cores there is work for, and how long a tile is."""
        total = f"{self.leader}.total_numel"
        self.part.cores = f"ceil_div({total}, {self.tuning.grain(2048)})"
        self.tile_of("tile", self.tuning.piece(total, cores="cores"))

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
                f"for i in range(start * {tile}, size, num_programs() * {tile}):",
                f"m = min({tile}, size - i)",
            ):
                yield

        return [
            self.root(), Level(frozenset({POSITION}), positions), Level(frozenset({ELEMENT}), elements)
        ]  # fmt: skip


class ListByList(Lists):
    """Lists of tensors, reduced one by one: whole tensors are dealt out to the cores."""

    kind: Kind = "list_items"

    def cut(self) -> None:
        self.part.cores = f"len({self.leader})"
        self.tile_of("tile", f"max(64, {self.tuning.whole(f'{self.leader}.max_numel')})")

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
