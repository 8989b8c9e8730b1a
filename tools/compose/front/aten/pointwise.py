"""Pointwise ATen operators."""

import math
from typing import Any

from akgen.tools.compose.front.importer import HANDLERS, Importer, handles, lane
from akgen.tools.compose.front.traced import Ref, TracedNode
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL

_FLOAT_UNARY = {
    "exp": "exp", "log": "log", "sqrt": "sqrt", "rsqrt": "rsqrt", "reciprocal": "reciprocal", "tanh": "tanh",
    "sigmoid": "sigmoid", "erf": "erf", "sin": "sin", "cos": "cos",
}  # fmt: skip
_SAME_UNARY = ("neg", "abs", "relu", "floor", "ceil", "trunc", "round", "sign")
_ARITHMETIC = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "maximum": "max",
    "minimum": "min",
    "fmax": "max",
    "fmin": "min",
}
_COMPARE = {
    "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "not_equal": "ne",
}  # fmt: skip


def _float_unary(name: str) -> None:
    @handles(name)
    def handler(im: Importer, node: TracedNode) -> int:
        return im.b.unary(_FLOAT_UNARY[name], im.as_lane(node.args[0], F32))


def _same_unary(name: str) -> None:
    @handles(name)
    def handler(im: Importer, node: TracedNode) -> int:
        if node.target == "aten.round.decimals":
            scale = 10.0 ** im.arg(node, 1, "decimals", 0)
            x = im.binary("mul", node.args[0], scale, F32)
            return im.b.binary("mul", im.b.unary("round", x), im.b.const(1.0 / scale, F32))
        dtype = im.result_lane(node)
        return im.b.unary(name, im.as_lane(node.args[0], dtype), dtype)


def _arithmetic(name: str) -> None:
    @handles(name)
    def handler(im: Importer, node: TracedNode) -> int:
        dtype = im.result_lane(node)
        if dtype == BOOL:
            op = {"add": "or", "mul": "and", "max": "or", "min": "and"}[_ARITHMETIC[name]]
            return im.binary(op, node.args[0], node.args[1], BOOL)
        second: Any = node.args[1]
        alpha = im.arg(node, 2, "alpha", 1)
        if alpha != 1:
            second_value = im.binary("mul", second, alpha, dtype)
            return im.b.binary(_ARITHMETIC[name], im.as_lane(node.args[0], dtype), second_value, dtype)
        return im.binary(_ARITHMETIC[name], node.args[0], second, dtype)


def _compare(name: str) -> None:
    @handles(name)
    def handler(im: Importer, node: TracedNode) -> int:
        return compare(im, _COMPARE[name], node.args[0], node.args[1])


def compare(im: Importer, op: str, a: Any, b: Any) -> int:
    """Compare two arguments in the wider of their lane types."""
    limit = b if not isinstance(b, Ref) else im.b.constant(im.ref(b))
    if op in ("eq", "ne") and isinstance(limit, float) and math.isinf(limit):
        return _is_infinity(im, op, im.as_lane(a, F32), limit)
    kinds = [im.b[im.value(v)].dtype for v in (a, b)]
    dtype = F32 if F32 in kinds else I32 if I32 in kinds else F32
    return im.b.binary(op, im.as_lane(a, dtype), im.as_lane(b, dtype))


def _is_infinity(im: Importer, op: str, x: int, limit: float) -> int:
    """Compare with an infinity, which the DSL cannot write: beyond the largest float."""
    if im.b[x].op == "abs" and limit > 0:
        found = im.b.unary("isinf", im.b[x].args[0])
        return found if op == "eq" else im.b.unary("not", found, BOOL)
    largest = 3.4028234663852886e38
    beyond = im.b.binary("gt" if limit > 0 else "lt", x, im.b.const(math.copysign(largest, limit), F32))
    return beyond if op == "eq" else im.b.unary("not", beyond, BOOL)


for _name in _FLOAT_UNARY:
    _float_unary(_name)
for _name in _SAME_UNARY:
    _same_unary(_name)
for _name in _ARITHMETIC:
    _arithmetic(_name)
for _name in _COMPARE:
    _compare(_name)


@handles("pow")
def _pow(im: Importer, node: TracedNode) -> int:
    dtype = im.result_lane(node)
    base, exponent = node.args[0], node.args[1]
    power = exponent if not isinstance(exponent, Ref) else im.b.constant(im.ref(exponent))
    if power is not None and power == int(power) and 0 <= power <= 8:
        return integer_power(im, im.as_lane(base, dtype), int(power))
    if power is not None and dtype.is_float:
        x = im.as_lane(base, F32)
        match power:
            case 0.5:
                return im.b.unary("sqrt", x)
            case -0.5:
                return im.b.unary("rsqrt", x)
            case 1.5:
                return im.b.binary("mul", x, im.b.unary("sqrt", x))
        if power == int(power) and -8 <= power < 0:
            return im.b.unary("reciprocal", integer_power(im, x, -int(power)))
    if not dtype.is_float:
        result = im.b.binary("pow", im.as_lane(base, F32), im.as_lane(exponent, F32), F32)
        return im.b.cast(im.b.unary("round", result), dtype)
    return im.binary("pow", base, exponent, F32)


def integer_power(im: Importer, x: int, n: int) -> int:
    """Return x**n by squaring."""
    if n == 0:
        return im.b.full(1, im.b[x].dtype, im.shape(x))
    result: int | None = None
    square = x
    while n:
        if n & 1:
            result = square if result is None else im.b.binary("mul", result, square)
        n >>= 1
        if n:
            square = im.b.binary("mul", square, square)
    assert result is not None
    return result


@handles("exp2")
def _exp2(im: Importer, node: TracedNode) -> int:
    return im.b.unary("exp", im.binary("mul", node.args[0], math.log(2.0), F32))


@handles("clamp", "clamp_min", "clamp_max", "clip")
def _clamp(im: Importer, node: TracedNode) -> int:
    dtype = im.result_lane(node)
    low, high = im.arg(node, 1, "min"), im.arg(node, 2, "max")
    if "clamp_max" in node.target:
        low, high = None, node.args[1]
    x = im.as_lane(node.args[0], dtype)
    if low is not None:
        x = im.b.binary("max", x, im.as_lane(low, dtype))
    if high is not None:
        x = im.b.binary("min", x, im.as_lane(high, dtype))
    return im.fitted(x, node)


@handles("where")
def _where(im: Importer, node: TracedNode) -> int:
    dtype = im.result_lane(node)
    condition = im.as_lane(node.args[0], BOOL)
    return im.b.where(condition, im.as_lane(node.args[1], dtype), im.as_lane(node.args[2], dtype))


@handles("masked_fill")
def _masked_fill(im: Importer, node: TracedNode) -> int:
    dtype = im.result_lane(node)
    mask = im.as_lane(node.args[1], BOOL)
    return im.b.where(mask, im.as_lane(node.args[2], dtype), im.as_lane(node.args[0], dtype))


@handles("isnan", "isinf", "isfinite")
def _classify(im: Importer, node: TracedNode) -> int:
    name = node.target.split(".")[1]
    return im.b.unary(name, im.value(node.args[0]))


@handles("_to_copy", "to", "clone", "detach", "alias", "lift_fresh", "lift_fresh_copy", "contiguous", "dropout",
         "native_dropout", "_conj", "positive", "copy", "_local_scalar_dense", "item")  # fmt: skip
def _copy(im: Importer, node: TracedNode) -> int:
    source = node.args[1] if node.target.startswith("aten.copy.") else node.args[0]
    x = im.value(source)
    if node.metas[0] is None:  # a tensor read as a number
        return im.b.reshape(x, ())
    return im.fitted(im.b.cast(x, lane(im.out(node).dtype)), node)


@handles("_assert_tensor_metadata", "_assert_async", "_assert_scalar", "sym_constrain_range_for_size")
def _nothing(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    del im, node
    return (None,)


@handles("add_", "mul_", "sub_", "div_")
def _in_place(im: Importer, node: TracedNode) -> int | tuple[int | None, ...]:
    name = node.target.removeprefix("aten.").split(".")[0].rstrip("_")
    return HANDLERS[name](im, node)


@handles("rsub")
def _rsub(im: Importer, node: TracedNode) -> int:
    return im.binary("sub", node.args[1], node.args[0], im.result_lane(node))


@handles("addcmul", "addcdiv")
def _addc(im: Importer, node: TracedNode) -> int:
    op = "mul" if "addcmul" in node.target else "div"
    dtype = im.result_lane(node)
    term = im.binary(op, node.args[1], node.args[2], dtype)
    scaled = im.b.binary("mul", term, im.as_lane(im.arg(node, 3, "value", 1), dtype))
    return im.b.binary("add", im.as_lane(node.args[0], dtype), scaled)


@handles("lerp")
def _lerp(im: Importer, node: TracedNode) -> int:
    start, end, weight = (im.as_lane(a, F32) for a in node.args[:3])
    return im.b.binary("add", start, im.b.binary("mul", weight, im.b.binary("sub", end, start)))
