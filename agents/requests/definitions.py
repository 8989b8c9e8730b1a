"""Say whether a formula computes what the operator named beside it is defined as: "relu: max(0, -x)" does not.

Both are run on a few numbers in a vector, reductions over all of it. Definitions are those of
`knowledge/data/definitions.json`; nothing is said of operators that it has not, nor of formulas with other functions.
"""

import ast
import itertools
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from akgen.knowledge.data_files import read_json

_LETTERS = ("x", "y", "z")
_SAMPLES = ((-1.7, -0.6, -0.1, 0.3, 0.9, 2.4), (0.1, 0.25, 0.4, 0.55, 0.7, 0.85))
_CLOSE = 2e-3
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


def agrees(name: str, formula: str, variables: tuple[str, ...]) -> bool | None:
    """Return whether the formula computes what the operator is; None where that is not known."""
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
