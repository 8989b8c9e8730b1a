"""Which alterations are tried for which operation. Causes are names of `knowledge/data/mismatch_causes.json`."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_map

from akgen.tools.reference.variants.alteration import Alterations
from akgen.tools.reference.variants.arithmetic import (
    TURNED,
    added,
    chosen,
    compared,
    extreme,
    left_out,
    rooted,
    scaled,
)
from akgen.tools.reference.variants.gathering import given, multiplied_matrices, pooled, taken
from akgen.tools.reference.variants.recording import Recorded, Recording
from akgen.tools.reference.variants.reductions import ran, reduced, varied


def alterations(recording: Recording, at: int) -> Alterations:
    """Yield the alterations of one call, the likeliest first."""
    call = recording.calls[at]
    if call.function is None:
        yield from given(call.value)
        return
    if not isinstance(call.value, torch.Tensor) and call.name != "max_pool2d_with_indices":
        return
    args, kwargs = tree_map(recording.operand, (list(call.args), call.kwargs))
    for family in _FAMILIES.get(call.name, ()):
        yield from family(recording, call, args, kwargs)


MOST_INPUTS = 8


def exchanged(recording: Recording) -> Iterator[tuple[int, int]]:
    """Yield the numbers of two inputs of one form, which an author may take for each other."""
    given_ones = [n for n, c in enumerate(recording.calls) if c.function is None][:MOST_INPUTS]
    for k, one in enumerate(given_ones):
        for other in given_ones[k + 1 :]:
            a, b = recording.calls[one].value, recording.calls[other].value
            if a.shape == b.shape and a.dtype == b.dtype and a.numel() > 1:
                yield one, other


_Family = Callable[[Recording, Recorded, list[Any], dict[str, Any]], Alterations]
_FAMILIES: dict[str, tuple[_Family, ...]] = {
    "add": (added,),
    "sub": (added,),
    "mul": (scaled,),
    "div": (scaled,),
    "sqrt": (rooted,),
    "rsqrt": (rooted,),
    "var": (varied,),
    "where": (chosen,),
    "maximum": (extreme,),
    "minimum": (extreme,),
    "cumsum": (ran,),
    "max_pool2d_with_indices": (pooled,),
    "avg_pool2d": (pooled,),
    **dict.fromkeys(("sum", "mean", "amax", "amin"), (reduced,)),
    **dict.fromkeys((*TURNED,), (compared,)),
    **dict.fromkeys(("mm", "bmm"), (multiplied_matrices,)),
    **dict.fromkeys(("embedding", "index", "index_select", "gather"), (taken,)),
    **dict.fromkeys(
        ("exp", "log", "abs", "neg", "relu", "tanh", "sigmoid", "erf", "square", "clamp", "clamp_min", "clamp_max",
         "hardtanh", "reciprocal", "round", "floor", "pow", "log1p", "expm1", "sin", "cos"),
        (left_out,),
    ),
}  # fmt: skip
