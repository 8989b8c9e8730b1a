"""Matmul objects and their products, from Python syntax."""

import ast

from akgen.tools.dsl.expr import ZERO, Expr
from akgen.tools.dsl.ir import MatmulObject, Multiply, WaitFor
from akgen.tools.dsl.parse_expr import Names, fail, parse_expr

_OFFSETS = ("a", "b", "c", "bias")
_STRIDES = ("lda", "ldb", "ldc")


def parse_object(node: ast.stmt, name: str, call: ast.Call, names: Names) -> MatmulObject:
    """Return `name = matmul_object(a, b, c, (m, n, k), transpose_a=…, transpose_b=…, bias=…)`."""
    if name in names.tiles or name in names.tensors or name in names.objects:
        raise fail("DSL_ALIAS", node, f"`{name}` is allocated twice.")
    match call.args:
        case [ast.Name(id=a), ast.Name(id=b), ast.Name(id=c), ast.Tuple(elts=[m, n, k])]:
            operands = (a, b, c)
            m_most, n_most, k_most = (parse_expr(e, names) for e in (m, n, k))
        case _:
            text = "matmul_object takes three tensors and the largest product: (a, b, c, (m, n, k))."
            raise fail("DSL_ARITY", node, text)
    given = _keywords(node, call, ("transpose_a", "transpose_b", "bias"))
    bias = given.get("bias")
    if bias is not None and not isinstance(bias, ast.Name):
        raise fail("DSL_ARITY", node, "The bias of a matmul_object is a tensor.")
    for t in (*operands, *([bias.id] if isinstance(bias, ast.Name) else [])):
        if t not in names.tensors or t in names.tensor_lists:
            raise fail("DSL_UNKNOWN_NAME", node, f"`{t}` is not a tensor.")
    names.objects.add(name)
    return MatmulObject(
        line=node.lineno, name=name, a=a, b=b, c=c, bias=None if bias is None else bias.id,
        dims=(m_most, n_most, k_most), transpose_a=_flag(node, given.get("transpose_a")),
        transpose_b=_flag(node, given.get("transpose_b")),
    )  # fmt: skip


def parse_multiply(node: ast.stmt, call: ast.Call, names: Names) -> Multiply:
    """Return `multiply(object, (m, n, k), a=…, b=…, c=…, bias=…, lda=…, ldb=…, ldc=…, accumulate=…, wait=…)`."""
    match call.args:
        case [ast.Name(id=name), ast.Tuple(elts=[m, n, k])] if name in names.objects:
            extent = (parse_expr(m, names), parse_expr(n, names), parse_expr(k, names))
        case _:
            text = "multiply takes a matmul_object of this kernel and the extent of the product: (mm, (m, n, k))."
            raise fail("DSL_ARITY", node, text)
    given = _keywords(node, call, (*_OFFSETS, *_STRIDES, "accumulate", "wait"))

    def number(key: str) -> Expr | None:
        return parse_expr(given[key], names) if key in given else None

    a, b, c, bias = (number(key) or ZERO for key in _OFFSETS)
    lda, ldb, ldc = (number(key) for key in _STRIDES)
    return Multiply(
        line=node.lineno, object=name, extent=extent, a=a, b=b, c=c, bias=bias, lda=lda, ldb=ldb, ldc=ldc,
        accumulate=_flag(node, given.get("accumulate")), wait="wait" not in given or _flag(node, given["wait"]),
    )  # fmt: skip


def parse_wait(node: ast.stmt, call: ast.Call, names: Names) -> WaitFor:
    """Return `wait(object)`."""
    match call.args, call.keywords:
        case [ast.Name(id=name)], [] if name in names.objects:
            return WaitFor(line=node.lineno, object=name)
    raise fail("DSL_ARITY", node, "wait takes a matmul_object of this kernel.")


def _keywords(node: ast.stmt, call: ast.Call, allowed: tuple[str, ...]) -> dict[str, ast.expr]:
    given = {k.arg: k.value for k in call.keywords if k.arg is not None}
    if len(given) != len(call.keywords) or not given.keys() <= set(allowed):
        raise fail("DSL_ARITY", node, f"Keywords allowed here: {', '.join(allowed)}.")
    return given


def _flag(node: ast.stmt, value: ast.expr | None) -> bool:
    match value:
        case None:
            return False
        case ast.Constant(value=bool() as flag):
            return flag
    raise fail("DSL_ARITY", node, "transpose_a, transpose_b, accumulate and wait are True or False.")
