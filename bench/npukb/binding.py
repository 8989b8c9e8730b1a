"""From the arguments of EXEC_NPU_CMD to the operator's interface.

The generated entry points take inputs, attributes and outputs in OpDef order, without the outputs that share an
input's name. Five official operators hide a different interface behind hand-written entry points (data/hand_bound.json
says how); these also cast tensors to a combination of the OpDef, fill in absent ones and pad shapes. Not covered: entry
points that call other operators for some attribute values.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from akgen.bench.npukb.cpp.values import IntArray, Scalar
from akgen.bench.npukb.opdef import Declared
from akgen.bench.npukb.operators import RecordedLaunch
from akgen.bench.npukb.tensors import flat
from akgen.tools.binding.arguments import attr_value
from akgen.tools.core.call import Attr
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrSpec, ParamSpec
from akgen.tools.core.outcome import InputError

_TORCH = {d: getattr(torch, d.value) for d in DType}
_DTYPES = {t: d for d, t in _TORCH.items()}
_BYTES = (torch.uint8, torch.int8)


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
    """How one operator's entry point maps to its OpDef.

    Numbers are positions among the arguments of EXEC_NPU_CMD. `fill` gives an absent input a constant value, in the
    shape of another argument; `rank` pads the shapes of inputs and outputs with ones at the end, as the entry points
    reshape; `last_axis` names the argument with the axis that the entry point swaps with the last one, in the tensors
    and in the attribute.
    """

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


@dataclass(frozen=True)
class Bound:
    """A launch in OpDef order. Tensors are the binding's own objects, so identity tells where they came from."""

    inputs: tuple[Any, ...]  # tensor, list of tensors, or None
    origins: tuple[Any, ...]  # what each input was made from: itself, or the tensor or list behind a number
    attrs: tuple[Attr, ...]
    outputs: tuple[Any, ...]  # tensor or list of tensors; an aliased input where `aliases` says so
    output_dtypes: tuple[DType, ...]  # as the kernel writes them
    aliases: tuple[int | None, ...]
    const_inputs: tuple[int, ...]
    zeroed_outputs: tuple[int, ...]


def dtype_of(tensor: Any) -> DType:
    """Return the operator interface's name for a tensor's element type. Raises InputError if it has none."""
    if tensor.dtype not in _DTYPES:
        raise InputError(
            f"The binding uses {tensor.dtype}, which operators do not take.", "Check the task's inputs."
        )
    return _DTYPES[tensor.dtype]


def bind(declared: Declared, launched: RecordedLaunch) -> Bound:
    """Order one launch's arguments. Raises InputError if they do not fit the OpDef."""
    spec = declared.spec
    names = [p.name for p in spec.inputs]
    new_outputs = [p for p in spec.outputs if p.name not in names]
    facts = hand_bound(spec.op_type)
    inputs, attrs, outputs = _split(declared, launched, facts, len(new_outputs))
    column = _column(declared, inputs, new_outputs, outputs)
    tensors = [
        _input(value, param, column, scalar=param.name in declared.scalars)
        for value, param in zip(inputs, spec.inputs, strict=True)
    ]
    if facts is not None:
        tensors = [
            facts.adapt(value, param.name, _column_dtype(param, column), launched.args)
            for value, param in zip(tensors, spec.inputs, strict=True)
        ]
        outputs = [
            facts.seen(value, param.name, launched.args)
            for value, param in zip(outputs, new_outputs, strict=True)
        ]
    allocated = iter(outputs)
    slots: list[Any] = []
    aliases: list[int | None] = []
    dtypes: list[DType] = []
    for param in spec.outputs:
        alias = names.index(param.name) if param.name in names else None
        slots.append(next(allocated) if alias is None else tensors[alias])
        aliases.append(alias)
        written = _column_dtype(param, column) if facts is not None else None
        dtypes.append(dtype_of(flat(slots[-1])[0]) if written is None else _DTYPES[written])
    return Bound(
        inputs=tuple(tensors),
        origins=tuple(v.origin if isinstance(v, Scalar | IntArray) else v for v in inputs),
        attrs=attrs,
        outputs=tuple(slots),
        output_dtypes=tuple(dtypes),
        aliases=tuple(aliases),
        const_inputs=tuple(
            i
            for i, (param, value) in enumerate(zip(spec.inputs, inputs, strict=True))
            if tensors[i] is not None and (param.value_depend or isinstance(value, Scalar | IntArray | int))
        ),
        zeroed_outputs=tuple(i for i, slot in enumerate(slots) if _is_cleared(slot, launched.cleared)),
    )


def _split(
    declared: Declared, launched: RecordedLaunch, facts: HandBound | None, new_outputs: int
) -> tuple[list[Any], tuple[Attr, ...], list[Any]]:
    spec, args = declared.spec, launched.args
    if facts is not None:
        named = {a: facts.attr(a, args) for a in facts.attrs}
        attrs = tuple(_attr(a, named[a.name]) for a in spec.attrs if a.name in named)
        return [args[i] for i in facts.inputs], attrs, [args[i] for i in facts.outputs]
    wanted = len(spec.inputs) + len(spec.attrs) + new_outputs
    if len(args) != wanted:
        raise InputError(
            f"{launched.name} is called with {len(args)} arguments, its OpDef asks for {wanted}.",
            "Inputs, attributes and outputs must stand in OpDef order.",
        )
    first_attr, first_output = len(spec.inputs), len(spec.inputs) + len(spec.attrs)
    attrs = tuple(_attr(a, v) for a, v in zip(spec.attrs, args[first_attr:first_output], strict=True))
    return args[:first_attr], attrs, args[first_output:]


def _attr(spec: AttrSpec, value: Any) -> Attr:
    if isinstance(value, Scalar):
        value = value.value
    if isinstance(value, IntArray):
        value = list(value.values)
    return Attr(name=spec.name, value=attr_value(spec, value))


def _column(declared: Declared, inputs: list[Any], new_outputs: list[ParamSpec], outputs: list[Any]) -> int:
    """Return the dtype combination that fits most of the tensors, outputs included."""
    pairs = [
        *zip(declared.spec.inputs, inputs, strict=True),
        *zip(new_outputs, outputs, strict=True),
    ]
    typed = [
        (param.dtypes, _DTYPES.get(tensor.dtype))
        for param, value in pairs
        for tensor in flat(value)[:1]
        if param.dtypes
    ]
    width = max((len(p.dtypes) for p, _ in pairs), default=1)
    fits = [sum(i < len(dtypes) and dtypes[i] == got for dtypes, got in typed) for i in range(max(width, 1))]
    return fits.index(max(fits))


def _input(value: Any, param: ParamSpec, column: int, *, scalar: bool) -> Any:
    """Return the tensor that the kernel gets for one argument."""
    dtype = _column_dtype(param, column)
    if isinstance(value, Scalar):
        return torch.tensor([value.value], dtype=dtype or torch.float32)
    if isinstance(value, IntArray):
        return torch.tensor(value.values, dtype=dtype or torch.int64)
    if isinstance(value, bool | int | float):
        return torch.tensor(
            [value], dtype=dtype or (torch.float32 if isinstance(value, float) else torch.int64)
        )
    if isinstance(value, list):
        if all(isinstance(v, Scalar | int | float) for v in value) and (scalar or value):
            numbers = [v.value if isinstance(v, Scalar) else v for v in value]
            return torch.tensor(numbers, dtype=dtype or torch.float32)
        return [t.contiguous() for t in value]
    if value is None:
        return None
    if isinstance(value, torch.Tensor):
        # A mask of bytes: the entry points take either type, the bits are the same.
        return value.view(dtype) if value.dtype == torch.bool and dtype in _BYTES else value
    raise InputError(
        f"The binding passes {type(value).__name__} for input {param.name}.", "It must be a tensor."
    )


def _column_dtype(param: ParamSpec, column: int) -> Any:
    """Return the torch dtype that this column gives the parameter; None if the OpDef names none."""
    return _TORCH[param.dtypes[column]] if column < len(param.dtypes) else None


def _is_cleared(slot: Any, cleared: list[Any]) -> bool:
    tensors = slot if isinstance(slot, list) else [slot]
    return bool(tensors) and all(any(t is c for c in cleared) for t in tensors)


@cache
def hand_bound(op_type: str) -> HandBound | None:
    """Return the facts about an operator, None for one whose entry point is generated."""
    facts = json.loads(_FACTS.read_text())
    return HandBound.model_validate(facts[op_type]) if op_type in facts else None
