"""Run in float64 what a reference computes in float32 by name: `x.float()`, `dtype=torch.float32`.

Without this the run for values to compare with would lose what the reference itself loses there. Casts to half
precision stay: there a reference asks for their rounding. Random numbers keep their dtype, which decides their values.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

_RANDOM = frozenset(
    {"rand", "randn", "rand_like", "randn_like", "normal", "uniform", "bernoulli", "randperm"}
)


class Widened(TorchDispatchMode):  # type: ignore[misc]
    """While entered, make float64 where an operation on float64 (or on nothing) asks for float32.

    `on_single` is told each tensor that would have been in float32.
    """

    def __init__(self, on_single: Callable[[torch.Tensor], None] | None = None) -> None:
        super().__init__()
        self._on_single = on_single

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and its import takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = str(func._schema.name).removeprefix("aten::")
        asked = kwargs.get("dtype") == torch.float32 and name not in _RANDOM
        if asked:
            read = [a for a in tree_leaves(args) if isinstance(a, torch.Tensor)]
            asked = not any(a.dtype in (torch.float16, torch.bfloat16, torch.float32) for a in read)
        if not asked:
            return func(*args, **kwargs)
        out = func(*args, **{**kwargs, "dtype": torch.float64})
        if self._on_single is not None and isinstance(out, torch.Tensor):
            self._on_single(out)
        return out
