"""Roll what a trace has unrolled: a graph becomes pieces, of which some are the bodies of loops over time.

A value that later steps or the rest of the graph take lies in the workspace for all steps, one after the other, behind
those that the first step takes: steps write what no step has read, and joined outputs are views of it. The first of
the steps that a trace shows stays before the loop, so that all operands of the others are values of a step like theirs.

What is left of the graph without the loop loads the loop's values from where its steps have stored them.
"""

import math
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import VIEWS, Graph, Node, Output, needed_by
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.pieces import Piece, StoredValues
from akgen.tools.compose.middle.repeats import Repeats, SeenOperand, is_computed, operand, repeats
from akgen.tools.compose.middle.rolled_body import LoopBody
from akgen.tools.compose.scope import Unsupported

LEAST_JOINED = 3  # values of a place, step after step, that are seen as one
TAGS = 9_000_000


class JoinedSteps(NamedTuple):
    """Operands of a `cat` that are the values of one place, of `steps` steps from `turn` on, forward or backward."""

    place: int
    turn: int
    step: int
    steps: int
    views: tuple[int, ...]


class LoopRest:
    """The graph without the loop. `places` are those it takes, `lags` of these from a step before the loop on."""

    def __init__(self, graph: Graph, run: Repeats, inside: set[int], stored: StoredValues) -> None:
        self.g, self.nodes, self.run, self.inside, self.stored = graph, graph.nodes, run, inside, stored
        self.at = {v: k for k, v in enumerate(run.values)}
        self._joins: dict[int, list[int | JoinedSteps]] = {}
        self.lags: dict[int, int] = {}
        self.seen: set[int] = set()
        self._walk(set())
        used = (self.run.place(self.at[i])[1] for i in self.seen & inside)
        joined = [s for parts in self._joins.values() for s in parts if isinstance(s, JoinedSteps)]
        self.places = {*used, *(s.place for s in joined)}
        for s in joined:
            if min(s.turn, s.turn + s.step * (s.steps - 1)) < 0:
                self.lags[s.place] = 1

    def take(self, below: set[int]) -> None:
        """Let values that are computed before the loop be stored there."""
        computed = {i for i in below if is_computed(self.nodes[i]) and self._varies[i]}
        self._walk(computed)
        for i in self.seen & computed:
            self.stored.of(i)

    def _walk(self, stop: set[int]) -> None:
        """Find what the outputs are computed from, down to the loop's values and to those of `stop`."""
        self.seen = set()
        stack = [o.node for o in self.g.outputs]
        while stack:
            i = stack.pop()
            if i in self.seen:
                continue
            self.seen.add(i)
            if i in self.inside or i in stop:
                continue
            node = self.nodes[i]
            if node.op == "cat" and i not in self._joins:
                self._joins[i] = self._joined(node)
            parts = self._joins.get(i)
            stack += node.args if parts is None else [p for p in parts if isinstance(p, int)]
        varies: list[bool] = []
        for n in self.nodes:
            varies.append(n.op == "load" or any(varies[a] for a in n.args))
        self._varies = varies

    def _joined(self, node: Node) -> list[int | JoinedSteps]:
        """Return the operands of a `cat`, those that are steps of one place as one."""
        seen = [operand(self.nodes, a) for a in node.args]
        steps = [self._instance(o) for o in seen]
        parts: list[int | JoinedSteps] = []
        k = 0
        while k < len(seen):
            first, count, step = steps[k], 1, 0
            while first is not None and k + count < len(seen):
                after = steps[k + count]
                move = 0 if after is None else after[0] - first[0]
                step = step or move
                alike = after is not None and after[1] == first[1] and abs(step) == 1 and move == step * count
                if not alike or not self._same_views(seen[k].views, seen[k + count].views):
                    break
                count += 1
            if first is not None and count >= LEAST_JOINED:
                parts.append(JoinedSteps(first[1], first[0], step, count, seen[k].views))
            else:
                parts += node.args[k : k + count]
            k += count
        return parts

    def _instance(self, o: SeenOperand) -> tuple[int, int] | None:
        """Return turn and place of a value of the loop, or of the step before it."""
        at = self.at.get(o.base)
        if at is None:
            return None
        turn, place = self.run.place(at)
        like = self.nodes[self.run.value(0, place)]
        alike = (like.shape, like.dtype) == (self.nodes[o.base].shape, self.nodes[o.base].dtype)
        return (turn, place) if -1 <= turn < self.run.turns and alike else None

    def _same_views(self, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        plain = [[self.nodes[v].model_copy(update={"args": ()}) for v in views] for views in (one, other)]
        return plain[0] == plain[1]

    # the graph

    def graph(self, kept: dict[int, int], lengths: dict[int, int]) -> Graph:
        """Return the rest, given the tensors of places, each of which begins with those of `lengths` steps before."""
        b = GraphBuilder(apart=self.g.apart, first=TAGS)
        made: dict[int, int] = {}
        for i in sorted(self.seen):
            node = self.nodes[i]
            if i in self.inside:
                turn, place = self.run.place(self.at[i])
                whole = self._whole(b, place, kept, lengths)
                made[i] = b.reshape(b.slice(whole, 0, lengths[place] + turn, 1), node.shape)
            elif i in self.stored.temps and is_computed(node):
                origin = Origin(temp=self.stored.temps[i])
                made[i] = b.add(Node(op="load", dtype=node.dtype, shape=node.shape, origin=origin))
            elif i in self._joins:
                (axis,) = node.axes
                parts = [
                    made[p] if isinstance(p, int) else self._stretch(b, p, axis, kept, lengths)
                    for p in self._joins[i]
                ]
                made[i] = b.cat(tuple(parts), axis)
            else:
                made[i] = b.add(node.model_copy(update={"args": tuple(made[a] for a in node.args)}))
        outputs = tuple(o.model_copy(update={"node": made[o.node]}) for o in self.g.outputs)
        return b.graph(outputs)

    def _whole(self, b: GraphBuilder, place: int, kept: dict[int, int], lengths: dict[int, int]) -> int:
        """Return all that the loop keeps of a place, step by step along the first axis."""
        value = self.nodes[self.run.value(0, place)]
        shape = (lengths[place] + self.run.turns, *value.shape)
        return b.add(Node(op="load", dtype=value.dtype, shape=shape, origin=Origin(temp=kept[place])))

    def _stretch(
        self, b: GraphBuilder, s: JoinedSteps, axis: int, kept: dict[int, int], lengths: dict[int, int]
    ) -> int:
        """Return joined values as one view: their steps run along the axis, outside of what each has there."""
        low = min(s.turn, s.turn + s.step * (s.steps - 1))
        value = b.slice(self._whole(b, s.place, kept, lengths), 0, lengths[s.place] + low, s.steps)
        if s.step < 0:
            shape = b[value].shape
            places = [b.positions(shape, k) for k in range(1, len(shape))]
            value = b.take(value, (b.positions(shape, 0, s.steps - 1, -1), *places))
        for v in s.views:
            value = self._stacked_view(b, value, self.nodes[v])
        shape = b[value].shape[1:]
        order = (*range(1, axis + 1), 0, *range(axis + 1, len(shape) + 1))
        joined = (*shape[:axis], s.steps * shape[axis], *shape[axis + 1 :])
        return b.reshape(b.permute(value, order), joined)

    def _stacked_view(self, b: GraphBuilder, value: int, view: Node) -> int:
        """Return the view of every step."""
        count, *shape = b[value].shape
        if view.cut is not None:
            axis = view.cut.axis
            return b.slice(value, axis + 1, view.cut.start, view.shape[axis], view.cut.step)
        if view.op == "permute":
            return b.permute(value, (0, *(a + 1 for a in view.axes)))
        if view.op == "expand":
            wide = (count, *[1] * (len(view.shape) - len(shape)), *shape)
            return b.expand(b.reshape(value, wide), (count, *view.shape))
        return b.reshape(value, (count, *view.shape))


LARGEST = 3000  # values of a piece: beyond, the reference is a program rather than a formula
_SMALL_JOIN = 4  # operands
_LARGE = 150  # values of a graph in which loops are looked for in another order, too
MOST_BYTES = 2**29  # of what one loop keeps of all steps


def rolled(graph: Graph) -> tuple[Piece, ...]:
    """Return the graph in pieces, one where nothing repeats. Raises Unsupported for one that stays too large."""
    pieces = _rolled(graph, count())
    largest = max(len(p.graph.nodes) for p in pieces)
    if largest > LARGEST:
        raise Unsupported("graph", f"the reference unrolls to {largest} operations")
    return pieces


def _rolled(graph: Graph, numbers: Iterator[int]) -> tuple[Piece, ...]:
    for ordered in _orders(graph):
        for run in repeats(ordered):
            pieces = _split(ordered, run, StoredValues(ordered, numbers))
            if pieces is not None:
                before, loop, after = pieces
                return (*(_rolled(before, numbers) if before.outputs else ()), loop, *_rolled(after, numbers))
    return (Piece(graph=graph),)


def _orders(graph: Graph) -> Iterator[Graph]:
    """Yield the graph in the orders in which loops are looked for."""
    yield graph
    if len(graph.nodes) > _LARGE:
        yield _with_own_joins(graph)
        yield _by_use(graph)


def _by_use(graph: Graph) -> Graph:
    """Return the graph with each value as late as can be: what a step takes may have been made far ahead."""
    ahead = [0] * len(graph.nodes)  # operations that follow a value, one after the other
    for i in reversed(range(len(graph.nodes))):
        for a in graph.nodes[i].args:
            ahead[a] = max(ahead[a], ahead[i] + is_computed(graph.nodes[i]))
    order = sorted(range(len(graph.nodes)), key=lambda i: (-ahead[i], i))
    new = {old: k for k, old in enumerate(order)}
    nodes = (
        graph.nodes[i].model_copy(update={"args": tuple(new[a] for a in graph.nodes[i].args)}) for i in order
    )
    outputs = (o.model_copy(update={"node": new[o.node]}) for o in graph.outputs)
    return Graph(nodes=tuple(nodes), outputs=tuple(outputs), apart=graph.apart)


def _with_own_joins(graph: Graph) -> Graph:
    """Return the graph where each value that takes a small join has a join of its own, made just before it.

    Steps of two loops that take the same joins, each in its own order, are alike so.
    """
    nodes: list[Node] = []
    new: list[int] = []
    small = [n.op == "cat" and len(n.args) <= _SMALL_JOIN for n in graph.nodes]
    for i, n in enumerate(graph.nodes):
        small[i] = small[i] or (n.op in VIEWS and small[n.args[0]])

    def added(node: Node, args: tuple[int, ...]) -> int:
        nodes.append(node.model_copy(update={"args": args}))
        return len(nodes) - 1

    def own(i: int) -> int:
        node = graph.nodes[i]
        return added(node, tuple(own(a) for a in node.args)) if small[i] else new[i]

    for i, node in enumerate(graph.nodes):
        new.append(added(node, tuple(new[a] if small[i] else own(a) for a in node.args)))
    outputs = tuple(o.model_copy(update={"node": new[o.node]}) for o in graph.outputs)
    kept = sorted(needed_by((o.node for o in outputs), nodes))
    at = {old: k for k, old in enumerate(kept)}
    return Graph(
        nodes=tuple(nodes[i].model_copy(update={"args": tuple(at[a] for a in nodes[i].args)}) for i in kept),
        outputs=tuple(o.model_copy(update={"node": at[o.node]}) for o in outputs),
        apart=graph.apart,
    )


def _split(graph: Graph, run: Repeats, stored: StoredValues) -> tuple[Graph, Piece, Graph] | None:
    """Return what is computed before a loop, the loop, and the rest; None where that order does not hold."""
    body = LoopBody(graph, run, stored)
    inside = {run.value(t, p) for t in range(run.turns) for p in range(run.period)}
    rest = LoopRest(graph, run, inside, stored)
    lengths = {p: max(body.lags.get(p, 0), rest.lags.get(p, 0)) for p in sorted({*body.lags, *rest.places})}
    size = {p: math.prod(graph.nodes[run.value(0, p)].shape) for p in lengths}
    earlier = {(p, t): run.value(t, p) for p, lag in lengths.items() for t in range(-lag, 0)}
    below = needed_by({*body.needs, *earlier.values()}, graph.nodes)
    large = sum(4 * n * (run.turns + lengths[p]) for p, n in size.items()) > MOST_BYTES
    if body.odd or large or below & inside:
        return None
    rest.take(below)
    kept = {p: stored.new() for p in lengths}
    loop = Piece(graph=body.graph(kept, lengths), turns=run.turns)
    after = rest.graph(kept, lengths)
    first = [
        Output(
            node=node, temp=kept[p], dtype=body.memory(p, lengths[p]), offset=(lengths[p] + t) * size[p], part=True,
        )
        for (p, t), node in earlier.items()
    ]  # fmt: skip
    return body.before(first), loop, after
