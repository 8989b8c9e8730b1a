"""Values that C++ has and Python lacks. Everything else is int, float, bool, str, list, None or a tensor."""

from dataclasses import dataclass, field
from typing import Any


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
