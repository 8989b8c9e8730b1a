"""What a PyTorch reference computes, whatever its names, layout, constants and comments: for de-duplication and leaks.

Every value is named by how it is made, so it does not matter how lines are cut or variables called. Constants count as
one, or as themselves. Not covered: loops and branches are compared as they are written.
"""

import ast
import hashlib
from collections.abc import Mapping

_OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.USub: "neg", ast.Mod: "remainder", ast.FloorDiv: "floordivide", ast.Gt: "gt", ast.Lt: "lt", ast.GtE: "ge",
    ast.LtE: "le", ast.Eq: "eq", ast.NotEq: "ne", ast.BitAnd: "bitand", ast.BitOr: "bitor", ast.Not: "not",
    ast.Invert: "invert",
}  # fmt: skip
_COMMUTATIVE = ("add", "mul", "eq", "ne", "maximum", "minimum")
_ALIASES = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "truedivide": "div", "mm": "matmul", "bmm": "matmul",
    "negative": "neg", "clip": "clamp", "power": "pow", "max": "amax", "min": "amin", "concat": "cat", "greater": "gt",
    "less": "lt", "absolute": "abs",
}  # fmt: skip


def normal_form(source: str, *, constants: bool = False) -> str | None:
    """Return a digest of what a reference computes; with `constants`, they count. None if nothing can be read."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    function = _forward(module)
    if function is None:
        return None
    values = _Values(_layers(module), constants=constants)
    try:
        values.run(function.body)
    except RecursionError:
        return None
    if not values.returned:
        return None
    return hashlib.sha256(" ; ".join(values.returned).encode()).hexdigest()[:32]


def _forward(module: ast.Module) -> ast.FunctionDef | None:
    """Return the forward of the first module, else the first function that is no set-up."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == "forward":
            return node
    setup = ("get_inputs", "get_init_inputs", "uniform", "__init__")
    functions = [n for n in ast.walk(module) if isinstance(n, ast.FunctionDef) and n.name not in setup]
    return functions[0] if functions else None


def _layers(module: ast.Module) -> dict[str, str]:
    """Return what `self.NAME = nn.Layer(...)` makes, by name."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id == "self"
                ):
                    found[target.attr] = _called(node.value.func)
    return found


class _Values:
    """Runs a function's lines on digests."""

    def __init__(self, layers: Mapping[str, str], *, constants: bool) -> None:
        self._layers, self._constants = layers, constants
        self._known: dict[str, str] = {}
        self.returned: list[str] = []

    def run(self, body: list[ast.stmt]) -> None:
        for line in body:
            match line:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._known[name] = self.value(value)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    whole = self.value(value)
                    for number, target in enumerate(names):
                        if isinstance(target, ast.Name):
                            self._known[target.id] = _named("part", whole, str(number))
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._known[name] = self.value(value)
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    self._known[name] = self._operation(_operator(op), [ast.Name(id=name), value])
                case ast.Return(value=ast.expr() as value):
                    self.returned.append(self.value(value))
                case ast.Expr(value=ast.Constant()):
                    pass  # a docstring
                case _:
                    inner = [n for n in ast.iter_child_nodes(line) if isinstance(n, ast.stmt)]
                    head = [self.value(n) for n in ast.iter_child_nodes(line) if isinstance(n, ast.expr)]
                    self.returned.append(_named(type(line).__name__, *head))
                    self.run(inner)

    def value(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return self._known.setdefault(name, f"input{len(self._known)}")
            case ast.Constant(value=value):
                return f"constant {value!r}" if self._constants or isinstance(value, str) else "constant"
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(_operator(op), [left, right])
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
                return f"constant -{value!r}" if self._constants else "constant"
            case ast.UnaryOp(op=op, operand=operand):
                return self._operation(_operator(op), [operand])
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._operation(_operator(op), [left, right])
            case ast.Call():
                return self._call(node)
            case ast.Attribute(value=ast.Name(id="torch" | "math" | "F"), attr=name):
                return name
            case ast.Attribute(value=owner, attr=name):
                return _named(f"its {name}", self.value(owner))
        parts = [self.value(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
        return _named(type(node).__name__, *parts)

    def _call(self, node: ast.Call) -> str:
        name = _called(node.func)
        arguments = list(node.args)
        match node.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=layer):
                name = _called_name(self._layers.get(layer, layer))
            case ast.Attribute(value=ast.Call(func=made), attr="forward"):
                name = _called(made)
            case ast.Call(func=made):  # torch.nn.Softmax(dim=-1)(x)
                name = _called(made)
            case ast.Attribute(value=owner) if not _is_library(owner):
                arguments = [owner, *arguments]
        options = [
            f"{k.arg}={self.value(k.value)}" for k in node.keywords if k.arg not in ("keepdim", "dim", "axis")
        ]
        axes = [self.value(k.value) for k in node.keywords if k.arg in ("dim", "axis")]
        return self._operation(name, arguments, *axes, *sorted(options))

    def _operation(self, name: str, operands: list[ast.expr], *more: str) -> str:
        parts = [self.value(o) for o in operands]
        return _named(name, *(sorted(parts) if name in _COMMUTATIVE else parts), *more)


def _is_library(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("torch", "nn", "F", "math", "np", "functional")


def _called(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return _called_name(name)
    return type(node).__name__


def _called_name(name: str) -> str:
    plain = name.replace("_", "").lower()
    return _ALIASES.get(plain, plain)


def _operator(node: ast.AST) -> str:
    return _OPERATORS.get(type(node), type(node).__name__)


def _named(name: str, *parts: str) -> str:
    text = f"{name}({', '.join(parts)})"
    return text if len(text) < 200 else hashlib.sha256(text.encode()).hexdigest()[:32]
