"""Statements of the host function."""

import ast

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.expr import Expr, Name
from akgen.tools.dsl.ir import (
    Assert,
    BroadcastOf,
    Declare,
    DimList,
    DimSlice,
    ElementType,
    Launch,
    ShapePart,
    ShapesOf,
    Stmt,
    Workspace,
)
from akgen.tools.dsl.parse_body import Body
from akgen.tools.dsl.parse_expr import DTYPE_NAMES, Names, fail


class HostBody(Body):
    """Statements of the host function."""

    def __init__(self, names: Names, kernels: dict[str, int]) -> None:
        super().__init__(names)
        self.kernels = kernels
        self.workspaces: set[str] = set()

    def assign(self, node: ast.stmt, name: str, value: ast.expr) -> Stmt:
        match value:
            case ast.Call(func=ast.Name(id="workspace"), args=[count, ast.Name(id=dtype)]) if (
                dtype in DTYPE_NAMES
            ):
                self.workspaces.add(name)
                return Workspace(line=node.lineno, name=name, count=self.expr(count), dtype=DType(dtype))
        return super().assign(node, name, value)

    def statement(self, node: ast.stmt) -> Stmt | None:
        match node:
            case ast.Assert(test=test, msg=msg):
                text = (
                    msg.value
                    if isinstance(msg, ast.Constant) and isinstance(msg.value, str)
                    else ast.unparse(test)
                )
                return Assert(line=node.lineno, cond=self.expr(test), text=text)
            case ast.Expr(value=ast.Call(func=ast.Name(id="declare"), args=[ast.Name(id=out), shape, dtype])):
                return Declare(
                    line=node.lineno, output=out, parts=tuple(self.parts(shape)), dtype=self.dtype(dtype)
                )
            case ast.Expr(
                value=ast.Call(func=ast.Subscript(value=ast.Name(id=kernel), slice=cores), args=args)
            ):
                if kernel not in self.kernels:
                    raise fail("DSL_LAUNCH", node, f"`{kernel}` is not a kernel defined above.")
                return Launch(
                    line=node.lineno, kernel=kernel, key=self.kernels[kernel], cores=self.expr(cores),
                    args=tuple(self.argument(a) for a in args),
                )  # fmt: skip
        return super().statement(node)

    def argument(self, node: ast.expr) -> Expr:
        if isinstance(node, ast.Name) and (node.id in self.names.tensors or node.id in self.workspaces):
            return Name(id=node.id)
        return self.expr(node)

    def dtype(self, node: ast.expr) -> ElementType:
        match node:
            case ast.Attribute(value=ast.Name(id=tensor), attr="dtype") if tensor in self.names.tensors:
                return ElementType(of=tensor)
            case ast.Name(id=name) if name in DTYPE_NAMES:
                return ElementType(fixed=DType(name))
        raise fail("DSL_DTYPE", node, f"`{ast.unparse(node)}` is not a dtype.")

    def parts(self, node: ast.expr) -> list[ShapePart]:
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.parts(left) + self.parts(right)
            case ast.Tuple(elts=elts):
                return [DimList(dims=tuple(self.expr(e) for e in elts))]
            case ast.Attribute(value=ast.Name(id=tensor), attr="shape") if tensor in self.names.tensors:
                return [DimSlice(tensor=tensor)]
            case ast.Attribute(value=ast.Name(id=tensor), attr="shapes") if tensor in self.names.tensor_lists:
                return [ShapesOf(tensor=tensor)]
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"),
                slice=ast.Slice(lower=lo, upper=hi, step=None),
            ) if tensor in self.names.tensors:
                start, stop = (None if x is None else self.expr(x) for x in (lo, hi))
                return [DimSlice(tensor=tensor, start=start, stop=stop)]
            case ast.Call(func=ast.Name(id="broadcast_shapes"), args=args):
                names = tuple(
                    a.value.id for a in args if isinstance(a, ast.Attribute) and isinstance(a.value, ast.Name)
                )
                return [BroadcastOf(tensors=names)]
        raise fail("DSL_SHAPE", node, f"`{ast.unparse(node)}` is not a shape.")
