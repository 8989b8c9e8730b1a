"""The schedule of a matrix product: blocks of C dealt out to the cube cores.

The host tries block sizes and takes the one for which the busiest core is done first. A block takes as many cycles as
the cube core multiplies, or as its operands take to arrive, whichever is longer; beside that stand the first request
and the last block, which nothing hides. Blocks follow one another down bands of a few rows of blocks: so cores that
work at one time read the same rows of A and columns of B, which one of them has brought into the second-level cache.
"""

from collections.abc import Mapping
from typing import NamedTuple

from akgen.tools.compose.back.layout import CORE, CORES, TURN, Tensors
from akgen.tools.compose.back.schedules.base import OPERATIONS, Kind, Part
from akgen.tools.compose.back.tuning import START_CYCLES, Tuning
from akgen.tools.compose.back.writer import Writer
from akgen.tools.compose.middle.contraction import Contraction, Matrix, contraction
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name, Property, binary, call, joined, product
from akgen.tools.dsl.ir import Assign, For, If, Multiply, Stmt

OPERATIONS["contract"] = "contraction"
FRACTAL = 16
HIGHEST, WIDEST = (
    256,
    512,
)  # blocks beyond these gain nothing: their operands are read again for each base block
BASE_HIGH, BASE_WIDE = 128, 256  # what L0C holds
LINE = 512  # bytes of the second-level cache
CYCLES_PER_LINE, CYCLES_PER_ROW = 4, 2  # of what arrives in L1
PANEL = 1024  # bytes of a row along k that arrive at once
RESULTS_PER_CYCLE = 20  # that leave L0C
ASKING = 4000  # cycles from a request to the first multiplication, and from the last one to the answer
BETWEEN = 150  # cycles from block to block
BAND = 4  # rows of blocks
LANES = 64  # float32 numbers that an instruction of the vector core takes in a cycle


def write_contraction(
    template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
) -> Part:
    """Write the nest's product into the kernel."""
    return ProductBlocks(template, writer, suffix, tensors, tuning).write()


class ProductBlock(NamedTuple):
    """A block of the product: its first row and column, how many of them, and the index of each outer axis."""

    row: Expr
    column: Expr
    high: Expr
    wide: Expr
    outer: dict[int, Expr]


class ProductBlocks:
    """Blocks of one product: where they lie, as the kernel writes it.

    `beside` are the vector instructions for each number of a block, which run while the cube core makes the next one.
    """

    kind: Kind = "contraction"

    def __init__(
        self,
        template: SymbolicNest,
        writer: Writer,
        suffix: str,
        tensors: Tensors,
        tuning: Tuning,
        *,
        beside: int = 0,
    ) -> None:
        self.t, self.w, self.suffix, self.tensors, self.tuning = template, writer, suffix, tensors, tuning
        self.c: Contraction = contraction(template)
        self.beside = beside

    def name(self, base: str) -> Name:
        return Name(id=base + self.suffix)

    def length(self, axis: int | None) -> Expr:
        """Return the host variable of an axis's length."""
        return ONE if axis is None else self.t.sizes[axis]

    def size(self, axis: int | None) -> Expr:
        """Return the kernel parameter of an axis's length."""
        return ONE if axis is None else self.w.variable(self.t.sizes[axis])

    def write(self) -> Part:
        part = Part(kind=self.kind)
        c = self.c
        part.sizes += self.blocks()
        self.share(part)
        block_m, block_n = (self.w.variable(self.name(x)) for x in ("block_m", "block_n"))
        store = self.t.nest.stores[c.c.value]
        mm = self.w.matmul_object(
            a=self.operand(c.a), b=self.operand(c.b), c=self._tensor(*self.tensors.target(self.w, store)),
            dims=(block_m, block_n, self.size(c.k)), transpose_a=c.a.transposed, transpose_b=c.b.transposed,
        )  # fmt: skip
        i = self.name("i")
        self.count_blocks()
        # two programs share a cube core: first one block for each cube core, then the second ones
        first = CORE % 2 * (CORES // 2) + CORE // 2
        with self.w.loop(i, first, self.total, CORES):
            self.multiply(mm, self.place(i))
        return part

    def multiply(self, mm: str, at: ProductBlock) -> None:
        """Write the product of a block."""
        c = self.c
        with self.w.stage("cube"):
            self.w.multiply(
                Multiply(
                    object=mm, extent=(at.high, at.wide, self.size(c.k)),
                    a=self.offset(c.a, at.outer, {c.m: at.row}), b=self.offset(c.b, at.outer, {c.n: at.column}),
                    c=self.offset(c.c, at.outer, {c.m: at.row, c.n: at.column}),
                    lda=self.pitch(c.a), ldb=self.pitch(c.b), ldc=self.pitch(c.c),
                )
            )  # fmt: skip
        self.w.close_stage()

    def share(self, part: Part) -> None:
        """Say how many programs there is work for, and how long one would take; each cube core belongs to two."""
        blocks = self.name("blocks")
        part.cores, part.mixed = blocks * 2, True
        part.cycles = self.name("least_cycles") * call("min", blocks, call("core_num") // 2) * 2

    def count_blocks(self) -> None:
        """Write how many blocks lie across, down and in one product."""
        block_m, block_n = (self.w.variable(self.name(x)) for x in ("block_m", "block_n"))
        across, down = self.name("across"), self.name("down")
        self.w.assign(across, call("ceil_div", self.size(self.c.n), block_n))
        self.w.assign(down, call("ceil_div", self.size(self.c.m), block_m))
        self.w.assign(self.name("each"), down * across)

    @property
    def total(self) -> Expr:
        """Return how many blocks there are."""
        return product([*(self.size(x) for x in self.c.outer), self.name("each")])

    def place(self, block: Expr, mark: str = "") -> ProductBlock:
        """Write where a block lies."""
        across, down, each = self.name("across"), self.name("down"), self.name("each")
        top, rows, r, s = (self.name(f"{x}{mark}") for x in ("top", "rows", "r", "s"))
        block_m, block_n = self.name("block_m"), self.name("block_n")
        self.w.assign(top, block % each // (across * BAND) * BAND)  # the first row of blocks of the band
        self.w.assign(rows, call("min", Const(value=BAND), down - top))
        self.w.assign(r, (top + (block % each - top * across) % rows) * block_m)
        self.w.assign(s, (block % each - top * across) // rows * block_n)
        high = call("min", block_m, self.size(self.c.m) - r)
        wide = call("min", block_n, self.size(self.c.n) - s)
        return ProductBlock(r, s, high, wide, self._outer(block // each))

    def operand(self, matrix: Matrix) -> str:
        origin = self.t.values[matrix.value].origin
        assert origin is not None
        return self._tensor(*self.tensors.source(self.w, origin))

    @staticmethod
    def _tensor(name: str, item: Expr | None) -> str:
        if item is not None:
            raise Unsupported("contract", "a product of tensors of a list is not covered")
        return name

    def _outer(self, counter: Expr) -> dict[int, Expr]:
        """Return the index of each outer axis, all of which one variable counts."""
        index: dict[int, Expr] = {}
        axes = self.c.outer
        for x, axis in enumerate(axes):
            inner = [self.size(a) for a in axes[x + 1 :]]
            value = counter // product(inner) if inner else counter
            index[axis] = value if x == 0 else value % self.size(axis)
        return index

    def offset(self, matrix: Matrix, outer: Mapping[int, Expr], block: Mapping[int | None, Expr]) -> Expr:
        """Return where a block of a matrix begins."""
        terms: list[Expr] = []
        if matrix.address.offset != ZERO:
            terms.append(self.w.scalar(matrix.address.offset, "int"))
        if matrix.address.turn != ZERO:
            terms.append(TURN * self.w.scalar(matrix.address.turn, "int"))
        indices = [*outer.items(), *((x, e) for x, e in block.items() if x is not None)]
        for axis, at in indices:
            stride = matrix.address.stride(axis)
            if stride != ZERO:
                terms.append(at if stride == ONE else at * self.w.scalar(stride, "int"))
        return joined("+", terms, ZERO)

    def pitch(self, matrix: Matrix) -> Expr | None:
        return None if matrix.pitch is None else self.w.scalar(matrix.pitch, "int")

    def blocks(self) -> list[Stmt]:
        """Return how the host chooses the size of blocks."""
        m, n, k = (self.length(x) for x in (self.c.m, self.c.n, self.c.k))
        block_m, block_n, blocks = self.name("block_m"), self.name("block_n"), self.name("blocks")
        least, high, wide = self.name("least_cycles"), self.name("high"), self.name("wide")
        count, cycles = self.name("count"), self.name("cycles")
        deep = call("ceil_div", k * self.bytes(), 32)
        multiply = call("ceil_div", high, FRACTAL) * call("ceil_div", wide, FRACTAL) * deep
        again_a, again_b = call("ceil_div", wide, BASE_WIDE), call("ceil_div", high, BASE_HIGH)
        size = self.bytes()
        along_k = call("ceil_div", k * size, LINE) * CYCLES_PER_LINE
        along_k = along_k + call("ceil_div", k * size, PANEL) * CYCLES_PER_ROW

        def panel(extent: Name, length: Expr, rows: Expr, *, k_adjoins: bool) -> Expr:
            """Return the cycles in which this extent of an operand arrives once, in so many rows for each of k."""
            if k_adjoins:
                return extent * along_k
            straddling = call("min", length * size % LINE + extent * size % LINE, LINE - 32)
            lines = call("ceil_div", extent * size + straddling, LINE)
            return k * (lines * CYCLES_PER_LINE + rows * CYCLES_PER_ROW)

        arrive = panel(high, m, again_b, k_adjoins=not self.c.a.transposed) * again_a
        arrive = arrive + panel(wide, n, again_a, k_adjoins=self.c.b.transposed) * again_b
        once = high * wide // RESULTS_PER_CYCLE + ASKING
        busy = call("max", multiply, arrive)
        if self.beside:  # each of the two programs of a cube core treats every other block
            treated = high * wide * self.beside // LANES
            once, busy = once + treated, call("max", busy, treated // 2)
        cube_cores = call("core_num") // 2
        waves = call("ceil_div", count, cube_cores)
        # a cube core begins with two vector cores; other phases of a kernel take them anyway
        if not self.suffix:
            once = once + call("min", count, cube_cores) * (3 * START_CYCLES)
        better = (
            Assign(name=least.id, value=cycles), Assign(name=block_m.id, value=high),
            Assign(name=block_n.id, value=wide), Assign(name=blocks.id, value=count),
        )  # fmt: skip
        body = (
            Assign(
                name=count.id,
                value=product(
                    [*map(self.length, self.c.outer), call("ceil_div", m, high), call("ceil_div", n, wide)]
                ),
            ),
            Assign(name=cycles.id, value=waves * (busy + BETWEEN) + once),
            If(cond=binary("<", cycles, least), then=better),
        )

        def sizes(var: Name, length: Expr, most: int, inner: tuple[Stmt, ...]) -> For:
            stop = call("min", call("align_up", length, FRACTAL), most) + 1
            step = Const(value=FRACTAL)
            return For(var=var.id, start=step, stop=stop, step=step, body=inner)

        return [
            Assign(name=least.id, value=Const(value=2**62)),
            Assign(name=block_m.id, value=ZERO),
            Assign(name=block_n.id, value=ZERO),
            Assign(name=blocks.id, value=ZERO),
            sizes(high, m, HIGHEST, (sizes(wide, n, WIDEST, body),)),
        ]

    def bytes(self) -> Expr:
        """Return the bytes of an operand's element."""
        origin = self.t.values[self.c.a.value].origin
        assert origin is not None
        if origin.input is None:
            return Const(value=self.c.stored.size_bytes)
        return Property(tensor=self.tensors.inputs[origin.input].removeprefix("g_"), name="size")
