"""Functions of lists of tensors (`torch._foreach_*`), as their functions of each tensor.

Those that write in place are recorded as those that do not, which PyTorch's functionalisation makes of them.
"""

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten


def foreach_formulas() -> dict[Any, Callable[..., Any]]:
    """Return a formula for every functional operator of lists of tensors."""
    found: dict[Any, Callable[..., Any]] = {}
    for operator in dir(torch):
        if not operator.startswith("_foreach_"):
            continue
        packet = getattr(aten, operator.removesuffix("_"), None)
        name = operator.removeprefix("_foreach_").removesuffix("_")
        of_one = _OF_ONE.get(name) or getattr(torch, name, None)
        if packet is None or of_one is None:
            continue
        for overload in (getattr(packet, o) for o in packet.overloads()):
            if not overload._schema.is_mutable:
                found[overload] = _for_each(overload, of_one)
    return found


def _for_each(overload: Any, of_one: Callable[..., torch.Tensor]) -> Callable[..., list[torch.Tensor]]:
    """Return what calls a function with the k-th entry of every list, and with all else as it is."""
    arguments = overload._schema.arguments
    one_by_one = {a.name for a in arguments if str(a.type) == "List[number]"}
    one_by_one |= {a.name for a in arguments if str(a.type) == "List[Tensor]"}
    one_by_one |= {a.name for a in arguments if a.name == "scalars"}  # a tensor of one number for each
    first = next(a.name for a in arguments if str(a.type) == "List[Tensor]")
    places = [a.name for a in arguments]

    def formula(*args: Any, **kwargs: Any) -> list[torch.Tensor]:
        given = {**dict(zip(places, args, strict=False)), **kwargs}
        return [
            of_one(
                *(given[n][k] if n in one_by_one else given[n] for n in places[: len(args)]),
                **{n: v[k] if n in one_by_one else v for n, v in kwargs.items()},
            )
            for k in range(len(given[first]))
        ]

    return formula


def _norm(x: torch.Tensor, ord: Any = 2, dtype: torch.dtype | None = None) -> torch.Tensor:
    return torch.linalg.vector_norm(x, ord, dtype=dtype)


def _power_sum(x: torch.Tensor, ord: Any = 2, dtype: torch.dtype | None = None) -> torch.Tensor:
    return x.abs().pow(ord).sum(dtype=dtype)


def _added(x: torch.Tensor, y: Any, alpha: Any = 1) -> torch.Tensor:
    return torch.add(x, y, alpha=alpha)


def _subtracted(x: torch.Tensor, y: Any, alpha: Any = 1) -> torch.Tensor:
    return torch.sub(x, y, alpha=alpha)


def _added_product(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, value: Any = 1) -> torch.Tensor:
    return x + value * a * b if isinstance(value, torch.Tensor) else torch.addcmul(x, a, b, value=value)


def _added_quotient(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, value: Any = 1) -> torch.Tensor:
    return x + value * a / b if isinstance(value, torch.Tensor) else torch.addcdiv(x, a, b, value=value)


def _larger(x: torch.Tensor, y: Any) -> torch.Tensor:
    return torch.maximum(x, y) if isinstance(y, torch.Tensor) else torch.clamp_min(x, y)


def _smaller(x: torch.Tensor, y: Any) -> torch.Tensor:
    return torch.minimum(x, y) if isinstance(y, torch.Tensor) else torch.clamp_max(x, y)


def _copied(x: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    del non_blocking
    return source.to(x.dtype).expand(x.shape).clone()


_OF_ONE: dict[str, Callable[..., torch.Tensor]] = {
    "norm": _norm,
    "powsum": _power_sum,
    "add": _added,
    "sub": _subtracted,
    "addcmul": _added_product,
    "addcdiv": _added_quotient,
    "maximum": _larger,
    "minimum": _smaller,
    "copy": _copied,
    "zero": torch.zeros_like,
}
