"""Which tensors a call of PyTorch writes to, as its name and arguments tell: in a branch, only if it is taken."""

import inspect
from functools import cache
from typing import Any

import torch
from torch.utils import _pytree as pytree


def written_by(name: str, func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Return the tensors that a call writes to: `x.add_(y)`, `x[i] = y`, `out=x`, `inplace=True`, lists of them."""
    found = [kwargs["out"]] if kwargs.get("out") is not None else []
    in_place = name.endswith("_") and (not name.startswith("_") or name.startswith("_foreach_"))
    in_place = in_place or name == "__setitem__" or (name.startswith("__i") and name != "__invert__")
    place = _place_of_inplace(func)
    if place is not None:
        in_place = in_place or bool(kwargs.get("inplace", args[place] if len(args) > place else False))
    if in_place:
        found.append(args[0] if args else kwargs.get("input"))
    return [v for v in pytree.tree_leaves(found) if isinstance(v, torch.Tensor)]


@cache
def _place_of_inplace(func: Any) -> int | None:
    """Return where `inplace` stands among the arguments of a function of Python, None where it has none."""
    if not inspect.isfunction(func):
        return None
    names = list(inspect.signature(func).parameters)
    return names.index("inplace") if "inplace" in names else None
