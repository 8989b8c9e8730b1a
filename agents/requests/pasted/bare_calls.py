"""Give functions that stand bare in an expression PyTorch's paths: "softmax(x)[:, 1]", "silu(x[:, :8]) * x[:, 8:]".

An axis that words say beside it is that of the functions whose own is not written.
"""

import ast
import copy
import re

from akgen.agents.requests import sizes
from akgen.agents.requests.formula import with_paths
from akgen.agents.requests.formula_axes import is_open
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.pasted.subscripts import names_in

PYTHONS = frozenset(("abs", "max", "min", "float", "int", "len", "range", "sum"))


class _WithoutIndices(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self.visit(node.value)  # type: ignore[no-any-return]


class BareCalls(ast.NodeTransformer):
    """Writes paths; `unknown` are names of functions that nothing is known of, `along` nodes without an axis."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.along: list[ast.Call] = []

    def visit_Call(self, node: ast.Call) -> ast.expr:
        said = {k.arg for k in node.keywords}
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        try:
            found = with_paths(node)
        except LookupError:
            if node.func.id not in PYTHONS:
                self.unknown.append(node.func.id)
            return node
        if isinstance(found, ast.Call):
            named = {k.arg for k in found.keywords}
            if len(node.args) == 1 and not {"dim", "axis"} & said and ("dim" in named or is_open(found)):
                self.along.append(found)
        return found


def with_axis(expression: ast.expr, words: str) -> tuple[ast.expr, str] | None:
    """Return an expression with PyTorch's paths and the words without its axis; None where a function is not known,
    or reduces along an axis that nobody says.
    """
    inside = {n.id for s in ast.walk(expression) if isinstance(s, ast.Subscript) for n in names_in(s.slice)}
    outside = {n.id for n in names_in(_WithoutIndices().visit(copy.deepcopy(expression)))}
    if any(len(name) == 1 for name in inside - outside):
        return None  # "a[i, k] * b[k, j]" is a loop's body
    calls = BareCalls()
    tree = calls.visit(expression)
    if calls.unknown:
        return None
    text = MarkedText(words)
    sizes.take_axes(text)
    axes = [m for m in text.sorted() if m.kind == "axis"]
    if len({repr(m.value) for m in axes}) == 1 and calls.along and isinstance(axes[0].value, int | tuple):
        for node in calls.along:
            node.keywords = [k for k in node.keywords if k.arg != "dim"]
            node.keywords.append(ast.keyword("dim", ast.parse(repr(axes[0].value), mode="eval").body))
            path = ast.unparse(node.func)
            if path in ("torch.max", "torch.min"):
                node.func = ast.parse(path.replace("torch.m", "torch.am"), mode="eval").body
        words = text.text
        for mark in axes:
            words = words[: mark.begin] + " " * (mark.end - mark.begin) + words[mark.end :]
    if any(map(is_open, calls.along)):
        return None
    return ast.fix_missing_locations(tree), re.sub(r" {2,}", " ", words)
