"""Find out where an operator's inputs come from and where its outputs end up.

An input is a forward argument or a part of the reference model. Most outputs are what ModelNew returns; the object
tells. Some are cast or joined first: then the reference's values are put into the output, and the match counts only if
ModelNew returns exactly what the reference returns.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from akgen.bench.npukb.binding import Bound
from akgen.bench.npukb.tensors import flat, same
from akgen.tools.reference.protocol import InputSpec


def source_of(origin: Any, args: tuple[Any, ...], model: Any) -> InputSpec | None:
    """Name the source of an input; None for an absent one, an index-less argument if it cannot be told."""
    if origin is None:
        return None
    for index, arg in enumerate(args):
        if arg is origin or _same_list(arg, origin):
            return InputSpec(kind="arg", index=index)
    if isinstance(origin, torch.Tensor):
        for key, value in _state(model):
            if value.shape == origin.shape and torch.equal(value.to(origin.dtype), origin):
                return InputSpec(kind="state", key=key)
    for index, arg in enumerate(args):  # a list that the binding copied
        if isinstance(arg, list | tuple) and isinstance(origin, list) and list(arg) == origin:
            return InputSpec(kind="arg", index=index)
    return InputSpec(kind="arg")


def _same_list(arg: Any, origin: Any) -> bool:
    if not (isinstance(arg, list | tuple) and isinstance(origin, list)) or len(arg) != len(origin) or not arg:
        return False
    return all(isinstance(a, torch.Tensor) and a is b for a, b in zip(arg, origin, strict=True))


def _state(model: Any) -> list[tuple[str, torch.Tensor]]:
    named = [*model.named_parameters(), *model.named_buffers()]
    plain = [(k, v) for k, v in vars(model).items() if isinstance(v, torch.Tensor)]
    return [(k, v.detach()) for k, v in (*named, *plain)]


Finish = Callable[[Sequence[Any]], Any]  # operator outputs -> what ModelNew returns


def expected_outputs(
    bound: Bound, finished: Any, reference: Any, converted: Sequence[tuple[Any, Any]], finish: Finish
) -> tuple[Any, ...]:
    """Return the reference's values for each output slot; None for an output that the reference does not have."""
    new, old = flat(finished), flat(reference)  # the benchmark compares as many as both have
    sources = {id(result): source for result, source in converted}
    used: set[int] = set()
    slots: list[Any] = []
    for slot in bound.outputs:
        values = [_place(t, new, old, sources, used) for t in flat(slot)]
        slots.append(_assemble(slot, values))
    open_slots = [i for i, s in enumerate(slots) if s is None]
    open_places = [i for i in range(len(old)) if i not in used]
    if len(open_slots) == 1 and len(open_places) == 1:
        slots[open_slots[0]] = _tried(open_slots[0], bound, slots, old[open_places[0]], reference, finish)
    return tuple(slots)


def _place(
    tensor: Any, new: list[Any], old: list[Any], sources: dict[int, Any], used: set[int]
) -> torch.Tensor | None:
    for place, out in enumerate(new[: len(old)]):
        if same(tensor, out) or sources.get(id(out)) is tensor:
            if old[place].numel() != tensor.numel():
                return None
            used.add(place)
            return _like(old[place], tensor)
    return None


def _like(want: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
    """Shape the reference's values as the output; types that operators lack become the output's."""
    whole = slot.is_contiguous()  # else a view of what is returned, its axes swapped
    want = want.reshape(slot.shape) if whole else want.contiguous().as_strided(slot.shape, slot.stride())
    return want.to(slot.dtype) if slot.dtype == torch.bool or want.is_complex() else want.contiguous()


def _assemble(slot: Any, values: list[torch.Tensor | None]) -> Any:
    if any(v is None for v in values):
        return None
    return values if isinstance(slot, list) else values[0]


def _tried(index: int, bound: Bound, slots: list[Any], want: Any, reference: Any, finish: Finish) -> Any:
    """Put the reference's values into the one open slot; return them if ModelNew then returns the reference's."""
    slot = bound.outputs[index]
    if sum(t.numel() for t in flat(slot)) != want.numel():
        return None
    pieces, at = [], 0
    for tensor in flat(slot):
        pieces.append(_like(want.reshape(-1)[at : at + tensor.numel()], tensor))
        at += tensor.numel()
    candidate = pieces if isinstance(slot, list) else pieces[0]
    got = flat(
        finish(
            [candidate if i == index else bound.outputs[i] if s is None else s for i, s in enumerate(slots)]
        )
    )
    matches = all(
        torch.equal(a.to(b.dtype), b) or torch.allclose(a.to(b.dtype), b, equal_nan=True)
        for a, b in zip(got, flat(reference), strict=False)
        if a.shape == b.shape
    )
    return candidate if matches else None
