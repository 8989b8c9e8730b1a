"""Read a text without what only explains it: what it does not want, and what says again what an operator does.

"no gelu, conv only" wants a convolution, and a convolution is built of the rest: there is no gelu in it. "tril, zeros
above the diagonal" says what tril does. Such words are left out only where the rest is understood whole, what is denied
is nowhere in what would be built, and what is said again is.
"""

import ast
import re
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any, NamedTuple

from akgen.agents.requests.formula import operations_of
from akgen.agents.requests.parts import parts_of
from akgen.agents.requests.request import Request
from akgen.knowledge.operators import find_operators, operator_named

_RANK = re.compile(r"_?[123]d\Z")
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?")
_STOPS = r",，.;；。:：\n—–"
_BEGIN = (
    rf"(?:\A|(?<=[\sA-Za-z0-9])(?=不(?!带)|(?:without|w/o)(?![a-z]))|(?P<stop>[{_STOPS}(（])"
    r"|(?<![A-Za-z])(?P<joint>and|but|so|with|i\.e\.|means|meaning|that is))\s*"
)
_END = rf"(?P<close>\s*[)）])?(?=\s*(?:[{_STOPS}]|\Z|(?<=[)）])))"


class Shortened(NamedTuple):
    """A text without some of its words."""

    text: str
    denied: frozenset[str]  # operators that it does not want
    again: frozenset[str]  # operators of which it said again what they do
    alone: frozenset[str]  # the operator that it wants alone


def shortened(text: str) -> Shortened | None:
    """Return the text without what it denies or says again; None where there is nothing of the kind."""
    rest, denied, alone = _without_denied(text)
    rest, again = _without_said_again(rest)
    lost = [n for n in _NUMBER.findall(text) if n not in _NUMBER.findall(rest)]
    if lost or not (denied or again or alone):
        return None
    return Shortened(rest, frozenset(denied), frozenset(again), frozenset(alone))


def agrees(request: Request, less: Shortened) -> bool:
    """Say whether what would be built has nothing of what was denied, and all of what was said again."""
    built = _built(request)
    missing = [a for a in less.again if not any(re.search(rf"(?<![a-z])(?:{a})", b) for b in built)]
    steps = {_RANK.sub("", s.operator) for s in request.steps if s.formula is None}
    alone = not less.alone or (len(request.steps) == 1 and {_RANK.sub("", n) for n in less.alone} <= steps)
    shifted = any(s.attributes.get("diagonal") for s in request.steps)
    return not missing and alone and not shifted and not any(_is_in(name, built) for name in less.denied)


def _is_in(name: str, built: set[str]) -> bool:
    if name == "activation":
        return "activation" in {e.category for b in built if (e := operator_named(b)) is not None}
    if name == "mask":
        return any(re.search(r"mask|causal=True|tri[lu]|where", b) for b in built)
    return any(_RANK.sub("", name) == _RANK.sub("", b) or b.startswith(f"{name}_") for b in built)


def _built(request: Request) -> set[str]:
    """Return the operators that are built, with their parts and the words of their attributes."""
    found: set[str] = set()
    for step in request.steps:
        names = {step.operator} if step.formula is None else operations_of(step.formula)
        found |= names | {part for name in names for part in parts_of(name)}
        found |= {f"{k}={v}" for k, v in step.attributes.items()} | {
            *re.findall(r"\w+=\w+", step.formula or "")
        }
    if request.source is not None:
        for node in ast.walk(ast.parse(request.source.text)):
            if isinstance(node, ast.expr):
                found |= operations_of(ast.unparse(node)) if isinstance(node, ast.Call | ast.BinOp) else set()
    return found


def _without_denied(text: str) -> tuple[str, set[str], set[str]]:
    """Return the text without clauses that say what is not wanted: "no gelu", "dropout 不要", "plain iou not giou"."""
    denied: set[str] = set()
    alone: set[str] = set()

    def left(match: re.Match[str]) -> str:
        said = match.groupdict()
        parts = {
            kind: [v.lower() for k, v in said.items() if k.startswith(kind) and v]
            for kind in ("what", "only")
        }
        names = {kind: [_denied_names(part) for part in found] for kind, found in parts.items()}
        if not all(n for found in names.values() for n in found):
            return match[0]
        denied.update(*names["what"])
        alone.update(*names["only"])
        return " " if said.get("close") else f"{said.get('stop') or ''} "

    text, count = re.subn(_said()["idle"], " ", text, flags=re.I)
    denied |= {"dropout"} if count else set()
    for pattern in _denials():
        text = pattern.sub(left, text)
    return text, denied, alone


def _denied_names(what: str) -> set[str]:
    """Return the operators that a denial names, all of its words being their names; none of any other denial."""
    said = _said()
    named = find_operators(what)
    left = what
    for found in reversed(named):
        left = left[: found.begin] + " " + left[found.end :]
    extra = {name for name, words in said["other names"].items() if re.search(words, left)}
    for name in extra:
        left = re.sub(said["other names"][name], " ", left)
    left = re.sub(said["beside denied"], " ", left)
    names = {n.operator for n in named} | extra
    return names if names and not re.sub(r"[\s,，、/]", "", left) else set()


def _without_said_again(text: str) -> tuple[str, set[str]]:
    again: set[str] = set()
    for name, pattern in _agains():
        shorter, count = pattern.subn(lambda m: " " if m["close"] else f"{m['stop'] or ''} ", text)
        if count:
            again.add(name)
            text = shorter
    return text, again


@cache
def _said() -> dict[str, Any]:
    found: dict[str, Any] = loads(
        files("akgen.agents.requests").joinpath("explained.json").read_text("utf-8")
    )
    return found


@cache
def _denials() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"{_BEGIN}{d}{_END}", re.I) for d in _said()["denials"])


@cache
def _agains() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(f"{_BEGIN}(?:{'|'.join(phrases)}){_END}", re.I))
        for name, phrases in _said()["again"].items()
    )
