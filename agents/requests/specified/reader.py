"""Read a text that lays an operator out: tensors with shapes and types, statements, results; every word is used.

"RmsNorm: x fp16 [512, 64], g fp16 [64]; r = 1 / sqrt(mean(x^2, -1) + 1e-6); y = x * r * g; return y, r" becomes a
function of PyTorch. Where a word is left that is not known to say nothing, or the tensors fit in no way or several, it
is not read so, and whoever read it first asks.
"""

import ast
import re
from collections.abc import Mapping, Sequence

from akgen.agents.requests import sizes
from akgen.agents.requests.asides import without_asides
from akgen.agents.requests.marks import words
from akgen.agents.requests.request import Request
from akgen.agents.requests.signs import NORMS, with_affine
from akgen.agents.requests.specified.built import request_of
from akgen.agents.requests.specified.inputs import take_promises, take_remarks_on, with_types
from akgen.agents.requests.specified.layout import SpecifiedText
from akgen.agents.requests.specified.leftover import nothing_left
from akgen.agents.requests.specified.program import (
    GivenTensor,
    MadeFunction,
    free_names,
    keeps_matter,
    open_in,
    ordered,
    written,
)
from akgen.agents.requests.specified.results import Wanted, told_results
from akgen.agents.requests.specified.statements import RESULT, ToldStatement, told_statements
from akgen.agents.requests.specified.tensors import SpecifiedTensor, told_tensors
from akgen.agents.requests.wishes import take_wishes
from akgen.knowledge.operators import operator_named

_SCALAR = re.compile(
    r"(?<![a-z])(?:loss|nll|error|mse|mae|scalar|total|distance)(?![a-z])|损失|误差|标量|总和", re.I
)
_OWN_WEIGHTS = {"gamma", "weight", "w", "g"}  # what a norm is multiplied by that has none inside
_BEYOND_REASON = re.compile(r"\d{20}|[-+~(\[{√|]{40}")
_LONGEST = 6000
_KEPT = re.compile(r"keep[ _]?dims?(?:=True)?|keeping the dim", re.I)


def specified_request(said: str) -> Request | None:
    """Return the request of a text that lays out its tensors, statements and results; None if it is not all read."""
    if len(said) > _LONGEST or _BEYOND_REASON.search(said):
        return None
    read = (_read(text) for text in dict.fromkeys((said, without_asides(said))))
    return next((request for request in read if request is not None), None)


def _read(said: str) -> Request | None:
    layout = SpecifiedText(said)
    if not layout.aligned:
        return None
    tensors = told_tensors(layout)
    tensors = [t for t in tensors if not _is_function(layout, t)]
    statements = told_statements(layout, {t.name for t in tensors if t.shape is not None})
    if not statements:
        return None
    spans = [(s.begin, s.end) for s in statements]
    tensors = [t for t in tensors if not any(b <= t.begin < e for b, e in spans)]
    assigned = {n for s in statements for n in s.names}
    tensors = _without_titles(tensors, assigned | {n for s in statements for n in free_names(s.tree)})
    first = min([*(t.begin for t in tensors), *(m.begin for m in layout.marked.marks)])
    declared = _declared(tensors, assigned, statements)
    if declared is None:
        return None
    if any(n not in assigned and n not in declared for s in statements for n in free_names(s.tree)):
        return None
    statements = ordered(statements, declared)
    take_remarks_on(layout, [t for t in tensors if t.name in declared])
    if _are_lengths(layout, statements, declared):
        return None
    wanted = told_results(layout, statements, tensors, set(declared))
    if wanted is None:
        return None
    if any(w.dtype is not None for w in wanted) and assigned <= {RESULT}:
        return None  # the type of an expression's result: of what it computes, or what that becomes?
    for tensor in tensors:
        said_of = tensor.shape is not None or tensor.name in declared or tensor.name in assigned
        if said_of and layout.free(tensor.begin, tensor.begin + len(tensor.name)):
            layout.take(tensor.begin, tensor.end)
    ranges = take_promises(layout, [t for t in tensors if t.name in declared])
    statements = _with_affine(statements, declared, wanted)
    if not _all_used(declared, statements, wanted) or _may_have_weights(layout, statements):
        return None
    kept = take_wishes(layout.marked)
    typed = with_types(layout, declared, {w.dtype for w in wanted})
    if typed is None:
        return None
    given, assumed = typed
    made = _made(layout, statements, wanted, given)
    if made is None or not nothing_left(layout, first, statements, wanted, made, given):
        return None
    request = request_of(made, given, ranges, assumed=assumed)
    return request and request.model_copy(update={"dynamic": kept.dynamic, "knobs": kept.knobs})


def _is_function(layout: SpecifiedText, tensor: SpecifiedTensor) -> bool:
    """Say whether a name before brackets is called: "reshape(4, 128)"."""
    behind = layout.text[tensor.begin + len(tensor.name) :]
    return behind.startswith("(") and operator_named(tensor.name) is not None


def _without_titles(tensors: Sequence[SpecifiedTensor], used: set[str]) -> list[SpecifiedTensor]:
    """Drop names that no statement has and that stand before those that one has: "AddNorm, x [8, 4]"."""
    return [
        t
        for t in tensors
        if t.name in used or not any(o.end == t.end and o.begin > t.begin and o.name in used for o in tensors)
    ]


def _declared(
    tensors: Sequence[SpecifiedTensor], assigned: set[str], statements: Sequence[ToldStatement]
) -> dict[str, SpecifiedTensor] | None:
    """Return the inputs by name, in order; None where one has two shapes or types, or is not told."""
    found: dict[str, SpecifiedTensor] = {}
    taken: set[str] = set()
    known: set[str] = set()
    for statement in ordered(statements, {t.name: t for t in tensors if t.shape and t.name not in assigned}):
        taken |= free_names(statement.tree) - known
        known |= {*statement.names}
    for tensor in tensors:
        if tensor.name in assigned and tensor.name not in taken:
            continue
        before = found.get(tensor.name)
        if before is not None and tensor.name in assigned:
            continue  # its new value, said of the results
        for one, other in ((before.shape, tensor.shape), (before.dtype, tensor.dtype)) if before else ():
            if one is not None and other is not None and one != other:
                return None
        found[tensor.name] = (
            tensor
            if before is None
            else tensor._replace(shape=before.shape or tensor.shape, dtype=before.dtype or tensor.dtype)
        )
    found = {n: t for n, t in found.items() if t.shape is not None or n in taken}
    if not taken - known <= found.keys() or any(t.shape is None for t in found.values()):
        return None
    return found


def _with_affine(
    statements: Sequence[ToldStatement], declared: Mapping[str, SpecifiedTensor], wanted: Sequence[Wanted]
) -> list[ToldStatement]:
    """Give the only norm the weights that are declared and used nowhere else."""
    used = {n for s in statements for n in free_names(s.tree)} | {
        n for w in wanted for n in free_names(w.tree)
    }
    free = {n: t.shape for n, t in declared.items() if n not in used and t.shape is not None}
    norms = [s for s in statements if "_norm(" in ast.unparse(s.tree)]
    if len(norms) != 1 or not free:
        return list(statements)
    return [s._replace(tree=with_affine(s.tree, free)) if s is norms[0] else s for s in statements]


def _are_lengths(
    layout: SpecifiedText, statements: Sequence[ToldStatement], declared: Mapping[str, SpecifiedTensor]
) -> bool:
    """Say whether a number that was put in for a name may be its length: "relu(x @ w + bias), bias is 1024"."""
    sizes = {str(n) for t in declared.values() for n in t.shape or ()}
    for statement in statements:
        value = ast.unparse(statement.tree)
        if statement.begin < 0 and value in sizes and value != "1":
            name = statement.names[0]
            plainly = re.search(rf"(?<![A-Za-z0-9_]){name} ?= ?{value}", layout.text)
            if plainly is None or name.lower() in {*_OWN_WEIGHTS, "bias", "b"}:
                return True
    return False


def _may_have_weights(layout: SpecifiedText, statements: Sequence[ToldStatement]) -> bool:
    """Say whether a norm has no weights, where neither words nor a factor beside it say that it has none of its own."""
    if layout.marked.take(re.compile(words()["told"]["plain norm"]), "label"):
        return False
    for statement in statements:
        calls = [
            n for n in ast.walk(statement.tree) if isinstance(n, ast.Call) and "_norm" in ast.unparse(n.func)
        ]
        bare = [
            n for n in calls if ast.unparse(n.func) in NORMS.values() and len(n.args) == len(("x", "shape"))
        ]
        factors = {n.id for n in ast.walk(statement.tree) if isinstance(n, ast.Name)} & _OWN_WEIGHTS
        if bare and not factors:
            return True
    return False


def _all_used(
    declared: Mapping[str, SpecifiedTensor], statements: Sequence[ToldStatement], wanted: Sequence[Wanted]
) -> bool:
    """Say whether every input is taken by an expression, and every value by another one or as a result."""
    bare = {w.tree.id for w in wanted if isinstance(w.tree, ast.Name)}
    results = {n for w in wanted for n in free_names(w.tree)}
    inside = {n for s in statements for n in free_names(s.tree)}
    taken = inside | results
    last = {n for s in statements for n in s.names}
    return declared.keys() <= inside | (results - bare) and all(
        n in taken for n in last if not n.startswith("_")
    )


def _made(
    layout: SpecifiedText, statements: list[ToldStatement], wanted: list[Wanted], given: list[GivenTensor]
) -> MadeFunction | None:
    """Write the function with the axis that the words say, where reductions or softmax leave it open."""
    trees = [*(s.tree for s in statements), *(w.tree for w in wanted)]
    opened = [n for t in trees for n in open_in(t) if not any(k.arg == "dim" for k in n.keywords)]
    sizes.take_axes(layout.marked)
    axes = list(dict.fromkeys(m.value for m in layout.marked.marks if m.kind == "axis"))
    keep = any(True for _ in layout.matches(_KEPT))
    for match in layout.matches(_KEPT):
        layout.take(*match.span())
    rank = max((len(t.shape) for t in given), default=0)
    if keeps_matter(statements, given):
        return None
    if not opened:
        return written(statements, wanted, given) if _said_in_code(axes, trees, rank) else None
    if axes == ["all"] or (not axes and _SCALAR.search(layout.text)):
        whole = written(statements, wanted, given)
        if whole is not None and (axes or all(not shape for shape, _ in whole.results)):
            return whole
    if len(axes) > 1 or any(not isinstance(a, int) for a in axes):
        return None
    around = [n for n in opened if any(o is not n and any(o is m for m in ast.walk(n)) for o in opened)]
    if axes and around:
        if not _SCALAR.search(layout.text):
            return None  # the axis of which of them?
        for node in around:
            node.keywords.append(ast.keyword("dim", ast.Constant(None)))
        opened = [n for n in opened if not any(n is o for o in around)]
    ways = axes or [None, *range(-rank, 0)]
    if not axes and not all(w.shape is not None for w in wanted):
        return None
    found: list[MadeFunction] = []
    for axis in ways:
        for node in opened:
            node.keywords = [k for k in node.keywords if k.arg not in ("dim", "keepdim")]
            if axis is not None:
                node.keywords += [
                    ast.keyword("dim", ast.Constant(axis)),
                    ast.keyword("keepdim", ast.Constant(True)),
                ]
        made = written(statements, wanted, given, () if axis is None or keep else (axis,))
        found += [made] if made is not None else []
    return found[0] if len(found) == 1 else None


def _said_in_code(axes: Sequence[object], trees: Sequence[ast.expr], rank: int) -> bool:
    """Say whether axes that words name are those that the statements name."""
    said = {_literal(k.value) for t in trees for n in ast.walk(t) if isinstance(n, ast.Call) for k in n.keywords
            if k.arg == "dim"}  # fmt: skip
    inside = {a % rank for a in said if isinstance(a, int) and rank}
    norms = any("_norm(" in ast.unparse(t) for t in trees)
    return all(
        isinstance(a, int) and rank and (a % rank in inside or (norms and a % rank == rank - 1)) for a in axes
    )


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None
