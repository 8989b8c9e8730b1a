"""Follow a run of the reference: where PyTorch leaves a result open, and what work no sound kernel can do without.

Open are places in an order of equal elements (topk, kthvalue, median, a sort that is not stable) or of NaN, places in a
sequence that should be sorted and is not (searchsorted, bucketize), integers made of NaN or of numbers beyond their
range, also by quantising, and products of many numbers of which a part leaves the range of the type: another order, or
PyTorch's wider accumulator, gives a number where a sound kernel has infinity.

Two facts are on the careful side. An output is *computed* where an operation that is no view and no copy made it. And a
product of matrices or a sum that takes the inputs themselves, and whose result is an output but for what is done to
single elements, needs operations: of a product a sixteenth of its multiplications (Strassen's way, triangles, zeros),
of a reduction one for each number beyond its results. Whatever else happens to such a result saves, perhaps, all work;
of a result that is shown in part, the rest.

What a kernel has to read of the inputs is what operations take of them, but for those that choose or may stop early.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._pytree import tree_leaves

from akgen.tools.reference import golden
from akgen.tools.reference.dispatch import DispatchMode
from akgen.tools.reference.protocol import Work

_ORDERS = frozenset(
    {"argmax", "argmin", "max", "min", "topk", "sort", "argsort", "kthvalue", "median", "mode"}
)
_PICKS = frozenset({"kthvalue", "median", "mode"})  # one element of each row, by its place
_SAVED = 16  # how many multiplications a clever product may save for each that it does
_MOVES = frozenset(
    {
        "clone", "copy", "cat", "stack", "index_select", "index", "gather", "constant_pad_nd", "repeat", "flip", "roll",
        "lift_fresh", "contiguous", "embedding", "slice_scatter", "select_scatter", "empty", "empty_like",
        "empty_strided", "new_empty", "new_empty_strided",
    }
)  # fmt: skip
_CONVERSIONS = frozenset({"_to_copy", "clone"})
_CHOOSES = frozenset({"index", "index_select", "gather", "embedding"})  # from the first, by the second
_ONE_ELEMENT = frozenset({"_to_copy", "clone", "relu", "sigmoid", "tanh", "gelu", "silu", "neg", "exp"})
_REDUCTIONS = frozenset({"sum", "mean", "amax", "amin", "max", "min", "prod", "var", "linalg_vector_norm"})
# Read a part of what they are given, by places or until they know enough.
_READS_PART = _CHOOSES | {"nll_loss_forward", "nll_loss2d_forward", "trace", "take", "masked_select"}
_MAY_STOP = frozenset({"any", "all", "equal", "is_nonzero"})
_PRODUCTS = frozenset({"mm", "bmm", "addmm", "baddbmm"})


class Openness(DispatchMode):
    """While active, `found` becomes True where an operation's result is open."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        source = args[0] if args else None
        if not self.found and isinstance(source, torch.Tensor) and source.numel():
            self.found = _open(str(func._schema.name).removeprefix("aten::"), source, args, kwargs, out)
        return out


def _open(name: str, source: torch.Tensor, args: Any, kwargs: Any, out: Any) -> bool:
    if name == "_to_copy" and source.is_floating_point() and isinstance(out, torch.Tensor):
        whole = not (out.is_floating_point() or out.is_complex() or out.dtype == torch.bool)
        return whole and _beyond(source, out.dtype)
    if name in ("searchsorted", "bucketize"):
        return not _ascends(name, args, kwargs)
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


def _ascends(name: str, args: Any, kwargs: Any) -> bool:
    """Say whether the sequence that is searched is in order, as PyTorch asks for."""
    sequence = args[0] if name == "searchsorted" else args[1]
    sorter = kwargs.get("sorter")
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    return bool((sequence.diff(dim=-1) >= 0).all())


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


class _Made:
    """What is known of the values of one storage."""

    def __init__(
        self, tensor: torch.Tensor, *, given: bool, computed: bool, least: int, size: int | None = None
    ) -> None:
        self.owner = StorageWeakRef(tensor.untyped_storage())
        self.given, self.computed, self.least = given, computed, least
        self.elements = max(_different(tensor), 1)
        # bytes that hold each number exactly
        self.size = tensor.element_size() if size is None else min(size, tensor.element_size())

    def least_of(self, view: torch.Tensor) -> int:
        """Return the operations that what a view shows needs."""
        return self.least * min(_different(view), self.elements) // self.elements


class _Following(DispatchMode):
    def __init__(self, given: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self._made = {_storage(t): _Made(t, given=True, computed=False, least=0) for t in given}
        self._given = list(given)  # so that no storage of theirs is used again
        self.products: Counter[int] = Counter()  # multiplications by the bytes of an operand's element
        self.whole = True  # all of each result goes on, and nothing may stop before it has seen its operand
        self._taken: dict[int, dict[Any, int]] = {}  # of each input, bytes of the views that operations take

    def of(self, tensor: torch.Tensor) -> _Made | None:
        found = self._made.get(_storage(tensor))
        return found if found is not None and not found.owner.expired() else None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        read = [a for a in tree_leaves((args, kwargs)) if isinstance(a, torch.Tensor)]
        name = str(func._schema.name).removeprefix("aten::")
        known = [m for m in map(self.of, read[:1] if name in _CHOOSES else read) if m is not None]
        sources = {_storage(a) for a in read}
        self._reads(name, read, out, is_mutable=func._schema.is_mutable)
        for tensor in tree_leaves(out):
            if not isinstance(tensor, torch.Tensor):
                continue
            if _storage(tensor) in sources:  # a view, or written in place
                made = self.of(tensor)
                if made is not None and func._schema.is_mutable:
                    made.given, made.computed, made.least = (
                        False,
                        made.computed or not _moves(name, read, tensor),
                        0,
                    )
                    made.computed = made.computed or any(m.computed for m in known)
                elif made is None:
                    self._made[_storage(tensor)] = _Made(tensor, given=False, computed=True, least=0)
                continue
            if count := _multiplications(name, args, tensor):
                factors = args[-2:] if name in _PRODUCTS else args[:2]
                sizes = [made.size for a in factors if (made := self.of(a)) is not None]
                self.products[max(sizes, default=tensor.element_size())] += count
            computed = not _moves(name, read, tensor) or any(m.computed for m in known)
            least = self._least(name, args, tensor)
            size = min(m.size for m in known) if known and name in _CONVERSIONS else None
            self._made[_storage(tensor)] = _Made(
                tensor, given=False, computed=computed, least=least, size=size
            )
        return out

    def _reads(self, name: str, read: Sequence[torch.Tensor], out: Any, *, is_mutable: bool) -> None:
        """Note what an operation reads of the inputs."""
        self.whole = self.whole and name not in _MAY_STOP
        shown = {_storage(t) for t in tree_leaves(out) if isinstance(t, torch.Tensor)}
        for n, tensor in enumerate(read):
            made = self.of(tensor)
            view = _storage(tensor) in shown and not is_mutable
            if made is None or view or (n == 0 and name in _READS_PART):
                continue
            if not made.given:
                self.whole = self.whole and _different(tensor) >= made.elements
                continue
            taken = self._taken.setdefault(_storage(tensor), {})
            what = (tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
            taken[what] = _different(tensor) * tensor.element_size()

    def bytes_read(self) -> int:
        """Return how many bytes of the inputs the operations have taken so far, each once."""
        sizes = {_storage(t): t.untyped_storage().nbytes() for t in self._given}
        return sum(min(sizes[s], sum(views.values())) for s, views in self._taken.items() if s in sizes)

    def _least(self, name: str, args: Any, out: torch.Tensor) -> int:
        if name in _PRODUCTS:
            left, right = args[-2:]
            if self._whole(left) and self._whole(right):
                return int(out.numel() * left.shape[-1] // _SAVED)
        if name in _REDUCTIONS and self._whole(args[0]) and args[0].is_floating_point():
            return int((args[0].numel() - out.numel()) * args[0].element_size() // 8)
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        one = name in _ONE_ELEMENT or (name in ("add", "sub") and len(tensors) == 2)
        if one or (name in ("add", "sub", "mul", "div") and len(tensors) == 1 and args[1] != 0):
            return max(
                (m.least_of(a) for a in tensors if a.numel() == out.numel() and (m := self.of(a))), default=0
            )
        return 0

    def _whole(self, tensor: Any) -> bool:
        """Say whether these are numbers of the inputs, each once."""
        made = self.of(tensor) if isinstance(tensor, torch.Tensor) else None
        if made is None or not made.given:
            return False
        return bool(_different(tensor) == tensor.numel())


def work_of(model: Any, args: Sequence[Any]) -> tuple[golden.Outputs, Work | None]:
    """Call the model on copies of the arguments; return its outputs with the work that they need, None if not known."""
    try:
        return _followed(model, golden.clone(list(args)))
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        # What follows the operations is no part of the reference: without it, the reference may run.
        return golden.call(model, golden.clone(list(args))), None


def _followed(model: Any, args: Sequence[Any]) -> tuple[golden.Outputs, Work]:
    given = [t for t in tree_leaves(list(args)) if isinstance(t, torch.Tensor)]
    state = [t for t in model.state_dict(keep_vars=True).values() if isinstance(t, torch.Tensor)]
    following = _Following([*given, *(s.detach() for s in state)])
    outputs = golden.call(model, args, following)
    found = [
        [(m, t) for t in tree_leaves(o) if isinstance(t, torch.Tensor) and (m := following.of(t)) is not None]
        for o in outputs
    ]
    whole = following.whole and all(_different(t) >= m.elements for made in found for m, t in made)
    return outputs, Work(
        computed=tuple(any(m.computed for m, _ in made) for made in found),
        least=max((m.least_of(t) for made in found for m, t in made), default=0),
        products=tuple(sorted(following.products.items())),
        bytes_read=following.bytes_read() if whole else 0,
    )


def _multiplications(name: str, args: Any, out: torch.Tensor) -> int:
    """Return how many multiplications a product takes, without any way to save some."""
    if name in _PRODUCTS:
        return int(out.numel() * args[-2].shape[-1])
    if name in ("convolution", "mkldnn_convolution"):
        return int(out.numel() * args[1][0].numel())
    if name.startswith("_scaled_dot_product") and out.shape == args[0].shape:
        rows, columns = args[0].shape[-2], args[1].shape[-2]
        causal = len(args) > 4 and args[4] is True  # what lies above the diagonal may be skipped
        seen = sum(min(i + 1, columns) for i in range(rows)) if causal else rows * columns
        return int(2 * args[0].numel() // max(rows, 1) * seen)
    return 0


def _moves(name: str, read: Sequence[torch.Tensor], out: torch.Tensor) -> bool:
    """Say whether an operation makes no number that was not there before."""
    if name == "_to_copy" or name.rstrip("_") == "copy":
        return all(r.dtype == out.dtype for r in read)
    return name.rstrip("_") in _MOVES


def _different(tensor: torch.Tensor) -> int:
    """Return how many elements of its storage a tensor shows at most: one that is expanded or overlaps repeats some."""
    sizes = [(n, s) for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1]
    if tensor.numel() == 0:
        return 0
    return int(min(math.prod(n for n, s in sizes if s != 0), 1 + sum((n - 1) * s for n, s in sizes)))


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
