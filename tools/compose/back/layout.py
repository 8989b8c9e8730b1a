"""How a nest is laid out for a schedule: loop levels, tile extents, names of tensors; what is done with values."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from akgen.tools.compose.back.writer import Extent, Writer

START = {"sum": "0.0", "max": "-3.4028234663852886e+38", "min": "3.4028234663852886e+38"}
COMBINE = {"sum": "add", "max": "maximum", "min": "minimum"}


@dataclass(frozen=True)
class Level:
    """A loop level: the axes that its loops run over, and how to open them.

    `guard` is a condition under which exactly one core sees a value of this level (None: every core sees its own).
    """

    axes: frozenset[int]
    opened: Callable[[], AbstractContextManager[None]]
    guard: str | None = None


@dataclass(frozen=True)
class Sink:
    """What must be done with a value: accumulated into a reduction, or stored."""

    kind: str  # "accumulate", "store"
    index: int  # of the reduction's value, of the store


@dataclass
class Layout:
    """How axes map to tiles: the axis of rows and of columns, and the text of every axis's first index."""

    row: int | None
    lane: int | None
    index: dict[int, str]
    extents: dict[Extent, str]
    row_count: str = "n"
    lane_count: str = "m"


@dataclass(frozen=True)
class Tensors:
    """Names of the kernel's tensor parameters; `position` is the index of a list's element in the loop over it."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    lists: frozenset[str] = frozenset()
    position: str = "k"

    def of(self, writer: Writer, name: str, element: int | None = None) -> str:
        """Return a tensor as the kernel writes it; of a list, the element given or that of the loop."""
        at = self.position if element is None else str(element)
        return writer.tensor(name, at if name in self.lists else None)
