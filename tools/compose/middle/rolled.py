"""Roll what a trace has unrolled: a graph becomes pieces, of which some are the bodies of loops over time.

A value that later steps or the rest of the graph take lies in the workspace for all steps, one after the other, behind
those that the first step takes: steps write what no step has read, and joined outputs are views of it. The first of
the steps that a trace shows stays before the loop, so that all operands of the others are values of a step like theirs.
"""

import math
from collections.abc import Iterator
from itertools import count

from akgen.tools.compose.front.graph import Graph, Output, needed_by
from akgen.tools.compose.middle.pieces import Piece
from akgen.tools.compose.middle.repeats import Repeats, repeats
from akgen.tools.compose.middle.rolled_body import LoopBody
from akgen.tools.compose.middle.rolled_rest import LoopRest
from akgen.tools.compose.middle.workspace import StoredValues
from akgen.tools.compose.scope import Unsupported

LARGEST = 3000  # values of a piece: beyond, the reference is a program rather than a formula
MOST_BYTES = 2**29  # of what one loop keeps of all steps


def rolled(graph: Graph) -> tuple[Piece, ...]:
    """Return the graph in pieces, one where nothing repeats. Raises Unsupported for one that stays too large."""
    pieces = _rolled(graph, count())
    largest = max(len(p.graph.nodes) for p in pieces)
    if largest > LARGEST:
        raise Unsupported("graph", f"the reference unrolls to {largest} operations")
    return pieces


def _rolled(graph: Graph, numbers: Iterator[int]) -> tuple[Piece, ...]:
    for run in repeats(graph):
        pieces = _split(graph, run, StoredValues(graph, numbers))
        if pieces is not None:
            before, loop, after = pieces
            return (*(_rolled(before, numbers) if before.outputs else ()), loop, *_rolled(after, numbers))
    return (Piece(graph=graph),)


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
