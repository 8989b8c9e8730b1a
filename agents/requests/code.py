"""Read PyTorch code that a person gives: a module with its inputs, a module, a function, or an expression.

The code is parsed here, not run. What it lacks (Model, get_inputs) is written around it when type and shape are known.

The inputs that lines beside it make, "x = torch.randn(16, 512)" below "def ffn(x, ...)", are those of its cases.
"""

import ast
import re
from textwrap import indent

from akgen.agents.requests.language import Language
from akgen.agents.requests.pasted.extraction import expression_of
from akgen.agents.requests.problems import problem
from akgen.agents.requests.request import RequestSource
from akgen.tools.core.untrusted import read_python

_MODULES = {"torch", "F", "nn", "np", "math", "functional"}
_NO_TENSORS = {*_MODULES, "abs", "max", "min", "float", "int", "len", "range", "sum"}


def source_of(code: str, language: Language) -> RequestSource | str:
    """Return what the code computes, or a sentence that says why it cannot be used."""
    expression = expression_of(re.sub(r"(?<![\w.\"'])(inf|nan)(?![\w(])", r'float("\1")', code.strip()))
    if expression is not None:
        names = _free_names(expression)
        if not names:
            return problem("no_tensor", language)
        text = f"def expression({', '.join(names)}):\n    return {ast.unparse(expression)}\n"
        return RequestSource(
            kind="code", name="expression", text=text, entry="expression", arguments=tuple(names)
        )
    try:
        module = read_python(code)
    except SyntaxError as wrong:
        return problem("not_python", language, text=wrong.msg, line=wrong.lineno)
    functions = {n.name: n for n in module.body if isinstance(n, ast.FunctionDef)}
    classes = [n for n in module.body if isinstance(n, ast.ClassDef) and _method(n, "forward")]
    if classes:
        return _module_source(code, classes, functions, language)
    if not functions and (whole := _from_statements(module)) is not None:
        return source_of(whole, language)
    if not functions:
        return problem("nothing_to_compute", language)
    chosen = list(functions.values())[-1]
    if [a.arg for a in chosen.args.args[:1]] == ["self"]:  # a method without its class
        return source_of(f"class Model(torch.nn.Module):\n{indent(code.strip(), '    ')}\n", language)
    arguments = _required(chosen)
    made = _with_inputs(code, chosen.name, arguments)
    return RequestSource(
        kind="code",
        name=_snake(chosen.name),
        text=made or code,
        entry=chosen.name,
        arguments=arguments,
        brings="inputs" if made else "nothing",
    )


def _module_source(
    code: str, classes: list[ast.ClassDef], functions: dict[str, ast.FunctionDef], language: Language
) -> RequestSource | str:
    chosen = next((c for c in classes if c.name == "Model"), classes[-1])
    made = _method(chosen, "__init__")
    if made is not None and len(_required(made)) > 1 and "get_init_inputs" not in functions:
        return problem("constructor", language, name=chosen.name)
    forward = _method(chosen, "forward")
    assert forward is not None
    inputs = functions.get("get_inputs")
    taken = (
        _with_inputs(code, chosen.name, _required(forward)[1:])
        if made is None or len(_required(made)) <= 1
        else None
    )
    if taken is not None:
        code, inputs = taken, ast.parse(taken).body[-1]  # type: ignore[assignment]
    return RequestSource(
        kind="code",
        name=_snake(chosen.name),
        text=code,
        entry=None if chosen.name == "Model" else chosen.name,
        arguments=_required(forward)[1:],
        brings="nothing" if inputs is None else "inputs_of_shape" if inputs.args.args else "inputs",
    )


def _from_statements(module: ast.Module) -> str | None:
    """Return a module of statements without a function around them, such as "self.fc = ..." and "return ..."."""
    module = _OwnModules(module).module
    made = [n for n in module.body if isinstance(n, ast.Assign) and _is_own(n.targets[0])]
    body = [n for n in module.body if n not in made]
    if not body or not all(
        isinstance(n, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return) for n in body
    ):
        return None
    known = {*_NO_TENSORS, "self"}
    taken: list[str] = []
    for statement in body:
        names = _names(statement)
        loaded = dict.fromkeys(n.id for n in names if isinstance(n.ctx, ast.Load))
        taken += [name for name in loaded if name not in {*known, *taken}]
        known |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
    lines = [ast.unparse(n) for n in body]
    last = body[-1]
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        lines.append(f"return {last.targets[0].id}")
    if not taken or not lines[-1].startswith("return"):
        return None
    own = indent("\n".join(["super().__init__()", *map(ast.unparse, made)]), " " * 8)
    return (
        f"class Model(torch.nn.Module):\n    def __init__(self):\n{own}\n\n"
        f"    def forward(self, {', '.join(taken)}):\n" + indent("\n".join(lines), " " * 8) + "\n"
    )


class _OwnModules(ast.NodeTransformer):
    """Gives modules that statements make, "conv = nn.Conv2d(3, 8, 3)", to the module around the statements."""

    def __init__(self, module: ast.Module) -> None:
        made = [n for n in module.body if isinstance(n, ast.Assign) and _constructs(n.value)]
        self._names = {t.id for n in made for t in n.targets if isinstance(t, ast.Name)}
        self.module: ast.Module = ast.fix_missing_locations(self.visit(module))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._names:
            return node
        return ast.copy_location(ast.Attribute(ast.Name("self", ast.Load()), node.id, node.ctx), node)


def _constructs(node: ast.expr) -> bool:
    """Say whether an expression makes a module of constants: "nn.Conv2d(3, 8, 3)"."""
    called = isinstance(node, ast.Call) and re.fullmatch(r"(?:torch\.)?nn\.[A-Z]\w*", ast.unparse(node.func))
    return bool(called) and not [n for n in _names(node) if n.id not in _MODULES]


def _is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _free_names(expression: ast.expr) -> list[str]:
    return [*dict.fromkeys(n.id for n in _names(expression) if n.id not in _NO_TENSORS)]


def _names(node: ast.AST) -> list[ast.Name]:
    """Return the names in a piece of code in the order in which they stand there."""
    found = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _required(function: ast.FunctionDef) -> tuple[str, ...]:
    """Return the positional arguments without a default: those are tensors."""
    arguments = [a.arg for a in function.args.args]
    return tuple(arguments[: len(arguments) - len(function.args.defaults)])


def _snake(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return re.sub(r"\W", "_", spaced).strip("_") or "custom"


_MAKERS = frozenset(
    ("randn", "rand", "zeros", "ones", "randint", "empty", "full", "arange", "tensor", "linspace")
)
_MADE_BY = frozenset(("torch", "math"))


def _with_inputs(code: str, entry: str, arguments: tuple[str, ...]) -> str | None:
    """Return the code with get_inputs() of the tensors that it makes; None where it does not make all of them."""
    try:
        module = ast.parse(code)
    except SyntaxError:
        return None
    if any(isinstance(n, ast.FunctionDef) and n.name == "get_inputs" for n in module.body) or not arguments:
        return None
    made = {n: _without_device(value) for n, value in _assigned(module) if _makes(value)}
    passed = _passed(module, entry, len(arguments)) or arguments
    if not all(name in made for name in passed):
        return None
    kept = [
        n for n in module.body if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)
    ]
    given = "".join(f"        {made[name]},\n" for name in passed)
    body = "\n\n\n".join(ast.unparse(n) for n in kept)
    return f"{body}\n\n\ndef get_inputs():\n    return [\n{given}    ]\n"


def _makes(node: ast.expr) -> bool:
    """Say whether an expression makes a tensor of constants: "torch.randn(4, 8).half()", "torch.rand(8) * 0.1"."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    makers = [c for c in calls if ast.unparse(c.func).removeprefix("torch.") in _MAKERS]
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - _MADE_BY
    return bool(makers) and not names


def _without_device(node: ast.expr) -> str:
    text = ast.unparse(node)
    for keyword in (", device='cuda'", ", device='npu'", ".cuda()", ".npu()"):
        text = text.replace(keyword, "")
    return text


def _passed(module: ast.Module, entry: str, count: int) -> tuple[str, ...] | None:
    """Return the names that a line passes to the function, or to an instance of the module."""
    made = [(n, v) for n, v in _assigned(module) if isinstance(v, ast.Call) and not v.args]
    names = {entry, *(n for n, v in made if isinstance(v, ast.Call) and ast.unparse(v.func) == entry)}
    for node in module.body:
        for call in ast.walk(node) if not isinstance(node, ast.FunctionDef | ast.ClassDef) else ():
            if isinstance(call, ast.Call) and ast.unparse(call.func) in names and len(call.args) == count:
                given = tuple(a.id for a in call.args if isinstance(a, ast.Name))
                if len(given) == count:
                    return given
    return None


def _assigned(module: ast.Module) -> list[tuple[str, ast.expr]]:
    """Return the names that lines of a module give values."""
    return [
        (n.targets[0].id, n.value)
        for n in module.body
        if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name)
    ]
