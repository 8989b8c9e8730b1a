"""Loops over nests: steps of a recurrence, each of which starts from what the steps before have stored."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from akgen.tools.compose.back.layout import TURN
from akgen.tools.compose.back.schedules.base import Kind
from akgen.tools.compose.back.writer import Writer
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.dsl.expr import ZERO

# schedules that give every point of the axes that are kept to one core, whatever is loaded and stored
_APART: tuple[Kind, ...] = ("flat", "rows", "tiles", "items", "columns", "single")


@contextmanager
def turns(
    run: Sequence[SymbolicNest], kinds: Sequence[Kind], writer: Writer, *, first: bool
) -> Iterator[None]:
    """Begin the phase of nests that follow one another; where they are the body of a loop, open it around them.

    All cores meet in each turn, unless every core reads what it has stored itself.
    """
    if run[0].nest.loop is None:
        if not first:
            writer.begin_phase()
        yield
        return
    alone = len(run) == 1 and _is_private(run[0], kinds[0])
    if alone and not first:
        writer.begin_phase()
    with writer.loop(TURN, 0, writer.scalar(run[0].turns, "int")):
        if not alone:
            writer.begin_phase()
        yield


def _is_private(template: SymbolicNest, kind: Kind) -> bool:
    """Return whether no core loads what another one has stored in an earlier turn."""
    nest = template.nest
    lane = len(nest.sizes) - 1
    overs = nest.overs()
    if kind not in _APART or (kind == "rows" and any(o != (lane,) for o in overs)):
        return False
    kept = set(range(len(nest.sizes))).difference(*overs)
    for store, to in zip(nest.stores, template.stores, strict=True):
        if not kept <= set(store.axes):
            return False
        for value, address in zip(nest.values, template.addresses, strict=True):
            if value.op != "load" or value.origin is None or value.origin.temp != store.temp:
                continue
            assert address is not None
            same = dict(address.strides) == dict(to.strides) and address.turn == to.turn != ZERO
            if not same or address.guards or address.scales or set(value.deps) != set(store.axes):
                return False
    return True
