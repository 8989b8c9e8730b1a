"""Trace shapes that a task does not list, so that what is equal by chance in few cases is not taken for a rule."""

from collections.abc import Mapping, Sequence

from akgen.tools.compose.front.traced import Trace, TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Task
from akgen.tools.reference.drawn_shapes import far_witness, near_witness

ENOUGH = 5  # shapes of the same ranks that need no witness
FEW = 4  # cases, of a task for which two witnesses are drawn beside each
MOST = 3  # cases that witnesses are drawn beside
LARGEST_BYTES = 1 << 26  # of a case that a witness is drawn beside


class Witnesses(Frozen):
    """Traces of cases that nobody asked for: of the kind of the listed ones, and `far` from them."""

    near: tuple[TracedGraph, ...] = ()
    far: tuple[TracedGraph, ...] = ()


def traced_witnesses(task: Task, traced: Mapping[str, TracedGraph], trace: Trace) -> Witnesses:
    """Return the traces of up to two cases beside each of a few listed ones; none for a static task."""
    if task.mode is not Mode.DYNAMIC or len(task.cases) < 2 or task.own_checker or not task.draws_shapes:
        return Witnesses()
    graphs = dict(traced)

    def describe(case: Case) -> Call:
        try:
            if case.id not in graphs:
                graphs[case.id] = trace(task.reference, case)
        except Unsupported as refused:
            raise InputError(refused.sentence, "Take a listed case.") from refused
        return _call(graphs[case.id])

    near: list[Case | None] = []
    far: list[Case | None] = []
    for base in _bases(task.cases, traced):
        far.append(far_witness(task.cases, base, describe))
        if far[-1] is None or len(task.cases) <= FEW:
            near.append(near_witness(task.cases, base, describe, seed=len(near)))
    return Witnesses(
        near=tuple(graphs[case.id] for case in near if case is not None),
        far=tuple(graphs[case.id] for case in far if case is not None),
    )


def _bases(cases: Sequence[Case], traced: Mapping[str, TracedGraph]) -> list[Case]:
    """Return the cases that witnesses are drawn beside: one of each dtype where few have its ranks."""
    size = {c.id: _call(traced[c.id]).size_bytes for c in cases}
    kinds: dict[object, Case] = {}
    shapes: dict[object, set[object]] = {}
    for case in sorted(cases, key=lambda c: size[c.id]):
        metas = _tensors(traced[case.id])
        ranks = tuple(len(m.shape) for m in metas)
        shapes.setdefault(ranks, set()).add(tuple(m.shape for m in metas))
        kinds.setdefault((ranks, *(m.dtype for m in metas)), case)
    ranks_of = {c.id: tuple(len(m.shape) for m in _tensors(traced[c.id])) for c in kinds.values()}
    few = [c for c in kinds.values() if len(shapes[ranks_of[c.id]]) < ENOUGH and size[c.id] <= LARGEST_BYTES]
    return sorted(few, key=lambda c: len(shapes[ranks_of[c.id]]))[:MOST]


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
