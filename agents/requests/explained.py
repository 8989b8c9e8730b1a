"""Read a text without what only explains it: what it does not want, and what says again what an operator does.

"no gelu, conv only" wants a convolution, and a convolution is built of the rest: there is no gelu in it. "tril, zeros
above the diagonal" says what tril does. Such words are left out only where the rest is understood whole, what is denied
is nowhere in what would be built, and what is said again is.

A heading in front of equations is read away too, "squared distances of x (8, 4), y (6, 4): d[i,j] = ...".
"""

import ast
import re
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any, NamedTuple

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.formula import operations_of
from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.parts import parts_of
from akgen.agents.requests.request import Request
from akgen.agents.requests.specified.layout import SpecifiedText, said_words
from akgen.agents.requests.specified.leftover import says_no_more
from akgen.agents.requests.specified.tensors import told_tensors
from akgen.knowledge.operators import find_operators, operator_named

_ATTRIBUTES = (  # that a denial may name beside operators
    "bias", "affine", "weight_decay", "momentum", "zero_point", "offsets", "label_smoothing", "nesterov", "dampening",
    "amsgrad", "eps", "keepdim", "padding", "track_running_stats",
)  # fmt: skip
_OFF = ("False", "None", "0", "0.0")
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
    return not missing and alone and not shifted and not any(_is_in(n, built, request) for n in less.denied)


def _is_in(name: str, built: set[str], request: Request) -> bool:
    if name == "backward":
        return False  # no gradient is ever built
    if name == "scale" and any("attention" in b for b in built):
        return "scale=1.0" not in built  # its default is another one
    if name in _ATTRIBUTES:
        return _is_on(name, built, request)
    if name == "activation":
        return "activation" in {e.category for b in built if (e := operator_named(b)) is not None}
    if name == "mask":
        return any(re.search(r"mask|causal=True|tri[lu]|where", b) for b in built)
    return any(_RANK.sub("", name) == _RANK.sub("", b) or b.startswith(f"{name}_") for b in built)


def _is_on(name: str, built: set[str], request: Request) -> bool:
    """Say whether an attribute is in what would be built: told, as a default, or as a tensor."""
    given = {v for s in request.steps for v in s.variables} | {
        *((request.source and request.source.arguments) or ())
    }
    if name in given or any(b.startswith(f"{name}=") and b.partition("=")[2] not in _OFF for b in built):
        return True
    if f"{name}=" in {b.partition("=")[0] + "=" for b in built}:
        return False
    entries = [
        e for s in request.steps if s.formula is None and (e := operator_named(s.operator)) is not None
    ]
    defaults = [p.default for e in entries if (p := parameters_of(e).get(name)) is not None]
    whole = name == "eps" and any("norm" in b or "similarity" in b for b in built - {e.name for e in entries})
    return whole or any(d is not None and d not in _OFF for d in defaults)


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


_HEADING = re.compile(
    r"\A(?P<title>[^=\n]{3,140}?)[:：]\s*(?P<rest>[A-Za-z_]\w*(?: ?\[[a-z, ]+\])? ?=(?!=).*)\Z", re.S
)


_FOR = re.compile(
    r"\A(?:this is |it is |it's )?for (?:our|my|the|an?|some) (?P<what>[A-Za-z -]{2,30}?)"
    r"(?: (?:thing|stuff|project|code|step|model))?[:：,，] *",
    re.I,
)


class Headed(NamedTuple):
    """A text whose tensors stand behind its equations, and what else the heading says."""

    text: str
    title: str


def headed(text: str) -> Headed | None:
    """Return a text without its heading; None where it has none."""
    reason = _FOR.match(text)
    if reason is not None and not find_operators(reason["what"]):
        text = text[reason.end() :]
    match = _HEADING.match(text)
    if match is None or re.search(r"[;；]|\.\s", match["title"]):
        return None
    layout = SpecifiedText(match["title"])
    tensors = [t for t in told_tensors(layout) if t.shape is not None]
    title = layout.text
    for tensor in reversed(tensors):
        title = f"{title[: tensor.begin]} {title[tensor.end :]}"
    declared = "".join(
        f", {t.name} {list(t.shape or ())}{f' {t.dtype.value}' if t.dtype else ''}" for t in tensors
    )
    return Headed(f"{match['rest'].rstrip(' .。')}{declared}", title)


def is_named_so(request: Request, title: str) -> bool:
    """Say whether a heading names nothing but what is built."""
    if request.source is not None:
        code = request.source.text.partition(":\n")[2]
    elif all(s.formula is not None for s in request.steps):
        code = "\n".join(f"y = {s.formula}" for s in request.steps)
    else:
        return False
    code = "\n".join(line.strip() for line in code.splitlines())
    one = [s for s in request.steps if s.formula is not None]
    formula = one[0].formula if len(request.steps) == 1 and one else None
    variables = one[0].variables if one else ()
    if not code or not _is_python(code) or not says_no_more(title, code, formula, tuple(variables)):
        return False
    return not _unknown(title)


def _unknown(title: str) -> list[str]:
    """Return the words of a heading that are no names and are not known to say nothing."""
    text = MarkedText(re.sub(said_words()["title nouns"], " ", title, flags=re.I))
    for named in find_operators(text.rest):
        text.mark(named.begin, named.end, "operator")
    said, told = words(), said_words()
    latin = sorted([*said["filler"], *told["filler"], *said["told"]["filler"]], key=len, reverse=True)
    chinese = sorted(
        [*said["filler_zh"], *told["filler_zh"], *said["told"]["filler_zh"]], key=len, reverse=True
    )
    stems = told["title tells"].split("|")
    text.take(re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, latin))})(?![a-z0-9_])"), "filler")
    text.take(re.compile("|".join(map(re.escape, chinese))), "filler")
    text.take(re.compile(rf"(?<![a-z])(?:{'|'.join(s for s in stems if s.isascii())})[a-z]*"), "filler")
    return text.left()


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True
