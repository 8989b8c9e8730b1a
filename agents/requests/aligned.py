"""Give tensors the axes that they lack: a scale of [4, 1152] stands for the first and last axis of [4, 256, 1152]."""

import ast
import math
from itertools import combinations

from akgen.agents.requests.fits import shape_of
from akgen.agents.requests.request import Shape


def aligned(shapes: dict[str, Shape], trees: list[ast.expr]) -> dict[str, ast.expr] | None:
    """Return what stands for the tensors that get further axes; None where sizes do not fit, or fit in several ways."""
    if all(isinstance(shape_of(t, dict(shapes)), tuple) for t in trees):
        return {}
    if any(isinstance(n, ast.MatMult) or _moves(n) for t in trees for n in ast.walk(t)):
        return {} if not any(_differs(t, shapes) for t in trees) else None
    largest = max(shapes.values(), key=lambda shape: (len(shape), math.prod(shape)))
    placed: dict[str, ast.expr] = {}
    for name, shape in shapes.items():
        if shape == largest or _broadcasts(shape, largest):
            continue
        ways = [axes for axes in combinations(range(len(largest)), len(shape))
                if tuple(largest[a] for a in axes) == shape]  # fmt: skip
        if len(ways) != 1:
            return None
        index = ", ".join(":" if a in ways[0] else "None" for a in range(ways[0][0], len(largest)))
        placed[name] = ast.parse(f"{name}[{index}]", mode="eval").body
    return placed


def _moves(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
        ("transpose", "matmul", "bmm", "einsum")
    )


def _differs(tree: ast.expr, shapes: dict[str, Shape]) -> bool:
    found = shape_of(tree, dict(shapes))
    return found is not None and not isinstance(found, tuple)


def _broadcasts(shape: Shape, largest: Shape) -> bool:
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(largest), strict=False))
