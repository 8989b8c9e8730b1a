"""An operator's interface as the lines of its OpDef constructor in op_host."""

import numpy as np

from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec


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
        return str(float(np.format_float_positional(value, trim="0"))) if abs(value) < 1e16 else repr(value)
    return f'"{value}"' if isinstance(value, str) else repr(value)
