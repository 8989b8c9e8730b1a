"""Turn a trace into the composer's graph: what handlers of ATen operators work with, and where they register.

Floats of every width become FLOAT32 lanes, integers INT32 lanes and complex numbers two FLOAT32 lanes: conversion
happens where tensors are loaded and stored. Rounding to a half type between two float operations is only reproduced on
demand (`faithful`): results are closer to the exact ones without it. Integers are exact within int32.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from akgen.tools.compose.front.builder import WRAPPING, GraphBuilder
from akgen.tools.compose.front.graph import COMPARISONS, Graph, Output, broadcast
from akgen.tools.compose.front.traced import Origin, Ref, TracedGraph, TracedNode
from akgen.tools.compose.scope import Unsupported, all_of, uncovered
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

_LEAVING = frozenset(["neg", "abs"])  # exact, but the smallest integer's result is none of its type
_GROWING = frozenset(["add", "sub", "mul", "neg", "abs", "pow", "reduce", "scan", "contract"])

# Operators whose integer operands are indices, so that they are the same for both parts of a complex number.
_INDEXED = frozenset([
    "index_select", "index", "_unsafe_index", "gather", "index_put", "_unsafe_index_put", "scatter", "embedding",
])  # fmt: skip


class ComplexPair(NamedTuple):
    """A complex value; the imaginary part of a real one is None."""

    real: int
    imaginary: int | None


Handler = Callable[["Importer", TracedNode], int | tuple[int | None, ...]]
ComplexHandler = Callable[["Importer", TracedNode], int | ComplexPair | tuple[ComplexPair, ...]]
HANDLERS: dict[str, Handler] = {}
_COMPLEX: dict[str, ComplexHandler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Register a handler for ATen operators, all overloads."""

    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register


def handles_complex(*names: str) -> Callable[[ComplexHandler], ComplexHandler]:
    """Register a handler for calls of ATen operators that take or make complex values."""

    def register(handler: ComplexHandler) -> ComplexHandler:
        for name in names:
            _COMPLEX[name] = handler
        return handler

    return register


def lane(dtype: DType) -> DType:
    """Return the type that a value of this dtype is computed in; of a complex one, each of its parts."""
    if dtype.is_float or dtype == DType.COMPLEX64:
        return DType.FLOAT32
    return DType.BOOL if dtype == DType.BOOL else DType.INT32


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
        self._imaginary: dict[Ref, int] = {}  # of complex values, whose real parts are `_values`
        self._reading: tuple[int, str] | None = (
            None  # the part of complex values that is read, and for which operator
        )

    def run(self) -> Graph:
        refused: list[tuple[Unsupported, str | None]] = []
        unknown: set[int] = set()
        wanted = self._wanted()
        for node in self.raw.nodes:
            if node.index not in wanted:
                continue
            try:
                value = self._import(node)
            except Unsupported as why:
                if not unknown.intersection(_sources(node)):  # else it may be refused for what it stands on
                    refused.append((why, node.line))
                unknown.add(node.index)
                value = self._unknown(node)
            self._values[node.index] = self._as_stored(node, self._single(node, value))
        if refused:
            raise all_of(refused)
        outputs = []
        for o in self.raw.outputs:
            twofold = o.dtype == DType.COMPLEX64
            value = self.joined(self.pair(o.ref)) if twofold else self.ref(o.ref)
            dtype = DType.FLOAT32 if twofold else o.dtype
            outputs.append(Output(node=value, output=o.output, element=o.element, dtype=dtype))
        return self.b.graph(tuple(outputs))

    def _wanted(self) -> set[int]:
        """Return the nodes that an output needs."""
        wanted: set[int] = set()
        pending = [o.ref.node for o in self.raw.outputs]
        while pending:
            index = pending.pop()
            if index not in wanted:
                wanted.add(index)
                pending.extend(_sources(self.raw.nodes[index]))
        return wanted

    def _unknown(self, node: TracedNode) -> int | tuple[int | None, ...]:
        """Stand for what cannot be imported, so that what follows it is looked at, too."""
        values = tuple(
            None if m is None else self.b.load(Origin(input=-1), lane(m.dtype), m.shape) for m in node.metas
        )
        for k, m in enumerate(node.metas):
            if m is not None and m.dtype == DType.COMPLEX64:
                self._imaginary[Ref(node=node.index, part=k)] = self.b.load(
                    Origin(input=-1), DType.FLOAT32, m.shape
                )
        return values if len(values) > 1 or not values or values[0] is None else values[0]

    def _single(self, node: TracedNode, value: int | tuple[int | None, ...]) -> int | tuple[int | None, ...]:
        """Mark the result of one addition, subtraction or multiplication of tensors of one type with that type."""
        meta = node.metas[0]
        if not isinstance(value, int) or node.kind != "call" or meta is None or not meta.dtype.is_float:
            return value
        own = self.b[value]
        among = {m.dtype for s in _sources(node) for m in self.raw.nodes[s].metas if m is not None}
        if own.op not in ("add", "sub", "mul") or among != {meta.dtype}:
            return value
        return self.b.add(own.model_copy(update={"rounded": meta.dtype}))

    def _as_stored(
        self, node: TracedNode, value: int | tuple[int | None, ...]
    ) -> int | tuple[int | None, ...]:
        """Give results what their type in memory does to them after each operation.

        Half types round (on demand), integers of fewer than 32 bits wrap around.
        """
        name = node.target.removeprefix("aten.").split(".")[0]
        if node.kind != "call" or name in _EXACT - _LEAVING:
            return value
        parts = value if isinstance(value, tuple) else (value,)
        out: list[int | None] = []
        for part, meta in zip(parts, (*node.metas, *([None] * len(parts))), strict=False):
            if part is None or meta is None:
                out.append(part)
            elif meta.dtype in (DType.FLOAT16, DType.BFLOAT16):
                exact = not self.faithful or name in _EXACT
                out.append(part if exact else self.b.rounded(part, meta.dtype))
            else:
                out.append(
                    self.b.wrapped(part, meta.dtype) if self._may_leave(node, part, meta.dtype) else part
                )
        return tuple(out) if isinstance(value, tuple) else (out[0] if out[0] is not None else value)

    def _may_leave(self, node: TracedNode, value: int, dtype: DType) -> bool:
        """Say whether an integer result may lie outside of its type: computed beyond it, or cast from a wider one."""
        if dtype not in WRAPPING or self.b[value].dtype != DType.INT32 or self.b.constant(value) is not None:
            return False
        given = [self.raw.nodes[source].metas[0] for source in _sources(node)]
        wider = any(
            m is not None and not m.dtype.is_float and m.dtype.size_bytes > dtype.size_bytes for m in given
        )
        made = self.b[value]
        return wider or (made.op in _GROWING and made.kind not in ("max", "min"))

    def _import(self, node: TracedNode) -> int | tuple[int | None, ...]:
        if node.kind == "input":
            meta, origin = node.metas[0], node.origin
            assert meta is not None and origin is not None
            if meta.dtype == DType.COMPLEX64:
                both = self.b.load(origin, DType.FLOAT32, (*meta.shape, 2))
                rank = len(meta.shape)
                parts = [self.b.reshape(self.b.slice(both, rank, k, 1), meta.shape) for k in (0, 1)]
                self._imaginary[Ref(node=node.index)] = parts[1]
                return parts[0]
            return self.b.load(origin, lane(meta.dtype), meta.shape)
        if node.kind == "const":
            return self._constant(node)
        folded = self._folded(node)
        if folded is not None:
            return folded
        if not node.target.startswith("aten."):
            return self._number(node)
        name = node.target.removeprefix("aten.").split(".")[0]
        if self._is_complex(node):
            return self._complex(name, node)
        handler = HANDLERS.get(name)
        if handler is None:
            raise uncovered(name, node.target)
        return handler(self, node)

    # complex values

    def _is_complex(self, node: TracedNode) -> bool:
        metas = [*node.metas, *(m for s in _sources(node) for m in self.raw.nodes[s].metas)]
        return any(m is not None and m.dtype == DType.COMPLEX64 for m in metas)

    def _complex(self, name: str, node: TracedNode) -> int | tuple[int | None, ...]:
        """Import a call that takes or makes complex values."""
        handler = _COMPLEX.get(name)
        if handler is None and name not in HANDLERS:
            raise uncovered(name, node.target)
        if handler is None:
            raise Unsupported(name, f"the operation {node.target} on complex numbers is not covered")
        found = handler(self, node)
        if isinstance(found, int):
            return found
        pairs = (found,) if isinstance(found, ComplexPair) else found
        if node.metas[0] is None or node.metas[0].dtype != DType.COMPLEX64:
            return pairs[0].real  # converted to a real type
        for k, pair in enumerate(pairs):
            if pair.imaginary is not None:
                self._imaginary[Ref(node=node.index, part=k)] = pair.imaginary
        return found.real if isinstance(found, ComplexPair) else tuple(p.real for p in pairs)

    @contextmanager
    def reading(self, part: int, name: str) -> Iterator[None]:
        """Let arguments of an operator be their real (0) or imaginary (1) parts."""
        before, self._reading = self._reading, (part, name)
        try:
            yield
        finally:
            self._reading = before

    def pair(self, arg: Any) -> ComplexPair:
        """Return an argument as a complex value; numbers become constants."""
        if isinstance(arg, Ref) and arg in self._imaginary:
            with self.reading(0, ""):
                return ComplexPair(self.ref(arg), self._imaginary[arg])
        if isinstance(arg, str):
            return ComplexPair(
                *(self.b.const(v, DType.FLOAT32) for v in (complex(arg).real, complex(arg).imag))
            )
        return ComplexPair(self.as_lane(arg, DType.FLOAT32), None)

    def joined(self, x: ComplexPair) -> int:
        """Return both parts as they lie in memory, along a last axis of length 2."""
        shape = self.shape(x.real)
        imaginary = self.b.full(0.0, DType.FLOAT32, shape) if x.imaginary is None else x.imaginary
        parts = tuple(self.b.reshape(v, (*shape, 1)) for v in (x.real, imaginary))
        return self.b.cat(parts, len(shape))

    def _part_of(self, arg: Ref, value: int) -> int:
        """Return the part of a value that is being read."""
        imaginary = self._imaginary.get(arg)
        if self._reading is None:
            if imaginary is not None:
                raise Unsupported("complex64", "a complex number in place of a real one is not covered")
            return value
        part, name = self._reading
        if not part or imaginary is not None:
            return value if not part or imaginary is None else imaginary
        dtype = self.b[value].dtype
        kept = (
            dtype != DType.FLOAT32
            if name in _INDEXED
            else name in ("where", "masked_fill") and dtype == DType.BOOL
        )
        return value if kept else self.b.full(0.0, DType.FLOAT32, self.shape(value))

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
        if meta.dtype == DType.COMPLEX64:
            real, imaginary = (self._vector(values[k::2], DType.FLOAT32, meta.shape) for k in (0, 1))
            self._imaginary[Ref(node=node.index)] = imaginary
            return real
        self.vectors[node.index] = values
        return self._vector(values, lane(meta.dtype), meta.shape)

    def _vector(self, values: tuple[float | int | bool, ...], dtype: DType, shape: tuple[int, ...]) -> int:
        if len(set(values)) <= 1:
            return self.b.full(values[0] if values else 0, dtype, shape)
        return self.b.reshape(self._few(values, dtype), shape)

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
            return self._part_of(ref, part)
        return self._part_of(ref, value)

    def value(self, arg: Any, dtype: DType | None = None) -> int:
        """Return an argument as a value; numbers become constants of lane type `dtype` (default: their own)."""
        if isinstance(arg, Ref):
            return self.ref(arg)
        if self._reading is not None and isinstance(arg, (str, int, float)):
            number = complex(arg)
            return self.b.const(number.imag if self._reading[0] else number.real, DType.FLOAT32)
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
