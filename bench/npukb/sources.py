"""Find out which forward argument or which part of the reference model an operator input comes from."""

from typing import Any

import torch

from akgen.tools.reference.protocol import Source


def source_of(origin: Any, args: tuple[Any, ...], model: Any) -> Source | None:
    """Name the source of an input; None for an absent one, an index-less argument if it cannot be told."""
    if origin is None:
        return None
    for index, arg in enumerate(args):
        if arg is origin or _same_list(arg, origin):
            return Source(kind="arg", index=index)
    if isinstance(origin, torch.Tensor):
        for key, value in _state(model):
            if value.shape == origin.shape and torch.equal(value.to(origin.dtype), origin):
                return Source(kind="state", key=key)
    for index, arg in enumerate(args):  # a list that the binding copied
        if isinstance(arg, list | tuple) and isinstance(origin, list) and list(arg) == origin:
            return Source(kind="arg", index=index)
    return Source(kind="arg")


def _same_list(arg: Any, origin: Any) -> bool:
    if not (isinstance(arg, list | tuple) and isinstance(origin, list)) or len(arg) != len(origin) or not arg:
        return False
    return all(isinstance(a, torch.Tensor) and a is b for a, b in zip(arg, origin, strict=True))


def _state(model: Any) -> list[tuple[str, torch.Tensor]]:
    named = [*model.named_parameters(), *model.named_buffers()]
    plain = [(k, v) for k, v in vars(model).items() if isinstance(v, torch.Tensor)]
    return [(k, v.detach()) for k, v in (*named, *plain)]
