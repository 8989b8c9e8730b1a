"""The errors that a tensor carries through a run, and the rules that follow each operation.

A rule takes one operation that was run and returns the errors of its outputs from those of what it read. Operations
without a rule are taken apart by PyTorch's own decompositions.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch.utils._pytree import tree_leaves

Tensor = Any  # torch.Tensor, or a Python number where PyTorch takes one

# A bound is this many times the root of the summed squares. Each square is that of the largest rounding error, about
# two and a half standard deviations, so this is ten of them.
SPREAD = 4.0


class Errors(NamedTuple):
    """A tensor's errors in units of the roundoff: squares of independent ones, and the size of common ones."""

    square: torch.Tensor
    common: torch.Tensor | None

    def map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> "Errors":
        return Errors(function(self.square), None if self.common is None else function(self.common))


class NoBound(Exception):
    """What an operation does to errors is not known."""


class Run(Protocol):
    """The run that is followed."""

    roundoff: float
    sum_roundoff: float
    inner_roundoff: float  # of a function's own steps, before its result is rounded
    adds_half: bool
    narrowed: torch.dtype | None  # of a task in half precision, while its reference computes in float32
    narrowing: float  # the roundoff of that type
    floor: float  # what a result near zero may lose, where the precision has no smaller numbers

    def errors(self, tensor: torch.Tensor) -> Errors | None: ...
    def replay(self, function: Any, *args: Any, **kwargs: Any) -> Any: ...


@dataclass(frozen=True)
class Step:
    """One operation that was run."""

    func: Any
    args: Any
    kwargs: Any
    out: Any

    @property
    def name(self) -> str:
        """Return the operation's name, the same whether it writes in place or not."""
        return str(self.func._schema.name).removeprefix("aten::").removesuffix("_")

    @property
    def named(self) -> dict[str, Any]:
        """Return all arguments by their names in the operation's schema."""
        arguments = self.func._schema.arguments
        defaults = {a.name: a.default_value for a in arguments if a.has_default_value()}
        return {**defaults, **dict(zip((a.name for a in arguments), self.args, strict=False)), **self.kwargs}

    @property
    def read(self) -> list[torch.Tensor]:
        return [a for a in tree_leaves((self.args, self.kwargs)) if isinstance(a, torch.Tensor)]

    @property
    def outputs(self) -> list[torch.Tensor]:
        return tensors(self.out)

    def reduced(self) -> tuple[list[int], bool]:
        """Return the dimensions that a reduction takes, and whether it keeps them."""
        how = self.named
        count, dims = how["self"].dim(), how.get("dim")
        if isinstance(dims, int):
            dims = [dims]
        return [d % count for d in dims] if dims else list(range(count)), bool(how.get("keepdim", False))


ErrorRule = Callable[[Run, Step], list[Errors | None]]
RULES: dict[str, ErrorRule] = {}
POINTWISE = ""  # the name of the rule for whatever works on one element at a time


def rule(*names: str) -> Callable[[ErrorRule], ErrorRule]:
    """Register what follows ATen operations of these names, whatever their overload."""

    def register(function: ErrorRule) -> ErrorRule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def follow(run: Run, step: Step) -> list[Errors | None]:
    """Return the errors of each output tensor of one operation. Raises NoBound."""
    if step.name in RULES:
        return RULES[step.name](run, step)
    if all(run.errors(a) is None and not a.is_floating_point() for a in step.read):
        return [None] * len(step.outputs)  # made of exact integers or of nothing: exact
    if torch.Tag.pointwise in step.func.tags and isinstance(step.out, torch.Tensor):
        return RULES[POINTWISE](run, step)
    parts = _decompositions().get(step.func)
    if parts is None:
        raise NoBound
    return replayed(run, parts, step.args, step.kwargs)


def replayed(run: Run, steps: Any, args: Any, kwargs: Any) -> list[Errors | None]:
    """Follow the steps of a composite operation and return the errors of what they give."""
    return [run.errors(t) for t in tensors(run.replay(steps, *args, **kwargs))]


def tensors(out: Any) -> list[torch.Tensor]:
    values = out if isinstance(out, list | tuple) else [out]
    return [v for v in values if isinstance(v, torch.Tensor)]


_KEPT: ContextVar[torch.dtype] = ContextVar("kept", default=torch.float32)
_LARGE = 2.0**30  # the fourth power of larger numbers, which a variance's error has, is beyond float32


@contextmanager
def wide_enough(values: Iterable[Any]) -> Iterator[None]:
    """While entered, keep errors in float64 if float32 does not hold the powers of these inputs."""
    floats = [v for v in values if isinstance(v, torch.Tensor) and v.is_floating_point() and v.numel()]
    large = any(bool((v.abs() > _LARGE).any()) for v in floats)
    token = _KEPT.set(torch.float64 if large else torch.float32)
    try:
        yield
    finally:
        _KEPT.reset(token)


def single(tensor: Tensor) -> Tensor:
    """Return the values in float32: enough for a bound, but for large inputs (`wide_enough`). Numbers stay."""
    return tensor.to(_KEPT.get()) if isinstance(tensor, torch.Tensor) else tensor


def joined(first: Errors | None, second: Errors | None) -> Errors | None:
    """Add the errors of two sources."""
    if first is None or second is None:
        return first or second
    if first.common is None or second.common is None:
        common = first.common if second.common is None else second.common
    else:
        common = first.common + second.common
    return Errors(first.square + second.square, common)


def scaled(errors: Errors | None, by: Tensor) -> Errors | None:
    """Multiply the errors by numbers of any sign. Nothing is left of any error, however large, where they are zero."""
    if errors is None:
        return None
    found = Errors(errors.square * (by * by), None if errors.common is None else errors.common * abs(by))
    return found.map(lambda e: torch.where(by == 0, 0.0, e)) if isinstance(by, torch.Tensor) else found


MOST_EXPONENT = 30.0  # an exponent's error beyond which nothing is known of the power


def grown(run: Run, errors: Errors) -> Errors:
    """Return the errors of powers, in proportion to them, from those of their exponents.

    As large as the exponents' own while these are small; e^d - 1 for an error of d, where scores are so large that
    their rounding alone changes a power by half.
    """
    off = SPREAD * errors.square.sqrt() + (0.0 if errors.common is None else errors.common)
    off = (off * run.roundoff).clamp(1e-6, MOST_EXPONENT)
    by = torch.expm1(off) / off
    return Errors(errors.square * by * by, None if errors.common is None else errors.common * by)


def _decompositions() -> Any:
    from torch._decomp import decomposition_table  # takes a while, and few references need it

    return decomposition_table
