"""The composer's graph: few operators, every value typed and shaped, views still explicit; and what shapes allow.

`take` picks one element of a tensor per point: its arguments are the tensor and one integer value for each of its
dimensions, all of which broadcast; sunk to a load, they are the load's arguments.
A graph is a tuple of nodes in topological order. Pointwise operands broadcast as in PyTorch (aligned at the
right). Reductions keep their axes with length 1; a following reshape drops them.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from akgen.tools.compose.front.traced import Origin
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

Number = float | int | bool
EXACT_PLACES = 1 << 24  # that float32 counts

UNARY = frozenset([
    "neg", "abs", "exp", "log", "sqrt", "rsqrt", "reciprocal", "relu", "tanh", "sigmoid", "erf", "erfc", "sin", "cos",
    "tan", "asin", "acos", "atan", "sinh", "cosh", "floor", "ceil", "trunc", "round", "sign", "isnan", "isinf",
    "isfinite", "not", "gelu", "gelu_tanh", "silu", "softplus", "expm1", "log1p", "round_float16", "round_bfloat16",
    "round_float32", "bits_of", "of_bits",
])  # fmt: skip
COMPARISONS = frozenset(["eq", "ne", "lt", "le", "gt", "ge"])
BINARY = COMPARISONS | frozenset(
    ["add", "sub", "mul", "div", "max", "min", "pow", "and", "or", "bit_and", "shift_right"]
)
TERNARY = frozenset(["where"])
POINTWISE = UNARY | BINARY | TERNARY | {"cast"}
CONTRACTIONS = frozenset(["contract", "contract_groups"])  # their first two operands are the matrices
VIEWS = frozenset(["reshape", "permute", "expand", "slice"])
ReduceKind = Literal["sum", "max", "min", "prod"]


class Slice(Frozen):
    """Elements start, start+step, … of one axis."""

    axis: int
    start: int
    step: int = 1


class Node(Frozen):
    """One value. Which fields are set depends on `op`; see the module."""

    op: str  # load const iota count inv_count, POINTWISE, reduce, scan, contract, sort_*, VIEWS, cat, take
    args: tuple[int, ...] = ()
    dtype: DType
    shape: tuple[int, ...]
    origin: Origin | None = None  # load: which operator input
    value: Number | None = None  # const; iota: the first value
    step: Number | None = None  # iota
    kind: ReduceKind | None = None  # reduce, scan
    reverse: bool = False  # scan: from the last element to the first; sort: the smallest first
    axes: tuple[
        int, ...
    ] = ()  # reduce, contract: the axes; scan: the axis; permute: the order; cat: the axis
    stored: DType | None = None  # contract: the dtype in which both operands lie in memory
    cut: Slice | None = None  # slice
    strides: tuple[int, ...] | None = None  # load: elements between neighbours, where not contiguous
    offset: int = 0  # load: the first element
    turn: int = 0  # load in the body of a loop: elements by which that moves in each turn
    fill: Number | None = (
        None  # take, load with indices: what stands where an index lies outside; None: none does
    )
    limits: tuple[int, ...] = ()  # load with indices: the length of each dimension
    rounded: DType | None = None  # add, sub, mul: one operation of PyTorch's, whose result has this dtype
    tag: int = 0  # iota, const: keeps equal ones apart that stand for different things

    @property
    def pointwise(self) -> bool:
        return self.op in POINTWISE


class Output(Frozen):
    """An operator output, or a workspace tensor that a later phase loads, and the value to store in it.

    Of a workspace tensor of `count` elements it may be a part: from `offset` on, in a loop `turn` elements further in
    each turn. Without a number, a loop's output tells how long the tensor is.
    """

    node: int
    output: int | None = None
    temp: int | None = None
    element: int | None = None
    dtype: DType
    offset: int = 0
    turn: int = 0
    count: int | None = None
    part: bool = False


class Graph(Frozen):
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]
    apart: bool = False  # no two constants are one node: they may be equal in this case alone

    def pruned(self) -> "Graph":
        """Drop nodes that no output needs and renumber the rest."""
        new: dict[int, int] = {}
        nodes: list[Node] = []
        for i in sorted(needed_by((o.node for o in self.outputs), self.nodes)):
            node = self.nodes[i]
            new[i] = len(nodes)
            nodes.append(node.model_copy(update={"args": tuple(new[a] for a in node.args)}))
        outputs = tuple(o.model_copy(update={"node": new[o.node]}) for o in self.outputs)
        return Graph(nodes=tuple(nodes), outputs=outputs, apart=self.apart)


def skeleton(graph: Graph) -> tuple[object, object]:
    """Return what graphs have in common that differ in sizes and constants alone: of their nodes, of their outputs."""
    return tuple(
        (n.op, n.args, n.dtype, tuple(d == 1 for d in n.shape), n.origin, n.kind, n.axes, n.turn == 0)
        for n in graph.nodes
    ), tuple((o.node, o.output, o.temp, o.element, o.dtype, o.turn == 0) for o in graph.outputs)


class _Computed(Protocol):
    """What is computed from others of a sequence."""

    @property
    def args(self) -> tuple[int, ...]: ...


def needed_by(wanted: Iterable[int], nodes: Sequence[_Computed]) -> set[int]:
    """Return the numbers of the wanted nodes and of all that they are computed from."""
    needed: set[int] = set()
    stack = list(wanted)
    while stack:
        i = stack.pop()
        if i not in needed:
            needed.add(i)
            stack.extend(nodes[i].args)
    return needed


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that these broadcast to, aligned at the right."""
    rank = max((len(s) for s in shapes), default=0)
    out = [1] * rank
    for shape in shapes:
        for i, d in enumerate(shape, start=rank - len(shape)):
            if d != 1:
                out[i] = d
    return tuple(out)


def viewed(nodes: Sequence[Node], index: int) -> int:
    """Return what a value is a view of."""
    while nodes[index].op in VIEWS:
        (index,) = nodes[index].args
    return index


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return row-major strides in elements."""
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    return tuple(strides)


def surviving_axis(source: tuple[int, ...], target: tuple[int, ...], axis: int) -> int | None:
    """Return the source axis that a reshape leaves as target axis `axis`, if there is one."""
    before = 1
    for d in target[:axis]:
        before *= d
    product = 1
    for i, d in enumerate(source):
        if product == before and d == target[axis] and d != 1:
            return i
        product *= d
    return None


def view_strides(
    shape: tuple[int, ...], strides: tuple[int, ...], target: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the strides of a strided tensor seen with another shape, or None if it would need a copy."""
    old = [(d, s) for d, s in zip(shape, strides, strict=True) if d != 1]
    out: list[int] = []
    queue = [d for d in target if d != 1]
    result: list[int] = []
    while queue:
        if not old:
            return None
        d, s = old.pop(0)
        while queue and d % queue[0] != 0:
            if not old:
                return None
            d2, s2 = old.pop(0)
            if s != d2 * s2:
                return None
            d, s = d * d2, s2
        need = queue.pop(0)
        d //= need
        result.append(s * d)
        if d > 1:
            old.insert(0, (d, s))
    if old:
        return None
    it = iter(result)
    for d in target:
        out.append(next(it) if d != 1 else 0)
    return tuple(out)
