"""Write modules that are only constructed as words: "nn.Linear(256, 512) followed by gelu", "nn.Sequential(...)".

Their arguments get PyTorch's names, so that they are read as any attribute is: "linear in_features=256
out_features=512". A module that is applied, to a tensor or by a name that it is given, is code.
"""

import ast
import re
from functools import cache

from akgen.knowledge.operators import Signature, operator_named, signatures
from akgen.tools.core.untrusted import read_python

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
