"""Record references whose numbers, branches and lengths depend on elements: tensors of one number while tracing."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

from akgen.tools.compose.front import record_combined as combined
from akgen.tools.compose.front import record_coordinates as coordinates
from akgen.tools.compose.front import record_ordered as ordered
from akgen.tools.compose.front import record_parts as parts
from akgen.tools.compose.front import record_ragged as ragged
from akgen.tools.compose.front.record_branches import Steering
from akgen.tools.compose.front.record_outside import OutsideCalls, Unrecordable
from akgen.tools.compose.front.record_part_calls import select
from akgen.tools.compose.front.record_ragged import Ragged
from akgen.tools.compose.front.record_selected import Array, Selected, SelectingMask
from akgen.tools.compose.front.record_writes import written_by
from akgen.tools.compose.front.user_lines import UserLines

_FEW, _RUNS = 64, 8  # places of a mask that no input decides, and runs of them, if they are written down
# calls that write to places, and what their arguments are
_PUT = {
    **dict.fromkeys(("index_put", "index_put_"), ("index", "values", "accumulate")),
    **dict.fromkeys(("index_copy", "index_copy_"), ("dim", "index", "source")),
    **dict.fromkeys(("index_fill", "index_fill_"), ("dim", "index", "value")),
}
_MOST_NUMBERS = 4096  # of a tensor that becomes a list
_SUMS = frozenset(["__add__", "__radd__", "add"])
_PRODUCTS = frozenset(["__mul__", "__rmul__", "mul"])
# the same elements in the same order
_VIEWS = frozenset(
    ["view", "reshape", "flatten", "ravel", "squeeze", "unsqueeze", "contiguous", "clone", "detach"]
)
_COUNTS = frozenset(["any", "sum", "count_nonzero"])
_SAME = frozenset(["reshape", "view", "squeeze", "to", "long", "int", "bool", "item", "float"])
# comparisons of how many there are with a number: whether they say that there are some
_SOME = {
    ("gt", 0): True,
    ("ne", 0): True,
    ("ge", 1): True,
    ("eq", 0): False,
    ("lt", 1): False,
    ("le", 0): False,
}


class SteeredCalls(OutsideCalls):
    """Lets numbers that depend on elements be tensors of one number; `known` tells whose elements no input decides."""

    def __init__(
        self,
        lines: UserLines,
        known: Callable[[torch.Tensor], bool],
        values: Callable[[torch.Tensor], list[Array]],
    ) -> None:
        """`values` gives a mask's elements for several draws of the arguments."""
        super().__init__(lines)
        self._known, self._values = known, values
        self._origins: dict[int, tuple[Any, Any]] = {}  # a mask and what made it, by its id
        self._stale: list[Any] = []  # of masks that were written to: an id names one as long as it lives
        self._written = 0  # calls that wrote to a tensor
        self.steering = Steering(self.unknown, select, _number)

    def unknown(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.numel() == 1 and not self._known(value)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        written = args[:1] if name == "__setitem__" else ()
        args, kwargs = (*written, *ragged.settled(args[len(written) :])), ragged.settled(kwargs or {})
        try:
            return self._called(name, func, types, args, kwargs)
        except Unrecordable as refused:
            refused.line = refused.line or self._lines.now()
            raise

    def _called(self, name: str, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if name == "item" and self.unknown(args[0]):
            return self._noted(name, args, args[0].reshape(()))
        if name == "tolist" and not self._known(args[0]) and args[0].numel() <= _MOST_NUMBERS:
            return _numbers(args[0])
        if name in ("where", "nonzero", "argwhere", "nonzero_numpy") and self._holds_unknown(args):
            return self._places(name, args, kwargs)
        args = self._with_places(name, args)
        found = self._written_at(name, args, kwargs)
        if found is not None:
            name, func, args, kwargs = found
        known = ordered.of_selected_rows(name, args, kwargs)
        if known is not None:
            return known
        if name in ("__getitem__", "index_select", "embedding") and self._is_placed(name, args):
            x, index = args[1::-1] if name == "embedding" else (args[0], args[-1])
            return coordinates.picked(x, index)
        if name == "__getitem__" and self._steers(args[1]):
            return parts.item(args[0], self._plain(args[1]), self.unknown)
        if name == "masked_select" and isinstance(args[1], torch.Tensor):
            whole, holds = torch.broadcast_tensors(*args[:2])
            return Selected(whole.clone(), self._mask(args[1], holds))
        if name in ("arange", "tensor", "as_tensor", "repeat_interleave", "split", "narrow"):
            found = self._made(name, args, kwargs)
            if found is not None:
                return found
        changed = written_by(name, func, args, kwargs)
        if not changed:
            return self._noted(name, args, self._done(name, func, types, args, kwargs), kwargs)
        self._written += 1
        if any(x.dtype == torch.bool for x in changed):  # which others may be views of
            self._stale.append(self._origins)
            self._origins = {}
        own = next((a.origin for a in pytree.tree_leaves(args[1:]) if isinstance(a, Selected)), None)
        conditions = [c for c in self.steering.conditions if own is None or not self._says_some(c, own)]
        before = [x.clone() if conditions else x for x in changed]
        old, grown = getattr(changed[0], "multiple_of", {}), _grown(name, changed[0], args)
        result = self._done(name, func, types, args, kwargs)
        for x in changed:
            x.multiple_of, x.sum_of, x.counts, x.some_of, x.selects = {}, (None, 0), None, None, None
        changed[0].multiple_of = grown
        if not conditions:  # where nothing is selected, nothing is written
            return self._noted(name, args, result, kwargs)
        holds = reduce(torch.logical_and, [c.reshape(()) != 0 for c in conditions])
        changed[0].multiple_of = {k: torch.where(holds, grown[k], old[k]) for k in grown}
        for x, was in zip(changed, before, strict=True):
            x.copy_(torch.where(holds, x, was))
        return result

    def _mask(self, mask: torch.Tensor, holds: torch.Tensor | None = None) -> SelectingMask:
        """Return what a mask says now; `holds` is the same in another shape."""
        origin = self._origin(mask) if holds is None else (self._origin(mask), tuple(holds.shape))
        return SelectingMask((mask if holds is None else holds).clone(), origin, self._origin, self._values)

    def _with_places(self, name: str, args: Any) -> Any:
        """Return a call's arguments with the places where masks hold in place of the masks that index a tensor."""
        reads = name in ("__getitem__", "__setitem__", "index_put", "index_put_")
        if not reads or not isinstance(args[0], torch.Tensor):
            return args
        given: Any = args[1] if isinstance(args[1], (tuple, list)) else (args[1],)
        masks = [i for i in given if isinstance(i, torch.Tensor) and i.dtype == torch.bool and i.dim()]
        if not masks:
            return args
        entries: list[Any] = []
        for i in given:
            if any(i is m for m in masks):
                entries += self._named(i)
            else:
                entries.append(i)
        return (args[0], tuple(entries), *args[2:])

    def _named(self, mask: torch.Tensor) -> list[Any]:
        """Return the places where a mask holds, by the axes: numbers where no input decides them and there are few."""
        if self._known(mask) and mask.dim() == 1:
            (places,) = self._values(mask)[0].nonzero()
            if len(places) <= _FEW and (np.diff(places) != 1).sum() < _RUNS:
                return [torch.tensor(places.tolist())]
        return list(coordinates.coordinates(Selected(mask, self._mask(mask))))

    @staticmethod
    def _written_at(name: str, args: Any, kwargs: Any) -> Any:
        """Return a call that writes to places of a mask as an assignment; None for other calls."""
        if name not in _PUT or not isinstance(args[0], torch.Tensor):
            return None
        given = {**dict(zip(_PUT[name], args[1:], strict=False)), **kwargs}
        index: Any = given.get("index")
        if not coordinates.holds_places(index):
            return None
        if name.startswith("index_put"):
            index = tuple(slice(None) if i is None else i for i in index)
        else:
            index = (*[slice(None)] * (given["dim"] % args[0].dim()), index)
        value = given.get("values", given.get("source", given.get("value")))
        accumulate = bool(given.get("accumulate", False))
        x = args[0] if name.endswith("_") else args[0].clone()
        return "put_", _put, (x, index, value, accumulate), {}

    def _holds_unknown(self, args: Any) -> bool:
        """Return whether somebody asks where a tensor is not 0 that the inputs decide."""
        return (
            len(args) == 1
            and isinstance(args[0], torch.Tensor)
            and args[0].dim() > 0
            and not self._known(args[0])
        )

    def _places(self, name: str, args: Any, kwargs: Any) -> Any:
        """Return where a tensor is not 0."""
        (mask,) = args
        if mask.dtype != torch.bool:
            mask = self._noted("ne", (mask, 0), mask != 0)
        like = Selected(mask, self._mask(mask))
        columns = coordinates.coordinates(like)
        single = name == "where" or kwargs.get("as_tuple")
        return columns if single else coordinates.NamedPlaces(columns)

    @staticmethod
    def _is_placed(name: str, args: Any) -> bool:
        """Return whether a tensor is indexed by what a mask selects."""
        if name == "embedding":
            return isinstance(args[0], Selected)
        whole = name == "__getitem__" or (len(args) == 3 and args[1] == 0)
        return whole and isinstance(args[0], torch.Tensor) and coordinates.holds_places(args[-1])

    def _says_some(self, condition: Any, origin: Any) -> bool:
        """Return whether a condition says that the mask of this origin holds somewhere."""
        some = getattr(condition, "some_of", (getattr(condition, "counts", None), True))
        return bool(some == (origin, True))

    def _origin(self, value: Any) -> Any:
        """Return what made a mask; of anything else what it is now."""
        if not isinstance(value, torch.Tensor):
            return value if isinstance(value, (int, float, bool, str, type(None))) else id(value)
        return self._origins[id(value)][1] if id(value) in self._origins else (id(value), self._written)

    def _done(self, name: str, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if name == "__setitem__" and isinstance(args[0], Ragged):
            if self.steering.conditions:
                raise ragged.uncovered("writing, in a branch, to a part")
            return args[0].put(*args[1:])
        if name == "__setitem__" and coordinates.holds_places(args[1]):
            return coordinates.put(*args)
        if func is _put:
            return _put(*args)
        if args and isinstance(args[0], Selected):
            return combined.call(name, func, args, kwargs)
        if name == "__setitem__" and (self._steers(args[1]) or isinstance(args[2], Ragged)):
            return parts.put(args[0], self._plain(args[1]), args[2], self.unknown)
        return super().__torch_function__(func, types, args, kwargs)

    def _steers(self, index: Any) -> bool:
        """Return whether an index holds a number, an end of a slice or a range that is unknown."""
        given = index if isinstance(index, tuple) else (index,)
        for i in given:
            ends = (i.start, i.stop, i.step) if isinstance(i, slice) else ()
            if isinstance(i, Ragged) or any(self.unknown(e) for e in ends):
                return True
            if self.unknown(i) and i.dim() == 0 and i.dtype != torch.bool:
                return True
        return False

    def _plain(self, index: Any) -> Any:
        """Return an index whose known ends are numbers and whose unknown ones have no axes."""

        def end(value: Any) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            return (value if value.dim() == 0 else value.reshape(())) if self.unknown(value) else int(value)

        def entry(i: Any) -> Any:
            if isinstance(i, slice):
                return slice(end(i.start), end(i.stop), end(i.step))
            return int(i) if isinstance(i, torch.Tensor) and i.dim() == 0 and not self.unknown(i) else i

        return tuple(entry(i) for i in index) if isinstance(index, tuple) else entry(index)

    def _made(self, name: str, args: Any, kwargs: Any) -> Any:
        """Return what a constructor makes of unknown numbers; None if it is given none."""
        if name in ("tensor", "as_tensor"):
            data = args[0]
            if not any(self.unknown(v) for v in pytree.tree_leaves(data)):
                return None
            made = _stacked(data)
            dtype = kwargs.get("dtype")
            return made if dtype is None else made.to(dtype)
        if name == "arange" and any(self.unknown(a) for a in args):
            return parts.arange(*args)
        if name == "repeat_interleave" and len(args) > 1 and isinstance(args[1], torch.Tensor):
            axis = kwargs.get("dim", args[2] if len(args) > 2 else None)
            x = args[0].reshape(-1) if axis is None else args[0]
            return parts.repeat_interleave(x, args[1].expand(x.shape[axis or 0]), (axis or 0) % x.dim())
        if name == "narrow" and self.unknown(args[2]):
            where = torch.arange(args[3]) + args[2].reshape(())
            return args[0].index_select(args[1], where)
        if name == "split" and isinstance(args[1], (list, tuple)) and any(self.unknown(a) for a in args[1]):
            axis, start, found = kwargs.get("dim", args[2] if len(args) > 2 else 0) % args[0].dim(), 0, []
            for size in args[1]:
                found.append(parts.window(args[0], axis, start, start + size))
                start = start + size
            return tuple(found)
        return None

    def _noted(self, name: str, args: Any, result: Any, kwargs: Any = None) -> Any:
        """Note what made a mask, and of sums and products of unknown numbers what slices can use."""
        if name in ("sort", "argsort") and isinstance(args[0], torch.Tensor) and args[0].dim() == 1:
            (result if name == "argsort" else result[1]).below = args[0].shape[0]
        if isinstance(result, torch.Tensor) and result.dtype == torch.bool:
            if name in _VIEWS and isinstance(args[0], torch.Tensor) and args[0].dtype == torch.bool:
                self._origins[id(result)] = (result, args, kwargs), self._origin(args[0])
                return self._count_noted(name, args, result)
            named = tuple((k, self._origin(v)) for k, v in sorted((kwargs or {}).items()))
            self._origins[id(result)] = (result, args, kwargs), (name, *map(self._origin, args), *named)
        self._count_noted(name, args, result)
        if (
            len(args) != 2
            or not isinstance(result, torch.Tensor)
            or result.dim()
            or name not in _SUMS | _PRODUCTS
        ):
            return result
        a, b = args if isinstance(args[0], torch.Tensor) else args[::-1]
        if name in _PRODUCTS and type(b) is int:
            result.multiple_of = {b: a}
        elif name in _SUMS and type(b) is int:
            result.sum_of = (a, b)
            result.multiple_of = getattr(a, "multiple_of", {}) if b == 0 else {}
        elif name in _SUMS and isinstance(b, torch.Tensor):
            mine, other = (getattr(v, "multiple_of", {}) for v in (a, b))
            result.multiple_of = {k: mine[k] + other[k] for k in mine.keys() & other.keys()}
        return result

    def _count_noted(self, name: str, args: Any, result: Any) -> Any:
        if isinstance(result, torch.Tensor) and result.dim() == 0:
            self._note_count(name.strip("_"), args, result)
        return result

    def _note_count(self, name: str, args: Any, result: torch.Tensor) -> None:
        """Note of a number how often which mask holds, of a condition that it does or does not at all."""
        x = args[0] if args else None
        if name in _COUNTS and len(args) == 1 and isinstance(x, torch.Tensor) and x.dtype == torch.bool:
            result.counts = self._origin(x)
            return
        counts, some = getattr(x, "counts", None), getattr(x, "some_of", None)
        if name in _SAME:
            result.counts = counts
            if some is not None:
                result.some_of = some
        elif len(args) == 2 and type(args[1]) in (int, bool):
            says = _SOME.get((name, args[1]))
            if counts is not None and says is not None:
                result.some_of = (counts, says)
            elif some is not None and says is not None:
                result.some_of = (some[0], some[1] == says)


def _put(x: torch.Tensor, index: Any, value: Any, accumulate: bool) -> torch.Tensor:
    coordinates.put(x, index, value, accumulate=accumulate)
    return x


def _grown(name: str, x: torch.Tensor, args: Any) -> dict[int, Any]:
    """Return which multiple of which numbers a number is when a call has added to it in its place."""
    if name not in ("__iadd__", "add_") or len(args) != 2 or x.dim():
        return {}
    mine, other = (getattr(v, "multiple_of", {}) for v in args)
    return {k: mine[k] + other[k] for k in mine.keys() & other.keys()}


def _numbers(x: torch.Tensor) -> Any:
    return [_numbers(x[k]) for k in range(x.shape[0])] if x.dim() else x


def _stacked(data: Any) -> torch.Tensor:
    """Return nested lists of numbers as a tensor."""
    if isinstance(data, (list, tuple)):
        return torch.stack([_stacked(v) for v in data])
    return data.reshape(()) if isinstance(data, torch.Tensor) else torch.scalar_tensor(data)


def _number(name: str, *args: Any) -> Any:
    """Return what a builtin function makes of unknown numbers."""
    if name in ("int", "float", "bool"):
        (x,) = args
        if name == "bool":
            return x.reshape(()) != 0
        return x.reshape(()).to(torch.float32 if name == "float" else torch.int64)
    lower = name == "min"
    result = args[0]
    for value in args[1:]:
        least = torch.as_tensor(result < value)
        result = torch.where(least, result, value) if lower else torch.where(least, value, result)
    return result


def resolved(result: Any, expected: Any) -> Any:
    """Return a result whose parts are as long as those of what the reference returned for the same arguments."""
    result = ragged.settled(result)
    found = pytree.tree_leaves(result)
    found = [v.in_order() if isinstance(v, coordinates.NamedPlaces) else v for v in found]
    found = [ordered.in_order(v) if isinstance(v, Selected) else v for v in found]
    if not any(isinstance(v, Ragged) for v in found):
        return result
    values = pytree.tree_leaves(expected)
    whole = [
        v.made(w.shape[v.axis]) if isinstance(v, Ragged) and isinstance(w, torch.Tensor) else v
        for v, w in zip(found, values, strict=True)
    ]
    return whole if isinstance(result, (list, tuple)) else whole[0]
