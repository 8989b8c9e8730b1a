"""Lower one value to tile operations: types, and what the DSL lacks."""

from collections.abc import Sequence

from akgen.tools.compose.back.operands import Location, Operands
from akgen.tools.compose.back.writer import Extent, Tile
from akgen.tools.compose.middle.loop_nest import Value
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

LARGEST = "3.4028234663852886e+38"
_ARITHMETIC = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "maximum", "min": "minimum", "pow": "power",
}  # fmt: skip
_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_UNARY = {"log": "ln"} | {
    n: n for n in (
        "exp", "sqrt", "rsqrt", "reciprocal", "abs", "neg", "relu", "sign", "floor", "ceil", "round", "trunc", "tanh",
        "erf", "sigmoid", "gelu", "gelu_tanh", "silu", "softplus", "sin", "cos", "expm1", "log1p",
    )
}  # fmt: skip
_HOST_UNARY = {
    "neg": "-({})", "abs": "abs({})", "sqrt": "sqrt({})", "exp": "exp({})", "log": "log({})",
    "reciprocal": "1.0 / ({})", "rsqrt": "1.0 / sqrt({})",
}  # fmt: skip
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


class OperationCodegen(Operands):
    """Lowers pointwise values."""

    def emit(self, value: Value, args: Sequence[Location], dst: Tile) -> None:
        """Compute a pointwise value into `dst`."""
        match value.op:
            case "cast":
                self._cast(args[0], dst)
            case "where":
                self._where(args, dst)
            case "and" | "or":
                left, right = (self.mask(a, dst.extent) for a in args)
                self.op(f"mask_{value.op}", dst.name, left, right)
            case "not":
                self.op("mask_not", dst.name, self.mask(args[0], dst.extent))
            case "round_float16" | "round_bfloat16":
                self._rounded(value.op, args[0], dst)
            case "isnan" | "isinf" | "isfinite":
                self._classify(value.op, args[0], dst)
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
            self.op("square", dst.name, a.tile.name)
            return
        own = [h for h in (a, b) if h.tile is not None and h.tile.extent == extent]
        left = self.operand(a, extent)
        right = self.operand(b, extent)
        if not own:  # two views, or a view and a scalar, or two scalars
            left = self.widened(a, extent).name
            if right == left:
                right = self.operand(b, extent)
        self.op(name, dst.name, left, right)

    def _unary(self, op: str, a: Location, dst: Tile) -> None:
        source = self.widened(a, dst.extent).name
        if a.dtype == DType.INT32 and op not in ("neg", "relu"):
            if op == "abs":
                negative = self.temporary(dst.extent, DType.INT32)
                self.op("neg", negative.name, source)
                self.op("maximum", dst.name, source, negative.name)
                return
            number = self.temporary(dst.extent, DType.FLOAT32)
            self.op("cast", number.name, source)
            self.op(_UNARY[op], number.name, number.name)
            self.op("cast", dst.name, number.name, 'rounding="trunc"')
            return
        self.op(_UNARY[op], dst.name, source)

    def _cast(self, a: Location, dst: Tile) -> None:
        source = self.widened(a, dst.extent).name
        if dst.dtype == "mask":
            if a.dtype == DType.INT32:
                number = self.temporary(dst.extent, DType.FLOAT32)
                self.op("cast", number.name, source)
                source = number.name
            self.op("ne", dst.name, source, "0.0")
        elif dst.dtype == "int32":
            if a.dtype == DType.BOOL:
                source = self._number_of(source, dst.extent)
            self.op("cast", dst.name, source, 'rounding="trunc"')
        else:
            self.op("cast", dst.name, source)

    def _number_of(self, mask: str, extent: Extent) -> str:
        """Return a float tile that is 1 where the mask holds, else 0."""
        number = self.temporary(extent, DType.FLOAT32)
        self.op("cast", number.name, mask)
        return number.name

    def _rounded(self, op: str, a: Location, dst: Tile) -> None:
        """Round to a half type and back."""
        source = self.widened(a, dst.extent).name
        narrow = self.w.allocate(dst.extent, op.removeprefix("round_"))
        self.scratch.append(narrow)
        self.op("cast", narrow.name, source)
        self.op("cast", dst.name, narrow.name)

    def _classify(self, op: str, a: Location, dst: Tile) -> None:
        source = self.widened(a, dst.extent).name
        if op == "isnan":
            self.op("ne", dst.name, source, source)
            return
        size = self.temporary(dst.extent, DType.FLOAT32)
        self.op("abs", size.name, source)
        self.op("gt" if op == "isinf" else "le", dst.name, size.name, LARGEST)

    def _compare(self, op: str, a: Location, b: Location, dst: Tile) -> None:
        extent = dst.extent
        if a.dtype == DType.INT32 or b.dtype == DType.INT32:
            self._compare_integers(op, a, b, dst)
            return
        if a.extent == "S" and extent != "S":
            a, b, op = b, a, _FLIPPED[op]
        left = self.widened(a, extent).name
        self.op(op, dst.name, left, self.operand(b, extent, views=False))

    def _compare_integers(self, op: str, a: Location, b: Location, dst: Tile) -> None:
        """Compare exactly: a < b where max(a, b) - a is not 0; the difference's sign bit is never used."""
        extent = dst.extent
        if a.tile is None or (a.tile.extent == "S" and extent != "S"):
            a, b, op = b, a, _FLIPPED[op]
        left = self.widened(a, extent).name
        right = self.operand(b, extent, views=False)
        difference = self.temporary(extent, DType.INT32)
        if op in ("eq", "ne"):
            self.op("sub", difference.name, left, right)
        else:
            self.op("maximum", difference.name, left, right)
            self.op("sub", difference.name, difference.name, left if op in ("lt", "ge") else right)
        number = self.temporary(extent, DType.FLOAT32)
        self.op("cast", number.name, difference.name)
        self.op("ne" if op in ("ne", "lt", "gt") else "eq", dst.name, number.name, "0.0")

    def _where(self, args: Sequence[Location], dst: Tile) -> None:
        condition, a, b = args
        extent = dst.extent
        mask = self.mask(condition, extent)
        if dst.dtype == "mask":
            left, right = self.mask(a, extent), self.mask(b, extent)
            chosen, other = self.temporary(extent, DType.BOOL), self.temporary(extent, DType.BOOL)
            self.op("mask_and", chosen.name, mask, left)
            self.op("mask_not", other.name, mask)
            self.op("mask_and", other.name, other.name, right)
            self.op("mask_or", dst.name, chosen.name, other.name)
            return
        if dst.dtype == "float32":
            left = self.operand(a, extent, views=False)
            right = self.operand(b, extent, views=False)
            self.op("where", dst.name, mask, left, right)
            return
        pick = self.temporary(extent, DType.INT32)
        self.op("cast", pick.name, self._number_of(mask, extent), 'rounding="trunc"')
        right = self.operand(b, extent, views=False)
        difference = self.temporary(extent, DType.INT32)
        self.op("sub", difference.name, self.widened(a, extent).name, right)
        self.op("mul", pick.name, pick.name, difference.name)
        self.op("add", dst.name, pick.name, right)


def host_value(value: Value, args: Sequence[Location]) -> str | None:
    """Return a value of scalars as a host expression, if the host's expressions can say it."""
    if any(a.host is None for a in args):
        return None
    texts = [a.host if _plain(a.host or "") else f"({a.host})" for a in args]
    if value.op in _SYMBOLS and (value.dtype.is_float or value.op != "div"):
        return f"{texts[0]} {_SYMBOLS[value.op]} {texts[1]}"
    if value.op in ("max", "min"):
        return f"{value.op}({texts[0]}, {texts[1]})"
    if value.op == "pow" and value.dtype.is_float:
        return f"pow({texts[0]}, {texts[1]})"
    if value.op in _HOST_UNARY and value.dtype.is_float:
        return _HOST_UNARY[value.op].format(args[0].host)
    if value.op == "cast" and DType.BOOL not in (value.dtype, args[0].dtype):
        return f"float({args[0].host})" if value.dtype.is_float else f"int({args[0].host})"
    return None


def _plain(text: str) -> bool:
    return all(c.isalnum() or c in "_." for c in text)
