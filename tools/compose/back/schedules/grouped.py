"""The schedule of a product whose rows each have a matrix of their own: experts, groups of rows.

Blocks are those of one product. In a block, rows that follow one another and have the same matrix are multiplied
together; where all rows of a block have one, that is one product, as everywhere else.
"""

from akgen.tools.compose.back.layout import Tensors
from akgen.tools.compose.back.schedules.base import OPERATIONS, Kind, Part
from akgen.tools.compose.back.schedules.contraction import HIGHEST, ProductBlock, ProductBlocks
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import Tile, Writer
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.dsl.expr import ONE, ZERO, Const, Element, Expr, Name, binary, call

OPERATIONS["contract_groups"] = "grouped"


def write_grouped(
    template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
) -> Part:
    """Write the nest's product into the kernel."""
    return _GroupedBlocks(template, writer, suffix, tensors, tuning).write()


class _GroupedBlocks(ProductBlocks):
    kind: Kind = "grouped"

    def write(self) -> Part:
        self.w.capacities = {"I": (Const(value=HIGHEST),), "S": (Const(value=8),)}
        return super().write()

    def multiply(self, mm: str, at: ProductBlock) -> None:
        """Write the products of a block, one for each run of rows with the same matrix."""
        w = self.w
        high, first, last = self.name("high"), self.name("first_group"), self.name("last_group")
        w.assign(high, at.high)
        numbers = self._numbers(at.row, high)
        with w.stage("compute"):
            low, most = (
                w.allocate("S", "float32", wish="least_group"),
                w.allocate("S", "float32", wish="most_group"),
            )
            as_floats = w.allocate("I", "float32")
            w.op("cast", as_floats, numbers.ref)
            w.op("reduce_min", low, as_floats.ref)
            w.op("reduce_max", most, as_floats.ref)
            w.assign(first, call("int", Element(tile=low.name, index=ZERO)))
            w.assign(last, call("int", Element(tile=most.name, index=ZERO)))
        w.close_stage()
        block = at._replace(high=high)
        with w.branch(binary("==", first, last)):
            self._run(mm, block, first)
        with w.branch(binary("!=", first, last)):
            self._runs(mm, block, numbers)
        w.close_stage()

    def _numbers(self, row: Expr, high: Expr) -> Tile:
        """Write the load of the numbers of a block's matrices."""
        assert self.c.number is not None
        address, value = self.t.addresses[self.c.number], self.t.values[self.c.number]
        assert address is not None and value.origin is not None
        loaded, own = self.w.allocate("I", "int32", loaded=True), self.w.allocate("I", "int32", wish="groups")
        place = row if address.offset == ZERO else row + self.w.scalar(address.offset, "int")
        with self.w.stage("copyin"):
            self.w.load(loaded, self.tensors.source(self.w, value.origin), place, (high,))
        with self.w.stage("compute"):
            self.w.op("copy", own, loaded.ref)
        self.w.release(loaded)
        return own

    def _runs(self, mm: str, at: ProductBlock, numbers: Tile) -> None:
        """Write the walk through the rows of a block."""
        w = self.w
        j, begin, group, following = (self.name(x) for x in ("j", "begin", "group", "following"))
        w.assign(begin, ZERO)
        with w.loop(j, ZERO, at.high):
            with w.stage("compute"):
                w.assign(group, call("int", Element(tile=numbers.name, index=j)))
                ahead = call("min", j + 1, at.high - 1)
                w.assign(following, call("int", Element(tile=numbers.name, index=ahead)))
            w.close_stage()
            ends = binary("or", binary("!=", group, following), binary("==", j, at.high - 1))
            with w.branch(ends):
                self._run(mm, at._replace(row=at.row + begin, high=j + ONE - begin), group)
                w.assign(begin, j + 1)
        w.close_stage()

    def _run(self, mm: str, at: ProductBlock, group: Name) -> None:
        outer: dict[int, Expr] = {} if self.c.groups is None else {self.c.groups: group}
        super().multiply(mm, at._replace(outer=outer))
