"""Compute numbers that a trace has computed one by one, and joined, as the vectors that they are the elements of.

Code that walks through groups takes each group's start, end and length out of a tensor, works on that number and stacks
the results. `cat(f(v[0]), f(v[1]), …)` is f(v); `cat(s, max(x[1], s), …)`, in which each number comes from the one
before, is a scan.
"""

import math
from collections.abc import Sequence

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import Graph, Node
from akgen.tools.core.dtypes import DType

_LEAST = 4  # numbers worth a vector
_FIRST_TAG = 5_000_000  # of constants made here
_RUNNING = {"max": "max", "min": "min", "add": "sum"}  # operations whose repetition is a scan, and its kind
_KEEPS = ("reshape", "permute", "expand")


def gathered(graph: Graph) -> Graph:
    """Return the graph with joined numbers computed as vectors; the same graph if there are none."""
    nodes = graph.nodes
    joins = {i for i, n in enumerate(nodes) if _joins_numbers(nodes, n)}
    if not joins:
        return graph
    vectors = _Vectors(graph)
    b, new = vectors.b, vectors.new
    for i, node in enumerate(nodes):
        if i in joins:
            made = vectors.of(tuple(_number(nodes, a) for a in node.args))
            new[i] = b.reshape(b.cast(made, node.dtype), node.shape)
        else:
            new[i] = b.add(node.model_copy(update={"args": tuple(new[a] for a in node.args)}))
    return b.graph(tuple(o.model_copy(update={"node": new[o.node]}) for o in graph.outputs))


def _joins_numbers(nodes: Sequence[Node], node: Node) -> bool:
    """Return whether a node joins numbers some of which are computed."""
    if node.op != "cat" or len(node.args) < _LEAST or math.prod(node.shape) != len(node.args):
        return False
    found = [nodes[_number(nodes, a)] for a in node.args]
    return any(n.op not in ("load", "const") and math.prod(n.shape) == 1 for n in found)


def _number(nodes: Sequence[Node], index: int) -> int:
    """Return the single element of which a value is a view."""
    while nodes[index].op in _KEEPS and math.prod(nodes[nodes[index].args[0]].shape) == 1:
        (index,) = nodes[index].args
    return index


class _Vectors:
    """Builds vectors of numbers of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.nodes, self.b = graph.nodes, GraphBuilder(apart=graph.apart, first=_FIRST_TAG)
        self.new: dict[int, int] = {}
        self._known: dict[tuple[int, ...], int] = {}

    def of(self, olds: tuple[int, ...]) -> int:
        """Return (n,) for n values of one element each."""
        if olds not in self._known:
            self._known[olds] = self._made(olds)
        return self._known[olds]

    def _made(self, olds: tuple[int, ...]) -> int:
        nodes = [self.nodes[o] for o in olds]
        if len(set(olds)) == 1:
            return self.b.expand(self._single(olds[0]), (len(olds),))
        found = self._of_a_vector(nodes) or self._of_constants(nodes)
        if found is not None:
            return found
        alike = self._alike_from(nodes)
        if len(olds) - alike < _LEAST:
            return self.b.cat(tuple(self._single(o) for o in olds), 0)
        if alike:
            return self.b.cat((*(self._single(o) for o in olds[:alike]), self.of(olds[alike:])), 0)
        args = [tuple(_number(self.nodes, n.args[k]) for n in nodes) for k in range(len(nodes[0].args))]
        running = self._running(olds, args)
        if running is not None:
            return running
        operands = tuple(self.of(a) for a in args)
        return self.b.add(nodes[0].model_copy(update={"args": operands, "shape": (len(olds),)}))

    def _single(self, old: int) -> int:
        return self.b.reshape(self.new[old], (1,))

    def _of_a_vector(self, nodes: Sequence[Node]) -> int | None:
        """Return elements that lie evenly in one tensor's only axis that is longer than 1."""
        cuts = [n.cut for n in nodes if n.op == "slice" and n.cut is not None]
        if len(cuts) != len(nodes) or len({(n.args, c.axis) for n, c in zip(nodes, cuts, strict=True)}) != 1:
            return None
        source, axis = nodes[0].args[0], cuts[0].axis
        shape = self.nodes[source].shape
        step = cuts[1].start - cuts[0].start
        even = all(c.start == cuts[0].start + k * step for k, c in enumerate(cuts))
        if math.prod(shape) != shape[axis] or step < 1 or not even:
            return None
        vector = self.b.reshape(self.new[source], (shape[axis],))
        return self.b.slice(vector, 0, cuts[0].start, len(nodes), step)

    def _of_constants(self, nodes: Sequence[Node]) -> int | None:
        if any(n.op != "const" for n in nodes):
            return None
        values, dtype = [n.value or 0 for n in nodes], nodes[0].dtype
        if len(set(values)) == 1:
            return self.b.full(values[0], dtype, (len(values),))
        step = values[1] - values[0]
        if dtype == DType.INT32 and all(v == values[0] + k * step for k, v in enumerate(values)):
            return self.b.iota(len(values), values[0], step, dtype)
        return None

    def _alike_from(self, nodes: Sequence[Node]) -> int:
        """Return from where on all are one pointwise operation."""
        last, k = nodes[-1], len(nodes)
        while k and last.pointwise and _form(nodes[k - 1]) == _form(last):
            k -= 1
        return k

    def _running(self, olds: tuple[int, ...], args: Sequence[tuple[int, ...]]) -> int | None:
        """Return a scan where each number comes from the one before."""
        node = self.nodes[olds[0]]
        kind = _RUNNING.get(node.op)
        if kind is None or (kind == "sum" and node.dtype.is_float):
            return None
        before = next((k for k, a in enumerate(args) if a[1:] == olds[:-1]), None)
        if before is None:
            return None
        steps = self.of(args[1 - before][1:])
        return self.b.scan(kind, self.b.cat((self._single(olds[0]), self.b.cast(steps, node.dtype)), 0), 0)


def _form(node: Node) -> object:
    return node.op, node.dtype, node.rounded, len(node.args), math.prod(node.shape) == 1
