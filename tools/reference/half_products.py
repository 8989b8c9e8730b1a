"""Make products of float16 matrices with float32 sums, rounded once: PyTorch takes a hundred times as long."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

_PRODUCTS = frozenset({"aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm"})


class HalfProducts(TorchDispatchMode):  # type: ignore[misc]
    """While entered, products of float16 matrices are made through float32, in which they are exact."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and its import takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func._schema.name not in _PRODUCTS or func._schema.is_mutable:
            return func(*args, **kwargs)
        tensors = [a for a in tree_leaves((args, kwargs)) if isinstance(a, torch.Tensor)]
        if any(t.dtype != torch.float16 or t.device.type != "cpu" for t in tensors):
            return func(*args, **kwargs)
        wide_args, wide_kwargs = tree_map_only(torch.Tensor, torch.Tensor.float, (args, kwargs))
        return func(*wide_args, **wide_kwargs).half()
