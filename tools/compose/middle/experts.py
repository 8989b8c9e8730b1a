"""Make one product of rows grouped by branch of products of which each row wants one: mixtures of experts.

`where(m2, f(x, w2), where(m1, f(x, w1), …))` chooses a branch for each row, and so does a sum of
`where(chosen == e, f(x, w[e]), 0)` over e. Both are f(x, w[g]) with the number g of the row's branch, if the branches
differ in their weights alone: as many products as there are rows, not as rows times branches.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import VIEWS, Graph, Node, viewed
from akgen.tools.compose.middle.grouped_rows import BOOL, Differs, GroupedRows

_FIRST_TAG = 2_000_000  # of constants made here
_WORTH_SORTING = 4  # branches for whose sake rows are sorted


class Branched(NamedTuple):
    """Values of which each row takes one; a later one's mask is asked first."""

    top: int  # the node that is replaced
    like: int  # a `where` of the choice's shape
    masks: tuple[tuple[int, ...], ...]  # conditions that hold together, by node
    values: tuple[int, ...]
    rest: int | None  # what stands where no mask holds
    outer: tuple[int, ...] = ()  # of a term of the sum: views and sums around the choice, from the inside
    others: tuple[int, ...] = ()  # further terms of the sum


def grouped(graph: Graph) -> Graph:
    """Return the graph with such products grouped; the same graph if there are none."""
    nodes = graph.nodes
    found = {c.top: c for c in _candidates(nodes)}
    if not found:
        return graph
    b = GraphBuilder(apart=graph.apart, first=_FIRST_TAG)
    new: dict[int, int] = {}
    changed = False
    for i, node in enumerate(nodes):
        made = _written(b, nodes, new, found[i]) if i in found else None
        changed |= made is not None
        plain = node.model_copy(update={"args": tuple(new[a] for a in node.args)})
        new[i] = b.add(plain) if made is None else made
    if not changed:
        return graph
    return b.graph(tuple(o.model_copy(update={"node": new[o.node]}) for o in graph.outputs))


def _candidates(nodes: Sequence[Node]) -> Iterator[Branched]:
    """Yield choices among products, those that hold others of them first."""
    inside: set[int] = set()
    for i in range(len(nodes) - 1, -1, -1):
        if i in inside:
            continue
        chain, passed = _choice(nodes, i) if nodes[i].op == "where" else _sum(nodes, i)
        inside |= passed
        if chain is not None:
            yield chain


def _choice(nodes: Sequence[Node], top: int) -> tuple[Branched | None, set[int]]:
    """Return what a chain of `where` chooses among, and the members of the chain."""
    masks: list[tuple[int, ...]] = []
    values: list[int] = []
    passed: set[int] = set()
    at = top
    while nodes[at].op == "where" and nodes[at].shape == nodes[top].shape:
        passed.add(at)
        condition, value, other = nodes[at].args
        held = [condition]
        while (
            math.prod(nodes[held[-1]].shape) == 1
            and nodes[value].op == "where"
            and nodes[value].args[2] == other
        ):
            passed.add(value)  # a branch that is taken only if some number says so
            condition, value, _ = nodes[value].args
            held.append(condition)
        masks.append(tuple(held))
        values.append(value)
        at = other
    found = Branched(top, top, tuple(reversed(masks)), tuple(reversed(values)), at)
    return found if values else None, passed


def _sum(nodes: Sequence[Node], top: int) -> tuple[Branched | None, set[int]]:
    """Return what a sum of chosen values chooses among: at most one of them is not 0."""
    terms: list[int] = []
    passed: set[int] = set()
    at = top
    while nodes[at].op == "add" and nodes[at].shape == nodes[top].shape:
        passed.add(at)
        at, term = nodes[at].args
        terms.append(term)
    terms = [at, *reversed(terms)]
    split = [_term(nodes, t) for t in terms]
    chosen = [s for s in split if s is not None]
    forms = {tuple((nodes[o].op, nodes[o].shape, nodes[o].axes) for o in outer) for _, outer in chosen}
    wheres = [nodes[w] for w, _ in chosen]
    masks = [n.args[0] for n in wheres]
    if len(chosen) < 2 or len(forms) != 1 or not _exclude_each_other(nodes, masks):
        return None, set()
    like, outer = chosen[0]
    others = tuple(t for t, s in zip(terms, split, strict=True) if s is None)
    values = tuple(n.args[1] for n in wheres)
    return Branched(top, like, tuple((m,) for m in masks), values, None, outer, others), passed


def _term(nodes: Sequence[Node], index: int) -> tuple[int, tuple[int, ...]] | None:
    """Return a `where(mask, value, 0)` below views and sums, and these from the inside."""
    outer: list[int] = []
    while nodes[index].op in VIEWS or (nodes[index].op == "reduce" and nodes[index].kind == "sum"):
        outer.append(index)
        (index,) = nodes[index].args
    node = nodes[index]
    if node.op != "where" or nodes[node.args[2]].op != "const" or nodes[node.args[2]].value != 0:
        return None
    return index, tuple(reversed(outer))


def _exclude_each_other(nodes: Sequence[Node], masks: Sequence[int]) -> bool:
    """Return whether the masks compare one value with different numbers."""
    found = [_compared(nodes, m) for m in masks]
    tests = [f for f in found if f is not None]
    return len(tests) == len(found) and len({v for v, _ in tests}) == 1 and len(set(tests)) == len(tests)


def _compared(nodes: Sequence[Node], mask: int) -> tuple[object, object] | None:
    """Return what a condition compares with which number: `x == 3`, or the fourth of what marks each number of x."""
    start: int | None = None
    axis = 0
    while True:
        node = nodes[mask]
        if node.op == "ne" and nodes[node.args[1]].op == "const" and nodes[node.args[1]].value == 0:
            pass  # of a truth value as a number
        elif node.op == "slice" and node.cut is not None and node.shape[node.cut.axis] == 1 and start is None:
            axis, start = node.cut.axis, node.cut.start
        elif start is not None and node.op == "permute":
            axis = node.axes[axis]
        elif node.op != "cast" and (node.op not in VIEWS or start is not None):
            break
        mask = node.args[0]
    if node.op != "eq":
        return None
    value, number = node.args
    if start is None:
        at = nodes[viewed(nodes, number)]
        return (viewed(nodes, value), at.value) if at.op == "const" else None
    marks = (
        nodes[viewed(nodes, number)].op == "iota" and _extent(nodes[number], node, axis) == node.shape[axis]
    )
    return (mask, start) if marks and _extent(nodes[value], node, axis) == 1 else None


def _extent(operand: Node, node: Node, axis: int) -> int:
    """Return the length of an operand along an axis of what it broadcasts to."""
    own = axis - len(node.shape) + len(operand.shape)
    return operand.shape[own] if own >= 0 else 1


def _written(b: GraphBuilder, nodes: Sequence[Node], new: dict[int, int], found: Branched) -> int | None:
    """Return the value that takes the place of a choice; None where its branches are not alike."""
    shape, rest = nodes[found.like].shape, found.rest
    if rest is not None and nodes[rest].shape == shape and nodes[rest].op not in VIEWS | {"load", "const"}:
        made = _chosen(b, nodes, new, (None, *found.masks), (rest, *found.values), shape)
        if made is not None:
            return made
    made = _chosen(b, nodes, new, found.masks, found.values, shape)
    if made is None:
        return None
    inside: int | None = None
    for held in found.masks:
        mask = _all_of(b, [new[m] for m in held])
        inside = mask if inside is None else b.binary("or", inside, mask, BOOL)
    assert inside is not None
    result = b.where(inside, made, b.const(0.0, b[made].dtype) if rest is None else new[rest])
    for o in found.outer:
        result = b.add(nodes[o].model_copy(update={"args": (result,)}))
    for other in found.others:
        result = b.binary("add", new[other], result)
    return result


def _all_of(b: GraphBuilder, conditions: Sequence[int]) -> int:
    result, *others = conditions
    for other in others:
        result = b.binary("and", result, other, BOOL)
    return result


def _chosen(
    b: GraphBuilder,
    nodes: Sequence[Node],
    new: dict[int, int],
    masks: Sequence[tuple[int, ...] | None],
    values: Sequence[int],
    shape: tuple[int, ...],
) -> int | None:
    """Return the branches' values, of this shape, each where its mask holds; None where they are not alike."""
    conditions = [m for held in masks if held is not None for m in held]
    axes = max((_reach(nodes[m].shape, len(shape)) for m in conditions), default=0)
    forms = {nodes[v].shape for v in values}
    ordered = not any(_reads_rows(nodes, m) for m in conditions)
    if not 0 < axes < len(shape) or len(forms) != 1 or len(values) < (2 if ordered else _WORTH_SORTING):
        return None
    (form,) = forms
    if len(form) != len(shape) or any(d not in (1, w) for d, w in zip(form, shape, strict=True)):
        return None
    lead, before = shape[:axes], len(b.nodes)
    flat: list[int | None] = []
    for held in masks:
        wide = None if held is None else _all_of(b, [new[m] for m in held])
        if wide is not None:
            own = (*[1] * (len(shape) - len(b[wide].shape)), *b[wide].shape)[:axes]
            wide = b.reshape(b.expand(b.reshape(wide, own), lead), (math.prod(lead),))
        flat.append(wide)
    rows = GroupedRows(b, nodes, new, lead, flat)
    if not ordered and math.prod(lead) > len(values):
        rows.sort()
    try:
        made = rows.lifted(tuple(values), form[:axes], axes)
    except Differs:
        return None
    if not any(n.op == "contract_groups" for n in b.nodes[before:]):
        return None
    return b.expand(b.reshape(made, (*lead, *form[axes:])), shape)


def _reach(shape: tuple[int, ...], rank: int) -> int:
    """Return how many leading axes hold all along which a condition varies."""
    last = max((k for k, d in enumerate(shape) if d != 1), default=-1)
    return 0 if last < 0 else last + 1 + rank - len(shape)


def _reads_rows(nodes: Sequence[Node], mask: int) -> bool:
    """Return whether a condition depends on what lies in each row, not on the row's place alone."""
    stack, seen = [mask], set[int]()
    while stack:
        i = stack.pop()
        if i in seen or math.prod(nodes[i].shape) == 1:
            continue
        seen.add(i)
        if nodes[i].op == "reduce" and _counts_ends(nodes, nodes[i].args[0]):
            continue
        if nodes[i].op not in VIEWS and not nodes[i].pointwise and nodes[i].op not in ("iota", "const"):
            return True
        stack.extend(nodes[i].args)
    return False


def _counts_ends(nodes: Sequence[Node], index: int) -> bool:
    """Return whether truths compare each row's place with ends that are the same for all rows."""
    while nodes[index].op == "cast":
        (index,) = nodes[index].args
    node = nodes[index]
    if node.op not in ("ge", "gt", "le", "lt") or len(node.shape) != 2:
        return False
    shapes = sorted((nodes[a].shape, nodes[viewed(nodes, a)].op) for a in node.args)
    return shapes[0][0][0] == 1 and shapes[1] == ((node.shape[0], 1), "iota")
