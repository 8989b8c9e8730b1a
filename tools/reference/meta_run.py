"""Find what a function returns without its numbers: shapes and types, on PyTorch's meta device."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from akgen.tools.reference import dispatch as _dispatch  # noqa: F401  # spares a second: torch._dynamo is not imported
from akgen.tools.reference.likeness import BROKEN

_BROKEN = (*BROKEN, AssertionError)


_PRODUCTS = ("mm", "bmm", "mv", "dot", "addmm", "baddbmm", "addmv", "convolution", "linear")


class _OneTypeInProducts(TorchDispatchMode):  # type: ignore[misc]
    """Raises where tensors of several types are multiplied as matrices, which tensors without numbers allow."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kinds = {a.dtype for a in args if isinstance(a, torch.Tensor)}
        if func.overloadpacket.__name__ in _PRODUCTS and len(kinds) > 1:
            raise RuntimeError(f"{func} takes one type")
        return func(*args, **(kwargs or {}))


class MetaTensor(NamedTuple):
    """A tensor's shape and the name of its type, as in "float16"."""

    shape: tuple[int, ...]
    dtype: str


def results_of(
    source: str, name: str, given: Sequence[tuple[tuple[int, ...], str]]
) -> list[MetaTensor] | None:
    """Return what a function of PyTorch returns for tensors of these shapes and types; None where it raises.

    The source must be of this program's own making: it is executed.
    """
    names: dict[str, Any] = {}
    try:
        exec("import math\nimport torch\n" + source, names)
        tensors = [torch.empty(shape, dtype=getattr(torch, dtype), device="meta") for shape, dtype in given]
        with torch.no_grad(), _OneTypeInProducts():
            found = names[name](*tensors)
    except _BROKEN:
        return None
    return _described(found)


def results_of_module(source: str, params: Mapping[str, Any]) -> list[MetaTensor] | None:
    """Return what a reference's `Model` returns for the inputs of a case; None where it raises.

    The source must be of this program's own making: it is executed.
    """
    names: dict[str, Any] = {}
    try:
        exec(source, names)
        dtype = getattr(torch, str(params.get("dtype", "float32")))
        with torch.device("meta"), torch.no_grad():
            model = names["Model"](*names["get_init_inputs"](params))
            if dtype.is_floating_point:
                model = model.to(dtype)
            inputs = names["get_inputs"](params)
            with _OneTypeInProducts():
                found = model.eval()(*inputs)
    except (*_BROKEN, NotImplementedError):
        return None
    return _described(found)


def _described(found: Any) -> list[MetaTensor] | None:
    results = list(found) if isinstance(found, tuple | list) else [found]
    if not all(isinstance(r, torch.Tensor) for r in results):
        return None
    return [MetaTensor(tuple(r.shape), str(r.dtype).removeprefix("torch.")) for r in results]
