"""What asks for the order of elements that a mask selects: the k-th one, places of extremes, another shape, a slice.

How many there are is taken to be what it is for every draw of the task's arguments where a shape needs to be known;
where the draws differ, it is refused.
"""

import math
from typing import Any

import torch

from akgen.tools.compose.front.record_ragged import Ragged, part
from akgen.tools.compose.front.record_selected import Selected, uncovered

_NUMBERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


def call(name: str, func: Any, x: Selected, args: Any, kwargs: Any) -> Any:
    """Call a function along the selected axis that no mask alone makes that of all elements."""
    dim = kwargs.get("dim", args[0] if args and isinstance(args[0], int) else None)
    if name in ("argmax", "argmin", "max", "min") and (dim is not None or x.ndim == 1):
        return _extreme(name, x, kwargs.get("keepdim", args[1] if len(args) > 1 else False))
    if name in ("softmax", "log_softmax"):
        return x.with_rows(func(x.others(-math.inf), *args, **kwargs))
    if name == "cumsum":
        return x.with_rows(func(x.others(0), *args, **kwargs))
    if name == "tolist":
        raise uncovered("a Python loop")
    if not x.lead and name in ("sort", "topk") and x.dtype.is_floating_point and x.ndim == 1:
        found = _sorted(name, func, x, args, kwargs)
        if found is not None:
            return found
    return func(compacted(x, f"the operation {name}"), *args, **kwargs)


def compacted(x: Selected, what: str) -> torch.Tensor:
    """Return the selected elements alone, where there are always equally many."""
    count = x.mask.usual_count()
    if not count:
        raise uncovered(what)
    return part(_in_order(x), x.lead, count)


def in_order(x: Selected) -> Ragged:
    """Return the selected elements alone, as a part of unknown length."""
    found = _in_order(x)
    return Ragged(x.lead, x.mask.count(), lambda n: part(found, x.lead, n), x.mask.holds.numel())


def _in_order(x: Selected) -> torch.Tensor:
    """Return all elements, those in front that are selected."""
    order = torch.argsort((~x.mask.flat()).to(torch.float32), stable=True)
    return x.rows(full=True).index_select(x.lead, order)


def item(x: Selected, index: Any) -> Any:
    """Return elements by their places among the selected ones."""
    if isinstance(index, slice):
        return in_order(x)[(*[slice(None)] * x.lead, index)]
    if isinstance(index, int):
        index = torch.tensor(index)
    if not isinstance(index, torch.Tensor) or index.dtype not in _NUMBERS:
        raise uncovered("an index")
    wanted = index.reshape(-1)
    wanted = torch.where(wanted < 0, wanted + x.mask.count(), wanted)
    before = (x.mask.places().unsqueeze(0) < wanted.unsqueeze(1)).sum(1)
    found = x.rows(full=True).index_select(x.lead, before.clamp(max=x.mask.holds.numel() - 1))
    if not index.dim():
        return found.select(x.lead, 0)
    return found.reshape(*found.shape[: x.lead], *index.shape, *found.shape[x.lead + 1 :])


def _never(dtype: torch.dtype, least: bool) -> float:
    """Return a number that is never the least, or the largest, beside others."""
    if dtype.is_floating_point:
        return math.inf if least else -math.inf
    limits = torch.iinfo(dtype)
    fill: int = limits.max if least else limits.min
    return fill


def _extreme(name: str, x: Selected, keep: bool) -> Any:
    """Return the extreme along the selected axis with its place among the selected elements, or that alone."""
    least = name.endswith("min")
    values, places = (torch.min if least else torch.max)(x.others(_never(x.dtype, least)), x.lead, keep)
    places = x.mask.places()[places].clamp(min=0)
    if name.startswith("arg"):
        return places
    return torch.return_types.max((values, places)) if not least else torch.return_types.min((values, places))


def _sorted(name: str, func: Any, x: Selected, args: Any, kwargs: Any) -> Any:
    """Sort a row of selected elements: what is left out is sorted to the end."""
    falls = kwargs.get("descending", False) if name == "sort" else kwargs.get("largest", True)
    if any(isinstance(a, bool) for a in args) or set(kwargs) - {"descending", "largest", "stable", "dim"}:
        return None
    values, places = func(x.others(-math.inf if falls else math.inf), *args, **kwargs)
    places = x.mask.places()[places]
    if name == "topk":
        return torch.return_types.topk((values, places))
    count, most = x.mask.count(), x.mask.holds.numel()
    each = (Ragged(0, count, lambda n, v=v: part(v, 0, n), most) for v in (values, places))  # type: ignore[misc]
    return torch.return_types.sort(tuple(each))


# other shapes


def flattened(x: Selected) -> Any:
    """Return all numbers of selected rows along one axis: each is selected as its row is."""
    from akgen.tools.compose.front.record_selected import SelectingMask

    if x.lead:
        raise uncovered("another shape")
    rows = x.rows(full=True)
    each = math.prod(rows.shape[1:])
    holds = x.mask.flat().unsqueeze(1).expand(-1, each).reshape(-1)
    mask = SelectingMask(holds, ("flat", x.origin, each), x.mask.origin_of, x.mask.values, kept=x.mask.kept)
    return Selected(rows.reshape(-1), mask)


def as_matrix(x: Selected, sizes: list[Any]) -> torch.Tensor:
    """Return the selected elements in another shape: by rows where each row of the mask selects equally many."""
    if x.lead:
        raise uncovered("another shape")
    holds = x.mask.holds
    sizes = [holds.shape[0] if k == 0 and s is None else s for k, s in enumerate(sizes)]
    each = _in_each_row(x)
    if each is not None and holds.dim() > 1 and all(isinstance(s, int) for s in sizes):
        count, tail = holds.shape[0], x.others_shape
        shape = [s if s >= 0 else _rest(sizes, count * each * math.prod(tail)) for s in sizes]
        if tuple(shape) == (count, each, *tail):
            return _rows_of(x, each)
    return compacted(x, "another shape").reshape(*sizes)


def _rest(sizes: list[int], total: int) -> int:
    return total // max(1, math.prod(s for s in sizes if s >= 0))


def _in_each_row(x: Selected) -> int | None:
    """Return how many elements each row of a mask selects if that is always the same."""
    if x.mask.rank < 2:
        return None
    counts = {int(c) for v in x.mask.values(x.mask.holds) for c in v.reshape(len(v), -1).sum(1)}
    count = counts.pop() if len(counts) == 1 else 0
    return count or None


def _rows_of(x: Selected, each: int) -> torch.Tensor:
    """Return what each row of the mask selects, as a row; it knows of what it is made."""
    holds = x.mask.holds.flatten(1)
    full = x.rows(full=True).reshape(*holds.shape, *x.others_shape)
    order = torch.argsort((~holds).to(torch.float32), dim=1, stable=True)[:, :each]
    wide = order.reshape(*order.shape, *[1] * len(x.others_shape)).expand(*order.shape, *x.others_shape)
    rows = full.gather(1, wide)
    rows.selects = (full, holds, x.origin)
    return rows


def of_selected_rows(name: str, args: Any, kwargs: Any) -> Any:
    """Return an extreme, a sum or picked elements of such rows without making them; None for anything else."""
    x = args[0] if args else None
    made = getattr(x, "selects", None)
    if made is None:
        return None
    full, holds, origin = made
    rest = dict(
        zip(("dim", "index" if name in ("gather", "take_along_dim") else "keepdim"), args[1:], strict=False)
    )
    if name == "take_along_dim":
        rest = dict(zip(("indices", "dim"), args[1:], strict=False))
        rest["index"] = rest.pop("indices", None)
    given = rest | kwargs
    dim = given.pop("dim", None)
    if not isinstance(dim, int) or dim % full.dim() != 1:
        return None
    if name in ("gather", "take_along_dim"):
        index = given["index"]
        of, place = getattr(index, "place_of", (None, index))
        return full.gather(1, place) if of == origin and place.dim() == full.dim() else None
    if set(given) - {"keepdim"}:
        return None
    if name in _WHOLE:
        return _extreme_of(name, made, given)
    if name in ("sum", "mean"):
        held = holds.reshape(*holds.shape, *[1] * (full.dim() - 2))
        total = torch.where(held, full, 0).sum(1, **given)
        return total / holds[0].sum() if name == "mean" else total
    return None


_WHOLE = frozenset(["max", "min", "amax", "amin", "argmax", "argmin"])


def _extreme_of(name: str, made: Any, given: Any) -> Any:
    full, holds, origin = made
    if full.dim() != 2:
        return None
    least = name.endswith("min")
    kept = torch.where(holds, full, _never(full.dtype, least))
    if name in ("amax", "amin"):
        return getattr(kept, name)(1, **given)
    keep = given.get("keepdim", False)
    values, place = (torch.min if least else torch.max)(kept, 1, True)
    rank = (holds.to(torch.int64).cumsum(1) - 1).gather(1, place).clamp(min=0)
    rank, values = (rank, values) if keep else (rank.squeeze(1), values.squeeze(1))
    rank.place_of = (origin, place if keep else place.squeeze(1))
    if name.startswith("arg"):
        return rank
    kind = torch.return_types.min if least else torch.return_types.max
    return kind((values, rank))
