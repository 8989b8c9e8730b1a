"""Record the operations of a reference's run, and run those behind one of them again with another value there.

Composed operations are recorded in the steps that a kernel's author writes them in.
"""

import inspect
import linecache
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from akgen.tools.reference import golden
from akgen.tools.reference.dispatch import DispatchMode

LARGEST = 600.0  # whose exponential float64 holds


def _layer_norm(
    x: torch.Tensor, shape: Sequence[int], weight: torch.Tensor | None, bias: torch.Tensor | None, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    axes = list(range(x.dim() - len(shape), x.dim()))
    mean = torch.mean(x, axes, keepdim=True)
    deviation = torch.sqrt(torch.mean((x - mean) ** 2, axes, keepdim=True) + eps)
    y = (x - mean) / deviation
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias), mean, deviation


def _batch_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor,
    variance: torch.Tensor,
    *rest: Any,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    shape = [1, -1] + [1] * (x.dim() - 2)
    y = (x - mean.view(shape)) / torch.sqrt(variance.view(shape) + rest[-1])
    y = y if weight is None else y * weight.view(shape)
    return (y if bias is None else y + bias.view(shape)), mean, variance


def _batch_norm_flagged(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    mean: torch.Tensor | None,
    variance: torch.Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None:
    if training or mean is None or variance is None:
        return None
    return _batch_norm(x, weight, bias, mean, variance, momentum, eps)


def _group_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    n: int,
    channels: int,
    _size: int,
    groups: int,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    grouped = x.reshape(n, groups, -1)
    mean = torch.mean(grouped, [2], keepdim=True)
    deviation = torch.sqrt(torch.mean((grouped - mean) ** 2, [2], keepdim=True) + eps)
    y = ((grouped - mean) / deviation).reshape(x.shape)
    shape = [1, channels] + [1] * (x.dim() - 2)
    y = y if weight is None else y * weight.view(shape)
    return (y if bias is None else y + bias.view(shape)), mean, deviation


def _log_softmax(x: torch.Tensor, axis: int, _half: bool) -> torch.Tensor:
    shifted = x - torch.amax(x, axis, keepdim=True)
    return shifted - torch.log(torch.sum(torch.exp(shifted), axis, keepdim=True))


def _softmax(x: torch.Tensor, axis: int, _half: bool) -> torch.Tensor:
    # One reduction where the numbers allow it: another axis is then another axis throughout.
    shifted = x if float(x.abs().amax()) < LARGEST else x - torch.amax(x, axis, keepdim=True)
    exponentials = torch.exp(shifted)
    return exponentials / torch.sum(exponentials, axis, keepdim=True)


def _addmm(
    bias: torch.Tensor, left: torch.Tensor, right: torch.Tensor, *, beta: float = 1, alpha: float = 1
) -> torch.Tensor:
    product = torch.mm(left, right)
    return (product if alpha == 1 else product * alpha) + (bias if beta == 1 else bias * beta)


def _baddbmm(
    bias: torch.Tensor, left: torch.Tensor, right: torch.Tensor, *, beta: float = 1, alpha: float = 1
) -> torch.Tensor:
    product = torch.bmm(left, right)
    return (product if alpha == 1 else product * alpha) + (bias if beta == 1 else bias * beta)


def _gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    if approximate == "tanh":
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + torch.erf(x * math.sqrt(0.5)))


def _std(
    x: torch.Tensor, axes: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> torch.Tensor:
    return torch.sqrt(torch.var(x, axes, correction=correction, keepdim=keepdim))


def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    _dropout: float = 0.0,
    causal: bool = False,
    **more: Any,
) -> tuple[torch.Tensor, None] | None:
    if more.get("attn_mask") is not None:
        return None
    scale = more.get("scale") or 1 / math.sqrt(query.shape[-1])
    scores = torch.matmul(query, key.transpose(-1, -2)) * scale
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = torch.where(hidden, -math.inf, scores)
    return torch.matmul(torch.softmax(scores, -1), value), None


_DECOMPOSED: dict[str, Callable[..., Any]] = {
    "native_layer_norm": _layer_norm,
    "native_group_norm": _group_norm,
    "native_batch_norm": _batch_norm_flagged,
    "_native_batch_norm_legit_no_training": _batch_norm,
    "_softmax": _softmax,
    "_log_softmax": _log_softmax,
    "addmm": _addmm,
    "baddbmm": _baddbmm,
    "gelu": _gelu,
    "silu": lambda x: x * torch.sigmoid(x),
    "leaky_relu": lambda x, slope=0.01: torch.where(x > 0, x, x * slope),
    "std": _std,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
}


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
        made_of = _DECOMPOSED.get(str(func.__name__).partition(".")[0])
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
