"""Constants that are really inputs: numbers that the operator gets in tensors and the trace saw as values."""

from collections.abc import Sequence

from akgen.tools.compose.front.traced import Origin, TracedGraph
from akgen.tools.compose.middle.facts import TRIVIAL_FLOATS
from akgen.tools.compose.middle.nest import Access, Nest, Value


def with_inputs(found: Sequence[tuple[Nest, ...]], cases: Sequence[TracedGraph]) -> list[tuple[Nest, ...]]:
    """Return the nests with constants replaced by loads where they equal an input's number in every case.

    The nests have one structure. A constant like 1 or 0 that never varies stays a constant.
    """
    columns = [list(parts) for parts in zip(*found, strict=True)]
    lifted = [_lift(column, cases) for column in columns]
    return [tuple(parts) for parts in zip(*lifted, strict=True)]


def _lift(nests: list[Nest], cases: Sequence[TracedGraph]) -> list[Nest]:
    values = [list(n.values) for n in nests]
    for i, value in enumerate(nests[0].values):
        if value.op != "const":
            continue
        numbers = [float(v[i].value or 0.0) for v in values]
        source = _source(numbers, cases, certain=value.tag > 0)
        if source is None:
            continue
        load = Value(op="load", dtype=value.dtype, origin=Origin(input=source), access=Access())
        for v in values:
            v[i] = load
    return [
        n if tuple(v) == n.values else n.model_copy(update={"values": tuple(v)})
        for n, v in zip(nests, values, strict=True)
    ]


def _source(numbers: list[float], cases: Sequence[TracedGraph], *, certain: bool) -> int | None:
    """Return the input whose single number these are in all cases; 0 and 1 are only taken for one if `certain`."""
    if len(set(numbers)) == 1 and numbers[0] in TRIVIAL_FLOATS and not certain:
        return None
    for i, _ in cases[0].scalars:
        known = [dict(c.scalars).get(i) for c in cases]
        if all(k is not None and len(k) == 1 and _near(k[0], x) for k, x in zip(known, numbers, strict=True)):
            return i
    return None


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(1.0, abs(a))
