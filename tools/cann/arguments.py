"""What the generated aclnn entry takes, in its order: inputs, attributes, outputs. Values only, no library.

Source: vendor pages "aclnnXxxGetWorkspaceSize", "ValueDepend", "OpAttrDef", "aclCreateTensor"; the generator writes
`double` for a float attribute, an array of host values for an input whose values the tiling function reads, and one
parameter for an output that has the name of an input (`xRef`). Not covered: aclScalar inputs.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from akgen.tools.core.call import Argument, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrSpec, AttrValue, OpSpec, ParamSpec
from akgen.tools.core.outcome import InputError

# aclFormat; what else an operator may declare is passed as ND
_FORMATS = {"NCHW": 0, "NHWC": 1, "ND": 2, "NDHWC": 27, "FRACTAL_NZ": 29, "NCDHW": 30, "NCL": 47}
_NUMPY = {DType.FLOAT32: "<f4", DType.FLOAT64: "<f8", DType.FLOAT16: "<f2", DType.BOOL: "?"}

ArrayKind = Literal["int", "float", "bool"]
Number = bool | int | float


class Slot(Frozen):
    """One parameter of the entry. `index` counts the call's inputs or outputs."""

    kind: Literal["absent", "input", "output", "array", "bool", "int", "double", "string"]
    name: str
    index: int | None = None
    format: int = _FORMATS["ND"]
    array: ArrayKind | None = None
    values: tuple[Number, ...] = ()  # of an array; the one of a number
    text: str | None = None


def slots(spec: OpSpec, call: Call) -> tuple[Slot, ...]:
    """Return the entry's parameters for a call. Raises InputError for what it has no parameter for."""
    if len(call.inputs) > len(spec.inputs):
        raise InputError(
            f"The call has {len(call.inputs)} inputs, {spec.op_type} takes {len(spec.inputs)}.",
            "Give the inputs in the order of the OpDef.",
        )
    found = [_input(i, p, call) for i, p in enumerate(spec.inputs)]
    found += [_attribute(a, v) for a, v in zip(spec.attrs, attr_values(spec.attrs, call), strict=True)]
    taken = {p.name for p in spec.inputs}
    for i, param in enumerate(spec.outputs):
        if param.name in taken:
            continue  # one parameter for both; it stands among the inputs
        if i >= len(call.outputs):
            found.append(Slot(kind="absent", name=param.name))
        else:
            found.append(Slot(kind="output", name=param.name, index=i, format=_format(param)))
    return tuple(found)


def attr_values(attrs: Sequence[AttrSpec], call: Call) -> list[AttrValue]:
    """Return every attribute's value in the definition's order: given by name, else by position, else the default."""
    names = {a.name for a in attrs}
    named = {a.name: a.value for a in call.attrs if a.name in names}
    placed = [None if a.name in names else a.value for a in call.attrs]
    found: list[AttrValue] = []
    for i, attr in enumerate(attrs):
        value = named.get(attr.name, placed[i] if i < len(placed) else None)
        found.append(attr.default if value is None else value)
    return found


def shared_input(spec: OpSpec, out: OutputMeta, i: int) -> int | None:
    """Return the input whose memory output `i` has, if it has one's."""
    if out.aliases is not None:
        return out.aliases
    if i >= len(spec.outputs):
        return None
    return next((j for j, p in enumerate(spec.inputs) if p.name == spec.outputs[i].name), None)


def _input(i: int, param: ParamSpec, call: Call) -> Slot:
    value = call.inputs[i] if i < len(call.inputs) else None
    if value is None:
        return Slot(kind="absent", name=param.name)
    if param.value_depend:
        return _host_values(i, param, value, call)
    return Slot(kind="input", name=param.name, index=i, format=_format(param))


def _host_values(i: int, param: ParamSpec, value: Argument, call: Call) -> Slot:
    """Read the values that the tiling function gets; the entry takes them from the host."""
    if not isinstance(value, TensorMeta):
        raise InputError(
            f"Input {param.name} is a list whose values tiling reads.", "CANN has no such input."
        )
    kind: ArrayKind = "bool" if value.dtype is DType.BOOL else "float" if value.dtype.is_float else "int"
    known = dict(call.const_values).get(i)
    if known is None and isinstance(value, TensorFile):
        known = tuple(
            np.fromfile(value.path, dtype=_NUMPY.get(value.dtype, f"<{_code(value.dtype)}")).tolist()
        )
    if known is None:
        raise InputError(f"The values of input {param.name} are not known.", "Give the call its files.")
    return Slot(kind="array", name=param.name, index=i, array=kind, values=known)


def _code(dtype: DType) -> str:
    return f"{'u' if dtype.value.startswith('u') else 'i'}{dtype.size_bytes}"


def _attribute(attr: AttrSpec, value: AttrValue) -> Slot:
    if attr.type == "list_list_int":
        raise InputError(
            f"Attribute {attr.name} is a list of lists; the generated aclnn entry has no parameter for one.",
            "Pass it as a flat list_int and its lengths, or judge the project with --toolchain twin.",
        )
    name = attr.name
    if value is None:
        return Slot(kind="absent", name=name)
    if attr.type in ("list_int", "list_float", "list_bool"):
        items = value if isinstance(value, tuple) else (value,)
        kind: ArrayKind = (
            "int" if attr.type == "list_int" else "float" if attr.type == "list_float" else "bool"
        )
        return Slot(kind="array", name=name, array=kind, values=tuple(_number(name, v) for v in items))
    if attr.type == "str":
        return Slot(kind="string", name=name, text=str(value))
    kinds: dict[str, Literal["bool", "int", "double"]] = {"bool": "bool", "int": "int", "float": "double"}
    return Slot(kind=kinds[attr.type], name=name, values=(_number(name, value),))


def _number(name: str, value: object) -> Number:
    if isinstance(value, bool | int | float):
        return value
    raise InputError(f"Attribute {name} has the value {value!r}.", "Give a number, as the OpDef says.")


def _format(param: ParamSpec) -> int:
    return _FORMATS.get(param.formats[0].removeprefix("FORMAT_"), 2) if param.formats else 2
