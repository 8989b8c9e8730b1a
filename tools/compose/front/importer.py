"""Turn a trace into the composer's graph: what handlers of ATen operators work with, and where they register.

Floats of every width become FLOAT32 lanes and integers INT32 lanes: conversion happens where tensors are loaded
and stored. Rounding to a half type between two float operations is only reproduced on demand (`faithful`): results are
closer to the exact ones without it. Integers are exact within int32.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import COMPARISONS, Graph, Output, broadcast
from akgen.tools.compose.front.traced import Origin, Ref, TracedGraph, TracedNode
from akgen.tools.compose.front.uncovered import uncovered
from akgen.tools.compose.scope import Unsupported, all_of
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType

# Operators whose results are exact in the type of their operands.
_EXACT = frozenset([
    "neg", "abs", "maximum", "minimum", "where", "clamp", "clamp_min", "clamp_max", "relu", "max", "min", "amax",
    "amin", "sign", "floor", "ceil", "trunc", "round", "cat", "stack", "slice", "select", "view", "reshape", "permute",
    "transpose", "t", "expand", "unsqueeze", "squeeze", "split", "split_with_sizes", "chunk", "unbind", "full",
    "full_like", "zeros_like", "ones_like", "scalar_tensor", "clone", "alias", "detach", "index_select", "gather",
    "masked_fill", "repeat", "slice_scatter", "constant_pad_nd", "copy", "fill",
])  # fmt: skip

Handler = Callable[["Importer", TracedNode], int | tuple[int | None, ...]]
HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Register a handler for ATen operators, all overloads."""

    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register


def lane(dtype: DType) -> DType:
    """Return the type that a value of this dtype is computed in."""
    if dtype.is_float:
        return DType.FLOAT32
    if dtype == DType.BOOL:
        return DType.BOOL
    if dtype == DType.COMPLEX64:
        raise Unsupported("complex64", "complex tensors are not covered")
    return DType.INT32


def _sources(node: TracedNode) -> Iterator[int]:
    """Yield the nodes that a call takes values of."""
    pending: list[Any] = [*node.args, *(v for _, v in node.kwargs)]
    while pending:
        arg = pending.pop()
        if isinstance(arg, Ref):
            yield arg.node
        elif isinstance(arg, tuple):
            pending += arg


class Importer:
    """One trace being turned into a graph."""

    def __init__(self, raw: TracedGraph, *, faithful: bool = False, apart: bool = False) -> None:
        self.raw = raw
        self.faithful = faithful
        self.b = GraphBuilder(apart=apart)
        self._values: dict[int, int | tuple[int | None, ...]] = {}
        self.flips: dict[int, tuple[int, frozenset[int]]] = {}  # a flipped value: of what, along which axes
        self.vectors: dict[int, tuple[float | int | bool, ...]] = {}  # small constants by trace node

    def run(self) -> Graph:
        refused: list[tuple[Unsupported, str | None]] = []
        unknown: set[int] = set()
        for node in self.raw.nodes:
            try:
                value = self._import(node)
            except Unsupported as why:
                if not unknown.intersection(_sources(node)):  # else it may be refused for what it stands on
                    refused.append((why, node.line))
                unknown.add(node.index)
                value = self._unknown(node)
            self._values[node.index] = self._rounded(node, value) if self.faithful else value
        if refused:
            raise all_of(refused)
        outputs = []
        for o in self.raw.outputs:
            value = self.ref(o.ref)
            outputs.append(Output(node=value, output=o.output, element=o.element, dtype=o.dtype))
        return self.b.graph(tuple(outputs))

    def _unknown(self, node: TracedNode) -> int | tuple[int | None, ...]:
        """Stand for what cannot be imported, so that what follows it is looked at, too."""
        values = tuple(
            None
            if m is None or m.dtype == DType.COMPLEX64
            else self.b.load(Origin(input=-1), lane(m.dtype), m.shape)
            for m in node.metas
        )
        return values if len(values) > 1 or not values or values[0] is None else values[0]

    def _rounded(self, node: TracedNode, value: int | tuple[int | None, ...]) -> int | tuple[int | None, ...]:
        """Round results of half types as PyTorch does after each operation."""
        name = node.target.removeprefix("aten.").split(".")[0]
        if node.kind != "call" or name in _EXACT:
            return value
        parts = value if isinstance(value, tuple) else (value,)
        out: list[int | None] = []
        for part, meta in zip(parts, (*node.metas, *([None] * len(parts))), strict=False):
            half = meta is not None and meta.dtype in (DType.FLOAT16, DType.BFLOAT16)
            out.append(self.b.rounded(part, meta.dtype) if half and meta and part is not None else part)
        return tuple(out) if isinstance(value, tuple) else (out[0] if out[0] is not None else value)

    def _import(self, node: TracedNode) -> int | tuple[int | None, ...]:
        if node.kind == "input":
            meta, origin = node.metas[0], node.origin
            assert meta is not None and origin is not None
            return self.b.load(origin, lane(meta.dtype), meta.shape)
        if node.kind == "const":
            return self._constant(node)
        folded = self._folded(node)
        if folded is not None:
            return folded
        if not node.target.startswith("aten."):
            return self._number(node)
        name = node.target.removeprefix("aten.").split(".")[0]
        handler = HANDLERS.get(name)
        if handler is None:
            raise uncovered(name, node.target)
        return handler(self, node)

    def _folded(self, node: TracedNode) -> int | None:
        """Evaluate what is done to small constants: copies, products, sums, elements."""
        source = node.args[0] if node.args else None
        if not isinstance(source, Ref) or source.node not in self.vectors:
            return None
        values = self.vectors[source.node]
        name = node.target.removeprefix("aten.").split(".")[0]
        meta = node.metas[0]
        if (
            name in ("_to_copy", "clone", "detach", "lift_fresh", "lift_fresh_copy", "alias")
            and meta is not None
        ):
            self.vectors[node.index] = values
            return self.ref(source)
        if name in ("prod", "sum", "_local_scalar_dense") and (meta is None or meta.shape == ()):
            number = math.prod(values) if name == "prod" else sum(values)
            dtype = lane(meta.dtype) if meta is not None else node.scalar or DType.FLOAT32
            self.vectors[node.index] = (number,)
            return self.b.const(number, dtype)
        if len(set(values)) > 1:
            raise Unsupported("constant", "a constant tensor with different elements is not covered")
        return None

    def _number(self, node: TracedNode) -> int:
        """Arithmetic on numbers that were read from tensors."""
        name = _function_name(node.target)
        if node.scalar is None or not node.args:
            raise Unsupported(name, f"the operation {node.target} is not covered")
        dtype = node.scalar
        if name in ("sym_float", "sym_int", "float", "int"):
            return self.as_lane(node.args[0], dtype)
        ops = {"truediv": "div"} | {op: op for op in ("add", "sub", "mul", "pow", "max", "min")}
        if name in COMPARISONS and len(node.args) == 2:
            return self.binary_compare(name, node.args[0], node.args[1])
        if name == "sym_ite":
            condition = self.as_lane(node.args[0], DType.BOOL)
            return self.b.where(
                condition, self.as_lane(node.args[1], dtype), self.as_lane(node.args[2], dtype)
            )
        if name in ("neg", "sqrt", "abs"):
            return self.b.unary(name, self.as_lane(node.args[0], dtype))
        if name in ops and len(node.args) == 2:
            if name == "pow":
                power = self.binary("pow", node.args[0], node.args[1], DType.FLOAT32)
                return self.b.cast(power, dtype)
            return self.binary(ops[name], node.args[0], node.args[1], dtype)
        raise Unsupported(name, f"the operation {node.target} on numbers is not covered")

    def _constant(self, node: TracedNode) -> int:
        meta, values = node.metas[0], node.values
        assert meta is not None and values is not None
        self.vectors[node.index] = values
        if len(set(values)) <= 1:
            return self.b.full(values[0] if values else 0, lane(meta.dtype), meta.shape)
        return self.b.reshape(self._few(values, lane(meta.dtype)), meta.shape)

    def _few(self, values: tuple[float | int | bool, ...], dtype: DType) -> int:
        """Return a few written numbers as a vector: a progression where they are one, else chosen by position."""
        steps = {b - a for a, b in pairwise(values)}
        if len(steps) == 1 and dtype != DType.BOOL and all(float(v).is_integer() for v in values):
            return self.b.iota(len(values), values[0], steps.pop(), dtype)
        position = self.b.iota(len(values), 0, 1, DType.INT32)
        chosen = self.b.full(values[0], dtype, (len(values),))
        for k, value in enumerate(values[1:], start=1):
            if value != values[k - 1]:
                later = self.b.binary("ge", position, self.b.const(k, DType.INT32), DType.BOOL)
                chosen = self.b.where(later, self.b.full(value, dtype, (len(values),)), chosen)
        return chosen

    def binary_compare(self, op: str, a: Any, b: Any) -> int:
        kinds = [self.b[self.value(v)].dtype for v in (a, b)]
        dtype = DType.FLOAT32 if DType.FLOAT32 in kinds else DType.INT32
        return self.b.binary(op, self.as_lane(a, dtype), self.as_lane(b, dtype))

    # what handlers use

    def ref(self, ref: Ref) -> int:
        value = self._values[ref.node]
        if isinstance(value, tuple):
            part = value[ref.part]
            if part is None:
                name = self.raw.nodes[ref.node].target
                raise Unsupported(name, f"result {ref.part} of {name} is not covered")
            return part
        return value

    def value(self, arg: Any, dtype: DType | None = None) -> int:
        """Return an argument as a value; numbers become constants of lane type `dtype` (default: their own)."""
        if isinstance(arg, Ref):
            return self.ref(arg)
        if isinstance(arg, bool):
            return self.b.const(arg, dtype or DType.BOOL)
        if isinstance(arg, int):
            return self.b.const(arg, dtype or DType.INT32)
        if isinstance(arg, float):
            return self.b.const(arg, DType.FLOAT32 if dtype is None or not dtype.is_float else dtype)
        raise Unsupported("argument", f"an argument of type {type(arg).__name__} is not covered")

    def out(self, node: TracedNode, part: int = 0) -> TensorMeta:
        """Return the traced result's dtype and shape; scalars count as 0-d."""
        meta = node.metas[part]
        if meta is None:
            raise Unsupported(node.target, f"{node.target} yields no tensor")
        return meta

    def result_lane(self, node: TracedNode, part: int = 0) -> DType:
        return lane(self.out(node, part).dtype)

    def arg(self, node: TracedNode, position: int, name: str, default: Any = None) -> Any:
        """Return an argument given by position or keyword."""
        if position < len(node.args):
            return node.args[position]
        return dict(node.kwargs).get(name, default)

    def tensor(self, node: TracedNode, position: int, name: str = "") -> int:
        arg = self.arg(node, position, name)
        if arg is None:
            raise Unsupported(node.target, f"{node.target} without its argument {position} is not covered")
        return self.value(arg)

    def shape(self, value: int) -> tuple[int, ...]:
        return self.b[value].shape

    def as_lane(self, arg: Any, dtype: DType) -> int:
        """Return an argument cast to a lane type."""
        return self.b.cast(self.value(arg, dtype if not isinstance(arg, Ref) else None), dtype)

    def binary(self, op: str, a: Any, b: Any, dtype: DType) -> int:
        """Apply an arithmetic operator with both operands in `dtype`."""
        return self.b.binary(op, self.as_lane(a, dtype), self.as_lane(b, dtype), dtype)

    def fitted(self, value: int, node: TracedNode, part: int = 0) -> int:
        """Broadcast a value to the traced result's shape, if it is smaller."""
        want = self.out(node, part).shape
        have = self.shape(value)
        if have == want:
            return value
        if broadcast(have, want) == want:
            return self.b.expand(value, want)
        return self.b.reshape(value, want)


def _function_name(target: str) -> str:
    """Return `add` of "<built-in function add>" and `sym_float` of "<function sym_float at 0x7f…>"."""
    words = target.strip("<>").split()
    name = words[words.index("function") + 1] if "function" in words[:-1] else words[0]
    return name.split(".")[-1].removeprefix("_sym_")
