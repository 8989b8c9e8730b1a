"""Find which tensors of a piece of code hold indices, and below what: idx of x[:, idx], ids of embedding(ids, table).

Shapes are known by name. An index stays below the size of the axis that it indexes; nothing is said of a tensor for
which that size cannot be told.
"""

import ast
from typing import NamedTuple

from akgen.agents.requests.request import Shape

_WHERE: dict[str, tuple[int, int, int | None]] = {  # tensor, index and axis among the arguments; None: axis 0
    "gather": (0, 2, 1), "index_select": (0, 2, 1), "take_along_dim": (0, 1, 2), "index_add": (0, 2, 1),
    "scatter_add": (0, 2, 1), "scatter": (0, 2, 1), "index_copy": (0, 2, 1), "embedding": (1, 0, None),
    "cross_entropy": (0, 1, None), "nll_loss": (0, 1, None),
}  # fmt: skip
_OF_CLASSES = ("cross_entropy", "nll_loss")
_ITSELF = (
    "long",
    "int",
    "to",
    "unsqueeze",
    "view",
    "reshape",
    "squeeze",
    "contiguous",
    "flatten",
    "T",
    "expand",
)


class Indexed(NamedTuple):
    """The tensor and its axis that an index selects from."""

    tensor: str
    axis: int


def indices_of(code: ast.AST, shapes: dict[str, Shape]) -> dict[str, Indexed]:
    """Return what each index of the code selects from; of those that select from several, the smallest axis."""
    found: dict[str, Indexed] = {}
    for node in ast.walk(code):
        uses = _subscripts(node, shapes) if isinstance(node, ast.Subscript) else _calls(node, shapes)
        for name, use in uses:
            smaller = name not in found or _size(use, shapes) < _size(found[name], shapes)
            found[name] = use if smaller else found[name]
    return found


def _size(use: Indexed, shapes: dict[str, Shape]) -> int:
    return shapes[use.tensor][use.axis]


def _subscripts(node: ast.Subscript, shapes: dict[str, Shape]) -> list[tuple[str, Indexed]]:
    tensor = _name(node.value)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if tensor not in shapes:
        return []
    rank, found, axis = len(shapes[tensor]), [], 0
    for at, part in enumerate(parts):
        if isinstance(part, ast.Constant) and part.value is None:
            continue
        if isinstance(part, ast.Constant) and part.value is ...:
            behind = [p for p in parts[at + 1 :] if not (isinstance(p, ast.Constant) and p.value is None)]
            axis = rank - len(behind)
            continue
        name = _name(part)
        if name in shapes and axis < rank:
            found.append((name, Indexed(tensor, axis)))
        axis += 1
    return found


def _calls(node: ast.AST, shapes: dict[str, Shape]) -> list[tuple[str, Indexed]]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return []
    called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    if called not in _WHERE:
        return []
    method = isinstance(node.func, ast.Attribute) and _name(node.func.value) in shapes
    arguments = (
        [node.func.value, *node.args] if method and isinstance(node.func, ast.Attribute) else node.args
    )
    keywords = {k.arg: k.value for k in node.keywords}
    source, index, place = _WHERE[called]
    given = arguments[index] if index < len(arguments) else keywords.get("index", keywords.get("target"))
    of, name = (_name(arguments[source]) if source < len(arguments) else None), _name(given)
    if of not in shapes or name not in shapes:
        return []
    axis = 1 if called in _OF_CLASSES and len(shapes[of]) > 1 else 0
    if place is not None:
        said = arguments[place] if place < len(arguments) else keywords.get("dim")
        try:
            axis = ast.literal_eval(said) if said is not None else 0
        except ValueError:
            return []
    return [(name, Indexed(of, axis % len(shapes[of])))] if isinstance(axis, int) and shapes[of] else []


def _name(node: ast.expr | None) -> str:
    """Return the tensor that an expression is, up to its type and form: idx of idx.long().view(-1)."""
    while node is not None:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ITSELF:
            node = node.func.value
        elif isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr in _ITSELF):
            node = node.value
        else:
            break
    return ""
