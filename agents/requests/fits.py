"""Find sizes that do not fit each other before anything is built: operands, tensors side by side, groups.

Tensors that lack axes get them: a scale of [4, 1152] stands for the first and last axis of [4, 256, 1152].
"""

import ast
import math
from itertools import combinations, zip_longest

from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.knowledge.operators import operator_named
from akgen.tools.core.frozen import Frozen

_POINTWISE = ("elementwise", "activation", "comparison", "softmax")


class Misfit(Frozen):
    """A sentence of `problems.json`, and the values that it names."""

    name: str
    values: dict[str, object]


class _Differ(Exception):
    def __init__(self, name: str, left: Shape, right: Shape) -> None:
        self.found = Misfit(name=name, values={"left": _text(left), "right": _text(right)})


def misfit(request: Request) -> Misfit | None:
    """Return what does not fit in the first step of a request; None where all does, or it cannot be told."""
    step = request.steps[0] if request.steps else None
    if step is None:
        return None
    for shapes in request.shapes:
        try:
            if step.formula is not None and len(shapes) == len(step.variables):
                _shape_of(
                    ast.parse(step.formula, mode="eval").body, dict(zip(step.variables, shapes, strict=True))
                )
            elif step.operator == "cat":
                _side_by_side(step, shapes)
            elif step.operator in ("group_norm", "grouped_conv", "conv2d", "conv1d"):
                if (found := _groups(step, shapes[0])) is not None:
                    return found
            elif step.formula is None and len(shapes) > 1 and _plain(step.operator):
                _broadcast(list(shapes))
        except _Differ as differ:
            return differ.found
    return None


def _plain(name: str) -> bool:
    entry = operator_named(name)
    return entry is not None and entry.category == "elementwise" and entry.source is None and not entry.draws


def shape_of(tree: ast.expr, shapes: dict[str, Shape]) -> "Shape | Misfit | None":
    """Return the shape of an expression, or what does not fit in it; None where it cannot be told."""
    try:
        return _shape_of(tree, shapes)
    except _Differ as differ:
        return differ.found


def within(shape: Shape, larger: Shape) -> bool:
    """Say whether the sizes of a tensor are some of a larger one's, in their order: it may stand for those axes."""
    rest = iter(larger)
    return len(shape) < len(larger) and all(size in rest for size in shape)


def within_once(shape: Shape, larger: Shape) -> tuple[int | None, ...] | None:
    """Return which axis of a tensor stands at each of a larger one's, (0, 1, None, None); None unless one way fits."""
    ways = [
        axes
        for axes in combinations(range(len(larger)), len(shape))
        if tuple(larger[a] for a in axes) == shape
    ]
    if len(ways) != 1 or not shape or len(shape) == len(larger):
        return None
    return tuple(ways[0].index(i) if i in ways[0] else None for i in range(len(larger)))


def _shape_of(node: ast.expr, shapes: dict[str, Shape]) -> Shape | None:
    """Return the shape of an expression; None where it is not known. Raises _Differ."""
    if isinstance(node, ast.Name):
        return shapes.get(node.id)
    if isinstance(node, ast.Constant):
        return ()
    if isinstance(node, ast.UnaryOp):
        return _shape_of(node.operand, shapes)
    if isinstance(node, ast.Subscript):
        return _indexed(node, shapes)
    if isinstance(node, ast.BinOp):
        left, right = _shape_of(node.left, shapes), _shape_of(node.right, shapes)
        if left is None or right is None:
            return None
        return _product(left, right) if isinstance(node.op, ast.MatMult) else _broadcast([left, right])
    if isinstance(node, ast.Call):
        given = [_shape_of(a, shapes) for a in node.args]
        called = ast.unparse(node.func).rpartition(".")[2]
        entry = operator_named(called)
        if called == "transpose" and given and given[0] is not None and len(given[0]) > 1:
            swapped = [ast.unparse(a) for a in node.args[1:]]
            return (*given[0][:-2], given[0][-1], given[0][-2]) if set(swapped) == {"-1", "-2"} else None
        known = [s for s in given if s is not None]
        if called in ("layer_norm", "rms_norm"):
            return given[0]
        if called == "linear" and len(known) == len(given) > 1 and given[0] and given[1]:
            return (*given[0][:-1], given[1][0])
        if called == "mean" and given and given[0] is not None and ast.unparse(node.args[-1]) == "(-2, -1)":
            return given[0][:-2]
        if entry is None or entry.category not in _POINTWISE or len(known) < len(given):
            return None
        return _broadcast(known)
    return None


def _indexed(node: ast.Subscript, shapes: dict[str, Shape]) -> Shape | None:
    """Return the shape of a tensor that gets axes of one element, x[:, None]; None of any other index."""
    shape = _shape_of(node.value, shapes)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    whole = [isinstance(p, ast.Slice) and not (p.lower or p.upper or p.step) for p in parts]
    added = [isinstance(p, ast.Constant) and p.value is None for p in parts]
    if shape is None or sum(whole) > len(shape) or not all(a or w for a, w in zip(added, whole, strict=True)):
        return None
    rest = iter(shape)
    return (*(next(rest) if w else 1 for w in whole), *rest)


def _product(left: Shape, right: Shape) -> Shape | None:
    if not left or not right:
        return None
    if left[-1] != right[-2 if len(right) > 1 else 0]:
        raise _Differ("no_product", left, right)
    if min(len(left), len(right)) < len((0, 0)):
        return None
    return (*_broadcast([left[:-2], right[:-2]]), left[-2], right[-1])


def _broadcast(shapes: list[Shape]) -> Shape:
    sizes = []
    for axis in zip_longest(*(reversed(s) for s in shapes), fillvalue=1):
        longest = max(axis)
        if any(n not in (1, longest) for n in axis):
            one, other = [s for s in shapes if s][:2]
            raise _Differ("no_broadcast", one, other)
        sizes.append(longest)
    return tuple(reversed(sizes))


def _side_by_side(step: ChainStep, shapes: tuple[Shape, ...]) -> None:
    dim = step.attributes.get("dim", 0)
    first = shapes[0]
    for other in shapes[1:]:
        if isinstance(dim, int) and (
            len(other) != len(first) or _without(other, dim) != _without(first, dim)
        ):
            raise _Differ("no_cat", first, other)


def _without(shape: Shape, axis: int) -> Shape:
    return tuple(n for i, n in enumerate(shape) if i != axis % len(shape))


def _groups(step: ChainStep, shape: Shape) -> Misfit | None:
    said = {**entry_of(step).attributes, **step.attributes}
    groups = said.get("num_groups", said.get("groups"))
    if not isinstance(groups, int) or len(shape) < len((0, 0)) or (groups and shape[1] % groups == 0):
        return None
    return Misfit(name="no_groups", values={"channels": shape[1], "groups": groups})


def _text(shape: Shape) -> str:
    return "x".join(map(str, shape))


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
