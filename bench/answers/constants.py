"""The strings that a Python file assigns, as far as they are constants. Nothing of the file is executed."""

import ast
import textwrap
from collections.abc import Mapping
from typing import Any

_METHODS = {
    "replace": 2,
    "strip": 1,
    "lstrip": 1,
    "rstrip": 1,
    "lower": 0,
    "upper": 0,
    "title": 0,
    "capitalize": 0,
}
_MOST_CHARACTERS = 4_000_000


class NotConstant(Exception):
    """A value that only running the file would tell."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(f"line {getattr(node, 'lineno', '?')}: {what}")


def assigned(tree: ast.Module, names: tuple[str, ...]) -> dict[str, str | NotConstant]:
    """Return what each of the names is assigned last at the file's top level, or why it is no constant string."""
    known: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
            value: Any = _tried(node.value, known)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            targets, value = [node.target.id], _tried(node.value, known)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            whole = ast.BinOp(left=ast.Name(id=node.target.id, ctx=ast.Load()), op=node.op, right=node.value)
            targets, value = [node.target.id], _tried(ast.copy_location(whole, node), known)
        else:
            # What a loop, a condition or a function does to a name is not followed.
            changed = {
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            for name in changed & {*known, *names}:
                known[name] = NotConstant(node, f"{name} is set inside a {type(node).__name__.lower()}")
            continue
        known.update(dict.fromkeys(targets, value))
    return {n: _text(known[n], n) for n in names if n in known}


def _text(value: Any, name: str) -> str | NotConstant:
    if isinstance(value, str | NotConstant):
        return value
    return NotConstant(ast.Pass(), f"{name} is no string")


def _tried(node: ast.expr, known: Mapping[str, Any]) -> Any:
    try:
        return fold(node, known)
    except NotConstant as e:
        return e


def fold(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """Return a constant expression's value: literals, names of constants, sums, f-strings, string methods.

    Raises NotConstant.
    """
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return value
        case ast.Name(id=name) if name in known:
            if isinstance(known[name], NotConstant):
                raise known[name]
            return known[name]
        case ast.JoinedStr(values=values):
            return "".join(_piece(v, known) for v in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum(fold(left, known), fold(right, known), node)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product(fold(left, known), fold(right, known), node)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [fold(i, known) for i in items]
        case ast.Call():
            return _called(node, known)
    raise NotConstant(node, f"`{ast.unparse(node)[:80]}` is no constant")


def _piece(node: ast.expr, known: Mapping[str, Any]) -> str:
    if not isinstance(node, ast.FormattedValue):
        return str(fold(node, known))
    value = fold(node.value, known)
    if node.format_spec is not None or node.conversion not in (-1, 115) or not isinstance(value, str | int):
        raise NotConstant(node, f"`{ast.unparse(node)[:80]}` is formatted")
    return str(value)


def _sum(left: Any, right: Any, node: ast.AST) -> Any:
    if isinstance(left, str) and isinstance(right, str) and len(left) + len(right) <= _MOST_CHARACTERS:
        return left + right
    if type(left) is int and type(right) is int:
        return left + right
    raise NotConstant(node, "a sum is of no two strings")


def _product(left: Any, right: Any, node: ast.AST) -> Any:
    text, times = (left, right) if isinstance(left, str) else (right, left)
    if isinstance(text, str) and type(times) is int and len(text) * times <= _MOST_CHARACTERS:
        return text * times
    raise NotConstant(node, "a product is of no string and number")


def _called(node: ast.Call, known: Mapping[str, Any]) -> str:
    if node.keywords or not all(isinstance(a, ast.expr) for a in node.args):
        raise NotConstant(node, f"`{ast.unparse(node)[:80]}` is a call")
    given = [fold(a, known) for a in node.args]
    name = ast.unparse(node.func)
    if name in ("textwrap.dedent", "dedent") and len(given) == 1 and isinstance(given[0], str):
        return textwrap.dedent(given[0])
    if isinstance(node.func, ast.Attribute):
        method, owner = node.func.attr, fold(node.func.value, known)
        strings = all(isinstance(g, str) for g in given)
        if isinstance(owner, str) and method in _METHODS and strings and len(given) <= _METHODS[method]:
            made = getattr(owner, method)(*given)
            if len(made) <= _MOST_CHARACTERS:
                return str(made)
        if method == "join" and isinstance(owner, str) and _are_texts(given):
            return owner.join(given[0])
    raise NotConstant(node, f"`{ast.unparse(node)[:80]}` is a call")


def _are_texts(given: list[Any]) -> bool:
    return len(given) == 1 and isinstance(given[0], list) and all(isinstance(i, str) for i in given[0])
