"""What CANN's operator compiler passes to a kernel: types, formats, tiling key, the device's view of tiling structs."""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from akgen.tools.core.dtypes import DType
from akgen.tools.core.project import KernelProject, without_comments
from akgen.tools.twin.host.call_check import Column
from akgen.tools.twin.host.host_info import HostInfo, TemplateArguments, TilingClass, TilingField
from akgen.tools.twin.kernel.sides import CORE_TYPE, Side, symbol_of
from akgen.tools.twin.precompiled import DEVICE_INCLUDE

_CPP_OF_GE = {d.ge_name: d.cpp_name for d in DType} | {"DT_INT4": "int4b_t", "DT_COMPLEX32": "complex32"}


class Variant(NamedTuple):
    """What one build of the kernel is for. `column` is None for a kernel without an OpDef."""

    column: Column | None
    tiling_key: int
    template: TemplateArguments | None = None  # what the key stands for, for a kernel that is a template


def write_prelude(
    project: KernelProject, info: HostInfo | None, variant: Variant, symbol: str | None, called: str
) -> str:
    """Write what CANN's operator compiler passes to a kernel: types, formats, the key, tiling structs, the symbol.

    `called` is the word in the sources that the symbol stands for.
    """
    lines = [
        "#undef TILING_KEY_VAR",
        f"#define TILING_KEY_VAR {variant.tiling_key}UL",
    ]
    if info is not None and info.op is not None and variant.column is not None:
        lines += _type_macros(info, variant.column)
    classes = info.tiling_classes if info is not None else ()
    of_key = info.tiling_class(project.op_type, variant.tiling_key) if info is not None else None
    text = without_comments("\n".join(project.files[p] for p in project.kernel_files))
    if info is not None and "GET_TILING_DATA_WITH_STRUCT" in text:  # so the keys' own are read
        of_key = next((c for c in classes if c.op_type == project.op_type), of_key)
    lines.append(tiling_header(classes, of_key))
    if of_key is None:
        chosen = variant.template.tiling_struct if variant.template is not None else None
        lines += [f"#define AKGEN_TILING_STRUCT {chosen}"] if chosen else plain_structs(text)
    if symbol is None:
        return "\n".join(lines) + "\n"
    # After the headers, for the kernel may be called like something in them (`sqrt`, `equal`).
    lines += [f"#if AKGEN_CORE_TYPE == {CORE_TYPE[Side.CUBE]}"]
    lines += [f"#define {called} {symbol_of(symbol, Side.CUBE)}", "#else"]
    lines += [f"#define {called} {symbol}", "#endif"]
    return "\n".join(lines) + "\n"


def _type_macros(info: HostInfo, column: Column) -> list[str]:
    assert info.op is not None
    lines = []
    inputs = {p.name for p in info.op.inputs}
    rows = [
        *(
            (p.name, t, f)
            for p, t, f in zip(info.op.inputs, column.input_types, column.input_formats, strict=True)
        ),
        *(
            (p.name + ("_ref" if p.name in inputs else ""), t, f)
            for p, t, f in zip(info.op.outputs, column.output_types, column.output_formats, strict=True)
        ),
    ]
    for name, dtype, layout in rows:
        upper = name.upper()
        if dtype:
            lines.append(f"#define DTYPE_{upper} {_CPP_OF_GE.get(dtype, 'uint8_t')}")
            lines.append(f"#define ORIG_DTYPE_{upper} {dtype}")
        lines.append(f"#define FORMAT_{upper} FORMAT_{layout}")
    return lines


_ALWAYS = frozenset({"TCubeTiling", "SoftMaxTiling", "LogSoftMaxTiling", "LayerNormTiling", "RmsNormTiling"})

_TYPES = frozenset(
    [
        "bool",
        "char",
        "float",
        "double",
        "int",
        "uint8_t",
        "int8_t",
        "uint16_t",
        "int16_t",
        "uint32_t",
        "int32_t",
        "uint64_t",
        "int64_t",
        "size_t",
    ]
)
_CONDITION = re.compile(r"(?:\s|TILING_KEY_VAR\b|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|[-+*/%&|~^<>=!()])+")
_BY_SIZE = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}


def tiling_header(classes: Iterable[TilingClass], of_key: TilingClass | None) -> str:
    """Define every registered struct once, and name the one that GET_TILING_DATA reads for this key."""
    done: set[str] = set(vendor_structs())
    text = ['#include "kernel_tiling/kernel_tiling.h"']
    for c in classes:
        text += _struct(c.name, c.fields, c.size, done)
    if of_key is not None:
        text.append(f"#define AKGEN_TILING_STRUCT {of_key.name}")
    return "\n".join(text) + "\n"


@cache
def vendor_structs() -> frozenset[str]:
    """Return the structs of the high-level APIs, which the device's headers define."""
    text = (DEVICE_INCLUDE / "kernel_tiling" / "library_fields.h").read_text()
    return _ALWAYS.union(re.findall(r"\bS\((\w+), AKGEN_", text))


def plain_structs(kernel_text: str) -> list[str]:
    """Return the lines that choose the plain struct of the key, as the kernel registers them with REGISTER_TILING_*.

    Conditions over TILING_KEY_VAR are the preprocessor's: they have C++'s operators and their priorities.
    """
    lines: list[str] = []
    for condition, name in re.findall(
        r'REGISTER_TILING_FOR_TILINGKEY\s*\(\s*"([^"\n]*)"\s*,\s*([\w:]+)\s*\)', kernel_text
    ):
        if _CONDITION.fullmatch(condition):
            lines += [f"#{'elif' if lines else 'if'} {condition}", f"#define AKGEN_TILING_STRUCT {name}"]
    default = re.search(r"REGISTER_TILING_DEFAULT\s*\(\s*([\w:]+)\s*\)", kernel_text)
    otherwise = [f"#define AKGEN_TILING_STRUCT {default[1]}"] if default else []
    return [*lines, "#else", *otherwise, "#endif"] if lines else otherwise


def _struct(name: str, fields: tuple[TilingField, ...], size: int, done: set[str]) -> list[str]:
    if name in done:
        return []
    done.add(name)
    before: list[str] = []
    body = []
    for f in fields:
        if f.fields is not None:
            before += _struct(f.type, f.fields, f.size, done)
            body.append(f"    {f.type} {f.name};")
        else:
            array = f"[{f.count}]" if f.count else ""
            body.append(f"    {_type(f)} {f.name}{array};")
    check = f'static_assert(sizeof({name}) == {max(size, 8)}, "the host lays {name} out differently");'
    return [*before, f"struct alignas(8) {name} {{", *body, "};", check]


def _type(field: TilingField) -> str:
    text = field.type.replace("std::", "").strip()
    return text if text in _TYPES else _BY_SIZE.get(field.bytes, "uint8_t")
