"""Say whether a formula computes what the operator named beside it is defined as: "relu: max(0, -x)" does not.

Both are run on a few numbers in a vector, reductions over all of it. That a formula is something else is said of the
operators of `knowledge/data/definitions.json` alone; that it is the same, or has the operator as a part ("RMSNorm with
residual: h = x + r, y = ..."), of all that can be run.
"""

import ast
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from akgen.agents.requests.attributes import FROM_SHAPE, parameters_of
from akgen.agents.requests.marks import words
from akgen.knowledge.data_files import read_json
from akgen.knowledge.operators import OperatorEntry, Parameter, Value, operator_named

_LETTERS = ("x", "y", "z")
_SAMPLES = ((-1.7, -0.6, -0.1, 0.3, 0.9, 2.4), (0.1, 0.25, 0.4, 0.55, 0.7, 0.85))
_CLOSE = 2e-3
_MOST_TENSORS = 4
_NOT_TRIED = ("out", "dtype", "inplace", "training", "generator")
_ERF = np.vectorize(math.erf)
_SIGNS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power,
}  # fmt: skip
_COMPARES: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: np.less, ast.Gt: np.greater, ast.LtE: np.less_equal, ast.GtE: np.greater_equal,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "log": np.log, "log1p": np.log1p, "expm1": np.expm1, "log2": np.log2, "sqrt": np.sqrt, "abs": np.abs,
    "square": np.square, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "cosh": np.cosh, "sinh": np.sinh,
    "sign": np.sign, "erf": _ERF, "maximum": np.maximum, "minimum": np.minimum, "where": np.where, "pow": np.power,
    "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "softplus": lambda x: np.log1p(np.exp(x)),
    "silu": lambda x: x / (1 + np.exp(-x)), "logsigmoid": lambda x: -np.log1p(np.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1 + _ERF(x / math.sqrt(2))), "softmax": lambda x: np.exp(x) / np.exp(x).sum(),
    "sum": np.sum, "mean": np.mean, "amax": np.max, "amin": np.min, "var": np.var, "std": np.std,
    "logsumexp": lambda x: np.log(np.exp(x).sum()), "vector_norm": lambda x: np.sqrt((x * x).sum()),
    "mul": np.multiply, "add": np.add, "sub": np.subtract, "div": np.divide, "neg": np.negative,
}  # fmt: skip


class _NotRun(Exception):
    """The formula has what is not run here."""


class Relation(NamedTuple):
    """How a formula and an operator are related, and with which attributes beside the operator's own defaults."""

    kind: Literal["same", "part", "other"]
    attributes: Mapping[str, Value] = MappingProxyType({})
    listed: bool = False  # among the definitions, so that the operator may stand for the formula


@cache
def relation(name: str, formula: str, variables: tuple[str, ...]) -> Relation | None:
    """Return how a formula is related to the operator named beside it; None where that is not known.

    Of several results, one that is the operator or has it makes the operator a part of the whole.
    """
    tree = ast.parse(formula, mode="eval").body
    if isinstance(tree, ast.Tuple):
        each = [relation(name, ast.unparse(result), variables) for result in tree.elts]
        return Relation("part") if any(r is not None and r.kind != "other" for r in each) else None
    defined = _agrees(name, formula, variables)
    if defined:
        return Relation("same", listed=True)
    return _run_beside(name, formula, variables) or (Relation("other") if defined is False else None)


def _run_beside(name: str, formula: str, variables: tuple[str, ...]) -> Relation | None:
    entry = operator_named(name)
    if entry is None or not 0 < len(variables) <= _MOST_TENSORS:
        return None
    from akgen.tools.reference.likeness import Definition, likeness  # imports torch: only where both are said

    for source, tensors, least, parameters in _sources(entry):
        own = [p for p in parameters if p.name not in _NOT_TRIED]
        tried = {p.name: _values(p, entry) for p in own}
        numbers = tuple(p.name for p in own if p.kind in ("float", "int"))
        found = likeness(Definition(source, tensors, least, tried, numbers), formula, variables)
        if found is not None:
            usual = {n: v[0] for n, v in tried.items() if v}
            said = {n: v for n, v in found.attributes.items() if n not in usual or usual[n] != v}
            return Relation(found.kind, said)
    return None


def _sources(entry: OperatorEntry) -> Iterator[tuple[str, tuple[str, ...], int, tuple[Parameter, ...]]]:
    """Yield what can be run of an operator, the names of its tensors, how many it must have, and its attributes."""
    if entry.expression is not None and "{dtype}" not in entry.expression:
        tensors = [f"t{i}" for i in range(len({*re.findall(r"\{(\d)\}", entry.expression)}))]
        weights = {f"w{i}": f"w{i}" for i, _ in enumerate(entry.weights)}
        body = entry.expression.format(
            *tensors, **weights, **{n: n for n in (*entry.attributes, *entry.needs)}
        )
        named = [p for n, p in parameters_of(entry).items() if f"{{{n}}}" in entry.expression]
        heads = [*tensors, *(p.name for p in named), *(f"{w}=1.0" for w in weights)]
        yield f"def f({', '.join(heads)}): return {body}", (*tensors, *weights), len(tensors), tuple(named)
    for signature in entry.signatures():
        kinds = [p for p in signature.parameters if p.kind == "Tensor"]
        if not signature.is_module and kinds and not any(p.kind == "Tensors" for p in signature.parameters):
            least = sum(p.default is None and not p.optional for p in kinds)
            others = tuple(p for p in signature.parameters if not p.is_tensor)
            yield entry.source or signature.path, tuple(p.name for p in kinds), least, others


def _values(parameter: Parameter, entry: OperatorEntry) -> tuple[object, ...]:
    """Return what to try of an attribute beside the formula's numbers: its default, its choices, the only axis."""
    if parameter.name in FROM_SHAPE:
        return ((len(_SAMPLES[0]),),)
    if parameter.name in ("dim", "axis"):
        return (-1,)
    default = ast.literal_eval(parameter.default) if parameter.default is not None else None
    said = entry.attributes.get(parameter.name, default)
    if parameter.kind == "bool":
        return (False, True)
    listed = words()["choices"].get(parameter.name, ()) if parameter.kind == "str" else ()
    said = tuple(said) if isinstance(said, list) else said
    return tuple(dict.fromkeys((*(() if said is None and not parameter.optional else (said,)), *listed)))


def _agrees(name: str, formula: str, variables: tuple[str, ...]) -> bool | None:
    """Return whether the formula computes what the operator is listed as; None where that is not known."""
    listed = _definitions().get(name)
    if listed is None or len(variables) > len(_LETTERS):
        return None
    try:
        tree = ast.parse(formula, mode="eval").body
        with np.errstate(all="ignore"):
            return any(
                _same(tree, definition, dict(zip(variables, order, strict=True)))
                for definition in listed
                for order in itertools.permutations(_LETTERS[: len(variables)])
            )
    except (_NotRun, ValueError, TypeError):
        return None


@cache
def _definitions() -> dict[str, list[ast.expr]]:
    listed: dict[str, list[str]] = read_json("definitions.json")
    return {name: [ast.parse(text, mode="eval").body for text in texts] for name, texts in listed.items()}


def _same(formula: ast.expr, definition: ast.expr, order: dict[str, str]) -> bool:
    letters = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name)} & {*_LETTERS}
    if letters != set(order.values()):
        return False
    for sample in _SAMPLES:
        values = {letter: np.roll(np.array(sample), 2 * i) for i, letter in enumerate(_LETTERS)}
        got = _run(formula, {name: values[letter] for name, letter in order.items()})
        want = _run(definition, values)
        if np.shape(got) != np.shape(want) or not np.allclose(got, want, _CLOSE, _CLOSE, equal_nan=True):
            return False
    return True


def _run(node: ast.expr, values: dict[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in values:
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_run(node.operand, values)
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_run(node.left, values), _run(node.right, values))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARES:
        return _COMPARES[type(node.ops[0])](_run(node.left, values), _run(node.comparators[0], values))
    if isinstance(node, ast.Call):
        return _called(node, values)
    raise _NotRun


def _called(node: ast.Call, values: dict[str, Any]) -> Any:
    name = ast.unparse(node.func).rpartition(".")[2]
    said = {k.arg: k.value for k in node.keywords if k.arg not in ("dim", "keepdim", "approximate")}
    given = [_run(a, values) for a in node.args]
    if name in ("var", "std") and "correction" in said:
        return _FUNCTIONS[name](*given, ddof=ast.literal_eval(said["correction"]))
    if name == "clamp":
        low, high = (_run(said[k], values) if k in said else None for k in ("min", "max"))
        low, high = (*given[1:], low, high)[:2] if len(given) > 1 else (low, high)
        return np.clip(given[0], low, high)
    if name in ("max", "min"):
        way = (np.maximum, np.minimum) if len(given) > 1 else (np.max, np.min)
        return way[name == "min"](*given)
    if name not in _FUNCTIONS or said:
        raise _NotRun
    return _FUNCTIONS[name](*given)
