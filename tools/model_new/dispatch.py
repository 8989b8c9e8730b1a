"""Which operators of PyTorch a class runs outside its kernels, seen where PyTorch dispatches them.

By whatever name or from whatever language something is called, its ATen operator comes by here. Allowed is what
computes nothing: allocation, constants, views, and copies that keep every value.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from akgen.tools.reference.dispatch import DispatchMode

_DEVICE = "npu"
SMALL = 64  # elements of a constant on the host that may be reckoned with, as sizes are
_ALLOCATES = frozenset({
    "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_",
})  # fmt: skip
_CONSTANTS = frozenset({
    "zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full", "full_like", "new_full",
    "zero_", "fill_", "zero", "fill", "arange", "linspace", "scalar_tensor",
})  # fmt: skip
_COPIES = frozenset(
    {"clone", "contiguous", "copy_", "copy", "_to_copy", "_copy_from", "lift_fresh_copy", "to"}
)
_ASKS = frozenset({
    "device", "layout", "dtype", "is_same_size", "is_contiguous", "sym_size", "sym_stride", "sym_numel",
    "sym_storage_offset", "size", "stride", "numel", "dim", "is_pinned", "_has_compatible_shallow_copy_type", "set_",
    "detach_", "requires_grad_",
})  # fmt: skip
# Views whose schemas do not say that they are.
_VIEWS = frozenset({"_unsafe_view", "_reshape_alias", "lift_fresh", "alias", "detach"})
_READS = frozenset({"_local_scalar_dense", "item", "equal", "is_nonzero"})

Computes = Callable[[str], None]
Copies = Callable[[torch.Tensor, torch.Tensor, Callable[[], Any]], Any]


class Watch(DispatchMode):
    """Tells `computes` of every operator that computes, and lets `copies` do what moves a device's values.

    `holds` gets each new tensor on the device, and whether it has values.
    """

    def __init__(
        self, computes: Computes, copies: Copies, holds: Callable[[torch.Tensor, bool], None]
    ) -> None:
        super().__init__()
        self._computes, self._copies, self._holds = computes, copies, holds

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        del types
        named = kwargs or {}
        if func.namespace not in ("aten", "prim", "prims"):
            return self._own(func, args, named)
        name = func._schema.name.split("::", 1)[1]
        given = [t for t in tree_leaves((args, named)) if isinstance(t, torch.Tensor)]
        on_device = any(t.device.type == _DEVICE for t in given)
        if name in _COPIES and given:
            return self._copied(func, name, args, named)
        if name in _ASKS or name in _VIEWS or getattr(func, "is_view", False):
            return func(*args, **named)
        result = func(*args, **named)
        made = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
        if name in _ALLOCATES or (name in _CONSTANTS and not _drawn_from(args, name)):
            for t in made:
                if t.device.type == _DEVICE:
                    self._holds(t, name in _CONSTANTS)
        elif name in _READS and on_device:
            self._computes(f"aten::{name}, which reads values of the device on the host")
        elif on_device or any(t.device.type == _DEVICE for t in made) or _is_large([*given, *made]):
            self._computes(f"aten::{name}")
            for t in made:
                if t.device.type == _DEVICE:
                    self._holds(t, True)
        return result

    def _own(self, func: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Run an operator that the answer registered itself, and go on watching inside it."""
        given = [t for t in tree_leaves((args, named)) if isinstance(t, torch.Tensor)]
        key = "PrivateUse1" if any(t.device.type == _DEVICE for t in given) else "CPU"
        keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
        with self:
            return func.redispatch(keys, *args, **named)

    def _copied(self, func: Any, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        into = args[0] if name == "copy_" else args[1] if name == "_copy_from" else None
        source = args[1] if name in ("copy_", "copy") else args[0]
        if not isinstance(source, torch.Tensor) or source.device.type != _DEVICE:
            result = func(*args, **named)
            if isinstance(result, torch.Tensor) and result.device.type == _DEVICE:
                self._holds(result, True)
            return result
        found: list[Any] = []

        def run() -> Any:
            found.append(func(*args, **named))
            return found[0]

        if into is not None:
            if into.device.type != _DEVICE:
                self._computes(f"aten::{name}, which brings values of the device to the host")
                return run()
            if into.dtype != source.dtype:
                self._computes(f"aten::{name} from {source.dtype} to {into.dtype}")
                return run()
            self._copies(source.expand(into.shape), into, run)
            return found[0]
        result = run()
        if result.device.type != _DEVICE:
            self._computes(f"aten::{name}, which brings values of the device to the host")
        elif result.dtype != source.dtype:
            self._computes(f"aten::{name} from {source.dtype} to {result.dtype}")
        elif result is not source:
            self._holds(result, False)
            self._copies(source, result, lambda: None)
        return result


def _drawn_from(args: tuple[Any, ...], name: str) -> bool:
    """Say whether a constant's value comes from a tensor of the device: fill_ with one."""
    values = args[1:] if name in ("fill_", "fill") else ()
    return any(isinstance(v, torch.Tensor) and v.device.type == _DEVICE for v in values)


def _is_large(tensors: list[torch.Tensor]) -> bool:
    return any(t.numel() > SMALL for t in tensors)
