"""Compare a formula with an operator by numbers: does it compute the same, or is the operator a part of it?

Both run in float64 on vectors of six numbers, so that a reduction of a row is one of everything. Attributes that nobody
said are tried with the operator's default and with the formula's own numbers.
"""

import ast
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import torch

_SAMPLES = ((-1.7, -0.6, -0.1, 0.3, 0.9, 2.4), (0.1, 0.25, 0.4, 0.55, 0.7, 0.85))
_CLOSE = 2e-3
_MOST_OPERANDS = 400
_MOST_ATTRIBUTES = 2048
_MOST_OF_PARTS = 8  # attributes' values tried on parts, of which there are many
_MOST_NODES = 60
BROKEN = (  # what a function may raise that does not fit its tensors
    RuntimeError,
    TypeError,
    ValueError,
    IndexError,
    KeyError,
    AttributeError,
    NameError,
    ArithmeticError,
)
Attributes = dict[str, Any]
Operator = Callable[[Sequence[Any], Attributes], Any]


class Likeness(NamedTuple):
    """The formula is the operator with these attributes, or the operator is a part of the formula."""

    kind: Literal["same", "part"]
    attributes: Attributes


class Definition(NamedTuple):
    """An operator that can be run: `source` defines or names a function of PyTorch's."""

    source: str  # "torch.nn.functional.gelu", or "def softcap(x, cap): ..."
    tensors: tuple[str, ...]  # their names in its order
    least: int  # so many of them it must have
    attributes: dict[str, tuple[object, ...]]  # values to try of each
    numbers: tuple[str, ...] = ()  # attributes that are numbers: the formula's own are tried as well


def likeness(definition: Definition, formula: str, variables: Sequence[str]) -> Likeness | None:
    """Return whether the formula over `variables` is the operator, has it as a part, or neither as far as is seen."""
    try:
        tree = ast.parse(formula, mode="eval").body
        operator = _operator(definition)
    except (SyntaxError, *BROKEN):
        return None
    runs = [_FormulaRun(tree, variables, sample) for sample in _SAMPLES]
    if runs[0].whole is None:
        return None
    ways = list(itertools.islice(_attributes(definition, runs[0].numbers), _MOST_ATTRIBUTES))
    if definition.least <= len(variables) <= len(definition.tensors):
        for order in itertools.permutations(variables):
            for way in ways:
                if _gives(operator, runs, order, way):
                    return Likeness("same", way)
    operands = [text for text in runs[0].parts if text in variables or _joins(text, variables)]
    for count in range(definition.least, min(len(definition.tensors), len(operands)) + 1):
        orders = itertools.islice(itertools.permutations(operands, count), _MOST_OPERANDS)
        for order, way in itertools.product(orders, ways[:_MOST_OF_PARTS]):
            if _is_part(operator, runs, order, way):
                return Likeness("part", way)
    return None


def _joins(text: str, variables: Sequence[str]) -> bool:
    """Say whether a part joins two tensors, so that an operator may be of their sum; "relu: max(0, -x)" is no relu."""
    names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    return len(names & {*variables}) > 1


class _FormulaRun:
    """A formula's values on one sample: of its variables, of every part, of the whole."""

    def __init__(self, tree: ast.expr, variables: Sequence[str], sample: tuple[float, ...]) -> None:
        self._names: dict[str, Any] = {"torch": torch, "math": math}
        for at, name in enumerate(variables):
            self._names[name] = torch.tensor(sample, dtype=torch.float64).roll(2 * at)
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.expr)][:_MOST_NODES]
        values = {ast.unparse(node): self._value(node) for node in nodes}
        self.whole = self._value(tree)
        self.parts = {text: v for text, v in values.items() if isinstance(v, torch.Tensor) and v.ndim}
        self.values = [v for v in values.values() if isinstance(v, torch.Tensor)]
        constants = (n.value for n in nodes if isinstance(n, ast.Constant))
        given = [c for c in constants if isinstance(c, int | float) and not isinstance(c, bool)]
        signed = any(isinstance(n, ast.UnaryOp) and isinstance(n.operand, ast.Constant) for n in nodes)
        self.numbers: tuple[float, ...] = tuple(dict.fromkeys([*given, *(-n for n in given if signed)]))

    def operands(self, order: Sequence[str]) -> list[Any]:
        return [self.parts.get(text) for text in order]

    def _value(self, node: ast.expr) -> Any:
        try:
            code = compile(ast.fix_missing_locations(ast.Expression(node)), "formula", "eval")
            return eval(
                code, {"__builtins__": {}}, self._names
            )  # of this reader's own making, names are PyTorch's
        except BROKEN:
            return None


def _operator(definition: Definition) -> Operator:
    """Return what calls the operator; its result is None where it takes no such operands."""
    function = _function(definition.source)

    def called(operands: Sequence[Any], attributes: Attributes) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return function(**dict(zip(definition.tensors, operands, strict=False)), **attributes)
        except BROKEN:
            return None

    return called


def _function(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"torch": torch, "math": math}
    if not source.startswith("def "):
        return eval(source, names)  # type: ignore[no-any-return]
    exec(source, names)
    return names[source[4 : source.index("(")]]  # type: ignore[no-any-return]


def _attributes(definition: Definition, numbers: tuple[float, ...]) -> Iterator[Attributes]:
    choices = [
        (*values, *(n for n in numbers if name in definition.numbers)) or (None,)
        for name, values in definition.attributes.items()
    ]
    for values in itertools.product(*choices):
        yield dict(zip(definition.attributes, values, strict=True))


def _gives(operator: Operator, runs: list[_FormulaRun], order: Sequence[str], attributes: Attributes) -> bool:
    return all(
        run.whole is not None and _close(operator(run.operands(order), attributes), run.whole) for run in runs
    )


def _is_part(
    operator: Operator, runs: list[_FormulaRun], order: Sequence[str], attributes: Attributes
) -> bool:
    """Say whether the operator on these parts gives another part, on every sample."""
    for run in runs:
        operands = run.operands(order)
        got = operator(operands, attributes)
        if not isinstance(got, torch.Tensor) or any(_close(got, o) for o in operands):
            return False
        if not any(_close(got, value) for value in run.values):
            return False
    return True


def _close(got: Any, wanted: Any) -> bool:
    if isinstance(got, tuple | list) or isinstance(wanted, tuple | list):
        both = isinstance(got, tuple | list) and isinstance(wanted, tuple | list) and len(got) == len(wanted)
        return both and all(_close(one, other) for one, other in zip(got, wanted, strict=True))
    if not isinstance(got, torch.Tensor) or not isinstance(wanted, torch.Tensor):
        return False
    got, wanted = got.double().squeeze(), wanted.double().squeeze()
    return got.shape == wanted.shape and bool(torch.allclose(got, wanted, _CLOSE, _CLOSE, equal_nan=True))
