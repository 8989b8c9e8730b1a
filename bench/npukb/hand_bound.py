"""Operators whose official entry point differs from their OpDef: data/hand_bound.json says how.

Numbers are positions among the arguments of EXEC_NPU_CMD. `fill` gives an absent input a constant value, in the shape
of another argument; `rank` pads the shapes of inputs and outputs with ones at the end, as the entry points reshape.
Not covered: entry points that call other operators for some attribute values, or that transpose.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch

from akgen.bench.npukb.cpp.values import IntArray
from akgen.tools.frozen import Frozen

_FACTS = Path(__file__).resolve().parent / "data" / "hand_bound.json"


class NamedAttr(Frozen):
    """An argument that is an index into names."""

    index: int
    names: tuple[str, ...]


class Fill(Frozen):
    value: float
    like: int


class HandBound(Frozen):
    """How one operator's entry point maps to its OpDef."""

    inputs: tuple[int, ...]
    attrs: dict[str, int | NamedAttr] = {}  # noqa: RUF012 (pydantic copies it)
    outputs: tuple[int, ...]
    fill: dict[str, Fill] = {}  # noqa: RUF012
    rank: dict[str, int] = {}  # noqa: RUF012

    def attr(self, name: str, args: list[Any]) -> Any:
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
        return self.padded(value if dtype is None else value.to(dtype), name)

    def padded(self, value: Any, name: str) -> Any:
        """Return the tensor, seen with at least the rank that the operator asks for."""
        missing = self.rank.get(name, 0) - value.dim()
        return value.reshape(*value.shape, *([1] * missing)) if missing > 0 else value


@cache
def hand_bound(op_type: str) -> HandBound | None:
    """Return the facts about an operator, None for one whose entry point is generated."""
    facts = json.loads(_FACTS.read_text())
    return HandBound.model_validate(facts[op_type]) if op_type in facts else None
