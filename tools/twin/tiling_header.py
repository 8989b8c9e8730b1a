"""Write the device's view of an operator's tiling structs: plain structs with the host's layout."""

import re
from collections.abc import Iterable
from functools import cache

from akgen.tools.twin.host_info import TilingClass, TilingField
from akgen.tools.twin.include_folders import DEVICE_INCLUDE

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


def plain_struct_of_key(kernel_text: str, key: int) -> str | None:
    """Return the plain struct that the kernel registers for this key with REGISTER_TILING_*, if it does.

    Conditions compare TILING_KEY_VAR with literals, joined by && and ||; one that does not read so is passed over.
    """
    for condition, name in re.findall(
        r'REGISTER_TILING_FOR_TILINGKEY\s*\(\s*"([^"]*)"\s*,\s*([\w:]+)\s*\)', kernel_text
    ):
        if _holds(condition, key):
            return str(name)
    default = re.search(r"REGISTER_TILING_DEFAULT\s*\(\s*([\w:]+)\s*\)", kernel_text)
    return default[1] if default else None


def _holds(condition: str, key: int) -> bool:
    return any(all(_term(t, key) for t in part.split("&&")) for part in condition.split("||"))


def _term(term: str, key: int) -> bool:
    found = re.fullmatch(r"[\s(]*TILING_KEY_VAR\s*(==|!=|<=|>=|<|>)\s*(\d+)[uUlL]*[\s)]*", term)
    if found is None:
        return False
    value = int(found[2])
    return {
        "==": key == value, "!=": key != value, "<": key < value, ">": key > value, "<=": key <= value,
        ">=": key >= value,
    }[found[1]]  # fmt: skip


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
