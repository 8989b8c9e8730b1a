"""The rounding error of sums: reductions, scans, products of matrices, convolutions, norms, softmax, attention.

A sum of n terms may be formed in any order. One after another, with partial sums s_k, the errors add up to about
sqrt(sum of s_k^2) units; for terms of mean m and deviation d, s_k grows like k m + sqrt(k) d, so the sum of squares
is about n/3 S^2 + n/2 Q, with S the sum and Q the sum of the terms' squares. Where terms drift, the partial sums
themselves are looked at. By blocks or a tree it is less. Terms that all are the same round alike: then the errors
add up by size.

In half precision sums are formed in float32, in float16 also by a tree: log2(n) levels with Q each, and the result's
own rounding. Products of matrices are accumulated in float32, and their parts (along the length) may be stored in half
precision.
"""

import math
from typing import Any

import torch

from akgen.tools.reference.rounding.errors import (
    SPREAD,
    Errors,
    NoBound,
    Run,
    Step,
    grown,
    joined,
    rule,
    scaled,
    single,
)

_SINGLE = 2.0**-24  # the roundoff of float32: smaller terms of a sum are lost
_PROBES = 5  # terms that are looked for among the others
_BLOCKS = 32  # partial sums that are looked at


def rounding(
    run: Run,
    n: float,
    total: torch.Tensor,
    squares: torch.Tensor,
    path: torch.Tensor | None = None,
    *,
    tree: bool = True,
) -> torch.Tensor:
    """Return the squared error of sums of n terms.

    Of these, `total` is the sum, `squares` that of their squares, and `path` the mean of the squared partial sums,
    where it was looked at. `tree`: half precision may form the sum by a tree in its own precision.
    """
    if n <= 1:
        return torch.zeros_like(total)
    along = total * total / 3
    if path is not None:
        along = torch.maximum(along, path)
    one_by_one = n * (along + squares / 2) * run.sum_roundoff**2
    by_tree = math.log2(n) * squares if run.adds_half and tree else 0
    return total * total + by_tree + one_by_one


def biased(run: Run, x: torch.Tensor, total: torch.Tensor, dims: list[int]) -> torch.Tensor:
    """Return the common error of sums over `dims`, which are kept in `total`.

    In float32 and in order, terms below the sum's roundoff are lost; equal terms may all be rounded the same way.
    """
    terms = _terms(x, dims)
    sums = total.reshape(*terms.shape[:-1], 1).abs()
    small = torch.where(terms.abs() < _SINGLE * sums, terms, 0.0).sum(-1, keepdim=True).abs() / run.roundoff
    n = terms.shape[-1]
    if n < 64:
        return small.reshape(total.shape)
    alike = torch.zeros_like(sums)
    for place in range(
        n // (2 * _PROBES), n, n // _PROBES
    ):  # a value that many terms have is met at one of these
        value = terms[..., place, None]
        error = torch.minimum(value.abs() / run.roundoff, run.sum_roundoff * sums)
        count = ((terms - value).abs() <= _SINGLE * sums).sum(
            -1, keepdim=True
        )  # they round to the same neighbour
        # Half of the largest error on average where the sum grows by them, all of it beside one that stays as it is.
        grows = torch.clamp(count * value.abs() / sums, max=1.0).nan_to_num(1.0)
        alike = torch.maximum(alike, count * (1 - grows / 2) * error)
    return (small + alike).reshape(total.shape)


@rule("sum", "mean")
def _sum(run: Run, step: Step) -> list[Errors | None]:
    value = step.args[0]
    if value.dim() == 0:
        return [run.errors(value)]
    dims, keep = step.reduced()
    if not value.is_floating_point():
        counted = _summed(run, value, dims, keep)
        return [None if counted is None else counted.map(lambda e: e.reshape(step.out.shape))]
    n = math.prod(value.shape[d] for d in dims)
    divided = n if step.name == "mean" else 1
    x = single(value)
    total, squares = _kept(step.out, value, dims) * divided, (x * x).sum(dims, keepdim=True)
    path = _path(x, dims) if n >= 4 * _BLOCKS else None
    own = Errors(rounding(run, n, total, squares, path), biased(run, x, total, dims))
    found: Errors | None = own.map(lambda e: e.reshape(step.out.shape))
    found = joined(found, _summed(run, value, dims, keep))
    if divided != 1:
        found = joined(scaled(found, 1 / divided), Errors(single(step.out).square(), None))
    return [found]


def _summed(run: Run, value: torch.Tensor, dims: list[int], keep: bool) -> Errors | None:
    errors = run.errors(value)
    return None if errors is None else errors.map(lambda e: e.sum(dims, keepdim=keep))


def _kept(out: torch.Tensor, value: torch.Tensor, dims: list[int]) -> torch.Tensor:
    shape = [1 if d in dims else n for d, n in enumerate(value.shape)]
    kept: torch.Tensor = single(out).reshape(shape)
    return kept


def _terms(x: torch.Tensor, dims: list[int]) -> torch.Tensor:
    """Return what is summed up over `dims` along one last axis."""
    others = [d for d in range(x.dim()) if d not in dims]
    return x.permute(*others, *dims).reshape(*(x.shape[d] for d in others), -1)


def _path(x: torch.Tensor, dims: list[int]) -> torch.Tensor:
    """Return the mean of the squared partial sums, in index order, at the ends of some blocks."""
    terms = _terms(x, dims)
    length = terms.shape[-1] // _BLOCKS
    partial = terms[..., : length * _BLOCKS].unflatten(-1, (_BLOCKS, length)).sum(-1).cumsum(-1)
    return partial.square().mean(-1).reshape([1 if d in dims else s for d, s in enumerate(x.shape)])


@rule("cumsum")
def _cumsum(run: Run, step: Step) -> list[Errors | None]:
    value, dim = step.args[0], step.args[1]
    errors = run.errors(value)
    handed = None if errors is None or value.dim() == 0 else errors.map(lambda e: e.cumsum(dim))
    if value.dim() == 0 or not value.is_floating_point():
        return [handed]
    x, y = single(value), single(step.out)
    squares = (x * x).cumsum(dim)
    n = single(torch.arange(1, x.shape[dim] + 1))
    n = n.reshape([-1 if d == dim % x.dim() else 1 for d in range(x.dim())])
    along = torch.maximum((y * y).cumsum(dim), n / 2 * squares) * run.sum_roundoff**2
    square = y * y + along + (n.log2() * squares if run.adds_half else 0)
    steps = (n - 1) / 4 * run.sum_roundoff * y.abs()
    same = y * y > (1 - 1e-5) * n * squares
    lost = torch.where(x.abs() < _SINGLE * y.abs(), x, 0.0).cumsum(dim).abs() / run.roundoff
    common = lost + torch.where(same, steps, 0.0)
    return [joined(Errors(square, common), handed)]


@rule("cumprod")
def _cumprod(run: Run, step: Step) -> list[Errors | None]:
    x, y, dim = single(step.args[0]), single(step.out), step.args[1]
    relative = torch.ones_like(x)
    errors = run.errors(step.args[0])
    if errors is not None:
        if errors.common is not None:
            raise NoBound
        relative = relative + errors.square / (x * x)
    return [Errors(y * y * relative.cumsum(dim), None)]


@rule("prod")
def _prod(run: Run, step: Step) -> list[Errors | None]:
    x, y = single(step.args[0]), single(step.out)
    dims, _ = step.reduced()
    own = Errors(y * y * math.prod(x.shape[d] for d in dims), None)
    errors = run.errors(step.args[0])
    if errors is None:
        return [own]
    if errors.common is not None:
        raise NoBound
    last = tuple(range(-len(dims), 0))
    x, square = (t.movedim(tuple(dims), last).flatten(-max(1, len(dims))) for t in (x, errors.square))
    one = torch.ones_like(x[..., :1])
    before = torch.cat([one, x[..., :-1]], -1).cumprod(-1)
    after = torch.cat([one, x[..., 1:].flip(-1)], -1).cumprod(-1).flip(-1)
    # Each factor's error times all others: some may be zero, so the product is not divided by the factor.
    return [joined(own, Errors(((before * after).square() * square).sum(-1).reshape(y.shape), None))]


@rule("var", "var_mean")
def _var(run: Run, step: Step) -> list[Errors | None]:
    """By two passes, or Welford's way: the mean's own rounding enters with the deviation."""
    value = step.args[0]
    dims, keep = step.reduced()
    n = math.prod(value.shape[d] for d in dims)
    correction = step.named.get("correction")
    divided = max(n - (1 if correction is None else correction), 1)
    var = _kept(step.outputs[0], value, dims)
    mean = value.mean(dims, keepdim=True)
    x, off, mean = single(value), single(value - mean), single(mean)
    # A mean may come from deviations from any element.
    ones = (x * x).sum(dims, keepdim=True)
    of_mean = rounding(run, n, mean * n, ones) / n**2 + mean * mean + 4 * ones / n
    deviations = off * off
    fourth = deviations.square().sum(dims, keepdim=True)
    square = (rounding(run, n, var * divided, fourth) + 4 * fourth) / divided**2 + (
        4 * mean * mean + var
    ) * var
    common = biased(run, deviations, var * divided, dims) / divided
    mine = Errors(square, common + SPREAD**2 * run.roundoff * of_mean)
    found: Errors | None = mine.map(lambda e: e.reshape(step.outputs[0].shape))
    errors = run.errors(value)
    if errors is not None:
        handed = scaled(errors, 2 * off / divided)
        assert handed is not None
        found = joined(found, handed.map(lambda e: e.sum(dims, keepdim=keep)))
    if step.name == "var":
        return [found]
    handed = scaled(_summed(run, value, dims, keep), 1 / n)
    return [found, joined(Errors(of_mean.reshape(step.outputs[1].shape), None), handed)]


@rule("_softmax", "_log_softmax", "_safe_softmax")
def _softmax(run: Run, step: Step) -> list[Errors | None]:
    """The maximum that is subtracted cancels, so its error does not count; the normaliser's is in proportion."""
    value, dim = step.args[0], step.args[1]
    logarithm = step.name == "_log_softmax"
    y = single(step.out)
    p = y.exp() if logarithm else y
    shifted = single(value - value.amax(dim, keepdim=True))
    shifted = torch.where(torch.isfinite(shifted), shifted, 0.0)
    errors = run.errors(value)
    square = shifted * shifted + 4
    if errors is not None:  # what is masked out by an infinity takes no part
        errors = errors.map(lambda e: torch.where(p == 0, 0.0, e))
        square = square + errors.square
    weighted = p * p
    normaliser = rounding(run, value.shape[dim], torch.ones(()), weighted.sum(dim, keepdim=True))
    normaliser = normaliser + torch.where(p == 0, 0.0, weighted * square).sum(dim, keepdim=True)
    lost = biased(run, p, p.sum(dim, keepdim=True), [dim % p.dim()])
    normaliser = normaliser + lost * lost
    common = None if errors is None else errors.common
    if common is not None:
        common = common + (p * common).sum(dim, keepdim=True)
    if logarithm:
        finite = torch.where(torch.isfinite(y), y, 0.0)
        return [Errors(square + normaliser + finite * finite + 4, common)]
    found = scaled(grown(run, Errors(square + normaliser + 2, common)), y)
    assert found is not None
    whole = 1 / run.roundoff  # no weight is off by more than 1
    off = None if found.common is None else found.common.clamp(max=whole)
    found = Errors(found.square.clamp(max=whole**2), off)
    return [joined(found, Errors(torch.full_like(y, 2 * run.floor**2), None))]


# Products of matrices, and what is made of them


def _operand(run: Run, x: torch.Tensor) -> Errors | None:
    """Return the errors of a factor; the cube core takes those of a task in half precision rounded to that."""
    if run.narrowed is None:
        return run.errors(x)
    value = single(x)
    rounded = torch.where(value == single(value.to(run.narrowed)), 0.0, (value * run.narrowing).square())
    return joined(run.errors(x), Errors(rounded, None))


def _bilinear(
    run: Run, a: torch.Tensor, b: torch.Tensor, n: float, total: torch.Tensor, multiply: Any
) -> Errors:
    """Follow sums of n products of elements of `a` and `b`."""
    x, y, z = single(a), single(b), single(total)
    x2, y2 = x * x, y * y
    squares = multiply(x2, y2)
    square = rounding(run, n, z, squares, tree=False) + squares
    common = None
    first, second = _operand(run, a), _operand(run, b)
    if first is not None:
        square = square + multiply(first.square.contiguous(), y2)
        if first.common is not None:
            common = multiply(first.common.contiguous(), y.abs())
    if second is not None:
        square = square + multiply(x2, second.square.contiguous())
        if second.common is not None:
            more = multiply(x.abs(), second.common.contiguous())
            common = more if common is None else common + more
    return Errors(square, common)


@rule("mm", "bmm", "mv", "dot", "vdot")
def _multiplied(run: Run, step: Step) -> list[Errors | None]:
    a, b = step.args[0], step.args[1]
    if not a.is_floating_point():
        return [None]
    return [_bilinear(run, a, b, a.shape[-1], step.out, step.func)]


@rule("convolution", "_convolution")
def _convolution(run: Run, step: Step) -> list[Errors | None]:
    x, weight, bias, *how = step.args
    transposed, groups = how[3], how[5]
    n = math.prod(weight.shape[2:]) * (weight.shape[0] // groups if transposed else weight.shape[1])

    def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        product: torch.Tensor = step.func(a, b, None, *how)
        return product

    total = step.out if bias is None else step.out - bias.reshape(-1, *([1] * (step.out.dim() - 2)))
    found: Errors | None = _bilinear(run, x, weight, n, total, multiply)
    if bias is not None:
        errors = run.errors(bias)
        shape = (-1, *([1] * (step.out.dim() - 2)))
        handed = None if errors is None else errors.map(lambda e: e.reshape(shape).expand(step.out.shape))
        found = joined(joined(found, handed), Errors(single(step.out).square(), None))
    return [found]


@rule("avg_pool1d", "avg_pool2d", "avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def _averaged(run: Run, step: Step) -> list[Errors | None]:
    x, y = single(step.args[0]), single(step.out)
    if "adaptive" in step.name:
        n = math.prod(-(-a // b) for a, b in zip(x.shape[2:], y.shape[2:], strict=False))
    else:
        n = math.prod(step.args[1]) if len(step.args[1]) > 1 else step.args[1][0] ** (x.dim() - 2)

    def average(e: torch.Tensor) -> torch.Tensor:
        averaged: torch.Tensor = step.func(e, *step.args[1:], **step.kwargs)
        return averaged

    found: Errors | None = Errors(rounding(run, n, y, average(x * x) / n) + y * y, None)
    errors = run.errors(step.args[0])
    if errors is not None:
        common = None if errors.common is None else average(errors.common)
        found = joined(found, Errors(average(errors.square) / n, common))
    return [found]


@rule("scatter_add", "index_add")
def _scattered(run: Run, step: Step) -> list[Errors | None]:
    how = step.named
    if how.get("alpha", 1) != 1:
        raise NoBound
    base, dim, index = how["self"], how["dim"], how["index"]
    source = how["src"] if "src" in how else how["source"]
    add = getattr(torch.Tensor, step.name)

    def added(onto: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        total: torch.Tensor = add(onto, dim, index, values)
        return total

    x, y = single(base), single(source)
    found: Errors | None = Errors(
        rounding(run, source.shape[dim] + 1, single(step.out), added(x * x, y * y)), None
    )
    first, second = run.errors(base), run.errors(source)
    if first is None and second is None:
        return [found]
    first = first or Errors(torch.zeros_like(x), None)
    second = second or Errors(torch.zeros_like(y), None)
    square = added(first.square.contiguous(), second.square.contiguous())
    shared = [torch.zeros_like(e.square) if e.common is None else e.common for e in (first, second)]
    return [joined(found, Errors(square, added(shared[0].contiguous(), shared[1].contiguous())))]
