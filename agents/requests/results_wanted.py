"""Read which results of a chain a text wants: "also return the sum", "归一化的结果和和都要返回".

A result is told by what makes it (the sum, the normed tensor, the softmax), by its expression (x + residual), by where
it stands (the pre-activation), or as the last one. A text that asks for two results is never built with one.
"""

import ast
import re
from functools import cache
from typing import Any, NamedTuple

from akgen.agents.requests.marks import words
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.signs import plain
from akgen.knowledge.operators import find_operators, operator_named

_ACTIVATIONS = ("activation", "softmax", "normalization")
_TWO = 2
_STOPS = " ,，.;；。"


class WantedResults(NamedTuple):
    """What a text says of its results, and the text without that."""

    rest: str
    said: str
    items: tuple[str, ...]
    beside: bool  # the items come beside the last result
    alone: bool = False  # the only item is the only result


_NOTHING = WantedResults("", "", (), beside=False)


def wanted_results(text: str) -> WantedResults | None:
    """Return which results a text wants where it asks for more than one; None where it does not."""
    lowered = plain(text).lower()
    if len(lowered) != len(text):
        return None
    for pattern, beside in _clauses():
        match = pattern.search(lowered)
        if match is None:
            continue
        said = next(s for name, s in match.groupdict().items() if name.startswith("items") and s)
        items = _listed(said)
        if not items or (len(items) < _TWO and not beside):
            continue
        rest = f"{text[: match.start()]} {text[match.end() :]}"
        return WantedResults(rest, text[match.start() : match.end()].strip(_STOPS), items, beside)
    if (match := _only().search(lowered)) is not None:
        said = next(s for s in (match["items"], match["items_zh"]) if s)
        rest = f"{text[: match.start()]} {text[match.end() :]}"
        return WantedResults(rest, match[0].strip(_STOPS), (said,), beside=False, alone=True)
    counted = re.search(words()["results"]["counted"], lowered)
    return WantedResults("", counted[0], (), beside=False) if counted is not None else None


def with_results(request: Request, wanted: WantedResults) -> Request | None:
    """Return a chain that returns what is wanted, in that order; None where it is not clear which steps are meant."""
    if request.source is not None or len(request.steps) < _TWO or request.every_result:
        return None
    if wanted.alone:
        return request if _place(wanted.items[0], request.steps) == len(request.steps) - 1 else None
    places = [_place(item, request.steps) for item in wanted.items]
    if not places or any(p is None for p in places):
        return None
    found = [p for p in places if p is not None]
    last = len(request.steps) - 1
    found = [last, *(p for p in found if p != last)] if wanted.beside else found
    if len(found) < _TWO or len({*found}) < len(found) or last not in found:
        return None
    if not all(_returns_one(request.model_copy(update={"steps": request.steps[: p + 1]})) for p in found):
        return None
    return request.model_copy(update={"returned": tuple(found)})


def computed_of_results(text: str, request: Request) -> str | None:
    """Return a list of results of which a word became the last step; None where it did not, or several are built.

    "Return the normed one and the sum" does not add anything up.
    """
    if request.source is not None or len(request.steps) < _TWO or returns_as_many(request, _NOTHING):
        return None
    last = request.steps[-1].operator
    for match in re.finditer(words()["results"]["listed"], plain(text).lower()):
        if any(n.operator == last for n in find_operators(match[0])):
            return match[0].strip(_STOPS)
    return None


def returns_as_many(request: Request, wanted: WantedResults) -> bool:
    """Say whether what would be built may return as many tensors as a text wants."""
    if wanted.alone:
        return not request.every_result and not request.returned
    if request.every_result and len(wanted.items) > 1:
        return len(request.steps) == len(wanted.items)
    return request.every_result or bool(request.returned) or not _returns_one(request)


def _returns_one(request: Request) -> bool:
    """Say whether what would be built returns one tensor."""
    if request.source is not None:
        body = ast.parse(request.source.text)
        returned = [n.value for n in ast.walk(body) if isinstance(n, ast.Return)]
        return request.source.name == "specified" and not any(isinstance(v, ast.Tuple) for v in returned)
    if not request.steps:
        return False
    step = request.steps[-1]
    if step.formula is not None:
        tree = ast.parse(step.formula, mode="eval").body
        called = ast.unparse(tree.func).rpartition(".")[2] if isinstance(tree, ast.Call) else ""
        return not isinstance(tree, ast.Tuple) and called not in _several()
    entry = entry_of(step)
    several = entry.source is not None and re.search(r"return \(|return [^\n(]*,", entry.source) is not None
    kinds = ("sort", "optimizer", "quantization", "recurrent")
    return not several and entry.category not in kinds and entry.name not in _several()


def _place(item: str, steps: tuple[ChainStep, ...]) -> int | None:
    """Return the step whose result is meant; None where it is none or one of several."""
    said = words()["results"]
    for name in ("before", "last", "normed", "summed"):
        match = re.fullmatch(said[name], item)
        if match is None:
            continue
        if name == "last":
            return len(steps) - 1
        if name == "before":
            return _before(next((s for s in match.groups() if s), ""), steps)
        kinds = [_is_sum(s) if name == "summed" else _category(s) == "normalization" for s in steps]
        if name == "summed" and "sum" in {s.operator for s in steps}:
            return None
        return kinds.index(True) if kinds.count(True) == 1 else None
    expression = _as_expression(item)
    for at, step in enumerate(steps):
        if expression is not None and step.formula is not None and _as_expression(step.formula) == expression:
            return at
    if expression is not None and isinstance(expression[0], str) and expression[0] == "+":
        sums = [at for at, s in enumerate(steps) if s.operator == "add" and s.formula is None]
        return sums[0] if len(sums) == 1 else None
    named = {n.operator for n in find_operators(item)}
    left = re.sub(
        said["nouns"],
        " ",
        re.sub("|".join(re.escape(item[n.begin : n.end]) for n in find_operators(item)) or "(?!)", " ", item),
    )
    meant = [at for at, s in enumerate(steps) if s.operator in named]
    return meant[0] if len(meant) == 1 and len(named) == 1 and not left.strip() else None


def _before(what: str, steps: tuple[ChainStep, ...]) -> int | None:
    """Return what goes into the step that is named, or into the last one."""
    named = {n.operator for n in find_operators(what)}
    if re.fullmatch(r"norm\w*|归一化", what):
        meant = [at for at, s in enumerate(steps) if _category(s) == "normalization"]
    elif named:
        meant = [at for at, s in enumerate(steps) if s.operator in named]
    elif re.fullmatch(r"activat\w*|激活", what):
        meant = [at for at, s in enumerate(steps) if _category(s) in _ACTIVATIONS]
    else:
        meant = [len(steps) - 1]
    return meant[0] - 1 if len(meant) == 1 and meant[0] > 0 else None


def _category(step: ChainStep) -> str:
    entry = operator_named(step.operator) if step.formula is None else None
    return entry.category if entry is not None else ""


def _is_sum(step: ChainStep) -> bool:
    if step.formula is None:
        return step.operator == "add"
    tree = ast.parse(step.formula, mode="eval").body
    return isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add)


def _as_expression(text: str) -> tuple[object, ...] | None:
    """Return a sum or product of names without their order; None of anything else."""
    parts = re.fullmatch(r"(?:the )?(?:sum )?\(?\s*([a-z_]\w*) ?([+*]) ?([a-z_]\w*)\s*\)?", text.strip())
    return (parts[2], frozenset((parts[1], parts[3]))) if parts is not None else None


@cache
def _several() -> frozenset[str]:
    return frozenset(words()["results"]["several"].split())


@cache
def _joints() -> re.Pattern[str]:
    return re.compile(words()["results"]["joints"])


@cache
def _only() -> re.Pattern[str]:
    return re.compile(_filled(words()["results"]["only"], words()["results"]))


@cache
def _clauses() -> tuple[tuple[re.Pattern[str], bool], ...]:
    said = words()["results"]
    return tuple(
        (re.compile(_filled(clause, said)), kind == "beside")
        for kind in ("all", "beside")
        for clause in said[kind]
    )


def _filled(clause: str, said: dict[str, Any]) -> str:
    """Return a clause's pattern with that of the items put in."""
    listed = rf"{_item()}(?:{said['joints']}{_item()})*"
    close = rf"{_item()}(?:{said['close joints']}{_item()})*"
    return clause.replace("CLOSE", close).replace("ITEMS", listed).replace("ITEM", _item())


@cache
def _item() -> str:
    """Return the pattern of one result."""
    said = words()["results"]
    item: str = said["item"]
    for name in ("before", "last", "normed", "summed"):
        item = item.replace(name.upper(), re.sub(r"(?<!\\)\((?!\?)", "(?:", said[name]))
    return f"(?:{item})"


def _listed(said: str) -> tuple[str, ...]:
    """Return the results of a list."""
    found: list[str] = []
    at = 0
    item = re.compile(_item())
    while (match := item.match(said, at)) is not None:
        found.append(match[0].strip(" ()"))
        at = match.end()
        joint = _joints().match(said, at)
        if joint is None:
            break
        at = joint.end()
    if said[at:].strip():
        return tuple(s.strip(" ()") for s in _joints().split(said) if s.strip())
    return tuple(found)
