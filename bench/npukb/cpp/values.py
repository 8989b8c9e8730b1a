"""Values that C++ has and Python lacks, and what C++ makes of values when it initialises or constructs.

Everything else is int, float, bool, str, list, None or a tensor.
"""

import struct
from dataclasses import dataclass, field
from typing import Any

from akgen.bench.npukb.cpp.syntax import Type


@dataclass(frozen=True)
class Scalar:
    """`at::Scalar` or `aclScalar*`; `origin` is the tensor it was read from."""

    value: int | float | bool | complex
    origin: Any = None


@dataclass(frozen=True)
class IntArray:
    """`aclIntArray*`; `origin` is the tensor or list it was made from."""

    values: tuple[int, ...]
    origin: Any = None


@dataclass
class Options:
    """`TensorOptions`: only the element type matters here."""

    dtype: Any = None


@dataclass(frozen=True)
class Pointer:
    """A position in a list: an iterator, or what data_ptr() gives."""

    items: list[Any] = field(hash=False)
    offset: int = 0
    origin: Any = None


def between(first: Pointer, last: Pointer) -> list[Any]:
    return first.items[first.offset : last.offset]


INTEGERS = {
    "int", "long", "short", "char", "size_t", "std::size_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
    "uint16_t", "uint32_t", "uint64_t",
}  # fmt: skip
_NUMBERS = INTEGERS | {"float", "double", "bool"}
_LISTS = {
    "std::vector", "at::TensorList", "at::ArrayRef", "at::IntArrayRef", "torch::IntArrayRef", "c10::IntArrayRef",
    "torch::TensorList", "c10::ArrayRef", "at::ITensorListRef", "std::array", "std::initializer_list",
}  # fmt: skip
_MAPS = {"std::map", "std::unordered_map"}
_SCALARS = {"at::Scalar", "c10::Scalar", "torch::Scalar"}
_AS_GIVEN = {"at::Tensor", "torch::Tensor", "c10::optional", "std::optional", "auto"}


class NoConversion(Exception):
    """The value does not convert; the text says why."""


class UnknownType(Exception):
    """No type of this file's; a library may know the name."""


def convert(kind: Type, value: Any) -> Any:
    """Convert as C++ does on initialisation; lists are copied. Raises NoConversion."""
    if isinstance(value, list):
        return dict(value) if kind.name in _MAPS else list(value)
    if kind.pointer or value is None or isinstance(value, Pointer | Scalar) or kind.name not in _NUMBERS:
        return value
    try:
        number = float(value)
        if kind.name in INTEGERS:
            return int(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise NoConversion(f"{type(value).__name__} does not convert to {kind.name}") from None
    if kind.name == "float":
        return struct.unpack("f", struct.pack("f", number))[0]
    return bool(value) if kind.name == "bool" else number


def construct(kind: Type, args: list[Any]) -> Any:
    """Make a value of a type from constructor arguments. Raises NoConversion, UnknownType."""
    name = kind.name
    if name in _NUMBERS:
        return convert(kind, args[0] if args else 0)
    if name == "std::string":
        return args[0] if args else ""
    if name in _LISTS:
        return _list(args)
    if name in _SCALARS:
        return args[0] if args and isinstance(args[0], Scalar) else Scalar(args[0] if args else 0)
    if name in _AS_GIVEN:
        return args[0] if args else None
    if name in _MAPS:
        return dict(args[0]) if args else {}
    raise UnknownType(name)


def _list(args: list[Any]) -> list[Any]:
    match args:
        case []:
            return []
        case [list() as items]:
            return list(items)
        case [Pointer() as first, Pointer() as last]:
            return between(first, last)
        case [Pointer() as first, int() as count]:
            return first.items[first.offset : first.offset + count]
        case [int() as count]:
            return [0] * count
        case [int() as count, value]:
            return [value] * count
        case [value]:
            return [value]
    raise NoConversion("this list constructor is not known")
