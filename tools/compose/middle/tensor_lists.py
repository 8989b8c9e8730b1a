"""Lists of tensors: one loop nest that serves every element of a DYNAMIC input.

The trace unrolls a list, one output per element. The unrolled nests must be alike; then axis 0 becomes the position
in the list and axis 1 the elements of one tensor. A load from a tensor that is not a list may be at the list position
(a scalar per tensor). Covered: pointwise functions and reductions of whole tensors; what is not is computed tensor by
tensor, as other outputs are.
"""

from collections.abc import Sequence

from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.graph import Graph
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.loop_nest import Access, LoopNest, OutputStore, Value
from akgen.tools.compose.middle.lowering import loop_nests
from akgen.tools.compose.middle.sink_slices import sink_slices
from akgen.tools.compose.scope import Unsupported

POSITION, ELEMENT = 0, 1  # the axes of a list nest


def is_listed(cases: Sequence[TracedGraph]) -> bool:
    """Return whether the output is a list of tensors, as long as the call makes it."""
    return any(o.element is not None for c in cases for o in c.outputs)


def list_loop_nest(case: TracedGraph, *, faithful: bool = False) -> LoopNest:
    """Return the nest of one case. Raises Unsupported if elements are computed in different ways."""
    if not case.outputs or any(o.element is None for o in case.outputs):
        raise Unsupported("list", "lists of tensors that are joined into one output are not covered")
    graph = import_graph(case, faithful=faithful)
    found: list[LoopNest] = []
    for k, output in enumerate(graph.outputs):
        single = Graph(nodes=graph.nodes, outputs=(output,))
        parts = loop_nests(sink_slices(single))
        if len(parts) != 1:
            raise Unsupported("list", "an element made of several pieces is not covered")
        found.append(_generic(parts[0], case, k))
    full = [n for n in found if _width(n, case) > 1] or found
    first = full[0]
    for other in full[1:]:
        if _shape(other) != _shape(first):
            raise Unsupported("list", "the elements of the list are computed in different ways")
    return first.model_copy(update={"sizes": (len(found), first.sizes[1])})


def _shape(nest: LoopNest) -> object:
    return (nest.values, nest.stores)


def _width(nest: LoopNest, case: TracedGraph) -> int:
    del case
    return nest.sizes[1]


def _generic(nest: LoopNest, case: TracedGraph, position: int) -> LoopNest:
    """Rewrite one element's nest over (position, element)."""
    if len(nest.sizes) > 1:
        raise Unsupported("list", "an element with more than one axis (a broadcast, say) is not covered")
    size = nest.sizes[0] if nest.sizes else 1
    values: list[Value] = []
    for v in nest.values:
        deps: set[int] = set()
        access = v.access
        if v.op == "load":
            deps, access = _list_load(v, case, position, whole=bool(nest.sizes))
        elif v.op == "iota":
            raise Unsupported("list", "positions within the tensors of a list are not covered")
        elif v.op == "scan":
            raise Unsupported("list", f"a running {v.kind} along the tensors of a list is not covered")
        elif v.op == "reduce":
            deps = set(values[v.args[0]].deps) - {ELEMENT}
        else:
            deps = set().union(*(values[a].deps for a in v.args)) if v.args else set()
        over = tuple(ELEMENT for _ in v.over)
        origin = None if v.origin is None else v.origin.model_copy(update={"element": None})
        changes = {"deps": tuple(sorted(deps)), "access": access, "over": over, "origin": origin}
        values.append(v.model_copy(update=changes))
    (store,) = nest.stores
    kept = ELEMENT in values[store.value].deps or bool(store.axes) or _is_pointwise(nest)
    new = OutputStore(
        value=store.value, output=store.output, dtype=store.dtype, whole=True,
        axes=(POSITION, ELEMENT) if kept else (POSITION,),
        access=Access(strides=((ELEMENT, 1),) if kept else ()),
    )  # fmt: skip
    return LoopNest(sizes=(0, size), values=tuple(values), stores=(new,), listed=True)


def _is_pointwise(nest: LoopNest) -> bool:
    return not any(v.op == "reduce" for v in nest.values)


def _list_load(v: Value, case: TracedGraph, position: int, *, whole: bool) -> tuple[set[int], Access]:
    assert v.origin is not None and v.access is not None and v.origin.input is not None
    listed = isinstance(case.inputs[v.origin.input], tuple)
    if listed:
        if v.origin.element != position:
            raise Unsupported("list", "an element that is computed from another element is not covered")
        plain = v.access.offset == 0 and all(s == 1 for _, s in v.access.strides)
        if not plain or (whole and not v.access.strides):
            raise Unsupported("list", "a part of an element is not covered")
        return {POSITION, ELEMENT}, Access(strides=((ELEMENT, 1),))
    if v.access.strides:
        raise Unsupported("list", "a tensor that is not a list is combined with one element by element")
    meta = case.inputs[v.origin.input]
    one = meta is not None and not isinstance(meta, tuple) and meta.count == 1
    if v.access.offset == position and not one:
        return {POSITION}, Access(strides=((POSITION, 1),))
    if v.access.offset == 0:
        return set(), Access()
    raise Unsupported("list", "a value taken from another position of a list is not covered")
