"""A loop nest with the numbers of one case replaced by host expressions that hold for all cases of its kind."""

import math
from collections.abc import Iterator, Sequence

from akgen.tools.compose.front.graph import needed_by
from akgen.tools.compose.front.traced import Origin, TracedGraph
from akgen.tools.compose.middle.loop_nest import Access, LoopNest, Value
from akgen.tools.compose.middle.symbolic import TRIVIAL_FLOATS, SymbolicNumbers, literal
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Name, call, joined, product


class Inside(Frozen):
    """0 <= offset + sum of stride * index < limit, as host expressions."""

    offset: Expr
    strides: tuple[tuple[int, Expr], ...]
    limit: Expr

    def stride(self, axis: int) -> Expr:
        return dict(self.strides).get(axis, ZERO)


class Address(Frozen):
    """offset + sum of stride * index, as host expressions; with the guards, and with strides and limits of indices.

    `turn` is added in each turn of a loop over nests.
    """

    offset: Expr
    turn: Expr = ZERO
    strides: tuple[tuple[int, Expr], ...]
    guards: tuple[Inside, ...] = ()
    scales: tuple[Expr, ...] = ()
    limits: tuple[Expr, ...] = ()

    def stride(self, axis: int) -> Expr:
        return dict(self.strides).get(axis, ZERO)


class SymbolicNest(Frozen):
    """A nest of representative numbers beside the expressions that replace them.

    Those `before` are made together with it, block by block. `sizes` names the host variable of each axis,
    `definitions` what it is set to; `constants` stand by value index.
    """

    nest: LoopNest
    sizes: tuple[Name, ...]
    definitions: tuple[Expr, ...]
    addresses: tuple[Address | None, ...]  # per value: loads
    stores: tuple[Address, ...]
    constants: tuple[Expr | None, ...]  # per value: const, count, inv_count
    cases: tuple[tuple[int, ...], ...]  # the sizes in every case
    temps: tuple[
        tuple[int, Expr, DType], ...
    ] = ()  # workspace tensors that it stores: number, elements, dtype
    before: tuple["SymbolicNest", ...] = ()
    turns: Expr = ZERO  # of the loop in whose body it runs
    plain: "SymbolicNest | None" = None  # of one that is computed in the tensors' own half type: in float32

    @property
    def listed(self) -> bool:
        return self.nest.listed

    @property
    def values(self) -> tuple[Value, ...]:
        return self.nest.values

    def lengths(self, axis: int) -> tuple[int, ...]:
        """Return the length of an axis in every case."""
        return tuple(case[axis] for case in self.cases)

    def turned(self) -> int | None:
        """Return an axis that is contiguous in a tensor in which the innermost one is not, if there is one."""
        lane = len(self.sizes) - 1
        for address in (*self.addresses, *self.stores):
            if address is not None and address.stride(lane) not in (ZERO, ONE):
                found = [axis for axis, stride in address.strides if stride == ONE]
                if found:
                    return found[0]
        return None


def by_reduction(template: SymbolicNest) -> tuple[SymbolicNest, ...]:
    """Return the template in parts that each reduce over one set of axes, by the outputs that need it."""
    overs: list[frozenset[tuple[int, ...]]] = []
    for v in template.values:
        mine = frozenset([v.over]) if v.op in ("reduce", "scan") else frozenset()
        overs.append(mine.union(*(overs[a] for a in v.args)))
    parts: dict[frozenset[tuple[int, ...]], list[int]] = {}
    for k, store in enumerate(template.nest.stores):
        parts.setdefault(overs[store.value], []).append(k)
    return tuple(_restricted(template, keep) for keep in parts.values())


def by_store(template: SymbolicNest, most: int) -> tuple[SymbolicNest, ...]:
    """Return the template in parts that each load from and store to so many tensors at most, where that can be."""
    parts: list[tuple[list[int], set[int]]] = []
    for k, store in enumerate(template.nest.stores):
        below = needed_by([store.value], template.values)
        loads = {i for i in below if template.values[i].op == "load"}
        if parts and len(parts[-1][0]) < most and len(parts[-1][1] | loads) <= most:
            parts[-1][0].append(k)
            parts[-1][1].update(loads)
        else:
            parts.append(([k], loads))
    shares = [_restricted(template, keep) for keep, _ in parts]
    made = {s.temp for n in template.before for s in n.nest.stores}
    follow = [any(v.origin is not None and v.origin.temp in made for v in s.values) for s in shares]
    if made and sum(follow) > 1:
        return (template,)
    # what takes nothing of the product before a nest does not follow it
    return tuple(s if f else s.model_copy(update={"before": ()}) for s, f in zip(shares, follow, strict=True))


def _restricted(template: SymbolicNest, keep: list[int]) -> SymbolicNest:
    """Return the template with only some of its stores and the values that they need."""
    needed: set[int] = set()
    stack = [template.nest.stores[k].value for k in keep]
    while stack:
        i = stack.pop()
        if i not in needed:
            needed.add(i)
            stack.extend(template.values[i].args)
    order = sorted(needed)
    new = {old: k for k, old in enumerate(order)}
    values = tuple(
        template.values[i].model_copy(update={"args": tuple(new[a] for a in template.values[i].args)})
        for i in order
    )
    stores = tuple(
        template.nest.stores[k].model_copy(update={"value": new[template.nest.stores[k].value]}) for k in keep
    )
    return template.model_copy(
        update={
            "nest": template.nest.model_copy(update={"values": values, "stores": stores}),
            "addresses": tuple(template.addresses[i] for i in order),
            "stores": tuple(template.stores[k] for k in keep),
            "temps": tuple(t for t in template.temps if t[0] in {s.temp for s in stores}),
            "constants": tuple(template.constants[i] for i in order),
            "plain": None if template.plain is None else _restricted(template.plain, keep),
        }
    )


def structure(nest: LoopNest) -> object:
    """Return what two nests must have in common to be one template."""
    last = len(nest.sizes) - 1
    values = tuple(
        (
            v.op, v.args, v.dtype, v.deps, v.origin,
            v.kind, v.over, v.reverse, v.step,
            v.value if v.op in ("iota", "inv_count", "load", "scatter_rows", "scatter_elements") else None, v.fill,
            _access_key(v.access, last),
        )
        for v in nest.values
    )  # fmt: skip
    stores = tuple(
        (
            s.value,
            s.output,
            s.element,
            s.temp,
            None if s.temp is None else s.dtype,
            s.axes,
            s.whole,
            _access_key(s.access, last),
        )
        for s in nest.stores
    )
    return (nest.phase, nest.loop, nest.listed, len(nest.sizes), values, stores, _layouts(nest))


def _layouts(nest: LoopNest) -> object:
    """Return along which axes neighbours adjoin: schedules ask for that of more than the last axis."""
    accesses = [*(v.access for v in nest.values), *(s.access for s in nest.stores)]
    return tuple(tuple(x for x, s in a.strides if s == 1) for a in accesses if a is not None)


def _access_key(access: Access | None, last: int) -> object:
    if access is None:
        return None
    guards = (
        *((tuple(a for a, _ in g.strides), g.offset == 0, g.stride(last)) for g in access.guards),
        len(access.places),
    )
    lane = (
        access.stride(last) if access.window or access.guards or access.scales else access.stride(last) == 1
    )
    return (
        tuple(a for a, _ in access.strides),
        access.offset == 0,
        access.turn == 0,
        lane,
        guards,
        tuple(s == 1 for s in access.scales),
    )


def unify(nests: Sequence[LoopNest], facts: SymbolicNumbers, prefix: str) -> SymbolicNest:
    """Return the template of nests with one structure. Raises Unsupported where a number follows no rule."""
    first = nests[0]
    listed = first.listed
    sizes = tuple(Name(id=f"{prefix}{k}") for k in range(len(first.sizes)))
    definitions: list[Expr] = []
    stored = {a for s in first.stores for a in s.axes}
    for k, name in enumerate(sizes if not listed else ()):
        values = tuple(n.sizes[k] for n in nests)
        window = k not in stored and any(v.access is not None and v.access.window for v in first.values)
        definitions.append(facts.integer(values, literal_first=window))
        facts.define(name.id, values)
    addresses = tuple(
        None
        if v.access is None or v.op != "load"
        else _address([_need(n.values[i].access) for n in nests], facts, sizes, nests)
        for i, v in enumerate(first.values)
    )
    stores = tuple(
        _address([n.stores[k].access for n in nests], facts, sizes, nests) for k in range(len(first.stores))
    )
    if listed and any(v.op in ("count", "inv_count") for v in first.values):
        raise Unsupported("list", "means over the tensors of a list are not covered")
    constants = tuple(_constant(i, v, nests, facts, sizes) for i, v in enumerate(first.values))
    return SymbolicNest(
        nest=first, sizes=sizes, definitions=tuple(definitions), addresses=addresses, stores=stores,
        constants=constants, cases=tuple(n.sizes for n in nests),
        temps=tuple(_temps(nests, facts, sizes)),
        turns=ZERO if first.loop is None else facts.integer(tuple(n.turns for n in nests)),
    )  # fmt: skip


def _temps(
    nests: Sequence[LoopNest], facts: SymbolicNumbers, sizes: tuple[Name, ...]
) -> Iterator[tuple[int, Expr, DType]]:
    """Yield the workspace tensors of the nests with their lengths."""
    seen: set[int] = set()
    for k, store in enumerate(nests[0].stores):
        if store.temp is None or store.temp in seen or store.count is None:
            continue
        seen.add(store.temp)
        counts = tuple(n.stores[k].count or 0 for n in nests)
        if store.access.turn > 0:
            steps = tuple(n.stores[k].access.turn for n in nests)
            slots = tuple(c // s for c, s in zip(counts, steps, strict=True))
            yield store.temp, facts.integer(slots) * _stride(steps, facts), store.dtype
            continue
        whole = counts == tuple(math.prod(n.sizes[a] for a in store.axes) for n in nests)
        yield (
            store.temp,
            product(sizes[a] for a in store.axes) if whole else facts.integer(counts),
            store.dtype,
        )


LITERAL_STRIDE = 16  # strides of windows: no lengths of a tensor


def _need(access: Access | None) -> Access:
    assert access is not None
    return access


def _address(
    accesses: Sequence[Access], facts: SymbolicNumbers, sizes: tuple[Name, ...], nests: Sequence[LoopNest]
) -> Address:
    first = accesses[0]
    if first.places:
        offset = _placed(accesses, facts)
    else:
        offset = facts.integer(tuple(a.offset for a in accesses), literal_first=True)
    axes = [axis for axis, _ in accesses[0].strides]
    strides: list[tuple[int, Expr]] = []
    for axis in axes:
        values = tuple(a.stride(axis) for a in accesses)
        inner = [a for a in axes if a > axis]
        if values == tuple(math.prod(n.sizes[a] for a in inner) for n in nests):
            strides.append((axis, product(sizes[a] for a in inner)))
        else:
            strides.append((axis, _stride(values, facts)))
    guards = tuple(
        Inside(
            offset=_whole([a.guards[k].offset for a in accesses], facts),
            strides=tuple(
                (axis, _whole([a.guards[k].stride(axis) for a in accesses], facts))
                for axis, _ in guard.strides
            ),
            limit=facts.integer(tuple(a.guards[k].limit for a in accesses)),
        )
        for k, guard in enumerate(first.guards)
    )
    scales, limits = (
        tuple(facts.integer(column) for column in zip(*rows, strict=True))
        for rows in ([a.scales for a in accesses], [a.limits for a in accesses])
    )
    turn = _stride(tuple(a.turn for a in accesses), facts) if first.turn else ZERO
    return Address(
        offset=offset, turn=turn, strides=tuple(strides), guards=guards, scales=scales, limits=limits
    )


def _placed(accesses: Sequence[Access], facts: SymbolicNumbers) -> Expr:
    """Return the offset of loads with indices: what lies before the first element, dimension by dimension."""
    base = [a.offset - sum(c * s for c, s in a.places) for a in accesses]
    terms = [_whole(base, facts)] if any(base) else []
    for k in range(len(accesses[0].places)):
        constant = _whole([a.places[k][0] for a in accesses], facts)
        stride = _stride(tuple(a.places[k][1] for a in accesses), facts)
        terms.append(constant if stride == ONE else constant * stride)
    return joined("+", terms, ZERO)


def _stride(values: tuple[int, ...], facts: SymbolicNumbers) -> Expr:
    """Return how far neighbours lie apart: by lengths of tensors, or by what windows stride, which is few."""
    if max(map(abs, values)) <= LITERAL_STRIDE or min(values) < 0 < max(values):
        return _whole(values, facts)
    return facts.integer(values) if min(values) > 0 else -facts.integer(tuple(-v for v in values))


def _whole(values: Sequence[int], facts: SymbolicNumbers) -> Expr:
    """Return an integer that may be negative as an expression, the number itself where it never varies."""
    if all(v <= 0 for v in values) and any(values):
        return -facts.integer(tuple(-v for v in values), literal_first=True)
    return facts.integer(tuple(values), literal_first=True)


def _constant(
    index: int, value: Value, nests: Sequence[LoopNest], facts: SymbolicNumbers, sizes: tuple[Name, ...]
) -> Expr | None:
    if value.op in ("count", "inv_count"):
        count = product(sizes[a] for a in value.over)
        if value.op == "count":
            return call("float", count) if value.dtype.is_float else count
        less = int(value.value or 0)
        return Const(value=1.0) / call("float", count - less if less else count)
    if value.op != "const":
        return None
    found = [n.values[index].value for n in nests]
    if value.dtype.is_float:
        number = facts.number(tuple(float(v or 0.0) for v in found))
        if number is not None:
            return number
        raise Unsupported("constant", "a constant that differs between the task's cases follows no attribute")
    if value.dtype == DType.BOOL:
        if len(set(found)) > 1:
            raise Unsupported(
                "constant", "a truth value that differs between the task's cases is not covered"
            )
        return literal(bool(found[0]))
    return facts.setting(tuple(int(v or 0) for v in found))


def promote_constants(
    found: Sequence[tuple[LoopNest, ...]], cases: Sequence[TracedGraph]
) -> list[tuple[LoopNest, ...]]:
    """Return the nests with constants replaced by loads where they equal an input's number in every case.

    The nests have one structure. A constant like 1 or 0 that never varies stays a constant.
    """
    columns = [list(parts) for parts in zip(*found, strict=True)]
    promoted = [_promoted(column, cases) for column in columns]
    return [tuple(parts) for parts in zip(*promoted, strict=True)]


def _promoted(nests: list[LoopNest], cases: Sequence[TracedGraph]) -> list[LoopNest]:
    values = [list(n.values) for n in nests]
    for i, value in enumerate(nests[0].values):
        if value.op != "const":
            continue
        numbers = [float(v[i].value or 0.0) for v in values]
        source = _source(numbers, cases, certain=value.tag > 0)
        if source is None:
            continue
        load = Value(op="load", dtype=value.dtype, origin=Origin(input=source), access=Access())
        for v in values:
            v[i] = load
    return [
        n if tuple(v) == n.values else n.model_copy(update={"values": tuple(v)})
        for n, v in zip(nests, values, strict=True)
    ]


def _source(numbers: list[float], cases: Sequence[TracedGraph], *, certain: bool) -> int | None:
    """Return the input whose single number these are in all cases; 0 and 1 are only taken for one if `certain`."""
    if len(set(numbers)) == 1 and numbers[0] in TRIVIAL_FLOATS and not certain:
        return None
    for i, _ in cases[0].scalars:
        known = [dict(c.scalars).get(i) for c in cases]
        if all(k is not None and len(k) == 1 and _near(k[0], x) for k, x in zip(known, numbers, strict=True)):
            return i
    return None


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(1.0, abs(a))
