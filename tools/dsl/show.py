"""Scalar expressions as DSL text, with no more parentheses than the parser needs to read the same tree."""

import json
import math

from akgen.tools.core.op_spec import AttrValue
from akgen.tools.dsl.expr import (
    COMPARISONS,
    Binary,
    Choice,
    Const,
    Dim,
    DimProduct,
    DTypeTest,
    Element,
    Expr,
    Fit,
    Func,
    Item,
    ListLength,
    ListNumel,
    Name,
    Property,
    Read,
    TextTest,
    Unary,
)  # fmt: skip

# How tightly an expression binds: as an operand of something tighter it stands in parentheses.
CHOICE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, NEGATION, ATOM = range(9)
_BINDING = {"or": OR, "and": AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT}
_BINDING |= dict.fromkeys(COMPARISONS, COMPARISON)


def show(e: Expr) -> str:
    """Return the expression as DSL text."""
    return _shown(e, CHOICE)


def _shown(e: Expr, least: int) -> str:
    text, binding = _with_binding(e)
    return text if binding >= least else f"({text})"


def _with_binding(e: Expr) -> tuple[str, int]:
    """Return the text, and how tightly it binds."""
    match e:
        case Binary():
            own = _BINDING[e.op]
            left = _shown(e.left, own + 1 if own == COMPARISON else own)  # a < b < c is no comparison of two
            return f"{left} {e.op} {_shown(e.right, own + 1)}", own
        case Unary(op="-"):
            return f"-{_shown(e.operand, NEGATION)}", NEGATION
        case Unary():
            return f"not {_shown(e.operand, NOT)}", NOT
        case Choice():
            then, cond = _shown(e.then, OR), _shown(e.cond, OR)
            return f"{then} if {cond} else {_shown(e.other, CHOICE)}", CHOICE
        case Const():
            text = literal(e.value)
            return text, NEGATION if text.startswith("-") else ATOM
        case DTypeTest():
            return f"{e.tensor}.dtype == {e.dtype}", COMPARISON
        case TextTest():
            return f"{e.attr} == {literal(e.text)}", COMPARISON
        case _:
            return _atom(e), ATOM


def _atom(e: Expr) -> str:
    match e:
        case Name():
            return e.id
        case Func():
            return f"{e.name}({listed(e.args)})"
        case Element():
            return f"{e.tile}[{show(e.index)}]"
        case Read():
            return f"read({tensor(e.tensor, e.item)}, {show(e.index)})"
        case ListLength():
            return f"len({e.tensor})"
        case ListNumel():
            return f"{e.tensor}[{show(e.index)}].numel"
        case Dim():
            return f"{e.tensor}.shape[{show(e.index)}]"
        case DimProduct():
            return f"prod({e.tensor}.shape[{show_optional(e.start)}:{show_optional(e.stop)}])"
        case Property():
            return f"{e.tensor}.{e.name}"
        case Item():
            return f"{e.attr}[{show(e.index)}]"
        case Fit():
            dims = "".join(f", {name}={show(value)}" for name, value in e.dims)
            return f'fit_tile({e.kernel}, "{e.param}"{dims})'
    raise AssertionError(f"{type(e).__name__} has an operator")


def literal(value: AttrValue) -> str:
    """Return a number, text or list as the parser reads it back."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    return repr(value)


def listed(values: tuple[Expr, ...]) -> str:
    """Return expressions with commas between them."""
    return ", ".join(map(show, values))


def show_optional(e: Expr | None) -> str:
    """Return the expression, or nothing where there is none."""
    return "" if e is None else show(e)


def tensor(name: str, item: Expr | None) -> str:
    """Return a tensor, or one of a list."""
    return name if item is None else f"{name}[{show(item)}]"
