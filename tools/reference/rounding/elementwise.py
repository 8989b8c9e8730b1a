"""The rounding error of operations on one element at a time.

They hand on |derivative| times the error that they read, and add the rounding of their result; functions (exp, tanh,
...) also what their usual ways of computing lose: a scaled argument (exp by exp2), a few units of the result, and an
absolute unit where they form it as a difference of numbers of about one.
"""

import math
from collections.abc import Callable
from typing import Any

import torch

from akgen.tools.reference.rounding import jumps
from akgen.tools.reference.rounding.errors import (
    POINTWISE,
    SPREAD,
    Errors,
    Run,
    Step,
    Tensor,
    grown,
    joined,
    rule,
    scaled,
    single,
)

_STEP = 2.0**-20  # of a difference quotient, where no derivative is written down


@rule("add", "sub", "rsub", "mul", "div")
def _arithmetic(run: Run, step: Step) -> list[Errors | None]:
    name = step.name
    if not step.out.is_floating_point():
        return jumps.integers(run, step)
    if step.named.get("rounding_mode"):
        return jumps.quotients(run, step)
    a, b = step.args[0], step.args[1]
    x, y, z = single(a), single(b), single(step.out)
    if name in ("add", "sub", "rsub"):
        by = step.named.get("alpha", 1)
        first, second = (by, 1.0) if name == "rsub" else (1.0, by)
        found = joined(_read(run, a, step.out, first), _read(run, b, step.out, second))
        # Adding zero, or a number to zeros, rounds nothing, but this is not worth a look; masks are counted with.
        rounded = torch.where(_whole(x) & _whole(y) & (abs(z) <= 1 / run.roundoff), 0.0, z * z + run.floor**2)
        return [joined(found, Errors(rounded, None))]
    if name == "mul":
        found = joined(_spread_out(run, a, step.out, y), _spread_out(run, b, step.out, x))
        if a is b and found is not None:
            found = found._replace(square=2 * found.square)
    else:
        found = joined(
            _spread_out(run, a, step.out, 1 / y), _spread_out(run, b, step.out, z / y * _steeper(run, b))
        )
    exact = any(not isinstance(v, torch.Tensor) and _is_power_of_two(v) for v in (a, b))
    return [found if exact else joined(found, Errors(z * z + run.floor**2, None))]


def _whole(value: Tensor) -> Tensor:
    """Say which of the numbers have no fraction: sums of these are exact."""
    return value == value.trunc() if isinstance(value, torch.Tensor) else float(value).is_integer()


def _is_power_of_two(value: Any) -> bool:
    return value != 0 and math.frexp(abs(float(value)))[0] == 0.5


def _read(run: Run, source: Tensor, out: torch.Tensor, by: Tensor) -> Errors | None:
    """Return the errors that `out` gets from `source`; one element's that many outputs read is common to these."""
    errors = run.errors(source) if isinstance(source, torch.Tensor) else None
    if errors is None:
        return None
    if _broadcast(source, out):
        common = SPREAD * errors.square.sqrt()
        common = common if errors.common is None else common + errors.common
        errors = Errors(torch.zeros(()), common)
    return scaled(Errors(*_expanded(errors, out)), by)


def _spread_out(run: Run, source: Tensor, out: torch.Tensor, by: Tensor) -> Errors | None:
    """As `_read`, for factors and arguments of functions: an error that outputs share is in proportion to each of them.

    It stays in the same proportion to their sum, where the sum's own rounding is as large; so it counts as
    independent.
    """
    errors = run.errors(source) if isinstance(source, torch.Tensor) else None
    return None if errors is None else scaled(Errors(*_expanded(errors, out)), by)


def _expanded(errors: Errors, out: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
    square, common = errors
    return square.expand(out.shape), None if common is None else common.expand(out.shape)


def _broadcast(source: torch.Tensor, out: torch.Tensor) -> bool:
    repeated = any(s == 0 and n > 1 for s, n in zip(source.stride(), source.shape, strict=True))
    return repeated or source.numel() < out.numel()


# (derivative, from the argument and the result; None: by a difference quotient), and the absolute error that the usual
# ways of computing add, from the argument and the result.
_FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any] | None, Callable[[Any, Any], Any] | None]] = {
    "exp": (lambda _, y: y, None),
    "exp2": (lambda _, y: 0.6931472 * y, None),
    "expm1": (lambda _, y: y + 1, lambda _, __: 1.0),
    "log": (lambda x, _: 1 / x, None),
    "log2": (lambda x, _: 1.442695 / x, None),
    "log10": (lambda x, _: 0.4342945 / x, None),
    "log1p": (lambda x, _: 1 / (1 + x), lambda _, __: 1.0),
    "sin": (lambda _, __: 1.0, None),
    "cos": (lambda _, __: 1.0, None),
    "sigmoid": (lambda _, y: y * (1 - y), None),
    "log_sigmoid": (lambda _, __: 1.0, lambda _, __: 1.0),
    "log_sigmoid_forward": (lambda _, __: 1.0, lambda _, __: 1.0),
    "tanh": (lambda _, y: 1 - y * y, lambda _, __: 1.0),
    "erf": (lambda _, __: 1.13, lambda _, __: 1.0),
    "erfc": (lambda _, __: 1.13, lambda _, __: 1.0),
    "gelu": (lambda _, __: 1.13, lambda x, _: x),
    "silu": (lambda _, __: 1.1, None),
    "mish": (lambda _, __: 1.1, lambda x, _: x),
    "softplus": (lambda _, __: 1.0, lambda _, __: 1.0),
    "elu": (None, lambda _, __: 1.0),
    "atan": (lambda _, __: 1.0, None),
    "sinh": (None, lambda _, __: 1.0),
    # The logarithm of gamma is a difference of what its argument's size makes.
    "lgamma": (lambda x, _: torch.digamma(x), lambda x, _: 8 + x.abs() * torch.log1p(x.abs())),
    "digamma": (None, lambda _, __: 8.0),
    "erfinv": (lambda _, y: 0.8862269 * torch.exp(y * y), None),
    "asinh": (lambda _, __: 1.0, lambda _, __: 1.0),
}
# No rounding of their own, and no error larger than the one they read.
_STEADY = frozenset(
    {"neg", "abs", "relu", "clamp", "clamp_min", "clamp_max", "hardtanh", "relu6", "positive", "threshold"}
)  # fmt: skip
_ROOTS: dict[str, Callable[[Any, Any], Any]] = {
    "sqrt": lambda _, y: 0.5 / y,
    "rsqrt": lambda x, y: 0.5 * y / x,
    "reciprocal": lambda _, y: y * y,
}


@rule(POINTWISE)
def _pointwise(run: Run, step: Step) -> list[Errors | None]:
    if not step.out.is_floating_point():
        return jumps.integers(run, step)
    name = step.name
    if name in _STEADY:
        found = _spread_out(run, step.args[0], step.out, 1.0)
        off = None if found is None else jumps.at_ends(run, step)
        return [found if off is None else scaled(found, single(off > 0))]  # nothing, where it is cut off
    y = single(step.out)
    if name in _ROOTS:
        slope = _ROOTS[name](single(step.args[0]), y)
        slope = slope * _steeper(run, step.args[0], most=0.5 if name == "sqrt" else _ALL_BUT)
        found = _spread_out(run, step.args[0], step.out, slope)
        return [joined(found, Errors(4 * y * y, None))]
    derivative, loss = _FUNCTIONS.get(name, (None, None))
    square = 4 * y * y + run.floor**2
    if loss is not None:
        lost = torch.as_tensor(loss(single(step.args[0]), y)) * run.inner_roundoff
        square = square + lost.square()
    found = None
    for i, a in enumerate(step.args):
        if not (isinstance(a, torch.Tensor) and a.is_floating_point()):
            continue
        x = single(a)
        by = derivative(x, y) if derivative else _quotient(step.func, step.args, step.kwargs, step.out, i)
        by = single(torch.as_tensor(by))
        square = square + (by * x * run.inner_roundoff).square()
        found = joined(
            found, _spread_out(run, a, step.out, by) if name != "exp" else _powers(run, a, step.out, by)
        )
    return [joined(found, Errors(square, None))]


_ALL_BUT = 0.999  # of a divisor: beyond that next to nothing is known of the quotient


def _steeper(run: Run, source: Tensor, most: float = _ALL_BUT) -> Tensor:
    """Return by how much a root or a quotient changes more than its slope says, where errors are as large as numbers.

    A root falls by up to twice that, to zero; a quotient grows without end as its divisor comes near zero.
    """
    off = jumps.size(run, source)
    if off is None:
        return 1.0
    share = (off / source.abs()).nan_to_num(nan=most).clamp(max=most)
    return 1 / (1 - single(share))


def _powers(run: Run, source: torch.Tensor, out: torch.Tensor, by: Tensor) -> Errors | None:
    errors = run.errors(source)
    return None if errors is None else scaled(Errors(*_expanded(grown(run, errors), out)), by)


def _quotient(func: Any, args: Any, kwargs: Any, out: torch.Tensor, place: int) -> torch.Tensor:
    step = (args[place].abs() + 1e-6) * _STEP
    moved = [args[place] + step if i == place else a for i, a in enumerate(args)]
    return single((func(*moved, **kwargs) - out) / step)


@rule("pow")
def _pow(run: Run, step: Step) -> list[Errors | None]:
    base, exponent = step.args[0], step.args[1]
    if isinstance(exponent, torch.Tensor) or not isinstance(base, torch.Tensor):
        return _pointwise(run, step)
    y, x = single(step.out), single(base)
    by = exponent * x.abs().pow(exponent - 1)
    whole = float(exponent).is_integer() and abs(exponent) <= 4
    own = y * y * (abs(exponent) if whole else 4 + (exponent * x.abs().log()).square())
    own = own.nan_to_num(nan=0.0)
    return [joined(_spread_out(run, base, step.out, by), Errors(own, None))]


@rule("maximum", "minimum", "fmax", "fmin")
def _larger(run: Run, step: Step) -> list[Errors | None]:
    found = [_spread_out(run, a, step.out, 1.0) for a in step.args[:2]]
    return [joined(found[0], found[1])]


@rule("_to_copy")
def _cast(run: Run, step: Step) -> list[Errors | None]:
    errors = run.errors(step.args[0])
    if not step.out.is_floating_point():
        return jumps.integers(run, step)
    if errors is None:
        return [None]
    finest = torch.finfo(step.out.dtype).eps / 2 / run.roundoff
    y = single(step.out)
    # Rounding to a neighbour's neighbour, where the value before it is off.
    return [joined(errors, Errors((2 * finest * y).square(), None) if finest > 2.0**-10 else None)]
