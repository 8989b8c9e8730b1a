"""Quotients rounded towards zero or down, and remainders, of integers and floats, as PyTorch rounds them."""

import numpy as np

from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import Ref, TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL
LARGEST_WHOLE = 2147483520.0  # the largest float32 that int32 holds
LARGEST_FACTOR = 46340  # of two whole numbers whose product int32 holds
HALF_OF_BITS = 4097.0  # splits a float32 into two of 12 bits, whose products are exact


@handles("div", "true_divide", "floor_divide", "divide")
def _div(im: Importer, node: TracedNode) -> int:
    mode = "floor" if "floor_divide" in node.target else im.arg(node, 2, "rounding_mode")
    dtype = im.result_lane(node)
    if mode is None:
        if not dtype.is_float:
            raise Unsupported("div", "a division whose result is not a float needs a rounding mode")
        return im.binary("div", node.args[0], node.args[1], dtype)
    if mode == "trunc" and dtype.is_float:  # PyTorch cuts the rounded quotient
        return im.b.unary("trunc", im.binary("div", node.args[0], node.args[1], dtype))
    return _rounded(im, node.args[0], node.args[1], dtype, down=mode == "floor")[0]


@handles("fmod", "remainder")
def _mod(im: Importer, node: TracedNode) -> int:
    dtype, down = im.result_lane(node), "remainder" in node.target
    if down and im.out(node).dtype == DType.INT64:
        a, b = (im.as_lane(v, dtype) for v in node.args[:2])
        divisor = im.b.constant(b)
        if divisor is not None and 1 < divisor <= LARGEST_FACTOR:
            return _of_integers(im, _small(im, a, b), b, down=True)[1]
    return _rounded(im, node.args[0], node.args[1], dtype, down=down)[1]


def _small(im: Importer, value: int, divisor: int) -> int:
    """Return a value with the same remainder whose products stay below 2**31, as of a hash `(x * 1000003 + k) % n`."""
    build, node = im.b, im.b[value]
    if not _multiplies(im, value):
        return value
    sides = [_small(im, a, divisor) for a in node.args]
    if node.op == "mul" or any(_multiplies(im, a) for a in node.args):
        sides = [_of_integers(im, s, divisor, down=True)[1] for s in sides]
    return build.binary(node.op, sides[0], sides[1], I32)


def _multiplies(im: Importer, value: int) -> bool:
    node = im.b[value]
    if node.dtype != I32 or node.op not in ("add", "sub", "mul"):
        return False
    return node.op == "mul" or any(_multiplies(im, a) for a in node.args)


def _rounded(
    im: Importer, first: int | Ref, second: int | Ref, dtype: DType, *, down: bool
) -> tuple[int, int]:
    """Return quotient and remainder; the remainder has the divisor's sign if `down`, else the dividend's."""
    a, b = im.as_lane(first, dtype), im.as_lane(second, dtype)
    return _of_floats(im, a, b, down=down) if dtype.is_float else _of_integers(im, a, b, down=down)


def _of_floats(im: Importer, a: int, b: int, *, down: bool) -> tuple[int, int]:
    """Divide absolute values; the product of quotient and divisor is subtracted with its rounding error."""
    build = im.b
    zero, one = build.const(0.0, F32), build.const(1.0, F32)
    x, y = build.unary("abs", a), build.unary("abs", b)
    known = build.constant(b)
    if known is not None and not build.apart:
        y = build.full(abs(known), F32, build.nodes[b].shape)
    q = build.unary("trunc", build.binary("div", x, y))
    product = build.binary("mul", q, y)
    r = build.binary("sub", build.binary("sub", x, product), _product_error(im, q, y, product))
    low = build.binary("lt", r, zero)
    q = build.where(low, build.binary("sub", q, one), q)
    r = build.where(low, build.binary("add", r, y), r)
    high = build.binary("ge", r, y)
    q = build.where(high, build.binary("add", q, one), q)
    r = build.where(high, build.binary("sub", r, y), r)
    negative, under = build.binary("lt", a, zero), build.binary("lt", b, zero)
    apart = build.binary(
        "and",
        build.binary("or", negative, under),
        build.unary("not", build.binary("and", negative, under)),
    )
    quotient = build.where(apart, build.unary("neg", q), q)
    remainder = build.where(negative, build.unary("neg", r), r)
    if down:
        inexact = build.binary("and", apart, build.binary("gt", r, zero))
        quotient = build.where(inexact, build.binary("sub", quotient, one), quotient)
        remainder = build.where(inexact, build.binary("add", remainder, b), remainder)
    return quotient, remainder


def _product_error(im: Importer, x: int, y: int, product: int) -> int:
    """Return x * y - product exactly, by halves of 12 bits (Dekker)."""
    build = im.b
    halves: list[tuple[int, int]] = []

    def number(value: np.float32) -> int:
        return build.const(float(value), F32)

    for value in (x, y):
        known = build.constant(value)
        if known is not None:  # formulas of constants are computed in float64, where this split would be none
            whole = np.float32(known)
            far = np.float32(whole * np.float32(HALF_OF_BITS))
            upper_half = np.float32(far - np.float32(far - whole))
            halves.append((number(upper_half), number(whole - upper_half)))
            continue
        scaled = build.binary("mul", value, build.const(HALF_OF_BITS, F32))
        upper = build.binary("sub", scaled, build.binary("sub", scaled, value))
        halves.append((upper, build.binary("sub", value, upper)))
    (xu, xl), (yu, yl) = halves
    error = build.binary("sub", build.binary("mul", xu, yu), product)
    error = build.binary("add", error, build.binary("mul", xu, yl))
    error = build.binary("add", error, build.binary("mul", xl, yu))
    return build.binary("add", error, build.binary("mul", xl, yl))


def _of_integers(im: Importer, a: int, b: int, *, down: bool) -> tuple[int, int]:
    """Divide by the absolute divisor: in float32, again what is left over, then one step up or down."""
    build = im.b

    def number(value: int) -> int:
        return build.const(value, I32)

    def below_zero(value: int) -> int:
        """Return -1 where the value is negative, else 0."""
        return build.binary("max", build.binary("min", value, number(0)), number(-1))

    def less(value: int, times: int, y: int) -> int:
        return build.binary("sub", value, build.binary("mul", times, y))

    def near(value: int, y: int) -> int:
        quotient = build.binary("div", build.cast(value, F32), build.cast(y, F32))
        bounded = build.binary("min", quotient, build.const(LARGEST_WHOLE, F32))
        bounded = build.binary("max", bounded, build.const(-LARGEST_WHOLE, F32))
        return build.cast(bounded, I32)

    sign = build.binary("add", build.binary("mul", below_zero(b), number(2)), number(1))
    x, y = build.binary("mul", a, sign), build.binary("mul", b, sign)
    q = near(x, y)
    r = less(x, q, y)
    more = near(r, y)
    q, r = build.binary("add", q, more), less(r, more, y)
    low = below_zero(r)
    q, r = build.binary("add", q, low), less(r, low, y)
    high = below_zero(build.binary("sub", build.binary("sub", y, number(1)), r))
    q = build.binary("sub", q, high)
    r = build.binary("add", r, build.binary("mul", high, y))
    if not down:
        up = build.binary("mul", below_zero(x), build.binary("min", r, number(1)))
        q = build.binary("sub", q, up)
        r = build.binary("add", r, build.binary("mul", up, y))
    return q, build.binary("mul", r, sign)
