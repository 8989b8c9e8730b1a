"""Follow places to a reference's outputs, and let a run take other places instead.

Both are entered outside of whatever else follows the run, so that they see its operations as the model asks for them,
in the same order each time.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves

from akgen.tools.reference.choices.orders import Order, acceptable, completed, order_of
from akgen.tools.reference.dispatch import DispatchMode
from akgen.tools.reference.rounding.errors import NoBound, Run
from akgen.tools.reference.rounding.jumps import size

Given = dict[int, torch.Tensor]  # places for the orders of a run, by their number; -1 where none are known

_MOVES = frozenset({
    "clone", "cat", "stack", "index_select", "gather", "index", "flip", "roll", "repeat", "constant_pad_nd",
    "_unsafe_view", "lift_fresh",
})  # fmt: skip


class Orders(DispatchMode):
    """See each operation that orders, in turn."""

    def __init__(self) -> None:
        super().__init__()
        self._run: Run | None = None
        self._count = 0

    def __enter__(self) -> Any:
        self._count = 0
        return super().__enter__()

    def inside(self, run: Run | None) -> None:
        """Take note of what follows the errors of the run."""
        self._run = run

    def again(self) -> "Orders | None":
        """Return what a further run of the same reference has to be entered with."""
        return None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        with _disable_current_modes():
            order = order_of(func, args, kwargs, out)
        if order is None:
            self._other(func, args, kwargs, out)
            return out
        self._count += 1
        return self._ordered(self._count - 1, order, out)

    def _other(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        """Take note of any other operation."""

    def _ordered(self, number: int, order: Order, out: Any) -> Any:  # noqa: ARG002
        return out


class FollowedPlaces(Orders):
    """Know which elements of the outputs are places, and of which order.

    They are followed through views, copies and conversions to types that hold them exactly.
    """

    def __enter__(self) -> Any:
        # A tensor (kept, so that its identity is not used again) with a number for each place that it holds.
        self._marks: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._orders: list[tuple[int, torch.Size, int]] = []  # first number, shape, length of the keys
        self._marked = 0
        return super().__enter__()

    def of(self, output: Any) -> torch.Tensor | None:
        """Return the number of the place that each element is, -1 for what is none; None: nothing is a place."""
        found = self._marks.get(id(output))
        return None if found is None else found[1]

    def orders_in(self, output: Any) -> set[int]:
        """Return the numbers of the orders whose places an output holds."""
        marks = self.of(output)
        if marks is None or not self._orders:
            return set()
        firsts = torch.tensor([first for first, *_ in self._orders])
        return set((torch.searchsorted(firsts, marks[marks >= 0], right=True) - 1).unique().tolist())

    def given(self, outputs: Sequence[Any], got: Sequence[Any]) -> Given:
        """Return the places that stand in `got` where the run's outputs have places."""
        said = torch.full((self._marked,), -1, dtype=torch.int64)
        for output, value in zip(outputs, got, strict=False):
            marks = self.of(output)
            if marks is None or not isinstance(value, torch.Tensor) or value.shape != marks.shape:
                continue
            if value.is_floating_point():
                value = value.double().nan_to_num(nan=-2.0, posinf=-2.0, neginf=-2.0).clamp(-2, 2.0**52)
            here = marks >= 0
            said[marks[here]] = value.long()[here]
        return {
            n: said[first : first + shape.numel()].reshape(shape)
            for n, (first, shape, _) in enumerate(self._orders)
            if bool((said[first : first + shape.numel()] >= 0).any())
        }

    def _ordered(self, number: int, order: Order, out: Any) -> Any:  # noqa: ARG002
        places = out[1] if order.gives_values else out
        count = places.numel()
        with _disable_current_modes():
            marks = _laid_out(torch.arange(self._marked, self._marked + count).reshape(places.shape), places)
        self._orders.append((self._marked, order.places.shape, order.keys.shape[order.dim]))
        self._marked += count
        self._marks[id(places)] = (places, marks)
        return out

    def _other(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        read = [
            t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor) and id(t) in self._marks
        ]
        if not read:
            return
        if func._schema.is_mutable:
            written = {t.untyped_storage()._cdata for t in read}
            self._marks = {
                k: (t, m) for k, (t, m) in self._marks.items() if t.untyped_storage()._cdata not in written
            }
            return
        name = str(func._schema.name).removeprefix("aten::")
        if name == "_to_copy":
            if self._holds(out.dtype):
                with _disable_current_modes():
                    self._marks[id(out)] = (out, _laid_out(self._marks[id(args[0])][1], out))
            return
        is_view = any(r.alias_info is not None for r in func._schema.returns)
        if not (is_view or name in _MOVES):
            return
        first = args[0]
        values = first if isinstance(first, list | tuple) else [first]
        if not any(id(v) in self._marks for v in values):
            return
        with _disable_current_modes():
            moved = [
                self._marks[id(v)][1] if id(v) in self._marks else torch.full(v.shape, -1) for v in values
            ]
            rest = [*args[1:2], -1] if name == "constant_pad_nd" else args[1:]
            plain = {} if name in ("constant_pad_nd", "clone") else kwargs
            marks = func(moved if isinstance(first, list | tuple) else moved[0], *rest, **plain)
            for tensor, mark in zip(tree_leaves(out), tree_leaves(marks), strict=True):
                self._marks[id(tensor)] = (tensor, mark if is_view else _laid_out(mark, tensor))

    def _holds(self, dtype: torch.dtype) -> bool:
        """Say whether a type holds all places exactly."""
        largest = max((length for *_, length in self._orders), default=1) - 1
        if dtype == torch.bool or dtype.is_complex:
            return False
        if dtype.is_floating_point:
            return bool(largest <= 2 / torch.finfo(dtype).eps)
        return bool(largest <= torch.iinfo(dtype).max)


def _laid_out(marks: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
    """Return marks in memory as their tensor is, so that every view of the one is one of the other."""
    if marks.stride() == tensor.stride():
        return marks
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=marks.dtype).copy_(marks)


class TakenPlaces(Orders):
    """Take the given places where they are as good as the run's own, and the values at them."""

    def __init__(self, given: Given, *, sure: bool = False) -> None:
        """`sure`: they are known to be as good."""
        super().__init__()
        self._given, self._sure = given, sure
        self._found: Given = {}

    def again(self) -> "TakenPlaces":
        return TakenPlaces(self._found, sure=True)

    def _ordered(self, number: int, order: Order, out: Any) -> Any:
        got = self._given.get(number)
        if got is None or got.shape != order.places.shape:
            return out
        if not self._sure:
            off = self._off(order.source)
            with _disable_current_modes():
                got = completed(order, got)
                got = torch.where(acceptable(order, got, off), got, order.places)
        self._found[number] = got
        places = order.shaped(got)
        if not order.gives_values:
            return places
        return order.shaped(torch.gather(order.keys, order.dim, got)), places

    def _off(self, keys: torch.Tensor) -> torch.Tensor | None:
        if self._run is None:
            return None
        try:
            with _disable_current_modes():
                return size(self._run, keys)
        except NoBound:
            return None
