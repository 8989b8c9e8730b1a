"""Build graphs: every node passes here, so that equal values are one node and constants fold."""

import math

from akgen.tools.compose.front.graph import (
    COMPARISONS,
    Graph,
    Node,
    Number,
    Output,
    ReduceKind,
    Slice,
    broadcast,
    contiguous,
    viewed,
)
from akgen.tools.compose.front.lengths import larger_of, same_as
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType


def promote(a: DType, b: DType) -> DType:
    """Return the wider of two types, floats over integers over bool."""
    if a == b:
        return a
    if a.is_float != b.is_float:
        return a if a.is_float else b
    if a == DType.BOOL or b == DType.BOOL:
        return b if a == DType.BOOL else a
    return a if a.size_bytes > b.size_bytes else (b if b.size_bytes > a.size_bytes else DType.FLOAT32)


WRAPPING = (DType.INT8, DType.INT16, DType.UINT8, DType.UINT16)  # computed in int32, and narrower in memory


class GraphBuilder:
    """A growing graph with common-subexpression elimination and constant folding."""

    def __init__(self, *, apart: bool = False, first: int = 1) -> None:
        """With `apart`, no two constants become one node; their tags begin at -`first`."""
        self.apart, self._constants = apart, first
        self.nodes: list[Node] = []
        self._known: dict[Node, int] = {}
        self._ranges = 0

    def __getitem__(self, index: int) -> Node:
        return self.nodes[index]

    def add(self, node: Node) -> int:
        """Return the index of this node, or of an equal one."""
        if node in self._known:
            return self._known[node]
        self.nodes.append(node)
        self._known[node] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def graph(self, outputs: tuple[Output, ...]) -> Graph:
        """Return what the outputs need, renumbered."""
        return Graph(nodes=tuple(self.nodes), outputs=outputs, apart=self.apart).pruned()

    # leaves

    def load(self, origin: Origin, dtype: DType, shape: tuple[int, ...]) -> int:
        return self.add(Node(op="load", dtype=dtype, shape=shape, origin=origin))

    def strided(self, load: Node, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> int:
        """Return a load of the same tensor that walks it in another way."""
        same = offset == 0 and strides == contiguous(shape)
        changes = {"shape": shape, "strides": None if same else strides, "offset": offset}
        return self.add(load.model_copy(update=changes))

    def const(self, value: Number, dtype: DType) -> int:
        value = float(value) if dtype.is_float else (bool(value) if dtype == DType.BOOL else int(value))
        if dtype == DType.INT32 and not -(1 << 31) <= value < 1 << 31:
            raise Unsupported(
                "int64", f"the integer {value} is not covered: integers are computed in 32 bits"
            )
        apart = self.apart and not (
            dtype == DType.INT32 and value == 0
        )  # a place's 0 is hardly one by chance
        self._constants += apart
        tag = -self._constants if apart else 0
        return self.add(Node(op="const", dtype=dtype, shape=(), value=value, tag=tag))

    def iota(self, count: int, start: Number, step: Number, dtype: DType) -> int:
        """Return start, start + step, … along an axis of its own."""
        self._ranges += 1
        node = Node(op="iota", dtype=dtype, shape=(count,), value=start, step=step, tag=self._ranges)
        return self.add(node)

    def constant(self, index: int) -> Number | None:
        """Return the value of a scalar constant, seen through views."""
        node = self.nodes[viewed(self.nodes, index)]
        return node.value if node.op == "const" else None

    # pointwise

    def unary(self, op: str, x: int, dtype: DType | None = None) -> int:
        node = self.nodes[x]
        if op in ("isnan", "isinf", "isfinite") and not node.dtype.is_float:
            return self.full(op == "isfinite", DType.BOOL, node.shape)
        if op in ("floor", "ceil", "trunc", "round") and not node.dtype.is_float:
            return x
        out = dtype or (DType.BOOL if op in ("isnan", "isinf", "isfinite", "not") else node.dtype)
        return self.add(Node(op=op, args=(x,), dtype=out, shape=node.shape))

    def rounded(self, x: int, dtype: DType) -> int:
        """Return a value rounded to a half type, unless it already is."""
        node = self.nodes[x]
        op = f"round_{dtype}"
        if node.op == op or node.op in ("load", "const", "expand") or node.dtype != DType.FLOAT32:
            return x
        return self.add(Node(op=op, args=(x,), dtype=node.dtype, shape=node.shape))

    def wrapped(self, x: int, dtype: DType) -> int:
        """Return int32 values as an integer type of fewer bits holds them: its lowest bits."""
        bits = 8 * dtype.size_bytes
        if dtype in (DType.UINT8, DType.UINT16):
            return self.binary("bit_and", x, self.const((1 << bits) - 1, DType.INT32), DType.INT32)
        moved = self.binary("mul", x, self.const(1 << (32 - bits), DType.INT32), DType.INT32)
        return self.binary("shift_right", moved, self.const(32 - bits, DType.INT32), DType.INT32)

    def binary(self, op: str, a: int, b: int, dtype: DType | None = None) -> int:
        x, y = self.nodes[a], self.nodes[b]
        out = dtype or (DType.BOOL if op in COMPARISONS else promote(x.dtype, y.dtype))
        folded = _fold(op, self.constant(a), self.constant(b))
        shape = broadcast(x.shape, y.shape)
        if op == "and" and x.op == "eq" and y.op == "not":
            infinite = self.nodes[y.args[0]]
            if infinite.op == "isinf" and x.args == infinite.args * 2:  # neither NaN nor infinite
                return self.unary("isfinite", x.args[0])
        if folded is not None:
            return self.full(folded, out, shape)
        same = self._identity(op, a, b, out, shape)
        if same is not None:
            return same
        known = same_as(self.nodes, op, a, b)
        if isinstance(known, bool):
            return self.full(known, DType.BOOL, shape)
        if known is not None and (self.nodes[known].dtype, self.nodes[known].shape) == (out, shape):
            return known
        return self.add(Node(op=op, args=(a, b), dtype=out, shape=shape))

    def _identity(self, op: str, a: int, b: int, out: DType, shape: tuple[int, ...]) -> int | None:
        """Return an operand if the other is neutral: x + 0, x * 1, x / 1, x ** 1 (finite or not, exact)."""
        ca, cb = self.constant(a), self.constant(b)
        if self.apart and (out != DType.INT32 or 0 not in (ca, cb)):  # it may be so in this case alone
            return None
        x, y = self.nodes[a], self.nodes[b]
        if x.dtype == out and x.shape == shape and cb is not None:
            neutral = {"add": 0, "sub": 0, "mul": 1, "div": 1, "pow": 1}.get(op)
            if neutral is not None and cb == neutral:
                return a
        if y.dtype == out and y.shape == shape and ca is not None:
            neutral = {"add": 0, "mul": 1}.get(op)
            if neutral is not None and ca == neutral:
                return b
        return None

    def where(self, condition: int, a: int, b: int) -> int:
        c, x, y = self.nodes[condition], self.nodes[a], self.nodes[b]
        shape = broadcast(c.shape, x.shape, y.shape)
        if x.op == "where" and x.args[0] == condition and x.shape == shape:
            a = x.args[1]  # the same is asked twice
            x = self.nodes[a]
        if a == b and x.shape == shape:
            return a
        first = self.constant(a)
        if c.op == "isnan" and isinstance(first, float) and math.isnan(first):
            a = c.args[0]  # NaN where the operand is NaN: the operand itself
            x = self.nodes[a]
        known = self.constant(condition)
        if known is not None:
            chosen = a if known else b
            if self.nodes[chosen].shape == shape:
                return chosen
        if x.dtype == y.dtype == DType.INT32:
            sides = larger_of(self.nodes, condition, a, b)
            if sides is not None and broadcast(*(self.nodes[s].shape for s in sides)) == shape:
                return self.binary("max", *sides, DType.INT32)
        return self.add(
            Node(op="where", args=(condition, a, b), dtype=promote(x.dtype, y.dtype), shape=shape)
        )

    def cast(self, x: int, dtype: DType) -> int:
        node = self.nodes[x]
        if node.dtype == dtype:
            return x
        value = self.constant(x)
        if value is not None:
            if dtype.is_float or dtype == DType.BOOL or math.isfinite(value):
                return self.full(value if dtype.is_float else int(value), dtype, node.shape)
            raise Unsupported("cast", "a constant that is not finite is cast to an integer")
        return self.add(Node(op="cast", args=(x,), dtype=dtype, shape=node.shape))

    def full(self, value: Number, dtype: DType, shape: tuple[int, ...]) -> int:
        return self.expand(self.const(value, dtype), shape)

    # reductions and views

    def reduce(self, kind: str, x: int, axes: tuple[int, ...], dtype: DType | None = None) -> int:
        """Reduce over `axes`, which stay with length 1."""
        node = self.nodes[x]
        shape = tuple(1 if i in axes else d for i, d in enumerate(node.shape))
        fields = {"op": "reduce", "args": (x,), "dtype": dtype or node.dtype, "shape": shape}
        return self.add(Node.model_validate({**fields, "kind": kind, "axes": axes}))

    def scan(self, kind: str, x: int, axis: int, *, reverse: bool = False) -> int:
        """Return the running sum, product, maximum or minimum along an axis."""
        node = self.nodes[x]
        if node.shape[axis] == 1:
            return x
        fields = {"op": "scan", "args": (x,), "dtype": node.dtype, "shape": node.shape, "reverse": reverse}
        return self.add(Node.model_validate({**fields, "kind": kind, "axes": (axis,)}))

    def contract(self, a: int, b: int, stored: DType) -> int:
        """Multiply (…, m, k) by (…, k, n); `stored` is the dtype of both in memory."""
        left, right = self.nodes[a], self.nodes[b]
        rank = len(left.shape)
        shape = (*broadcast(left.shape[:-2], right.shape[:-2]), left.shape[-2], right.shape[-1])
        dtype = DType.FLOAT32 if stored.is_float else DType.INT32
        node = Node(op="contract", args=(a, b), dtype=dtype, shape=shape, axes=(rank - 1,), stored=stored)
        return self.add(node)

    def contract_groups(self, a: int, b: int, group: int, stored: DType) -> int:
        """Multiply each row of (m, k) by that of the matrices (g, k, n) whose number `group`, (m,), says."""
        (rows, _), (_, _, columns) = self.nodes[a].shape, self.nodes[b].shape
        dtype = DType.FLOAT32 if stored.is_float else DType.INT32
        fields = {
            "args": (a, b, group),
            "dtype": dtype,
            "shape": (rows, columns),
            "axes": (1,),
            "stored": stored,
        }
        return self.add(Node.model_validate({"op": "contract_groups", **fields}))

    def sorted(self, x: int, count: int, *, smallest: bool) -> tuple[int, int]:
        """Return the first values of every row of the last axis, sorted, and their places."""
        node = self.nodes[x]
        fields = {"args": (x,), "shape": (*node.shape[:-1], count), "axes": (len(node.shape) - 1,)}
        values = {"op": "sort_values", "dtype": node.dtype, "reverse": smallest}
        places = {"op": "sort_places", "dtype": DType.INT32, "reverse": smallest}
        return self.add(Node.model_validate(fields | values)), self.add(Node.model_validate(fields | places))

    def scatter(
        self,
        rows: bool,
        shape: tuple[int, ...],
        index: int,
        source: int | Number,
        base: int | Number,
        kind: ReduceKind | None,
        dtype: DType,
        *,
        constants: tuple[bool, bool],
        wraps: bool = False,
    ) -> int:
        """Return `base` into which `source` has gone where `index` says, one after the other; or summed, and so on.

        With `rows`, (O, N, L) takes (O, K, L) at indices (K,); without, (O, N) takes (O, K) at indices (O, K).
        `constants` says whether source and base are numbers; with `wraps`, negative indices count from the end.
        """
        args = [index, *(v for v, c in zip((source, base), constants, strict=True) if not c)]
        fields = {
            "op": "scatter_rows" if rows else "scatter_elements", "args": tuple(int(a) for a in args), "dtype": dtype,
            "shape": shape, "axes": (0,) if rows else (1,), "kind": kind,
            "value": source if constants[0] else None, "fill": base if constants[1] else None,
            "tag": int(wraps),
        }  # fmt: skip
        return self.add(Node.model_validate(fields))

    def stored(self, x: int) -> int:
        """Return a value that counts as computed, so that an operation in memory finds it laid out as it is seen."""
        node = self.nodes[x]
        return self.add(Node(op="cast", args=(x,), dtype=node.dtype, shape=node.shape))

    def reshape(self, x: int, shape: tuple[int, ...]) -> int:
        node = self.nodes[x]
        if node.shape == shape:
            return x
        if node.op == "reshape":
            return self.reshape(node.args[0], shape)
        return self.add(Node(op="reshape", args=(x,), dtype=node.dtype, shape=shape))

    def permute(self, x: int, order: tuple[int, ...]) -> int:
        node = self.nodes[x]
        if order == tuple(range(len(order))):
            return x
        shape = tuple(node.shape[i] for i in order)
        return self.add(Node(op="permute", args=(x,), dtype=node.dtype, shape=shape, axes=order))

    def expand(self, x: int, shape: tuple[int, ...]) -> int:
        node = self.nodes[x]
        if node.shape == shape:
            return x
        return self.add(Node(op="expand", args=(x,), dtype=node.dtype, shape=shape))

    def slice(self, x: int, axis: int, start: int, count: int, step: int = 1) -> int:
        node = self.nodes[x]
        if start == 0 and step == 1 and count == node.shape[axis]:
            return x
        shape = tuple(count if i == axis else d for i, d in enumerate(node.shape))
        cut = Slice(axis=axis, start=start, step=step)
        return self.add(Node(op="slice", args=(x,), dtype=node.dtype, shape=shape, cut=cut))

    def take(self, x: int, indices: tuple[int, ...], fill: Number | None = None) -> int:
        """Return x[indices], one INT32 value per dimension, broadcast; `fill` where one lies outside."""
        node = self.nodes[x]
        shape = broadcast(*(self.nodes[i].shape for i in indices))
        return self.add(Node(op="take", args=(x, *indices), dtype=node.dtype, shape=shape, fill=fill))

    def positions(self, shape: tuple[int, ...], axis: int, start: int = 0, step: int = 1) -> int:
        """Return start, start + step, … along an axis, with length 1 along the others."""
        along = tuple(d if k == axis else 1 for k, d in enumerate(shape))
        return self.reshape(self.iota(shape[axis], start, step, DType.INT32), along)

    def cat(self, parts: tuple[int, ...], axis: int) -> int:
        parts = tuple(p for p in parts if self.nodes[p].shape[axis] > 0) or parts[:1]
        if len(parts) == 1:
            return parts[0]
        first = self.nodes[parts[0]]
        count = sum(self.nodes[p].shape[axis] for p in parts)
        shape = tuple(count if i == axis else d for i, d in enumerate(first.shape))
        dtype = first.dtype
        for p in parts[1:]:
            dtype = promote(dtype, self.nodes[p].dtype)
        return self.add(Node(op="cat", args=parts, dtype=dtype, shape=shape, axes=(axis,)))


def _fold(op: str, a: Number | None, b: Number | None) -> Number | None:
    """Return the value of a pointwise operation on two constants, if it is safe to know."""
    if a is None or b is None:
        return None
    try:
        match op:
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul":
                return a * b
            case "div":
                return a / b
            case "max":
                return max(a, b)
            case "min":
                return min(a, b)
            case "pow":
                result = a**b
                return result if isinstance(result, (int, float)) else None
            case _:
                return None
    except (ZeroDivisionError, OverflowError):
        return None
