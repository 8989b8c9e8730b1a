"""What an operator's OpDef says: its name, parameters, their kinds and types, attributes; and how op_host writes it.

A kernel's entry point is a C function, whose name must not meet the C library's or the vendor's names.
"""

import re
from functools import cache
from typing import Literal

from akgen.knowledge.data_files import read_text
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

AttrValue = (
    bool
    | int
    | float
    | str
    | tuple[int, ...]
    | tuple[float, ...]
    | tuple[bool, ...]
    | tuple[tuple[int, ...], ...]
    | None
)


_UPPER_AFTER_LOWER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UPPER_BEFORE_WORD = re.compile(r"(?<=[^_])(?=[A-Z][a-z])")


class ParamSpec(Frozen):
    """One input or output. `dtypes[i]` belongs to the operator's i-th supported combination."""

    name: str
    kind: Literal["required", "optional", "dynamic"] = "required"
    dtypes: tuple[DType, ...]
    formats: tuple[str, ...] = ()
    value_depend: bool = False  # the tiling function may read its values


class AttrSpec(Frozen):
    name: str
    type: Literal["bool", "int", "float", "str", "list_int", "list_float", "list_bool", "list_list_int"]
    required: bool = False
    default: AttrValue = None


class OpSpec(Frozen):
    """An operator's interface. An output that shares an input's name aliases it (macros: `<NAME>_REF`)."""

    op_type: str  # CamelCase, as OP_ADD registers it
    inputs: tuple[ParamSpec, ...]
    outputs: tuple[ParamSpec, ...]
    attrs: tuple[AttrSpec, ...] = ()
    has_tiling: bool = True  # a tiling function is registered


def snake_case(name: str) -> str:
    """Return the kernel's name for an operator type (`AddRmsNormCast` -> `add_rms_norm_cast`)."""
    return _UPPER_AFTER_LOWER.sub("_", _UPPER_BEFORE_WORD.sub("_", name)).replace("__", "_").lower()


def camel_case(name: str) -> str:
    """Return the operator type for any text (`row softmax-2` -> `RowSoftmax2`); never starts with a digit."""
    words = [w for w in re.split(r"[^A-Za-z0-9]+", name) if w]
    camel = "".join(w[0].upper() + w[1:] for w in words) or "Op"
    return camel if camel[0].isalpha() else f"Op{camel}"


@cache
def taken_names() -> frozenset[str]:
    """Return the names that entry points cannot have."""
    lines = read_text("taken_names.txt").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def entry_name(text: str) -> str:
    """Return the name for any text, such as a file's: lower case, never a number first, `_op` behind a taken name."""
    name = "".join(c if c.isalnum() and c.isascii() else "_" for c in text).lower() or "op"
    name = name if name[0].isalpha() else f"op_{name}"
    return f"{name}_op" if name in taken_names() else name


def definition_lines(op: OpSpec) -> list[str]:
    """Return the lines that declare inputs, outputs and attributes; tiling and chips are the caller's."""
    lines: list[str] = []
    for kind, params in (("Input", op.inputs), ("Output", op.outputs)):
        for p in params:
            lines += _param(kind, p)
    return lines + [line for a in op.attrs for line in _attr(a)]


def _param(kind: str, p: ParamSpec) -> list[str]:
    types = ", ".join(f"ge::{d.ge_name}" for d in p.dtypes)
    formats = ", ".join(f"ge::FORMAT_{f}" for f in (p.formats or ("ND",) * len(p.dtypes)))
    value_depend = ["    .ValueDepend(OPTIONAL)"] if p.value_depend else []
    return [
        f'this->{kind}("{p.name}")',
        f"    .ParamType({p.kind.upper()})",
        *value_depend,
        f"    .DataType({{{types}}})",
        f"    .Format({{{formats}}})",
        f"    .UnknownShapeFormat({{{formats}}});",
    ]


def _attr(a: AttrSpec) -> list[str]:
    method = {"bool": "Bool", "int": "Int", "float": "Float", "str": "String"}.get(a.type) or "List" + a.type[
        5:
    ].capitalize()
    required = a.required or a.default is None
    value = "" if required else _value(a.default)
    return [f'this->Attr("{a.name}").AttrType({"REQUIRED" if required else "OPTIONAL"}).{method}({value});']


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "{" + ", ".join(_value(v) for v in value) + "}"
    if isinstance(value, float):
        import numpy as np

        return str(float(np.format_float_positional(value, trim="0"))) if abs(value) < 1e16 else repr(value)
    return f'"{value}"' if isinstance(value, str) else repr(value)
