"""Arithmetic on nodes, in which formulas of functions are written."""

from akgen.tools.compose.front.importer import Importer
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32


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
