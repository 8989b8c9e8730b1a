"""Tell groups of cases apart by what the host function can test."""

import math
from collections.abc import Iterator, Sequence

from akgen.agents.composer.facts import output_shape
from akgen.agents.composer.interface import Interface
from akgen.agents.composer.raw import RawGraph
from akgen.agents.composer.scope import Unsupported
from akgen.tools.call import TensorMeta
from akgen.tools.dtypes import DType
from akgen.tools.frozen import Frozen


class Branch(Frozen):
    """A decision: a leaf names a group; else `test` leads to `then` or `other`."""

    group: int | None = None
    test: str | None = None
    then: "Branch | None" = None
    other: "Branch | None" = None


Branch.model_rebuild()
_Test = tuple[str, tuple[bool, ...]]


def decide(groups: Sequence[Sequence[int]], cases: Sequence[RawGraph], face: Interface) -> Branch:
    """Return a tree of tests that leads every case to its group. Raises Unsupported if no test tells them apart."""
    tests = [*_tests(cases, face), *_unions(groups, cases, face)]
    by_type = [t for t in tests if ".dtype ==" in t[0]]
    return _split(list(range(len(groups))), groups, tests, by_type, _kinds(groups, cases))


def _kinds(groups: Sequence[Sequence[int]], cases: Sequence[RawGraph]) -> list[object]:
    """Return what kind of numbers each group works on: kernels for integers cannot be built for floats."""
    return [
        {tuple(_kind(m) for m in cases[c].inputs) + tuple(d.is_float for d in cases[c].output_dtypes) for c in g}
        for g in groups
    ]


def _kind(value: TensorMeta | tuple[TensorMeta, ...] | None) -> str | None:
    first = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(first, TensorMeta):
        return None
    return "float" if first.dtype.is_float else str(first.dtype) if first.dtype == DType.BOOL else "int"


def _split(
    which: list[int], groups: Sequence[Sequence[int]], tests: list[_Test], by_type: list[_Test], kinds: list[object]
) -> Branch:
    if len(which) == 1:
        return Branch(group=which[0])
    differ = any(kinds[g] != kinds[which[0]] for g in which)
    first = [t for t in by_type if _separates(t, which, groups, kinds)] if differ else []
    for text, holds in [*first, *tests, *_pairs(tests, which, groups)]:
        yes = [g for g in which if all(holds[c] for c in groups[g])]
        no = [g for g in which if not any(holds[c] for c in groups[g])]
        if yes and no and len(yes) + len(no) == len(which):
            then = _split(yes, groups, tests, by_type, kinds)
            return Branch(test=text, then=then, other=_split(no, groups, tests, by_type, kinds))
    raise Unsupported("dispatch", f"no property of shapes or attributes tells {len(which)} kinds of cases apart")


def _separates(
    test: _Test, which: list[int], groups: Sequence[Sequence[int]], kinds: list[object]
) -> bool:
    """Return whether a test of dtypes leaves no kind of numbers on both sides."""
    yes = [kinds[g] for g in which if all(test[1][c] for c in groups[g])]
    no = [kinds[g] for g in which if not any(test[1][c] for c in groups[g])]
    return not any(k in no for k in yes)


def _pairs(tests: list[_Test], which: list[int], groups: Sequence[Sequence[int]]) -> Iterator[_Test]:
    """Yield conjunctions of two tests of which the first holds throughout one of the groups."""
    useful = [t for t in tests if any(all(t[1][c] for c in groups[g]) for g in which)]
    for i, (a, first) in enumerate(useful):
        for b, second in useful[i + 1 :]:
            yield f"{a} and {b}", tuple(x and y for x, y in zip(first, second, strict=True))


def _tests(cases: Sequence[RawGraph], face: Interface) -> Iterator[_Test]:
    for k, name in enumerate(face.output_names):
        wanted = [c.output_dtypes[k] for c in cases]
        for dtype in sorted(set(wanted)):
            yield f"{name}.dtype == {dtype}", tuple(d == dtype for d in wanted)
    yield from _presence(cases, face)
    yield from _attributes(cases, face)
    tensors: list[tuple[str, list[TensorMeta]]] = []
    for i, name in enumerate(face.input_names):
        metas = [c.inputs[i] for c in cases]
        if all(isinstance(m, TensorMeta) for m in metas):
            tensors.append((name, [m for m in metas if isinstance(m, TensorMeta)]))
    for name, ms in tensors:
        for dtype in sorted({m.dtype for m in ms}):
            yield f"{name}.dtype == {dtype}", tuple(m.dtype == dtype for m in ms)
    for name, ms in tensors:
        yield f"{name}.numel == 1", tuple(m.count == 1 for m in ms)
    for k, name in enumerate(face.output_names):
        if face.output_kinds[k] == "Output":
            shapes = [output_shape(c, k) for c in cases]
            if all(s is not None for s in shapes):
                yield f"{name}.numel == 1", tuple(s is not None and math.prod(s) == 1 for s in shapes)
    for i, name in enumerate(face.input_names):
        lists = [c.inputs[i] for c in cases]
        if all(isinstance(v, tuple) for v in lists):
            known = [v for v in lists if isinstance(v, tuple)]
            yield f"{name}.max_numel == 1", tuple(max(m.count for m in v) == 1 for v in known)
            yield f"len({name}) == 1", tuple(len(v) == 1 for v in known)
    for k, (name, ms) in enumerate(tensors):
        for other, others in tensors[k + 1 :]:
            same = tuple(a.count == b.count for a, b in zip(ms, others, strict=True))
            yield f"{name}.numel == {other}.numel", same
    for name, ms in tensors:
        rank = min(len(m.shape) for m in ms)
        for rank_test in sorted({len(m.shape) for m in ms}):
            yield f"{name}.ndim == {rank_test}", tuple(len(m.shape) == rank_test for m in ms)
        for d in range(1, rank + 1):
            yield f"{name}.shape[-{d}] == 1", tuple(m.shape[-d] == 1 for m in ms)
        for d in range(rank):
            yield f"{name}.shape[{d}] == 1", tuple(m.shape[d] == 1 for m in ms)
            yield f"{name}.numel == {name}.shape[{d}]", tuple(m.count == m.shape[d] for m in ms)
        if rank:
            yield f"{name}.numel == {name}.shape[-1]", tuple(m.count == m.shape[-1] for m in ms)


def _unions(groups: Sequence[Sequence[int]], cases: Sequence[RawGraph], face: Interface) -> Iterator[_Test]:
    """Yield tests for the set of dtypes that one group has."""
    for i, name in enumerate(face.input_names):
        found = [_first_dtype(c.inputs[i]) for c in cases]
        if any(d is None for d in found):
            continue
        for group in groups:
            mine = sorted({str(found[c]) for c in group})
            if 1 < len(mine) < len(set(found)):
                text = " or ".join(f"{name}.dtype == {d}" for d in mine)
                yield f"({text})", tuple(str(d) in mine for d in found)


def _first_dtype(value: TensorMeta | tuple[TensorMeta, ...] | None) -> str | None:
    first = value[0] if isinstance(value, tuple) and value else value
    return str(first.dtype) if isinstance(first, TensorMeta) else None


def _presence(cases: Sequence[RawGraph], face: Interface) -> Iterator[_Test]:
    for i, kind in enumerate(face.input_kinds):
        if kind == "OptionalTensor":
            yield f"{face.input_names[i]}.present", tuple(c.inputs[i] is not None for c in cases)


def _attributes(cases: Sequence[RawGraph], face: Interface) -> Iterator[_Test]:
    for k, (name, spec) in enumerate(zip(face.attr_names, face.op.attrs, strict=True)):
        values = [c.attrs[k][1] for c in cases]
        if spec.type == "bool":
            yield name, tuple(bool(v) for v in values)
        elif spec.type in ("int", "str", "float"):
            for v in sorted({v for v in values if isinstance(v, (int, str, float))}, key=str):
                written = f'"{v}"' if isinstance(v, str) else repr(v)
                yield f"{name} == {written}", tuple(x == v for x in values)
