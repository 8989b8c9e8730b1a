"""Types of scalar expressions, and of the names that a body sets."""

from collections.abc import Callable, Mapping

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
)  # fmt: skip
from akgen.tools.dsl.ir import Assign, For, Stmt, walk


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


def infer(body: tuple[Stmt, ...], given: Mapping[str, ScalarType]) -> dict[str, ScalarType]:
    """Return the type of every scalar name; a name that is ever a float is a float."""
    types: dict[str, ScalarType] = dict(given)
    for _ in range(3):  # types of names that depend on names assigned later settle in a few rounds
        for s in walk(body):
            match s:
                case Assign():
                    kind = type_of(s.value, lambda n: types.get(n, "int"))
                    if types.get(s.name) != "float" and s.name not in given:
                        types[s.name] = kind
                case For():
                    types[s.var] = "int"
                case _:
                    pass
    return types
