"""Another value of an operation, with the mistake that leads to it. All of them are computed in float64."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from akgen.tools.reference.variants.recording import MadeBy, Recorded, Recording

UNITS = (8, 16, 32, 64, 128)  # lengths are rounded up, or down, to multiples of these


class Alteration(NamedTuple):
    """Another value of an operation, with the mistake that leads to it."""

    cause: str
    what: str
    make: Callable[..., Any]  # called without arguments; a default holds what a loop changes


Alterations = Iterator[Alteration]


def maker(recording: Recording, part: Any) -> Recorded | None:
    return recording.calls[part.call] if isinstance(part, MadeBy) else None


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
