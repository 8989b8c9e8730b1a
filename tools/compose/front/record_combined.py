"""Functions of elements that a mask selects: elementwise, of each row, and what combines them along their axis."""

import math
from collections.abc import Callable
from typing import Any

import torch

from akgen.tools.compose.front import record_ordered as ordered
from akgen.tools.compose.front.record_batched import batch_axis
from akgen.tools.compose.front.record_einsum import einsum
from akgen.tools.compose.front.record_outside import bincount, one_hot
from akgen.tools.compose.front.record_ragged import NEUTRAL, Ragged, expanded, settled
from akgen.tools.compose.front.record_selected import (
    ELEMENTWISE,
    IN_PLACE,
    Selected,
    SelectingMask,
    uncovered,
)

# what changes nothing where it stands among elements that are combined
_FILL = NEUTRAL | {
    "nansum": 0.0,
    "norm": 0.0,
    "vector_norm": 0.0,
    "count_nonzero": 0.0,
    "logsumexp": -math.inf,
}
_EXTREMES = {"max": "amax", "min": "amin"}
_DIM_PLACE = {"norm": 1, "vector_norm": 1}
_LOSSES = frozenset(
    ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "soft_margin_loss",
     "binary_cross_entropy_with_logits", "kl_div", "margin_ranking_loss"]
)  # fmt: skip
_ROW_BY_ROW = frozenset(["cosine_similarity", "pairwise_distance", "gather", "take_along_dim"])


def call(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Call a function some of whose arguments are selected elements."""
    args, kwargs = settled((args, kwargs))
    name = name.strip("_") if name.startswith("__") else name
    plain_name = name.removesuffix("_")
    if name in ("cat", "concat", "concatenate", "stack", "hstack"):
        return _joined(name, args, kwargs)
    if name == "einsum":
        return einsum(args)
    first = next((a for a in (*args, *kwargs.values()) if isinstance(a, Selected)), None)
    if first is None:
        raise uncovered(f"the operation {name} with a list")
    if plain_name in ELEMENTWISE or name in IN_PLACE:
        plain = getattr(torch.Tensor, plain_name) if name.endswith("_") else func
        result = _pointwise(plain, args, kwargs)
        if (name.endswith("_") or name in IN_PLACE) and args[0] is first:
            if result.ndim != first.ndim:
                raise uncovered("writing more")
            first.whole, first.lead, first.coordinate = result.whole.to(first.dtype), result.lead, None
            return first
        return result
    if plain_name in ("scatter_add", "index_add", "bincount"):
        return _added(name, func, args, kwargs)
    if name in ("cross_entropy", "nll_loss"):
        return _classes(func, args, kwargs)
    if name in _LOSSES:
        return _loss(name, func, args, kwargs)
    if name in ("matmul", "rmatmul", "mm", "mv", "dot", "inner", "linear") and not (
        name == "linear" and len(args) + len(kwargs) > 2
    ):
        return _product(name, *args, **kwargs)
    if name in _ROW_BY_ROW:
        return _of_aligned_rows(func, args, kwargs)
    if args[0] is not first:
        raise uncovered(f"the operation {name}")
    if name == "getitem":
        return _item(first, args[1])
    rest = args[1:]
    if name == "one_hot":
        return first.with_rows(one_hot(first.rows(), *rest, **kwargs))
    if name in ("view", "reshape", "flatten", "squeeze"):
        found = _shaped(name, func, first, rest, kwargs)
        if found is not None:
            return found
    if name in ("expand", "repeat", "tile"):
        return _widened(name, first, rest)
    if name in ("var", "std") and not kwargs and (not rest or isinstance(rest[0], bool)):
        off = _pointwise(torch.square, (first - first.mean(),), {})
        spread = _reduced("sum", off, (), {}) / (first.numel() - (1 if not rest else int(rest[0])))
        return spread.sqrt() if name == "std" else spread
    moved = batch_axis(name, first.rows().shape, first.lead, rest, kwargs)
    if moved is not None:
        return _of_rows(func, first, moved, rest, kwargs)
    whole = not rest and not kwargs
    if name in _EXTREMES and whole:
        name = _EXTREMES[name]
    if name in _FILL:
        return _reduced(name, first, rest, kwargs)
    return ordered.call(name, func, first, rest, kwargs)


# elementwise


def _pointwise(func: Any, args: Any, kwargs: Any) -> Selected:
    """Call an elementwise function; what is selected has as many axes as its longest operand."""
    given = [*args, *kwargs.values()]
    parts = [a for a in given if isinstance(a, Selected)]
    most = max(parts, key=lambda p: p.trailing)
    leads = [p.lead for p in parts]
    leads += [a.dim() - most.trailing - 1 for a in given if isinstance(a, torch.Tensor)]
    whole = func(*(most.part(a) for a in args), **{k: most.part(v) for k, v in kwargs.items()})
    return Selected(whole, most.mask, max(leads))


def _loss(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Return a loss of selected elements: that of each, combined."""
    reduction = kwargs.pop("reduction", "mean")
    each = _pointwise(lambda *a, **k: func(*a, **k, reduction="none"), args, kwargs)
    if name == "kl_div" and reduction == "batchmean":
        return _reduced("sum", each, (), {}) / each.mask.count()
    return each if reduction == "none" else _reduced(reduction, each, (), {})


def _classes(func: Any, args: Any, kwargs: Any) -> Any:
    """Return a loss by classes: what the mask leaves out has the class that is ignored."""
    scores, target, *rest = args
    if not isinstance(scores, Selected) or not isinstance(target, Selected) or scores.lead or target.lead:
        raise uncovered("a loss by classes")
    if scores.origin != target.origin or target.dtype.is_floating_point:
        raise uncovered("a loss by classes")
    ignored = kwargs.get("ignore_index", -100)
    kept = target.with_elements(torch.where(target.spread(), target.whole, ignored)).rows(full=True)
    result = func(scores.rows(full=True), kept, *rest, **{**kwargs, "ignore_index": ignored})
    return scores.with_rows(result) if kwargs.get("reduction") == "none" else result


# rows


def _of_rows(func: Any, x: Selected, moved: int, args: Any, kwargs: Any) -> Any:
    """Return what a call makes of each element along the selected axis, which it treats as a batch."""
    given = args
    if getattr(func, "__name__", "") in ("view", "reshape"):
        sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        given = (-1, *sizes[1:])
    results = func(x.rows(), *given, **kwargs)
    if isinstance(results, torch.Tensor):
        return x.with_rows(results, moved)
    return tuple(x.with_rows(r, moved) for r in results)


def _of_aligned_rows(func: Any, args: Any, kwargs: Any) -> Selected:
    """Call a function that takes the rows of several operands together, each on its own."""
    parts = [a for a in args if isinstance(a, Selected)]
    first = parts[0]
    dim = kwargs.get("dim", next((a for a in args[1:] if isinstance(a, int)), 1)) % first.ndim
    if any(p.lead or p.origin != first.origin or p.ndim != first.ndim for p in parts) or dim == 0:
        raise uncovered("a function of rows")
    given = [a.rows(full=True) if isinstance(a, Selected) else a for a in args]
    for k, a in enumerate(args):
        if isinstance(a, torch.Tensor) and a.dim() == first.ndim and a.shape[0] != 1:
            given[k] = first.with_elements(first.laid(a, 0)).rows(full=True)
    return first.with_rows(func(*given, **kwargs), 0)


def _shaped(name: str, func: Any, x: Selected, args: Any, kwargs: Any) -> Any:
    """Return what is selected without axes of length 1 in front, or as rows of equally many; None for other shapes."""
    ones = x.lead and all(d == 1 for d in x.others_shape[: x.lead])
    if name == "squeeze" and not args and not kwargs:
        kept = [k for k, d in enumerate(x.others_shape) if d != 1]
        rows = x.rows(full=True)
        lead = sum(k < x.lead for k in kept)
        sizes = [x.others_shape[k] for k in kept]
        return x.with_rows(rows.reshape(*sizes[:lead], -1, *sizes[lead:]), lead)
    if name == "squeeze":
        return None
    if name == "flatten":
        first, last = (
            int(kwargs.get(k, args[n] if len(args) > n else d)) % x.ndim
            for n, (k, d) in enumerate((("start_dim", 0), ("end_dim", -1)))
        )
        if ones and first == 0 and last == x.lead:
            return x.with_elements(x.whole.reshape(x.whole.shape[x.lead :]), 0)
        if first > x.lead or last < x.lead:
            return None
        if first == last:
            return x
        if first or last != x.ndim - 1:
            raise uncovered("another shape")
        return ordered.flattened(x)
    sizes = list(args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args)
    if ones:
        x = x.with_elements(x.whole.reshape(x.whole.shape[x.lead :]), 0)
    if len(sizes) == 1:
        return x if x.ndim == 1 else ordered.flattened(x)
    if x.lead == 0 and batch_axis(name, x.rows().shape, 0, args, kwargs) == 0:
        return _of_rows(func, x, 0, args, kwargs)
    return ordered.as_matrix(x, sizes)


def _widened(name: str, x: Selected, args: Any) -> Selected:
    """Repeat what is selected along other axes."""
    sizes = list(args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args)
    at = len(sizes) - x.ndim + x.lead
    if len(sizes) < x.ndim or (name != "expand" and sizes[at] != 1):
        raise uncovered(f"the operation {name}")
    if name == "expand":
        sizes[at] = -1
    return x.with_rows(getattr(torch.Tensor, name)(x.rows(), *sizes), at)


def _item(x: Selected, index: Any) -> Any:
    """Return x[index]."""
    if isinstance(index, Selected):
        index = (index,)
    at, lead = 0, 0
    wanted: Any = None
    rest: list[Any] = []
    for i in expanded(index, x.ndim):
        if at == x.lead and i is not None and wanted is None:
            wanted = i
            lead = sum(r.dim() if isinstance(r, torch.Tensor) else not isinstance(r, int) for r in rest)
            rest.append(slice(None))
        elif i is None or isinstance(i, (int, slice)):
            rest.append(i)
        elif isinstance(i, torch.Tensor) and i.dtype != torch.bool:
            if any(isinstance(r, torch.Tensor) for r in rest):
                raise uncovered("several indices")
            rest.append(i)
        else:
            raise uncovered("an index")
        at += i is not None
    if any(not isinstance(r, slice) or r != slice(None) for r in rest):
        x = x.with_rows(x.rows()[tuple(rest)], lead)
    if isinstance(wanted, slice) and wanted == slice(None):
        return x
    if isinstance(wanted, Selected):
        return among(x, wanted)
    return ordered.item(x, wanted)


def among(x: Selected, which: Selected) -> Selected:
    """Return those of the selected elements of which another condition holds, too."""
    if which.dtype != torch.bool or which.ndim != 1 or which.origin != x.origin:
        raise uncovered("an index of two masks")
    both = x.mask.holds & which.under(x.mask).whole
    origin = (x.origin, id(which.whole))
    mask = SelectingMask(both, origin, x.mask.origin_of, x.mask.values, kept=(which.whole, x.mask.kept))
    return Selected(x.whole, mask, x.lead)


# what combines them


def _axes(name: str, x: Selected, args: Any, kwargs: Any) -> tuple[tuple[int, ...], bool]:
    """Return the axes that a reduction combines, and whether it keeps them."""
    at = _DIM_PLACE.get(name, 0)
    dim = kwargs.get("dim", args[at] if len(args) > at and not isinstance(args[at], torch.dtype) else None)
    keep = kwargs.get("keepdim", args[at + 1] if len(args) > at + 1 else False)
    if dim is None:
        return tuple(range(x.ndim)), bool(keep)
    listed = dim if isinstance(dim, (tuple, list)) else (dim,)
    return tuple(sorted(d % x.ndim for d in listed)), bool(keep)


def _reduced(name: str, x: Selected, args: Any, kwargs: Any) -> torch.Tensor:
    """Combine the selected elements, along their axis or all."""
    axes, keep = _axes(name, x, args, kwargs)
    given: dict[str, Any] = {k: v for k, v in kwargs.items() if k == "dtype"}
    if args and isinstance(args[-1], torch.dtype):
        given["dtype"] = args[-1]
    if x.lead not in axes:
        raise uncovered(f"{name} along another axis than that")
    fill: Any = _FILL[name]
    if not x.dtype.is_floating_point and name in ("amax", "amin"):
        limits = torch.iinfo(x.dtype)
        fill = limits.min if name == "amax" else limits.max
    elif not x.dtype.is_floating_point:
        fill = int(fill)  # a float would make floats of the elements
    values = x.others(fill)
    if name == "mean":
        count = x.mask.count() * math.prod(values.shape[a] for a in axes if a != x.lead)
        return values.sum(axes, keepdim=keep, **given) / count
    if name in ("norm", "vector_norm"):
        p = kwargs.get("p", kwargs.get("ord", args[0] if args else 2))
        order = 2 if p in ("fro", None) else p
        if order == -math.inf or order == 0:
            raise uncovered(f"{name} of that order")
        return torch.linalg.vector_norm(values, order, axes, keepdim=keep, **given)
    if name == "prod":
        return _product_along(values, axes, keep, given)
    if name == "count_nonzero":
        return (values != 0).sum(axes)
    function: Callable[..., torch.Tensor] = getattr(torch, name)
    return function(values, axes, keepdim=keep, **given)


def _product_along(values: torch.Tensor, axes: tuple[int, ...], keep: bool, given: Any) -> torch.Tensor:
    if len(axes) == values.dim() and not keep:
        return values.prod(**given)
    if len(axes) != 1:
        raise uncovered("a product along several axes")
    return values.prod(axes[0], keepdim=keep, **given)


def _product(name: str, a: Any, b: Any, **kwargs: Any) -> Any:
    """Multiply matrices or vectors, one or both of which are selected."""
    if kwargs:
        raise uncovered("a product")
    if name == "rmatmul":
        a, b = b, a
    if name in ("linear", "inner"):
        b = b.transpose(-1, -2) if (b.ndim if isinstance(b, Selected) else b.dim()) > 1 else b
    if isinstance(a, Selected) and a.lead == a.ndim - 1:
        other = b
    elif isinstance(b, Selected) and b.lead == max(0, b.ndim - 2):
        other = a
    elif isinstance(a, Selected) and not isinstance(b, Selected):
        rows = a.rows()
        if b.dim() > 2 and a.lead < a.ndim - 2:
            raise uncovered("a product of several matrices")
        return a.with_rows(torch.matmul(rows, b), a.lead + max(0, b.dim() - a.ndim))
    elif isinstance(b, Selected) and not isinstance(a, Selected) and b.lead == b.ndim - 1:
        found = torch.matmul(a, b.rows())
        return b.with_rows(found, found.dim() - 1)
    else:
        raise uncovered("a product")
    like = a if other is b else b
    assert isinstance(like, Selected)
    if not isinstance(other, Selected):
        at = max(0, other.dim() - 2) if other is b else other.dim() - 1
        other = like.with_elements(like.laid(other, at), at)
    if other.origin != like.origin:
        raise uncovered("a product of two masks")
    if other.lead != (max(0, other.ndim - 2) if like is a else other.ndim - 1):
        raise uncovered("a product")
    sides = [like.others(0), other.others(0)]
    return torch.matmul(*(sides if like is a else sides[::-1]))


def _joined(name: str, args: Any, kwargs: Any) -> Any:
    """Join what one mask selects along another axis, or what several select along theirs."""
    parts, *rest = args
    first = next((p for p in parts if isinstance(p, Selected)), None)
    if first is None or any(isinstance(p, Ragged) for p in parts):
        raise uncovered(f"the operation {name} with a list")
    stacked = name == "stack"
    usual = 1 if name == "hstack" and first.ndim > 1 else 0
    axis = kwargs.get("dim", rest[0] if rest else usual) % (first.ndim + stacked)
    if stacked or axis != first.lead:
        alike = [
            p if isinstance(p, Selected) else first.with_elements(first.laid(p, first.lead)) for p in parts
        ]
        if any(p.origin != first.origin or p.lead != first.lead for p in alike):
            raise uncovered("joining what two masks select")
        rows = [p.rows(full=True) for p in alike]
        joined = torch.stack(rows, axis) if stacked else torch.cat(rows, axis)
        return first.with_rows(joined, first.lead + (stacked and axis <= first.lead))
    wholes, masks, origins = [], [], []
    for p in parts:
        if isinstance(p, Selected):
            wholes.append(p.rows(full=True))
            masks.append(p.mask.flat())
            origins.append(p.origin)
        else:
            wholes.append(p)
            masks.append(torch.ones(p.shape[axis], dtype=torch.bool))
            origins.append(p.shape[axis])
    mask = SelectingMask(
        torch.cat(masks), ("joined", *origins), first.mask.origin_of, first.mask.values, kept=parts
    )
    return Selected(torch.cat(wholes, axis), mask, axis)


def _added(name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Add selected elements where selected indices say; what is not selected adds nothing to the first place."""
    counts = name == "bincount"
    index = args[0] if counts else args[2]
    values = kwargs.get("weights", args[1] if counts and len(args) > 1 else None)
    if not counts:
        values = args[3]
    alpha = kwargs.get("alpha", 1)
    if (
        not isinstance(index, Selected)
        or index.ndim != 1
        or not (counts or (args[1] == 0 and not set(kwargs) - {"alpha"}))
    ):
        raise uncovered(f"the operation {name}")
    if values is None:
        values = index.with_elements(torch.ones_like(index.whole))
    if isinstance(values, torch.Tensor):
        values = index.with_elements(index.laid(values, 0), 0)
    if not isinstance(values, Selected) or values.lead or values.origin != index.origin:
        raise uncovered(f"the operation {name}")
    values = values.under(index.mask)
    if alpha != 1:
        values = values.with_elements(values.whole * alpha)
    if not counts and index.coordinate is not None:  # no index is needed: each element adds to its own place
        length = index.mask.holds.shape[index.coordinate]
        if args[0].shape[0] == length:
            kept = torch.where(values.spread(), values.whole, 0)
            others = [a for a in range(index.mask.rank) if a != index.coordinate]
            total = kept.sum(others) if others else kept
            return args[0].add_(total) if name.endswith("_") else args[0] + total
    full = index.with_elements(torch.where(index.mask.holds, index.whole, 0)).rows()
    added = values.others(0)
    if counts:
        return bincount(full, added, kwargs.get("minlength", 0))
    return func(args[0], 0, full, added)
