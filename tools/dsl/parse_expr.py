"""Python expression syntax to DSL scalar expressions."""

import ast
from typing import Any, cast, get_args

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.expr import (
    FUNCTIONS,
    HOST_ONLY,
    KERNEL_ONLY,
    Binary,
    BinaryOp,
    Choice,
    Const,
    Dim,
    DimProduct,
    DTypeTest,
    Element,
    Expr,
    Fit,
    Func,
    Item,
    ListLength,
    ListNumel,
    Name,
    Property,
    Read,
    TextTest,
    Unary,
)

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Eq: "==",
    ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.And: "and", ast.Or: "or",
}  # fmt: skip
DTYPE_NAMES = frozenset(str(d) for d in DType)


class Names:
    """What the identifiers of one function stand for, as the parser needs it to tell `t[0]` from `attr[0]`."""

    def __init__(
        self,
        *,
        host: bool,
        tensors: frozenset[str],
        attr_lists: frozenset[str] = frozenset(),
        tensor_lists: frozenset[str] = frozenset(),
    ) -> None:
        self.host = host
        self.tensors = tensors  # lists of tensors included
        self.attr_lists = attr_lists
        self.tensor_lists = tensor_lists
        self.tiles: set[str] = set()
        self.objects: set[str] = set()  # Matmul objects


def fail(code: str, node: ast.AST, text: str) -> DslError:
    return DslError((finding(code, getattr(node, "lineno", 0), text),))


def written(node: ast.expr) -> Any:
    """Return the value of a literal: a number, a string, a truth value, None, a list of these."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        value = ...
    parts = value if isinstance(value, list | tuple) else [value]
    if not all(part is None or isinstance(part, bool | int | float | str) for part in parts):
        raise fail("DSL_SYNTAX", node, f"`{ast.unparse(node)[:60]}` stands where a written value must.")
    return value


def binary(op: ast.AST, left: Expr, right: Expr, node: ast.AST) -> Expr:
    symbol = _BINARY.get(type(op))
    if symbol is None:
        raise fail("DSL_SYNTAX", node, f"The operator in `{ast.unparse(node)}` is not part of the language.")
    return Binary(op=cast(BinaryOp, symbol), left=left, right=right)


def parse_expr(node: ast.expr, names: Names) -> Expr:
    """Return the scalar expression; raise DslError for anything else."""
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return Const(value=value)
        case ast.Name(id=name):
            if name in names.tensors or name in names.tiles:
                raise fail("DSL_SYNTAX", node, f"`{name}` is a tensor or tile where a scalar is meant.")
            return Name(id=name)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return Const(value=-value)
        case ast.UnaryOp(op=ast.USub()):
            return Unary(op="-", operand=parse_expr(node.operand, names))
        case ast.UnaryOp(op=ast.Not()):
            return Unary(op="not", operand=parse_expr(node.operand, names))
        case ast.BinOp():
            return binary(node.op, parse_expr(node.left, names), parse_expr(node.right, names), node)
        case ast.BoolOp():
            result = parse_expr(node.values[0], names)
            for v in node.values[1:]:
                result = binary(node.op, result, parse_expr(v, names), node)
            return result
        case ast.Compare(ops=[op], comparators=[right]):
            test = _dtype_test(node, names) or _text_test(node, names)
            return test or binary(op, parse_expr(node.left, names), parse_expr(right, names), node)
        case ast.IfExp():
            return Choice(
                cond=parse_expr(node.test, names),
                then=parse_expr(node.body, names),
                other=parse_expr(node.orelse, names),
            )
        case ast.Call(func=ast.Name(id=name)):
            return _call(node, name, names)
        case ast.Attribute(value=ast.Name(id=tensor), attr=attr) if tensor in names.tensors:
            if attr in get_args(Property.model_fields["name"].annotation) and names.host:
                return Property.model_validate({"tensor": tensor, "name": attr})
        case ast.Attribute(value=ast.Subscript(value=ast.Name(id=tensor), slice=index), attr="numel") if (
            tensor in names.tensor_lists
        ):
            return ListNumel(tensor=tensor, index=parse_expr(index, names))
        case ast.Subscript():
            return _subscript(node, names)
        case _:
            pass
    raise fail("DSL_SYNTAX", node, f"`{ast.unparse(node)}` is not a scalar expression of the language.")


def parse_tensor(node: ast.expr, names: Names) -> tuple[str, Expr | None]:
    """Return a tensor's name and, for `xs[k]`, which tensor of the list."""
    match node:
        case ast.Name(id=name) if name in names.tensors - names.tensor_lists:
            return name, None
        case ast.Subscript(value=ast.Name(id=name), slice=index) if name in names.tensor_lists:
            return name, parse_expr(index, names)
    raise fail("DSL_UNKNOWN_NAME", node, f"`{ast.unparse(node)}` is not a tensor parameter of this kernel.")


def _dtype_test(node: ast.Compare, names: Names) -> Expr | None:
    match node:
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id=tensor), attr="dtype"),
            ops=[ast.Eq() | ast.NotEq() as op],
            comparators=[ast.Name(id=dtype)],
        ) if tensor in names.tensors and dtype in DTYPE_NAMES:
            test = DTypeTest(tensor=tensor, dtype=DType(dtype))
            return test if isinstance(op, ast.Eq) else Unary(op="not", operand=test)
    return None


def _text_test(node: ast.Compare, names: Names) -> Expr | None:
    match node:
        case ast.Compare(
            left=ast.Name(id=attr),
            ops=[ast.Eq() | ast.NotEq() as op],
            comparators=[ast.Constant(value=str() as text)],
        ) if names.host:
            test = TextTest(attr=attr, text=text)
            return test if isinstance(op, ast.Eq) else Unary(op="not", operand=test)
    return None


def _subscript(node: ast.Subscript, names: Names) -> Expr:
    match node.value:
        case ast.Attribute(value=ast.Name(id=tensor), attr="shape") if names.host and tensor in names.tensors:
            return Dim(tensor=tensor, index=parse_expr(node.slice, names))
        case ast.Name(id=name) if name in names.tiles:
            return Element(tile=name, index=parse_expr(node.slice, names))
        case ast.Name(id=name) if name in names.attr_lists:
            return Item(attr=name, index=parse_expr(node.slice, names))
    raise fail("DSL_SYNTAX", node, f"`{ast.unparse(node)}` cannot be indexed here.")


def _call(node: ast.Call, name: str, names: Names) -> Expr:
    args = node.args
    match name, args:
        case "read", [tensor, index] if not names.host:
            name, item = parse_tensor(tensor, names)
            return Read(tensor=name, index=parse_expr(index, names), item=item)
        case "len", [ast.Name(id=tensor)] if tensor in names.tensor_lists:
            return ListLength(tensor=tensor)
        case "prod", [
            ast.Subscript(value=ast.Attribute(value=ast.Name(id=tensor), attr="shape"), slice=s)
        ] if names.host and isinstance(s, ast.Slice) and s.step is None:
            lower, upper = (None if x is None else parse_expr(x, names) for x in (s.lower, s.upper))
            return DimProduct(tensor=tensor, start=lower, stop=upper)
        case "fit_tile", [ast.Name(id=kernel), ast.Constant(value=str() as param)] if names.host:
            dims = tuple((k.arg, parse_expr(k.value, names)) for k in node.keywords if k.arg is not None)
            return Fit(kernel=kernel, param=param, dims=dims)
        case "len", [ast.Name(id=attr)] if attr in names.attr_lists:
            return Func(name="len", args=(Name(id=attr),))
    allowed = FUNCTIONS.keys() - (KERNEL_ONLY if names.host else HOST_ONLY)
    if name not in allowed or node.keywords:
        where = "the host function" if names.host else "a kernel"
        raise fail("DSL_SYNTAX", node, f"`{name}` is not a scalar function of {where}.")
    arity = FUNCTIONS[name][0]
    if (arity is None and len(args) < 2) or (arity is not None and len(args) != arity):
        raise fail("DSL_ARITY", node, f"`{name}` takes {arity or 'two or more'} arguments, not {len(args)}.")
    return Func(name=name, args=tuple(parse_expr(a, names) for a in args))
