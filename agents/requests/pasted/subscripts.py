"""Take apart what stands in the brackets of a statement by index."""

import ast
import re

from akgen.agents.requests.request import Shape

_LETTER = re.compile(r"[a-z]\Z")


class NoLoop(Exception):
    """The statement is not one of those that can be written so."""


def value_of(node: ast.expr, numbers: dict[str, int]) -> int:
    """Return the value of an index. Raises KeyError for a name without one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return numbers[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        left, right = value_of(node.left, numbers), value_of(node.right, numbers)
        return (
            left + right
            if isinstance(node.op, ast.Add)
            else left - right
            if isinstance(node.op, ast.Sub)
            else left * right
        )
    raise NoLoop


def sizes_in(statement: ast.AST, shapes: dict[str, Shape]) -> dict[str, int]:
    """Return what names of sizes stand for, as n does in x[n - 1 - i]: the last index is that of the axis."""
    found: dict[str, int] = {}
    for node in subscripts_in(statement):
        shape = shapes.get(node.value.id) if isinstance(node.value, ast.Name) else None
        for part, size in zip(parts_of(node), shape or (), strict=False):
            match = re.fullmatch(r"([A-Za-z]\w*) - 1 - [a-z]", ast.unparse(part))
            if match is not None and match[1] not in shapes:
                found.setdefault(match[1], size)
    return found


def parts_of(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def letter_of(part: ast.expr) -> str:
    if isinstance(part, ast.Name) and _LETTER.match(part.id):
        return part.id
    raise NoLoop


def subscripts_in(node: ast.AST) -> list[ast.Subscript]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Subscript)]


def names_in(node: ast.AST) -> list[ast.Name]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Name)]
