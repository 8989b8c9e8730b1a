"""Functions of formulas that PyTorch calls otherwise, or takes more for: σ, lse, gap, LN(x), RMSNorm(x)."""

import ast
from collections.abc import Mapping

from akgen.agents.requests.request import Shape

CALLED = {
    "σ": "sigmoid",
    "sigma": "sigmoid",
    "ln": "log",
    "lse": "logsumexp",
    "avg": "mean",
    "∑": "sum",
    "norm": "norm",
    "gap": "global_average_flat",
}
_WEIGHTS, _BIASES = ("gamma", "weight", "w", "g", "scale"), ("beta", "bias", "b", "shift")
MAKES = frozenset(("arange", "eye", "zeros", "ones"))  # a tensor of numbers, by its sizes
POOLED = {"global_average_flat": "torch.mean"}
NORMS = {"layer_norm": "torch.nn.functional.layer_norm", "rms_norm": "torch.nn.functional.rms_norm"}


def normalised(path: str, value: ast.expr, keywords: list[ast.keyword]) -> ast.expr:
    """Return a norm along the last axis."""
    last = ast.Subscript(ast.Attribute(value, "shape"), ast.Slice(ast.UnaryOp(ast.USub(), ast.Constant(1))))
    return ast.Call(ast.parse(path, mode="eval").body, [value, last], keywords)


def has_norm(tree: ast.expr) -> bool:
    """Say whether an expression normalises."""
    return any(isinstance(n, ast.Call) and ast.unparse(n.func) in NORMS.values() for n in ast.walk(tree))


def with_affine(tree: ast.expr, declared: Mapping[str, Shape]) -> ast.expr:
    """Give the only norm of an expression the weight and bias that are declared and used nowhere."""
    norms = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) in NORMS.values()]
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    free = [name for name, shape in declared.items() if name not in used and len(shape) == 1]
    weights, biases = ([n for n in free if n in listed] for listed in (_WEIGHTS, _BIASES))
    if len(norms) != 1 or len(weights) != 1 or len(biases) > 1 or len(norms[0].args) != len((0, 0)):
        return tree
    if biases and ast.unparse(norms[0].func) != NORMS["layer_norm"]:
        return tree
    norms[0].args += [ast.Name(name) for name in (*weights, *biases)]
    return ast.fix_missing_locations(tree)
