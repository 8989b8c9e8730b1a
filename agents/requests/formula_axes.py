"""Reductions in formulas: "(x - mean) / std" means of x along the axis that is said, "sum(exp(x)) along dim 0" too."""

import ast

from akgen.knowledge.operators import Value

_REDUCED = {
    "mean": "torch.mean", "std": "torch.std", "var": "torch.var", "max": "torch.amax", "min": "torch.amin",
    "sum": "torch.sum", "mu": "torch.mean", "sigma": "torch.std", "avg": "torch.mean", "average": "torch.mean",
    "absmax": "torch.linalg.vector_norm", "variance": "torch.var", "norm": "torch.linalg.vector_norm",
}  # fmt: skip
NAMES = frozenset(_REDUCED)
_PATHS = frozenset(
    ("torch.mean", "torch.sum", "torch.amax", "torch.amin", "torch.std", "torch.var", "torch.prod", "torch.max",
     "torch.min", "torch.logsumexp", "torch.linalg.vector_norm", "torch.all", "torch.any")
)  # fmt: skip
_DEVIATIONS = ("torch.std", "torch.var")


def with_reductions(tree: ast.expr, tensors: set[str]) -> ast.expr | None:
    """Write reductions of the only tensor where names stand for them; None if it is not clear of which."""
    if len(tensors) != 1:
        return None
    return ast.fix_missing_locations(_Bare(next(iter(tensors))).visit(tree))  # type: ignore[no-any-return]


def open_reductions(formula: str) -> bool:
    """Say whether the formula reduces without saying along which axis."""
    return any(is_open(n) for n in ast.walk(ast.parse(formula, mode="eval")))


def reduces(path: str) -> bool:
    return path in _PATHS


def settled_reductions(formula: str, said: dict[str, Value]) -> str | None:
    """Return the formula with axis, correction and kept axes in its reductions; those inside it keep the axis.

    Where nothing is said, one that is the whole formula goes along the last axis, as everywhere. None for one inside,
    of which it is not clear what it is taken of: x - mean(x).
    """
    tree = ast.parse(formula, mode="eval")
    results = tree.body.elts if isinstance(tree.body, ast.Tuple) else [tree.body]
    if "dim" not in said:
        if not any(map(is_open, results)) or sum(is_open(n) for n in ast.walk(tree)) > sum(
            map(is_open, results)
        ):
            return None
        said = {**said, "dim": -1}
    outside = any(map(_has_tensors, results))
    opened = [n for n in ast.walk(tree) if is_open(n)]
    within = {id(n) for o in opened for n in ast.walk(o) if n is not o}
    for node in opened:
        assert isinstance(node, ast.Call)
        inner = node not in results and (outside or id(node) in within)
        words: dict[str, Value] = {}
        if said["dim"] is not None:
            words["dim"] = said["dim"]
            if inner or said.get("keepdim"):
                words["keepdim"] = True
        if "correction" in said and ast.unparse(node.func) in _DEVIATIONS:
            words["correction"] = said["correction"]
        if said["dim"] is not None and ast.unparse(node.func) in ("torch.max", "torch.min"):
            node.func = ast.parse(f"torch.a{ast.unparse(node.func)[6:]}", mode="eval").body
        if "dim" in words:
            node.keywords = [k for k in node.keywords if k.arg != "dim"]
        node.keywords += [
            ast.keyword(name, ast.parse(repr(value), mode="eval").body) for name, value in words.items()
        ]
    return ast.unparse(ast.fix_missing_locations(tree))


def _has_tensors(node: ast.AST) -> bool:
    """Say whether a part of a formula has a tensor that no reduction takes: max(x) - min(x) has none."""
    if is_open(node):
        return False
    if isinstance(node, ast.Name):
        return True
    parts = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    return any(map(_has_tensors, parts))


def kept(formula: str) -> str | None:
    """Return a formula that is a reduction along an axis with the axis kept; None of another one."""
    tree = ast.parse(formula, mode="eval").body
    if not isinstance(tree, ast.Call) or ast.unparse(tree.func) not in _PATHS:
        return None
    names = {k.arg for k in tree.keywords}
    if "dim" not in names or "keepdim" in names:
        return None
    tree.keywords.append(ast.keyword("keepdim", ast.Constant(True)))
    return ast.unparse(ast.fix_missing_locations(tree))


def is_open(node: ast.AST) -> bool:
    """Say whether a call reduces without saying along which axis."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in _PATHS or len(node.args) != 1:
        return False
    said = [k.value for k in node.keywords if k.arg in ("dim", "axis")]
    return all(isinstance(v, ast.Constant) and v.value is None for v in said)


class _Bare(ast.NodeTransformer):
    def __init__(self, tensor: str) -> None:
        self._tensor = tensor

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(a) for a in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        path = _REDUCED.get(node.id)
        if path is None:
            return node
        order = [ast.parse("float('inf')", mode="eval").body] if node.id == "absmax" else []
        keywords = [ast.keyword("ord", o) for o in order]
        return ast.Call(ast.parse(path, mode="eval").body, [ast.Name(self._tensor)], keywords)
