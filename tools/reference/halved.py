"""What a reference returns of half of its inputs: the answer of a reduction that looks at no more."""

import copy
from collections.abc import Sequence
from typing import Any

import torch

from akgen.tools.reference import golden
from akgen.tools.reference.nested import each, leaves
from akgen.tools.reference.protocol import Binding, Sample

_FAILS = (RuntimeError, ValueError, IndexError, TypeError, ArithmeticError)


def halved(model: Any, sample: Sample, binding: Binding, axis: int) -> golden.Outputs | None:
    """Call the model with the first half of an axis in the place of the second, in every floating argument.

    A mean of this is the mean over half of the elements. None where the sample cannot be called again, the model
    raises, no argument has two elements along the axis, or the same comes out: then the reference reads no such half.
    """
    if sample.args is None:
        return None
    args = list(sample.args)
    if not any(_has(value, axis) for _, value in leaves(args)):
        return None
    same = copy.deepcopy(model)
    restore(same, sample, binding)
    try:
        found = golden.call(same, each(golden.clone(args), lambda v: _repeated(v, axis)))
    except _FAILS:
        return None
    asked: Sequence[Any] = sample.returned
    if any(not isinstance(o, torch.Tensor) for o in (*found, *asked)) or len(found) != len(asked):
        return None
    if [o.shape for o in found] != [o.shape for o in asked]:
        return None
    differs = any(not torch.equal(a, b) for a, b in zip(found, asked, strict=True))
    return found if differs else None


def restore(model: Any, sample: Sample, binding: Binding) -> None:
    """Give the model the weights that the sample was made with."""
    state = model.state_dict()
    given: Sequence[Any] = sample.inputs
    with torch.no_grad():
        for source, value in zip(binding.inputs, given, strict=False):
            if source is not None and source.kind == "state" and source.key in state:
                state[source.key].copy_(value)


def _has(value: Any, axis: int) -> bool:
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return floating and value.dim() > axis and value.shape[axis] > 1


def _repeated(value: Any, axis: int) -> Any:
    if not _has(value, axis):
        return value
    half = value.shape[axis] // 2
    value.narrow(axis, value.shape[axis] - half, half).copy_(value.narrow(axis, 0, half).clone())
    return value
