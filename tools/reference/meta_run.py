"""Find what a function returns without its numbers: shapes and types, on PyTorch's meta device."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from akgen.tools.reference import dispatch as _dispatch  # noqa: F401  # spares a second: torch._dynamo is not imported
from akgen.tools.reference.likeness import BROKEN

_BROKEN = (*BROKEN, AssertionError)


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
        with torch.no_grad():
            found = names[name](*tensors)
    except _BROKEN:
        return None
    results = list(found) if isinstance(found, tuple | list) else [found]
    if not all(isinstance(r, torch.Tensor) for r in results):
        return None
    return [MetaTensor(tuple(r.shape), str(r.dtype).removeprefix("torch.")) for r in results]
