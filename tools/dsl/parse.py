"""DSL text to Program, host function included. The text is parsed with `ast` and never executed."""

import ast

from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.untrusted import read_python
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.expr import Expr, Name
from akgen.tools.dsl.ir import (
    HOST_KINDS,
    Assert,
    BroadcastOf,
    Declare,
    DimList,
    DimSlice,
    ElementType,
    Host,
    HostParam,
    Kernel,
    KernelParam,
    Launch,
    Program,
    ShapePart,
    ShapesOf,
    Stmt,
    Workspace,
    walk,
)
from akgen.tools.dsl.parse_body import Body, KernelBody
from akgen.tools.dsl.parse_expr import DTYPE_NAMES, Names, fail, written


def parse(text: str) -> Program:
    """Return the program; raise DslError with every function's first finding if the text is not one."""
    try:
        module = read_python(text)
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
        kind = HOST_KINDS.get("" if arg.annotation is None else ast.unparse(arg.annotation))
        if kind is None:
            raise fail(
                "DSL_SYNTAX",
                arg,
                f"Host parameter `{arg.arg}` is annotated with one of {', '.join(HOST_KINDS)}.",
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
    value = written(node)
    return tuple(value) if isinstance(value, list) else value


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
