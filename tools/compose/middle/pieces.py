"""A graph in pieces that run one after the other; what one makes for another lies in workspace tensors.

These are shared by their numbers, with the dtypes in which values lie there.
"""

from collections.abc import Iterator

from akgen.tools.compose.front.graph import CONTRACTIONS, VIEWS, Graph
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen


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
