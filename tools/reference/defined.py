"""Notice inputs on which PyTorch leaves a result open: whatever a kernel answers there says nothing about it.

Open are places in an order of equal elements (topk, kthvalue, median, a sort that is not stable), all places in an
order that holds NaN, and integers made of NaN or of numbers beyond their range, also where a tensor is quantised. So
are products of many numbers of which a part leaves the range of the type: another order, or PyTorch's wider
accumulator, gives a number where a sound kernel has infinity, zero or NaN.
"""

import math
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_ORDERS = frozenset(
    {"argmax", "argmin", "max", "min", "topk", "sort", "argsort", "kthvalue", "median", "mode"}
)
_PICKS = frozenset({"kthvalue", "median", "mode"})  # one element of each row, by its place


class Openness(TorchDispatchMode):  # type: ignore[misc]
    """While active, `found` becomes True where an operation's result is open."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and its import takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        source = args[0] if args else None
        if not self.found and isinstance(source, torch.Tensor) and source.numel():
            self.found = _open(str(func._schema.name).removeprefix("aten::"), source, args, kwargs, out)
        return out


def _open(name: str, source: torch.Tensor, args: Any, kwargs: Any, out: Any) -> bool:
    if name == "_to_copy" and source.is_floating_point() and isinstance(out, torch.Tensor):
        return not out.is_floating_point() and out.dtype != torch.bool and _beyond(source, out.dtype)
    if "quantize_per_" in name and source.is_floating_point():
        return _beyond(_steps(source, name, args), torch.int32)
    if name in ("prod", "cumprod") and source.is_floating_point() and source.dim():
        return _leaves_range(source, kwargs.get("dim", next((a for a in args[1:] if type(a) is int), None)))
    places = isinstance(out, tuple) or name in ("argmax", "argmin", "argsort")
    if name not in _ORDERS or not places:
        return False
    if source.is_floating_point() and bool(torch.isnan(source).any()):
        return True
    if name == "topk":
        return _tied_at_the_top(source, out[0], kwargs.get("dim", args[2] if len(args) > 2 else -1))
    if name in ("sort", "argsort") and not kwargs.get("stable") and source.dim():
        dim = kwargs.get("dim", next((a for a in args[1:] if type(a) is int), -1))
        ordered = torch.sort(source, dim=dim).values
        return bool((ordered.diff(dim=dim) == 0).any())
    if name in _PICKS and isinstance(out, tuple) and source.dim():
        dim = kwargs.get(
            "dim", next((a for a in args[(2 if name == "kthvalue" else 1) :] if type(a) is int), -1)
        )
        keeps = kwargs.get("keepdim", any(a is True for a in args))
        kept = out[0] if keeps else out[0].unsqueeze(dim)
        return bool(((source == kept).sum(dim) > 1).any())
    return False


def _leaves_range(source: torch.Tensor, dim: int | None) -> bool:
    """Say whether the product of some neighbours may be larger or smaller than what the type holds."""
    values = source.double().reshape(-1) if dim is None else source.double().movedim(dim, -1)
    powers = torch.where(values == 0, 1.0, values).abs().log2().cumsum(-1)
    spread = powers.amax(-1).clamp(min=0) - powers.amin(-1).clamp(max=0)
    return bool((spread > -math.log2(torch.finfo(source.dtype).smallest_normal)).any())


def _tied_at_the_top(source: torch.Tensor, top: torch.Tensor, dim: int) -> bool:
    """Say whether two of the chosen elements are equal, or one of them and one that was not chosen."""
    if not source.dim() or not top.numel():
        return False
    among = bool((torch.sort(top, dim=dim).values.diff(dim=dim) == 0).any())
    last = top.select(dim, top.shape[dim] - 1).unsqueeze(dim)
    return among or bool(((source == last).sum(dim) != (top == last).sum(dim)).any())


def _steps(source: torch.Tensor, name: str, args: Any) -> torch.Tensor:
    """Return how many steps of its scale each element is, before it is clamped."""
    scale = torch.as_tensor(args[1], dtype=torch.float32)
    if "per_channel" in name and scale.dim() == 1:
        axis = next(int(a) for a in args[3:] if type(a) is int)
        scale = scale.reshape([-1 if d == axis % source.dim() else 1 for d in range(source.dim())])
    return source.float() / scale


def _beyond(source: torch.Tensor, dtype: torch.dtype) -> bool:
    limits = torch.iinfo(dtype)
    inside = (source >= limits.min) & (source.double() < float(limits.max) + 1)
    return not bool(inside.all())
