"""Values and types of scalar expressions."""

import math
import operator
from collections.abc import Callable, Mapping

import numpy as np

from akgen.tools.dsl.expr import (
    COMPARISONS,
    FUNCTIONS,
    Binary,
    Choice,
    Const,
    DTypeTest,
    Element,
    Expr,
    Func,
    Item,
    Name,
    Property,
    Read,
    ScalarType,
    TextTest,
    Unary,
)

Scalar = bool | int | float
_OPERATORS: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def align_up(a: int, b: int) -> int:
    return ceil_div(a, b) * b


_FUNCTIONS: dict[str, Callable[..., Scalar]] = {
    "min": min, "max": max, "abs": abs, "ceil_div": ceil_div, "align_up": align_up, "float": float, "int": int,
    "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "pow": math.pow,
}  # fmt: skip


def evaluate(e: Expr, names: Mapping[str, Scalar], other: Callable[[Expr], Scalar] | None = None) -> Scalar:
    """Return the value; `other` knows what is neither arithmetic nor a name. Raises ZeroDivisionError, KeyError."""
    match e:
        case Const():
            return e.value
        case Name():
            return names[e.id]
        case Unary():
            value = evaluate(e.operand, names, other)
            return not value if e.op == "not" else -value
        case Choice():
            return evaluate(e.then if evaluate(e.cond, names, other) else e.other, names, other)
        case Binary(op="and"):
            return evaluate(e.left, names, other) and evaluate(e.right, names, other)
        case Binary(op="or"):
            return evaluate(e.left, names, other) or evaluate(e.right, names, other)
        case Binary():
            return _OPERATORS[e.op](evaluate(e.left, names, other), evaluate(e.right, names, other))
        case Func() if e.name in _FUNCTIONS:
            return _FUNCTIONS[e.name](*(evaluate(a, names, other) for a in e.args))
        case _:
            if other is None:
                raise KeyError(type(e).__name__)
            return other(e)


def single(value: Scalar) -> Scalar:
    """Return the value as a kernel scalar holds it, and an attribute of OpDef: floats in single precision."""
    return float(np.float32(value)) if isinstance(value, float) else value


def type_of(e: Expr, names: Callable[[str], ScalarType]) -> ScalarType:
    """Return the scalar type of an expression, given the types of names."""
    match e:
        case Const():
            return "bool" if isinstance(e.value, bool) else "int" if isinstance(e.value, int) else "float"
        case Name():
            return names(e.id)
        case Binary():
            if e.op in COMPARISONS or e.op in ("and", "or"):
                return "bool"
            if e.op == "/":
                return "float"
            return "float" if "float" in (type_of(e.left, names), type_of(e.right, names)) else "int"
        case Unary():
            return "bool" if e.op == "not" else type_of(e.operand, names)
        case Choice():
            kinds = (type_of(e.then, names), type_of(e.other, names))
            return "float" if "float" in kinds else kinds[0]
        case Func():
            result = FUNCTIONS[e.name][1]
            if result is not None:
                return result
            return "float" if "float" in [type_of(a, names) for a in e.args] else "int"
        case Element() | Read():
            return "float"
        case Item():
            return names(e.attr)
        case DTypeTest() | TextTest():
            return "bool"
        case Property():
            return "bool" if e.name == "present" else "int"
        case _:
            return "int"
