"""A tensor program on inputs of given shapes: the composer's graph, or what does not fit together, by line."""

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from akgen.tools.compose.front.aten.probabilities import are_probabilities
from akgen.tools.compose.front.builder import GraphBuilder, promote
from akgen.tools.compose.front.graph import VIEWS, Graph, Node, Output, broadcast
from akgen.tools.compose.front.importer import lane
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.ir import (
    GRAPH_WORDS,
    MASKS,
    WHOLE,
    TensorInput,
    TensorOp,
    TensorProgram,
    compares,
)
from akgen.tools.core.call import Argument, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.evaluate import evaluate
from akgen.tools.dsl.expr import Const, Expr, Name

_F32, _I32, _BOOL = DType.FLOAT32, DType.INT32, DType.BOOL
_HALF = (DType.FLOAT16, DType.BFLOAT16)
_EXACT_IN_INT = frozenset({"add", "sub", "mul", "maximum", "minimum", "neg", "abs", "relu", "sign", "floor", "ceil",
                           "trunc", "round", "bit_and", "shift_right"})  # fmt: skip


class BoundLengths:
    """The lengths that the inputs of one call give a program's symbols; `prefixes` are what each `...` stands for."""

    def __init__(self, sizes: Mapping[str, int], prefix: tuple[int, ...]) -> None:
        self.sizes, self.prefix = dict(sizes), prefix


def bind(program: TensorProgram, inputs: Sequence[Argument]) -> BoundLengths:
    """Return what the symbols stand for. Raises DslError where the call's inputs have other shapes."""
    if len(inputs) != len(program.inputs):
        text = f"The operator has {len(inputs)} inputs; the program declares {len(program.inputs)}."
        raise DslError((finding("TENSOR_INTERFACE", 1, text),))
    sizes: dict[str, int] = {}
    prefixes: list[tuple[int, ...]] = []
    for declared, given in zip(program.inputs, inputs, strict=True):
        if not isinstance(given, TensorMeta):
            text = f"The input `{declared.name}` is a list, or may be absent: tensor programs take single tensors."
            raise DslError((finding("TENSOR_INTERFACE", declared.line, text),))
        _bind_one(declared, given.shape, sizes, prefixes)
    try:
        prefix = broadcast(*prefixes)
    except IndexError:
        prefix = ()
    return BoundLengths(sizes, prefix)


def _bind_one(
    declared: TensorInput, shape: tuple[int, ...], sizes: dict[str, int], prefixes: list[tuple[int, ...]]
) -> None:
    dims = declared.dims
    open_ = bool(dims) and dims[0] == "..."
    fixed = dims[1:] if open_ else dims
    if len(shape) < len(fixed) or (len(shape) > len(fixed) and not open_):
        text = f"The input `{declared.name}` has {len(shape)} axes, not {len(fixed)}."
        raise DslError((finding("TENSOR_INTERFACE", declared.line, text),))
    if open_:
        prefixes.append(shape[: len(shape) - len(fixed)])
    for d, length in zip(fixed, shape[len(shape) - len(fixed) :], strict=True):
        expected = sizes.setdefault(d.id, length) if isinstance(d, Name) else getattr(d, "value", length)
        if expected != length:
            what = d.id if isinstance(d, Name) else str(expected)
            text = f"The input `{declared.name}` has length {length} where `{what}`, which is {expected}, is declared."
            raise DslError((finding("TENSOR_INTERFACE", declared.line, text),))


def instantiate(
    program: TensorProgram,
    inputs: Sequence[Argument],
    outputs: Sequence[DType],
    *,
    apart: bool = False,
) -> Graph:
    """Return the graph on these inputs, whose results are stored in the dtypes `outputs`.

    Raises DslError with the first operation whose operands do not fit.
    """
    if len(program.results) != len(outputs):
        text = f"The operator has {len(outputs)} results; the program returns {len(program.results)}."
        raise DslError((finding("TENSOR_INTERFACE", len(program.text.splitlines()), text),))
    maker = _Maker(bind(program, inputs), inputs, outputs, apart=apart)
    for k, (declared, meta) in enumerate(zip(program.inputs, inputs, strict=True)):
        assert isinstance(meta, TensorMeta)
        maker.values[declared.name] = maker.b.load(Origin(input=k), lane(meta.dtype), meta.shape)
    for op in program.ops:
        try:
            maker.values[op.name] = maker.made(op)
        except (Unsupported, ZeroDivisionError, KeyError, OverflowError) as e:
            said = e.sentence if isinstance(e, Unsupported) else f"a length of `{op.op}` cannot be computed"
            raise DslError((finding("TENSOR_SHAPE", op.line, said[:1].upper() + said[1:] + "."),)) from e
    results = tuple(
        Output(node=maker.result(maker.values[name], dtype), output=k, dtype=dtype)
        for k, (name, dtype) in enumerate(zip(program.results, outputs, strict=True))
    )
    return maker.b.graph(results)


class _Maker:
    """A graph while it is made from lines."""

    def __init__(
        self, bound: BoundLengths, inputs: Sequence[Argument], outputs: Sequence[DType], *, apart: bool
    ) -> None:
        self.b = GraphBuilder(apart=apart)
        self.bound, self.inputs, self.outputs = bound, inputs, outputs
        self.values: dict[str, int] = {}

    def result(self, x: int, dtype: DType) -> int:
        """Mark one sum, difference or product of what lies in memory in the result's own type: it is rounded once."""
        node = self.b[x]
        given = [a for a in node.args if self.b.constant(a) is None]
        if node.op not in ("add", "sub", "mul") or not dtype.is_float or not given:
            return x
        if any(self._in_memory_as(a) != dtype for a in given):
            return x
        return self.b.add(node.model_copy(update={"rounded": dtype}))

    def made(self, op: TensorOp) -> int:
        word = op.op
        if word in _BY_WORD:
            return _BY_WORD[word](self, op)
        if word.startswith("reduce_"):
            return self.b.reduce(word.removeprefix("reduce_"), *self._reduced(op))
        if word.startswith("scan_"):
            x, axes = self._reduced(op)
            return self.b.scan(
                word.removeprefix("scan_"), x, axes[0], reverse=bool(self._option(op, "reverse", False))
            )
        if len(op.values) == 1:
            return self._unary(op)
        return self._binary(op)

    # pointwise

    def _unary(self, op: TensorOp) -> int:
        x = self._value(op, 0)
        graph_op = GRAPH_WORDS.get(op.op, op.op)
        if op.op in MASKS and self.b[x].dtype != _BOOL:
            self._refuse(op, "TENSOR_DTYPE", f"`{op.op}` takes a mask, the result of a comparison.")
        if op.op not in MASKS and self.b[x].dtype == _BOOL:
            x = self.b.cast(x, _F32)
        if self.b[x].dtype == _I32 and op.op not in _EXACT_IN_INT:
            x = self.b.cast(x, _F32)
        return self.b.unary(graph_op, x)

    def _binary(self, op: TensorOp) -> int:
        a, b = self._pair(op, 0, 1)
        self._fits(op, a, b)
        kind = self.b[a].dtype
        graph_op = GRAPH_WORDS.get(op.op, op.op)
        if op.op in MASKS:
            if kind != _BOOL or self.b[b].dtype != _BOOL:
                self._refuse(op, "TENSOR_DTYPE", f"`{op.op}` takes two masks, the results of comparisons.")
            return self.b.binary(graph_op, a, b, _BOOL)
        if compares(op.op):
            return self.b.binary(graph_op, a, b, _BOOL)
        if op.op in WHOLE and kind != _I32:
            self._refuse(op, "TENSOR_DTYPE", f"`{op.op}` takes whole numbers; cast(x, int32) makes some.")
        if kind == _BOOL or (kind == _I32 and op.op not in _EXACT_IN_INT):
            a, b, kind = self.b.cast(a, _F32), self.b.cast(b, _F32), _F32
        return self.b.binary(graph_op, a, b, kind)

    def where(self, op: TensorOp) -> int:
        condition = self._value(op, 0)
        if self.b[condition].dtype != _BOOL:
            self._refuse(op, "TENSOR_DTYPE", "`where` takes a mask first, the result of a comparison.")
        a, b = self._pair(op, 1, 2)
        self._fits(op, condition, a, b)
        return self.b.where(condition, a, b)

    def cast(self, op: TensorOp) -> int:
        assert op.dtype is not None
        return self.b.cast(self._value(op, 0), op.dtype)

    def stored(self, op: TensorOp) -> int:
        return self.b.stored(self._value(op, 0))

    # along axes

    def _reduced(self, op: TensorOp) -> tuple[int, tuple[int, ...]]:
        x = self._value(op, 0)
        if self.b[x].dtype == _BOOL:
            x = self.b.cast(x, _I32)
        return x, tuple(sorted({self._axis(op, x, n) for n in op.numbers}))

    def inv_count(self, op: TensorOp) -> int:
        x, axes = self._reduced(op)
        less = self._option(op, "less", 0)
        return self.b.add(Node(op="inv_count", args=(x,), dtype=_F32, shape=(), axes=axes, value=less))

    def iota(self, op: TensorOp) -> int:
        start, step = self._option(op, "start", 0), self._option(op, "step", 1)
        kind = _F32 if isinstance(start, float) or isinstance(step, float) else _I32
        return self.b.iota(self._length(op, op.numbers[0]), start, step, kind)

    def sort(self, op: TensorOp) -> int:
        x = self._value(op, 0)
        count = self._length(op, op.numbers[0])
        if not self.b[x].shape or count > self.b[x].shape[-1]:
            self._refuse(op, "TENSOR_SHAPE", f"A row has no {count} elements to sort.")
        both = self.b.sorted(x, count, smallest=bool(self._option(op, "smallest", False)))
        return both[op.op == "sort_places"]

    # views

    def reshape(self, op: TensorOp) -> int:
        x, shape = self._value(op, 0), self._shape(op)
        have = self.b[x].shape
        if _count(have) != _count(shape):
            self._refuse(op, "TENSOR_SHAPE", f"{_told(have)} cannot be seen as {_told(shape)}.")
        return self.b.reshape(x, shape)

    def expand(self, op: TensorOp) -> int:
        x, shape = self._value(op, 0), self._shape(op)
        have = self.b[x].shape
        if len(have) > len(shape) or any(
            d not in (1, s) for d, s in zip(have[::-1], shape[::-1], strict=False)
        ):
            self._refuse(op, "TENSOR_SHAPE", f"{_told(have)} cannot be repeated to {_told(shape)}.")
        return self.b.expand(x, shape)

    def permute(self, op: TensorOp) -> int:
        x = self._value(op, 0)
        order = tuple(self._axis(op, x, n) for n in op.numbers)
        if sorted(order) != list(range(len(self.b[x].shape))):
            self._refuse(
                op, "TENSOR_SHAPE", f"The axes {_told(order)} are not all of {_told(self.b[x].shape)}."
            )
        return self.b.permute(x, order)

    def slice(self, op: TensorOp) -> int:
        x = self._value(op, 0)
        axis = self._axis(op, x, op.numbers[0])
        start, count, step = (*(self._integer(n) for n in op.numbers[1:]), 1)[:3]
        if start < 0 or count < 1 or step < 1 or start + (count - 1) * step >= self.b[x].shape[axis]:
            length = self.b[x].shape[axis]
            self._refuse(
                op, "TENSOR_SHAPE", f"{count} elements from {start} by {step} do not lie in {length}."
            )
        return self.b.slice(x, axis, start, count, step)

    def cat(self, op: TensorOp) -> int:
        parts = [self._value(op, k) for k in range(len(op.values))]
        option = dict(op.options).get("axis", Const(value=0))
        axis = self._axis(op, parts[0], option)
        shapes = [self.b[p].shape for p in parts]
        if any(len(s) != len(shapes[0]) or _without(s, axis) != _without(shapes[0], axis) for s in shapes):
            self._refuse(op, "TENSOR_SHAPE", f"{' and '.join(map(_told, shapes))} differ beside axis {axis}.")
        kind = self.b[parts[0]].dtype
        for p in parts[1:]:
            kind = promote(kind, self.b[p].dtype)
        return self.b.cat(tuple(self.b.cast(p, kind) for p in parts), axis)

    def take(self, op: TensorOp) -> int:
        x, *indices = (self._value(op, k) for k in range(len(op.values)))
        if len(indices) != len(self.b[x].shape):
            self._refuse(
                op, "TENSOR_SHAPE", f"`take` takes an index for each axis of {_told(self.b[x].shape)}."
            )
        if any(self.b[i].dtype != _I32 for i in indices):
            self._refuse(op, "TENSOR_DTYPE", "Indices are whole numbers; cast(x, int32) makes some.")
        self._fits(op, *indices)
        fill = dict(op.options).get("fill")
        value = None if fill is None else self._const_value(fill)
        return self.b.take(x, tuple(indices), value)

    def matmul(self, op: TensorOp) -> int:
        a, b = self._value(op, 0), self._value(op, 1)
        left, right = self.b[a].shape, self.b[b].shape
        if len(left) < 2 or len(left) != len(right) or left[-1] != right[-2]:
            self._refuse(op, "TENSOR_SHAPE", f"{_told(left)} and {_told(right)} cannot be multiplied.")
        if self.b[a].dtype != _F32 or self.b[b].dtype != _F32:
            self._refuse(op, "TENSOR_DTYPE", "`matmul` takes floating-point values.")
        loaded = {x: self._in_memory_as(x) for x in (a, b)}
        found = {d for d in loaded.values() if d is not None}
        if len(found) != 1 or not found <= set(_HALF):
            return self.b.contract(self._put(a, _F32), self._put(b, _F32), _F32)
        (stored,) = found
        computed = [x for x, d in loaded.items() if d is None]
        if computed and not (
            all(d in _HALF for d in self.outputs) and all(self._may_be(x, stored) for x in computed)
        ):
            stored = _F32
        return self.b.contract(self._put(a, stored), self._put(b, stored), stored)

    def _may_be(self, x: int, half: DType) -> bool:
        """Return whether a half type holds what is computed well enough: it is rounded to it, or a softmax."""
        return self.b[self._below_views(x)[1]].op == f"round_{half}" or are_probabilities(self.b, x)

    def _below_views(self, x: int) -> tuple[list[Node], int]:
        views = []
        while self.b[x].op in VIEWS:
            views.append(self.b[x])
            (x,) = self.b[x].args
        return views, x

    def _in_memory_as(self, x: int) -> DType | None:
        base = self.b[self._below_views(x)[1]]
        if base.op != "load" or base.origin is None or base.origin.input is None:
            return None
        meta = self.inputs[base.origin.input]
        return meta.dtype if isinstance(meta, TensorMeta) else None

    def _put(self, x: int, stored: DType) -> int:
        """Return an operand as it lies in memory: what is computed, or of another type, is rounded to `stored`."""
        views, base = self._below_views(x)
        found = self._in_memory_as(x)
        if found == stored or (found is None and stored == _F32) or self.b[base].op == f"round_{stored}":
            return x
        seen = self.b.add(Node(op=f"round_{stored}", args=(base,), dtype=_F32, shape=self.b[base].shape))
        for view in reversed(views):
            seen = self.b.add(view.model_copy(update={"args": (seen,)}))
        return seen

    # operands

    def _value(self, op: TensorOp, k: int) -> int:
        value = op.values[k]
        if isinstance(value, Name):
            return self.values[value.id]
        number = self._const_value(value)
        return self.b.const(
            number, _BOOL if isinstance(number, bool) else _I32 if isinstance(number, int) else _F32
        )

    def _pair(self, op: TensorOp, i: int, j: int) -> tuple[int, int]:
        """Return two operands in one type; a written number takes the other's where it can."""
        a, b = self._value(op, i), self._value(op, j)
        kind = promote(self.b[a].dtype, self.b[b].dtype)
        return self.b.cast(a, kind), self.b.cast(b, kind)

    def _const_value(self, e: Expr) -> bool | int | float:
        assert isinstance(e, Const)
        return e.value

    def _option(self, op: TensorOp, name: str, default: float) -> bool | int | float:
        found = dict(op.options).get(name)
        return default if found is None else evaluate(found, self.bound.sizes)

    def _axis(self, op: TensorOp, x: int, e: Expr) -> int:
        axis, rank = self._integer(e), len(self.b[x].shape)
        if not -rank <= axis < rank:
            self._refuse(op, "TENSOR_SHAPE", f"There is no axis {axis} of {_told(self.b[x].shape)}.")
        return axis % rank

    def _integer(self, e: Expr) -> int:
        return int(evaluate(e, self.bound.sizes))

    def _length(self, op: TensorOp, e: Expr) -> int:
        found = self._integer(e)
        if found < 1:
            self._refuse(op, "TENSOR_SHAPE", f"A length is {found} here.")
        return found

    def _shape(self, op: TensorOp) -> tuple[int, ...]:
        assert op.dims is not None
        shape: list[int] = []
        for d in op.dims:
            shape += self.bound.prefix if isinstance(d, str) else (self._length(op, d),)
        return tuple(shape)

    def _fits(self, op: TensorOp, *values: int) -> None:
        shapes = [self.b[v].shape for v in values]
        whole = broadcast(*shapes)
        for s in shapes:
            if any(d not in (1, w) for d, w in zip(s[::-1], whole[::-1], strict=False)):
                text = f"{' and '.join(_told(s) for s in dict.fromkeys(shapes) if s)} do not broadcast in `{op.op}`."
                self._refuse(op, "TENSOR_SHAPE", text)

    def _refuse(self, op: TensorOp, code: str, text: str) -> NoReturn:
        raise DslError((finding(code, op.line, text),))


_BY_WORD: dict[str, Callable[[_Maker, TensorOp], int]] = {
    "where": _Maker.where, "cast": _Maker.cast, "stored": _Maker.stored, "inv_count": _Maker.inv_count,
    "iota": _Maker.iota, "sort_values": _Maker.sort, "sort_places": _Maker.sort, "reshape": _Maker.reshape,
    "expand": _Maker.expand, "permute": _Maker.permute, "slice": _Maker.slice, "cat": _Maker.cat,
    "take": _Maker.take, "matmul": _Maker.matmul,
}  # fmt: skip


def _count(shape: Sequence[int]) -> int:
    n = 1
    for d in shape:
        n *= d
    return n


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _told(shape: Sequence[int]) -> str:
    return f"[{', '.join(map(str, shape))}]"
