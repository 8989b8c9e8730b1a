"""Let steps that work on parts of a tensor, each on another length of it, work on all of it under a mask.

A triangular solve, an elimination, a greedy suppression: step i reads `a[i, :i]` and writes `x[i + 1:]`. Unrolled, no
two of its steps have the same shapes, so nothing repeats. Computed on whole axes they all do: what is written is chosen
by place, and what is summed over the part is 0 beside it.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import Graph, Node
from akgen.tools.core.dtypes import DType

_LEAST = 8  # steps of different lengths
_FIRST_TAG = 7_000_000  # of constants made here
_NEUTRAL = {"sum": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}
_BACK = 4  # values of one shape, from the last, of which a step may be the next

Span = tuple[int, int, int]  # first element, how many, of how many
Spans = dict[int, Span]  # by axis, counted from the last: -1, -2, …


class _Wide(NamedTuple):
    """A value on whole axes, and which part of each axis the value that it stands for has."""

    node: int
    spans: Spans


class _Write(NamedTuple):
    """What a `cat` puts into a whole, and where."""

    whole: int
    part: int
    axis: int
    span: Span


def widened(graph: Graph) -> Graph:
    """Return the graph with such steps on whole axes; the same graph if there are none."""
    counts: dict[int, set[int]] = defaultdict(set)
    for node in graph.nodes:
        if node.cut is not None and node.cut.step == 1:
            counts[graph.nodes[node.args[0]].shape[node.cut.axis]].add(node.shape[node.cut.axis])
    lengths = {n for n, found in counts.items() if len(found) >= _LEAST}
    return _Widener(graph, dict(_writes(graph.nodes)), lengths).graph() if lengths else graph


def _writes(nodes: Sequence[Node]) -> Iterator[tuple[int, _Write]]:
    """Yield the `cat` nodes that are a whole with one part of an axis replaced."""
    alike: dict[tuple[tuple[int, ...], int], list[int]] = defaultdict(list)
    for i, node in enumerate(nodes):
        if node.op != "cat":
            continue
        (axis,) = node.axes
        sources = [nodes[p].args[0] for p in node.args if nodes[p].op == "slice" and nodes[p].cut is not None]
        known = alike[node.shape, axis]
        candidates = [*(s for s in sources if nodes[s].shape == node.shape), *known[-_BACK:][::-1]]
        found = next(
            (w for y in dict.fromkeys(candidates) if (w := _write(nodes, node, y)) is not None), None
        )
        if found is not None:
            yield i, found
        known.append(i)


def _write(nodes: Sequence[Node], node: Node, whole: int) -> _Write | None:
    (axis,) = node.axes
    mine = [_piece(nodes, p, axis) for p in node.args]
    at = 0
    for k, (_, _, length) in enumerate(mine):
        rest = node.shape[axis] - at - length
        before, after = (
            _pieces(nodes, whole, axis, 0, at),
            _pieces(nodes, whole, axis, at + length, at + length + rest),
        )
        if mine[:k] == before and mine[k + 1 :] == after and length < node.shape[axis]:
            return _Write(whole, node.args[k], axis - len(node.shape), (at, length, node.shape[axis]))
        at += length
    return None


def _piece(nodes: Sequence[Node], part: int, axis: int) -> tuple[int, int, int]:
    """Return of what an operand of a `cat` is a slice: of which value, from where on and how long."""
    length, start = nodes[part].shape[axis], 0
    while (cut := nodes[part].cut) is not None and cut.axis == axis and cut.step == 1:
        start, part = start + cut.start, nodes[part].args[0]
    return part, start, length


def _pieces(nodes: Sequence[Node], whole: int, axis: int, low: int, high: int) -> list[tuple[int, int, int]]:
    """Return the pieces between two places of a whole, joined or not."""
    node = nodes[whole]
    parts = node.args if node.op == "cat" and node.axes == (axis,) else (whole,)
    found, at = [], 0
    for p in parts:
        source, start, length = _piece(nodes, p, axis)
        first, last = max(low - at, 0), min(high - at, length)
        if first < last:
            found.append((source, start + first, last - first))
        at += length
    return found


class _Widener:
    def __init__(self, graph: Graph, writes: dict[int, _Write], lengths: set[int]) -> None:
        self.g, self.nodes, self.writes, self.lengths = graph, graph.nodes, writes, lengths
        self.b = GraphBuilder(apart=graph.apart, first=_FIRST_TAG)
        self.new: dict[int, int] = {}
        self.wide: dict[int, _Wide] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._placed: dict[tuple[int, int, Span], int | None] = {}

    def graph(self) -> Graph:
        for i, node in enumerate(self.nodes):
            made = self._written(i) if i in self.writes else self._widened(node)
            if made is not None and made.spans:
                self.wide[i] = made
            if made is not None and not made.spans:
                self.new[i] = made.node
            else:
                self.new[i] = self.b.add(
                    node.model_copy(update={"args": tuple(self.new[a] for a in node.args)})
                )
        outputs = (o.model_copy(update={"node": self.new[o.node]}) for o in self.g.outputs)
        return self.b.graph(tuple(outputs))

    def _written(self, index: int) -> _Wide | None:
        write = self.writes[index]
        part, whole = self.wide.get(write.part), self._of(write.whole)
        found = None if part is None else self._moved(part, {**whole.spans, write.axis: write.span})
        if found is None:
            return None
        inside = self._inside(write.axis, write.span)
        return _Wide(self.b.where(inside, found, whole.node), whole.spans)

    def _moved(self, value: _Wide, spans: Spans) -> int | None:
        """Return a value on whole axes with its parts at other places of them; None for parts of other lengths."""
        if value.spans.keys() != spans.keys() or any(
            value.spans[a][1:] != span[1:] for a, span in spans.items()
        ):
            return None
        node = value.node
        for axis, (start, _, _) in spans.items():
            distance = start - value.spans[axis][0]
            if distance:
                shape = self.b[node].shape
                places = [
                    self.b.positions(shape, k, -distance if k == len(shape) + axis else 0)
                    for k in range(len(shape))
                ]
                node = self.b.take(node, tuple(places), 0)
        return node

    def _inside(self, axis: int, span: Span) -> int:
        """Return which places of an axis belong to a part."""
        start, count, length = span
        if (axis, length) not in self._places:
            self._places[axis, length] = self.b.positions((length, *[1] * (-axis - 1)), 0)
        place, tests = self._places[axis, length], []
        if start:
            tests.append(self.b.binary("ge", place, self.b.const(start, DType.INT32)))
        if start + count < length:
            tests.append(self.b.binary("lt", place, self.b.const(start + count, DType.INT32)))
        return tests[0] if len(tests) == 1 else self.b.binary("and", tests[0], tests[1], DType.BOOL)

    def _of(self, index: int) -> _Wide:
        return self.wide.get(index) or _Wide(self.new[index], {})

    def _widened(self, node: Node) -> _Wide | None:
        """Return the value on whole axes; None where it has no such form."""
        if node.op == "slice":
            return self._slice(node)
        if not any(a in self.wide for a in node.args):
            return self._stacked(node) if node.op == "reshape" else None
        if node.pointwise:
            return self._pointwise(node)
        match node.op:
            case "reshape" | "permute" | "expand":
                return self._view(node, self.wide[node.args[0]])
            case "reduce":
                return self._reduced(node, self.wide[node.args[0]])
            case "cat":
                return self._side_by_side(node)
            case "contract":
                return self._product(node)
        return None

    def _slice(self, node: Node) -> _Wide | None:
        source, cut = self._of(node.args[0]), node.cut
        assert cut is not None
        axis, count = cut.axis - len(node.shape), node.shape[cut.axis]
        length = self.nodes[node.args[0]].shape[cut.axis]
        span = source.spans.get(axis, (0, length, length))
        if cut.step == 1 and count > 1 and (axis in source.spans or length in self.lengths):
            return _Wide(source.node, {**source.spans, axis: (span[0] + cut.start, count, span[2])})
        if not source.spans:
            return None
        if axis in source.spans and count > 1:
            return None
        rest = {a: s for a, s in source.spans.items() if a != axis}
        return _Wide(self.b.slice(source.node, cut.axis, span[0] + cut.start, count, cut.step), rest)

    def _full(self, shape: Sequence[int], spans: Spans) -> tuple[int, ...]:
        """Return a shape with whole axes."""
        return tuple(spans[k - len(shape)][2] if k - len(shape) in spans else d for k, d in enumerate(shape))

    def _pointwise(self, node: Node) -> _Wide | None:
        spans: Spans = {}
        for a in node.args:
            for axis, span in self._of(a).spans.items():
                if spans.setdefault(axis, span)[1:] != span[1:]:
                    return None
        args = [self._beside(a, spans) for a in node.args]
        if None in args:
            return None
        update = {"args": tuple(args), "shape": self._full(node.shape, spans)}
        return _Wide(self.b.add(node.model_copy(update=update)), spans)

    def _beside(self, index: int, spans: Spans) -> int | None:
        """Return an operand of values on whole axes: along those it is whole, too, or has one element."""
        own, shape = self._of(index), list(self.nodes[index].shape)
        missing = [a for a in spans if a not in own.spans and -a <= len(shape) and shape[a] > 1]
        if not missing:
            return self._moved(own, {a: spans[a] for a in own.spans})
        node = self.nodes[index]
        if own.spans:
            return None
        if len(missing) == 1 and node.op != "expand":
            return self._by_place(index, missing[0], spans[missing[0]])
        if node.op != "expand":
            return None
        below = self.nodes[node.args[0]].shape
        if any(-a <= len(below) and below[a] != 1 for a in missing):
            return None
        for a in missing:
            shape[a] = 1
        return self.b.expand(self.new[node.args[0]], tuple(shape))

    def _by_place(self, index: int, axis: int, span: Span) -> int | None:
        """Return what is computed of places alone, or looked up at such places, on a whole axis."""
        if (index, axis, span) not in self._placed:
            self._placed[index, axis, span] = self._follow_places(index, axis, span)
        return self._placed[index, axis, span]

    def _follow_places(self, index: int, axis: int, span: Span) -> int | None:
        node, (start, count, length) = self.nodes[index], span
        if -axis > len(node.shape) or node.shape[axis] == 1:
            return self.new[index]
        if node.shape[axis] != count:
            return None
        shape = tuple(length if k == len(node.shape) + axis else d for k, d in enumerate(node.shape))
        if node.op == "iota" and node.value is not None and node.step is not None:
            return self.b.iota(length, node.value - start * node.step, node.step, node.dtype)
        if node.op == "expand":
            below = self._by_place(node.args[0], axis, span)
            return None if below is None else self.b.expand(below, shape)
        if node.op == "reshape":
            (below,) = node.args
            tail = math.prod(node.shape[len(node.shape) + axis + 1 :])
            if tail > 1 or self.nodes[below].shape[-1:] != (count,) or axis != -1:
                return None
            found = self._by_place(below, -1, span)
            return None if found is None else self.b.reshape(found, shape)
        looked_up = node.op == "take"
        if not (node.pointwise or looked_up):
            return None
        args = [self._by_place(a, axis, span) for a in node.args[looked_up:]]
        if any(a is None for a in args):
            return None
        places = [a for a in args if a is not None]
        if looked_up:
            return self.b.take(
                self.new[node.args[0]], tuple(places), node.fill if node.fill is not None else 0
            )
        return self.b.add(node.model_copy(update={"args": tuple(places), "shape": shape}))

    def _side_by_side(self, node: Node) -> _Wide | None:
        """Return values joined along an axis of which each has all."""
        spans = self._of(node.args[0]).spans
        if not spans or node.axes[0] - len(node.shape) in spans:
            return None
        args = [self._moved(self._of(a), spans) for a in node.args]
        if any(a is None for a in args):
            return None
        return _Wide(self.b.cat(tuple(a for a in args if a is not None), node.axes[0]), spans)

    def _stacked(self, node: Node) -> _Wide | None:
        """Return values stacked along a new axis, which a trace joins along the next one and takes apart."""
        source = self.nodes[node.args[0]]
        if source.op != "cat" or any(a not in self.wide for a in source.args):
            return None
        (axis,), first = source.axes, self.wide[source.args[0]]
        one = self.nodes[source.args[0]].shape
        args = [self._moved(self.wide[a], first.spans) for a in source.args]
        if None in args or node.shape != (*one[:axis], len(args), *one[axis:]):
            return None
        whole = self._full(one, first.spans)
        apart = (*whole[:axis], 1, *whole[axis:])
        rows = tuple(self.b.reshape(a, apart) for a in args if a is not None)
        spans = {a if a + len(one) >= axis else a - 1: span for a, span in first.spans.items()}
        return _Wide(self.b.cat(rows, axis), spans)

    def _view(self, node: Node, source: _Wide) -> _Wide | None:
        before, rank = self.nodes[node.args[0]].shape, len(node.shape)
        spans: Spans = {}
        for axis, span in source.spans.items():
            match node.op:
                case "permute":
                    at = node.axes.index(axis + len(before))
                case "expand":
                    at = axis + rank
                case _:
                    tail = math.prod(before[len(before) + axis + 1 :])
                    fits = (
                        k
                        for k in range(rank)
                        if node.shape[k] == span[1] and math.prod(node.shape[k + 1 :]) == tail
                    )
                    at = next(fits, -1)
            if at < 0:
                return None
            spans[at - rank] = span
        shape = self._full(node.shape, spans)
        if node.op == "permute":
            return _Wide(self.b.permute(source.node, node.axes), spans)
        make = self.b.expand if node.op == "expand" else self.b.reshape
        return _Wide(make(source.node, shape), spans)

    def _reduced(self, node: Node, source: _Wide) -> _Wide | None:
        rank = len(node.shape)
        over = {a: s for a, s in source.spans.items() if a + rank in node.axes}
        rest = {a: s for a, s in source.spans.items() if a not in over}
        neutral = _NEUTRAL.get(node.kind or "")
        if neutral is None or (over and math.isinf(neutral) and not node.dtype.is_float):
            return None
        x = self._alone(source.node, over, neutral)
        update = {"args": (x,), "shape": self._full(node.shape, rest)}
        return _Wide(self.b.add(node.model_copy(update=update)), rest)

    def _alone(self, x: int, spans: Spans, fill: float) -> int:
        """Return a value with another number beside its parts."""
        for axis, span in spans.items():
            x = self.b.where(self._inside(axis, span), x, self.b.const(fill, self.b[x].dtype))
        return x

    def _product(self, node: Node) -> _Wide | None:
        left, right = (self._of(a) for a in node.args)
        if left.spans.get(-1) != right.spans.get(-2):
            return None
        inner = left.spans.get(-1)
        a = self._alone(left.node, {-1: inner} if inner else {}, 0.0)
        b = self._alone(right.node, {-2: inner} if inner else {}, 0.0)
        spans = {k: s for k, s in left.spans.items() if k != -1}
        for axis, span in right.spans.items():
            if axis != -2 and spans.setdefault(axis, span) != span:
                return None
        update = {"args": (a, b), "shape": self._full(node.shape, spans)}
        return _Wide(self.b.add(node.model_copy(update=update)), spans)
