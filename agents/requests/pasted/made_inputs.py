"""Take the inputs that lines beside a function or a module make: "x = torch.randn(16, 512)" below "def ffn(x, ...)".

They become get_inputs(); calls and what is done with results are dropped. Nothing of it is run here.
"""

import ast

_MAKERS = frozenset(
    ("randn", "rand", "zeros", "ones", "randint", "empty", "full", "arange", "tensor", "linspace")
)
_MODULES = frozenset(("torch", "math"))


def with_inputs(code: str, entry: str, arguments: tuple[str, ...]) -> str | None:
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
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - _MODULES
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
