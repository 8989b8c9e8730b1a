"""Follow a run of the reference on inputs with a few large numbers: does each operation have a result that counts?"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from akgen.tools.reference.dispatch import DispatchMode

# The largest numbers of which a kernel need know the operation: periods are taken off in float32, whole parts in int32.
_LARGEST: Mapping[str, float] = {
    **dict.fromkeys(("sin", "cos", "tan", "remainder", "fmod"), 2.0**10),
    **dict.fromkeys(("floor", "ceil", "round", "trunc", "frac", "floor_divide"), 2.0**30),
}
_FILLS = frozenset({"masked_fill", "fill", "full", "full_like", "new_full", "where", "scalar_tensor"})
_MOST_OF_RMS = 1 / 8  # that a bound may reach and still say something, as the judge's rule has it
_MOST_BEYOND = 1 / 4  # of the bounds may be larger


class Reached(DispatchMode):
    """While active, `beyond` becomes True where an operation makes infinity or NaN of numbers, or gets too large ones.

    What fills in infinity by name, as a mask does, makes none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.beyond = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = str(func._schema.name).removeprefix("aten::").removesuffix("_")
        given = [] if self.beyond else [a for a in tree_leaves((args, kwargs)) if _floats(a)]
        whole = name == "div" and kwargs.get("rounding_mode") is not None
        largest = _LARGEST.get("floor" if whole else name)
        if given and largest is not None:
            self.beyond = bool((given[0].abs() > largest).any())
        sound = name not in _FILLS and all(_finite(a) for a in given)
        out = func(*args, **kwargs)
        if given and sound and not self.beyond:
            self.beyond = not all(_finite(o) for o in tree_leaves(out) if _floats(o))
        return out


def tells_nothing(
    expected: Sequence[Any], bounds: Sequence[Any] | None, most_beyond: float = _MOST_BEYOND
) -> bool:
    """Say whether error bounds of an output are infinite, or more than a share too large for anything to be wrong."""
    for want, most in zip(tree_leaves(expected), tree_leaves(bounds), strict=False):
        if not _floats(want) or not _floats(most) or want.shape != most.shape or not want.numel():
            continue
        if not _finite(most):
            return True
        if float((most > most_of(want)).double().mean()) > most_beyond:
            return True
    return False


def most_of(want: torch.Tensor) -> float:
    """Return how large a bound of an output may be and still say something."""
    finite = want[torch.isfinite(want)].double()
    return _MOST_OF_RMS * float(finite.square().mean().sqrt()) if finite.numel() else 0.0


def _floats(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _finite(value: torch.Tensor) -> bool:
    return bool(torch.isfinite(value).all())
