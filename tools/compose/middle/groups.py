"""Group cases by the structure of their loop nests; find what holds for all cases of a group."""

import math
from collections.abc import Iterator, Sequence

from akgen.tools.compose.front.graph import CONTRACTIONS, EXACT_PLACES, broadcast
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.conditions import Branch, Features, decide, numbers
from akgen.tools.compose.middle.equal_values import in_form_of
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.loop_nest import LoopNest
from akgen.tools.compose.middle.native import native_form
from akgen.tools.compose.middle.symbolic import SymbolicNumbers, length, numel
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest, promote_constants, structure, unify
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import ONE, Const, binary, joined, product
from akgen.tools.dsl.ir import (
    Assert,
    BroadcastOf,
    Declare,
    DimList,
    DimSlice,
    ElementType,
    ShapePart,
    ShapesOf,
)


class Group(Frozen):
    """Cases of one structure, and what was found out about them. `checks` are what shapes must be.

    `witnesses` are further cases, not asked for, of which all that holds as well.
    """

    cases: tuple[int, ...]
    witnesses: tuple[int, ...] = ()
    templates: tuple[SymbolicNest, ...]
    declarations: tuple[Declare, ...]
    checks: tuple[Assert, ...] = ()


def groups_of(
    cases: Sequence[TracedGraph],
    found: Sequence[tuple[LoopNest, ...]],
    face: Interface,
    bounds: Sequence[int],
) -> tuple[Group, ...]:
    """Return the groups of cases, whose nests are given. Raises Unsupported where numbers follow no rule.

    The cases after the first `bounds[0]` ones are witnesses, for whom alone there is no group; those after the first
    `bounds[1]` ones are unlike the listed ones, so that what holds for these need not hold for them. Where no rule
    holds for all, those after the last bound but one are left out, and so on.
    """
    made: list[Group] = []
    listed, near = bounds[0], bounds[min(1, len(bounds) - 1)]
    found = list(found)
    for members in _by_structure(found, cases, face, listed):
        asked = [i for i in members if i < listed]
        for known in ([i for i in members if i < most] for most in dict.fromkeys(reversed(bounds))):
            try:
                groups = _groups(known, cases, found, face, listed)
            except Unsupported:
                if known == asked:
                    raise
                continue
            refuted = any(i < near for i in members if i not in known)
            made += [_pinned(g, cases, face) for g in groups] if refuted else groups
            break
    return tuple(made)


def decided(groups: Sequence[Group], cases: Sequence[TracedGraph], face: Interface, listed: int) -> Branch:
    """Return the tests that lead every case to its group, witnesses too where that can be."""
    marks = [features(g, cases) for g in groups]
    try:
        return decide([(*g.cases, *g.witnesses) for g in groups], cases, face, marks)
    except Unsupported:
        return decide([g.cases for g in groups], cases[:listed], face, marks)


def _pinned(group: Group, cases: Sequence[TracedGraph], face: Interface) -> Group:
    """Return the group with checks that shapes are those of its cases: what holds beyond is not known."""
    checks = list(group.checks)
    for i, name in enumerate(face.input_names):
        metas = [cases[c].inputs[i] for c in group.cases]
        shapes = {m.shape for m in metas if isinstance(m, TensorMeta)}
        for d in range(min((len(s) for s in shapes), default=0)):
            same = (binary("==", length(name, d), n) for n in sorted({s[d] for s in shapes}))
            text = f"{name} has a size that this kernel is not made for"
            checks.append(Assert(cond=joined("or", same, Const(value=False)), text=text))
    return group.model_copy(update={"checks": tuple(dict.fromkeys(checks))})


def features(group: Group, cases: Sequence[TracedGraph]) -> Features:
    templates = [t.plain or t for t in group.templates]
    ops = tuple(tuple(v.op for v in t.values if v.op != "expand") for t in templates)
    rounds = tuple(sorted({o for t in ops for o in t if o.startswith("round_")}))
    lanes = tuple(tuple(v.dtype for v in t.values if v.op == "load") for t in templates)
    # A product takes two operands of one dtype, so its kernel is for the dtype in which it stored them.
    factors = tuple(tuple(v.stored for v in t.values if v.op in CONTRACTIONS) for t in templates)
    return Features(
        kinds=(numbers(group.cases, cases), rounds, lanes, factors),
        operations=ops,
        axes=tuple(len(t.sizes) for t in templates),
    )


def _by_structure(
    found: list[tuple[LoopNest, ...]], cases: Sequence[TracedGraph], face: Interface, listed: int
) -> list[list[int]]:
    """Return the cases by the structure of their nests; those that another structure covers take its form in `found`.

    Of each, the cases that the structure comes from stand first, then those that it covers, then witnesses alike.
    """
    groups: dict[object, list[int]] = {}
    for i, case in enumerate(found):
        groups.setdefault(tuple(structure(n) for n in case), []).append(i)
    if len(groups) == 1:
        return list(groups.values())
    classes = sorted(groups.values(), key=lambda g: (sum(len(n.sizes) for n in found[g[0]]), len(g)))
    kept: list[list[int]] = []
    for k, members in enumerate(classes):
        wider = next(
            (w for w in reversed(classes[k + 1 :]) if _cover(w, members, found, cases, face, listed)), None
        )
        if wider is None:
            kept.append(members)
        else:
            wider += members
    return [sorted(g, key=lambda i: i >= listed) for g in kept]


def _cover(
    wider: list[int], members: list[int], found: list[tuple[LoopNest, ...]], cases: Sequence[TracedGraph],
    face: Interface, listed: int,
) -> bool:  # fmt: skip
    """Put the members' nests into the form of the wider structure, if its template computes all of them."""
    if wider[0] >= listed or len(found[wider[0]]) != len(found[members[0]]):
        return False
    try:
        templates = _templates([cases[i] for i in wider], [found[i] for i in wider], face)
    except Unsupported:
        return False
    forms = [form for i in members if (form := in_form_of(templates, cases[i], found[i], face)) is not None]
    if len(forms) < len(members):
        return False
    for i, form in zip(members, forms, strict=True):
        found[i] = form
    return True


def _groups(
    members: list[int],
    cases: Sequence[TracedGraph],
    found: Sequence[tuple[LoopNest, ...]],
    face: Interface,
    listed: int,
) -> list[Group]:
    """Return one group, or several where numbers only follow a rule for one value of some attribute."""
    if all(i >= listed for i in members):
        return []
    try:
        return [_group(members, [cases[i] for i in members], [found[i] for i in members], face, listed)]
    except Unsupported as refused:
        for k, spec in enumerate(face.op.attrs):
            values = {i: cases[i].attrs[k][1] for i in members}
            distinct = list(dict.fromkeys(values.values()))
            if spec.type not in ("bool", "int", "str") or not 1 < len(distinct) <= 8:
                continue
            try:
                parts = [[i for i in members if values[i] == v] for v in distinct]
                return [g for part in parts for g in _groups(part, cases, found, face, listed)]
            except Unsupported:
                continue
        raise refused


def _group(
    members: list[int],
    cases: Sequence[TracedGraph],
    found: Sequence[tuple[LoopNest, ...]],
    face: Interface,
    listed: int,
) -> Group:
    facts = SymbolicNumbers(cases, face.input_names, face.attr_names)
    declared = declarations(cases, face, facts)
    templates = tuple(
        native_form(t, cases, [f[k] for f in found]) for k, t in enumerate(_templates(cases, found, face))
    )
    asked = tuple(i for i in members if i < listed)
    checks = tuple(dict.fromkeys(c for t in templates for c in _checks(t, cases, face)))
    kept = tuple(t.model_copy(update={"cases": t.cases[: len(asked)]}) for t in templates)
    return Group(
        cases=asked, witnesses=tuple(members[len(asked) :]), templates=kept, declarations=tuple(declared),
        checks=checks,
    )  # fmt: skip


def _templates(
    cases: Sequence[TracedGraph], found: Sequence[tuple[LoopNest, ...]], face: Interface
) -> tuple[SymbolicNest, ...]:
    """Return the templates of cases of one structure. Raises Unsupported where a number follows no rule."""
    plain_outputs = [
        n for n, kind in zip(face.output_names, face.output_kinds, strict=True) if kind == "Output"
    ]
    facts = SymbolicNumbers(cases, face.input_names, face.attr_names, plain_outputs)
    found = promote_constants(found, cases)
    templates = []
    for k in range(len(found[0])):
        prefix = "d" if len(found[0]) == 1 else f"{letters(k)}_d"
        templates.append(unify([f[k] for f in found], facts, prefix))
    return tuple(templates)


def letters(number: int) -> str:
    """Return a, b, …, z, ba, bb, …: what names of the parts of one kernel differ by."""
    outer, inner = divmod(number, 26)
    return (letters(outer) if outer else "") + chr(ord("a") + inner)


def _checks(template: SymbolicNest, cases: Sequence[TracedGraph], face: Interface) -> Iterator[Assert]:
    """Yield what ties the tensors' sizes to the axes: a call of another kind is refused, not computed wrongly."""
    if template.listed:
        return
    for v in template.values:
        if v.op == "iota" and v.dtype is DType.FLOAT32 and v.deps:
            few = binary("<=", product(template.sizes[a] for a in v.deps), EXACT_PLACES)
            yield Assert(cond=few, text="there are more places than float32 counts exactly")
        if v.op != "load" or v.origin is None or v.origin.input is None or v.origin.element is not None:
            continue
        metas = [c.inputs[v.origin.input] for c in cases]
        counts = [m.count for m in metas if isinstance(m, TensorMeta)]
        sizes = [math.prod(c[a] for a in v.deps) for c in template.cases]
        name = face.input_names[v.origin.input]
        if counts != sizes:
            yield from _single_axes(name, [m for m in metas if isinstance(m, TensorMeta)])
            continue
        if [template.definitions[a] for a in v.deps] != [numel(name)]:
            same = binary("==", numel(name), product(template.sizes[a] for a in v.deps))
            yield Assert(cond=same, text=f"{name} does not have the expected size")


def _single_axes(name: str, metas: Sequence[TensorMeta]) -> Iterator[Assert]:
    """Yield that axes of one element in every case have no more: nothing loops over them, as over a batch of one."""
    ranks = {len(m.shape) for m in metas}
    if len(metas) < 2 or len(ranks) > 1:
        return
    for axis in range(-max(ranks), 0):
        if all(m.shape[axis] == 1 for m in metas):
            same = binary("==", length(name, axis), ONE)
            yield Assert(cond=same, text=f"{name} has more than one element along axis {axis}")


def declarations(cases: Sequence[TracedGraph], face: Interface, facts: SymbolicNumbers) -> list[Declare]:
    """Return the declaration of every output of this group of cases."""
    found: list[Declare] = []
    for k, name in enumerate(face.output_names):
        alias, dtype = cases[0].aliases[k], _dtype(cases, face, k)
        parts: tuple[ShapePart, ...] | None
        shapes = [c.output_shape(k) for c in cases]
        if face.output_kinds[k] == "OutputList":
            source = _same_shapes(cases, face, k)
            parts = None if source is None else (ShapesOf(tensor=source),)
        elif alias is not None:
            source = face.input_names[alias]
            listed = face.input_kinds[alias] == "TensorList"
            parts = (ShapesOf(tensor=source) if listed else DimSlice(tensor=source),)
            dtype = ElementType(of=source)
        elif any(s is None for s in shapes):
            parts = (DimList(dims=(ONE,)),)
        else:
            parts = _rule([s for s in shapes if s is not None], cases, face, facts)
        if parts is not None:  # else the shape depends on values; the caller allocates
            found.append(Declare(output=name, parts=parts, dtype=dtype))
    return found


def _same_shapes(cases: Sequence[TracedGraph], face: Interface, output: int) -> str | None:
    """Return a list input whose tensors have the shapes of the output list, if there is one."""
    for i, name in enumerate(face.input_names):
        if face.input_kinds[i] == "TensorList" and all(_like(c, i, output) for c in cases):
            return name
    return None


def _like(case: TracedGraph, source: int, output: int) -> bool:
    metas = case.inputs[source]
    shapes = [
        meta.shape
        for o in case.outputs
        if o.output == output and (meta := case.nodes[o.ref.node].metas[o.ref.part]) is not None
    ]
    return isinstance(metas, tuple) and shapes == [m.shape for m in metas][: len(shapes)]


def _dtype(cases: Sequence[TracedGraph], face: Interface, output: int) -> ElementType:
    wanted = [c.output_dtypes[output] for c in cases]
    for i, name in enumerate(face.input_names):
        metas = [c.inputs[i] for c in cases]
        found: list[DType | None] = []
        for m in metas:
            first = m[0] if isinstance(m, tuple) and m else m
            found.append(first.dtype if isinstance(first, TensorMeta) else None)
        if found == wanted and face.input_kinds[i] != "OptionalTensor":
            return ElementType(of=name)
    return ElementType(fixed=wanted[0])


def _rule(
    shapes: list[tuple[int, ...]], cases: Sequence[TracedGraph], face: Interface, facts: SymbolicNumbers
) -> tuple[ShapePart, ...] | None:
    for part, found in _candidates(cases, face):
        if found == shapes:
            return (part,)
    for part, found in _candidates(cases, face):  # a prefix of an input's shape, and lengths after it
        extra = {len(s) - len(f) for s, f in zip(shapes, found, strict=True)}
        more = extra.pop() if len(extra) == 1 else 0
        begins = all(s[: len(f)] == f for s, f in zip(shapes, found, strict=True))
        tail = _tuple([s[-more:] for s in shapes], facts) if 0 < more <= 2 and begins else None
        if tail is not None:
            return (part, tail)
    whole = _tuple(shapes, facts) if len({len(s) for s in shapes}) == 1 else None
    return None if whole is None else (whole,)


def _tuple(shapes: list[tuple[int, ...]], facts: SymbolicNumbers) -> DimList | None:
    try:
        return DimList(dims=tuple(facts.integer(tuple(s[d] for s in shapes)) for d in range(len(shapes[0]))))
    except Unsupported:
        return None


def _compatible(shapes: Sequence[tuple[int, ...]]) -> bool:
    whole = broadcast(*shapes)
    return all(d in (1, whole[len(whole) - len(s) + i]) for s in shapes for i, d in enumerate(s))


def _candidates(
    cases: Sequence[TracedGraph], face: Interface
) -> Iterator[tuple[ShapePart, list[tuple[int, ...]]]]:
    tensors: list[tuple[str, list[tuple[int, ...]]]] = []
    for i, name in enumerate(face.input_names):
        metas = [c.inputs[i] for c in cases]
        if all(isinstance(m, TensorMeta) for m in metas):
            tensors.append((name, [m.shape for m in metas if isinstance(m, TensorMeta)]))
    for name, shapes in tensors:
        yield DimSlice(tensor=name), shapes
    if 1 < len(tensors) <= 4 and all(_compatible([t[1][c] for t in tensors]) for c in range(len(cases))):
        joined = [broadcast(*(t[1][c] for t in tensors)) for c in range(len(cases))]
        yield BroadcastOf(tensors=tuple(n for n, _ in tensors)), joined
    for name, shapes in tensors:
        for d in range(1, min(len(s) for s in shapes) + 1):
            yield DimSlice(tensor=name, stop=Const(value=-d)), [s[:-d] for s in shapes]
        for d in range(1, min(len(s) for s in shapes) + 1):
            yield DimSlice(tensor=name, stop=Const(value=d)), [s[:d] for s in shapes]
            yield DimSlice(tensor=name, start=Const(value=d)), [s[d:] for s in shapes]
