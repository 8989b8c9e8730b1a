"""Values that no input decides, written by many calls (`for i in range(n): mask[i, :i] = 1`), as one short formula.

Such a value is computed, and said again as boxes: along one axis, each place has one box of the other axes that holds
a number of its own, and all else is one number. Masks, bands, triangles, blocks and identities are of this form. What
is not stays as it was written.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.utils._python_dispatch import _disable_current_modes

_FEW = 24  # calls that are left as they are
SMALL_CONSTANT = 64  # elements that are written out; larger constants would have to be operator inputs

Number: TypeAlias = float | int | bool
Row: TypeAlias = Number | torch.Tensor


def constants_shortened(
    graph: torch.fx.Graph,
    known: Callable[[torch.fx.Node], bool],
    value: Callable[[torch.fx.Node], torch.Tensor],
    node_of: Callable[[Any], torch.fx.Node],
) -> None:
    """Replace what many calls write of constants by a formula, recorded in the mode that is on.

    `known` says that no input decides a node, `value` computes it, `node_of` finds the node of a recorded tensor.
    """
    for node in list(graph.nodes):
        if node.op != "call_function" or not known(node) or all(known(u) for u in node.users):
            continue
        if _size(node) <= _FEW:
            continue
        with _disable_current_modes(), torch.no_grad():
            made = formula(value(node))
        if made is not None:
            with graph.inserting_before(node):
                node.replace_all_uses_with(node_of(made()))


def _size(node: torch.fx.Node) -> int:
    """Return how many calls a value is made by."""
    seen: set[torch.fx.Node] = set()
    pending = [node]
    while pending and len(seen) <= _FEW:
        n = pending.pop()
        if n not in seen and n.op == "call_function":
            seen.add(n)
            pending.extend(n.all_input_nodes)
    return len(seen)


def formula(values: torch.Tensor) -> Callable[[], torch.Tensor] | None:
    """Return what makes these values of a few calls of PyTorch, None if no box of numbers says them."""
    array = values.float().numpy() if values.dtype in (torch.float16, torch.bfloat16) else values.numpy()
    if array.ndim == 0 or array.size == 0 or array.dtype.kind not in "fiub" or not np.isfinite(array).all():
        return None
    numbers, counts = np.unique(array, return_counts=True)
    candidates = [_steps(array, values.dtype)]
    for base in numbers[np.argsort(-counts)][:2]:
        for lead in range(array.ndim):
            boxes = _boxes(np.moveaxis(array, lead, 0), base)
            candidates += [] if boxes is None else [_of_boxes(boxes, values, lead, base.item())]
    return next((made for made in candidates if made is not None and torch.equal(made(), values)), None)


def _steps(array: np.ndarray, dtype: torch.dtype) -> Callable[[], torch.Tensor] | None:
    """Return what makes integers that grow by one step along each axis; whether they do is for the caller to see."""
    if array.dtype.kind not in "iu":
        return None
    first = array.flat[0].item()
    steps = [
        np.take(array, 1, axis).flat[0].item() - first if size > 1 else 0
        for axis, size in enumerate(array.shape)
    ]

    def made() -> torch.Tensor:
        whole = torch.full(array.shape, first, dtype=dtype)
        for axis, (size, step) in enumerate(zip(array.shape, steps, strict=True)):
            along = [size if a == axis else 1 for a in range(array.ndim)]
            whole = whole + (torch.arange(size, dtype=dtype) * step).reshape(along) if step else whole
        return whole

    return made


def _boxes(array: np.ndarray, base: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return, for each place of the first axis, where its box begins and ends on each other axis, and its number."""
    shape = (len(array), array.ndim - 1)
    begin, end, number = np.zeros(shape, int), np.zeros(shape, int), np.full(len(array), base)
    for i, part in enumerate(array):
        places = np.argwhere(part != base)
        if not len(places):
            continue
        begin[i], end[i] = places.min(0), places.max(0) + 1
        box = part[tuple(slice(a, b) for a, b in zip(begin[i], end[i], strict=True))]
        number[i] = box.flat[0]
        if not (box == number[i]).all() or box.size != len(places):
            return None
    empty = (begin == end).all(axis=1)
    if empty.any() and not empty.all():  # a place without a box: any beginning will do
        one_end = (end[~empty] == end[~empty][0]).all(axis=0)
        begin[empty] = end[empty] = np.where(one_end, end[~empty][0], begin[~empty][0])
    return begin, end, number


def _of_boxes(
    boxes: tuple[np.ndarray, np.ndarray, np.ndarray], values: torch.Tensor, lead: int, base: Number
) -> Callable[[], torch.Tensor] | None:
    begin, end, number = boxes
    rules = [sequence(begin[:, k]) for k in range(begin.shape[1])]
    ends = [sequence(end[:, k]) for k in range(begin.shape[1])]
    inside = sequence(number)
    if inside is None or any(r is None for r in (*rules, *ends)):
        return None
    others = [axis for axis in range(values.dim()) if axis != lead]

    def along(axis: int, row: Row) -> Row:
        shape = [-1 if a == axis else 1 for a in range(values.dim())]
        return row.reshape(shape) if isinstance(row, torch.Tensor) else row

    def made() -> torch.Tensor:
        within: list[Any] = []
        for k, axis in enumerate(others):
            place = along(axis, torch.arange(values.shape[axis], dtype=torch.int32))
            low, high = (along(lead, rule[k]()) for rule in (rules, ends))  # type: ignore[misc]
            if (end[:, k] - begin[:, k] == 1).all():
                within.append(place == low)
                continue
            within += [place >= low] if begin[:, k].any() else []
            within += [place < high] if (end[:, k] != values.shape[axis]).any() else []
        held = along(lead, inside())
        if not within:
            return _typed(held, values.dtype).expand(values.shape).clone()
        chosen = reduce(torch.logical_and, within)
        other = torch.full((1,) * values.dim(), base, dtype=values.dtype)
        whole = torch.where(chosen, _typed(held, values.dtype), other)
        return whole.expand(values.shape).clone()

    return made


def _typed(row: Row, dtype: torch.dtype) -> torch.Tensor:
    return row.to(dtype) if isinstance(row, torch.Tensor) else torch.full((), row, dtype=dtype)


def sequence(numbers: np.ndarray) -> Callable[[], Row] | None:
    """Return what makes numbers of their place: one, steps, held between two, again and again, stairs, or written."""
    first = numbers[0].item()
    if (numbers == first).all():
        return lambda: first
    if numbers.dtype.kind in "iu":
        place = np.arange(len(numbers))
        steps = np.diff(numbers)
        step = int(np.median(steps[steps != 0]))
        begin = (
            int(numbers[np.argmax(steps == step)] - step * np.argmax(steps == step))
            if (steps == step).any()
            else 0
        )
        low, high = int(numbers.min()), int(numbers.max())
        if (numbers == place * step + begin).all():
            return lambda: _places(numbers) * step + begin
        if (numbers == np.clip(place * step + begin, low, high)).all():
            return lambda: (_places(numbers) * step + begin).clamp(low, high)
        period = int(np.argmax(numbers[1:] == first)) + 1
        if period > 1 and (numbers == numbers[:period][place % period]).all():
            slope = int(numbers[1] - first)
            if (numbers == place % period * slope + first).all():
                return lambda: _places(numbers) % period * slope + first
        width = int(np.argmax(numbers != first))
        rise = int(numbers[width] - first)
        if (numbers == place // width * rise + first).all():
            return lambda: _places(numbers) // width * rise + first
    if len(numbers) > SMALL_CONSTANT:
        return None
    return lambda: torch.tensor(numbers.tolist(), dtype=torch.int32 if numbers.dtype.kind in "iu" else None)


def _places(numbers: np.ndarray) -> torch.Tensor:
    return torch.arange(len(numbers), dtype=torch.int32)
