"""Identities of whole numbers: lengths and places of parts come out as they would be written by hand.

Code that walks through parts asks how long each is, cuts ends off at 0 and at the tensor's length, and goes on from
where the last one ended: `if stop > at: at = stop` is max(stop, at), and a place that is never negative needs no test.
"""

from collections.abc import Sequence

from akgen.tools.compose.front.graph import VIEWS, Node, viewed
from akgen.tools.core.dtypes import DType

_DEEPEST = 12  # values below one another that are asked for their sign


def same_as(nodes: Sequence[Node], op: str, a: int, b: int) -> int | bool | None:
    """Return the value that `op` of two whole numbers is, or the truth that it always is; None if it is neither.

    A comparison may be that of whole numbers as floats.
    """
    x, y = nodes[a], nodes[b]
    if op == "lt" and _is_zero(nodes, b) and not_negative(nodes, a):  # nor is a NaN below 0
        return False
    if x.dtype != DType.INT32 or y.dtype != DType.INT32:
        return None
    if op == "ge" and _is_zero(nodes, b) and not_negative(nodes, a):
        return True
    if op in ("max", "min") and a == b:
        return a
    if op == "add":
        return next((d[0] for s, d in ((a, _difference(y)), (b, _difference(x))) if d and d[1] == s), None)
    if op == "sub" and x.op == "add" and b in x.args:
        return x.args[1 - x.args.index(b)]
    if op == "max":
        return next(
            (v for v, zero in ((a, b), (b, a)) if _is_zero(nodes, zero) and not_negative(nodes, v)), None
        )
    if op == "ne" and _is_zero(nodes, b) and x.op == "cast" and nodes[x.args[0]].dtype == DType.BOOL:
        return x.args[0]
    return None


def larger_of(nodes: Sequence[Node], condition: int, a: int, b: int) -> tuple[int, int] | None:
    """Return the two int32 values of which `where(condition, a, b)` is the larger; one twice if it is that one."""
    if a == b:
        return a, a
    test = nodes[condition]
    if test.op != "gt" or not _is_zero(nodes, test.args[1]):
        return None
    d = test.args[0]
    if _is_zero(nodes, b):
        return (d, b) if a == d else (a, a) if _is_cut(nodes, a, d) else None
    return (a, b) if _difference(nodes[d]) == (a, b) else None


def not_negative(nodes: Sequence[Node], index: int, depth: int = 0) -> bool:
    """Return whether a whole number is known to be 0 or more."""
    node = nodes[index]
    if depth > _DEEPEST:
        return False
    below = (not_negative(nodes, a, depth + 1) for a in node.args)
    match node.op:
        case "const" | "iota":
            return (node.value or 0) >= 0 and (node.step or 0) >= 0
        case "max":
            return any(below)
        case "min" | "add" | "mul" | "cat" | "reduce":
            return all(below)
        case "where":
            return all(not_negative(nodes, a, depth + 1) for a in node.args[1:])
        case "cast":
            return nodes[node.args[0]].dtype == DType.BOOL or all(below)
    return node.op in VIEWS and all(below)


def _is_zero(nodes: Sequence[Node], index: int) -> bool:
    node = nodes[viewed(nodes, index)]
    return node.op == "const" and node.value == 0


def _difference(node: Node) -> tuple[int, ...]:
    return node.args if node.op == "sub" else ()


def _is_cut(nodes: Sequence[Node], index: int, d: int) -> bool:
    """Return whether a value is max(d, 0), cut off at something that is not negative or not cut off."""
    node = nodes[index]
    if node.op == "min":
        return any(_is_cut(nodes, x, d) and not_negative(nodes, y) for x, y in (node.args, node.args[::-1]))
    return node.op == "max" and node.args[0] == d and _is_zero(nodes, node.args[1])
