"""Write what a specification computes as a function of PyTorch, and see on tensors without numbers what it returns."""

import ast
import copy
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from akgen.agents.requests.fits import within_once
from akgen.agents.requests.formula_axes import is_open, reduces
from akgen.agents.requests.request import Shape
from akgen.agents.requests.specified.results import Wanted
from akgen.agents.requests.specified.statements import ToldStatement
from akgen.agents.requests.trees import with_axes
from akgen.tools.core.dtypes import DType

_SMALL = (DType.INT8, DType.UINT8)
_HALF = (DType.FLOAT16, DType.BFLOAT16)
_OWN = frozenset(("torch", "math", "float"))
NAME = "specified"


class GivenTensor(NamedTuple):
    """An input of the function."""

    name: str
    shape: Shape
    dtype: DType


class MadeFunction(NamedTuple):
    """A function's source, and what it returns: shapes and names of types."""

    source: str
    results: tuple[tuple[Shape, str], ...]


def free_names(tree: ast.AST) -> set[str]:
    """Return the tensors and numbers that an expression takes."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - _OWN


def ordered(statements: Sequence[ToldStatement], declared: Mapping[str, object]) -> list[ToldStatement]:
    """Return statements with those that say what a name stands for before those that use it: "q = x / s, s = ..."."""
    left, done, known = list(statements), [], set(declared)
    given = {n for s in statements for n in s.names}
    while left:
        at = next((i for i, s in enumerate(left) if not (free_names(s.tree) & given) - known), 0)
        statement = left.pop(at)
        known |= {*statement.names}
        done.append(statement)
    return done


def written(
    statements: Sequence[ToldStatement],
    wanted: Sequence[Wanted],
    tensors: Sequence[GivenTensor],
    settled: Sequence[int] = (),
) -> MadeFunction | None:
    """Return the function, where its tensors and results have one way to fit each other; None otherwise.

    `settled` are axes that this reader kept in reductions, which a result does not keep unless it is said. Reductions
    keep their axis inside, as mathematics means it, where PyTorch's own way does not fit; tensors get the axes that
    they lack where their sizes allow one place alone.
    """
    if any(
        keyword.iskeyword(n) or n in _OWN
        for n in {*(t.name for t in tensors), *(n for s in statements for n in s.names)}
    ):
        return None
    placed = _placed(tensors)
    for keeps in (False, True):
        for places in ({}, placed) if placed else ({},):
            found = _run(statements, wanted, tensors, places, settled, keeps=keeps)
            if found is not None:
                return found
    return None


def keeps_matter(statements: Sequence[ToldStatement], tensors: Sequence[GivenTensor]) -> bool:
    """Say whether a reduction that keeps no axis is taken of a square tensor, where it fits both ways."""
    square = any(len({*t.shape[-2:]}) < len(t.shape[-2:]) for t in tensors)
    return square and any(_lacks_keep(n) for s in statements for n in ast.walk(s.tree))


def _lacks_keep(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not reduces(ast.unparse(node.func)):
        return False
    said = {k.arg for k in node.keywords}
    return "dim" in said and "keepdim" not in said


def _placed(tensors: Sequence[GivenTensor]) -> dict[str, ast.expr]:
    """Return what stands for tensors that lack axes of the largest one."""
    largest = max((t.shape for t in tensors), key=len, default=())
    found: dict[str, ast.expr] = {}
    for tensor in tensors:
        broadcasts = all(a in (1, b) for a, b in zip(reversed(tensor.shape), reversed(largest), strict=False))
        if broadcasts or not tensor.shape:
            continue
        places = within_once(tensor.shape, largest)
        if places is not None:
            found[tensor.name] = with_axes(ast.Name(tensor.name), places)
    return found


def _run(
    statements: Sequence[ToldStatement],
    wanted: Sequence[Wanted],
    tensors: Sequence[GivenTensor],
    places: Mapping[str, ast.expr],
    settled: Sequence[int],
    *,
    keeps: bool,
) -> MadeFunction | None:
    from akgen.tools.reference.meta_run import results_of  # imports torch: only where all was read

    lines = [f"{t.name} = {t.name}.to(torch.int32)" for t in tensors if t.dtype in _SMALL]
    halves = [t for t in tensors if t.dtype in _HALF]
    wide = halves if any(w.dtype is DType.FLOAT32 for w in wanted) else []
    lines += [f"{t.name} = {t.name}.to(torch.float32)" for t in wide]  # not what rounding left of the result
    lines += [f"{name} = {ast.unparse(ast.fix_missing_locations(tree))}" for name, tree in places.items()]
    for statement in statements:
        tree = _with_kept(statement.tree) if keeps else statement.tree
        lines.append(f"{', '.join(statement.names)} = {ast.unparse(ast.fix_missing_locations(tree))}")
    given = [(t.shape, t.dtype.value) for t in tensors]
    trees = [_with_kept(w.tree) if keeps else copy.deepcopy(w.tree) for w in wanted]
    natural = results_of(_source(lines, trees, tensors), NAME, given)
    if natural is None or len(natural) != len(wanted):
        return None
    reduced = (*settled, *(_kept_axes(statements, trees) if keeps else ()))
    longest = max((len(t.shape) for t in tensors), default=0)
    reduced += tuple(sorted({a for tree in places.values() for a in _added(tree)}, reverse=True))
    final: list[ast.expr] = []
    for want, tree, result in zip(wanted, trees, natural, strict=True):
        shaped = _shaped(tree, result.shape, want.shape, reduced if len(result.shape) == longest else ())
        if shaped is None:
            return None
        back = wide[0].dtype if wide and result.dtype == DType.FLOAT32.value else None
        final.append(_typed(shaped, result.dtype, want.dtype or back))
    source = _source(lines, final, tensors)
    results = results_of(source, NAME, given)
    if results is None:
        return None
    for want, result in zip(wanted, results, strict=True):
        if want.shape is not None and want.shape != result.shape and (want.shape, result.shape) != ((1,), ()):
            return None
    return MadeFunction(source, tuple((r.shape, r.dtype) for r in results))


def _added(tree: ast.expr) -> list[int]:
    """Return which axes a tensor got that it lacked: 3 of s[:, :, :, None]."""
    assert isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Tuple)
    return [i for i, part in enumerate(tree.slice.elts) if isinstance(part, ast.Constant)]


def _source(lines: Sequence[str], results: Sequence[ast.expr], tensors: Sequence[GivenTensor]) -> str:
    body = ", ".join(ast.unparse(ast.fix_missing_locations(r)) for r in results)
    every = "".join(f"    {line}\n" for line in [*lines, f"return {body}"])
    return f"def {NAME}({', '.join(t.name for t in tensors)}):\n{every}"


def _with_kept(tree: ast.expr) -> ast.expr:
    """Return an expression whose reductions keep their axes."""
    kept = copy.deepcopy(tree)
    for node in ast.walk(kept):
        if _lacks_keep(node):
            assert isinstance(node, ast.Call)
            node.keywords.append(ast.keyword("keepdim", ast.Constant(True)))
    return kept


def _kept_axes(statements: Sequence[ToldStatement], results: Sequence[ast.expr]) -> tuple[int, ...]:
    """Return the axes along which something is reduced, which a result of its own does not keep."""
    calls = [
        n for t in (*(s.tree for s in statements), *results) for n in ast.walk(t) if isinstance(n, ast.Call)
    ]
    said = [k.value for n in calls if reduces(ast.unparse(n.func)) for k in n.keywords if k.arg == "dim"]
    found = [ast.literal_eval(v) for v in said if re.fullmatch(r"-?\d+", ast.unparse(v))]
    return tuple(dict.fromkeys(found))


def _shaped(tree: ast.expr, shape: Shape, wanted: Shape | None, reduced: Sequence[int]) -> ast.expr | None:
    """Return a result in the shape that is said, up to axes of one element; without kept axes where none is said."""
    if wanted is None:
        for axis in reduced:
            if -len(shape) <= axis < len(shape) and shape[axis] == 1:
                return _method(tree, "squeeze", axis)
        return tree
    if wanted in (shape, (1,) if not shape else None):
        return tree
    for axis in range(len(shape)):
        if shape[axis] == 1 and (*shape[:axis], *shape[axis + 1 :]) == wanted:
            return _method(tree, "squeeze", axis)
    for axis in range(len(wanted)):
        if wanted[axis] == 1 and (*wanted[:axis], *wanted[axis + 1 :]) == shape:
            return _method(tree, "unsqueeze", axis)
    return None


def _typed(tree: ast.expr, natural: str, wanted: DType | None) -> ast.expr:
    if wanted is None or wanted.value == natural:
        return tree
    return ast.Call(ast.Attribute(tree, "to"), [ast.parse(f"torch.{wanted.value}", mode="eval").body], [])


def _method(tree: ast.expr, name: str, axis: int) -> ast.expr:
    return ast.Call(ast.Attribute(tree, name), [ast.Constant(axis)], [])


def open_in(tree: ast.expr) -> list[ast.Call]:
    """Return the reductions of an expression that say no axis."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Call) and is_open(n)]
