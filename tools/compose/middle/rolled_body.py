"""The body of a loop that a trace has unrolled: one of its steps, with operands that move from turn to turn."""

import math
from typing import NamedTuple

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import (
    Graph,
    Node,
    Number,
    Output,
    contiguous,
    needed_by,
    view_strides,
)
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.pieces import StoredValues
from akgen.tools.compose.middle.repeats import Repeats, SeenOperand, is_computed, leaf_form
from akgen.tools.compose.middle.repeats import operand as operand_of
from akgen.tools.core.dtypes import DType

TAGS = 3_000_000  # of constants and ranges that are made here
MOST_JOINED = 64  # numbers that follow no rule and are joined to a tensor


class MovingPart(NamedTuple):
    """What a step sees of a tensor: a strided part that moves, and views of it. `node` is stored; None: an input."""

    node: int | None
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    turn: int
    views: tuple[int, ...]


class StartsOfSlice(NamedTuple):
    """Where a slice starts in each step; the tensor that holds these numbers."""

    temp: int
    numbers: tuple[Number, ...]


class LoopBody:
    """A step of a loop. `needs` are the values that must be stored before; `lags` says how far back places are taken.

    `odd` ones move in a way that no address says.
    """

    def __init__(self, graph: Graph, run: Repeats, stored: StoredValues) -> None:
        self.nodes, self.run, self.stored, self.apart = graph.nodes, run, stored, graph.apart
        self.at = {v: k for k, v in enumerate(run.values)}
        self.lags: dict[int, int] = {}
        self.needs: set[int] = set()
        self.odd = False
        self._windows: dict[tuple[int, int], MovingPart] = {}
        self._slices: dict[tuple[int, int], MovingPart] = {}  # of what steps make
        self._tables: dict[tuple[int, int], tuple[int, tuple[Number, ...]]] = {}
        self._starts: dict[tuple[int, int], dict[int, StartsOfSlice]] = {}  # where no address says them
        for place in range(run.period):
            self._look(place)

    # operands

    def _operands(self, turn: int, place: int) -> list[SeenOperand]:
        return [operand_of(self.nodes, a) for a in self.nodes[self.run.value(turn, place)].args]

    def _look(self, place: int) -> None:
        first, second = self._operands(0, place), self._operands(1, place)
        for m, (o, after) in enumerate(zip(first, second, strict=True)):
            if leaf_form(self.nodes[o.base]) is not None and o.base != after.base:
                self._varying(place, m)
                self._picked(place, m, o.views, self._moves(o, after))
            elif o.base != after.base:
                lag = -self.run.place(self.at[o.base])[0]
                self._moving(place, m, o, after, lag)
                if lag:
                    there = self.run.place(self.at[o.base])[1]
                    self.lags[there] = max(lag, self.lags.get(there, 0))
                    self.odd |= not self._alike(there, lag)
            else:
                self._seen(place, m, o, after)

    def _moving(self, place: int, m: int, o: SeenOperand, after: SeenOperand, lag: int) -> None:
        """Note a slice of what each step makes that starts elsewhere in each turn: it is read from where that lies.

        What the step itself makes lies nowhere yet: the slice is picked from it, as what no address says.
        """
        moves = self._moves(o, after)
        if any(moves):
            window = self._window(o.base, o.base, o.views, moves) if lag else None
            if window is None:
                self._picked(place, m, o.views, moves)
            else:
                self._slices[place, m] = window

    def _picked(self, place: int, m: int, views: tuple[int, ...], moves: list[int]) -> None:
        """Note slices whose start is a number of each step."""
        turns = range(self.run.turns)
        found = {
            v: StartsOfSlice(self.stored.new(), tuple(self._start(v) + d * t for t in turns))
            for v, d in zip(views, moves, strict=True)
            if d
        }
        if found:
            self._starts[place, m] = found

    def _alike(self, place: int, lag: int) -> bool:
        """Return whether what stood there before the loop has the form of what the loop puts there."""
        value = self.nodes[self.run.value(0, place)]
        earlier = (self.nodes[self.run.value(-t, place)] for t in range(1, lag + 1))
        known = self.run.first - lag * self.run.period + place >= 0
        return known and all((e.shape, e.dtype) == (value.shape, value.dtype) for e in earlier)

    def _varying(self, place: int, m: int) -> None:
        """Note a number that differs between steps."""
        rows = [self.nodes[self._operands(t, place)[m].base] for t in range(self.run.turns)]
        numbers = tuple(n.value or 0 for n in rows)
        if any(n != numbers[0] for n in numbers):
            self.odd |= _step(numbers) is None and len(numbers) > MOST_JOINED
            self._tables[place, m] = (self.stored.new(), numbers)

    def _seen(self, place: int, m: int, o: SeenOperand, after: SeenOperand) -> None:
        """Note what all steps see: where it starts in each turn."""
        base = self.nodes[o.base]
        moves = self._moves(o, after)
        if base.op == "const" or (base.op == "iota" and not any(moves)):
            return
        source = None if base.op == "load" and not base.args else o.base
        window = self._window(source, o.base, o.views, moves)
        turning = next((k for k, d in enumerate(moves) if d), 0)
        if window is None and turning:
            below = o.views[turning - 1]
            window = self._window(below, below, o.views[turning:], moves[turning:])
        if window is None:
            window = self._window(source, o.base, o.views, [0] * len(moves))
            self._picked(place, m, o.views, moves)
        assert window is not None  # what does not move has its own strides
        self._windows[place, m] = window
        if window.node is not None:
            self.needs.add(window.node)

    def _moves(self, o: SeenOperand, after: SeenOperand) -> list[int]:
        """Return how far the start of each view moves from the first step to the second, and from each to the next."""
        return [self._start(b) - self._start(a) for a, b in zip(o.views, after.views, strict=True)]

    def _start(self, view: int) -> int:
        cut = self.nodes[view].cut
        return 0 if cut is None else cut.start

    def _window(
        self, source: int | None, base: int, views: tuple[int, ...], moves: list[int]
    ) -> MovingPart | None:
        """Return the views, up to the last that moves, as strides; None where they are none."""
        node = self.nodes[base]
        shape, strides, offset, turn = node.shape, contiguous(node.shape), 0, 0
        if source is None:
            strides, offset = node.strides or strides, node.offset
        last = max((k + 1 for k, d in enumerate(moves) if d), default=0)
        for view, move in zip(views[:last], moves, strict=False):
            v = self.nodes[view]
            if v.cut is not None:
                along = strides[v.cut.axis]
                offset, turn = offset + v.cut.start * along, turn + move * along
                strides = tuple(s * v.cut.step if k == v.cut.axis else s for k, s in enumerate(strides))
            elif v.op == "permute":
                strides = tuple(strides[k] for k in v.axes)
            elif v.op == "expand":
                new = len(v.shape) - len(shape)
                strides = tuple(
                    0 if k < new or shape[k - new] != d else strides[k - new] for k, d in enumerate(v.shape)
                )
            else:
                found = view_strides(shape, strides, v.shape)
                if found is None:
                    return None
                strides = found
            shape = v.shape
        return MovingPart(source, shape, strides, offset, turn, views[last:])

    # graphs

    def graph(self, kept: dict[int, int], lengths: dict[int, int]) -> Graph:
        """Return one step. `kept` gives the tensors of places that are stored, `lengths` the steps before in them."""
        b = GraphBuilder(apart=self.apart, first=TAGS)
        made: dict[int, int] = {}
        outputs: list[Output] = []
        for place in range(self.run.period):
            index = self.run.value(0, place)
            node = self.nodes[index]
            args = [
                self._operand(b, made, place, m, o, kept, lengths)
                for m, o in enumerate(self._operands(0, place))
            ]
            vector = node.op == "contract" and _of_vectors(b, node, *args)
            made[place] = vector or b.add(node.model_copy(update={"args": tuple(args)}))
            if place in kept:
                size, lag = math.prod(node.shape), lengths[place]
                outputs.append(
                    Output(
                        node=made[place], temp=kept[place], dtype=self.memory(place, lag), offset=lag * size,
                        turn=size, count=(self.run.turns + lag) * size, part=True,
                    )
                )  # fmt: skip
        return b.graph(tuple(outputs))

    def memory(self, place: int, lag: int) -> DType:
        """Return the dtype in which the values of a place lie in memory."""
        found = [self.stored.dtype(self.run.value(t, place)) for t in range(-lag, self.run.turns)]
        return min(found, key=lambda d: d.size_bytes)

    def _operand(
        self, b: GraphBuilder, made: dict[int, int], place: int, m: int, o: SeenOperand, kept: dict[int, int],
        lengths: dict[int, int],
    ) -> int:  # fmt: skip
        base, starts = self.nodes[o.base], self._starts.get((place, m))
        if (place, m) in self._tables:
            temp, _ = self._tables[place, m]
            load = Node(op="load", dtype=base.dtype, shape=(1,), origin=Origin(temp=temp), turn=1)
            value = b.reshape(b.add(load), ())
            if base.op == "iota":
                value = b.binary("add", b.add(base.model_copy(update={"value": 0})), value, base.dtype)
            return self._viewed(b, value, o.views, starts)
        window = self._windows.get((place, m))
        if window is not None:
            origin = base.origin if window.node is None else Origin(temp=self.stored.of(window.node))
            plain = window.offset == 0 and window.strides == contiguous(window.shape)
            load = Node(
                op="load", dtype=base.dtype, shape=window.shape, origin=origin, offset=window.offset,
                strides=None if plain else window.strides, turn=window.turn,
            )  # fmt: skip
            return self._viewed(b, b.add(load), window.views, starts)
        if not is_computed(base):
            return self._viewed(b, b.add(base), o.views, starts)
        turn, there = self.run.place(self.at[o.base])
        if turn == 0:
            return self._viewed(b, made[there], o.views, starts)
        size = math.prod(base.shape)
        part = self._slices.get((place, m)) or MovingPart(
            o.base, base.shape, contiguous(base.shape), 0, 0, o.views
        )
        offset = (lengths[there] + turn) * size + part.offset
        plain = offset == 0 and part.strides == contiguous(part.shape)
        load = Node(
            op="load", dtype=base.dtype, shape=part.shape, origin=Origin(temp=kept[there]), turn=size + part.turn,
            offset=offset, strides=None if plain else part.strides,
        )  # fmt: skip
        return self._viewed(b, b.add(load), part.views, starts)

    def _viewed(
        self, b: GraphBuilder, value: int, views: tuple[int, ...], starts: dict[int, StartsOfSlice] | None
    ) -> int:
        for v in views:
            if starts and v in starts:
                value = _cut(b, value, self.nodes[v], starts[v].temp)
            else:
                value = b.add(self.nodes[v].model_copy(update={"args": (value,)}))
        return value

    def before(self, outputs: list[Output]) -> Graph:
        """Return what is computed before the loop: these outputs, all values that are stored, the steps' numbers."""
        b = GraphBuilder(apart=self.apart, first=2 * TAGS)
        wanted = {*self.stored.temps, *(o.node for o in outputs)}
        made: dict[int, int] = {}
        for i in sorted(needed_by(wanted, self.nodes)):
            node = self.nodes[i]
            made[i] = b.add(node.model_copy(update={"args": tuple(made[a] for a in node.args)}))
        found = [o.model_copy(update={"node": made[o.node]}) for o in outputs]
        found += [
            Output(node=made[n], temp=t, dtype=self.stored.dtype(n)) for n, t in self.stored.temps.items()
        ]
        for (place, m), (temp, numbers) in self._tables.items():
            dtype = self.nodes[self._operands(0, place)[m].base].dtype
            found.append(Output(node=_table(b, numbers, dtype), temp=temp, dtype=dtype))
        for starts in (s for picked in self._starts.values() for s in picked.values()):
            found.append(
                Output(node=_table(b, starts.numbers, DType.INT32), temp=starts.temp, dtype=DType.INT32)
            )
        return b.graph(tuple(found))


def _cut(b: GraphBuilder, value: int, view: Node, temp: int) -> int:
    """Return a slice that starts at this turn's number."""
    assert view.cut is not None
    axis, step = view.cut.axis, view.cut.step
    load = Node(op="load", dtype=DType.INT32, shape=(1,), origin=Origin(temp=temp), turn=1)
    start = b.reshape(b.add(load), (1,) * len(view.shape))
    places = [b.positions(view.shape, k, 0, step if k == axis else 1) for k in range(len(view.shape))]
    places[axis] = b.binary("add", places[axis], start, DType.INT32)
    return b.take(value, tuple(places))


def _of_vectors(b: GraphBuilder, node: Node, left: int, right: int) -> int | None:
    """Return a matrix times a vector as a sum of products: it uses nothing again, and needs no phase of its own."""
    *_, rows, _ = b[left].shape
    columns = b[right].shape[-1]
    if not node.dtype.is_float or min(rows, columns) != 1:
        return None
    rank = len(b[left].shape)
    turned = (*range(rank - 2), rank - 1, rank - 2)
    if rows == 1:
        return b.reduce("sum", b.binary("mul", b.permute(left, turned), right), (rank - 2,))
    return b.reduce("sum", b.binary("mul", left, b.permute(right, turned)), (rank - 1,))


def _table(b: GraphBuilder, numbers: tuple[Number, ...], dtype: DType) -> int:
    """Return numbers as a tensor of one axis."""
    step = _step(numbers)
    if step is not None and dtype != DType.BOOL:
        fields = {"op": "iota", "dtype": dtype, "shape": (len(numbers),), "value": numbers[0], "step": step}
        return b.add(Node.model_validate({**fields, "tag": TAGS + len(b.nodes)}))
    return b.cat(tuple(b.full(n, dtype, (1,)) for n in numbers), 0)


def _step(numbers: tuple[Number, ...]) -> Number | None:
    """Return how far numbers lie apart, if that is always the same."""
    first, step = numbers[0], numbers[1] - numbers[0]
    even = all(math.isclose(n, first + k * step, rel_tol=1e-9, abs_tol=1e-12) for k, n in enumerate(numbers))
    return step if even and all(map(math.isfinite, numbers)) else None
