"""Find weights of a softmax, which a half type may hold when they are multiplied: each row of them is an average.

As flash attention does in half types, whose weights are rounded to half before they meet the values. Other computed
factors have no bound, and products of them cancel.
"""

from akgen.tools.compose.front.builder import GraphBuilder
from akgen.tools.compose.front.graph import VIEWS, Node
from akgen.tools.core.dtypes import DType

_POSITIVE = frozenset(["exp", "sigmoid", "relu", "abs", "square", "softplus"])


def are_probabilities(b: GraphBuilder, x: int) -> bool:
    """Return whether the elements are non-negative ones divided by their sums, or powers below their largest one.

    Those of which some are zero instead, or are multiplied by a mask, count too. The axis of the sums is not compared.
    """
    node = _base(b, x)
    match node.op:
        case "where":
            chosen = (node.args[1:], node.args[:0:-1])
            return any(are_probabilities(b, p) and b.constant(q) == 0.0 for p, q in chosen)
        case "mul":
            return any(are_probabilities(b, p) and _is_mask(b, q) for p, q in (node.args, node.args[::-1]))
        case "div":
            return _is_positive(b, node.args[0]) and _is_total(b, node.args[1], of=_base(b, node.args[0]))
        case "exp":
            return _is_below_top(b, _base(b, node.args[0]))
    return False


def _base(b: GraphBuilder, x: int) -> Node:
    """Return the value below views and roundings to a half type."""
    node = b[x]
    while node.op in VIEWS or node.op.startswith("round_"):
        node = b[node.args[0]]
    return node


def _is_positive(b: GraphBuilder, x: int) -> bool:
    node = _base(b, x)
    if node.op == "where":
        return all(_is_positive(b, a) or b.constant(a) == 0.0 for a in node.args[1:])
    if node.op == "mul":
        return node.args[0] == node.args[1] or all(_is_positive(b, a) or _is_mask(b, a) for a in node.args)
    return node.op in _POSITIVE or (node.op == "div" and are_probabilities(b, x))


def _is_total(b: GraphBuilder, x: int, of: Node) -> bool:
    """Return whether the value is the sum of these elements, at least a small number perhaps."""
    node = _base(b, x)
    if node.op in ("add", "max"):
        return any(_is_total(b, a, of) for a in node.args)
    return node.op == "reduce" and node.kind == "sum" and _base(b, node.args[0]) == of


def _is_below_top(b: GraphBuilder, node: Node) -> bool:
    """Return whether the value is another less its maxima, or less the logarithm of the sum of its powers."""
    if node.op != "sub":
        return False
    of, top = _base(b, node.args[0]), _base(b, node.args[1])
    if top.op == "log":  # of a log-softmax: of what lies below its maxima already
        (total,) = top.args
        return any(n.op == "exp" and _base(b, n.args[0]) == of and _is_total(b, total, n) for n in b.nodes)
    if top.op == "add":  # a logarithm of a sum of powers, and the maxima that were taken from them
        return any(_is_top(b, a, of) for a in top.args) and any(_base(b, a).op == "log" for a in top.args)
    return _is_top(b, node.args[1], of)


def _is_top(b: GraphBuilder, x: int, of: Node) -> bool:
    """Return whether the value is the maxima of these elements, of which infinite ones may be zero instead."""
    node = _base(b, x)
    if node.op == "where":
        return any(_is_top(b, a, of) for a in node.args[1:])
    return node.op == "reduce" and node.kind == "max" and _base(b, node.args[0]) == of


def _is_mask(b: GraphBuilder, x: int) -> bool:
    node = _base(b, x)
    return node.op == "cast" and b[node.args[0]].dtype == DType.BOOL
