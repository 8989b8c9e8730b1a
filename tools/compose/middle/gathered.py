"""Compute values that a trace has computed one by one, and joined, as the one tensor that they are the parts of.

Code that walks through groups, windows or heads works on one of them at a time and stacks the results, or adds each to
its place in a whole. `cat(f(v[0]), f(v[1]), …)` is f(v), also where the parts are numbers; `cat(s, max(x[1], s), …)`,
in which each number comes from the one before, is a scan. What was written into a whole step by step lies there in
pieces (`joined_pieces`).
"""

import math
from collections.abc import Iterator, Sequence

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import VIEWS, Graph, Node
from akgen.tools.compose.middle.joined_pieces import in_pieces
from akgen.tools.core.dtypes import DType

_LEAST = 4  # values worth one operation
_FIRST_TAG = 5_000_000  # of constants made here
_RUNNING = {"max": "max", "min": "min", "add": "sum"}  # operations whose repetition is a scan, and its kind
_KEEPS = ("reshape", "permute", "expand")
_LIFTED = ("reduce", "scan", "contract")  # besides pointwise operations and views


class _Differs(Exception):
    """The values are not alike."""


def gathered(graph: Graph) -> Graph:
    """Return the graph with joined values computed together; the same graph if there are none."""
    if not any(n.op == "cat" for n in graph.nodes):
        return graph
    pieces = in_pieces(graph)
    found = _Gatherer(pieces).graph()
    if found is None and pieces is not graph:
        found = _Gatherer(graph).graph()
    return graph if found is None else found


class _Gatherer:
    """Rewrites a graph with joined values computed together."""

    def __init__(self, graph: Graph) -> None:
        self.g, self.nodes = graph, graph.nodes
        self.b = GraphBuilder(apart=graph.apart, first=_FIRST_TAG)
        self.new: dict[int, int] = {}
        self._known: dict[tuple[int, ...], int] = {}
        forms: dict[object, int] = {}
        self.form: list[int] = []
        for i, node in enumerate(self.nodes):
            key = (
                _form(node),
                node.shape,
                tuple(self.form[a] for a in node.args),
                i if node.op == "load" else 0,
            )
            self.form.append(forms.setdefault(key, i))

    def graph(self) -> Graph | None:
        """Return the new graph, None if nothing is gathered."""
        changed = False
        for i, node in enumerate(self.nodes):
            made = self._joined(node) if node.op == "cat" and len(node.args) >= _LEAST else None
            changed |= made is not None
            plain = node.model_copy(update={"args": tuple(self.new[a] for a in node.args)})
            self.new[i] = self.b.add(plain) if made is None else made
        if not changed:
            return None
        outputs = (o.model_copy(update={"node": self.new[o.node]}) for o in self.g.outputs)
        return self.b.graph(tuple(outputs))

    def _joined(self, node: Node) -> int | None:
        numbers = [self._number(a) for a in node.args]
        if math.prod(node.shape) == len(node.args):
            if all(self._is_leaf(n) for n in numbers):
                return None
            return self.b.reshape(self.b.cast(self.numbers(tuple(numbers)), node.dtype), node.shape)
        (axis,) = node.axes
        parts: list[int] = []
        for run in self._runs(node.args):
            together = self._blocks(run, axis) if len(run) >= _LEAST else None
            parts += [self.new[a] for a in run] if together is None else [together]
        return self.b.cat(tuple(parts), axis) if len(parts) < len(node.args) else None

    def _runs(self, parts: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the parts in runs of the same structure."""
        run: list[int] = []
        for p in parts:
            if run and self.form[p] != self.form[run[-1]]:
                yield tuple(run)
                run = []
            run.append(p)
        yield tuple(run)

    def _blocks(self, olds: tuple[int, ...], axis: int) -> int | None:
        """Return parts of one structure side by side along an axis; None where they cannot be computed together."""
        if len(set(olds)) == 1 or all(self._is_leaf(o) for o in olds):
            return None
        try:
            made = self.lifted(olds)
        except _Differs:
            return None
        shape = self.nodes[olds[0]].shape
        order = (*range(1, axis + 1), 0, *range(axis + 1, len(shape) + 1))
        joined = tuple(d * len(olds) if k == axis else d for k, d in enumerate(shape))
        return self.b.reshape(self.b.permute(made, order), joined)

    def _is_leaf(self, index: int) -> bool:
        while self.nodes[index].op in VIEWS:
            (index,) = self.nodes[index].args
        return self.nodes[index].op in ("load", "const", "iota")

    # values of equal shape, with an axis for their number in front

    def lifted(self, olds: tuple[int, ...]) -> int:
        """Return (n, …) for n values of equal shape. Raises _Differs."""
        if olds not in self._known:
            self._known[olds] = self._lifted(olds)
        return self._known[olds]

    def _lifted(self, olds: tuple[int, ...]) -> int:
        nodes, count = [self.nodes[o] for o in olds], len(olds)
        first = nodes[0]
        if len(set(olds)) == 1:
            return self.b.expand(self.b.reshape(self.new[olds[0]], (1, *first.shape)), (count, *first.shape))
        if first.op == "const":
            return self._constants(nodes)
        if any(_form(n) != _form(first) or n.shape != first.shape for n in nodes):
            raise _Differs
        args = [tuple(n.args[j] for n in nodes) for j in range(len(first.args))]
        if first.op == "slice":
            return self._slices(nodes, args[0])
        if first.op in VIEWS:
            return self._view(first, self.lifted(args[0]), count)
        if first.op == "iota":
            return self.b.expand(self.b.reshape(self.new[olds[0]], (1, *first.shape)), (count, *first.shape))
        if first.op == "take":
            return self._taken(first, args, count)
        if not first.pointwise and first.op not in _LIFTED:
            raise _Differs
        if any(len({self.nodes[a].shape for a in arg}) > 1 for arg in args):
            raise _Differs
        rank = max(len(self.nodes[a].shape) for arg in args for a in arg)
        operands = []
        for arg in args:
            shape = self.nodes[arg[0]].shape
            wide = (1,) * (rank - len(shape)) + shape
            one = len(set(arg)) == 1 and first.pointwise
            made = self.new[arg[0]] if one else self.lifted(arg)
            operands.append(self.b.reshape(made, (1 if one else count, *wide)))
        axes = tuple(a + 1 for a in first.axes)
        return self.b.add(
            first.model_copy(update={"args": tuple(operands), "shape": (count, *first.shape), "axes": axes})
        )

    def _taken(self, first: Node, args: Sequence[tuple[int, ...]], count: int) -> int:
        """Return elements of one value, or of one for each number, picked side by side."""
        rank, one = len(first.shape), len(set(args[0])) == 1
        places = []
        for arg in args[1:]:
            own = self.nodes[arg[0]].shape
            made = self.new[arg[0]] if len(set(arg)) == 1 else self.lifted(arg)
            places.append(
                self.b.reshape(made, (1 if len(set(arg)) == 1 else count, *[1] * (rank - len(own)), *own))
            )
        source = self.new[args[0][0]] if one else self.lifted(args[0])
        numbers = () if one else (self.b.positions((count, *[1] * rank), 0),)
        found = self.b.take(source, (*numbers, *places), first.fill)
        return self.b.expand(found, (count, *first.shape))

    def _view(self, view: Node, source: int, count: int) -> int:
        shape = (count, *view.shape)
        match view.op:
            case "reshape":
                return self.b.reshape(source, shape)
            case "permute":
                return self.b.permute(source, (0, *(a + 1 for a in view.axes)))
        own = self.b[source].shape
        return self.b.expand(self.b.reshape(source, (count, *[1] * (len(shape) - len(own)), *own[1:])), shape)

    def _constants(self, nodes: Sequence[Node]) -> int:
        values, dtype = [n.value or 0 for n in nodes], nodes[0].dtype
        if any(n.op != "const" for n in nodes):
            raise _Differs
        if len(set(values)) == 1:
            return self.b.full(values[0], dtype, (len(values),))
        step = values[1] - values[0]
        if dtype == DType.INT32 and all(v == values[0] + k * step for k, v in enumerate(values)):
            return self.b.iota(len(values), values[0], step, dtype)
        return self.b.cat(tuple(self.b.full(v, dtype, (1,)) for v in values), 0)

    def _slices(self, nodes: Sequence[Node], sources: tuple[int, ...]) -> int:
        """Return slices of one value that adjoin or are one element each, or equal slices of different values."""
        first, count = nodes[0], len(nodes)
        cuts = [n.cut for n in nodes if n.cut is not None]
        axis, starts = cuts[0].axis, [c.start for c in cuts]
        if len({(c.axis, c.step) for c in cuts}) > 1:
            raise _Differs
        if len(set(starts)) == 1:
            return self.b.slice(self.lifted(sources), axis + 1, starts[0], first.shape[axis], cuts[0].step)
        step, length = starts[1] - starts[0], first.shape[axis]
        even = all(s == starts[0] + k * step for k, s in enumerate(starts))
        if (
            len(set(sources)) > 1
            or not even
            or step < 1
            or (length > 1 and (step, cuts[0].step) != (length, 1))
        ):
            raise _Differs
        whole = self.b.slice(
            self.new[sources[0]], axis, starts[0], count * length, step if length == 1 else 1
        )
        rank = len(first.shape)
        apart = self.b.reshape(whole, (*first.shape[:axis], count, *first.shape[axis:]))
        return self.b.permute(apart, (axis, *(k for k in range(rank + 1) if k != axis)))

    # numbers

    def _number(self, index: int) -> int:
        """Return the single element of which a value is a view."""
        while self.nodes[index].op in _KEEPS and math.prod(self.nodes[self.nodes[index].args[0]].shape) == 1:
            (index,) = self.nodes[index].args
        return index

    def numbers(self, olds: tuple[int, ...]) -> int:
        """Return (n,) for n values of one element each: those that are not alike are computed one by one."""
        if olds not in self._known:
            self._known[olds] = self._numbers(olds)
        return self._known[olds]

    def _numbers(self, olds: tuple[int, ...]) -> int:
        nodes = [self.nodes[o] for o in olds]
        if len(set(olds)) == 1:
            return self.b.expand(self._single(olds[0]), (len(olds),))
        if not nodes[-1].pointwise:
            try:
                return self.b.reshape(self.lifted(olds), (len(olds),))
            except _Differs:
                return self.b.cat(tuple(self._single(o) for o in olds), 0)
        alike = len(olds)
        while alike and _form(nodes[alike - 1]) == _form(nodes[-1]):
            alike -= 1
        if len(olds) - alike < _LEAST:
            return self.b.cat(tuple(self._single(o) for o in olds), 0)
        if alike:
            return self.b.cat((*(self._single(o) for o in olds[:alike]), self.numbers(olds[alike:])), 0)
        args = [tuple(self._number(n.args[k]) for n in nodes) for k in range(len(nodes[0].args))]
        running = self._running(olds, args)
        if running is not None:
            return running
        if any(
            a[1:] == olds[:-1] for a in args
        ):  # each comes from the one before, in no way that a scan does
            return self.b.cat(tuple(self._single(o) for o in olds), 0)
        operands = tuple(self.numbers(a) for a in args)
        return self.b.add(nodes[0].model_copy(update={"args": operands, "shape": (len(olds),)}))

    def _single(self, old: int) -> int:
        return self.b.reshape(self.new[old], (1,))

    def _running(self, olds: tuple[int, ...], args: Sequence[tuple[int, ...]]) -> int | None:
        """Return a scan where each number comes from the one before."""
        node = self.nodes[olds[0]]
        kind = _RUNNING.get(node.op)
        if kind is None or (kind == "sum" and node.dtype.is_float):
            return None
        before = next((k for k, a in enumerate(args) if a[1:] == olds[:-1]), None)
        if before is None:
            return None
        steps = self.numbers(args[1 - before][1:])
        return self.b.scan(kind, self.b.cat((self._single(olds[0]), self.b.cast(steps, node.dtype)), 0), 0)


def _form(node: Node) -> object:
    """Return what values of equal structure have in common; a slice may begin anywhere, a constant have any value."""
    cut = None if node.cut is None else (node.cut.axis, node.cut.step)
    value = None if node.op == "const" else node.value
    return (
        node.op, node.dtype, node.kind, node.axes, node.stored, cut, value, node.fill, node.reverse, node.step,
        node.rounded, len(node.args),
    )  # fmt: skip
