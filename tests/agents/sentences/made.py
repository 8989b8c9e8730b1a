"""Run a reference's source, and make sizes smaller: what both scorers need."""

import ast
from typing import Any


def space_of(source: str, small: dict[int, int] | None = None) -> dict[str, Any]:
    """Run a reference and return its names; with `small`, whole numbers in it are replaced."""
    tree = _Powers().visit(ast.parse(source)) if small else ast.parse(source)
    for node in ast.walk(tree) if small else ():
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = (small or {}).get(node.value, node.value)
    space: dict[str, Any] = {}
    exec(compile(tree, "reference.py", "exec"), space)
    return space


class _Powers(ast.NodeTransformer):
    """Writes "2 ** 20" as the number."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = node.left, node.right
        if (
            not isinstance(node.op, ast.Pow)
            or not isinstance(left, ast.Constant)
            or not isinstance(right, ast.Constant)
        ):
            return node
        if type(left.value) is not int or type(right.value) is not int or not 0 <= right.value <= 40:
            return node
        return ast.copy_location(ast.Constant(left.value**right.value), node)


def smaller(size: int, most: int) -> int:
    """Return a size of at most `most` that has the same factors of two as far as it can."""
    while size > most:
        size = size // 2 if size % 2 == 0 else size % most + 2
    return size
