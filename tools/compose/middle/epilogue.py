"""A product and what is computed of it point by point, recognised in loop nests: bias, activation, residual, scale."""

import math
from collections.abc import Iterator, Sequence

from akgen.tools.compose.middle.attention import APART, rows_of
from akgen.tools.compose.middle.contraction import Contraction, contraction
from akgen.tools.compose.middle.loop_nest import Access
from akgen.tools.compose.middle.symbolic_nest import Address, SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import ONE, Expr, product


class Epilogue(Frozen):
    """`loaded` is the load of the product in the nest of what follows, whose axes are `rows` and `column`.

    The rows' axes stand in the order of the product's: those outside of its matrices, the outermost first, then rows.
    """

    loaded: int
    rows: tuple[int, ...]
    column: int


def with_epilogues(templates: Sequence[SymbolicNest]) -> Iterator[tuple[SymbolicNest, ...]]:
    """Yield the nests with one of the products made one with the nest that follows it."""
    for first in reversed(templates):
        last = _follower(first, templates)
        if last is not None and (fused := _fused(first, last)) is not None:
            yield tuple(fused if t is last else t for t in templates if t is not first)


def epilogue(first: SymbolicNest, last: SymbolicNest) -> Epilogue | None:
    """Return how the nest follows the product, None if it does not point by point, in the order of its elements."""
    made = first.nest.stores[0].temp
    loads = [i for i, v in enumerate(last.values) if v.origin is not None and v.origin.temp == made]
    found = _axes(first)
    if len(loads) != 1 or found is None or any(v.op in APART for v in last.values):
        return None
    access = last.values[loads[0]].access
    column = next((a for a in range(len(last.sizes)) if access is not None and access.stride(a) == 1), None)
    if access is None or column is None or any(not _plain(v.access) for v in last.values if v.op == "load"):
        return None
    rows = rows_of(last, access, column)
    if rows is None or len(rows.axes) + 1 != len(last.sizes):
        return None
    lengths = [last.lengths(a) for a in (*rows.axes, column)]
    if lengths != [first.lengths(a) for a in found]:
        return None
    if any(set(s.axes) != set(range(len(last.sizes))) for s in last.nest.stores):
        return None
    return Epilogue(loaded=loads[0], rows=rows.axes, column=column)


def _fused(first: SymbolicNest, last: SymbolicNest) -> SymbolicNest | None:
    """Return the nest that follows with the product before it."""
    last = _unfolded(first, last.plain or last)
    return None if epilogue(first, last) is None else last.model_copy(update={"before": (first,)})


def _follower(first: SymbolicNest, templates: Sequence[SymbolicNest]) -> SymbolicNest | None:
    """Return the nest that alone loads a product's results; None of what is no product, or goes elsewhere, too."""
    multiplied = any(v.op == "contract" for v in first.values)
    if not multiplied or first.before or first.nest.loop is not None or len(first.nest.stores) != 1:
        return None
    made = first.nest.stores[0].temp
    nests = [n for t in templates for n in (*t.before, t)]
    users = [n for n in nests if any(v.origin is not None and v.origin.temp == made for v in n.values)]
    if made is None or len(users) != 1 or users[0].before or users[0].nest.loop is not None:
        return None
    return next((t for t in templates if t is users[0]), None)


def _axes(first: SymbolicNest) -> tuple[int, ...] | None:
    """Return the product's axes in the order in which its results lie: outer ones, rows, columns."""
    try:
        found: Contraction = contraction(first)
    except Unsupported:
        return None
    if found.m is None or found.n is None:
        return None
    rows = rows_of(first, first.nest.stores[0].access, found.n)
    if rows is None or rows.axes[-1] != found.m or set(rows.axes) != {*found.outer, found.m}:
        return None
    return (*rows.axes, found.n)


def _plain(access: Access | None) -> bool:
    return access is not None and not (access.guards or access.scales or access.window or access.turn)


def _unfolded(first: SymbolicNest, last: SymbolicNest) -> SymbolicNest:
    """Return a nest over one axis, along which all elements of the product lie, as one over the product's axes."""
    axes = _axes(first)
    if axes is None or len(last.sizes) != 1:
        return last
    sizes = tuple(first.sizes[a] for a in axes)
    cases = tuple(tuple(case[a] for a in axes) for case in first.cases)
    whole = tuple(range(len(axes)))
    accesses = [*(v.access for v in last.values), *(s.access for s in last.nest.stores)]
    if last.lengths(0) != tuple(math.prod(case) for case in cases) or any(
        a is not None and a.stride(0) not in (0, 1) for a in accesses
    ):
        return last
    inner = [tuple(cases[0][k + 1 :]) for k in whole]

    def access(found: Access | None) -> Access | None:
        if found is None or not found.strides:
            return found
        return found.model_copy(update={"strides": tuple((k, math.prod(inner[k])) for k in whole)})

    def address(found: Address | None) -> Address | None:
        if found is None or not found.strides:
            return found
        strides: list[tuple[int, Expr]] = [
            (k, product(sizes[k + 1 :]) if k < len(sizes) - 1 else ONE) for k in whole
        ]
        return found.model_copy(update={"strides": tuple(strides)})

    values = tuple(
        v.model_copy(update={"deps": whole if v.deps else (), "access": access(v.access)})
        for v in last.values
    )
    stores = tuple(
        s.model_copy(update={"axes": whole if s.axes else (), "access": access(s.access)})
        for s in last.nest.stores
    )
    nest = last.nest.model_copy(update={"sizes": cases[0], "values": values, "stores": stores})
    return last.model_copy(
        update={
            "nest": nest, "sizes": sizes, "definitions": sizes, "cases": cases,
            "addresses": tuple(map(address, last.addresses)), "stores": tuple(map(address, last.stores)),
        }
    )  # fmt: skip
