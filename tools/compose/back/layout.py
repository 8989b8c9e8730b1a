"""How a nest is laid out for a schedule: loop levels, tile extents, names of tensors; what is done with values."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from akgen.tools.compose.back.writer import Extent, Shape, Tensor, Writer
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.loop_nest import OutputStore, Value
from akgen.tools.dsl.expr import Const, Expr, Name, binary, call

LARGEST = Const(value=3.4028234663852886e38)
INFINITY = Const(value=float("inf"))
START: dict[str, Const] = {
    "sum": Const(value=0.0),
    "prod": Const(value=1.0),
    "max": Const(value=-float("inf")),
    "min": INFINITY,
}
WHOLE_START: dict[str, Const] = {
    "sum": Const(value=0),
    "prod": Const(value=1),
    "max": Const(value=-(2**31)),
    "min": Const(value=2**31 - 1),
}
COMBINE = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


def start_of(value: Value) -> Const:
    """Return what a reduction or a scan begins with."""
    return (START if value.dtype.is_float else WHOLE_START)[value.kind or ""]


BLOCK = Const(value=8)  # numbers of 4 bytes in 32 bytes: no two cores write into one block of global memory
CORE, CORES = call("program_id"), call("num_programs")
FIRST_CORE = binary("==", CORE, 0)
TURN = Name(id="time_step")  # of the loop in whose body a nest runs
ROWS, COLUMNS, POSITION = Name(id="n"), Name(id="m"), Name(id="k")  # of a tile, of a list


@dataclass(frozen=True)
class Level:
    """A loop level: the axes that its loops run over, and how to open them.

    `guard` is a condition under which exactly one core sees a value of this level (None: every core sees its own).
    """

    axes: frozenset[int]
    opened: Callable[[], AbstractContextManager[None]]
    guard: Expr | None = None
    once: bool = False  # no loop: what one pass loads and computes is there for the next


@dataclass(frozen=True)
class Sink:
    """What must be done with a value: accumulated into a reduction, or stored."""

    kind: str  # "accumulate", "store"
    index: int  # of the reduction's value, of the store


@dataclass
class Layout:
    """How axes map to tiles: the axis of rows and of columns, and every axis's first index."""

    row: int | None
    lane: int | None
    index: dict[int, Expr]
    extents: dict[Extent, Shape]
    row_count: Expr = ROWS
    lane_count: Expr = COLUMNS


@dataclass(frozen=True)
class Tensors:
    """Names of the kernel's tensor parameters; `position` is the index of a list's element in the loop over it.

    Workspace tensors are called `temp` and their number.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    temp: str = "temp"
    lists: frozenset[str] = frozenset()
    position: Name = POSITION

    def source(self, writer: Writer, origin: Origin) -> Tensor:
        """Return the tensor that a load reads."""
        if origin.temp is not None:
            return writer.tensor(f"{self.temp}{origin.temp}")
        assert origin.input is not None
        return self.of(writer, self.inputs[origin.input], origin.element)

    def target(self, writer: Writer, store: OutputStore) -> Tensor:
        """Return the tensor that a store writes."""
        if store.temp is not None:
            return writer.tensor(f"{self.temp}{store.temp}")
        assert store.output is not None
        return self.of(writer, self.outputs[store.output], store.element)

    def overwritten(self, store: OutputStore) -> int | None:
        """Return the input in whose place an output is written."""
        if store.output is None:
            return None
        name = self.outputs[store.output]
        return next((i for i, n in enumerate(self.inputs) if f"{n}_ref" == name), None)

    def of(self, writer: Writer, name: str, element: int | None = None) -> Tensor:
        """Return a tensor as the kernel has it; of a list, the element given or that of the loop."""
        at = self.position if element is None else Const(value=element)
        return writer.tensor(name, at if name in self.lists else None)
