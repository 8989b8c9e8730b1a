"""The composer's graph: few operators, every value typed and shaped; views still explicit.

A graph is a tuple of nodes in topological order. Pointwise operands broadcast as in PyTorch (aligned at the
right). Reductions keep their axes with length 1; a following reshape drops them.
"""

from typing import Literal

from akgen.tools.compose.front.traced import Origin
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

Number = float | int | bool

UNARY = frozenset([
    "neg", "abs", "exp", "log", "sqrt", "rsqrt", "reciprocal", "relu", "tanh", "sigmoid", "erf", "sin", "cos", "floor",
    "ceil", "trunc", "round", "sign", "isnan", "isinf", "isfinite", "not", "gelu", "gelu_tanh", "silu", "softplus",
    "expm1", "log1p", "round_float16", "round_bfloat16",
])  # fmt: skip
COMPARISONS = frozenset(["eq", "ne", "lt", "le", "gt", "ge"])
BINARY = COMPARISONS | frozenset(["add", "sub", "mul", "div", "max", "min", "pow", "and", "or"])
TERNARY = frozenset(["where"])
POINTWISE = UNARY | BINARY | TERNARY | {"cast"}
VIEWS = frozenset(["reshape", "permute", "expand", "slice"])
ReduceKind = Literal["sum", "max", "min", "prod"]


class Slice(Frozen):
    """Elements start, start+step, … of one axis."""

    axis: int
    start: int
    step: int = 1


class Node(Frozen):
    """One value. Which fields are set depends on `op`; see the module."""

    op: str  # load const iota count inv_count, POINTWISE, reduce, VIEWS, cat
    args: tuple[int, ...] = ()
    dtype: DType
    shape: tuple[int, ...]
    origin: Origin | None = None  # load: which operator input
    value: Number | None = None  # const; iota: the first value
    step: Number | None = None  # iota
    kind: ReduceKind | None = None  # reduce
    axes: tuple[int, ...] = ()  # reduce: the axes; permute: the order; cat: the axis
    cut: Slice | None = None  # slice
    strides: tuple[int, ...] | None = None  # load: elements between neighbours, where not contiguous
    offset: int = 0  # load: the first element
    tag: int = 0  # iota, const: keeps equal ones apart that stand for different things

    @property
    def pointwise(self) -> bool:
        return self.op in POINTWISE


class Output(Frozen):
    """An operator output and the value to store in it."""

    node: int
    output: int
    element: int | None = None
    dtype: DType


class Graph(Frozen):
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that these broadcast to, aligned at the right."""
    rank = max((len(s) for s in shapes), default=0)
    out = [1] * rank
    for shape in shapes:
        for i, d in enumerate(shape, start=rank - len(shape)):
            if d != 1:
                out[i] = d
    return tuple(out)


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return row-major strides in elements."""
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    return tuple(strides)
