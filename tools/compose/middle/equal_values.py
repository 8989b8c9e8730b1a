"""Make one of what is the same in every case: values of a graph, and templates of what lowering wrote in several forms.

Values that are equal in some cases alone, by chance, stay apart.

Lowering drops axes of length one and merges axes that adjoin in memory, so cases of one operator come out in several
structures: a batch of one, a width that windows cover exactly. Here a template is set up with the sizes of a case of
another structure. If what comes out is the case's own nest once such axes are dropped and merged, the template covers
the case: it joins the template's group, where it also takes part in the search for rules.
"""

from collections.abc import Mapping, Sequence

from akgen.tools.compose.front.graph import Graph, Node, skeleton
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.axes import LIBRARY
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.loop_nest import Access, Guard, LoopNest
from akgen.tools.compose.middle.symbolic_nest import Address, SymbolicNest
from akgen.tools.core.call import TensorMeta
from akgen.tools.dsl.expr import Expr
from akgen.tools.dsl.host_run import HostFacts, Metas

_NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "div": 1, "pow": 1}  # as right operand
_EITHER = ("add", "mul")
_Axes = tuple[tuple[int, int], ...]


def merge_equal(graphs: Sequence[Graph]) -> list[Graph]:
    """Return the graphs, whose constants are all apart, with equal values merged and neutral operations dropped.

    Done alike in all graphs of one skeleton, and where it holds in all of them.
    """
    alike: dict[object, list[int]] = {}
    for i, graph in enumerate(graphs):
        alike.setdefault(skeleton(graph), []).append(i)
    merged = list(graphs)
    for members in alike.values():
        for i, graph in zip(members, _merged([graphs[i] for i in members]), strict=True):
            merged[i] = graph
    return merged


def _merged(graphs: Sequence[Graph]) -> list[Graph]:
    nodes: list[tuple[Node, ...]] = []  # each as it is in every graph
    known: dict[tuple[Node, ...], int] = {}
    new: list[int] = []
    for column in zip(*(g.nodes for g in graphs), strict=True):
        args = tuple(new[a] for a in column[0].args)
        row = tuple(n.model_copy(update={"args": args}) for n in column)
        same = _neutral(row, nodes)
        if same is None:
            key = tuple(_untagged(n) for n in row)
            if row[0].op == "const" and len({n.value for n in key}) == 1:
                row = tuple(n.model_copy(update={"tag": max(n.tag, 0)}) for n in row)
            same = known.setdefault(key, len(nodes))
            if same == len(nodes):
                nodes.append(row)
        new.append(same)
    return [
        Graph(
            nodes=tuple(row[k] for row in nodes),
            outputs=tuple(o.model_copy(update={"node": new[o.node]}) for o in g.outputs),
            apart=g.apart,
        ).pruned()
        for k, g in enumerate(graphs)
    ]


def _untagged(node: Node) -> Node:
    """Return the node as one that stands for its value; 0.0 is not -0.0."""
    tag = max(node.tag, 0) if node.op == "const" else node.tag
    return node.model_copy(update={"value": repr(node.value), "tag": tag})


def _neutral(row: tuple[Node, ...], nodes: Sequence[tuple[Node, ...]]) -> int | None:
    """Return the operand of x + 0, x * 1, x / 1, x ** 1 where the other is that in all graphs."""
    op, args = row[0].op, row[0].args
    if op not in _NEUTRAL:
        return None
    for kept, other in ((0, 1), (1, 0)) if op in _EITHER else ((0, 1),):
        same = all(
            n.dtype == x.dtype and n.shape == x.shape for n, x in zip(row, nodes[args[kept]], strict=True)
        )
        if same and all(value == _NEUTRAL[op] for value in _constants(args[other], nodes)):
            return args[kept]
    return None


def _constants(index: int, nodes: Sequence[tuple[Node, ...]]) -> list[object]:
    """Return a constant's value in every graph, seen through views; None where it is no constant."""
    while nodes[index][0].op in ("expand", "reshape"):
        index = nodes[index][0].args[0]
    return [n.value if n.op == "const" else None for n in nodes[index]]


def in_form_of(
    templates: Sequence[SymbolicNest], case: TracedGraph, nests: Sequence[LoopNest], face: Interface
) -> tuple[LoopNest, ...] | None:
    """Return a case's nests in the templates' structure; None if the templates do not compute them."""
    if len(templates) != len(nests) or any(t.listed for t in templates):
        return None
    metas: dict[str, Metas] = dict(zip(face.input_names, case.inputs, strict=True))
    for k, name in enumerate(face.output_names):
        shape = case.output_shape(k)
        if shape is not None:
            metas.setdefault(name, TensorMeta(dtype=case.output_dtypes[k], shape=shape))
    facts = HostFacts(metas, dict(zip(face.attr_names, (value for _, value in case.attrs), strict=True)))
    found = []
    try:
        for template, nest in zip(templates, nests, strict=True):
            made = _set_up(template, nest, facts)
            if made is None or simplest(made) != simplest(nest):
                return None
            found.append(made)
    except (ZeroDivisionError, KeyError, IndexError, OverflowError):
        return None  # a rule has no numbers for this case
    return tuple(found)


def _set_up(template: SymbolicNest, nest: LoopNest, facts: HostFacts) -> LoopNest | None:
    """Return the template's nest with the sizes of a case, and with the constants of the case's own nest."""
    if len(template.values) != len(nest.values) or len(template.nest.stores) != len(nest.stores):
        return None
    if any(v.access is not None and v.access.places for v in template.values):
        return None  # of what the offset is made up for this case cannot be told
    for name, definition in zip(template.sizes, template.definitions, strict=True):
        facts.names[name.id] = facts.integer(definition)
    sizes = tuple(int(facts.names[name.id]) for name in template.sizes)
    values = tuple(
        mine.model_copy(
            update={
                "access": None if mine.access is None else _placed(mine.access, address, facts),
                "value": own.value,
                "tag": own.tag,
            }
        )
        for mine, own, address in zip(template.values, nest.values, template.addresses, strict=True)
    )
    stores = tuple(
        mine.model_copy(update={"access": _placed(mine.access, address, facts), "count": own.count})
        for mine, own, address in zip(template.nest.stores, nest.stores, template.stores, strict=True)
    )
    return LoopNest(
        sizes=sizes, values=values, stores=stores, phase=template.nest.phase, loop=template.nest.loop,
        turns=nest.turns,
    )  # fmt: skip


def _placed(access: Access, address: Address | None, facts: HostFacts) -> Access:
    if address is None:
        return access
    guards = tuple(
        Guard(
            offset=facts.integer(g.offset), strides=_strides(g.strides, facts), limit=facts.integer(g.limit)
        )
        for g in address.guards
    )
    changes = {
        "offset": facts.integer(address.offset),
        "turn": facts.integer(address.turn),
        "strides": _strides(address.strides, facts),
        "guards": guards,
        "scales": tuple(facts.integer(e) for e in address.scales),
        "limits": tuple(facts.integer(e) for e in address.limits),
    }
    return access.model_copy(update=changes)


def _strides(strides: tuple[tuple[int, Expr], ...], facts: HostFacts) -> _Axes:
    return tuple((axis, facts.integer(stride)) for axis, stride in strides)


def simplest(nest: LoopNest) -> LoopNest:
    """Return the nest without axes of length one, and with axes merged that everything walks as one."""
    without = _renamed(nest, {a: k for k, a in enumerate(a for a, n in enumerate(nest.sizes) if n > 1)})
    axis = 0
    while axis + 1 < len(without.sizes):
        merged = _merged_axes(without, axis)
        if merged is None:
            axis += 1
        else:
            without = merged
    return without


def _renamed(nest: LoopNest, new: Mapping[int, int]) -> LoopNest:
    """Return the nest with axes renumbered; those that are not in `new` are left out."""

    def axes(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(new[a] for a in old if a in new))

    def strides(old: _Axes) -> _Axes:
        return tuple(sorted((new[a], s) for a, s in old if a in new))

    def access(old: Access | None) -> Access | None:
        if old is None:
            return None
        guards = tuple(g.model_copy(update={"strides": strides(g.strides)}) for g in old.guards)
        return old.model_copy(update={"strides": strides(old.strides), "guards": guards})

    values = tuple(
        v.model_copy(update={"deps": axes(v.deps), "over": axes(v.over), "access": access(v.access)})
        for v in nest.values
    )
    stores = tuple(
        s.model_copy(update={"axes": axes(s.axes), "access": access(s.access)}) for s in nest.stores
    )
    sizes = {k: nest.sizes[a] for a, k in new.items()}
    changes = {"sizes": tuple(sizes[k] for k in sorted(sizes)), "values": values, "stores": stores}
    return nest.model_copy(update=changes)


def _merged_axes(nest: LoopNest, outer: int) -> LoopNest | None:
    """Return the nest with an axis and the next one as one axis, if everything walks them so."""
    inner, length = outer + 1, nest.sizes[outer + 1]
    forms: list[dict[int, int]] = []
    if any(v.op in LIBRARY for v in nest.values):
        return None  # their axes are given, not found
    for access in (*(v.access for v in nest.values), *(s.access for s in nest.stores)):
        if access is not None:
            forms += [dict(access.strides), *(dict(g.strides) for g in access.guards)]
    for form in forms:
        if (outer in form) != (inner in form) or form.get(outer, 0) != form.get(inner, 0) * length:
            return None
    sets: list[tuple[int, ...]] = [s.axes for s in nest.stores]
    for v in nest.values:
        sets += [v.deps, v.over]
    if any((outer in s) != (inner in s) for s in sets):
        return None
    # The merged axis has the stride of the inner one.
    new = {a: a - (a > outer) for a in range(len(nest.sizes)) if a != outer}
    merged = _renamed(nest, new)
    sizes = list(merged.sizes)
    sizes[outer] = nest.sizes[outer] * length
    return merged.model_copy(update={"sizes": tuple(sizes)})
