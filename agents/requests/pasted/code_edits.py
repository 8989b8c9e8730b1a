"""Edit a person's code as words say: another operator in place of one, one less, a step behind it, a layer's attribute.

"relu 换成 relu6", "elu with alpha 0.5 instead of leaky relu", "then a softmax", "add x back at the end", "no bias in
fc", "conv 的 stride 改成 2". What is exchanged must be called, or made, once.
"""

import ast
import re
from collections.abc import Callable
from textwrap import indent
from typing import NamedTuple

from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.program import chain_reference
from akgen.agents.requests.request import ChainStep, Request, RequestSource
from akgen.knowledge.operators import find_operators, operator_named, signatures
from akgen.tools.core.dtypes import DType

Read = Callable[[str, Request], Request | None]
_CLAUSES = re.compile(r"([,，;；。\n]|\.(?=\s|\Z)|\s+and\s+(?=no |with |use |set |change |replace |add ))")
_MODULE = re.compile(r"(?:torch\.)?nn\.([A-Z]\w*)\Z")


_STANDS = Request(  # in the place of the code, so that a follow-up is read as one of any operator
    steps=(ChainStep(operator="formula", formula="x", variables=("x",)),),
    shapes=(((2, 4, 8, 8),),),
    dtypes=(DType.FLOAT32,),
)


class EditedCode(NamedTuple):
    """Code with the edits made, and the words that say something else."""

    source: RequestSource
    rest: str


def edited_code(source: RequestSource, said: str, read: Read) -> EditedCode | None:
    """Return code with the edits that words tell, clause by clause; None if they tell none.

    `read` reads the words for a step without what is known.
    """
    rest: list[str] = []
    changed = source
    for clause in _CLAUSES.split(said):
        if _pattern("as run").fullmatch(clause.strip()):
            clause = " "  # a reference's modules are run so anyway
        after = _clause(changed, clause, read) if clause.strip() else None
        changed = after or changed
        rest.append(" " if after is not None else clause)
    return EditedCode(changed, "".join(rest).strip(" ,.;，。；\n")) if changed is not source else None


def _clause(source: RequestSource, said: str, read: Read) -> RequestSource | None:
    whole = said.strip(" :：?？!！")
    said = re.sub(_pattern("lead"), "", whole, count=1)
    said = re.sub(words()["edits"]["same but"], "", said, count=1, flags=re.I).strip()
    for edit in (_exchanged, _dropped, _set):
        if (found := edit(source, said, read)) is not None:
            return found
    return _appended(source, said, read) or _appended(source, whole, read)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(words()["code edits"][name], re.I)


def _exchanged(source: RequestSource, said: str, read: Read) -> RequestSource | None:
    match = _pattern("exchange").fullmatch(said)
    if match is None:
        return None
    told = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    old = _operator(told["old"])
    step = _step(told["new"], read) if old is not None else None
    return _with_call(source, old, step) if old is not None and step is not None else None


def _dropped(source: RequestSource, said: str, _read: Read) -> RequestSource | None:
    match = re.compile(words()["edits"]["drop"], re.I).fullmatch(said)
    old = _operator(next(g for g in match.groups() if g)) if match is not None else None
    return _with_call(source, old, None) if old is not None else None


def _operator(name: str) -> str | None:
    """Return the operator that words name, and nothing else."""
    name = name.strip().lower()
    named = find_operators(name)
    return named[0].operator if len(named) == 1 and (named[0].begin, named[0].end) == (0, len(name)) else None


def _step(said: str, read: Read) -> ChainStep | None:
    """Return the one operator on one tensor that words say, "elu with alpha 0.5"."""
    said = re.sub(r"\A(?:an?|the|use|用)\s+", "", said.strip())
    found = read(said, Request())
    if found is None or len(found.steps) != 1 or found.shapes or not found.assumed:
        return None
    step = found.steps[0]
    return step if tensors_of(step) - sum(isinstance(o, int | float) for o in step.operands) == 1 else None


def _body(steps: tuple[ChainStep, ...]) -> list[ast.stmt] | None:
    """Return the statements that compute steps of a tensor `x0`; None where they have weights or take another one."""
    reference = ast.parse(chain_reference(Request(steps=steps, dtypes=(DType.FLOAT32,), shapes=(((4, 8),),))))
    model = next(n for n in reference.body if isinstance(n, ast.ClassDef))
    methods = [n for n in model.body if isinstance(n, ast.FunctionDef)]
    if len(methods) != 1 or len(methods[0].args.args) != len(("self", "x0")):
        return None
    renamed = _Named(methods[0].args.args[1].arg, ast.Name("x0", ast.Load()))
    return [renamed.visit(statement) for statement in methods[0].body]


def _with_call(source: RequestSource, old: str, new: ChainStep | None) -> RequestSource | None:
    """Return the code with the only call of an operator exchanged, or left out; None if there is not one."""
    module = ast.parse(source.text)
    calls = [n for n in ast.walk(module) if isinstance(n, ast.Call)]
    found = [n for n in calls if _called(n) == old]
    if len(found) != 1:
        return None
    node = found[0]
    if _MODULE.match(ast.unparse(node.func)):
        made = _made(new)
    else:
        method = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) not in _PATHS
        operand = node.func.value if method and isinstance(node.func, ast.Attribute) else node.args[0]
        made = _applied(new, operand)
    if made is None:
        return None
    return source.model_copy(update={"text": ast.unparse(_Put(node, made).visit(module)) + "\n"})


_PATHS = (
    "torch",
    "F",
    "nn",
    "nn.functional",
    "torch.nn.functional",
    "functional",
    "torch.special",
    "torch.linalg",
)


def _called(node: ast.Call) -> str | None:
    name = ast.unparse(node.func).rpartition(".")[2]
    entry = operator_named(name.rstrip("_"))
    return entry.name if entry is not None else None


def _applied(step: ChainStep | None, operand: ast.expr) -> ast.expr | None:
    if step is None:
        return operand
    body = _body((step,))
    if body is None or len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    return _Named("x0", operand).visit(body[0].value)  # type: ignore[no-any-return]


def _made(step: ChainStep | None) -> ast.expr | None:
    """Return what makes an operator's module, "nn.ELU(alpha=0.5)"; the one that changes nothing for None."""
    if step is None:
        return ast.parse("torch.nn.Identity()", mode="eval").body
    for signature in signatures():
        if not signature.is_module or step.formula is not None:
            continue
        entry = operator_named(signature.path.rpartition(".")[2])
        if (
            entry is not None
            and entry.name == step.operator
            and step.attributes.keys() <= {p.name for p in signature.parameters}
        ):
            given = ", ".join(f"{n}={v!r}" for n, v in step.attributes.items())
            return ast.parse(f"{signature.path}({given})", mode="eval").body
    return None


def _set(source: RequestSource, said: str, _read: Read) -> RequestSource | None:
    """Set an attribute of a layer that the code makes once under that name, or of that kind."""
    match = next((m for p in ("attribute", "no attribute") if (m := _pattern(p).fullmatch(said))), None)
    if match is None:
        return None
    told = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    module = ast.parse(source.text)
    layer, attribute = told["layer"].lower(), told["attribute"].lower().replace(" ", "_")
    made = [n for n in ast.walk(module) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)]
    named = [n.value for n in made if ast.unparse(n.targets[0]) in (f"self.{layer}", layer)]
    named = named or [n.value for n in made if _called(n.value) == _operator(layer)]  # type: ignore[arg-type]
    calls = [n for n in named if isinstance(n, ast.Call)]
    known = [s for s in signatures() if calls and s.path == f"torch.{_path(calls[0])}"]
    if len(calls) != 1 or not known or known[0].parameter(attribute) is None:
        return None
    (call,), names = calls, [p.name for p in known[0].parameters]
    value = ast.parse(told.get("value", "False").replace("x", ","), mode="eval").body
    at = names.index(attribute)
    if at < len(call.args):
        call.args[at] = value
    else:
        call.keywords = [k for k in call.keywords if k.arg != attribute] + [ast.keyword(attribute, value)]
    return source.model_copy(update={"text": ast.unparse(ast.fix_missing_locations(module)) + "\n"})


def _path(call: ast.Call) -> str:
    return ast.unparse(call.func).removeprefix("torch.")


def _appended(source: RequestSource, said: str, read: Read) -> RequestSource | None:
    """Put steps behind what the code returns, "then a relu"; or one of its own tensors, "add x back at the end"."""
    taken = source.arguments or ()
    if (again := _pattern("add again").fullmatch(said)) is not None:
        name = next(g for g in again.groups() if g)
        names = [a for a in taken if a.lower() == name.lower()]
        names = names or (list(taken[:1]) if name in ("input", "输入") else [])
        body: list[ast.stmt] | None = ast.parse(f"return x0 + {names[0]}").body if names else None
    else:
        found = read(said, _STANDS)
        if found is None or found.steps[:1] != _STANDS.steps or found.shapes != _STANDS.shapes:
            return None
        body = _body(found.steps[1:]) if len(found.steps) > 1 else None
    if body is None or not taken or "x0" in taken:
        return None
    lines = indent("\n".join(map(ast.unparse, body)), "    ")
    entry = source.entry or "Model"
    if re.search(rf"^class {entry}\b", source.text, re.M):
        lines = indent(lines, "    ")
        text = (
            f"class {entry}Then({entry}):\n    def forward(self, {', '.join(taken)}):\n"
            f"        x0 = super().forward({', '.join(taken)})\n{lines}\n"
        )
        name = f"{entry}Then"
    else:
        name = f"{entry}_then"
        text = f"def {name}({', '.join(taken)}):\n    x0 = {entry}({', '.join(taken)})\n{lines}\n"
    whole = f"{source.text.rstrip()}\n\n\n{text}"
    return source.model_copy(update={"text": whole, "entry": name})


class _Put(ast.NodeTransformer):
    """Writes an expression in the place of one node."""

    def __init__(self, node: ast.AST, value: ast.expr) -> None:
        self._node, self._value = node, value

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self._node:
            return ast.copy_location(self._value, node)
        return self.generic_visit(node)


class _Named(ast.NodeTransformer):
    """Writes an expression in the place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._value if node.id == self._name else node
