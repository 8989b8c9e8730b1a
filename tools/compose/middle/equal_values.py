"""Make one value of those that are equal in every case; what is equal in some cases alone, by chance, stays apart."""

from collections.abc import Sequence

from akgen.tools.compose.front.graph import Graph, Node, skeleton

_NEUTRAL = {"add": 0, "sub": 0, "mul": 1, "div": 1, "pow": 1}  # as right operand
_EITHER = ("add", "mul")


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
