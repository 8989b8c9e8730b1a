"""Keep what is computed of 8-bit whole numbers from wrapping around: "(q - zp) * scale" of two int8 tensors.

A product of matrices of 8-bit numbers whose result shall be wider is summed up in whole numbers of 32 bits.
"""

import ast
from collections.abc import Mapping

from akgen.agents.requests.request import ChainStep
from akgen.tools.core.dtypes import DType

_SMALL = (DType.INT8, DType.UINT8)
_GROWS = ast.Add | ast.Sub | ast.Mult | ast.MatMult
_PRODUCTS = ("matmul", "bmm", "mm", "mv", "dot", "outer", "inner")
_PAIRS = (*_PRODUCTS, "mul", "add", "sub")


def widened(formula: str, types: Mapping[str, DType]) -> str:
    """Return the formula with its 8-bit tensors as int32 where they meet nothing but each other and numbers."""
    small = {name for name, dtype in types.items() if dtype in _SMALL}
    if not small:
        return formula
    tree = _Widened(small).visit(ast.parse(formula, mode="eval"))
    return ast.unparse(ast.fix_missing_locations(tree))


def accumulated(steps: tuple[ChainStep, ...], dtypes: tuple[DType, ...]) -> tuple[ChainStep, ...]:
    """Return a chain that ends in a wider type with its 8-bit tensors as int32 before they are put together."""
    if len(steps) <= 1 or not dtypes or not {*dtypes} <= {*_SMALL} or steps[-1].operator != "cast":
        return steps
    wanted, first = steps[-1].attributes.get("dtype"), steps[0]
    if wanted in (DType.INT8, DType.UINT8, DType.BOOL):
        return steps
    if first.formula is not None:
        types = {name: dtypes[0] for name in first.variables if name not in first.holds}
        formula, variables = widened(first.formula, types), first.variables
    elif first.operator in _PAIRS and not first.attributes and first.operands in ((), ("tensor",)):
        formula, variables = f"torch.{first.operator}(a.to(torch.int32), b.to(torch.int32))", ("a", "b")
    else:
        return steps
    if formula == first.formula:
        return steps
    whole = ChainStep(operator="formula", formula=formula, variables=variables, holds=first.holds)
    given = DType.INT32.value == wanted and len(steps) == len((first, steps[-1]))
    return (whole,) if given else (whole, *steps[1:])


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

    def visit_Call(self, node: ast.Call) -> ast.expr:
        names = {n.id for n in node.args if isinstance(n, ast.Name)}
        called = ast.unparse(node.func).rpartition(".")[2]
        if called in _PRODUCTS and names and len(names) == len({*node.args}) and names <= self._small:
            return _AsInt32(node.args).visit(node)  # type: ignore[no-any-return]
        self.generic_visit(node)
        return node


class _AsInt32(ast.NodeTransformer):
    def __init__(self, arguments: list[ast.expr] | None = None) -> None:
        self._arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "torch" or (self._arguments is not None and node not in self._arguments):
            return node
        return ast.parse(f"{node.id}.to(torch.int32)", mode="eval").body
