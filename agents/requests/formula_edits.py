"""Edit a known formula as a follow-up says: an operator exchanged, an operator or a tensor less, a tensor more.

"silu instead of sigmoid" of a * sigmoid(b), "drop the bias" of x @ w + b, "weight 改成 (1 + weight)", "add a residual r
[8, 16]". What is exchanged or left out must stand in the formula once.
"""

import ast
import re
from typing import TypeGuard

from akgen.agents.requests.declarations import declarations
from akgen.agents.requests.formula import read_formula
from akgen.agents.requests.marks import words
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.trees import names_of, substituted
from akgen.knowledge.forms import form_named, forms
from akgen.knowledge.operators import find_operators, operator_named

_PAIR = 2
TENSORS = {
    "bias": ("bias", "b", "beta", "shift"), "偏置": ("bias", "b", "beta"),
    "residual": ("residual", "res", "r", "skip"), "残差": ("residual", "res", "r", "skip"),
    "mask": ("mask", "attn_mask", "added"), "掩码": ("mask", "attn_mask", "added"),
    "weight": ("weight", "w", "gamma", "scale"), "权重": ("weight", "w", "gamma"),
    "scale": ("scale", "s", "gamma"), "gamma": ("gamma", "weight"), "beta": ("beta", "bias"),
}  # fmt: skip


def edited_formula(text: str, known: Request) -> Request | None:
    """Return the known request, one formula, with the edit that a text is; None if it is none that fits."""
    step = _only(known)
    if step is None:
        return None
    for edit in (_exchanged, _dropped, _substituted, _added, _other_halves):
        if (changed := edit(text.strip(), step, known)) is not None:
            return changed
    return None


def _only(known: Request) -> ChainStep | None:
    if len(known.steps) != 1 or known.steps[0].formula is None or known.source is not None:
        return None
    return known.steps[0]


def _tree(step: ChainStep) -> ast.expr:
    return ast.parse(step.formula or "0", mode="eval").body


def _operator(name: str) -> str | None:
    name = re.sub(r"\A(?:an?|the) ", "", name.strip().lower())
    named = find_operators(name)
    return named[0].operator if len(named) == 1 and (named[0].begin, named[0].end) == (0, len(name)) else None


def _calls(tree: ast.expr, operator: str) -> list[ast.Call]:
    """Return the calls of an operator, by any of its names."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            entry = operator_named(ast.unparse(node.func).rpartition(".")[2])
            if entry is not None and entry.name == operator:
                found.append(node)
    return found


def _with(step: ChainStep, tree: ast.expr, known: Request) -> Request | None:
    """Return the known request with another formula, without the tensors that it has no more."""
    names = set(names_of(tree))
    kept = [i for i, name in enumerate(step.variables) if name in names]
    variables = tuple(step.variables[i] for i in kept)
    if not kept or names - {*variables}:
        return None
    shapes = tuple(
        tuple(case[i] for i in kept) if len(case) == len(step.variables) else case for case in known.shapes
    )
    holds = {name: held for name, held in step.holds.items() if name in variables}
    formula = ast.unparse(ast.fix_missing_locations(tree))
    fresh = step.model_copy(update={"formula": formula, "variables": variables, "holds": holds})
    return known.model_copy(update={"steps": (fresh,), "shapes": shapes})


def _exchanged(text: str, step: ChainStep, known: Request) -> Request | None:
    match = re.compile(words()["edits"]["exchange"], re.I).fullmatch(text)
    if match is None:
        return None
    said = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    old, tree = _operator(said["old"]), _tree(step)
    found = _calls(tree, old) if old is not None else []
    return _in_place(found[0], said["new"], step, tree, known) if len(found) == 1 else None


def _in_place(node: ast.Call, name: str, step: ChainStep, tree: ast.expr, known: Request) -> Request | None:
    """Return the known request with another operator called in the place of one."""
    new = _operator(name)
    old = operator_named(ast.unparse(node.func).rpartition(".")[2])
    entry = operator_named(new) if new is not None else None
    called = read_formula(f"{new}(x)") if entry is not None and entry.source is None else None
    body = ast.parse(called.formula, mode="eval").body if called is not None and called.formula else None
    if old is None or entry is None or len(node.args) != 1:
        return None
    if node.keywords and old.category != entry.category:
        return None
    if not isinstance(body, ast.Call) or len(body.args) != 1 or ast.unparse(body.args[0]) != "x":
        return None
    node.func, node.keywords = body.func, node.keywords or body.keywords
    return _with(step, tree, known)


def of_its_kind(name: str, known: Request) -> Request | None:
    """Return a formula of several operators with the only one of a kind exchanged: "make it log_softmax"."""
    step, entry = _only(known), operator_named(_operator(name) or "")
    if step is None or entry is None or entry.category not in ("activation", "softmax", "reduction"):
        return None
    tree = _tree(step)
    operations = [n for n in ast.walk(tree) if isinstance(n, ast.BinOp | ast.Call)]
    alike = [
        n
        for n in operations
        if isinstance(n, ast.Call)
        and (other := operator_named(ast.unparse(n.func).rpartition(".")[2])) is not None
        and (
            other.category == entry.category
            or {other.category, entry.category} <= {"activation", "elementwise"}
        )
    ]
    if len(operations) == 1 or len(alike) != 1:
        return None
    return _in_place(alike[0], name, step, tree, known)


def _dropped(text: str, step: ChainStep, known: Request) -> Request | None:
    match = re.compile(words()["edits"]["drop"], re.I).fullmatch(text)
    if match is None:
        return None
    name = next(g for g in match.groups() if g).strip().lower()
    name, tree = re.sub(r"\A(?:an?|the) | (?:term|vector|tensor|input)\Z", "", name), _tree(step)
    variables = [v for v in (name, *TENSORS.get(name, ())) if v in step.variables]
    if variables:
        return _without_variable(variables[0], step, tree, known)
    operator = _operator(name)
    found = _calls(tree, operator) if operator is not None else []
    if len(found) != 1 or len(found[0].args) != 1 or found[0].keywords:
        return None
    if isinstance(found[0].args[0], ast.Name) and found[0] is tree:
        return None  # nothing would be left
    return _with(step, _replaced(tree, found[0], found[0].args[0]), known)


def _without_variable(name: str, step: ChainStep, tree: ast.expr, known: Request) -> Request | None:
    """Leave out a tensor that is added, or that scales, or that a function may do without."""
    if sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree)) != 1:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            left, right = (isinstance(n, ast.Name) and n.id == name for n in (node.left, node.right))
            if right or (left and not isinstance(node.op, ast.Sub)):
                return _with(step, _replaced(tree, node, node.left if right else node.right), known)
        if isinstance(node, ast.Call):
            given = next((k for k in node.keywords if name in names_of(k.value)), None)
            if given is not None and (less := _form_without(node, given)) is not None:
                node.func, node.keywords = less.func, less.keywords
                return _with(step, tree, known)
            if given is not None and given.arg in _optional(node):
                node.keywords.remove(given)
                return _with(step, tree, known)
            last = node.args[-1:]
            if last and isinstance(last[0], ast.Name) and last[0].id == name and len(node.args) > _PAIR:
                if ast.unparse(node.func).rpartition(".")[2] not in _BIASED or node.keywords:
                    return None
                node.args.pop()
                return _with(step, tree, known)
    return None


def _other_halves(text: str, step: ChainStep, known: Request) -> Request | None:
    """Exchange the two halves of a tensor that is cut in two: "sorry, wrong half", "反了"."""
    if re.compile(words()["edits"]["swapped"], re.I).fullmatch(text) is None:
        return None
    tree = _tree(step)
    halves = [n for n in ast.walk(tree) if _is_half(n)]
    if (
        len({ast.unparse(n.value) for n in halves}) != 1
        or len({ast.unparse(n.slice) for n in halves}) != _PAIR
    ):
        return None
    for half in halves:
        half.slice = ast.Constant(1 - ast.literal_eval(half.slice))
    return _with(step, tree, known)


def _is_half(node: ast.AST) -> TypeGuard[ast.Subscript]:
    """Say whether a part of a formula is one of two chunks: "torch.chunk(x, 2, dim=-1)[0]"."""
    return (
        isinstance(node, ast.Subscript)
        and ast.unparse(node.slice) in ("0", "1")
        and re.match(r"torch\.chunk\(\w+, 2(?:,|\))", ast.unparse(node.value)) is not None
    )


_BIASED = ("linear", "layer_norm", "conv1d", "conv2d", "conv3d")


def _form_without(node: ast.Call, given: ast.keyword) -> ast.Call | None:
    """Return the call of another form of the same operator that takes all tensors but one."""
    form = form_named(ast.unparse(node.func))
    slots = {s.name for s in form.slots} if form is not None else set()
    kept = [k for k in node.keywords if k is not given]
    tensors = {k.arg for k in kept} & slots
    for other in forms() if form is not None and given.arg in slots else ():
        told = {k.arg for k in kept} - slots <= {*other.attributes}
        if other.operators == form.operators and {s.name for s in other.slots} == tensors and told:  # type: ignore[union-attr]
            return ast.Call(ast.Name(other.name), [], kept)
    return None


def _optional(node: ast.Call) -> tuple[str, ...]:
    form = form_named(ast.unparse(node.func))
    return (
        ("bias", "weight", "attn_mask") if form is None else tuple(s.name for s in form.slots if s.optional)
    )


def _replaced(tree: ast.expr, node: ast.AST, value: ast.expr) -> ast.expr:
    class PutAt(ast.NodeTransformer):
        def visit(self, at: ast.AST) -> ast.AST:
            return value if at is node else self.generic_visit(at)

    changed = PutAt().visit(tree)
    assert isinstance(changed, ast.expr)
    return changed


def _substituted(text: str, step: ChainStep, known: Request) -> Request | None:
    """Write an expression of a tensor in its place, "weight 改成 (1 + weight)", "use 1 + w instead of w"."""
    match = re.compile(words()["edits"]["expression"], re.I).fullmatch(text)
    if match is None:
        return None
    said = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    names = [v for v in (said["old"].lower(), *TENSORS.get(said["old"].lower(), ())) if v in step.variables]
    try:
        new = ast.parse(said["new"].strip().lower(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    inside = names_of(new)
    if (
        len(names) < 1
        or isinstance(new, ast.Name | ast.Constant)
        or inside not in ([said["old"].lower()], names[:1])
    ):
        return None
    if any(isinstance(n, ast.Call) for n in ast.walk(new)):
        return None
    new = substituted(new, {inside[0]: ast.Name(names[0], ast.Load())})
    return _with(step, substituted(_tree(step), {names[0]: new}), known)


def _added(text: str, step: ChainStep, known: Request) -> Request | None:
    """Add, or multiply by, a tensor of its own that is told with its shape: "add a residual r [8, 16] at the end"."""
    match = re.compile(words()["edits"]["operand"], re.I).fullmatch(text)
    if match is None or len(known.shapes) != 1 or len(known.shapes[0]) != len(step.variables):
        return None
    said = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    found = declarations(said["tensor"], (re.match(r"[a-z]\w*", said["tensor"].lower())[0],))  # type: ignore[index]
    if found is None or len(found.tensors) != 1 or found.rest.strip(" ,.;，。；的"):
        return None
    (tensor,) = found.tensors
    if tensor.name in step.variables or tensor.shape is None or tensor.dtype not in (None, *known.dtypes):
        return None
    sign = "*" if re.search(r"mul|scale|乘", said["verb"], re.I) else "+"
    if isinstance(_tree(step), ast.Tuple):
        return None
    fresh = step.model_copy(
        update={
            "formula": f"({step.formula}) {sign} {tensor.name}",
            "variables": (*step.variables, tensor.name),
        }
    )
    return known.model_copy(update={"steps": (fresh,), "shapes": ((*known.shapes[0], tensor.shape),)})
