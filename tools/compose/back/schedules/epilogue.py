"""The schedule of a product and what follows it point by point: the vector cores treat a block while the next is made.

A program asks its cube core for a block of the product, and for the next one before it treats the first: both work
side by side, and no core waits for all others. What is handed over has two places for each program in the workspace,
which stay in the second-level cache.
"""

from akgen.tools.compose.back.layout import CORE, CORES, Layout, Level, Sink, Tensors
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.operands import Location
from akgen.tools.compose.back.schedules.base import STEPS, Part, TileSize
from akgen.tools.compose.back.schedules.contraction import ProductBlocks
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import Extent, Shape, Tensor, Tile, Writer
from akgen.tools.compose.front.graph import needed_by
from akgen.tools.compose.middle.epilogue import Epilogue, epilogue
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name, binary, call
from akgen.tools.dsl.ir import Multiply


class ProductBlockCodegen(LoopCodegen):
    """Writes what is computed point by point of a block that the cube core has left in the core's own workspace."""

    block_of_product: tuple[int, Tensor, Expr, Expr]  # the load's number, from where, row stride
    wish = "product_tile"

    def _load(self, index: int) -> Tile | None:
        number, tensor, offset, pitch = self.block_of_product
        if index != number:
            return super()._load(index)
        dtype = self.t.values[index].dtype
        tile = self.w.allocate("F", self.w.type_name(dtype), loaded=True, wish=self.wish)
        self.w.load(tile, tensor, offset, self.layout.extents["F"], pitch)
        self.held[index] = Location(dtype, tile=tile)
        return None


def write_epilogue(
    template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
) -> Part:
    """Write the product and the nest that follows it into the kernel."""
    return _Epilogue(template, writer, suffix, tensors, tuning).write()


class _Epilogue:
    def __init__(
        self, template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
    ) -> None:
        (self.first,), self.last = template.before, template
        found = epilogue(self.first, template)
        assert found is not None
        self.found: Epilogue = found
        self.w, self.suffix, self.tensors = writer, suffix, tensors
        self.product = ProductBlocks(self.first, writer, suffix, tensors, tuning, beside=self.cycles())
        self.part = Part(kind="epilogue")
        if any(tensors.overwritten(s) is not None for s in template.nest.stores):
            raise Unsupported(
                "contract", "a product whose result overwrites an input is not covered by blocks"
            )

    def cycles(self) -> int:
        """Return the instructions for each number of a block, its copies included."""
        return 2 + sum(STEPS.get(v.op, 1) for v in self.last.values if v.op not in ("const", "load"))

    def name(self, base: str) -> Name:
        return Name(id=base + self.suffix)

    @property
    def space(self) -> str:
        return f"{self.tensors.temp}_product{self.suffix}"

    def write(self) -> Part:
        w, blocks, part = self.w, self.product, self.part
        high, wide = w.variable(self.name("block_m")), w.variable(self.name("block_n"))
        row_tile = w.variable(self.name("row_tile"))
        part.sizes = blocks.blocks()
        blocks.share(part)
        part.fixed = [high, wide]
        part.tile = TileSize(self.name("row_tile"), (self.name("block_m"),), rows=True)
        part.fits = binary(">=", self.name("row_tile"), 1)
        store = self.first.nest.stores[0]
        part.workspaces = [(self.space, self.name("block_m") * self.name("block_n") * 2, store.dtype)]
        w.capacities = self.capacities(row_tile, wide)
        c = blocks.c
        mm = w.matmul_object(
            a=blocks.operand(c.a), b=blocks.operand(c.b), c=w.tensor(self.space)[0],
            dims=(high, wide, blocks.size(c.k)), transpose_a=c.a.transposed, transpose_b=c.b.transposed,
        )  # fmt: skip
        blocks.count_blocks()
        first, buffer, i = self.name("first"), self.name("buffer"), self.name("i")
        w.assign(first, CORE % 2 * (CORES // 2) + CORE // 2)
        w.assign(buffer, ZERO)
        with w.branch(binary("<", first, blocks.total)):
            self.ask(mm, first, CORE * 2, "0")
        w.close_stage()
        with w.loop(i, first, blocks.total, CORES):
            with w.stage("cube"):
                w.wait(mm)
            w.close_stage()
            following = self.name("following")
            w.assign(following, i + CORES)
            with w.branch(binary("<", following, blocks.total)):
                self.ask(mm, following, CORE * 2 + (ONE - buffer), "1")
            w.close_stage()
            self.treat(i, CORE * 2 + buffer, row_tile)
            w.assign(buffer, ONE - buffer)
        w.close_stage()
        return part

    def capacities(self, row_tile: Name, wide: Name) -> dict[Extent, Shape]:
        return {
            "S": (Const(value=8),), "P": (Const(value=64), ONE), "F": (row_tile, wide), "R": (row_tile,),
            "C": (wide,), "T": (wide, row_tile), "K": (row_tile, ONE),
        }  # fmt: skip

    def ask(self, mm: str, block: Expr, place: Expr, mark: str) -> None:
        """Ask the cube core for a block."""
        w, c = self.w, self.product.c
        at = self.product.place(block, mark)
        with w.stage("cube"):
            w.multiply(
                Multiply(
                    object=mm, extent=(at.high, at.wide, self.product.size(c.k)),
                    a=self.product.offset(c.a, at.outer, {c.m: at.row}),
                    b=self.product.offset(c.b, at.outer, {c.n: at.column}),
                    c=place * self.name("block_m") * self.name("block_n"),
                    lda=self.product.pitch(c.a), ldb=self.product.pitch(c.b), ldc=self.name("block_n"), wait=False,
                )
            )  # fmt: skip
        w.close_stage()

    def treat(self, block: Expr, place: Expr, row_tile: Name) -> None:
        """Compute what follows of a block, a tile of rows at a time; what has no rows is there for all of them."""
        w, found = self.w, self.found
        at = self.product.place(block, "2")
        o, n = self.name("o"), self.name("n")
        high, wide = self.name("high"), self.name("columns")
        w.assign(high, at.high)
        w.assign(wide, at.wide)
        *outer, row = found.rows
        index = {a: at.outer[b] for a, b in zip(outer, self.outer_axes, strict=True)}
        index |= {row: at.row + o, found.column: at.column}
        extents: dict[Extent, Shape] = {"F": (n, wide), "R": (n,), "C": (wide,), "S": (ONE,)}
        layout = Layout(
            row=row, lane=found.column, index=index, extents=extents, row_count=n, lane_count=wide
        )
        level = Level(frozenset(), lambda: w.branch(ONE))
        emitter = ProductBlockCodegen(self.last, w, layout, [level], self.tensors, self.name("column_share"))
        pitch = self.name("block_n")
        begin = place * self.name("block_m") * pitch
        emitter.block_of_product = (found.loaded, w.tensor(self.space), begin + o * pitch, pitch)
        values = self.last.values
        sinks = [Sink("store", k) for k in range(len(self.last.nest.stores))]
        needed = emitter.needs([emitter.arg(s) for s in sinks])
        fixed = {
            a for i in needed if row in values[i].deps for a in values[i].args if row not in values[a].deps
        }
        below = needed_by(fixed, values)
        emitter.block([i for i in needed if i in below], [], keep=fixed)
        w.close_stage()
        with w.loop(o, ZERO, high, row_tile):
            w.assign(n, call("min", row_tile, high - o))
            before = emitter.snapshot()
            emitter.block(emitter.needs([emitter.arg(s) for s in sinks]), sinks, keep=set())
            emitter.forget(before)
        w.close_stage()
        emitter.forget({})

    @property
    def outer_axes(self) -> tuple[int, ...]:
        """Return the product's axes outside of its matrices in the order of the rows of what follows."""
        strides = dict(self.first.nest.stores[0].access.strides)
        return tuple(sorted(self.product.c.outer, key=lambda a: -strides[a]))
