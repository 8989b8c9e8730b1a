"""Functions that the tile DSL lacks, composed of those that it has."""

import math
from collections.abc import Callable

from akgen.tools.compose.front.aten.formula_math import Math, digamma, erfinv, lgamma
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32


def _gelu(m: Math, x: int, node: TracedNode) -> int:
    tanh = m.im.arg(node, 1, "approximate", "none") == "tanh"
    return m("gelu_tanh" if tanh else "gelu", x)


def _softplus(m: Math, x: int, node: TracedNode) -> int:
    beta, threshold = float(m.im.arg(node, 1, "beta", 1.0)), float(m.im.arg(node, 2, "threshold", 20.0))
    scaled = m("mul", x, beta)
    soft = m("mul", m("softplus", scaled), 1.0 / beta)
    return m.where(m("gt", scaled, threshold), x, soft)


def _mish(m: Math, x: int, node: TracedNode) -> int:
    del node
    return m("mul", x, m("tanh", m("softplus", x)))


def _hardsigmoid(m: Math, x: int, node: TracedNode) -> int:
    del node
    return m("mul", m("min", m("max", m("add", x, 3.0), 0.0), 6.0), 1.0 / 6.0)


def _hardswish(m: Math, x: int, node: TracedNode) -> int:
    return m("mul", x, _hardsigmoid(m, x, node))


def _elu(m: Math, x: int, node: TracedNode) -> int:
    alpha, scale, input_scale = (
        float(m.im.arg(node, 1, "alpha", 1.0)),
        float(m.im.arg(node, 2, "scale", 1.0)),
        float(m.im.arg(node, 3, "input_scale", 1.0)),
    )
    negative = m("mul", m("expm1", m("mul", m("min", x, 0.0), input_scale)), alpha * scale)
    return m("add", m("mul", m("max", x, 0.0), scale), negative)


def _celu(m: Math, x: int, node: TracedNode) -> int:
    alpha = float(m.im.arg(node, 1, "alpha", 1.0))
    negative = m("mul", m("expm1", m("mul", m("min", x, 0.0), 1.0 / alpha)), alpha)
    return m("add", m("max", x, 0.0), negative)


def _leaky_relu(m: Math, x: int, node: TracedNode) -> int:
    slope = float(m.im.arg(node, 1, "negative_slope", 0.01))
    return m.where(m("gt", x, 0.0), x, m("mul", x, slope))


def _prelu(m: Math, x: int, node: TracedNode) -> int:
    weight = m.im.as_lane(node.args[1], F32)
    return m.where(m("gt", x, 0.0), x, m.im.b.binary("mul", weight, x))


def _hardtanh(m: Math, x: int, node: TracedNode) -> int:
    low, high = float(m.im.arg(node, 1, "min_val", -1.0)), float(m.im.arg(node, 2, "max_val", 1.0))
    return m("min", m("max", x, low), high)


def _frac(m: Math, x: int, node: TracedNode) -> int:
    del node
    return m("sub", x, m("trunc", x))


def _log1p(m: Math, x: int, node: TracedNode) -> int:
    del node
    return m("log1p", x)


def _asinh(m: Math, x: int, node: TracedNode) -> int:
    """sign(x) * log(|x| + sqrt(x*x + 1)), through log1p where |x| is small."""
    del node
    a = m("abs", x)
    root = m("sqrt", m("add", m("mul", x, x), 1.0))
    inner = m("add", a, m("div", m("mul", x, x), m("add", root, 1.0)))
    return m("mul", m("sign", x), m("log1p", inner))


def _acosh(m: Math, x: int, node: TracedNode) -> int:
    del node
    return m("log", m("add", x, m("sqrt", m("sub", m("mul", x, x), 1.0))))


def _atanh(m: Math, x: int, node: TracedNode) -> int:
    """log1p(2x / (1 - x)) / 2."""
    del node
    ratio = m("div", m("mul", x, 2.0), m("sub", m.const(1.0), x))
    return m("mul", m("log1p", ratio), 0.5)


def _copysign(m: Math, x: int, node: TracedNode) -> int:
    y = m.im.as_lane(node.args[1], F32)
    a = m("abs", x)
    return m.where(m("lt", y, 0.0), m("neg", a), a)


def _hypot(m: Math, x: int, node: TracedNode) -> int:
    return m.hypotenuse(x, m.im.as_lane(node.args[1], F32))


def _logit(m: Math, x: int, node: TracedNode) -> int:
    eps = m.im.arg(node, 1, "eps")
    if eps is not None:
        x = m("min", m("max", x, float(eps)), 1.0 - float(eps))
    return m("log", m("div", x, m("sub", m.const(1.0), x)))


def _log_sigmoid(m: Math, x: int, node: TracedNode) -> int:
    del node
    tail = m("log1p", m("exp", m("neg", m("abs", x))))
    return m("sub", m("min", x, 0.0), tail)


def _atan2(m: Math, x: int, node: TracedNode) -> int:
    """Return the angle of (other, x), of the smaller over the larger; -0.0 counts as 0.0."""
    other = m.im.as_lane(node.args[1], F32)
    a, b = m("abs", x), m("abs", other)
    high, low = m("max", a, b), m("min", a, b)
    part = m("atan", m("div", low, m.or_one(high)))
    steep = m.where(m("gt", a, b), m("sub", m.const(math.pi / 2), part), part)
    whole = m.where(m("lt", other, 0.0), m("sub", m.const(math.pi), steep), steep)
    return m.where(m("lt", x, 0.0), m("neg", whole), whole)


_FORMULAS: dict[str, Callable[[Math, int, TracedNode], int]] = {
    "gelu": _gelu,
    "silu": lambda m, x, _: m("silu", x),
    "softplus": _softplus,
    "mish": _mish,
    "hardsigmoid": _hardsigmoid,
    "hardswish": _hardswish,
    "elu": _elu,
    "celu": _celu,
    "leaky_relu": _leaky_relu,
    "prelu": _prelu,
    "_prelu_kernel": _prelu,
    "hardtanh": _hardtanh,
    "expm1": lambda m, x, _: m("expm1", x),
    "log1p": _log1p,
    "tan": lambda m, x, _: m("tan", x),
    "sinh": lambda m, x, _: m("sinh", x),
    "cosh": lambda m, x, _: m("cosh", x),
    "asin": lambda m, x, _: m("asin", x),
    "acos": lambda m, x, _: m("acos", x),
    "atan": lambda m, x, _: m("atan", x),
    "log2": lambda m, x, _: m("mul", m("log", x), 1.0 / math.log(2.0)),
    "log10": lambda m, x, _: m("mul", m("log", x), 1.0 / math.log(10.0)),
    "erfc": lambda m, x, _: m("erfc", x),
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "atan2": _atan2,
    "frac": _frac,
    "sgn": lambda m, x, _: m("sign", x),
    "copysign": _copysign,
    "hypot": _hypot,
    "square": lambda m, x, _: m("mul", x, x),
    "log_sigmoid_forward": _log_sigmoid,
    "logit": _logit,
    "lgamma": lgamma,
    "digamma": digamma,
    "erfinv": erfinv,
}


@handles(*_FORMULAS)
def _formula(im: Importer, node: TracedNode) -> int:
    name = node.target.removeprefix("aten.").split(".")[0]
    return _FORMULAS[name](Math(im), im.as_lane(node.args[0], F32), node)
