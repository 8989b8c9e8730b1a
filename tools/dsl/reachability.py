"""Which kernels a call of given dtypes can reach: the host's tests of dtypes, decided before anything runs."""

from collections.abc import Mapping, Sequence

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import Binary, DTypeTest, Expr, Unary, walk
from akgen.tools.dsl.ir import For, If, Launch, Program, Stmt
from akgen.tools.dsl.ir import walk as walk_body


def reachable(program: Program, dtypes: Mapping[str, DType]) -> frozenset[str]:
    """Return the kernels that some call with these dtypes (host tensor to dtype) may launch."""
    return frozenset(_launches(program.host.body, dtypes))


def _launches(body: Sequence[Stmt], dtypes: Mapping[str, DType]) -> set[str]:
    found: set[str] = set()
    for s in body:
        match s:
            case Launch():
                found.add(s.kernel)
            case If():
                holds = decided(s.cond, dtypes)
                found |= _launches(s.then, dtypes) if holds is not False else set()
                found |= _launches(s.other, dtypes) if holds is not True else set()
            case For():
                found |= _launches(s.body, dtypes)
            case _:
                pass
    return found


def decided(cond: Expr, dtypes: Mapping[str, DType]) -> bool | None:
    """Return the truth of a condition if dtypes alone decide it, else None."""
    match cond:
        case DTypeTest():
            known = dtypes.get(cond.tensor)
            return None if known is None else known == cond.dtype
        case Unary(op="not"):
            inner = decided(cond.operand, dtypes)
            return None if inner is None else not inner
        case Binary(op="and" | "or"):
            sides = [decided(cond.left, dtypes), decided(cond.right, dtypes)]
            if cond.op == "and":
                return False if False in sides else (True if sides == [True, True] else None)
            return True if True in sides else (False if sides == [False, False] else None)
        case _:
            return None


def tested(program: Program) -> tuple[str, ...]:
    """Return the host tensors whose dtypes the host tests, in the order of its parameters."""
    names = {
        e.tensor
        for s in walk_body(program.host.body)
        if isinstance(s, If)
        for e in walk(s.cond)
        if isinstance(e, DTypeTest)
    }
    return tuple(p.name for p in program.host.params if p.name in names)


def guards(
    program: Program, columns: Sequence[Mapping[str, DType]]
) -> dict[str, tuple[tuple[tuple[str, DType], ...], ...]]:
    """Return, for kernels that some dtype combinations never reach, the combinations (of tested tensors) that do."""
    names = tested(program)
    result: dict[str, tuple[tuple[tuple[str, DType], ...], ...]] = {}
    for kernel in program.kernels:
        served = [c for c in columns if kernel.name in reachable(program, c)]
        if len(served) < len(columns):
            rows = dict.fromkeys(tuple((n, c[n]) for n in names) for c in served)
            result[kernel.name] = tuple(rows)
    return result
