"""Arithmetic on nodes, in which formulas of functions are written, and the longest of these functions.

They are the gamma function's logarithm and its derivative, and the error function's inverse, in float32. Source: NIST
Digital Library of Mathematical Functions, 5.5, 5.11; M. Giles, "Approximating the erfinv function" (2010).
"""

import math
from collections.abc import Sequence

from akgen.tools.compose.front.importer import Importer
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32
_STEPS = 6  # smaller arguments are moved up, to where few terms of the asymptotic series do
_NEAR_ROOTS = (0.8, 2.2)  # where the logarithm is (x - 1)(x - 2) times a polynomial of x - 3/2
_BETWEEN = (  # it, interpolated at Chebyshev's points: within 4e-8
    0.00124392367, -0.00202076974, 0.00163183364, -0.00274432463, 0.00551206998, -0.00953101116, 0.0167912124,
    -0.0312990349, 0.0629115467, -0.14596013, 0.483128951,
)  # fmt: skip
_CENTRAL = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
)  # fmt: skip
_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
    1.00167406, 2.83297682,
)  # fmt: skip


class Math:
    """Arithmetic on FLOAT32 values, short enough to read formulas."""

    def __init__(self, im: Importer) -> None:
        self.im = im

    def __call__(self, op: str, a: int, b: int | float | None = None) -> int:
        if b is None:
            return self.im.b.unary(op, a)
        other = b if isinstance(b, int) else self.const(b)
        return self.im.b.binary(op, a, other)

    def const(self, value: float) -> int:
        return self.im.b.const(value, F32)

    def where(self, condition: int, a: int, b: int) -> int:
        return self.im.b.where(condition, a, b)

    def or_one(self, size: int) -> int:
        """Return a divisor for what is 0 where `size` is, which is 1 there; the smallest numbers stay."""
        return self.where(self("gt", size, 0.0), size, self.const(1.0))

    def hypotenuse(self, x: int, y: int) -> int:
        """Return sqrt(x² + y²), scaled by the larger so that squares do not overflow."""
        a, b = self("abs", x), self("abs", y)
        high, low = self("max", a, b), self("min", a, b)
        ratio = self("div", low, self.or_one(high))
        return self("mul", high, self("sqrt", self("add", self("mul", ratio, ratio), 1.0)))


def lgamma(m: Math, x: int, node: TracedNode) -> int:
    """Return log|gamma(x)|; by reflection below 1/2."""
    del node
    mirrored = m("lt", x, 0.5)
    y = m.where(mirrored, m("sub", m.const(1.0), x), x)
    far = _by_series(m, y)
    roots = m("mul", m("sub", y, 1.0), m("sub", y, 2.0))
    near = m("mul", roots, _polynomial(m, m("sub", y, 1.5), _BETWEEN))
    low, high = _NEAR_ROOTS
    between = m("and", m("ge", y, low), m("le", y, high))
    value = m.where(between, near, far)
    sine = m("abs", m("sin", m("mul", _from_whole(m, x), math.pi)))
    return m.where(mirrored, m("sub", m("sub", m.const(math.log(math.pi)), m("log", sine)), value), value)


def digamma(m: Math, x: int, node: TracedNode) -> int:
    """Return the derivative of log gamma(x); by reflection below 1/2."""
    del node
    mirrored = m("lt", x, 0.5)
    y = m.where(mirrored, m("sub", m.const(1.0), x), x)
    small = m("lt", y, float(_STEPS))
    w = m.where(small, m("add", y, float(_STEPS)), y)
    inverse = m("div", m.const(1.0), w)
    square = m("mul", inverse, inverse)
    tail = m("mul", square, _polynomial(m, square, (1 / 252, -1 / 120, 1 / 12)))
    far = m("sub", m("sub", m("log", w), m("mul", inverse, 0.5)), tail)
    steps = m("div", m.const(1.0), y)
    for k in range(1, _STEPS):
        steps = m("add", steps, m("div", m.const(1.0), m("add", y, float(k))))
    value = m.where(small, m("sub", far, steps), far)
    angle = m("mul", _from_whole(m, x), math.pi)
    slope = m("mul", m("div", m("cos", angle), m("sin", angle)), math.pi)
    return m.where(mirrored, m("sub", value, slope), value)


def erfinv(m: Math, x: int, node: TracedNode) -> int:
    """Return y with erf(y) = x: infinite at 1 and -1."""
    del node
    w = m("neg", m("log", m("mul", m("sub", m.const(1.0), x), m("add", x, 1.0))))
    central = _polynomial(m, m("sub", w, 2.5), _CENTRAL)
    tail = _polynomial(m, m("sub", m("sqrt", m("max", w, 5.0)), 3.0), _TAIL)
    value = m("mul", m.where(m("lt", w, 5.0), central, tail), x)
    end = m("ge", m("abs", x), 1.0)
    return m.where(end, m("div", x, m("sub", m.const(1.0), m("abs", x))), value)


def _by_series(m: Math, y: int) -> int:
    """Stirling's series of log gamma for positive numbers, of y + 6 where y is small."""
    small = m("lt", y, float(_STEPS))
    w = m.where(small, m("add", y, float(_STEPS)), y)
    inverse = m("div", m.const(1.0), w)
    tail = m("mul", inverse, _polynomial(m, m("mul", inverse, inverse), (1 / 1260, -1 / 360, 1 / 12)))
    whole = m("sub", m("mul", m("sub", w, 0.5), m("log", w)), w)
    far = m("add", m("add", whole, 0.5 * math.log(2 * math.pi)), tail)
    product = y
    for k in range(1, _STEPS):
        product = m("mul", product, m("add", y, float(k)))
    return m.where(small, m("sub", far, m("log", product)), far)


def _from_whole(m: Math, x: int) -> int:
    """Return what a number has behind its point: sines and cosines of pi times both differ by a sign at most."""
    return m("sub", x, m("floor", x))


def _polynomial(m: Math, x: int, coefficients: Sequence[float]) -> int:
    value = m.const(coefficients[0])
    for c in coefficients[1:]:
        value = m("add", m("mul", value, x), c)
    return value
