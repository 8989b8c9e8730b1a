"""Find the nests that half-precision tensors can be computed in as they are, without going to float32 and back.

One table says what the vector unit does in half exactly as PyTorch does it on half tensors: operations whose results
are numbers that half holds anyway, and single operations that PyTorch rounds to half one by one. A nest of nothing
else takes tiles of `native(x.dtype)`; all others are computed in float32. Sums and products of many numbers are not
here: they are accumulated in float32.
"""

import math
import struct
from collections.abc import Sequence

from akgen.tools.compose.front.graph import needed_by
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.axes import LIBRARY
from akgen.tools.compose.middle.loop_nest import LoopNest, Value
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import Const

# Results are numbers of the operands' type, or truth values; PyTorch takes a number beside them in that type, too.
EXACT = frozenset([
    "neg", "abs", "relu", "max", "min", "where", "cast", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not",
    "isnan", "isinf", "isfinite",
])  # fmt: skip
# Both round the exact result to the nearest number once, where the operation is one of PyTorch's own.
ROUNDED = frozenset(["add", "sub", "mul"])
STORED = frozenset([DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, DType.BOOL])
LARGEST_HALF = 65504.0


def native_form(
    template: SymbolicNest, cases: Sequence[TracedGraph], nests: Sequence[LoopNest]
) -> SymbolicNest:
    """Return the template without its roundings, for native tiles, if all its cases allow that; else as it is.

    Where results are rounded to half one by one, but not all of them can be computed in half, those that can are.
    """
    if not template.values:
        return template
    if any(v.op == "round_float16" for v in template.values):
        halves = _Halves(template, cases)
        return halves.template() if halves.serves() else template
    if any(s.temp is not None for s in template.nest.stores):
        return template
    types = [_type(template, case) for case in cases]
    allowed = all(
        _allowed(i, v, template, [n.values[i].rounded for n in nests], types)
        for i, v in enumerate(template.values)
    )
    return template.model_copy(update={"plain": template}) if allowed else template


def _type(template: SymbolicNest, case: TracedGraph) -> DType | None:
    """Return the one type of floats that the nest works on in a case; None if there is none, or another."""
    inputs = {v.origin.input for v in template.values if v.op == "load" and v.dtype.is_float and v.origin}
    found = {None if i is None else _first(case.inputs[i]) for i in inputs}
    written = {s.dtype for s in template.nest.stores}
    outputs = {case.output_dtypes[s.output] for s in template.nest.stores if s.output is not None}
    if not found:
        found = {d for d in outputs if d.is_float}
    return found.pop() if len(found) == 1 and written | outputs <= STORED else None


def _first(value: TensorMeta | tuple[TensorMeta, ...] | None) -> DType | None:
    first = value[0] if isinstance(value, tuple) and value else value
    return first.dtype if isinstance(first, TensorMeta) else None


def _allowed(
    index: int,
    v: Value,
    template: SymbolicNest,
    rounded: Sequence[DType | None],
    types: Sequence[DType | None],
) -> bool:
    if None in types:
        return False
    whole = [template.values[a].dtype == DType.INT32 for a in v.args]
    if v.op == "load" or v.dtype == DType.INT32:
        return v.op in ("load", "const", "iota", "add", "sub", "mul", "max", "min", "neg") and (
            v.op == "load" or all(whole)
        )
    if v.op == "const":
        return not _overflows(template.constants[index])
    if any(whole):
        return False
    if v.op in ROUNDED:
        numbers = [template.constants[a] for a in v.args if template.values[a].op == "const"]
        return all(r == t for r, t in zip(rounded, types, strict=True)) and all(map(_held, numbers))
    return v.op in EXACT


def _overflows(number: object) -> bool:
    """Return whether a written number is finite, but not in half."""
    return isinstance(number, Const) and LARGEST_HALF < abs(float(number.value)) < 3.5e38


def _held(number: object) -> bool:
    """Return whether a number is written, and half holds it."""
    if not isinstance(number, Const) or not abs(float(number.value)) <= LARGEST_HALF:
        return False
    value = float(number.value)
    return bool(math.isclose(struct.unpack("e", struct.pack("e", value))[0], value, rel_tol=0.0))


class _Halves:
    """Rewrites a template of half tensors, whose results are rounded one by one: float16 values, and casts between.

    A value may be had as half, in float32, or both; roundings are casts to half, of half values nothing.
    """

    def __init__(self, template: SymbolicNest, cases: Sequence[TracedGraph]) -> None:
        self.t, self.cases = template, cases
        self.values: list[Value] = []
        self.sources: list[
            int | None
        ] = []  # of each new value: the old one, whose address and constant it has
        self.half: dict[int, int] = {}  # old value to new, as half
        self.wide: dict[int, int] = {}
        used = {a for v in template.values for a in v.args}
        halves = {s.value for s in template.nest.stores if s.dtype == DType.FLOAT16 and s.temp is None}
        self.last = halves - used  # what is rounded where it is stored

    def serves(self) -> bool:
        """Return whether nothing in the nest asks for its operands as they lie in memory."""
        return not any(v.op in LIBRARY or v.op == "scan" for v in self.t.values)

    def template(self) -> SymbolicNest:
        for i, v in enumerate(self.t.values):
            self._place(i, v)
        stores = tuple(
            s.model_copy(
                update={"value": self._in_float(s.value) if s.temp is not None else self._any(s.value)}
            )
            for s in self.t.nest.stores
        )
        self._widen_loads({s.value for s in stores})
        kept = sorted(needed_by((s.value for s in stores), self.values))
        new = {old: k for k, old in enumerate(kept)}
        values = tuple(
            self.values[i].model_copy(update={"args": tuple(new[a] for a in self.values[i].args)})
            for i in kept
        )
        stores = tuple(s.model_copy(update={"value": new[s.value]}) for s in stores)
        origins = [self.sources[i] for i in kept]
        return self.t.model_copy(
            update={
                "nest": self.t.nest.model_copy(update={"values": values, "stores": stores}),
                "addresses": tuple(None if i is None else self.t.addresses[i] for i in origins),
                "constants": tuple(None if i is None else self.t.constants[i] for i in origins),
                "plain": self.t,
            }
        )

    def _widen_loads(self, stored: set[int]) -> None:
        """Let loads that are needed in float32 alone come so."""
        users: dict[int, set[int]] = {}
        for i, v in enumerate(self.values):
            for a in v.args:
                users.setdefault(a, set()).add(i)
        for i, v in enumerate(self.values):
            mine = users.get(i, set())
            casts = all(self.values[u].op == "cast" and self.values[u].dtype == DType.FLOAT32 for u in mine)
            if v.op == "load" and v.dtype == DType.FLOAT16 and mine and casts and i not in stored:
                self.values[i] = v.model_copy(update={"dtype": DType.FLOAT32})
                for k, w in enumerate(self.values):
                    args = tuple(i if a in mine else a for a in w.args)
                    self.values[k] = w if args == w.args else w.model_copy(update={"args": args})

    def _add(self, value: Value, source: int | None) -> int:
        self.values.append(value)
        self.sources.append(source)
        return len(self.values) - 1

    def _place(self, i: int, v: Value) -> None:
        if v.op == "round_float16" and v.args[0] in self.half:
            self.half[i] = self.half[v.args[0]]
        elif v.op == "round_float16" and v.deps and self._rounds_itself(v.args[0]):
            inner = self.t.values[v.args[0]]
            self.half[i] = self._in_half(v.args[0], inner)
        elif v.op == "round_float16" and v.deps:
            cast = v.model_copy(
                update={"op": "cast", "args": (self._in_float(v.args[0]),), "dtype": DType.FLOAT16}
            )
            self.half[i] = self._add(cast, None)
        elif i in self.last and v.deps and self._rounds_itself(i):
            self.half[i] = self._in_half(i, v)
        elif v.op == "load" and v.dtype == DType.FLOAT32 and v.deps and self._is_half(v):
            args = tuple(self._in_float(a) for a in v.args)  # indices
            self.half[i] = self._add(v.model_copy(update={"dtype": DType.FLOAT16, "args": args}), i)
        elif v.op in EXACT and v.op != "cast" and v.deps and self._of_halves(v):
            self.half[i] = self._in_half(i, v)
        else:
            args = tuple(self._in_float(a) for a in v.args)
            self.wide[i] = self._add(v.model_copy(update={"args": args}), i)

    def _is_half(self, load: Value) -> bool:
        where = None if load.origin is None else load.origin.input
        return where is not None and {_first(c.inputs[where]) for c in self.cases} == {DType.FLOAT16}

    def _rounds_itself(self, i: int) -> bool:
        """Return whether the value is one operation of PyTorch's that half tiles round as it does."""
        v = self.t.values[i]
        numbers = [self.t.constants[a] for a in v.args if self.t.values[a].op == "const"]
        return (
            v.op in ROUNDED and v.rounded == DType.FLOAT16 and self._of_halves(v) and all(map(_held, numbers))
        )

    def _of_halves(self, v: Value) -> bool:
        """Return whether the operands are halves or masks, and numbers beside them."""
        floats = [a for a in v.args if self.t.values[a].dtype == DType.FLOAT32]
        tiles = [a for a in floats if a in self.half]
        others = [self.t.values[a] for a in floats if a not in self.half]
        single = all(o.op == "const" or (o.op == "load" and not o.deps and self._is_half(o)) for o in others)
        written = (self.t.constants[a] for a in floats if self.t.values[a].op == "const")
        whole = any(self.t.values[a].dtype == DType.INT32 for a in v.args)
        return bool(tiles) and single and not whole and not any(map(_overflows, written))

    def _in_half(self, i: int, v: Value) -> int:
        args = tuple(self.half[a] if a in self.half else self.wide[a] for a in v.args)
        dtype = v.dtype if v.dtype == DType.BOOL else DType.FLOAT16
        found = self._add(v.model_copy(update={"args": args, "dtype": dtype}), i)
        if dtype == DType.BOOL:
            self.wide[i] = found
        return found

    def _in_float(self, i: int) -> int:
        """Return the value in float32: a cast of it where it is half; a load that nothing else uses comes so."""
        if i not in self.wide:
            v = self.t.values[i]
            cast = Value(op="cast", args=(self.half[i],), dtype=DType.FLOAT32, deps=v.deps)
            self.wide[i] = self._add(cast, None)
        return self.wide[i]

    def _any(self, i: int) -> int:
        return self.half[i] if i in self.half else self.wide[i]
