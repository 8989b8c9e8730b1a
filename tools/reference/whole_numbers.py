"""Which integer and boolean inputs of a module are numbers, and further values for those.

An index, a length or a position means something only inside of what it points into, so it stays as the task draws
it: integers are numbers where nothing is done to them but arithmetic, up to integers among the outputs, and those of
eight bits, which are quantised values, where they become floating numbers too. Masks are what selects, as integers
do that are compared with a number. Indices that `get_inputs` never draws anew, such as a table, come in another order.
A kernel must serve all values of a number: one that computes in a shorter type, takes none for negative, or knows the
mask or the order of `get_inputs`, is wrong for some.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from akgen.tools.core.task import Distribution
from akgen.tools.reference import golden
from akgen.tools.reference.dispatch import DispatchMode

# Operations that take numbers in any place, and those that take one in the first place only.
_ANY = frozenset(
    {
        "_to_copy", "abs", "add", "addmm", "alias", "all", "amax", "amin", "any", "bitwise_and",
        "bitwise_not", "bitwise_or", "bitwise_xor", "bmm", "cat", "clamp", "clamp_max", "clamp_min",
        "clone", "constant_pad_nd", "copy", "cumsum", "detach", "empty_like", "flip", "full_like",
        "lift_fresh", "logical_and", "logical_not", "logical_or", "logical_xor", "masked_fill", "max",
        "maximum", "min", "minimum", "mm", "mul", "neg", "new_empty", "new_full", "new_ones", "new_zeros",
        "ones_like", "relu", "repeat", "roll", "rsub", "sign", "stack", "sub", "sum", "tril", "triu",
        "where", "zeros_like",
    }
)  # fmt: skip
_FIRST = frozenset(
    {
        "__lshift__", "__rshift__", "bitwise_left_shift", "bitwise_right_shift", "div", "floor_divide",
        "fmod", "gather", "index", "index_select", "pow", "remainder",
    }
)  # fmt: skip
_COMPARES = frozenset({"eq", "ge", "gt", "le", "lt", "ne"})  # with a number
_LOOKS_UP = frozenset(
    {
        "embedding", "gather", "index", "index_add", "index_copy", "index_put", "index_select", "scatter",
        "scatter_add", "take",
    }
)  # fmt: skip
_MAY_OVERFLOW = frozenset(
    {"add", "addmm", "bmm", "cumsum", "mm", "mul", "neg", "abs", "pow", "rsub", "sub", "sum"}
)
_READ_AT_ONCE = frozenset({"tolist", "numpy", "__array__", "__dlpack__", "data_ptr"})
_SELECTS_OR_QUANTISED = (torch.bool, torch.int8, torch.uint8)
_SHORTEST_ROW = 16  # of a mask with one value that may get others: no row is left without it


class FreeInput(NamedTuple):
    """An input that is a number. `most` bounds its magnitude so that no step overflows; None: a mask, or indices."""

    place: int  # among the tensors of all arguments
    most: int | None
    indices: bool = False


def free_inputs(
    model: Any, args: Sequence[Any], drawn_anew: Sequence[Any] | None = None
) -> tuple[FreeInput, ...]:
    """Run the model on copies of the arguments; return its inputs that are numbers and can have others.

    `drawn_anew` are the arguments of another draw, which show what the task never changes.
    """
    leaves = [a for a in tree_leaves(list(args)) if isinstance(a, torch.Tensor)]
    places = [
        n for n, a in enumerate(leaves) if not a.is_floating_point() and not a.is_complex() and a.numel()
    ]
    uses = _run(model, args, places) if places else None
    if uses is None:
        return ()
    kept = [n for n in places if n not in uses.fixed]
    masks = {n for n in kept if leaves[n].dtype == torch.bool or (n in uses.compared and _binary(leaves[n]))}
    others = None if drawn_anew is None else tree_leaves(list(drawn_anew))
    again = [] if others is None else [a for a in others if isinstance(a, torch.Tensor)]
    orders = [
        n for n in places if n in uses.looked_up and n < len(again) and torch.equal(leaves[n], again[n])
    ]
    found = [FreeInput(n, None) for n in kept if n in masks]
    found += [FreeInput(n, None, indices=True) for n in orders]
    numbers = [n for n in kept if n not in masks]
    for shorter in range(1, 28, 2):
        most = {n: _limit(leaves[n].dtype, shorter) for n in numbers}
        larger = {n: m for n, m in most.items() if m > int(leaves[n].abs().max())}
        if not larger:
            break
        if all(_stays_within(model, args, larger, places, mixed=mixed) for mixed in (False, True)):
            return (*found, *(FreeInput(n, m) for n, m in larger.items()))
    return tuple(found)


def redrawn(
    args: list[Any], free: Sequence[FreeInput], distribution: Distribution, generator: torch.Generator
) -> list[Any]:
    """Return the arguments with further values of the free inputs; the task's own where `distribution` is "task"."""
    if distribution == "task" or not free:
        return args
    leaves, spec = torch.utils._pytree.tree_flatten(args)
    tensors = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    for place, most, indices in free:
        at = tensors[place]
        if most is not None:
            leaves[at] = _integers(leaves[at], most, generator)
        else:
            leaves[at] = (_in_another_order if indices else _mask)(leaves[at], generator)
    changed: list[Any] = torch.utils._pytree.tree_unflatten(leaves, spec)
    return changed


def _integers(like: torch.Tensor, most: int, generator: torch.Generator) -> torch.Tensor:
    """Return magnitudes over all decades up to `most`, of both signs where the type has them; a tenth stays."""
    spread = torch.rand(like.shape, generator=generator, dtype=torch.float64)
    size = torch.exp2(spread * torch.log2(torch.tensor(float(most) + 1, dtype=torch.float64))) - 1
    if like.dtype.is_signed:
        size = size * (1 - 2 * torch.randint(0, 2, like.shape, generator=generator))
    keep = torch.rand(like.shape, generator=generator) < 0.1
    return torch.where(keep, like, size.to(torch.int64).clamp(-most, most).to(like.dtype))


def _mask(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return a mask that is as full in each row, elsewhere; of one with a single value, a quarter is turned over."""
    if not like.dim():
        return like
    if bool((like == like.flatten()[0]).all()):
        turned = torch.rand(like.shape, generator=generator) < 0.25
        return like ^ turned.to(like.dtype) if like.shape[-1] >= _SHORTEST_ROW else like
    shift = int(torch.randint(0, like.shape[-1], (), generator=generator))
    return like.roll(shift, -1)


def _binary(tensor: torch.Tensor) -> bool:
    return bool(((tensor == 0) | (tensor == 1)).all())


def _in_another_order(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Return indices that are the same set in each row and column, in one other order for all of them."""
    for axis in reversed(range(like.dim())):
        moved = like.index_select(axis, torch.randperm(like.shape[axis], generator=generator))
        if not torch.equal(moved, like):
            return moved
    return like


def _limit(dtype: torch.dtype, shorter: int) -> int:
    """Return a magnitude, with so many bits less than the type has but its first 8."""
    limit = _largest(dtype)
    return max(limit >> shorter, min(limit, 255) >> max(shorter - 8, 0))


def _largest(dtype: torch.dtype) -> int:
    """Return the largest number of a type; of int64 that of int32, in which kernels compute."""
    return int(min(torch.iinfo(dtype).max, torch.iinfo(torch.int32).max))


def _stays_within(
    model: Any, args: Sequence[Any], most: Mapping[int, int], places: Sequence[int], *, mixed: bool
) -> bool:
    """Say whether no step overflows where these inputs are as large as they get, of one sign or of both."""
    leaves, spec = torch.utils._pytree.tree_flatten(golden.clone(list(args)))
    tensors = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    generator = torch.Generator().manual_seed(0)
    for place, size in most.items():
        like = leaves[tensors[place]]
        sign = 1 - 2 * torch.randint(0, 2, like.shape, generator=generator) * int(
            mixed and like.dtype.is_signed
        )
        leaves[tensors[place]] = (sign * size).to(like.dtype)
    uses = _run(model, torch.utils._pytree.tree_unflatten(leaves, spec), places)
    return uses is not None and not uses.overflows


def _run(model: Any, args: Sequence[Any], places: Sequence[int]) -> "_Uses | None":
    """Follow one call; None if it raises."""
    given = golden.clone(list(args))
    leaves = [a for a in tree_leaves(given) if isinstance(a, torch.Tensor)]
    uses = _Uses({n: leaves[n] for n in places})
    try:
        golden.call(model, given, uses, _HostReads(uses))
    except (RuntimeError, TypeError, ValueError, ArithmeticError, IndexError, NotImplementedError):
        return None
    return uses


class _Uses(DispatchMode):
    """Follows integers and booleans from the inputs; `fixed` are those that serve as anything but a number."""

    def __init__(self, inputs: Mapping[int, torch.Tensor]) -> None:
        super().__init__()
        self.fixed: set[int] = set()
        self.compared: set[int] = set()
        self.overflows = False
        self._indices: set[int] = set()
        self._otherwise: set[int] = set()  # fixed by another use than as indices
        self._inputs = dict(inputs)  # kept, so that no storage is used again
        self._made_of = {_storage(t): frozenset({n}) for n, t in inputs.items()}
        self._kept: list[Any] = []

    @property
    def looked_up(self) -> set[int]:
        """Return the inputs that are indices and nothing else."""
        return self._indices - self._otherwise - self.compared

    def read(self, tensor: torch.Tensor) -> None:
        """Note that the host reads a tensor's elements."""
        sources = self._made_of.get(_storage(tensor), frozenset())
        self.fixed |= sources
        self._otherwise |= sources

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        read = [a for a in tree_leaves((args, kwargs)) if isinstance(a, torch.Tensor)]
        of = [self._made_of.get(_storage(a), frozenset()) for a in read]
        sources: frozenset[int] = frozenset().union(*of)
        if not sources:
            return out
        name = str(func._schema.name).removeprefix("aten::")
        name = name if name.startswith("__") else name.rstrip("_")
        made = [t for t in tree_leaves(out) if isinstance(t, torch.Tensor)]
        views = {_storage(a) for a in read}
        view = not func._schema.is_mutable and all(_storage(t) in views for t in made)
        if name in _COMPARES and not isinstance(args[1], torch.Tensor):
            self.compared |= sources
        elif not (view or name in _ANY):
            first = of[0] if name in _FIRST and isinstance(args[0], torch.Tensor) else frozenset()
            rest = of[1:] if first else of
            (self._indices if name in _LOOKS_UP else self._otherwise).update(*rest)
            self.fixed.update(*rest)
        if not made:  # read by the host
            self.fixed |= sources
            self._otherwise |= sources
        for tensor in made:
            if tensor.is_floating_point() or tensor.is_complex():
                counted = frozenset().union(
                    *(o for a, o in zip(read, of, strict=True) if a.dtype != torch.bool)
                )
                numbers = {n for n in counted if self._inputs[n].dtype not in _SELECTS_OR_QUANTISED}
                self.fixed |= numbers
                self._otherwise |= set() if name in _LOOKS_UP else numbers
            else:
                self._made_of[_storage(tensor)] = self._made_of.get(_storage(tensor), frozenset()) | sources
                self._kept.append(tensor)
        if name in _MAY_OVERFLOW and len(made) == 1 and made[0].dtype not in (torch.bool,) and not view:
            self.overflows = self.overflows or _overflows(func, args, kwargs, made[0])
        return out


class _HostReads(TorchFunctionMode):  # type: ignore[misc]
    """Notes whose elements the host reads at once, which no operation shows: lengths, ends of groups."""

    def __init__(self, uses: _Uses) -> None:
        super().__init__()
        self._uses = uses

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") in _READ_AT_ONCE and isinstance(args[0], torch.Tensor):
            self._uses.read(args[0])
        return func(*args, **(kwargs or {}))


def _overflows(func: Any, args: Any, kwargs: Any, out: torch.Tensor) -> bool:
    """Say whether a step on integers gives another number than it does in float64."""
    if out.is_floating_point() or func._schema.is_mutable:
        return False

    def wide(value: Any) -> Any:
        return value.double() if isinstance(value, torch.Tensor) else value

    rest = {key: wide(value) for key, value in kwargs.items() if key != "dtype"}
    exact = func(*map(wide, args), **rest)
    return bool((exact.abs() > float(_largest(out.dtype))).any())


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
