"""Run a reference's source, and make sizes smaller: what both scorers need."""

import ast
from typing import Any


def space_of(source: str, small: dict[int, int] | None = None) -> dict[str, Any]:
    """Run a reference and return its names; with `small`, whole numbers in it are replaced."""
    tree = ast.parse(source)
    for node in ast.walk(tree) if small else ():
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = (small or {}).get(node.value, node.value)
    space: dict[str, Any] = {}
    exec(compile(tree, "reference.py", "exec"), space)
    return space


def smaller(size: int, most: int) -> int:
    """Return a size of at most `most` that has the same factors of two as far as it can."""
    while size > most:
        size = size // 2 if size % 2 == 0 else size % most + 2
    return size
