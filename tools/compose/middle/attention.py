"""Attention, recognised in loop nests: a product, a softmax along its columns, a product over these columns.

What lies between the first product and the softmax may be anything that is computed point by point. The three nests
see the rows of the scores as axes of their own; as all of them lie in the same order, a row's number says where it is.
"""

import math
from collections.abc import Sequence

from akgen.tools.compose.front.graph import needed_by
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.middle.contraction import contraction
from akgen.tools.compose.middle.loop_nest import Access, Value
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name

LOWEST = -3.4028234663852886e38
NOTHING = -1e4  # what is added to a score, or stands for it, so that its weight is 0
APART = frozenset(  # what is not computed point by point
    ["reduce", "scan", "contract", "sort", "take", "scatter_rows", "scatter_elements"]
)


class RowAxes(Frozen):
    """The axes of a nest that are rows of the scores, the outermost first."""

    axes: tuple[int, ...]


class Attention(Frozen):
    """`score` is the value whose softmax is taken, `scores` the load of the first product, both of the middle nest.

    A block of rows never leaves a run of rows of this `length`. With `safe`, rows without any score give 0.
    Keys that are more than `ahead` beyond a row's index weigh nothing, and where none are, the score is
    the value `plain`; None where nothing of the kind is known.
    """

    score: int
    scores: int
    safe: bool
    ahead: Expr | None = None
    plain: int | None = None
    keys: int  # the axis of the middle nest that the softmax runs along
    rows: tuple[RowAxes, RowAxes, RowAxes]  # of the three nests
    length: Name


def fused(templates: Sequence[SymbolicNest]) -> tuple[SymbolicNest, ...]:
    """Return the nests in which those of an attention are one: the last, which has the others as `before`."""
    found = list(templates)
    for last in templates:
        at = _producer(found, last, "weights")
        middle = None if at is None else found[at]
        first = None if middle is None else _producer(found, middle, "scores")
        if middle is None or first is None:
            continue
        three = (found[first], middle, last)
        if _alone(found, three) and attention(three) is not None:
            found[found.index(last)] = last.model_copy(update={"before": three[:2]})
            found = [t for t in found if t is not three[0] and t is not middle]
    return tuple(found)


def attention(nests: tuple[SymbolicNest, SymbolicNest, SymbolicNest]) -> Attention | None:
    """Return how the three nests make an attention, None if they do not."""
    first, middle, last = nests
    try:
        scored, weighed = contraction(first), contraction(last)
    except Unsupported:
        return None
    known = _softmax(middle)
    if known is None or weighed.a.transposed or weighed.k is None or scored.n is None or weighed.n is None:
        return None
    score, safe, keys = known
    below = needed_by([score], middle.values)
    temps = [i for i in below if (o := middle.values[i].origin) is not None and o.temp is not None]
    made = first.nest.stores[0].temp
    loads = [i for i in temps if middle.values[i].origin == Origin(temp=made)]
    read = last.values[weighed.a.value]
    if len(loads) != 1 or read.origin != Origin(temp=middle.nest.stores[0].temp):
        return None
    if any(
        middle.values[i].op in APART or (middle.values[i].args and middle.values[i].op == "load")
        for i in below
    ):
        return None
    places = (first.nest.stores[0].access, middle.values[loads[0]].access, read.access)
    columns = (scored.n, keys, weighed.k)
    rows = []
    for nest, access, column in zip(nests, places, columns, strict=True):
        found = None if access is None else rows_of(nest, access, column)
        if found is None:
            return None
        rows.append(found)
    stored = rows_of(middle, middle.nest.stores[0].access, keys)
    if stored != rows[1] or rows[0].axes[-1] != scored.m or rows[2].axes[-1] != weighed.m:
        return None
    lengths = [(n.cases[0][r.axes[-1]], n, r.axes[-1]) for n, r in zip(nests, rows, strict=True)]
    _, nest, axis = min(lengths, key=lambda found: found[0])
    if any(
        other.cases[k][r.axes[-1]] % nest.cases[k][axis]
        for other, r in zip(nests, rows, strict=True) for k in range(len(nest.cases))
    ):  # fmt: skip
        return None
    hidden = _ahead(middle, score, rows[1].axes[-1], keys)
    return Attention(
        score=score, scores=loads[0], safe=safe, keys=keys, rows=(rows[0], rows[1], rows[2]),
        length=nest.sizes[axis],
        ahead=hidden[0], plain=hidden[1],
    )  # fmt: skip


def _producer(templates: Sequence[SymbolicNest], user: SymbolicNest, what: str) -> int | None:
    """Return the nest that makes the weights, or the scores, that this one loads."""
    for v in user.values:
        if v.origin is None or v.origin.temp is None:
            continue
        for k, t in enumerate(templates):
            made = [s.temp for s in t.nest.stores]
            multiplied = any(x.op == "contract" for x in t.values)
            if made == [v.origin.temp] and multiplied == (what == "scores"):
                return k
    return None


def _alone(templates: Sequence[SymbolicNest], three: tuple[SymbolicNest, SymbolicNest, SymbolicNest]) -> bool:
    """Return whether nobody else loads what goes between the three."""
    first, middle, last = three
    if not any(v.op == "contract" for v in last.values):
        return False
    for made, user in ((first, middle), (middle, last)):
        if len(made.nest.stores) != 1 or len(made.temps) != 1:
            return False
        temp = made.nest.stores[0].temp
        users = [t for t in templates for v in t.values if v.origin is not None and v.origin.temp == temp]
        if len(users) != 1 or users[0] is not user:
            return False
    return True


def rows_of(t: SymbolicNest, access: Access, column: int) -> RowAxes | None:
    """Return the axes beside the columns, if rows adjoin in their order. None where they do not."""
    strides = {a: s for a, s in access.strides if a != column}
    if access.offset or access.guards or access.stride(column) != 1 or not strides:
        return None
    order = sorted(strides, key=lambda a: -strides[a])
    for k, axis in enumerate(order):
        inner = math.prod(t.nest.sizes[a] for a in (*order[k + 1 :], column))
        if strides[axis] != inner:
            return None
    return RowAxes(axes=tuple(order))


def _softmax(t: SymbolicNest) -> tuple[int, bool, int] | None:
    """Return the value whose softmax the nest stores, whether rows without scores give 0, and the axis."""
    if len(t.nest.stores) != 1 or t.nest.scans():
        return None
    v, values = t.values[t.nest.stores[0].value], t.values
    guard = None
    if v.op == "where" and _number(values[v.args[1]]) == 0.0:
        guard, v = values[v.args[0]], values[v.args[2]]
    if v.op != "div":
        return None
    power, total = values[v.args[0]], values[v.args[1]]
    if total.op != "reduce" or total.kind != "sum" or values[total.args[0]] != power or len(total.over) != 1:
        return None
    difference = values[power.args[0]] if power.op == "exp" else power
    if difference.op != "sub":
        return None
    score, largest = difference.args[0], values[difference.args[1]]
    if (
        largest.op != "reduce"
        or largest.kind != "max"
        or largest.args != (score,)
        or largest.over != total.over
    ):
        return None
    if total.over[0] not in values[score].deps or (guard is not None and not _has_none(t, guard, score)):
        return None
    return score, guard is not None, total.over[0]


def _has_none(t: SymbolicNest, guard: Value, score: int) -> bool:
    """Return whether a condition says that no score of the row is a number above the lowest one."""
    values = t.values
    chain = ("not", "gt", "reduce", "cast", "not", "lt")
    v = guard
    for op in chain:
        if v.op != op:
            return False
        if op == "lt":
            return v.args[0] == score and _number(values[v.args[1]]) == LOWEST
        if op == "gt" and _number(values[v.args[1]]) != 0.5:
            return False
        if op == "reduce" and v.kind != "max":
            return False
        v = values[v.args[0]]
    return False


def _ahead(t: SymbolicNest, score: int, row: int, column: int) -> tuple[Expr | None, int | None]:
    """Return how far beyond a row's index keys count, and the scores of those that do: a choice by where they stand."""
    values, v = t.values, t.values[score]
    options = [(score, None), *(((v.args[0], v.args[1]), (v.args[1], v.args[0])) if v.op == "add" else ())]
    for i, beside in options:
        if values[i].op != "where":
            continue
        condition, a, b = values[i].args
        for hides, shows, other in ((a, b, True), (b, a, False)):
            found = _number(values[hides])
            if found is None or found > NOTHING:
                continue
            ahead = _beyond(t, condition, row, column, hidden=other)
            sees_one = isinstance(ahead, Const) and ahead.value >= 0  # every row then has a key that counts
            if beside is not None and _number(values[shows]) != 0.0:
                continue
            if ahead is not None and (sees_one or found == -math.inf):
                return ahead, shows if beside is None else beside
    return None, None


def _beyond(t: SymbolicNest, condition: int, row: int, column: int, *, hidden: bool) -> Expr | None:
    """Return c where a condition says that column <= row + c, or, if it tells what is `hidden`, that it is not so."""
    v, values = t.values[condition], t.values
    if v.op == "and":
        left = [a for a in v.args if not (values[a].op == "const" and values[a].value)]
        return _beyond(t, left[0], row, column, hidden=hidden) if len(left) == 1 else None
    if v.op == "not":
        return _beyond(t, v.args[0], row, column, hidden=not hidden)
    if v.op not in ("le", "lt", "ge", "gt") or any(values[a].dtype != DType.INT32 for a in v.args):
        return None
    sides = [_position(t, a) for a in v.args]
    if sides[0] is None or sides[1] is None:
        return None
    axes = {a: sides[0][0].get(a, 0) - sides[1][0].get(a, 0) for a in (*sides[0][0], *sides[1][0])}
    axes = {a: n for a, n in axes.items() if n}
    rest = _less(sides[0][1], sides[1][1])  # the condition: sum of axes + rest compared with 0
    sign = 1 if v.op in ("le", "lt") else -1
    if hidden:
        sign = -sign
    if axes != {column: sign, row: -sign}:
        return None
    strict = (v.op in ("lt", "gt")) != hidden
    seen = _less(ZERO, rest) if sign == 1 else rest
    return _less(seen, ONE) if strict else seen


def _position(t: SymbolicNest, index: int) -> tuple[dict[int, int], Expr] | None:
    """Return an integer as a sum of indices of axes and a number."""
    v, constant = t.values[index], t.constants[index]
    if v.op == "const" and constant is not None:
        return {}, constant
    if v.op == "iota" and v.access is not None and v.access.offset == 0 and v.step in (None, 1):
        return dict(v.access.strides), Const(value=int(v.value or 0))
    if v.op in ("add", "sub"):
        a, b = (_position(t, x) for x in v.args)
        if a is None or b is None:
            return None
        sign = 1 if v.op == "add" else -1
        axes = {x: a[0].get(x, 0) + sign * b[0].get(x, 0) for x in (*a[0], *b[0])}
        return axes, _less(a[1], b[1] if sign == -1 else _less(ZERO, b[1]))
    return None


def _less(a: Expr, b: Expr) -> Expr:
    """Return a - b, of numbers as a number."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(value=int(a.value) - int(b.value))
    return a if b == ZERO else a - b


def _number(v: Value) -> float | None:
    return float(v.value) if v.op == "const" and v.value is not None else None
