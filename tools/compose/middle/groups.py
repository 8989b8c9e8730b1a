"""Group cases by the structure of their loop nests; find what holds for all cases of a group."""

import math
from collections.abc import Iterator, Sequence

from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.conditions import Features, numbers
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.loop_nest import LoopNest
from akgen.tools.compose.middle.shapes import declarations
from akgen.tools.compose.middle.symbolic import SymbolicNumbers
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest, promote_constants, structure, unify
from akgen.tools.compose.middle.tensor_lists import is_listed
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.frozen import Frozen


class Group(Frozen):
    """Cases of one structure, and what was found out about them. `checks` are conditions on shapes that must hold."""

    cases: tuple[int, ...]
    templates: tuple[SymbolicNest, ...]
    declarations: tuple[str, ...]
    checks: tuple[str, ...] = ()


def groups_of(
    cases: Sequence[TracedGraph], found: Sequence[tuple[LoopNest, ...]], face: Interface
) -> tuple[Group, ...]:
    """Return the groups of cases, whose nests are given. Raises Unsupported where numbers follow no rule."""
    return tuple(g for members in _by_structure(found) for g in _groups(members, cases, found, face))


def features(group: Group, cases: Sequence[TracedGraph]) -> Features:
    ops = tuple(tuple(v.op for v in t.values if v.op != "expand") for t in group.templates)
    rounds = tuple(sorted({o for t in ops for o in t if o.startswith("round_")}))
    lanes = tuple(tuple(v.dtype for v in t.values if v.op == "load") for t in group.templates)
    return Features(
        kinds=(numbers(group.cases, cases), rounds, lanes),
        operations=ops,
        axes=tuple(len(t.sizes) for t in group.templates),
    )


def _by_structure(found: Sequence[tuple[LoopNest, ...]]) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for i, case in enumerate(found):
        groups.setdefault(tuple(structure(n) for n in case), []).append(i)
    return list(groups.values())


def _groups(
    members: list[int], cases: Sequence[TracedGraph], found: Sequence[tuple[LoopNest, ...]], face: Interface
) -> list[Group]:
    """Return one group, or several where numbers only follow a rule for one value of some attribute."""
    try:
        return [_group(members, [cases[i] for i in members], [found[i] for i in members], face)]
    except Unsupported as refused:
        for k, spec in enumerate(face.op.attrs):
            values = {i: cases[i].attrs[k][1] for i in members}
            distinct = list(dict.fromkeys(values.values()))
            if spec.type not in ("bool", "int", "str") or not 1 < len(distinct) <= 8:
                continue
            try:
                parts = [[i for i in members if values[i] == v] for v in distinct]
                return [g for part in parts for g in _groups(part, cases, found, face)]
            except Unsupported:
                continue
        raise refused


def _group(
    members: list[int], cases: Sequence[TracedGraph], found: Sequence[tuple[LoopNest, ...]], face: Interface
) -> Group:
    facts = SymbolicNumbers(cases, face.input_names, face.attr_names)
    declared = declarations(cases, face, facts)
    plain_outputs = [
        n for n, kind in zip(face.output_names, face.output_kinds, strict=True) if kind == "Output"
    ]
    facts = SymbolicNumbers(cases, face.input_names, face.attr_names, plain_outputs)
    found = promote_constants(found, cases)
    templates = []
    for k in range(len(found[0])):
        prefix = "d" if len(found[0]) == 1 else f"{chr(ord('a') + k)}_d"
        listed = is_listed(cases)
        templates.append(unify([f[k] for f in found], facts, prefix, listed=listed))
    return Group(
        cases=tuple(members), templates=tuple(templates), declarations=tuple(declared),
        checks=tuple(dict.fromkeys(c for t in templates for c in _checks(t, cases, face))),
    )  # fmt: skip


def _checks(template: SymbolicNest, cases: Sequence[TracedGraph], face: Interface) -> Iterator[str]:
    """Yield what ties the tensors' sizes to the axes: a call of another kind is refused, not computed wrongly."""
    if template.listed:
        return
    for v in template.values:
        if v.op != "load" or v.origin is None or v.origin.element is not None:
            continue
        metas = [c.inputs[v.origin.input] for c in cases]
        counts = [m.count for m in metas if isinstance(m, TensorMeta)]
        sizes = [math.prod(c[a] for a in v.deps) for c in template.cases]
        if counts != sizes:
            continue
        name = f"{face.input_names[v.origin.input]}.numel"
        product = " * ".join(template.sizes[a] for a in v.deps) or "1"
        if [template.definitions[a] for a in v.deps] != [name]:
            yield f"{name} == {product}"
