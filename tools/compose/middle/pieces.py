"""A graph in pieces that run one after the other; what one makes for another lies in workspace tensors."""

from akgen.tools.compose.front.graph import Graph
from akgen.tools.core.frozen import Frozen


class Piece(Frozen):
    """A graph, run once; or with `turns` the body of a loop, run so often."""

    graph: Graph
    turns: int = 0
