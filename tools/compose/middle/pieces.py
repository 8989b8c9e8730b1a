"""A graph in pieces that run one after the other; what one makes for another lies in workspace tensors.

These are shared by their numbers, with the dtypes in which values lie there.

Stored too are values that cost less so than computed anew for each of many shifted views of them: a stencil, a
recursion along an alphabet, a picture that is rolled in eight directions. Places that are looked up before what lies
there is: row by row, one load would wait for the other. And what is looked up in many joined pieces: a mirrored border.
"""

import math
from collections.abc import Container, Iterator

from akgen.tools.compose.front.graph import CONTRACTIONS, VIEWS, Graph, Node
from akgen.tools.compose.middle.axes import LIBRARY
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

MOST_COPIES = 8  # times that the elements of a value are computed
MOST_JOINED = 8  # of which a place is looked up without their being stored side by side
WIDE_ROW = 8  # elements for each place, from which on a lookup is that of rows
LEAST_STEPS = 4  # operations one after the other that are worth storing


class Piece(Frozen):
    """A graph, run once; or with `turns` the body of a loop, run so often."""

    graph: Graph
    turns: int = 0


class StoredValues:
    """The values of one graph that are stored for others, by number of their tensor."""

    def __init__(self, graph: Graph, numbers: Iterator[int]) -> None:
        self.nodes, self.numbers = graph.nodes, numbers
        self.temps: dict[int, int] = {}
        self._multiplied: dict[int, DType] = {}
        for node in graph.nodes:
            for a in node.args[:2] if node.op in CONTRACTIONS and node.stored is not None else ():
                self._mark(a, node.stored or node.dtype)

    def _mark(self, index: int, dtype: DType) -> None:
        while True:
            self._multiplied.setdefault(index, dtype)
            if self.nodes[index].op not in VIEWS:
                return
            (index,) = self.nodes[index].args

    def new(self) -> int:
        return next(self.numbers)

    def of(self, node: int) -> int:
        """Return the number of the tensor that holds a value."""
        if node not in self.temps:
            self.temps[node] = self.new()
        return self.temps[node]

    def dtype(self, node: int) -> DType:
        """Return the dtype of a value in memory: that of a product that takes it, or a half type it is rounded to."""
        value = self.nodes[node]
        rounded = DType(value.op.removeprefix("round_")) if value.op.startswith("round_") else value.dtype
        return self._multiplied.get(node, rounded)


def shifted(graph: Graph, known: Container[int]) -> list[int]:
    """Return the values to store, in their order, where those `known` are stored anyway."""
    nodes, steps = graph.nodes, _steps(graph)
    whole, pieces = [0.0] * len(nodes), [0.0] * len(nodes)  # copies that are wanted of all, of views of parts
    for out in graph.outputs:
        whole[out.node] = 1.0
    found: list[int] = []
    for i in reversed(range(len(nodes))):
        node, copies = nodes[i], whole[i] + pieces[i]
        if i in known or node.op in LIBRARY:
            copies = min(copies, 1.0)
        elif copies > MOST_COPIES and steps[i] >= LEAST_STEPS and node.op not in VIEWS | {"cat", "take"}:
            found.append(i)
            copies = 1.0
        for k, a in enumerate(node.args):
            if node.op == "slice" or (node.op == "take" and k == 0):
                pieces[a] += copies * _size(node) / _size(nodes[a])
            else:
                whole[a] = max(whole[a], copies)
    return found[::-1]


def chained(graph: Graph) -> list[int]:
    """Return the places of long lookups that are themselves looked up: stored, all are known before a row is loaded."""
    nodes = graph.nodes
    looked: list[bool] = []
    found: list[int] = []
    for node in nodes:
        looked.append(node.op == "take" or (node.op not in LIBRARY and any(looked[a] for a in node.args)))
        for a in node.args[1:] if node.op == "take" else ():
            while nodes[a].op in VIEWS:
                (a,) = nodes[a].args
            if looked[a] and _size(node) >= WIDE_ROW * _size(nodes[a]):
                found.append(a)
    return list(dict.fromkeys(found))


def joined(graph: Graph) -> list[int]:
    """Return values that are joined of many pieces and looked up: each place might lie in any of them."""
    count: list[int] = []
    varies: list[bool] = []
    found: list[int] = []
    for node in graph.nodes:
        source = graph.nodes[node.args[0]] if node.args else node
        match node.op:
            case "cat":
                pieces = sum(count[a] for a in node.args)
            case "slice" if node.cut is not None and source.axes == (node.cut.axis,) and source.op == "cat":
                pieces = 1
            case op if op in VIEWS | {"slice"}:
                pieces = count[node.args[0]]
            case _:
                pieces = 1
        count.append(pieces)
        varies.append(node.op == "load" or any(varies[a] for a in node.args))
        if node.op == "take" and varies[node.args[0]] and count[node.args[0]] > MOST_JOINED:
            (at, *_) = node.args
            while graph.nodes[at].op in VIEWS:
                (at,) = graph.nodes[at].args
            found.append(at)
    return list(dict.fromkeys(found))


def _steps(graph: Graph) -> list[int]:
    """Return how many operations follow one another up to each value."""
    found: list[int] = []
    for node in graph.nodes:
        below = max((found[a] for a in node.args), default=0)
        found.append(below + (bool(node.args) and node.op not in VIEWS))
    return found


def _size(node: Node) -> int:
    return max(1, math.prod(node.shape))
