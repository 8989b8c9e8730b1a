"""Read PyTorch code that a person gives: a module with its inputs, a module, a function, or an expression.

The code is parsed here, not run. What it lacks (Model, get_inputs) is written around it when type and shape are known.
"""

import ast
import re
from textwrap import indent
from typing import NamedTuple

from akgen.agents.requests.language import Language
from akgen.agents.requests.problems import problem
from akgen.agents.requests.request import RequestSource
from akgen.tools.core.untrusted import read_python

_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)(?:```|\Z)", re.DOTALL)
_BEGINS = re.compile(r"^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.MULTILINE)
_TICKS = re.compile(r"`([^`\n]+)`")
_CALLS = re.compile(r"\b(?:torch|F|nn|functional)\.[\w.]+\(|(?<![\w.])[a-z]\.[a-z_]+\(")
_PUNCTUATION = re.compile(r"([，。；：、！？])")
_ASSIGNED = re.compile(r"(?:(?<=\s)|^)[A-Za-z_]\w* *= *\Z")
_SIGN = re.compile(r"[-+*/@<>=%]")
_LAMBDA = re.compile(r"(?:\b[A-Za-z_]\w* *= *)?\blambda +[a-z]\w*(?: *, *[a-z]\w*)* *:")
_NEAR_WORDS = 30
_MODULES = {"torch", "F", "nn", "np", "math", "functional"}
_NO_TENSORS = {*_MODULES, "abs", "max", "min", "float", "int", "len", "range", "sum"}


class ExtractedCode(NamedTuple):
    """The words of a text and the code in it, where there is any."""

    words: str
    code: str | None


def extract_code(text: str) -> ExtractedCode:
    """Take the code out of a text: what is fenced, what stands in backticks, or what begins like Python."""
    fenced = _FENCE.search(text)
    if fenced is not None:
        return ExtractedCode(text[: fenced.start()] + " " + text[fenced.end() :], fenced[1])
    begins = _BEGINS.search(text)
    if begins is not None and (code := _module_at(text[begins.start() :])) is not None:
        return ExtractedCode(text[: begins.start()] + " " + text[begins.start() + len(code) :], code)
    ticks = _TICKS.search(text)
    if ticks is not None and _expression(ticks[1]) is not None:
        return ExtractedCode(text[: ticks.start()] + " " + text[ticks.end() :], ticks[1])
    text = _LAMBDA.sub(" ", text)
    call = _CALLS.search(text)
    if call is not None:
        return _bare_expression(text)
    return ExtractedCode(text, None)


def source_of(code: str, language: Language) -> RequestSource | str:
    """Return what the code computes, or a sentence that says why it cannot be used."""
    expression = _expression(code.strip())
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
    return RequestSource(
        kind="code", name=_snake(chosen.name), text=code, entry=chosen.name, arguments=_required(chosen)
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
        taken += [n.id for n in names if isinstance(n.ctx, ast.Load) and n.id not in {*known, *taken}]
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


def _is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _bare_expression(text: str) -> ExtractedCode:
    """Find the longest run of words that is an expression with a call of torch in it, near the first such call."""
    words = _PUNCTUATION.sub(r" \1 ", text).split(" ")
    call = next((i for i, word in enumerate(words) if _CALLS.search(word)), 0)
    begin, end = max(0, call - _NEAR_WORDS), min(len(words), call + _NEAR_WORDS)
    for length in range(end - begin, 0, -1):
        for first in range(begin, end - length + 1):
            part = " ".join(words[first : first + length]).strip().rstrip(",.;")
            if _CALLS.search(part) and _expression(part) is not None:
                before = _ASSIGNED.sub("", " ".join(words[:first]))
                behind = " ".join(words[first + length :])
                if _SIGN.match(behind.lstrip()) or _SIGN.match(before.rstrip()[-1:]):
                    return ExtractedCode(text, None)  # only a part of an expression
                return ExtractedCode(f"{before} {behind}", part)
    return ExtractedCode(text, None)


def _module_at(text: str) -> str | None:
    """Return the longest beginning of the text that is a module; words behind it are no code."""
    lines = text.splitlines(keepends=True)
    for count in range(len(lines), 0, -1):
        part = "".join(lines[:count])
        try:
            body = read_python(part).body
        except SyntaxError:
            continue
        last = body[-1] if body else None
        if not isinstance(last, ast.Expr) or isinstance(last.value, ast.Call):
            return part
    return None


def _expression(text: str) -> ast.expr | None:
    """Return the expression if the text is one that computes something."""
    try:
        lines = read_python(text.strip()).body
    except SyntaxError:
        return None
    body = lines[0].value if len(lines) == 1 and isinstance(lines[0], ast.Expr) else None
    return body if isinstance(body, ast.Call | ast.BinOp | ast.UnaryOp) else None


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
