"""Find what a graph repeats: the steps of a loop over time, which a trace has unrolled.

Only values that are computed count, in the order in which the trace made them; views belong to the operand that sees
them. One step is like the next where every operation is the same and every operand is either as far back, or the same
value for both, or a slice of one value whose start moves by the same distance in each step.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akgen.tools.compose.front.graph import VIEWS, Graph, Node

LEAST_TURNS = 4  # steps that are worth a loop
LEAST_VALUES = 24  # in all of them
LEAST_FUSED = 96  # of such values as one nest computes from what it loads once
_LEAVES = frozenset(["load", "const", "iota", "count"])
_FAR = 2**40  # further back than any value
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class SeenOperand(NamedTuple):
    """What an operation takes: a value seen through views, which are listed from the value upwards."""

    base: int
    views: tuple[int, ...]


class Repeats(NamedTuple):
    """Steps of equal structure: `values` are the computed ones of the whole graph, in order."""

    values: tuple[int, ...]
    first: int  # position of the first step's first value
    period: int
    turns: int

    def value(self, turn: int, place: int) -> int:
        return self.values[self.first + turn * self.period + place]

    def place(self, position: int) -> tuple[int, int]:
        """Return turn and place in it of a value at this position; the turn is negative before the loop."""
        return divmod(position - self.first, self.period)


def operand(nodes: Sequence[Node], index: int) -> SeenOperand:
    """Return what a node is a view of, and the views."""
    views: list[int] = []
    while nodes[index].op in VIEWS:
        views.append(index)
        (index,) = nodes[index].args
    return SeenOperand(index, tuple(reversed(views)))


def is_computed(node: Node) -> bool:
    return node.op not in VIEWS and (node.op not in _LEAVES or bool(node.args))


def view_form(node: Node) -> object:
    """Return what two views have in common that differ in where a slice starts."""
    cut = None if node.cut is None else (node.cut.axis, node.cut.step)
    return node.op, node.shape, node.axes, cut


def leaf_form(node: Node) -> object:
    """Return what two leaves have in common that may stand for one another in steps: all but a number."""
    if node.op not in ("const", "iota"):
        return None
    return node.op, node.dtype, node.shape, node.step


def repeats(graph: Graph) -> Iterator[Repeats]:
    """Yield repetitions in which a step takes what an earlier one made, those of the most values first."""
    nodes = graph.nodes
    values = tuple(i for i, n in enumerate(nodes) if is_computed(n))
    if len(values) < LEAST_VALUES:
        return
    steps = _Steps(nodes, values)
    found = [run for period in range(1, len(values) // LEAST_TURNS + 1) for run in steps.runs(period)]
    for run in sorted(found, key=lambda r: (-(r.turns * r.period) // 16, r.period)):
        best = steps.turned(run)
        if best is not None:
            yield best


class _Steps:
    """The computed values of a graph as arrays: what each is, and how far back its operands lie."""

    def __init__(self, nodes: Sequence[Node], values: tuple[int, ...]) -> None:
        self.nodes, self.values = nodes, values
        at = {v: k for k, v in enumerate(values)}
        self.operands = [[operand(nodes, a) for a in nodes[v].args] for v in values]
        counts = np.array([len(mine) for mine in self.operands])
        self.start = np.concatenate(([0], np.cumsum(counts)))  # of a value's operands: all stand in one row
        self.owner = np.repeat(np.arange(len(values)), counts)
        self.back, self.base = np.full(len(self.owner), _FAR), np.full(len(self.owner), -1)
        self.leaf = np.full(len(self.owner), -1)
        kinds: dict[object, int] = {}
        leaves: dict[object, int] = {}
        self.kind = np.zeros(len(values), dtype=np.int64)
        for k, v in enumerate(values):
            mine = self.operands[k]
            self.kind[k] = kinds.setdefault(self._kind(nodes[v], mine), len(kinds))
            for m, o in enumerate(mine, self.start[k]):
                self.base[m] = o.base
                if o.base in at:
                    self.back[m] = k - at[o.base]
                form = leaf_form(nodes[o.base])
                if form is not None:
                    self.leaf[m] = leaves.setdefault(form, len(leaves))
        self.at = at

    def _kind(self, node: Node, operands: Sequence[SeenOperand]) -> object:
        seen = tuple(
            (
                tuple(view_form(self.nodes[v]) for v in o.views),
                self.nodes[o.base].shape,
                self.nodes[o.base].dtype,
            )
            for o in operands
        )
        plain = node.model_copy(update={"args": (), "tag": node.tag if node.tag >= 0 else 0})
        return plain, seen

    def runs(self, period: int) -> Iterator[Repeats]:
        """Yield the stretches in which every value is as the one a period before."""
        same = self.kind[:-period] == self.kind[period:]
        least = (LEAST_TURNS - 1) * period
        if int(same.sum()) < max(least, LEAST_VALUES - period):
            return
        mine = np.flatnonzero(same[self.owner[: self.start[len(same)]]])
        theirs = mine - self.start[self.owner[mine]] + self.start[self.owner[mine] + period]
        same[self.owner[mine[~self._operands_alike(mine, theirs)]]] = False
        edges = np.flatnonzero(np.diff(np.concatenate(([0], same.astype(np.int8), [0]))))
        for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            turns = (stop - start + period) // period
            if turns >= LEAST_TURNS and turns * period >= LEAST_VALUES:
                yield Repeats(self.values, start, period, turns)

    def turned(self, run: Repeats) -> Repeats | None:
        """Return the run beginning where the least is carried on; None if nothing is, or it moves oddly."""
        stop = run.first + run.turns * run.period
        spare = 0
        while (
            stop + spare < len(self.values) and spare < run.period - 1
            and self._alike(stop + spare, stop + spare - run.period)
        ):  # fmt: skip
            spare += 1
        choices = [run._replace(first=run.first + k) for k in range(spare + 1)]
        best = min(choices, key=lambda r: (self._carried(r), r.first))
        moves = [self._moves(best, place) for place in range(best.period)]
        if not self._carried(best) or None in moves:
            return None
        step = (self.nodes[best.value(0, place)] for place in range(best.period))
        fused = not any(moves) and all(n.pointwise for n in step)
        return best if best.turns * best.period >= (LEAST_FUSED if fused else LEAST_VALUES) else None

    def _alike(self, k: int, j: int) -> bool:
        mine, theirs = (np.arange(self.start[i], self.start[i + 1]) for i in (k, j))
        return bool(self.kind[k] == self.kind[j] and self._operands_alike(mine, theirs).all())

    def _operands_alike(self, mine: Places, theirs: Places) -> Mask:
        """Return which operands are as far back, the same value, or leaves of one form."""
        back = (self.back[mine] == self.back[theirs]) & (self.back[mine] < _FAR)
        leaf = (self.leaf[mine] == self.leaf[theirs]) & (self.leaf[mine] >= 0)
        return np.asarray(back | leaf | (self.base[mine] == self.base[theirs]))

    def _carried(self, run: Repeats) -> int:
        """Return how many elements of earlier steps a step takes."""
        found: set[int] = set()
        for place in range(run.period):
            k = (
                run.first + run.period + place
            )  # of the second step: the first one's may be taken for a constant
            for m, o in enumerate(self.operands[k]):
                mine, after = self.back[[self.start[k] + m, self.start[k + run.period] + m]]
                q = k - int(mine)
                moves = mine < _FAR and mine == after
                if moves and run.place(q)[0] < 1:
                    found.add(o.base)
        return sum(max(1, math.prod(self.nodes[b].shape)) for b in found)

    def _moves(self, run: Repeats, place: int) -> bool | None:
        """Return whether slices of what all steps see move from step to step; None if not by one distance."""
        moves = False
        rows = [self.operands[run.first + t * run.period + place] for t in range(run.turns)]
        for column in zip(*rows, strict=True):
            for views in zip(*(o.views for o in column), strict=True):
                cuts = [self.nodes[v].cut for v in views]
                starts = [c.start for c in cuts if c is not None]
                if starts and any(b - a != starts[1] - starts[0] for a, b in pairwise(starts)):
                    return None
                moves |= bool(starts) and starts[0] != starts[1]
        return moves
