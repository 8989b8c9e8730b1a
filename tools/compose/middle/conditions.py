"""Tell groups of cases apart by what the host function can test."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain

from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.symbolic import length, numel
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import Const, DTypeTest, Expr, ListLength, Name, Property, TextTest, binary, joined


class Branch(Frozen):
    """A decision: a leaf names a group; else `test` leads to `then` or `other`."""

    group: int | None = None
    test: Expr | None = None
    then: "Branch | None" = None
    other: "Branch | None" = None


Branch.model_rebuild()
_Test = tuple[Expr, tuple[bool, ...]]  # a condition, and whether it holds in each case


class Features(Frozen):
    """What sets a group apart: the kinds of numbers it works on, its operations, its axes."""

    kinds: tuple[object, ...]
    operations: tuple[object, ...]
    axes: tuple[object, ...]


def decide(
    groups: Sequence[Sequence[int]],
    cases: Sequence[TracedGraph],
    face: Interface,
    features: Sequence[Features],
) -> Branch:
    """Return a tree of tests that leads every case to its group. Raises Unsupported if no test tells them apart.

    Kinds of numbers are told apart by dtypes, operations by optional inputs and attributes, axes by shapes; any test
    will do where these cannot.
    """
    if len(groups) == 1:
        return Branch(group=0)
    types = [*_types(cases, face), *_unions(groups, cases, face)]
    settings = [*_presence(cases, face), *_attributes(cases, face)]
    shapes = list(_shapes(cases, face))
    rounds: list[tuple[list[object], list[_Test]]] = [
        ([f.kinds for f in features], types),
        ([f.operations for f in features], [*settings, *types, *shapes]),
        ([f.axes for f in features], shapes),
        (list(range(len(groups))), [*settings, *types, *shapes, *_remainders(cases, face)]),
    ]
    return _split(list(range(len(groups))), groups, rounds)


def _split(
    which: list[int], groups: Sequence[Sequence[int]], rounds: list[tuple[list[object], list[_Test]]]
) -> Branch:
    if len(which) == 1:
        return Branch(group=which[0])
    for labels, tests in rounds:
        if len({str(labels[g]) for g in which}) == 1:
            continue
        single = (((test,), holds) for test, holds in tests)
        for conditions, holds in chain(single, _pairs(tests, which, groups)):
            yes = [g for g in which if all(holds[c] for c in groups[g])]
            no = [g for g in which if not any(holds[c] for c in groups[g])]
            clean = not {str(labels[g]) for g in yes} & {str(labels[g]) for g in no}
            if yes and no and clean and len(yes) + len(no) == len(which):
                return Branch(
                    test=joined("and", conditions, Const(value=True)),
                    then=_split(yes, groups, rounds), other=_split(no, groups, rounds),
                )  # fmt: skip
    raise Unsupported(
        "dispatch", f"no property of shapes or attributes tells {len(which)} kinds of cases apart"
    )


def numbers(members: Sequence[int], cases: Sequence[TracedGraph]) -> tuple[object, ...]:
    """Return what kinds of numbers a group's inputs and outputs hold."""
    found = {
        tuple(_kind(m) for m in cases[c].inputs) + tuple(d.is_float for d in cases[c].output_dtypes)
        for c in members
    }
    return tuple(sorted(found, key=str))


def _kind(value: TensorMeta | tuple[TensorMeta, ...] | None) -> str | None:
    first = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(first, TensorMeta):
        return None
    return "float" if first.dtype.is_float else str(first.dtype) if first.dtype == DType.BOOL else "int"


def _pairs(
    tests: list[_Test], which: list[int], groups: Sequence[Sequence[int]]
) -> Iterator[tuple[tuple[Expr, ...], tuple[bool, ...]]]:
    """Yield two tests to be joined, each of which holds throughout one of the groups."""
    useful = [t for t in tests if any(all(t[1][c] for c in groups[g]) for g in which)]
    for i, (a, first) in enumerate(useful):
        for b, second in useful[i + 1 :]:
            yield (a, b), tuple(x and y for x, y in zip(first, second, strict=True))


def _types(cases: Sequence[TracedGraph], face: Interface) -> Iterator[_Test]:
    for i, name in enumerate(face.input_names):
        found = [_first_dtype(c.inputs[i]) for c in cases]
        if all(d is not None for d in found):
            for dtype in sorted({str(d) for d in found}):
                yield DTypeTest(tensor=name, dtype=DType(dtype)), tuple(d == dtype for d in found)
    for k, name in enumerate(face.output_names):
        wanted = [c.output_dtypes[k] for c in cases]
        for kind in sorted(set(wanted)):
            yield DTypeTest(tensor=name, dtype=kind), tuple(d == kind for d in wanted)


def _shapes(cases: Sequence[TracedGraph], face: Interface) -> Iterator[_Test]:
    tensors: list[tuple[str, list[TensorMeta]]] = []
    for i, name in enumerate(face.input_names):
        metas = [c.inputs[i] for c in cases]
        if all(isinstance(m, TensorMeta) for m in metas):
            tensors.append((name, [m for m in metas if isinstance(m, TensorMeta)]))
    for name, ms in tensors:
        yield binary("==", numel(name), 1), tuple(m.count == 1 for m in ms)
    yield from _output_shapes(cases, face)
    for k, (name, ms) in enumerate(tensors):
        for other, others in tensors[k + 1 :]:
            same = tuple(a.count == b.count for a, b in zip(ms, others, strict=True))
            yield binary("==", numel(name), numel(other)), same
    for name, ms in tensors:
        rank = min(len(m.shape) for m in ms)
        for d in range(1, rank + 1):
            yield binary("==", length(name, -d), 1), tuple(m.shape[-d] == 1 for m in ms)
        for d in range(rank):
            yield binary("==", length(name, d), 1), tuple(m.shape[d] == 1 for m in ms)
            yield binary("==", numel(name), length(name, d)), tuple(m.count == m.shape[d] for m in ms)
        if rank:
            yield binary("==", numel(name), length(name, -1)), tuple(m.count == m.shape[-1] for m in ms)
        for rank_test in sorted({len(m.shape) for m in ms}):
            ndim = Property(tensor=name, name="ndim")
            yield binary("==", ndim, rank_test), tuple(len(m.shape) == rank_test for m in ms)


def _remainders(cases: Sequence[TracedGraph], face: Interface) -> Iterator[_Test]:
    """Yield tests whether a length is a multiple, as windows that fill it without a rest ask for."""
    for i, name in enumerate(face.input_names):
        found = [c.inputs[i] for c in cases]
        metas = [m for m in found if isinstance(m, TensorMeta)]
        for d in range(
            1, min((len(m.shape) for m in metas), default=0) + 1 if len(metas) == len(found) else 1
        ):
            for k in (2, 3, 4, 8):
                for rest in range(k):
                    test = binary("==", length(name, -d) % k, rest)
                    yield test, tuple(m.shape[-d] % k == rest for m in metas)


def _output_shapes(cases: Sequence[TracedGraph], face: Interface) -> Iterator[_Test]:
    for k, name in enumerate(face.output_names):
        if face.output_kinds[k] == "Output":
            shapes = [c.output_shape(k) for c in cases]
            if all(s is not None for s in shapes):
                yield binary("==", numel(name), 1), tuple(s is not None and math.prod(s) == 1 for s in shapes)
    for i, name in enumerate(face.input_names):
        lists = [c.inputs[i] for c in cases]
        if all(isinstance(v, tuple) for v in lists):
            known = [v for v in lists if isinstance(v, tuple)]
            longest = Property(tensor=name, name="max_numel")
            yield binary("==", longest, 1), tuple(max(m.count for m in v) == 1 for v in known)
            yield binary("==", ListLength(tensor=name), 1), tuple(len(v) == 1 for v in known)


def _unions(
    groups: Sequence[Sequence[int]], cases: Sequence[TracedGraph], face: Interface
) -> Iterator[_Test]:
    """Yield tests for the set of dtypes that one group has."""
    for i, name in enumerate(face.input_names):
        found = [_first_dtype(c.inputs[i]) for c in cases]
        if any(d is None for d in found):
            continue
        for group in groups:
            mine = sorted({str(found[c]) for c in group})
            if 1 < len(mine) < len(set(found)):
                yield _one_of(name, mine), tuple(str(d) in mine for d in found)
    for k, name in enumerate(face.output_names):
        wanted = [str(c.output_dtypes[k]) for c in cases]
        for group in groups:
            mine = sorted({wanted[c] for c in group})
            if 1 < len(mine) < len(set(wanted)):
                yield _one_of(name, mine), tuple(d in mine for d in wanted)


def _one_of(tensor: str, dtypes: Sequence[str]) -> Expr:
    return joined("or", (DTypeTest(tensor=tensor, dtype=DType(d)) for d in dtypes), Const(value=False))


def _first_dtype(value: TensorMeta | tuple[TensorMeta, ...] | None) -> str | None:
    first = value[0] if isinstance(value, tuple) and value else value
    return str(first.dtype) if isinstance(first, TensorMeta) else None


def _presence(cases: Sequence[TracedGraph], face: Interface) -> Iterator[_Test]:
    for i, kind in enumerate(face.input_kinds):
        if kind == "OptionalTensor":
            present = Property(tensor=face.input_names[i], name="present")
            yield present, tuple(c.inputs[i] is not None for c in cases)


def _attributes(cases: Sequence[TracedGraph], face: Interface) -> Iterator[_Test]:
    for k, (name, spec) in enumerate(zip(face.attr_names, face.op.attrs, strict=True)):
        values = [c.attrs[k][1] for c in cases]
        if spec.type == "bool":
            yield Name(id=name), tuple(bool(v) for v in values)
        elif spec.type in ("int", "str"):
            for v in sorted({v for v in values if isinstance(v, (int, str))}, key=str):
                same = TextTest(attr=name, text=v) if isinstance(v, str) else binary("==", Name(id=name), v)
                yield same, tuple(x == v for x in values)
