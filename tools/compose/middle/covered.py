"""Let one template serve what lowering has written in several forms.

Lowering drops axes of length one and merges axes that adjoin in memory, so cases of one operator come out in several
structures: a batch of one, a width that windows cover exactly. Here a template is set up with the sizes of a case of
another structure. If what comes out is the case's own nest once such axes are dropped and merged, the template covers
the case: it joins the template's group, where it also takes part in the search for rules.
"""

from collections.abc import Mapping, Sequence

from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.axes import LIBRARY
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.loop_nest import Access, Guard, LoopNest
from akgen.tools.compose.middle.symbolic_nest import Address, SymbolicNest
from akgen.tools.core.call import TensorMeta
from akgen.tools.dsl.expr import Expr
from akgen.tools.dsl.host_run import HostFacts, Metas

_Axes = tuple[tuple[int, int], ...]


def in_form_of(
    templates: Sequence[SymbolicNest], case: TracedGraph, nests: Sequence[LoopNest], face: Interface
) -> tuple[LoopNest, ...] | None:
    """Return a case's nests in the templates' structure; None if the templates do not compute them."""
    if len(templates) != len(nests) or any(t.listed for t in templates):
        return None
    metas: dict[str, Metas] = dict(zip(face.input_names, case.inputs, strict=True))
    for k, name in enumerate(face.output_names):
        shape = case.output_shape(k)
        if shape is not None:
            metas.setdefault(name, TensorMeta(dtype=case.output_dtypes[k], shape=shape))
    facts = HostFacts(metas, dict(zip(face.attr_names, (value for _, value in case.attrs), strict=True)))
    found = []
    try:
        for template, nest in zip(templates, nests, strict=True):
            made = _set_up(template, nest, facts)
            if made is None or simplest(made) != simplest(nest):
                return None
            found.append(made)
    except (ZeroDivisionError, KeyError, IndexError, OverflowError):
        return None  # a rule has no numbers for this case
    return tuple(found)


def _set_up(template: SymbolicNest, nest: LoopNest, facts: HostFacts) -> LoopNest | None:
    """Return the template's nest with the sizes of a case, and with the constants of the case's own nest."""
    if len(template.values) != len(nest.values) or len(template.nest.stores) != len(nest.stores):
        return None
    if any(v.access is not None and v.access.places for v in template.values):
        return None  # of what the offset is made up for this case cannot be told
    for name, definition in zip(template.sizes, template.definitions, strict=True):
        facts.names[name.id] = facts.integer(definition)
    sizes = tuple(int(facts.names[name.id]) for name in template.sizes)
    values = tuple(
        mine.model_copy(
            update={
                "access": None if mine.access is None else _placed(mine.access, address, facts),
                "value": own.value,
                "tag": own.tag,
            }
        )
        for mine, own, address in zip(template.values, nest.values, template.addresses, strict=True)
    )
    stores = tuple(
        mine.model_copy(update={"access": _placed(mine.access, address, facts), "count": own.count})
        for mine, own, address in zip(template.nest.stores, nest.stores, template.stores, strict=True)
    )
    return LoopNest(sizes=sizes, values=values, stores=stores, phase=template.nest.phase)


def _placed(access: Access, address: Address | None, facts: HostFacts) -> Access:
    if address is None:
        return access
    guards = tuple(
        Guard(
            offset=facts.integer(g.offset), strides=_strides(g.strides, facts), limit=facts.integer(g.limit)
        )
        for g in address.guards
    )
    changes = {
        "offset": facts.integer(address.offset),
        "strides": _strides(address.strides, facts),
        "guards": guards,
        "scales": tuple(facts.integer(e) for e in address.scales),
        "limits": tuple(facts.integer(e) for e in address.limits),
    }
    return access.model_copy(update=changes)


def _strides(strides: tuple[tuple[int, Expr], ...], facts: HostFacts) -> _Axes:
    return tuple((axis, facts.integer(stride)) for axis, stride in strides)


def simplest(nest: LoopNest) -> LoopNest:
    """Return the nest without axes of length one, and with axes merged that everything walks as one."""
    without = _renamed(nest, {a: k for k, a in enumerate(a for a, n in enumerate(nest.sizes) if n > 1)})
    axis = 0
    while axis + 1 < len(without.sizes):
        merged = _merged(without, axis)
        if merged is None:
            axis += 1
        else:
            without = merged
    return without


def _renamed(nest: LoopNest, new: Mapping[int, int]) -> LoopNest:
    """Return the nest with axes renumbered; those that are not in `new` are left out."""

    def axes(old: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(new[a] for a in old if a in new))

    def strides(old: _Axes) -> _Axes:
        return tuple(sorted((new[a], s) for a, s in old if a in new))

    def access(old: Access | None) -> Access | None:
        if old is None:
            return None
        guards = tuple(g.model_copy(update={"strides": strides(g.strides)}) for g in old.guards)
        return old.model_copy(update={"strides": strides(old.strides), "guards": guards})

    values = tuple(
        v.model_copy(update={"deps": axes(v.deps), "over": axes(v.over), "access": access(v.access)})
        for v in nest.values
    )
    stores = tuple(
        s.model_copy(update={"axes": axes(s.axes), "access": access(s.access)}) for s in nest.stores
    )
    sizes = {k: nest.sizes[a] for a, k in new.items()}
    changes = {"sizes": tuple(sizes[k] for k in sorted(sizes)), "values": values, "stores": stores}
    return nest.model_copy(update=changes)


def _merged(nest: LoopNest, outer: int) -> LoopNest | None:
    """Return the nest with an axis and the next one as one axis, if everything walks them so."""
    inner, length = outer + 1, nest.sizes[outer + 1]
    forms: list[dict[int, int]] = []
    if any(v.op in LIBRARY for v in nest.values):
        return None  # their axes are given, not found
    for access in (*(v.access for v in nest.values), *(s.access for s in nest.stores)):
        if access is not None:
            forms += [dict(access.strides), *(dict(g.strides) for g in access.guards)]
    for form in forms:
        if (outer in form) != (inner in form) or form.get(outer, 0) != form.get(inner, 0) * length:
            return None
    sets: list[tuple[int, ...]] = [s.axes for s in nest.stores]
    for v in nest.values:
        sets += [v.deps, v.over]
    if any((outer in s) != (inner in s) for s in sets):
        return None
    # The merged axis has the stride of the inner one.
    new = {a: a - (a > outer) for a in range(len(nest.sizes)) if a != outer}
    merged = _renamed(nest, new)
    sizes = list(merged.sizes)
    sizes[outer] = nest.sizes[outer] * length
    return merged.model_copy(update={"sizes": tuple(sizes)})
