"""Record the operations of a reference's run, and run those behind one of them again with another value there."""

import inspect
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from akgen.tools.reference import golden
from akgen.tools.reference.dispatch import DispatchMode
from akgen.tools.reference.variants.decompositions import DECOMPOSED

MOST_CALLS = 200
MOST_ELEMENTS = 1 << 22  # of all values together


class TooLarge(Exception):
    """The run has too many operations or values, or changes values in place: it is not recorded."""


@dataclass(frozen=True)
class MadeBy:
    """A value of the run: which call made it, and which of its results it is."""

    call: int
    result: int | None = None


@dataclass(frozen=True)
class Recorded:
    """One operation. `function` is None for a tensor that the run was given. `args` say of tensors what made them."""

    function: Callable[..., Any] | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    value: Any
    line: str  # of the reference, "" if it is not known

    @property
    def name(self) -> str:
        return "" if self.function is None else str(self.function.__name__).partition(".")[0]


class Recording(DispatchMode):
    """Record every operation while it is active; composed ones as what they are made of."""

    def __init__(self, path: str | None) -> None:
        super().__init__()
        self.calls: list[Recorded] = []
        self._path = path  # of the reference's source
        self._known: dict[int, MadeBy] = {}
        self._kept: list[Any] = []  # so that no id is used twice
        self._elements = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        del types
        kwargs = kwargs or {}
        made_of = DECOMPOSED.get(str(func.__name__).partition(".")[0])
        if made_of is not None:
            with self:
                value = made_of(*args, **kwargs)
            if value is not None:
                return value
        if func._schema.is_mutable or len(self.calls) >= MOST_CALLS:
            raise TooLarge
        refs = tree_map(self._ref, (args, kwargs))
        value = func(*args, **kwargs)
        self._keep(Recorded(func, tuple(refs[0]), dict(refs[1]), value, self._line()))
        return value

    def ref_of(self, value: Any) -> Any:
        """Return where an output's tensors come from."""
        return tree_map(self._ref, value)

    def again(self, changed: Mapping[int, Any], wanted: Any) -> Any:
        """Return what `wanted` is if calls gave other values, by their numbers; only what follows is computed."""
        values: dict[int, Any] = dict(changed)

        def given(part: Any) -> Any:
            if not isinstance(part, MadeBy):
                return part
            whole = values[part.call] if part.call in values else self.calls[part.call].value
            return whole if part.result is None else whole[part.result]

        for n in range(min(changed) + 1, len(self.calls)):
            call = self.calls[n]
            if n in changed:
                continue
            used = {p.call for p in tree_leaves((call.args, call.kwargs)) if isinstance(p, MadeBy)}
            if call.function is not None and used & values.keys():
                args, kwargs = tree_map(given, (call.args, call.kwargs))
                values[n] = call.function(*args, **kwargs)
        return tree_map(given, wanted)

    def operand(self, part: Any) -> Any:
        """Return the value that an argument stands for."""
        if not isinstance(part, MadeBy):
            return part
        whole = self.calls[part.call].value
        return whole if part.result is None else whole[part.result]

    def _ref(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self._known:
            self._keep(Recorded(None, (), {}, value, ""))
        return self._known[id(value)]

    def _keep(self, call: Recorded) -> None:
        number = len(self.calls)
        self.calls.append(call)
        several = isinstance(call.value, tuple | list)
        for k, part in enumerate(call.value if several else (call.value,)):
            if isinstance(part, torch.Tensor):
                self._known[id(part)] = MadeBy(number, k if several else None)
                self._kept.append(part)
                self._elements += part.numel()
        if self._elements > MOST_ELEMENTS:
            raise TooLarge

    def _line(self) -> str:
        frame: FrameType | None = inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_filename == self._path:
                return linecache.getline(self._path, frame.f_lineno).strip()
            frame = frame.f_back
        return ""


def record(model: Any, args: Sequence[Any], path: str | None) -> tuple[Recording, Any]:
    """Run a model on arguments; return the recording and where its outputs come from. Raises TooLarge."""
    recording = Recording(path)
    with torch.no_grad(), recording:
        outputs = golden.call(model, args)
    return recording, recording.ref_of(outputs)
