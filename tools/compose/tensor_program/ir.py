"""A tensor program as data: inputs with symbolic shapes, operations in order, results; and the table of operations."""

from typing import Literal

from akgen.tools.compose.front.graph import BINARY, COMPARISONS, UNARY
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import Const, Expr, Name

# Operations that the composer's graph calls otherwise than the tile DSL does.
_DSL_WORDS = {
    "log": "ln", "max": "maximum", "min": "minimum", "pow": "power", "not": "mask_not", "and": "mask_and",
    "or": "mask_or",
}  # fmt: skip
KINDS = ("sum", "prod", "max", "min")
CASTS = {"float32": DType.FLOAT32, "int32": DType.INT32, "bool": DType.BOOL}
Prefix = Literal["..."]
"""Stands for any number of leading lengths."""


class Form(Frozen):
    """What an operation takes: how many values, then how many numbers, or lengths in brackets; then options."""

    values: tuple[int, int | None]  # least and most; None: any number
    numbers: tuple[int, int | None] = (0, 0)
    dims: bool = False
    dtype: bool = False
    options: frozenset[str] = frozenset()


def _forms() -> dict[str, Form]:
    forms = {_DSL_WORDS.get(op, op): Form(values=(1, 1)) for op in UNARY}
    forms |= {_DSL_WORDS.get(op, op): Form(values=(2, 2)) for op in BINARY}
    forms["where"] = Form(values=(3, 3))
    forms["cast"] = Form(values=(1, 1), dtype=True)
    forms["matmul"] = Form(values=(2, 2))
    forms["stored"] = Form(values=(1, 1))
    for kind in KINDS:
        forms[f"reduce_{kind}"] = Form(values=(1, 1), numbers=(1, None))
        forms[f"scan_{kind}"] = Form(values=(1, 1), numbers=(1, 1), options=frozenset({"reverse"}))
    forms["inv_count"] = Form(values=(1, 1), numbers=(1, None), options=frozenset({"less"}))
    forms["iota"] = Form(values=(0, 0), numbers=(1, 1), options=frozenset({"start", "step"}))
    for name in ("reshape", "expand"):
        forms[name] = Form(values=(1, 1), dims=True)
    forms["permute"] = Form(values=(1, 1), numbers=(1, None))
    forms["slice"] = Form(values=(1, 1), numbers=(3, 4))
    forms["cat"] = Form(values=(1, None), options=frozenset({"axis"}))
    forms["take"] = Form(values=(2, None), options=frozenset({"fill"}))
    for name in ("sort_values", "sort_places"):
        forms[name] = Form(values=(1, 1), numbers=(1, 1), options=frozenset({"smallest"}))
    return forms


FORMS = _forms()
GRAPH_WORDS = {word: op for op, word in _DSL_WORDS.items()}
MASKS = frozenset({"mask_not", "mask_and", "mask_or"})
WHOLE = frozenset({"bit_and", "shift_right"})


def word_of(op: str) -> str:
    """Return what a pointwise operation of the graph is called in a program."""
    return _DSL_WORDS.get(op, op)


def compares(word: str) -> bool:
    return GRAPH_WORDS.get(word, word) in COMPARISONS


class TensorInput(Frozen):
    """An operator input; inputs stand in the order of the operator's interface."""

    name: str
    dims: tuple[Expr | Prefix, ...]
    line: int = 0


class TensorOp(Frozen):
    """One line: `name = op(values…, numbers…, option=…)`. A value is a name or a written number."""

    name: str
    op: str
    values: tuple[Name | Const, ...]
    numbers: tuple[Expr, ...] = ()
    dims: tuple[Expr | Prefix, ...] | None = None
    dtype: DType | None = None
    options: tuple[tuple[str, Expr], ...] = ()
    line: int = 0


class TensorProgram(Frozen):
    """`symbols` are the lengths that the inputs' shapes name, in order of appearance."""

    inputs: tuple[TensorInput, ...]
    ops: tuple[TensorOp, ...]
    results: tuple[str, ...]
    text: str

    @property
    def symbols(self) -> tuple[str, ...]:
        found = (d.id for i in self.inputs for d in i.dims if isinstance(d, Name))
        return tuple(dict.fromkeys(found))
