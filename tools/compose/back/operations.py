"""Lower one value to tile operations: types, and what the DSL lacks."""

from collections.abc import Sequence

from akgen.tools.compose.back.layout import LARGEST
from akgen.tools.compose.back.operands import Location, Operands
from akgen.tools.compose.back.writer import Extent, Tile
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import BinaryOp, Choice, Const, Expr, binary, call
from akgen.tools.dsl.ir import TileRef
from akgen.tools.dsl.ops import LIBRARY_LIVE

_ARITHMETIC = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "maximum", "min": "minimum", "pow": "power",
}  # fmt: skip
_SYMBOLS: dict[str, BinaryOp] = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_UNARY = {"log": "ln"} | {
    n: n for n in (
        "exp", "sqrt", "rsqrt", "reciprocal", "abs", "neg", "relu", "sign", "floor", "ceil", "round", "trunc",
        "sigmoid", "gelu", "gelu_tanh", "silu", "softplus", "expm1", "log1p", *LIBRARY_LIVE,
    )
}  # fmt: skip
_NOTHING = Const(value=0.0)
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


class OperationCodegen(Operands):
    """Lowers pointwise values."""

    def emit(self, value: Value, args: Sequence[Location], dst: Tile, *, cut: bool = False) -> None:
        """Compute a pointwise value into `dst`. A quotient that is `cut` to a whole number is rounded but once."""
        match value.op:
            case "div" if value.dtype.is_float:
                self._divide(args[0], args[1], dst, cut=cut)
            case "cast":
                self._cast(args[0], dst)
            case "where":
                self._where(args, dst)
            case "and" | "or":
                left, right = (self.widened(a, dst.extent).ref for a in args)
                self.w.op(f"mask_{value.op}", dst, left, right)
            case "not":
                self.w.op("mask_not", dst, self.widened(args[0], dst.extent).ref)
            case "round_float16" | "round_bfloat16":
                self._rounded(value.op, args[0], dst)
            case "isnan" | "isinf" | "isfinite":
                self._classify(value.op, args[0], dst)
            case "bits_of" | "of_bits":
                self.w.op("cast", dst, self.widened(args[0], dst.extent).ref, rounding="bits")
            case "bit_and":
                left, right = (self.widened(a, dst.extent).ref for a in args)
                self.w.op("bit_and", dst, left, right)
            case "shift_right":
                self.w.op("shift_right", dst, self.widened(args[0], dst.extent).ref, self.scalar(args[1]))
            case op if op in _FLIPPED:
                self._compare(op, args[0], args[1], dst)
            case op if op in _ARITHMETIC:
                self._arithmetic(op, args[0], args[1], dst)
            case op if op in _UNARY:
                self._unary(op, args[0], dst)
            case op:
                raise Unsupported(op, f"{op} has no tile operation")

    def _arithmetic(self, op: str, a: Location, b: Location, dst: Tile) -> None:
        name, extent = _ARITHMETIC[op], dst.extent
        if a.tile is not None and a.tile is b.tile and op == "mul" and a.extent == extent:
            self.w.op("square", dst, a.tile.ref)
            return
        own = [h for h in (a, b) if h.tile is not None and h.tile.extent == extent]
        left = self.operand(a, extent)
        right = self.operand(b, extent)
        if not own:  # two views, or a view and a scalar, or two scalars
            left = self.widened(a, extent).ref
            if right == left:
                right = self.operand(b, extent)
        self.w.op(name, dst, left, right)

    def _divide(self, a: Location, b: Location, dst: Tile, *, cut: bool) -> None:
        """Divide by one number, or by one for each row or column, through its reciprocal: division is slow."""
        if b.tile is None or b.tile.extent == "S":
            if cut and dst.extent != "S":
                b = Location(b.dtype, tile=self.widened(b, dst.extent))
        elif b.tile.extent != dst.extent and not cut:
            inverse = self.temporary(b.tile.extent, b.dtype)
            self.w.op("reciprocal", inverse, b.tile.ref)
            self._arithmetic("mul", a, Location(b.dtype, tile=inverse), dst)
            return
        self._arithmetic("div", a, b, dst)

    def _unary(self, op: str, a: Location, dst: Tile) -> None:
        source = self.widened(a, dst.extent).ref
        if a.dtype == DType.INT32 and op not in ("neg", "relu"):
            if op == "abs":
                negative = self.temporary(dst.extent, DType.INT32)
                self.w.op("neg", negative, source)
                self.w.op("maximum", dst, source, negative.ref)
                return
            number = self.temporary(dst.extent, DType.FLOAT32)
            self.w.op("cast", number, source)
            self.w.op(_UNARY[op], number, number.ref)
            self.w.op("cast", dst, number.ref, rounding="trunc")
            return
        self.w.op(_UNARY[op], dst, source)

    def _cast(self, a: Location, dst: Tile) -> None:
        source = self.widened(a, dst.extent).ref
        if dst.dtype != "mask" and self.w.type_name(a.dtype) == dst.dtype:
            self.w.op("copy", dst, source)
        elif dst.dtype == "mask":
            if a.dtype == DType.INT32:
                number = self.temporary(dst.extent, DType.FLOAT32)
                self.w.op("cast", number, source)
                source = number.ref
            self.w.op("ne", dst, source, _NOTHING)
        elif dst.dtype == "int32":
            if a.dtype == DType.BOOL:
                source = self._number_of(source, dst.extent)
            self.w.op("cast", dst, source, rounding="trunc")
        else:
            self.w.op("cast", dst, source)

    def _number_of(self, mask: TileRef, extent: Extent) -> TileRef:
        """Return a float tile that is 1 where the mask holds, else 0."""
        number = self.temporary(extent, DType.FLOAT32)
        self.w.op("cast", number, mask)
        return number.ref

    def _rounded(self, op: str, a: Location, dst: Tile) -> None:
        """Round to a half type and back."""
        source = self.widened(a, dst.extent).ref
        narrow = self.w.allocate(dst.extent, op.removeprefix("round_"))
        self.scratch.append(narrow)
        self.w.op("cast", narrow, source)
        self.w.op("cast", dst, narrow.ref)

    def _classify(self, op: str, a: Location, dst: Tile) -> None:
        source = self.widened(a, dst.extent).ref
        if op == "isnan":
            self.w.op("ne", dst, source, source)
            return
        if (
            self.w.type_name(a.dtype) != "float32"
        ):  # of half, too: what is not finite has no difference from itself
            self._classify_by_difference(op, a, dst)
            return
        size = self.temporary(dst.extent, DType.FLOAT32)
        self.w.op("abs", size, source)
        self.w.op("gt" if op == "isinf" else "le", dst, size.ref, LARGEST)

    def _classify_by_difference(self, op: str, a: Location, dst: Tile) -> None:
        source, difference = self.widened(a, dst.extent).ref, self.temporary(dst.extent, a.dtype)
        self.w.op("sub", difference, source, source)
        if op == "isfinite":
            self.w.op("eq", dst, difference.ref, difference.ref)
            return
        number = self.temporary(dst.extent, DType.BOOL)
        self.w.op("eq", number, source, source)
        self.w.op("ne", dst, difference.ref, difference.ref)
        self.w.op("mask_and", dst, dst.ref, number.ref)

    def _compare(self, op: str, a: Location, b: Location, dst: Tile) -> None:
        extent = dst.extent
        if a.dtype == DType.INT32 or b.dtype == DType.INT32:
            self._compare_integers(op, a, b, dst)
            return
        if a.extent == "S" and extent != "S":
            a, b, op = b, a, _FLIPPED[op]
        left = self.widened(a, extent).ref
        self.w.op(op, dst, left, self.operand(b, extent, views=False))

    def _compare_integers(self, op: str, a: Location, b: Location, dst: Tile) -> None:
        """Compare exactly: a < b where max(a, b) - a is not 0; the difference's sign bit is never used."""
        extent = dst.extent
        if a.tile is None or (a.tile.extent == "S" and extent != "S"):
            a, b, op = b, a, _FLIPPED[op]
        left = self.widened(a, extent).ref
        right = self.operand(b, extent, views=False)
        difference = self.temporary(extent, DType.INT32)
        if op in ("eq", "ne"):
            self.w.op("sub", difference, left, right)
        else:
            self.w.op("maximum", difference, left, right)
            self.w.op("sub", difference, difference.ref, left if op in ("lt", "ge") else right)
        number = self.temporary(extent, DType.FLOAT32)
        self.w.op("cast", number, difference.ref)
        self.w.op("ne" if op in ("ne", "lt", "gt") else "eq", dst, number.ref, _NOTHING)

    def _where(self, args: Sequence[Location], dst: Tile) -> None:
        condition, a, b = args
        extent = dst.extent
        mask = self.widened(condition, extent).ref
        if dst.dtype == "mask":
            left, right = self.widened(a, extent).ref, self.widened(b, extent).ref
            chosen, other = self.temporary(extent, DType.BOOL), self.temporary(extent, DType.BOOL)
            self.w.op("mask_and", chosen, mask, left)
            self.w.op("mask_not", other, mask)
            self.w.op("mask_and", other, other.ref, right)
            self.w.op("mask_or", dst, chosen.ref, other.ref)
            return
        if dst.dtype != "int32":
            values = [self.operand(x, extent, views=False) for x in (a, b)]
            self.w.op("where", dst, mask, *values)
            return
        pick = self.temporary(extent, DType.INT32)
        self.w.op("cast", pick, self._number_of(mask, extent), rounding="trunc")
        base = self.operand(b, extent, views=False)
        difference = self.temporary(extent, DType.INT32)
        self.w.op("sub", difference, self.widened(a, extent).ref, base)
        self.w.op("mul", pick, pick.ref, difference.ref)
        self.w.op("add", dst, pick.ref, base)


def host_value(value: Value, args: Sequence[Location]) -> Expr | None:
    """Return a value of scalars as a host expression, if the host's expressions can say it."""
    known = [a.host for a in args if a.host is not None]
    if len(known) < len(args):
        return None
    real, one = value.dtype.is_float, Const(value=1.0)
    match value.op:
        case "add" | "sub" | "mul" | "div" if real or value.op != "div":
            return binary(_SYMBOLS[value.op], known[0], known[1])
        case "max" | "min":
            return call(value.op, *known)
        case "pow" | "abs" | "sqrt" | "exp" | "log" if real:
            return call(value.op, *known)
        case "neg" if real:
            return -known[0]
        case "reciprocal" if real:
            return one / known[0]
        case "rsqrt" if real:
            return one / call("sqrt", known[0])
        case "cast" if DType.BOOL not in (value.dtype, args[0].dtype):
            return call("float" if real else "int", known[0])
    return None


def kernel_value(value: Value, args: Sequence[Expr | None]) -> Expr | None:
    """Return a value of scalars as the kernel's scalar unit computes it, None if its expressions cannot say it."""
    known = [a for a in args if a is not None]
    if len(known) < len(args):
        return None
    real = value.dtype.is_float
    match value.op:
        case "add" | "sub" | "mul":
            return binary(_SYMBOLS[value.op], known[0], known[1])
        case "div" if real:
            return binary("/", known[0], known[1])
        case "max" | "min":
            return call(value.op, *known)
        case "neg":
            return -known[0]
        case "abs":
            return call("abs", known[0])
        case "trunc" if real:
            return call("float", call("int", known[0]))
        case "floor" if real:
            down = call("float", call("int", known[0]))
            return Choice(cond=binary(">", down, known[0]), then=down - 1.0, other=down)
        case "cast" if value.dtype != DType.BOOL:
            return call("float" if real else "int", known[0])
    return None
