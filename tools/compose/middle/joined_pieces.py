"""Values that are joined, as their pieces: what was written into a whole step by step lies there in pieces.

Step i writes `y[i] = …`. Traced, a write joins what stands before the part, the part, and what stands behind it; or it
chooses the part by place, which is seen as joining where many steps do so. A slice that ends where pieces end is one of
them, so that wholes in between go.
"""

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import Graph, Node

_MOST_PIECES = 512  # of a whole that is written step by step
_MOST_SLICES = 20_000  # of pieces, all together
_LEAST_WRITES = 8  # to single places, that are seen as joining
_MOST_WHOLES = 4  # of many pieces, which something takes
_FIRST_TAG = 6_000_000  # of constants made here


def joined_writes(graph: Graph) -> Graph | None:
    """Return the graph in which what steps write to single places is joined; None where steps take it as a whole."""
    writes = [n for n in graph.nodes if place_written(graph, n) is not None]
    if len(writes) < _LEAST_WRITES:
        return None
    pieces = in_pieces(graph, writes=True)
    wholes = sum(n.op == "cat" and len(n.args) >= _LEAST_WRITES for n in pieces.nodes)
    return None if pieces is graph or wholes > _MOST_WHOLES else pieces


def place_written(graph: Graph, node: Node) -> tuple[int, int] | None:
    """Return axis and place of `where(position == place, part, whole)`, None of anything else."""
    if node.op != "where" or graph.nodes[node.args[2]].shape != node.shape:
        return None
    test = graph.nodes[node.args[0]]
    axes = [k for k, d in enumerate(test.shape) if d > 1]
    if test.op != "eq" or len(axes) != 1:
        return None
    where, place = (graph.nodes[a] for a in test.args)
    while where.op == "reshape":
        where = graph.nodes[where.args[0]]
    counts = where.op == "iota" and (where.value, where.step) == (0, 1)
    if not counts or place.op != "const" or not isinstance(place.value, int | float):
        return None
    axis = axes[0] + len(node.shape) - len(test.shape)
    at = int(place.value)
    return (axis, at) if node.shape[axis] == test.shape[axes[0]] and 0 <= at < node.shape[axis] else None


def in_pieces(graph: Graph, *, writes: bool = False) -> Graph:
    """Return the graph in which slices of joined pieces, and of what is computed of them, are made of these pieces.

    With `writes`, what is written to one place is joined, too. The same graph if there would be too many pieces.
    """
    pieces = _Pieces(graph)
    new = pieces.new
    for i, node in enumerate(graph.nodes):
        args = tuple(new[a] for a in node.args)
        place = place_written(graph, node) if writes else None
        if place is not None:
            new[i] = pieces.written(node, args, *place)
        else:
            chosen = pieces.choice(args) if writes and node.op == "where" else None
            new[i] = pieces.of(node, args) if chosen is None else chosen
        if len(pieces.slices) > _MOST_SLICES:
            return graph
    return pieces.b.graph(tuple(o.model_copy(update={"node": new[o.node]}) for o in graph.outputs))


class _Pieces:
    """Builds a graph in which slices go down to the pieces."""

    def __init__(self, graph: Graph) -> None:
        self.b = GraphBuilder(apart=graph.apart, first=_FIRST_TAG)
        self.new: dict[int, int] = {}
        self.slices: dict[tuple[int, int, int, int], int] = {}
        self._joined: dict[int, frozenset[int]] = {}  # axes along which a value is in pieces, from the last

    def of(self, node: Node, args: tuple[int, ...]) -> int:
        if node.op == "slice" and node.cut is not None and node.cut.step == 1:
            return self._slice(args[0], node.cut.axis, node.cut.start, node.shape[node.cut.axis])
        if node.op == "cat":
            (axis,) = node.axes
            parts = [p for a in args for p in self._parts(a, axis)]
            if len(parts) <= _MOST_PIECES:
                return self.b.cat(tuple(parts), axis)
        return self.b.add(node.model_copy(update={"args": args}))

    def written(self, node: Node, args: tuple[int, ...], axis: int, place: int) -> int:
        """Return a whole with another part at one place of an axis."""
        _, part, whole = args
        wide = part if self.b[part].shape == node.shape else self.b.expand(part, node.shape)
        row = self._slice(wide, axis, place, 1)
        spans = ((0, place), (place + 1, node.shape[axis] - place - 1))
        before, after = ((self._slice(whole, axis, *s),) if s[1] else () for s in spans)
        parts = [p for v in (*before, row, *after) for p in self._parts(v, axis)]
        return self.b.cat(tuple(parts), axis)

    def choice(self, args: tuple[int, ...]) -> int | None:
        """Return what one condition chooses of two joined values, piece by piece; None where they do not match."""
        (condition, *both) = args
        one, other = (self.b[a] for a in both)
        if self.b[condition].shape or one.op != "cat" or other.op != "cat" or one.axes != other.axes:
            return None
        (axis,) = one.axes
        sides = list(zip(one.args, other.args, strict=False))
        if len(one.args) != len(other.args) or any(self.b[a].shape != self.b[c].shape for a, c in sides):
            return None
        chosen = (a if a == c else self.b.where(condition, a, c) for a, c in sides)
        return self.b.cat(tuple(chosen), axis)

    def _parts(self, index: int, axis: int) -> tuple[int, ...]:
        return self.b[index].args if self._is_joined(index, axis) else (index,)

    def _is_joined(self, index: int, axis: int) -> bool:
        return self.b[index].op == "cat" and self.b[index].axes == (axis,)

    def _axes(self, index: int) -> frozenset[int]:
        if index not in self._joined:
            node = self.b[index]
            below = frozenset[int]()
            if node.op == "cat":
                below = frozenset(a - len(node.shape) for a in node.axes)
            elif node.pointwise:
                below = below.union(*(self._axes(a) for a in node.args))
            self._joined[index] = below
        return self._joined[index]

    def _slice(self, source: int, axis: int, start: int, count: int) -> int:
        key = (source, axis, start, count)
        if key not in self.slices:
            self.slices[key] = self._sliced(source, axis, start, count)
        return self.slices[key]

    def _sliced(self, source: int, axis: int, start: int, count: int) -> int:
        node = self.b[source]
        if self._is_joined(source, axis):
            parts, at = [], 0
            for p in node.args:
                length = self.b[p].shape[axis]
                first, last = max(start - at, 0), min(start + count - at, length)
                if first < last:
                    parts.append(self._slice(p, axis, first, last - first))
                at += length
            return self.b.cat(tuple(parts), axis)
        if node.pointwise and axis - len(node.shape) in self._axes(source):
            args = []
            for a in node.args:
                own = axis - len(node.shape) + len(self.b[a].shape)
                whole = own < 0 or self.b[a].shape[own] == 1
                args.append(a if whole else self._slice(a, own, start, count))
            shape = tuple(count if k == axis else d for k, d in enumerate(node.shape))
            return self.b.add(node.model_copy(update={"args": tuple(args), "shape": shape}))
        if node.op == "expand":
            (below,) = node.args
            own = axis - len(node.shape) + len(self.b[below].shape)
            if own < 0 or self.b[below].shape[own] == 1:
                shape = tuple(count if k == axis else d for k, d in enumerate(node.shape))
                return below if self.b[below].shape == shape else self.b.expand(below, shape)
        if node.op == "slice" and node.cut is not None and (node.cut.axis, node.cut.step) == (axis, 1):
            return self.b.slice(node.args[0], axis, node.cut.start + start, count)
        return self.b.slice(source, axis, start, count)
