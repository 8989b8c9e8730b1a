"""From what a binding gives EXEC_NPU_CMD to a call of the operator, and the tensors that the results belong in.

The generated entry points take inputs, attributes and outputs in OpDef order, without the outputs that share an input's
name. Not covered: hand-written aclnn layers with an interface of their own; outputs that hold other values than zeros
before the launch and are added to.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import torch

from akgen.tools.core.call import Argument, Attr, Call, OutputMeta, TensorMeta
from akgen.tools.core.op_spec import AttrSpec, AttrValue, OpSpec, ParamSpec
from akgen.tools.core.outcome import InputError
from akgen.tools.reference.tensors import dtype_of, meta_of, torch_dtype, write_value

Kind = Literal[
    "tensor",
    "tensors",
    "scalar",
    "scalars",
    "ints",
    "floats",
    "bools",
    "int",
    "double",
    "bool",
    "str",
    "none",
    "launch",  # of a kernel that the binding launches itself
]
Given = tuple[Kind, Any]  # as pytorch_npu_helper.hpp writes it
Target: TypeAlias = torch.Tensor | tuple[torch.Tensor, ...]


class BoundCall(NamedTuple):
    """A call with its inputs in files, and where each output's values go: the binding's own tensors."""

    call: Call
    targets: tuple[Target, ...]


class Ordered(NamedTuple):
    """What a binding gave, in OpDef order: its own tensors, and what is to come out in which of them."""

    inputs: tuple[Target | None, ...]
    attrs: tuple[Attr, ...]
    outputs: tuple[OutputMeta, ...]
    targets: tuple[Target, ...]


def bind(name: str, given: Sequence[Given], spec: OpSpec, folder: Path) -> BoundCall:
    """Write the inputs below `folder` and order everything as the OpDef does. Raises InputError if it does not fit."""
    ordered = in_order(name, given, spec)
    files: list[Argument] = [
        write_value(_on_host(v), folder, f"in_{i}") for i, v in enumerate(ordered.inputs)
    ]
    call = Call(inputs=tuple(files), attrs=ordered.attrs, outputs=ordered.outputs)
    return BoundCall(call, ordered.targets)


def in_order(name: str, given: Sequence[Given], spec: OpSpec) -> Ordered:
    """Order what EXEC_NPU_CMD was given as the OpDef does. Raises InputError if it does not fit."""
    names = [p.name for p in spec.inputs]
    allocated = [p for p in spec.outputs if p.name not in names]
    counts = (len(spec.inputs), len(spec.attrs), len(allocated))
    if len(given) != sum(counts):
        raise InputError(
            f"{name} is called with {len(given)} arguments; the OpDef of {spec.op_type} has {counts[0]} inputs, "
            f"{counts[1]} attributes and {counts[2]} outputs of their own.",
            "Pass inputs, attributes and outputs in OpDef order.",
        )
    first, last = counts[0], counts[0] + counts[1]
    column = _column([*zip(spec.inputs, given, strict=False), *zip(allocated, given[last:], strict=True)])
    values = [_input(p, g, column) for p, g in zip(spec.inputs, given[:first], strict=True)]
    made = iter([_output(name, p, g) for p, g in zip(allocated, given[last:], strict=True)])
    outputs: list[OutputMeta] = []
    targets: list[Target] = []
    for p in spec.outputs:
        alias = names.index(p.name) if p.name in names else None
        target = next(made) if alias is None else _aliased(p, values[alias])
        outputs.append(OutputMeta(meta=_meta(target), aliases=alias, zeroed=_is_zero(target)))
        targets.append(target)
    for i, value in enumerate(values):
        if not spec.outputs and value is not None:  # then it works in place
            outputs.append(OutputMeta(meta=_meta(value), aliases=i))
            targets.append(value)
    attrs = tuple(_attr(a, g) for a, g in zip(spec.attrs, given[first:last], strict=True))
    return Ordered(tuple(values), attrs, tuple(outputs), tuple(targets))


def _on_host(value: Target | None) -> Target | None:
    return (
        tuple(t.cpu() for t in value) if isinstance(value, tuple) else None if value is None else value.cpu()
    )


def _input(param: ParamSpec, given: Given, column: int) -> Target | None:
    kind, value = given
    if kind == "none":
        return None
    if kind == "tensor":
        return (value,) if param.kind == "dynamic" else value
    if kind == "tensors":
        return tuple(value)
    if kind == "str":
        raise InputError(f"A text is passed for input {param.name}.", "Pass inputs in OpDef order.")
    dtype = torch_dtype(param.dtypes[column]) if column < len(param.dtypes) else None
    numbers = value if isinstance(value, list) else [value]
    return torch.tensor(numbers, dtype=dtype)


def _output(name: str, param: ParamSpec, given: Given) -> Target:
    kind, value = given
    if kind == "tensor":
        return (value,) if param.kind == "dynamic" else value
    if kind == "tensors" and all(v is not None for v in value):
        return tuple(value)
    raise InputError(
        f"{name} gets {kind} for output {param.name}.", "Allocate every output and pass it in OpDef order."
    )


def _aliased(param: ParamSpec, value: Target | None) -> Target:
    if value is None:
        raise InputError(f"Output {param.name} is an input that is left out.", "Pass the tensor to work on.")
    return value


def _column(pairs: Sequence[tuple[ParamSpec, Given]]) -> int:
    """Return the combination of types that fits most of the tensors."""
    tensors = [(p.dtypes, t) for p, (kind, v) in pairs for t in _tensors(kind, v)[:1]]
    width = max((len(dtypes) for dtypes, _ in tensors), default=1)
    typed = [(dtypes, dtype_of(t.dtype)) for dtypes, t in tensors]
    fits = [sum(i < len(dtypes) and dtypes[i] is have for dtypes, have in typed) for i in range(width)]
    return fits.index(max(fits)) if fits else 0


def _tensors(kind: Kind, value: Any) -> list[torch.Tensor]:
    return [value] if kind == "tensor" else [t for t in value if t is not None] if kind == "tensors" else []


def _meta(target: Target) -> TensorMeta | tuple[TensorMeta, ...]:
    return tuple(meta_of(t) for t in target) if isinstance(target, tuple) else meta_of(target)


def _is_zero(target: Target) -> bool:
    """Say whether the memory was cleared. What torch::empty gave is not zero: it is filled while a binding runs."""
    tensors = target if isinstance(target, tuple) else (target,)
    return all(not bool(t.count_nonzero()) for t in tensors)


def _attr(spec: AttrSpec, given: Given) -> Attr:
    kind, value = given
    if kind in ("tensor", "tensors"):
        raise InputError(f"A tensor is passed for attribute {spec.name}.", "Pass arguments in OpDef order.")
    if kind == "none":
        return Attr(name=spec.name, value=None)
    return Attr(name=spec.name, value=attr_value(spec, value))


def attr_value(spec: AttrSpec, value: Any) -> AttrValue:
    """Return an argument of EXEC_NPU_CMD as the attribute's type has it. Raises InputError for a list of lists."""
    items = value if isinstance(value, list | tuple) else [value]
    converted: AttrValue
    match spec.type:
        case "list_int":
            converted = tuple(int(v) for v in items)
        case "list_float":
            converted = tuple(float(v) for v in items)
        case "list_bool":
            converted = tuple(bool(v) for v in items)
        case "bool":
            converted = bool(value)
        case "int":
            converted = int(value)
        case "float":
            converted = float(value)
        case "str":
            converted = str(value)
        case "list_list_int":
            raise InputError(
                f"Attribute {spec.name} is a list of lists.", "EXEC_NPU_CMD takes no such argument."
            )
    return converted
