"""The schedule of attention: blocks of rows, over blocks of keys; the cube core works beside the vector cores.

While a block of scores becomes weights, the cube core makes the next block and multiplies the weights of the one
before. What the two hand over has two places each in the workspace, which stay in the second-level cache. A weight is
exp(score - top). `top` is the largest score of a row's first block and follows only where a later one is larger by
more than SLACK: so what has been added up is seldom scaled. A block's sums are added atomically, and the division by
the sum of weights is done once, when an item's last block has been multiplied.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from akgen.tools.compose.back.layout import CORE, CORES, LARGEST, Layout, Level, Tensors
from akgen.tools.compose.back.schedules.base import Part, TileSize
from akgen.tools.compose.back.schedules.contraction import ProductBlocks
from akgen.tools.compose.back.schedules.epilogue import ProductBlockCodegen
from akgen.tools.compose.back.tuning import START_CYCLES, Tuning
from akgen.tools.compose.back.writer import Extent, Shape, Tile, Writer
from akgen.tools.compose.middle.attention import Attention, RowAxes, attention
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import (
    ONE,
    ZERO,
    Choice,
    Const,
    Element,
    Expr,
    Name,
    Unary,
    binary,
    call,
    joined,
    product,
)
from akgen.tools.dsl.ir import Assign, For, If, Multiply, TileRef

HIGHEST, WIDEST = (
    256,
    512,
)  # rows and keys of a block: two of them for each core stay in the second-level cache
FRACTAL = 16
ALIGNED_ROWS = 8  # a tile of rows begins where one number for each row is aligned
BACK_NUMBERS = 2048  # that are divided, or scaled, together
BACK_COLUMNS = 512  # of them; longer rows are taken in parts
SLACK = 5.0  # a weight is at most exp(SLACK), which a float16 holds as exactly as 1
TINY = 1e-30
ONE_AS_FLOAT = Const(value=1.0)


class _Scores(ProductBlockCodegen):
    """Writes what lies between the product and the softmax."""

    wish = "score_tile"


def write_attention(
    template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
) -> Part:
    """Write the three nests into the kernel."""
    return _Attention(template, writer, suffix, tensors, tuning).write()


class _Attention:
    def __init__(
        self, template: SymbolicNest, writer: Writer, suffix: str, tensors: Tensors, tuning: Tuning
    ) -> None:
        first, middle = template.before
        found = attention((first, middle, template))
        assert found is not None
        self.found: Attention = found
        self.first, self.middle, self.last = first, middle, template
        self.w, self.suffix, self.tensors, self.tuning = writer, suffix, tensors, tuning
        self.scored = ProductBlocks(first, writer, suffix, tensors, tuning)
        self.weighed = ProductBlocks(template, writer, suffix, tensors, tuning)
        self.part = Part(kind="attention")
        width = template.nest.sizes[self.weighed.c.n or 0]
        self.back = max(ALIGNED_ROWS, min(48, BACK_NUMBERS // width // ALIGNED_ROWS * ALIGNED_ROWS))  # rows
        self.in_parts = width > BACK_COLUMNS
        self.columns = Const(value=BACK_COLUMNS) if self.in_parts else self.weighed.size(self.weighed.c.n)
        self.buffer = self.name("buffer")  # of the two, which one a step has
        if tensors.overwritten(template.nest.stores[0]) is not None:
            raise Unsupported("attention", "an attention that overwrites one of its inputs is not covered")

    def name(self, base: str) -> Name:
        return Name(id=base + self.suffix)

    # numbers of the host

    def sizes(self) -> None:
        """Let the host choose the size of blocks: the busiest core is done first."""
        length, keys = self.found.length, self.last.sizes[self.weighed.c.k or 0]
        items, high, wide = self.name("items"), self.name("high"), self.name("wide")
        runs = product([self.first.sizes[a] for a in self.found.rows[0].axes]) // length
        least, tried, count, work = (
            self.name(x) for x in ("least_work", "rows_tried", "items_tried", "work")
        )
        depth = self.scored.length(self.scored.c.k) + self.weighed.length(self.weighed.c.n)
        turns = call("ceil_div", count, self.tuning.cores())
        # hundredths of a cycle for each key: a row's scores and weights, the operands that arrive once for all rows
        taken = turns * (tried * 18 + depth * 3 + 250)
        # a cube core begins with two vector cores; other phases of a kernel take them anyway
        if not self.suffix:
            taken = taken + call("min", count, self.tuning.cores() // 2) * (3 * START_CYCLES * 100) // keys
        better = (
            Assign(name=least.id, value=work), Assign(name=high.id, value=tried), Assign(name=items.id, value=count),
        )  # fmt: skip
        body = (
            Assign(name=count.id, value=runs * call("ceil_div", length, tried)),
            Assign(name=work.id, value=taken),
            If(cond=binary("<=", work, least), then=better),
        )
        stop = call("min", call("align_up", length, FRACTAL), HIGHEST) + 1
        step = Const(value=FRACTAL)
        self.part.sizes = [
            Assign(name=least.id, value=Const(value=2**62)),
            Assign(name=high.id, value=ZERO),
            Assign(name=items.id, value=ZERO),
            For(var=tried.id, start=step, stop=stop, step=step, body=body),
            Assign(name=wide.id, value=call("min", WIDEST, call("align_up", keys, 64))),
        ]
        self.part.cores = items * 2  # each cube core belongs to two programs
        self.part.fixed = [high, wide, self.last.sizes[self.weighed.c.n or 0]]
        self.part.tile = TileSize(self.name("row_tile"), (call("align_up", high, 8),), rows=True)
        self.part.fits = binary(">=", self.name("row_tile"), ALIGNED_ROWS)
        stored = self.weighed.c.stored
        place, width = high * wide * 2, high * self.weighed.length(self.weighed.c.n) * 2
        self.part.workspaces = [
            (self.space("scores"), place, DType.FLOAT32),
            (self.space("weights"), place, stored),
            (self.space("parts"), width, DType.FLOAT32),
        ]

    def space(self, what: str) -> str:
        return f"{self.tensors.temp}_{what}{self.suffix}"

    # where things are

    def index(self, t: SymbolicNest, rows: RowAxes, run: Expr, row: Expr) -> dict[int, Expr]:
        """Return the index of each axis of rows, given the number of the run and the row within it."""
        size = [self.w.variable(t.sizes[a]) for a in rows.axes]
        whole = t.lengths(rows.axes[-1]) == self.lengths
        found: dict[int, Expr] = {}
        for k, axis in enumerate(rows.axes):
            inner = size[k + 1 : -1] if whole else size[k + 1 :]
            at = run if whole else run * self.w.variable(self.found.length)
            if k == len(rows.axes) - 1:
                first = at % size[k] if len(size) > 1 else at
                found[axis] = row if whole else first + row
                continue
            outer = at // product(inner) if inner else at
            found[axis] = outer if k == 0 else outer % size[k]
        return found

    @property
    def lengths(self) -> tuple[int, ...]:
        """Return the length of runs in every case."""
        for t in (self.first, self.middle, self.last):
            if self.found.length in t.sizes:
                return t.lengths(t.sizes.index(self.found.length))
        raise AssertionError("the length is of one of the nests")

    # the kernel

    def write(self) -> Part:
        self.sizes()
        w = self.w
        high, wide = w.variable(self.name("high")), w.variable(self.name("wide"))
        items, row_tile = w.variable(self.name("items")), w.variable(self.name("row_tile"))
        length = w.variable(self.found.length)
        self.keys = self.weighed.size(self.weighed.c.k)
        self.deep, self.width = self.scored.size(self.scored.c.k), self.weighed.size(self.weighed.c.n)
        self.high, self.wide, self.length = high, wide, length
        w.capacities = self.capacities(row_tile)
        scores, weights, parts = (w.tensor(self.space(x))[0] for x in ("scores", "weights", "parts"))
        a, b = (self.scored.operand(x) for x in (self.scored.c.a, self.scored.c.b))
        v = self.weighed.operand(self.weighed.c.b)
        self.mm_scores = w.matmul_object(
            a=a, b=b, c=scores, dims=(high, wide, self.deep), transpose_a=self.scored.c.a.transposed,
            transpose_b=self.scored.c.b.transposed,
        )  # fmt: skip
        self.mm_parts = w.matmul_object(
            a=weights, b=v, c=parts, dims=(high, self.width, wide), transpose_b=self.weighed.c.b.transposed
        )
        low, before, sums, total, shrink = (
            w.allocate("Q", "float32", wish=x)
            for x in ("low", "low_before", "block_sum", "weight_sum", "shrink")
        )
        largest = w.allocate("R", "float32", wish="largest")
        grown, any_grown = w.allocate("Q", "mask", wish="grown"), w.allocate("S", "float32", wish="any_grown")
        part = w.allocate("W", "float32", loaded=True, wish="part")
        across, down, count, rank = (self.name(x) for x in ("across", "down", "count", "rank"))
        w.assign(across, call("ceil_div", self.keys, wide))
        w.assign(down, call("ceil_div", length, high))
        w.assign(rank, CORE % 2 * (CORES // 2) + CORE // 2)
        self.across, self.down, self.rank = across, down, rank
        left = binary("<", self.slot(items // CORES), items % CORES)
        w.assign(count, (items // CORES + Choice(cond=left, then=ONE, other=ZERO)) * across)
        with w.stage("compute"):
            for tile in (low, before, sums, total):
                w.op("fill", tile, Const(value=0.0))
        w.close_stage()
        w.assign(self.buffer, ZERO)
        with w.branch(binary(">", count, 0)):
            self.ask_scores(ZERO, "0")
        w.close_stage()
        s = self.name("s")
        turn, run, row, rows, key, columns = (
            self.name(x) for x in ("turn", "run", "row", "rows", "key", "columns")
        )
        own = CORE * 2 + self.buffer
        with w.loop(s, ZERO, count + 1):
            self.place(s, turn, run, row, rows)
            seen = self.seen(self.name("seen"), run, row, rows)
            w.assign(key, s % across * wide)
            w.assign(columns, call("min", wide, seen - key))
            live: Expr = binary("<", s, count)
            following: Expr = s + 1
            if self.found.ahead is not None:  # else the cube core would make blocks that weigh nothing
                live = binary("and", live, binary("or", binary("==", key, 0), binary("<", key, seen)))
                more = binary("<", key + wide, seen)
                following = Choice(cond=more, then=following, other=(turn + 1) * across)
            with w.branch(live):
                with w.stage("cube"):
                    w.wait(self.mm_scores)
                w.close_stage()
                w.assign(self.name("following"), following)
                with w.branch(binary("<", self.name("following"), count)):
                    self.ask_scores(self.name("following"), "1")
                w.close_stage()
                self.softmax(own, run, row, rows, key, columns, (low, before, sums, largest))
            w.close_stage()
            with w.branch(joined("and", [binary(">", s, 0), binary("==", s % across, 0)], ONE)):
                self.finish(s, part, total)
            w.close_stage()
            with w.branch(live):
                with w.branch(binary("==", key, 0)), w.stage("compute"):
                    w.op("fill", total, Const(value=0.0))
                with w.stage("compute"):
                    w.op("sub", shrink, low.ref, before.ref)
                    w.op("exp", shrink, shrink.ref)
                    w.op("mul", total, total.ref, shrink.ref)
                    w.op("add", total, total.ref, sums.ref)
                    w.op("copy", before, low.ref)
                    w.op("lt", grown, shrink.ref, ONE_AS_FLOAT)
                    w.op("cast", sums, grown.ref)
                    w.op("reduce_max", any_grown, sums.ref)
                    is_grown = w.value_of(any_grown)
                    w.assign(is_grown, Element(tile=any_grown.name, index=ZERO))
                w.close_stage()
                to = (CORE * 2 + turn % 2) * high * self.width
                index = self.index(self.last, self.found.rows[2], run, row)
                at = self.weighed.offset(self.weighed.c.b, index, {self.weighed.c.k: key})
                multiply = Multiply(
                    object=self.mm_parts, extent=(rows, self.width, columns), a=own * high * wide, b=at, c=to,
                    lda=wide, ldb=self.weighed.pitch(self.weighed.c.b), wait=False,
                )  # fmt: skip
                with w.branch(binary("==", key, 0)), w.stage("cube"):
                    w.multiply(multiply)
                w.close_stage()
                with w.branch(binary(">", key, 0)):
                    with w.branch(binary(">", is_grown, 0.5)):
                        self.scale(to, rows, part, shrink)
                    w.close_stage()
                    with w.stage("cube"):
                        w.multiply(multiply.model_copy(update={"accumulate": True}))
                w.close_stage()
                w.assign(self.buffer, ONE - self.buffer)
            w.close_stage()
        return self.part

    def capacities(self, row_tile: Name) -> dict[Extent, Shape]:
        wide = self.w.variable(self.name("wide"))
        return {
            "S": (Const(value=8),), "P": (Const(value=64), ONE), "F": (row_tile, wide), "R": (row_tile,),
            "C": (wide,), "T": (wide, row_tile), "K": (row_tile, ONE),
            "Q": (self.w.variable(self.name("high")),), "W": (Const(value=self.back), self.columns),
        }  # fmt: skip

    def slot(self, turn: Expr) -> Expr:
        """Return which of the items of a turn is this core's: there and back, so that early and late ones even out."""
        return Choice(cond=binary("==", turn % 2, 0), then=self.rank, other=CORES - 1 - self.rank)

    def place(self, s: Expr, turn: Name, run: Name, row: Name, rows: Name) -> None:
        """Write which item a step belongs to, and where its rows are."""
        w, item = self.w, Name(id=f"item{turn.id.removeprefix('turn')}")
        w.assign(turn, ZERO if s == ZERO else s // self.across)
        w.assign(item, turn * CORES + self.slot(turn))
        w.assign(run, item // self.down)
        w.assign(row, item % self.down * self.high)
        w.assign(rows, call("min", self.high, self.length - row))

    def seen(self, seen: Name, run: Name, row: Name, rows: Name) -> Expr:
        """Write how many keys count for these rows."""
        w, ahead = self.w, self.found.ahead
        if ahead is None:
            return self.keys
        known = ahead if isinstance(ahead, Const) else w.scalar(ahead, "int")
        index = self.index(self.middle, self.found.rows[1], run, row)[self.found.rows[1].axes[-1]]
        last = call("align_up", call("max", index + rows + known, 1), 64)
        w.assign(seen, call("min", self.keys, last))
        return seen

    def ask_scores(self, s: Expr, mark: str) -> None:
        """Ask the cube core for a step's block of scores."""
        turn, run, row, rows, key = (self.name(f"{x}{mark}") for x in ("turn", "run", "row", "rows", "key"))
        w, c = self.w, self.scored.c
        self.place(s, turn, run, row, rows)
        seen = self.seen(self.name(f"seen{mark}"), run, row, rows)
        w.assign(key, ZERO if s == ZERO else s % self.across * self.wide)
        index = self.index(self.first, self.found.rows[0], run, row)
        outer = {a: e for a, e in index.items() if a != c.m}
        other = CORE * 2 if s == ZERO else CORE * 2 + (ONE - self.buffer)
        with w.stage("cube"):
            w.multiply(
                Multiply(
                    object=self.mm_scores,
                    extent=(rows, call("min", self.wide, seen - key), self.deep),
                    a=self.scored.offset(c.a, outer, {c.m: row_of(c.m, index)}),
                    b=self.scored.offset(c.b, outer, {c.n: key}),
                    c=other * self.high * self.wide,
                    lda=self.scored.pitch(c.a), ldb=self.scored.pitch(c.b), ldc=self.wide, wait=False,
                )
            )  # fmt: skip
        w.close_stage()

    def softmax(
        self, own: Expr, run: Name, row: Name, rows: Name, key: Name, columns: Name,
        state: tuple[Tile, Tile, Tile, Tile],
    ) -> None:  # fmt: skip
        """Make weights of a block of scores, a tile of rows at a time."""
        w, found, (_, before, _, _) = self.w, self.found, state
        slack, i, n, step = self.name("slack"), self.name("i"), self.name("n"), self.name("step")
        w.assign(slack, Choice(cond=binary("==", key, 0), then=Const(value=0.0), other=Const(value=SLACK)))
        with w.branch(binary("==", key, 0)), w.stage("compute"):
            w.op("fill", before, LARGEST)
        w.close_stage()
        w.assign(step, w.variable(self.name("row_tile")) // ALIGNED_ROWS * ALIGNED_ROWS)
        with w.loop(i, ZERO, rows, step):
            w.assign(n, call("min", step, rows - i))
            index = self.index(self.middle, found.rows[1], run, row + i)
            ahead = found.ahead
            if found.plain is None or ahead is None:
                self.weights(found.score, index, own, i, n, key, columns, state)
            else:
                known = ahead if isinstance(ahead, Const) else w.scalar(ahead, "int")
                first = index[found.rows[1].axes[-1]]
                last = first if known == ZERO else first + known
                all_count = binary("<=", key + columns, last + 1)
                with w.branch(all_count):
                    self.weights(found.plain, index, own, i, n, key, columns, state)
                w.close_stage()
                with w.branch(Unary(op="not", operand=all_count)):
                    self.weights(found.plain, index, own, i, n, key, columns, state, last=last)
                w.close_stage()
        w.close_stage()

    def hide(self, tile: Tile, last: Expr, n: Name, key: Name, columns: Name) -> None:
        """Let what lies beyond the last key of each row be -inf; the first row's is `last`."""
        w = self.w
        column, of_row = (
            w.allocate("C", "float32", wish="key_number"),
            w.allocate("R", "float32", wish="last_key"),
        )
        bound = w.allocate("F", "float32", wish="bound")
        w.op("iota", column, call("float", key), extent=(columns,))
        w.op("iota", of_row, call("float", last) + 0.5, extent=(n,))
        w.op("broadcast", bound, column.view, extent=(n, columns))
        w.op("sub", bound, bound.ref, of_row.view)
        for factor in (-LARGEST.value, LARGEST.value):  # of a number that is not 0: an infinite one
            w.op("mul", bound, bound.ref, Const(value=factor))
        w.op("minimum", tile, tile.ref, bound.ref)
        for used in (column, of_row, bound):
            w.release(used)

    def weights(
        self, score: int, index: dict[int, Expr], own: Expr, i: Name, n: Name, key: Name, columns: Name,
        state: tuple[Tile, Tile, Tile, Tile], *, last: Expr | None = None,
    ) -> None:  # fmt: skip
        """Make weights of a tile of rows; `last` is the last key that counts for the first of them."""
        w, (low, before, sums, largest) = self.w, state
        score, scale = self.scaled(score)
        at = (own * self.high + i) * self.wide
        emitter = self.emitter(index, key, n, columns)
        emitter.block_of_product = (self.found.scores, w.tensor(self.space("scores")), at, self.wide)
        emitter.block(emitter.needs([score]), [], keep={score})
        tile = emitter.held[score].tile
        if tile is None or tile.extent != "F":
            raise Unsupported(
                "softmax", "a softmax of what does not vary along rows and columns is not covered"
            )
        part = (i, n)
        with w.stage("compute"):
            if last is not None:
                self.hide(tile, last, n, key, columns)
            w.op("reduce_max", largest, tile.ref)
            w.op("mul", largest, largest.ref, Const(value=-scale))
            w.op("add", largest, largest.ref, self.name("slack"))
            w.op("minimum", low, largest.ref, TileRef(tile=before.name, rows=part), rows=part)
            of_row = TileRef(tile=low.name, rows=part, view="column")
            if scale == 1.0:
                w.op("add", tile, tile.ref, of_row)
            else:
                w.op("mul_add", tile, tile.ref, of_row, Const(value=scale))
            w.op("exp", tile, tile.ref)
            w.op("reduce_sum", sums, tile.ref, rows=part)
        with w.stage("copyout"):
            w.store(w.tensor(self.space("weights")), at, tile, self.wide)
        emitter.forget({})

    def scaled(self, score: int) -> tuple[int, float]:
        """Return what is exponentiated without a constant positive factor, and that factor."""
        values = self.middle.values
        v = values[score]
        if v.op in ("mul", "div"):
            for one, other in (v.args, v.args[::-1]) if v.op == "mul" else (v.args,):
                constant = self.middle.constants[other]
                if values[other].op == "const" and isinstance(constant, Const) and float(constant.value) > 0:
                    factor = float(constant.value)
                    return one, factor if v.op == "mul" else 1.0 / factor
        return score, 1.0

    def emitter(self, index: dict[int, Expr], key: Expr, rows: Expr, columns: Expr) -> _Scores:
        lane, row = self.found.keys, self.found.rows[1].axes[-1]
        extents: dict[Extent, Shape] = {"F": (rows, columns), "R": (rows,), "C": (columns,), "S": (ONE,)}
        places = index | {lane: key}
        layout = Layout(row=row, lane=lane, index=places, extents=extents, row_count=rows, lane_count=columns)
        level = Level(frozenset(), lambda: self.w.branch(ONE))
        return _Scores(self.middle, self.w, layout, [level], self.tensors, self.name("column_share"))

    def finish(self, s: Name, part: Tile, total: Tile) -> None:
        """Divide the sums of the item before by the sum of its weights, and store them."""
        w, c = self.w, self.weighed.c
        turn, run, row, rows, i, n = (self.name(x) for x in ("turn2", "run2", "row2", "rows2", "i2", "n2"))
        self.place(s - 1, turn, run, row, rows)
        with w.stage("cube"):
            w.wait(self.mm_parts)
        if self.found.safe:
            with w.stage("compute"):
                w.op("maximum", total, total.ref, Const(value=TINY))
        w.close_stage()
        index = self.index(self.last, self.found.rows[2], run, row)
        outer = {a: e for a, e in index.items() if a != c.m}
        store = self.last.nest.stores[c.c.value]
        at = (CORE * 2 + turn % 2) * self.high
        with self.parts_of(rows, i, n, self.name("j2")) as (column, columns, pitch):
            with w.stage("copyin"):
                sums = column((at + i) * self.width)
                w.load(part, w.tensor(self.space("parts")), sums, (n, columns), pitch)
            with w.stage("compute"):
                w.op("div", part, part.ref, TileRef(tile=total.name, rows=(i, n), view="column"))
            with w.stage("copyout"):
                to = self.weighed.offset(c.c, outer, {c.m: row_of(c.m, index) + i})
                w.store(self.tensors.target(w, store), column(to), part, self.weighed.pitch(c.c))

    def scale(self, to: Expr, rows: Name, part: Tile, shrink: Tile) -> None:
        """Scale what has been added up, as the rows' largest score has grown."""
        w, i, n = self.w, self.name("i3"), self.name("n3")
        with w.stage("cube"):
            w.wait(self.mm_parts)
        w.close_stage()
        with self.parts_of(rows, i, n, self.name("j3")) as (column, columns, pitch):
            at = column(to + i * self.width)
            with w.stage("copyin"):
                w.load(part, w.tensor(self.space("parts")), at, (n, columns), pitch)
            with w.stage("compute"):
                w.op("mul", part, part.ref, TileRef(tile=shrink.name, rows=(i, n), view="column"))
            with w.stage("copyout"):
                w.store(w.tensor(self.space("parts")), at, part, pitch)

    @contextmanager
    def parts_of(
        self, rows: Name, i: Name, n: Name, j: Name
    ) -> Iterator[tuple[Callable[[Expr], Expr], Expr, Expr | None]]:
        """Walk over what has been added up, `n` rows from row `i` at a time, in parts where rows are long.

        Give what moves an offset to a part's first column, how many columns it has, and the rows' pitch.
        """
        w = self.w
        with w.loop(i, ZERO, rows, self.back):
            w.assign(n, call("min", Const(value=self.back), rows - i))
            if self.in_parts:
                with w.loop(j, ZERO, self.width, BACK_COLUMNS):
                    columns = Name(id=f"columns_{j.id}")
                    w.assign(columns, call("min", Const(value=BACK_COLUMNS), self.width - j))
                    yield lambda offset: offset + j, columns, self.width
                w.close_stage()
            else:
                yield lambda offset: offset, self.width, None
        w.close_stage()


def row_of(axis: int | None, index: Mapping[int, Expr]) -> Expr:
    """Return the index of the axis of rows, which every product here has."""
    assert axis is not None
    return index[axis]
