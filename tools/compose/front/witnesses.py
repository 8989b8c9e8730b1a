"""Trace shapes and attributes that a task does not list: what is equal by chance in few cases is no rule."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from akgen.tools.compose.front.traced import CaseTracer, TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Task
from akgen.tools.reference.drawn_shapes import far_witnesses, near_witness

ENOUGH = 5  # shapes of one kind that need no witness
FEW = 4  # cases, of a task for which near witnesses are drawn as well
MOST = 5  # cases that witnesses are drawn beside
LARGEST_BYTES = 1 << 26  # of a case that a witness is drawn beside


class Witnesses(Frozen):
    """Traces of cases that nobody asked for: of the kind of the listed ones, `far` from them, with other attributes."""

    near: tuple[TracedGraph, ...] = ()
    far: tuple[TracedGraph, ...] = ()
    altered: tuple[TracedGraph, ...] = ()


def traced_witnesses(task: Task, traced: Mapping[str, TracedGraph], trace: CaseTracer) -> Witnesses:
    """Return the traces of a few cases beside each of a few listed ones; none for a static task."""
    if task.mode is not Mode.DYNAMIC or task.own_checker or not task.draws_shapes:
        return Witnesses()
    altered = tuple(_altered(task, traced, trace))
    if len(task.cases) < 2:
        return Witnesses(altered=altered)
    graphs = dict(traced)

    def describe(case: Case) -> Call:
        try:
            if case.id not in graphs:
                graphs[case.id] = trace(task.reference, case)
        except Unsupported as refused:
            raise InputError(refused.sentence, "Take a listed case.") from refused
        return _call(graphs[case.id])

    near: list[Case | None] = []
    far: list[Case] = []
    for base in _bases(task.cases, traced):
        beyond = far_witnesses(task.cases, base, describe)
        far += beyond
        if not beyond or len(task.cases) <= FEW:
            near.append(near_witness(task.cases, base, describe, seed=len(near)))
    return Witnesses(
        near=tuple(graphs[case.id] for case in near if case is not None),
        far=tuple(graphs[case.id] for case in far),
        altered=altered,
    )


def _altered(task: Task, traced: Mapping[str, TracedGraph], trace: CaseTracer) -> Iterator[TracedGraph]:
    """Yield a case of each of a few kinds with other attributes, if two are the same number in every case, or one is
    the same everywhere."""
    columns = list(zip(*([v for _, v in g.attrs] for g in traced.values()), strict=True))
    numbers = [c for c in columns if all(isinstance(v, float) for v in c)]
    if len(set(numbers)) == len(numbers) and all(len(set(c)) > 1 for c in numbers):
        return
    for case in list(_kinds(task.cases, traced).values())[:MOST]:
        with suppress(Unsupported):
            yield trace(task.reference, case, altered=True)


def _bases(cases: Sequence[Case], traced: Mapping[str, TracedGraph]) -> list[Case]:
    """Return the cases that witnesses are drawn beside: one of each kind that few shapes are of."""
    shapes: dict[object, set[object]] = {}
    for case in cases:
        shapes.setdefault(_kind(traced[case.id]), set()).add(
            tuple(m.shape for m in _tensors(traced[case.id]))
        )
    count = {c.id: len(shapes[_kind(traced[c.id])]) for c in cases}
    kinds = _kinds(cases, traced).values()
    few = [c for c in kinds if count[c.id] < ENOUGH and _size_bytes(traced[c.id]) <= LARGEST_BYTES]
    return sorted(few, key=lambda c: count[c.id])[:MOST]


def _kinds(cases: Sequence[Case], traced: Mapping[str, TracedGraph]) -> dict[object, Case]:
    """Return the smallest case of each kind, smaller ones first."""
    kinds: dict[object, Case] = {}
    for case in sorted(cases, key=lambda c: _size_bytes(traced[c.id])):
        kinds.setdefault(_kind(traced[case.id]), case)
    return kinds


def _kind(graph: TracedGraph) -> object:
    """Return what makes a graph of its own: ranks, dtypes (conversions) and axes of one element (no loop over them)."""
    return tuple((m.dtype, *(n == 1 for n in m.shape)) for m in _tensors(graph))


def _size_bytes(graph: TracedGraph) -> int:
    return _call(graph).size_bytes


def _tensors(graph: TracedGraph) -> list[TensorMeta]:
    return [t for m in graph.inputs for t in (m if isinstance(m, tuple) else (m,)) if t is not None]


def _call(graph: TracedGraph) -> Call:
    shapes = [graph.output_shape(k) for k in range(len(graph.output_dtypes))]
    outputs = (
        OutputMeta(meta=TensorMeta(dtype=dtype, shape=shape))
        for dtype, shape in zip(graph.output_dtypes, shapes, strict=True)
        if shape is not None
    )
    attrs = (Attr(name=name, value=value) for name, value in graph.attrs)
    return Call(inputs=graph.inputs, attrs=tuple(attrs), outputs=tuple(outputs))
