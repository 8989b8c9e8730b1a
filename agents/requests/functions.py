"""Functions of formulas that PyTorch calls otherwise, or takes more for: σ, lse, gap, LN(x), RMSNorm(x)."""

import ast

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
POOLED = {"global_average_flat": "torch.mean"}
NORMS = {"layer_norm": "torch.nn.functional.layer_norm", "rms_norm": "torch.nn.functional.rms_norm"}


def normalised(path: str, value: ast.expr, keywords: list[ast.keyword]) -> ast.expr:
    """Return a norm along the last axis."""
    last = ast.Subscript(ast.Attribute(value, "shape"), ast.Slice(ast.UnaryOp(ast.USub(), ast.Constant(1))))
    return ast.Call(ast.parse(path, mode="eval").body, [value, last], keywords)


def has_norm(tree: ast.expr) -> bool:
    """Say whether an expression normalises."""
    return any(isinstance(n, ast.Call) and ast.unparse(n.func) in NORMS.values() for n in ast.walk(tree))
