"""DSL text to Program. The text is parsed with `ast` and never executed."""

import ast

from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.ir import (
    Host,
    HostParam,
    HostParamKind,
    Kernel,
    KernelParam,
    Launch,
    Program,
    Stmt,
    walk,
)
from akgen.tools.dsl.parse_body import KernelBody
from akgen.tools.dsl.parse_expr import Names, fail
from akgen.tools.dsl.parse_host import HostBody

_HOST_KINDS: dict[str, HostParamKind] = {
    "Tensor": "input", "OptionalTensor": "optional", "Output": "output", "int": "int", "float": "float", "bool": "bool",
    "list_int": "list_int", "list_float": "list_float", "TensorList": "dynamic", "OutputList": "dynamic_output",
    "str": "str", "list_bool": "list_bool",
}  # fmt: skip


def parse(text: str) -> Program:
    """Return the program; raise DslError with every function's first finding if the text is not one."""
    try:
        module = ast.parse(text)
    except SyntaxError as e:
        raise DslError((finding("DSL_SYNTAX", e.lineno or 0, f"The text is not Python: {e.msg}."),)) from e
    found: list[Diagnostic] = []
    kernels: list[Kernel] = []
    hosts: list[Host] = []
    for node in module.body:
        try:
            match node:
                case ast.FunctionDef(decorator_list=[ast.Name(id="ascend_kernel")]):
                    kernels.append(_kernel(node))
                case ast.FunctionDef(decorator_list=[ast.Name(id="ascend_host")]):
                    hosts.append(_host(node, tuple(kernels)))
                case ast.Expr(value=ast.Constant(value=str())) | ast.Import() | ast.ImportFrom():
                    pass  # a module docstring, or imports for editors
                case _:
                    raise fail(
                        "DSL_SYNTAX",
                        node,
                        "Only @ascend_kernel and @ascend_host functions stand at top level.",
                    )
        except DslError as e:
            found.extend(e.diagnostics)
    if not found and len(hosts) != 1:
        found.append(finding("DSL_SYNTAX", 1, f"A program has one @ascend_host function, not {len(hosts)}."))
    if not found and not kernels:
        found.append(
            finding(
                "DSL_SYNTAX",
                1,
                "A program has at least one @ascend_kernel function, before the host function.",
            )
        )
    if found:
        raise DslError(tuple(found))
    return Program(text=text, kernels=_in_launch_order(kernels, hosts[0]), host=hosts[0])


def _in_launch_order(kernels: list[Kernel], host: Host) -> tuple[Kernel, ...]:
    launched = {s.kernel for s in walk(host.body) if isinstance(s, Launch)}
    unused = [k for k in kernels if k.name not in launched]
    if unused:
        text = f"No path of the host function launches `{unused[0].name}`."
        raise DslError((finding("DSL_LAUNCH", unused[0].line, text),))
    return tuple(kernels)


def _split(node: ast.FunctionDef) -> tuple[str, list[ast.stmt]]:
    doc = ast.get_docstring(node) or ""
    return doc, node.body[1:] if doc else node.body


def _arguments(node: ast.FunctionDef) -> list[tuple[ast.arg, ast.expr | None]]:
    a = node.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
        raise fail("DSL_SYNTAX", node, "Parameters are plain positional ones.")
    defaults: list[ast.expr | None] = [None] * (len(a.args) - len(a.defaults)) + list(a.defaults)
    return list(zip(a.args, defaults, strict=True))


def _kernel(node: ast.FunctionDef) -> Kernel:
    doc, statements = _split(node)
    params: list[KernelParam] = []
    for arg, default in _arguments(node):
        kind = "tensor" if arg.annotation is None else ast.unparse(arg.annotation)
        kind = {"Tensor": "tensor", "Output": "tensor", "TensorList": "list", "OutputList": "list"}.get(
            kind, kind
        )
        if kind not in ("tensor", "list", "int", "float", "bool") or default is not None:
            raise fail(
                "DSL_SYNTAX",
                arg,
                f"Kernel parameter `{arg.arg}` is a tensor, or int, float or bool, without default.",
            )
        params.append(KernelParam.model_validate({"name": arg.arg, "type": kind}))
    names = Names(
        host=False,
        tensors=frozenset(p.name for p in params if p.type in ("tensor", "list")),
        tensor_lists=frozenset(p.name for p in params if p.type == "list"),
    )
    body = KernelBody(names).parse(statements)
    return Kernel(line=node.lineno, name=node.name, doc=doc, params=tuple(params), body=body)


def _host(node: ast.FunctionDef, kernels: tuple[Kernel, ...]) -> Host:
    doc, statements = _split(node)
    params: list[HostParam] = []
    for arg, default in _arguments(node):
        kind = _HOST_KINDS.get("" if arg.annotation is None else ast.unparse(arg.annotation))
        if kind is None:
            raise fail(
                "DSL_SYNTAX",
                arg,
                f"Host parameter `{arg.arg}` is annotated with one of {', '.join(_HOST_KINDS)}.",
            )
        params.append(HostParam(name=arg.arg, kind=kind, default=_default(default)))
    phase = {"input": 0, "optional": 0, "dynamic": 0, "output": 1, "dynamic_output": 1}
    order = [phase.get(p.kind, 2) for p in params]
    if order != sorted(order):
        raise fail("DSL_SYNTAX", node, "Host parameters come in the order inputs, outputs, attributes.")
    host = Names(
        host=True,
        tensors=frozenset(p.name for p in params if p.kind in phase),
        attr_lists=frozenset(p.name for p in params if p.kind.startswith("list")),
        tensor_lists=frozenset(p.name for p in params if p.kind.startswith("dynamic")),
    )
    body: tuple[Stmt, ...] = HostBody(host, {k.name: i + 1 for i, k in enumerate(kernels)}).parse(statements)
    return Host(line=node.lineno, name=node.name, doc=doc, params=tuple(params), body=body)


def _default(node: ast.expr | None) -> AttrValue:
    if node is None:
        return None
    value = ast.literal_eval(node)
    return tuple(value) if isinstance(value, list) else value
