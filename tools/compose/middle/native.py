"""Find the nests that half-precision tensors can be computed in as they are, without going to float32 and back.

One table says what the vector unit does in half exactly as PyTorch does it on half tensors: operations whose results
are numbers that half holds anyway, and single operations that PyTorch rounds to half one by one. A nest of nothing
else takes tiles of `native(x.dtype)`; all others are computed in float32. Sums and products of many numbers are not
here: they are accumulated in float32.
"""

import math
import struct
from collections.abc import Sequence

from akgen.tools.compose.front.traced import TracedGraph
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
    """Return the template without its roundings, for native tiles, if all its cases allow that; else as it is."""
    if not template.values or any(s.temp is not None for s in template.nest.stores):
        return template
    types = [_type(template, case) for case in cases]
    allowed = all(
        _allowed(i, v, template, [n.values[i].rounded for n in nests], types)
        for i, v in enumerate(template.values)
    )
    return _stripped(template) if allowed else template


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
    if v.op.startswith("round_"):
        return v.op == "round_float16" and set(types) == {DType.FLOAT16}
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


def _stripped(template: SymbolicNest) -> SymbolicNest:
    """Return the template, marked, without roundings to half: nothing is computed beyond half."""
    new: dict[int, int] = {}
    kept: list[int] = []
    for i, v in enumerate(template.values):
        if v.op.startswith("round_"):
            new[i] = new[v.args[0]]
        else:
            new[i] = len(kept)
            kept.append(i)
    values = tuple(
        template.values[i].model_copy(update={"args": tuple(new[a] for a in template.values[i].args)})
        for i in kept
    )
    stores = tuple(s.model_copy(update={"value": new[s.value]}) for s in template.nest.stores)
    return template.model_copy(
        update={
            "nest": template.nest.model_copy(update={"values": values, "stores": stores}),
            "addresses": tuple(template.addresses[i] for i in kept),
            "constants": tuple(template.constants[i] for i in kept),
            "plain": template,
        }
    )
