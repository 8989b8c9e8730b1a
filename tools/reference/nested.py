"""Values in tuples, lists and dictionaries: what a reference takes as one argument, and what it returns at once.

A list of tensors as an argument is one operator input; tuples and dictionaries, such as the state (h, c), are opened.
What a reference returns is opened whatever it stands in: (out, (h, c)) is out, h, c.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

Path = tuple[int | str, ...]
"""Where a value lies: positions in tuples and lists, keys of dictionaries."""


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each value that is no tuple, list or dictionary with its path, in PyTorch's order of flattening."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for k, inner in enumerate(value):
            yield from leaves(inner, (*path, k))
    else:
        yield path, value


def at(value: Any, path: Path) -> Any:
    """Return the value that lies at a path."""
    for step in path:
        value = value[step]
    return value


def flat_outputs(result: Any) -> list[Any]:
    """Return the values that a reference returns, in their order; None is no output."""
    return [value for _, leaf in leaves(result) for value in _fields(leaf) if value is not None]


def _fields(value: Any) -> list[Any]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return flat_outputs([getattr(value, field.name) for field in dataclasses.fields(value)])
    return [value]


def each(value: Any, change: Any) -> Any:
    """Return a copy with every value that is no tuple, list or dictionary changed."""
    if isinstance(value, dict):
        return {key: each(inner, change) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        changed = [each(inner, change) for inner in value]
        return type(value)(*changed) if hasattr(value, "_fields") else type(value)(changed)
    return change(value)
