"""Keep what a formula computes of 8-bit whole numbers from wrapping around: "(q - zp) * scale" of two int8 tensors."""

import ast
from collections.abc import Mapping

from akgen.tools.core.dtypes import DType

_SMALL = (DType.INT8, DType.UINT8)
_GROWS = ast.Add | ast.Sub | ast.Mult


def widened(formula: str, types: Mapping[str, DType]) -> str:
    """Return the formula with its 8-bit tensors as int32 where they meet nothing but each other and numbers."""
    small = {name for name, dtype in types.items() if dtype in _SMALL}
    if not small:
        return formula
    tree = _Widened(small).visit(ast.parse(formula, mode="eval"))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Widened(ast.NodeTransformer):
    def __init__(self, small: set[str]) -> None:
        self._small = small

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        numbers = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
        if (
            isinstance(node.op, _GROWS)
            and names <= self._small
            and not any(isinstance(n, float) for n in numbers)
        ):
            return _AsInt32().visit(node)  # type: ignore[no-any-return]
        self.generic_visit(node)
        return node


class _AsInt32(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(f"{node.id}.to(torch.int32)", mode="eval").body
