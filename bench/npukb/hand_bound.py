"""Operators whose official entry point differs from their OpDef: data/hand_bound.json says how.

Numbers are positions among the arguments of EXEC_NPU_CMD. `fill` gives an absent input a constant value, in the shape
of another argument; `rank` pads the shapes of inputs and outputs with ones at the end, as the entry points reshape;
`last_axis` names the argument with the axis that the entry point swaps with the last one, in the tensors and in the
attribute. Not covered: entry points that call other operators for some attribute values.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch

from akgen.bench.npukb.cpp.values import IntArray
from akgen.tools.core.frozen import Frozen

_FACTS = Path(__file__).resolve().parent / "data" / "hand_bound.json"


class NamedAttr(Frozen):
    """An argument that is an index into names."""

    index: int
    names: tuple[str, ...]


class Fill(Frozen):
    value: float
    like: int


class LastAxis(Frozen):
    """Which tensors and attribute the kernel gets with an axis swapped to the end, and the argument that names it."""

    axis: int
    tensors: tuple[str, ...]
    attr: str


class HandBound(Frozen):
    """How one operator's entry point maps to its OpDef."""

    inputs: tuple[int, ...]
    attrs: dict[str, int | NamedAttr] = {}  # noqa: RUF012 (pydantic copies it)
    outputs: tuple[int, ...]
    fill: dict[str, Fill] = {}  # noqa: RUF012
    rank: dict[str, int] = {}  # noqa: RUF012
    last_axis: LastAxis | None = None

    def attr(self, name: str, args: list[Any]) -> Any:
        if self.last_axis is not None and name == self.last_axis.attr:
            return -1
        where = self.attrs[name]
        return args[where] if isinstance(where, int) else where.names[int(args[where.index])]

    def adapt(self, value: Any, name: str, dtype: Any, args: list[Any]) -> Any:
        """Return the tensor that the entry point would hand to the kernel."""
        if value is None and name in self.fill:
            like = args[self.fill[name].like]
            shape = list(like.values) if isinstance(like, IntArray) else list(like.shape)
            return torch.full(shape, self.fill[name].value, dtype=dtype or torch.float32)
        if not isinstance(value, torch.Tensor):
            return value
        return self.seen(value if dtype is None else value.to(dtype), name, args)

    def seen(self, value: Any, name: str, args: list[Any]) -> Any:
        """Return a view of the tensor as the kernel sees it: the axis swapped, the rank padded."""
        if self.last_axis is not None and name in self.last_axis.tensors:
            return value.transpose(int(args[self.last_axis.axis]), -1)
        missing = self.rank.get(name, 0) - value.dim()
        return value.reshape(*value.shape, *([1] * missing)) if missing > 0 else value


@cache
def hand_bound(op_type: str) -> HandBound | None:
    """Return the facts about an operator, None for one whose entry point is generated."""
    facts = json.loads(_FACTS.read_text())
    return HandBound.model_validate(facts[op_type]) if op_type in facts else None
