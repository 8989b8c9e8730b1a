"""Read calls that stand alone: functions without PyTorch's paths in an expression, "softmax(x)[:, 1]", and modules that
are only constructed, "nn.Linear(256, 512) followed by gelu", "nn.Sequential(...)".

An axis that words say beside an expression is that of the functions whose own is not written.
"""

import ast
import copy
import re
from functools import cache

from akgen.agents.requests import sizes
from akgen.agents.requests.formula import with_paths
from akgen.agents.requests.formula_axes import is_open
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.pasted.written_into import names_in
from akgen.knowledge.operators import Signature, operator_named, signatures
from akgen.tools.core.untrusted import read_python

PYTHONS = frozenset(("abs", "max", "min", "float", "int", "len", "range", "sum"))


class _WithoutIndices(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self.visit(node.value)  # type: ignore[no-any-return]


class BareCalls(ast.NodeTransformer):
    """Writes paths; `unknown` are names of functions that nothing is known of, `along` nodes without an axis."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.along: list[ast.Call] = []

    def visit_Call(self, node: ast.Call) -> ast.expr:
        said = {k.arg for k in node.keywords}
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        try:
            found = with_paths(node)
        except LookupError:
            if node.func.id not in PYTHONS:
                self.unknown.append(node.func.id)
            return node
        if isinstance(found, ast.Call):
            named = {k.arg for k in found.keywords}
            if len(node.args) == 1 and not {"dim", "axis"} & said and ("dim" in named or is_open(found)):
                self.along.append(found)
        return found


def with_axis(expression: ast.expr, words: str) -> tuple[ast.expr, str] | None:
    """Return an expression with PyTorch's paths and the words without its axis; None where a function is not known,
    or reduces along an axis that nobody says.
    """
    inside = {n.id for s in ast.walk(expression) if isinstance(s, ast.Subscript) for n in names_in(s.slice)}
    outside = {n.id for n in names_in(_WithoutIndices().visit(copy.deepcopy(expression)))}
    if any(len(name) == 1 for name in inside - outside):
        return None  # "a[i, k] * b[k, j]" is a loop's body
    calls = BareCalls()
    tree = calls.visit(expression)
    if calls.unknown:
        return None
    text = MarkedText(words)
    sizes.take_axes(text)
    axes = [m for m in text.sorted() if m.kind == "axis"]
    if len({repr(m.value) for m in axes}) == 1 and calls.along and isinstance(axes[0].value, int | tuple):
        for node in calls.along:
            node.keywords = [k for k in node.keywords if k.arg != "dim"]
            node.keywords.append(ast.keyword("dim", ast.parse(repr(axes[0].value), mode="eval").body))
            path = ast.unparse(node.func)
            if path in ("torch.max", "torch.min"):
                node.func = ast.parse(path.replace("torch.m", "torch.am"), mode="eval").body
        words = text.text
        for mark in axes:
            words = words[: mark.begin] + " " * (mark.end - mark.begin) + words[mark.end :]
    if any(map(is_open, calls.along)):
        return None
    return ast.fix_missing_locations(tree), re.sub(r" {2,}", " ", words)


_BEGINS = re.compile(r"(?<![\w.])(?:(?:torch\.)?nn\.)?(?P<name>[A-Z][A-Za-z0-9]*)\(")
_OPTIONS = re.compile(
    r"(?<![\w.])(?:torch\.nn\.functional|F|torch)\.(?P<name>[a-z][a-z0-9_]*)\((?P<said>\s*\w+\s*=[^()]*)\)"
)
_LIKE = re.compile(r"(?:(?<![a-z])(?:like|as in|as|match(?:es|ing)?|to)|[和与跟同像]) *\Z", re.I)
_SIZES = {"num_channels": "{} channels", "num_features": "{} channels", "normalized_shape": "hidden {}"}
_LEFT_OUT = {("inplace", "True"), ("inplace", "False"), ("bias", "True"), ("affine", "True")}


def with_constructed(text: str) -> str:
    """Return the text with its constructed modules as words; as it is where one is applied, or not known."""
    text = _OPTIONS.sub(_optioned, text)
    parts, at = [], 0
    while (begin := _BEGINS.search(text, at)) is not None:
        end = _closed(text, begin.end())
        named = re.search(r"(?:=|return) *\Z", text[: begin.start()])
        words = (
            None
            if end is None or named or text[end : end + 1] in ("(", ".")
            else _words(text[begin.start() : end])
        )
        if words is None or end is None:
            if "nn." in begin[0]:
                return text
            parts.append(text[at : begin.end()])
            at = begin.end()
            continue
        if any(parts):  # of what it takes the channels of: they are the first one's
            words = re.sub(r" \d+ channels(?![a-z])| hidden \d+", "", words)
        parts += [text[at : begin.start()], f" {words} "]
        at = end
    return "".join(parts) + text[at:]


def _optioned(match: re.Match[str]) -> str:
    """Write a function that gets options and no tensor, F.interpolate(mode='nearest'), as words."""
    try:
        call = read_python(match[0]).body[0]
        assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
        said = [f"{k.arg}={ast.literal_eval(k.value)}" for k in call.value.keywords]
    except (SyntaxError, ValueError):
        return match[0]
    if operator_named(match["name"]) is None:
        return match[0]
    compared = "pytorch " if _LIKE.search(match.string[: match.start()]) else ""
    return " ".join([compared + match["name"].replace("_", " "), *said])


def _closed(text: str, at: int) -> int | None:
    """Return behind which place the parenthesis closes that stands open; None if it does not."""
    depth = 1
    for end in range(at, len(text)):
        depth += (text[end] in "([") - (text[end] in ")]")
        if depth == 0:
            return end + 1
    return None


def _words(code: str) -> str | None:
    try:
        tree = read_python(code.strip()).body[0]
    except (SyntaxError, IndexError):
        return None
    return _of_call(tree.value) if isinstance(tree, ast.Expr) else None


def _of_call(node: ast.expr) -> str | None:
    if not isinstance(node, ast.Call):
        return None
    name = ast.unparse(node.func).rpartition(".")[2]
    if name == "Sequential":
        inner = [_of_call(a) for a in node.args]
        first, *later = inner or [None]
        if first is None or not all(later) or node.keywords:
            return None
        return " then ".join(
            [first, *(re.sub(r" \d+ channels(?![a-z])| hidden \d+", "", w or "") for w in later)]
        )
    signature = _modules().get(name)
    if signature is None or operator_named(name) is None:
        return None
    said = _arguments(node, signature)
    return None if said is None else " ".join([re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(), *said])


@cache
def _modules() -> dict[str, Signature]:
    return {s.path.rpartition(".")[2]: s for s in signatures() if s.is_module}


def _arguments(node: ast.Call, signature: Signature) -> list[str] | None:
    """Return the arguments in words; None where one is not a constant, or has no name."""
    names = [p.name for p in signature.parameters]
    if len(node.args) > len(names):
        return None
    given = [*zip(names, node.args, strict=False), *((k.arg or "", k.value) for k in node.keywords)]
    said = []
    for name, value in given:
        try:
            number = ast.literal_eval(value)
        except ValueError:
            return None
        if name not in names:
            return None
        if (name, repr(number)) in _LEFT_OUT:
            continue
        if name in _SIZES:
            sizes = number if isinstance(number, tuple | list) else [number]
            if len(sizes) != 1:
                return None
            said.append(_SIZES[name].format(sizes[0]))
        else:
            said.append(f"{name}={number}")
    return said
