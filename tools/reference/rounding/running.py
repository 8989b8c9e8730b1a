"""Bound the rounding error of every sound algorithm for a reference, beside its run in float64.

A running error analysis to first order: every tensor of the run carries, element by element, how far a computation
of the same steps in the task's precision may be off. What each operation adds and hands on stands in `elementwise`,
`moves` and `sums` (scans and products of matrices too). Errors are in units of the task's unit roundoff, so that
one float32 holds them.

Errors of two kinds are kept apart, since sums treat them differently: *independent* ones (their squares add up) and
*common* ones, which several elements share (their sizes add up).

Integers and booleans carry errors as well: of inexact numbers near a jump (`jumps`), and places near a tie (`places`).
What a reference computes in float32 on purpose, though its inputs are of half precision, adds errors of that size.

Sources: Wilkinson's running error analysis; Higham and Mary, "A new approach to probabilistic rounding error
analysis", for growth by the square root of the length. Of complex numbers, which are in float32, the parts' errors are
kept (`complex_numbers`). Not covered: whatever neither `errors.RULES` nor PyTorch's decompositions know: a floating
output that depends on it has no bound, and integers that do count as exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._pytree import tree_leaves, tree_map

from akgen.tools.reference.dispatch import DispatchMode
from akgen.tools.reference.rounding import (  # noqa: F401 (they register rules)
    composites,
    elementwise,
    jumps,
    moves,
    places,
    sums,
)
from akgen.tools.reference.rounding.complex_numbers import concerns, follow_complex, widest
from akgen.tools.reference.rounding.errors import SPREAD, Errors, NoBound, Step, follow, joined, single
from akgen.tools.reference.rounding.jumps import beside_single

ROUNDOFF = {torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}
_MOST_OPERATIONS = 4000  # a loop over thousands of steps would take much longer than the run itself
# What PyTorch raises where it does not do an operation on errors as it does on values.
_REFUSALS = (RuntimeError, TypeError, IndexError, NotImplementedError)
_PURGE_EVERY = 8
_HARDLY = 1e-3  # of an integer: what roundings of the bound itself may take away
_LARGEST = 1 << 26  # elements of one tensor


def precision(values: Sequence[Any]) -> torch.dtype | None:
    """Return the finest floating dtype of a task's inputs and outputs; None if no bound is made for it."""
    given = [v for v in tree_leaves(values) if isinstance(v, torch.Tensor)]
    found = {_layout(v) for v in given if v.is_floating_point() or v.is_complex()}
    finest = min(found, key=lambda d: torch.finfo(d).eps, default=None)
    return finest if finest in ROUNDOFF else None


@dataclass
class _Shadow:
    """The errors of one storage, element by element; None: unknown."""

    owner: StorageWeakRef
    errors: Errors | None
    dtype: torch.dtype


class RunningErrors(DispatchMode):
    """Follow the operations that run inside this context; `bound` then says what an output may be off."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self._stored = ROUNDOFF[dtype]  # what the errors that are kept count in
        self._dtype = dtype
        self._set_precision(dtype)
        self._shadows: dict[int, _Shadow] = {}
        self._widened: dict[int, StorageWeakRef] = {}
        self._operations = 0
        self._replaying = False

    def _set_precision(self, dtype: torch.dtype) -> None:
        """Let the operations that follow be computed in this precision."""
        self._precision, self.roundoff = dtype, ROUNDOFF[dtype]
        # Sums are in float32 at least. Vector units also add float16, by a tree; bfloat16 they do not add.
        self.sum_roundoff = min(1.0, ROUNDOFF[torch.float32] / self.roundoff)
        self.adds_half = dtype == torch.float16
        self.narrowed = self._dtype if dtype != self._dtype else None
        # The vector unit has no bfloat16: what happens inside of one operation happens in half precision at least.
        finest = torch.float16 if dtype == torch.bfloat16 else dtype
        self.inner_roundoff = ROUNDOFF[finest] / self.roundoff
        self.narrowing = self._stored / self.roundoff
        self.floor = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps / 2 / self.roundoff

    def bound(self, output: torch.Tensor) -> torch.Tensor | None:
        """Return the bound of an output of the run in float32, zero where there is none; None: unknown or exact."""
        try:
            errors = self.errors(output)
        except NoBound:
            return None
        if errors is None:
            return None
        size = SPREAD * errors.square.sqrt()
        if errors.common is not None:
            size = size + errors.common
        size = torch.nan_to_num((size * self.roundoff).to(torch.float32), nan=0.0, posinf=0.0)
        if output.is_complex():
            return torch.hypot(size[..., 0], size[..., 1])
        if output.is_floating_point():
            return size
        size = (size + _HARDLY).floor()
        return size if bool(size.any()) else None

    def errors(self, tensor: torch.Tensor) -> Errors | None:
        """Return a tensor's errors in its own shape, None if it is exact. Raises NoBound.

        Those of a complex tensor have one more axis, of the real and the imaginary part.
        """
        shadow = self._shadows.get(_storage(tensor))
        if shadow is None or shadow.owner.expired():
            return None
        if shadow.errors is None or shadow.dtype != _layout(tensor):
            if not (tensor.is_floating_point() or tensor.is_complex()):
                return None
            raise NoBound
        found = shadow.errors.map(lambda flat: flat.as_strided(*_place(tensor)))
        found = _in_units(found, self._stored / self.roundoff)
        came_from_single = self._precision != torch.float32 and self._is_widened(tensor)
        if came_from_single and tensor.is_floating_point():
            return joined(
                found, Errors(single(tensor).square(), None)
            )  # rounded to half precision on its way here
        return found

    def widen(self, tensor: torch.Tensor) -> None:
        """Take note that the reference has this tensor in float32, whatever its inputs' precision."""
        self._widened[_storage(tensor)] = _weak(tensor)

    def _is_widened(self, tensor: torch.Tensor) -> bool:
        owner = self._widened.get(_storage(tensor))
        return owner is not None and not owner.expired()

    def _in_single(self, read: list[torch.Tensor]) -> bool:
        """Say whether an operation on these tensors is one in float32; constants of the model do not count."""
        decide = [t for t in read if t.dtype == torch.float64 and (t.dim() or self._is_widened(t))]
        return bool(decide) and all(map(self._is_widened, decide))

    def replay(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Run the steps of a composite operation to follow each of them."""
        before, self._replaying = self._replaying, True
        try:
            with self:
                return function(*args, **kwargs)
        finally:
            self._replaying = before

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self._operations > _MOST_OPERATIONS:
            return self._unfollowed(func, args, kwargs)
        if self._replaying:  # PyTorch takes composite operations apart before they come here, but not then
            with self:
                parts = func.decompose(*args, **kwargs)
            if parts is not NotImplemented:
                return parts
        read = _tensors((args, kwargs))
        before, as_single = self._precision, self._in_single(read) or widest(read)
        self._set_precision(torch.float32 if as_single else self._dtype)
        try:
            out = self._followed(func, args, kwargs, read)
        finally:
            self._set_precision(before)
        if as_single:
            for tensor in tree_leaves(out):
                if isinstance(tensor, torch.Tensor):
                    self.widen(tensor)
        return out

    def _followed(self, func: Any, args: Any, kwargs: Any, read: list[torch.Tensor]) -> Any:
        """Run an operation, and note what its results may be off."""
        if torch.Tag.inplace_view in func.tags:  # another look at the same storage, whose errors stay
            return func(*args, **kwargs)
        written = _written(func, args)
        before = {
            id(w): self._copy(w) for w in written if w.is_floating_point() or w.is_complex() or self._known(w)
        }
        out = func(*args, **kwargs)
        self._count()
        fresh = _tensors(out)
        if before:
            args = tree_map(lambda a: before.get(id(a), a), args)
        elif not written:
            fresh = _apart(fresh, read)  # a view shares the errors as well
        for tensor in fresh:
            if not written:
                self._shadows.pop(_storage(tensor), None)  # of a storage that was here before
        followed = (
            any(t.is_floating_point() or t.is_complex() for t in fresh)
            or any(map(self._known, read))
            or (any(map(beside_single, args)) and any(t.is_floating_point() for t in read))
        )
        if fresh and followed:
            self._carry(func, args, kwargs, out, written)
        return out

    def _unfollowed(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation after the last that is followed: nothing is known of what it makes or writes."""
        out = func(*args, **kwargs)
        if torch.Tag.inplace_view in func.tags:
            return out
        self._count()
        made = _written(func, args)
        if not made:
            made = _apart(_tensors(out), _tensors((args, kwargs)))
        for tensor in made:
            self._shadows[_storage(tensor)] = _Shadow(_weak(tensor), None, tensor.dtype)
        return out

    def _count(self) -> None:
        self._operations += 1
        if self._operations % _PURGE_EVERY == 0:
            self._shadows = {k: s for k, s in self._shadows.items() if not s.owner.expired()}
            self._widened = {k: w for k, w in self._widened.items() if not w.expired()}

    def _known(self, tensor: torch.Tensor) -> bool:
        shadow = self._shadows.get(_storage(tensor))
        return shadow is not None and not shadow.owner.expired() and shadow.errors is not None

    def _carry(self, func: Any, args: Any, kwargs: Any, out: Any, written: list[torch.Tensor]) -> None:
        outs = [o for o in (out if isinstance(out, list | tuple) else [out]) if isinstance(o, torch.Tensor)]
        try:
            if any(o.numel() > _LARGEST for o in outs):
                raise NoBound
            step = Step(func, args, kwargs, out)
            found = follow_complex(self, step) if concerns(step) else follow(self, step)
        except (NoBound, *_REFUSALS):
            for tensor in (*outs, *written):
                self._shadows[_storage(tensor)] = _Shadow(_weak(tensor), None, tensor.dtype)
            return
        for tensor, errors in zip(outs, found, strict=True):
            self._note(tensor, errors, anew=not written)

    def _note(self, tensor: torch.Tensor, errors: Errors | None, *, anew: bool) -> None:
        key = _storage(tensor)
        shadow = self._shadows.get(key)
        if anew or shadow is None or shadow.owner.expired():
            if errors is None:
                return
            count = tensor.untyped_storage().nbytes() // _layout(tensor).itemsize
            shadow = _Shadow(_weak(tensor), Errors(single(torch.zeros(count)), None), _layout(tensor))
            self._shadows[key] = shadow
        if shadow.errors is None or shadow.dtype != _layout(tensor):
            shadow.errors = None
            return  # a part of it is unknown
        if errors is not None:
            errors = _in_units(errors, self.roundoff / self._stored)
        place = _place(tensor)
        square, common = shadow.errors
        square.as_strided(*place).copy_(errors.square if errors is not None else torch.zeros(()))
        if errors is not None and errors.common is not None:
            if common is None:
                common = torch.zeros_like(square)
            common.as_strided(*place).copy_(errors.common)
        elif common is not None:
            common.as_strided(*place).zero_()
        shadow.errors = Errors(square, common)

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        """Keep what a tensor holds, and its errors, before it is written over."""
        kept = tensor.clone()
        try:
            errors = self.errors(tensor)
        except NoBound:
            self._shadows[_storage(kept)] = _Shadow(_weak(kept), None, kept.dtype)
            return kept
        self._shadows.pop(_storage(kept), None)
        if errors is not None:
            self._note(kept, errors.map(torch.clone), anew=True)
        return kept


def _tensors(values: Any) -> list[torch.Tensor]:
    return [t for t in tree_leaves(values) if isinstance(t, torch.Tensor)]


def _apart(tensors: list[torch.Tensor], read: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return the tensors that lie in no storage of those that were read."""
    sources = set(map(_storage, read))
    return [t for t in tensors if _storage(t) not in sources]


def _written(func: Any, args: Any) -> list[torch.Tensor]:
    """Return the arguments that an operation writes to."""
    return [
        a
        for a, s in zip(args, func._schema.arguments, strict=False)
        if isinstance(a, torch.Tensor) and s.alias_info is not None and s.alias_info.is_write
    ]


def _in_units(errors: Errors, by: float) -> Errors:
    if by == 1:
        return errors
    return Errors(errors.square * by**2, None if errors.common is None else errors.common * by)


def _layout(tensor: torch.Tensor) -> torch.dtype:
    """Return the dtype of the numbers in a tensor's storage: of a complex one that of its parts."""
    return tensor.dtype.to_real() if tensor.is_complex() else tensor.dtype


def _place(tensor: torch.Tensor) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Return shape, strides and offset of those numbers."""
    shape, strides, offset = tuple(tensor.shape), tensor.stride(), tensor.storage_offset()
    return (
        ((*shape, 2), (*(2 * s for s in strides), 1), 2 * offset)
        if tensor.is_complex()
        else (shape, strides, offset)
    )


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _weak(tensor: torch.Tensor) -> StorageWeakRef:
    return StorageWeakRef(tensor.untyped_storage())
