"""The errors of operations on complex numbers: of their real and imaginary parts, by the rules for real numbers.

A complex tensor's errors are kept as those of the floats in its storage, so that `view_as_real`, `view_as_complex`,
`real`, `imag` and the conjugate's view share them. What computes is written out in real operations, which are followed
one by one; what moves elements moves both parts' errors; a Fourier transform is a sum of as many terms as it is long.

Not covered: powers, roots, hyperbolic functions and decompositions of complex matrices.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from akgen.tools.reference.rounding.errors import (
    RULES,
    Errors,
    NoBound,
    Run,
    Step,
    joined,
    single,
    tensors,
)
from akgen.tools.reference.rounding.sums import rounding

Parts = tuple[Any, Any]  # real and imaginary, of tensors or numbers
_TWIDDLES = 3  # roundings of each term of a Fourier transform: of the factor, and of the product
_MAKERS = frozenset(
    {"zeros_like", "ones_like", "full_like", "empty_like", "new_zeros", "new_ones", "new_empty"}
)


def concerns(step: Step) -> bool:
    """Say whether an operation reads or makes complex numbers."""
    return any(t.is_complex() for t in (*step.read, *step.outputs))


def follow_complex(run: Run, step: Step) -> list[Errors | None]:
    """Return the errors of each output, of a complex one those of its parts along one more axis. Raises NoBound."""
    if step.name in _MAKERS or not step.read:
        return [None] * len(step.outputs)
    if step.name in ("_fft_r2c", "_fft_c2c", "_fft_c2r"):
        return [_transformed(run, step)]
    if RULES.get(step.name) is RULES["clone"] or step.name == "_to_copy":
        return _moved(run, step)
    if all(o.dtype == torch.bool for o in step.outputs):
        return [None] * len(step.outputs)  # comparisons: what is exact stays so
    real = _REAL.get(step.name)
    if real is None:
        raise NoBound
    made = run.replay(partial(real, **step.named))
    return [run.errors(made)]


def parts(value: Any) -> Parts:
    """Return the real and the imaginary part, views of the same storage."""
    if not isinstance(value, torch.Tensor):
        number = complex(value)
        return number.real, number.imag
    if not value.is_complex():
        return value, 0.0
    if value.is_conj():
        pair = torch.view_as_real(value.conj())
        return pair[..., 0], -pair[..., 1]
    pair = torch.view_as_real(value)
    return pair[..., 0], pair[..., 1]


def _together(real: Any, imag: Any) -> torch.Tensor:
    shape = torch.broadcast_shapes(*(p.shape for p in (real, imag) if isinstance(p, torch.Tensor)))
    like = next(p for p in (real, imag) if isinstance(p, torch.Tensor))
    both = [p if isinstance(p, torch.Tensor) else torch.full_like(like, p) for p in (real, imag)]
    return torch.stack([p.expand(shape) for p in both], -1)


def _exact(value: Any, number: float) -> bool:
    return not isinstance(value, torch.Tensor) and value == number


def _times(x: Any, y: Any) -> Any:
    """Multiply parts, one of which may be nothing at all."""
    return 0.0 if _exact(x, 0.0) or _exact(y, 0.0) else x * y


def _plus(x: Any, y: Any) -> Any:
    return y if _exact(x, 0.0) else x if _exact(y, 0.0) else x + y


def _minus(x: Any, y: Any) -> Any:
    return x if _exact(y, 0.0) else -y if _exact(x, 0.0) else x - y


def _product(a: Parts, b: Parts, times: Callable[[Any, Any], Any] = _times) -> Parts:
    return (
        _minus(times(a[0], b[0]), times(a[1], b[1])),
        _plus(times(a[0], b[1]), times(a[1], b[0])),
    )


def _quotient(a: Parts, b: Parts) -> Parts:
    size = _plus(_times(b[0], b[0]), _times(b[1], b[1]))
    up = _product(a, (b[0], _minus(0.0, b[1])))
    return up[0] / size, 0.0 if _exact(up[1], 0.0) else up[1] / size


def _matrix(x: Any, y: Any) -> Any:
    return 0.0 if _exact(x, 0.0) or _exact(y, 0.0) else torch.matmul(x, y)


def _summed(self: Any, dim: Any = None, keepdim: bool = False, **_: Any) -> torch.Tensor:
    dims = [d % self.dim() for d in ([dim] if isinstance(dim, int) else dim or range(self.dim()))]
    return _together(*(p.sum(dims, keepdim) for p in parts(self)))


def _mean(self: Any, dim: Any = None, keepdim: bool = False, **_: Any) -> torch.Tensor:
    dims = [d % self.dim() for d in ([dim] if isinstance(dim, int) else dim or range(self.dim()))]
    return _together(*(p.mean(dims, keepdim) for p in parts(self)))


def _added(self: Any, other: Any, alpha: Any = 1, **_: Any) -> torch.Tensor:
    return _together(*map(_plus, parts(self), parts(other if alpha == 1 else other * alpha)))


def _taken(self: Any, other: Any, alpha: Any = 1, **_: Any) -> torch.Tensor:
    return _together(*map(_minus, parts(self), parts(other if alpha == 1 else other * alpha)))


def _power(self: Any, exponent: Any, **_: Any) -> torch.Tensor:
    if exponent != 2:
        raise NoBound
    return _together(*_product(parts(self), parts(self)))


def _raised(self: Any, **_: Any) -> torch.Tensor:
    real, imag = parts(self)
    return _together(real.exp() * imag.cos(), real.exp() * imag.sin())


_REAL: dict[str, Callable[..., torch.Tensor]] = {
    "mul": lambda self, other, **_: _together(*_product(parts(self), parts(other))),
    "div": lambda self, other, **_: _together(*_quotient(parts(self), parts(other))),
    "reciprocal": lambda self, **_: _together(*_quotient((torch.ones(()).double(), 0.0), parts(self))),
    "add": _added,
    "sub": _taken,
    "rsub": lambda self, other, alpha=1, **_: _taken(other, self, alpha),
    "neg": lambda self, **_: _together(*(-p for p in parts(self))),
    "_conj_physical": lambda self, **_: _together(parts(self)[0], -parts(self)[1]),
    "conj_physical": lambda self, **_: _together(parts(self)[0], -parts(self)[1]),
    "abs": lambda self, **_: torch.hypot(*parts(self)),
    "angle": lambda self, **_: torch.atan2(parts(self)[1], parts(self)[0]),
    "complex": lambda real, imag, **_: _together(real, imag),
    "polar": lambda abs, angle, **_: _together(abs * angle.cos(), abs * angle.sin()),
    "exp": _raised,
    "square": lambda self, **_: _together(*_product(parts(self), parts(self))),
    "pow": _power,
    "sum": _summed,
    "mean": _mean,
    "cumsum": lambda self, dim, **_: _together(*(p.cumsum(dim % self.dim()) for p in parts(self))),
    "mm": lambda self, mat2, **_: _together(*_product(parts(self), parts(mat2), _matrix)),
    "bmm": lambda self, mat2, **_: _together(*_product(parts(self), parts(mat2), _matrix)),
}


def _part(value: Any, run: Run, common: bool) -> Any:
    """Return one kind of a tensor's errors in its place: of a complex one a complex tensor."""
    if not isinstance(value, torch.Tensor) or not (value.is_floating_point() or value.is_complex()):
        return value
    errors = run.errors(value)
    part = None if errors is None else errors.common if common else errors.square
    if part is None:
        return torch.zeros(value.shape, dtype=torch.complex64 if value.is_complex() else torch.float32)
    return torch.view_as_complex(part.contiguous()) if value.is_complex() else part


def _moved(run: Run, step: Step) -> list[Errors | None]:
    found = [e for e in map(run.errors, step.read) if e is not None]
    if not found:
        return [None] * len(step.outputs)
    move = step.func
    if move._schema.is_mutable:
        move = getattr(getattr(torch.ops.aten, step.name), move._overloadname)
    kwargs = {k: v for k, v in step.kwargs.items() if k != "dtype"}

    def moved(common: bool) -> list[torch.Tensor]:
        args, more = tree_map(lambda a: _part(a, run, common), (step.args, kwargs))
        made = tensors(args[0] if step.name == "_to_copy" else move(*args, **more))
        return [
            torch.view_as_real(m.resolve_conj()).abs()
            if o.is_complex() and m.is_complex()
            else _together(m, 0.0)
            if o.is_complex()
            else m
            for m, o in zip(made, step.outputs, strict=True)
        ]

    square = moved(False)
    if all(e.common is None for e in found):
        return [Errors(s, None) for s in square]
    return [Errors(s, c) for s, c in zip(square, moved(True), strict=True)]


def _transformed(run: Run, step: Step) -> Errors:
    """Follow a Fourier transform: each output is a sum of all numbers along its axes, each times a factor of size one.

    A fast transform rounds less often than a sum one after another, which is sound as well.
    """
    how = step.named
    x, dims = step.args[0], [d % step.args[0].dim() for d in how["dim"]]
    lengths = [x.shape[d] for d in dims]
    if step.name == "_fft_c2r":
        lengths[-1] = int(how["last_dim_size"])
    n = math.prod(lengths)
    scale = {0: 1.0, 1: 1 / math.sqrt(n), 2: 1 / n}[int(how["normalization"])]
    twice = 2.0 if step.name == "_fft_c2r" else 1.0  # the half that is not written down

    def along(e: torch.Tensor) -> torch.Tensor:
        whole = e.sum(-1) if x.is_complex() else e
        return twice * whole.sum(dims, keepdim=True)

    def spread(e: torch.Tensor) -> torch.Tensor:
        like = step.out.shape
        return e.expand(like).unsqueeze(-1).expand(*like, 2) if step.out.is_complex() else e.expand(like)

    values = single(torch.view_as_real(x.resolve_conj()) if x.is_complex() else x)
    made = single(torch.view_as_real(step.out) if step.out.is_complex() else step.out)
    energy = spread(along(values.square()))
    own = scale**2 * (rounding(run, 2 * n, made / scale, energy) + _TWIDDLES * energy)
    found = joined(Errors(own + made.square(), None), _scaled_errors(run.errors(x), along, spread, scale))
    assert found is not None
    return found


def _scaled_errors(
    given: Errors | None, along: Callable[[torch.Tensor], torch.Tensor], spread: Any, scale: float
) -> Errors | None:
    if given is None:
        return None
    common = None if given.common is None else spread(along(given.common)) * scale
    return Errors(spread(along(given.square)) * scale**2, common)


def widest(values: Any) -> bool:
    """Say whether some of these tensors are complex."""
    return any(isinstance(t, torch.Tensor) and t.is_complex() for t in tree_leaves(values))
