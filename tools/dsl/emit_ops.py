"""Compute operations as Ascend C calls."""

from collections.abc import Callable

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.code import Lines
from akgen.tools.dsl.expr import ZERO, Const, Expr
from akgen.tools.dsl.ir import Op, Operand, Rows, TileRef
from akgen.tools.dsl.kernel_context import KernelContext
from akgen.tools.dsl.ops import LIBRARY_LIVE

_BINARY = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "maximum": "Max", "minimum": "Min"}
_SCALAR = {"add": "Adds", "mul": "Muls", "maximum": "Maxs", "minimum": "Mins"}
_UNARY = {"exp": "Exp", "ln": "Ln", "sqrt": "Sqrt", "abs": "Abs", "relu": "Relu"}
_ROUND = {
    "floor": "CAST_FLOOR",
    "ceil": "CAST_CEIL",
    "round": "CAST_RINT",
    "trunc": "CAST_TRUNC",
    "rint": "CAST_RINT",
}
_COMPOSED = {
    "gelu": "TileGelu", "gelu_tanh": "TileGeluTanh", "sigmoid": "TileSigmoid",
    "silu": "TileSilu", "expm1": "TileExpm1", "log1p": "TileLog1p", "softplus": "TileSoftplus", "rsqrt": "TileRsqrt",
}  # fmt: skip
_ASSOCIATIVE = {"sum": "TileOpAdd", "prod": "TileOpMul", "max": "TileOpMax", "min": "TileOpMin"}
_UNITS = {
    "float": {"prod": "1.0f"},
    "int32_t": {"sum": "0", "prod": "1", "max": "-2147483647 - 1", "min": "2147483647"},
}
_REDUCER = {"reduce_sum": "TileSum", "reduce_max": "TileMaximum", "reduce_min": "TileMinimum"}


class OpPrinter:
    """Prints operations; `counts` gives the name of a constant that holds an extent's element count."""

    def __init__(self, ctx: KernelContext, out: Lines, counts: Callable[[tuple[Expr, ...]], str]) -> None:
        self.ctx, self.out, self.counts = ctx, out, counts

    def emit(self, op: Op, dst: str) -> None:
        """Print one operation into the tensor `dst`; sources are named by the context."""
        self.dst, self.op = self.part(dst, op.dst, op.rows), op
        family = op.name
        if family in _BINARY:
            self.binary()
        elif family.startswith("scatter"):
            self.scatter()
        elif family.startswith("reduce_"):
            self.reduce()
        elif family.startswith("scan_"):
            self.scan()
        elif family in ("eq", "ne", "lt", "le", "gt", "ge"):
            self.compare()
        else:
            getattr(self, f"op_{family}", self.unary)()

    @property
    def n(self) -> str:
        """Return the constant that holds the number of elements, which is declared where it is first needed."""
        return self.counts(self.op.extent or ())

    def call(self, api: str, *args: str) -> None:
        self.out.add(f"{api}({', '.join(args)});")

    def src(self, i: int) -> str:
        """Return the i-th source as C++: a local tensor, or a scalar of the destination's type."""
        return self.operand(self.op.args[i])

    def operand(self, a: Operand) -> str:
        if isinstance(a, TileRef):
            return self.part(self.ctx.current_tile(a.tile), a.tile, a.rows)
        dtype = self.ctx.tile_types[
            next((t.tile for t in self.op.tiles if not self.ctx.is_mask(t.tile)), self.op.dst)
        ]
        if dtype.fixed == DType.FLOAT32:
            return self.ctx.expr.as_float(a)
        kind = self.ctx.cpp_type(dtype)
        whole = dtype.fixed is not None and not DType(dtype.fixed).is_float
        return f"static_cast<{kind}>({self.ctx.expr.text(a) if whole else self.ctx.expr.as_float(a)})"

    def part(self, tensor: str, tile: str, rows: Rows | None) -> str:
        """Return a tensor from some row on."""
        if rows is None or rows[0] == ZERO:
            return tensor
        dims, first = self.ctx.kernel.allocs[tile].dims, self.ctx.expr.text(rows[0])
        if len(dims) == 1:
            return f"{tensor}[{first}]"
        return f"{tensor}[{self.ctx.expr.wrapped(first)} * RowStride({self.ctx.expr.text(dims[1])})]"

    def negated(self, a: Expr) -> str:
        if isinstance(a, Const):
            return self.operand(Const(value=-a.value))
        return (
            f"-{self.operand(a)}"
            if self.ctx.expr.nested(a) == self.ctx.expr.text(a)
            else f"-({self.operand(a)})"
        )

    def rows(self) -> tuple[str, str, str]:
        extent = self.op.extent or ()
        cols = self.ctx.expr.text(extent[1])
        return self.ctx.expr.text(extent[0]), cols, f"RowStride({cols})"

    def binary(self) -> None:
        a, b = self.op.args
        name = self.op.name
        if isinstance(a, TileRef) and isinstance(b, TileRef):
            if a.view == b.view == "whole":
                self.call(_BINARY[name], self.dst, self.src(0), self.src(1), self.n)
            else:
                self.broadcast(a, b)
        elif isinstance(a, TileRef):
            assert not isinstance(b, TileRef)
            if name == "sub":
                self.call("Adds", self.dst, self.src(0), self.negated(b), self.n)
            elif name == "div":
                kind = self.ctx.tile_type(a.tile)
                one = "1.0f" if kind == "float" else f"static_cast<{kind}>(1.0f)"
                value = f"1.0f / {self.ctx.expr.wrapped(self.ctx.expr.as_float(b))}"
                self.call(
                    "Muls",
                    self.dst,
                    self.src(0),
                    value if one == "1.0f" else f"static_cast<{kind}>({value})",
                    self.n,
                )
            else:
                self.call(_SCALAR[name], self.dst, self.src(0), self.src(1), self.n)
        else:
            self.scalar_first(a, name)

    def scalar_first(self, a: Expr, name: str) -> None:
        if name == "sub":
            tile = self.op.tiles[0].tile
            self.call("Muls", self.dst, self.src(1), self.minus_one(tile), self.n)
            self.call("Adds", self.dst, self.dst, self.operand(a), self.n)
        elif name == "div":
            self.call(
                self.ctx.lib("TileValueDiv"), self.dst, self.operand(a), self.src(1), "scratch_", self.n
            )
        else:
            self.call(_SCALAR[name], self.dst, self.src(1), self.src(0), self.n)

    def minus_one(self, tile: str) -> str:
        kind = self.ctx.tile_type(tile)
        return {"float": "-1.0f"}.get(
            kind, f"static_cast<{kind}>({'-1' if kind.startswith('int') else '-1.0f'})"
        )

    def broadcast(self, a: TileRef, b: TileRef) -> None:
        flipped = a.view != "whole"
        whole, vector = (b, a) if flipped else (a, b)
        op = f"TileOp{_BINARY[self.op.name]}" + (
            "Reversed" if flipped and self.op.name in ("sub", "div") else ""
        )
        self.spread(op, self.operand(whole), vector)

    def spread(self, op: str, whole: str, vector: TileRef) -> None:
        rows, cols, stride = self.rows()
        v = self.operand(vector)
        if vector.view == "column":
            head = f"{self.ctx.lib('TileColumnOp')}<{self.ctx.lib(op)}>"
            self.call(head, self.dst, whole, v, "scratch_", rows, cols, stride)
        else:
            self.call(
                f"{self.ctx.lib('TileRowOp')}<{self.ctx.lib(op)}>", self.dst, whole, v, rows, cols, stride
            )

    def matrix(self) -> tuple[str, str, str]:
        """Return rows, columns and row stride; a 1-D extent is one row."""
        if len(self.op.extent or ()) == 2:
            return self.rows()
        return "1", self.n, self.n

    def scan(self) -> None:
        kind = self.ctx.tile_type(self.op.dst)
        op = self.ctx.lib(_ASSOCIATIVE[self.op.name.removeprefix("scan_")])
        scan = f"{self.ctx.lib('TileScan')}<{op}, {kind}, {'true' if self.op.reverse else 'false'}>"
        if self.op.axis == "first":
            self.call(f"{scan}::Down", self.dst, self.src(0), *self.matrix())
        else:
            self.call(f"{scan}::Rows", self.dst, self.src(0), "scratch_", *self.matrix())

    def fold(self, name: str, kind: str) -> None:
        """Reduce with what no reducing instruction does."""
        op = self.ctx.lib(_ASSOCIATIVE[name])
        if self.op.axis == "first" and len(self.op.extent or ()) == 2:
            self.call(f"{self.ctx.lib('TileFoldColumns')}<{op}, {kind}>", self.dst, self.src(0), *self.rows())
            return
        way = "All" if self.op.axis == "all" and len(self.op.extent or ()) == 2 else "Rows"
        unit = f"static_cast<{kind}>({_UNITS[kind][name]})"
        fold = f"{self.ctx.lib('TileFold')}<{op}, {kind}>::{way}"
        self.call(fold, self.dst, self.src(0), "scratch_", unit, *self.matrix())

    def reduce(self) -> None:
        kind = self.ctx.tile_type(self.op.dst)
        if self.op.name in ("reduce_first", "reduce_last"):
            rows, cols, stride = self.matrix()
            at = "" if self.op.name == "reduce_first" else f"[({rows} - 1) * {stride}]"
            self.call(self.ctx.lib("TileCopy"), self.dst, f"{self.src(0)}{at}", cols)
            return
        if kind == "int32_t" or self.op.name == "reduce_prod":
            self.fold(self.op.name.removeprefix("reduce_"), kind)
            return
        reducer = _REDUCER[self.op.name]
        self.ctx.lib("TileReducers")
        if len(self.op.extent or ()) == 1:
            name = f"{self.ctx.lib('TileReduce')}<{reducer}>"
            self.call(name, self.dst, self.src(0), "scratch_.Get<float>()", self.n)
            return
        rows, cols, stride = self.rows()
        if self.op.axis == "first":
            self.call(
                f"{self.ctx.lib('TileReduceColumns')}<{reducer}>", self.dst, self.src(0), rows, cols, stride
            )
            return
        name = "TileReduceRows" if self.op.axis == "last" else "TileReduceAll"
        self.call(f"{self.ctx.lib(name)}<{reducer}>", self.dst, self.src(0), "scratch_", rows, cols, stride)

    def unary(self) -> None:
        name = self.op.name
        if name in _UNARY:
            self.call(_UNARY[name], self.dst, self.src(0), self.n)
        elif name in LIBRARY_LIVE:
            self.library()
        elif name in _COMPOSED:
            self.call(self.ctx.lib(_COMPOSED[name]), self.dst, self.src(0), "scratch_", self.n)
        elif name in _ROUND:
            self.call("Cast", self.dst, self.src(0), f"RoundMode::{_ROUND[name]}", self.n)
        else:
            raise AssertionError(f"no form for {name}")

    def library(self) -> None:
        """Print a call of the vendor's library, which needs its source apart from its result, and memory of ours."""
        source, room = self.src(0), f"{self.ctx.lib('TileScratchAt')}(scratch_, 0, {self.n})"
        if self.op.dst == self.op.tiles[0].tile:
            self.call("Muls", room, source, "1.0f", self.n)
            source, room = room, f"TileScratchAt(scratch_, 1, {self.n})"
        self.call(self.op.name.capitalize(), self.dst, source, f"{room}.ReinterpretCast<uint8_t>()", self.n)

    def op_neg(self) -> None:
        self.call("Muls", self.dst, self.src(0), self.minus_one(self.op.tiles[0].tile), self.n)

    def op_square(self) -> None:
        self.call("Mul", self.dst, self.src(0), self.src(0), self.n)

    def op_reciprocal(self) -> None:
        self.call(self.ctx.lib("TileValueDiv"), self.dst, "1.0f", self.src(0), "scratch_", self.n)

    def op_sign(self) -> None:
        self.call(self.ctx.lib("TileSign"), self.dst, self.src(0), self.n)

    def op_copy(self) -> None:
        self.call(self.ctx.lib("TileCopy"), self.dst, self.src(0), self.n)

    def op_leaky_relu(self) -> None:
        self.call("LeakyRelu", self.dst, self.src(0), self.src(1), self.n)

    def op_power(self) -> None:
        a, b = self.op.args
        if (
            isinstance(b, Const)
            and isinstance(a, TileRef)
            and float(b.value) in (0.5, 1.0, 2.0, 3.0, 4.0, -1.0)
        ):
            self.small_power(float(b.value), self.src(0))
            return
        at = f"{self.ctx.lib('TileScratchAt')}(scratch_, 4, {self.n})"
        names = [self.src(0), self.src(1)]
        for i, x in enumerate((a, b)):
            if not isinstance(x, TileRef):
                self.call("Duplicate", at, names[i], self.n)
                names[i] = at
        self.call(self.ctx.lib("TilePower"), self.dst, *names, "scratch_", self.n)

    def small_power(self, exponent: float, x: str) -> None:
        if exponent == 0.5:
            self.call("Sqrt", self.dst, x, self.n)
        elif exponent == 1.0:
            self.call(self.ctx.lib("TileCopy"), self.dst, x, self.n)
        elif exponent == -1.0:
            self.call(self.ctx.lib("TileValueDiv"), self.dst, "1.0f", x, "scratch_", self.n)
        elif exponent == 3.0:
            square = f"{self.ctx.lib('TileScratchAt')}(scratch_, 0, {self.n})"
            self.call("Mul", square, x, x, self.n)
            self.call("Mul", self.dst, square, x, self.n)
        else:
            self.call("Mul", self.dst, x, x, self.n)
            if exponent == 4.0:
                self.call("Mul", self.dst, self.dst, self.dst, self.n)

    def whole(self) -> str:
        """Return the element count rounded up to whole vector instructions, as comparisons need it."""
        size = self.ctx.tile_type(self.op.tiles[0].tile)
        self.ctx.lib("TileInt")
        return f"static_cast<uint32_t>(TileAlignUp({self.n}, 256 / sizeof({size})))"

    def compare(self) -> None:
        mode = f"CMPMODE::{self.op.name.upper()}"
        api = "Compare" if isinstance(self.op.args[1], TileRef) else "CompareScalar"
        self.call(api, self.dst, self.src(0), self.src(1), mode, self.whole())

    def words(self, tensor: str) -> str:
        return f"{tensor}.ReinterpretCast<uint16_t>()"

    def masks(self, api: str) -> None:
        self.ctx.lib("TileInt")
        count = f"static_cast<int32_t>(TileCeilDiv({self.n}, 16))"
        self.call(
            api, self.words(self.dst), *(self.words(self.src(i)) for i in range(len(self.op.args))), count
        )

    def op_mask_and(self) -> None:
        self.masks("And")

    def op_mask_or(self) -> None:
        self.masks("Or")

    def op_mask_not(self) -> None:
        self.masks("Not")

    def bits(self, api: str) -> None:
        """Print bitwise logic, which takes 16-bit elements."""
        words = (f"{self.src(i)}.ReinterpretCast<uint16_t>()" for i in range(len(self.op.args)))
        self.call(api, self.words(self.dst), *words, f"{self.n} * 2")

    def op_bit_and(self) -> None:
        self.bits("And")

    def op_bit_or(self) -> None:
        self.bits("Or")

    def op_bit_not(self) -> None:
        self.bits("Not")

    def op_shift_right(self) -> None:
        self.call("ShiftRight", self.dst, self.src(0), self.src(1), self.n)

    def op_shift_left(self) -> None:
        """Print a shift of unsigned numbers: that of signed ones keeps the sign bit."""
        count = self.src(1).replace("int32_t", "uint32_t")
        views = (f"{t}.ReinterpretCast<uint32_t>()" for t in (self.dst, self.src(0)))
        self.call("ShiftLeft", *views, count, self.n)

    def op_where(self) -> None:
        mask, a, b = self.op.args
        m, x, y = self.src(0), self.src(1), self.src(2)
        if not isinstance(a, TileRef):
            into = self.dst
            if b == TileRef(tile=self.op.dst):
                into = f"{self.ctx.lib('TileScratchAt')}(scratch_, 0, {self.n})"
            self.call("Duplicate", into, x, self.n)
            x = into
        mode = "VSEL_TENSOR_TENSOR_MODE" if isinstance(b, TileRef) else "VSEL_TENSOR_SCALAR_MODE"
        self.call("Select", self.dst, m, x, y, f"SELMODE::{mode}", f"static_cast<uint32_t>({self.n})")
        del mask

    def op_cast(self) -> None:
        source, target = self.ctx.tile_types[self.op.tiles[0].tile], self.ctx.tile_types[self.op.dst]
        if source.fixed == "mask":
            kind = self.ctx.cpp_type(target)
            self.call("Duplicate", self.dst, f"static_cast<{kind}>(1)", self.n)
            zero = f"static_cast<{kind}>(0)"
            count = f"static_cast<uint32_t>({self.n})"
            self.call(
                "Select", self.dst, self.src(0), self.dst, zero, "SELMODE::VSEL_TENSOR_SCALAR_MODE", count
            )
        elif self.op.rounding == "bits":
            words = (f"{t}.ReinterpretCast<int32_t>()" for t in (self.dst, self.src(0)))
            self.call("Adds", *words, "0", self.n)
        elif source == target and self.op.rounding == "rint":
            self.op_copy()
        elif source.native or target.native:
            self.call(self.ctx.lib("TileConvert"), self.dst, self.src(0), "scratch_", self.n)
        else:
            widening = target.fixed == DType.FLOAT32 and self.op.rounding == "rint"
            mode = "CAST_NONE" if widening else _ROUND[self.op.rounding]
            mode = "CAST_ROUND" if self.op.rounding == "round" else mode
            self.call("Cast", self.dst, self.src(0), f"RoundMode::{mode}", self.n)

    def op_mul_add(self) -> None:
        rows, cols, stride = self.rows()
        if isinstance(self.op.args[2], TileRef):
            name = self.ctx.lib("TileRowMulAdd")
            self.call(name, self.dst, self.src(2), self.src(1), rows, cols, stride)
        else:
            name = self.ctx.lib("TileColumnMulAdd")
            self.call(name, self.dst, self.src(2), self.src(1), "scratch_", rows, cols, stride)

    def op_gather(self) -> None:
        table, extent = self.op.source or (), self.op.extent or ()
        rows = self.ctx.expr.text(extent[0]) if len(extent) == 2 else "1"
        strides = [f"RowStride({self.ctx.expr.text(e[1])})" if len(e) == 2 else "0" for e in (extent, table)]
        count = self.ctx.expr.text(extent[-1])
        name = self.ctx.lib("TileGather")
        self.call(name, self.dst, self.src(0), self.src(1), "scratch_", rows, count, *strides)

    def op_sort(self) -> None:
        source, start = self.op.source or (), self.op.args[1]
        assert not isinstance(start, TileRef)
        rows = self.ctx.expr.text(source[0]) if len(source) == 2 else "1"
        cols, width = self.ctx.expr.text(source[-1]), self.ctx.expr.text((self.op.extent or ())[-1])
        stride = f"RowStride({cols})" if len(source) == 2 else "0"
        first = self.ctx.expr.text(start)
        name = f"{self.ctx.lib('TileSort')}::Rows"
        self.call(name, self.dst, self.src(0), "scratch_", first, rows, cols, stride, width)

    def op_keep_top(self) -> None:
        fresh = self.op.args[1]
        assert not isinstance(fresh, TileRef)
        sizes = [self.ctx.expr.text((e or ())[-1]) for e in (self.op.extent, self.op.source)]
        name = self.ctx.lib("TileKeepTop")
        self.call(name, self.dst, self.src(0), "scratch_", self.ctx.expr.text(fresh), *sizes)

    def op_sorted_values(self) -> None:
        self.take("1")

    def op_sorted_places(self) -> None:
        self.take("2")

    def take(self, pattern: str) -> None:
        """Take keys or places from records."""
        extent, source = self.op.extent or (), self.op.source or ()
        count, width = self.ctx.expr.text(extent[-1]), self.ctx.expr.text(source[-1])
        two = len(extent) == 2
        rows, stride = (self.ctx.expr.text(extent[0]), f"RowStride({count})") if two else ("1", "0")
        self.call(self.ctx.lib("TileSorted"), self.dst, self.src(0), pattern, rows, count, stride, width)

    def op_transpose(self) -> None:
        rows, cols = map(self.ctx.expr.text, self.op.extent or ())
        name = self.ctx.lib("TileTurn")
        self.call(
            name, self.dst, self.src(0), "scratch_", rows, cols, f"RowStride({rows})", f"RowStride({cols})"
        )

    def scatter(self) -> None:
        count, reach = (self.ctx.expr.text((e or ())[-1]) for e in (self.op.extent, self.op.source))
        kind = self.op.name.removeprefix("scatter").removeprefix("_").capitalize() or "Set"
        name = f"{self.ctx.lib('TileScatter')}<TileScatter{kind}>"
        self.call(name, self.dst, self.src(0), self.src(1), count, reach)

    def op_fill(self) -> None:
        self.call("Duplicate", self.dst, self.src(0), self.n)

    def op_iota(self) -> None:
        self.call("CreateVecIndex", self.dst, self.src(0), f"static_cast<uint32_t>({self.n})")

    def op_broadcast(self) -> None:
        zero = f"static_cast<{self.ctx.tile_type(self.op.dst)}>(0)"
        self.call("Duplicate", self.dst, "0.0f" if zero == "static_cast<float>(0)" else zero, self.n)
        self.spread("TileOpAdd", self.dst, self.op.tiles[0])
