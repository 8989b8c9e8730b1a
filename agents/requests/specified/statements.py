"""Find the statements of a specification, "q = clamp(round(x / s), -128, 127)", among words."""

import ast
import re
from collections.abc import Mapping, Set
from typing import NamedTuple

from akgen.agents.requests.marks import words
from akgen.agents.requests.specified.expressions import NotSpecified, expression_in
from akgen.agents.requests.specified.layout import SpecifiedText
from akgen.agents.requests.specified.tensors import NAME
from akgen.agents.requests.trees import names_of

_LEFT = re.compile(rf"(?P<names>{NAME}(?: ?, ?{NAME})*) ?(?P<sign>[-+*/]?)(?:=|:=|←)(?![=])\s*")
_BOUND = re.compile(
    rf"(?P<name>{NAME})(?: ?\([A-Za-z ]{{2,16}}\))? ?(?:=|:|is|of|为|取|是)? ?"
    r"(?P<value>-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)(?![\w]|\.\d| ?[x*/+^@%] ?[\w(]| ?, ?\d+ ?[\])])"
)
_ENDS = re.compile(
    r"[\n;；。]|[,，](?!\d)|\.(?=\s|\Z)|\s*(?:->|→|=>)|\s+(?=[A-Za-z(（\[])"
    r"|\s*(?=[\u4e00-\u9fff（])|(?<=[\w)\]]) ?(?=\()|\Z"
)
_FOLLOWS = re.compile(r"\s*(?:[+*/@^%<>&|\[]|\.(?=\w)|-(?!>)|=(?!>)|\*\*)")
_BEGINS = re.compile(r"\A|[\n;；。:：,，]\s*|\.\s+|(?<![A-Za-z])(?:and|both)\s+|[和与]\s*")
_OF_WINDOWS = ("stride", "padding", "dilation", "groups")
_AXES = ("dim", "axis", "keepdim")
RESULT = "result"
_ORDER = r"先 ?{0} ?[,，]? ?[再后]出? ?{1}|{0} (?:comes |goes )?first(?:,? (?:and )?then {1})?(?: second)?"
_SIGNS = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div}
_SPREADS = re.compile(r"(?:torch\.)?(?:[A-Za-z_]\w*\.)?(?:chunk|split|unbind|topk|sort|var_mean)\(")


class _Left(NamedTuple):
    """What stands on the left of a sign: names, and how their value changes."""

    names: tuple[str, ...]
    sign: str
    begin: int
    end: int


class ToldStatement(NamedTuple):
    """Names that get the value of an expression."""

    names: tuple[str, ...]
    tree: ast.expr
    begin: int
    end: int


def told_statements(layout: SpecifiedText, tensors: Set[str]) -> list[ToldStatement] | None:
    """Return the statements of a text, which are marked; None where one of them cannot be read."""
    lefts = _lefts(layout)
    numbers = _numbers(layout, {*tensors, *(n for left in lefts for n in left.names)})
    if not lefts:
        return _alone(layout, tensors, numbers)
    if any(m[1] in tensors for m in re.finditer(r"(?<!\be)(?<!\be )\^ ?([A-Za-z_]\w*)", layout.text)):
        return None  # a power, or exclusive or?
    known = {*tensors, *numbers, *(n for left in lefts for n in left.names)}
    found: list[ToldStatement] = []
    for at, left in enumerate(lefts):
        limit = lefts[at + 1].begin if at + 1 < len(lefts) else len(layout.text)
        read = _value(layout, left.end, limit, known) if limit >= left.end else None
        if read is None:
            return None
        tree, end = read
        if left.sign:
            tree = ast.BinOp(ast.Name(left.names[0]), _SIGNS[left.sign](), tree)
        found.append(ToldStatement(left.names, ast.fix_missing_locations(tree), left.begin, end))
        layout.take(left.begin, end, "operator")
    return _with_numbers(layout, found, numbers)


def _alone(
    layout: SpecifiedText, tensors: Set[str], numbers: Mapping[str, re.Match[str]]
) -> list[ToldStatement] | None:
    """Return the only expression of a text that gives no name a value: "T=4. softmax(x / T) * T^2"."""
    found: list[ToldStatement] = []
    at = 0
    for match in _BEGINS.finditer(layout.text):
        begin = match.end()
        if begin < at or _depth(layout.text[:begin]):
            continue
        read = _value(layout, begin, len(layout.text), {*tensors, *numbers})
        if read is None or not isinstance(read[0], ast.BinOp | ast.Call) or not _takes(read[0], tensors):
            continue
        found.append(ToldStatement((RESULT,), ast.fix_missing_locations(read[0]), begin, read[1]))
        at = read[1]
    if len(found) > 1 and not _all_wanted(layout, found):
        return None
    if not found:
        return None
    found = [s._replace(names=(f"{RESULT}{i or ''}",)) for i, s in enumerate(found)]
    for statement in found:
        layout.take(statement.begin, statement.end, "operator")
    return _with_numbers(layout, found, numbers)


def _all_wanted(layout: SpecifiedText, found: list[ToldStatement]) -> bool:
    """Say whether a text wants what each of its expressions computes, in their order; what says so is marked."""
    wanted = layout.matches(re.compile(words()["both"]["wanted"]))
    calls = [ast.unparse(s.tree.func).rpartition(".")[2] for s in found if isinstance(s.tree, ast.Call)]
    if not wanted or len(calls) != len(found):
        return False
    order = layout.matches(re.compile(_ORDER.format(*calls), re.I)) if len(calls) == len("ab") else []
    if not order and layout.matches(re.compile("先|(?<![a-z])first(?![a-z])")):
        return False  # another order
    for match in (*wanted, *order):
        layout.take(*match.span())
    return True


def _depth(text: str) -> int:
    """Return how many brackets are open at the end of a text."""
    return sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")


def _takes(tree: ast.expr, tensors: Set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in tensors for n in ast.walk(tree))


def value_at(layout: SpecifiedText, begin: int, limit: int, known: Set[str]) -> tuple[ast.expr, int] | None:
    """Return the longest expression that begins at a place, a tuple too, and where it ends."""
    return _value(layout, begin, limit, known, several=True)


def _lefts(layout: SpecifiedText) -> list[_Left]:
    """Return where names get values; "(dim=1)" gives none, nor does "b1=0.9", which is a number, nor "y = [8, 4]"."""
    found: list[_Left] = []
    for match in layout.matches(_LEFT):
        before, behind = layout.text[: match.start()], layout.text[match.end() :]
        if before.count("(") > before.count(")") and _in_call(before):
            continue
        if re.match(r"(?:[\[(] ?\d+ ?[,\])]|\d+(?: ?x ?\d+)+(?!\w))", behind):
            continue  # a shape
        if re.match(
            r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?(?=\s*(?:[,，;；。)）\n]|\.(?:\s|\Z)|\Z|[\u4e00-\u9fff]"
            r"| (?:like|as|in|for|with|and|where|everywhere)(?![A-Za-z])))",
            behind,
        ):
            continue
        if re.search(r"\(\s*\Z", before) and re.match(r"[A-Za-z_]+(?: [A-Za-z_]+)+ ?\)", behind):
            continue  # "(y = softmax output)"
        names = tuple(re.findall(NAME, match["names"]))
        begin = match.start()
        if len(names) > 1 and not _SPREADS.match(behind):
            begin, names = match.start("names") + match["names"].rindex(names[-1]), names[-1:]
        found.append(_Left(names, match["sign"], begin, match.end()))
    return found


def _in_call(before: str) -> bool:
    """Say whether the bracket that is open belongs to a call: "sum(x, dim=1"."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        depth += (before[at] == ")") - (before[at] == "(")
        if depth < 0:
            return bool(re.search(r"[\w\])]\Z", before[:at]))
    return False


def _value(
    layout: SpecifiedText, begin: int, limit: int, known: Set[str], *, several: bool = False
) -> tuple[ast.expr, int] | None:
    ends = sorted(
        {m.start() for m in _ENDS.finditer(layout.text, begin, limit) if m.start() > begin} | {limit}
    )
    for end in reversed(ends):
        part = layout.text[begin:end].rstrip().rstrip(",;.，；。")
        if not part or _FOLLOWS.match(layout.text, begin + len(part)):
            continue
        try:
            tree = expression_in(part, known)
        except NotSpecified:
            continue
        if isinstance(tree, ast.Tuple) and not several:
            continue
        return tree, begin + len(part)
    return None


def _numbers(layout: SpecifiedText, others: Set[str]) -> dict[str, re.Match[str]]:
    """Return where the text gives names numbers: "alpha=0.3", "eps 1e-6"."""
    found: dict[str, re.Match[str]] = {}
    for match in layout.matches(_BOUND):
        if match["name"] not in others and match["name"] not in _AXES and match["name"] not in found:
            found[match["name"]] = match
    return found


def _with_numbers(
    layout: SpecifiedText, found: list[ToldStatement], numbers: Mapping[str, re.Match[str]]
) -> list[ToldStatement]:
    """Put the numbers that the statements take in front as statements, and give norms their eps."""
    used = {n for s in found for n in names_of(s.tree)}
    put: list[ToldStatement] = []
    for name, match in numbers.items():
        value = ast.parse(match["value"], mode="eval").body
        if not layout.free(*match.span()):
            continue
        if name in used:
            put.append(ToldStatement((name,), value, -1, -1))
            layout.take(*match.span(), "label")
        elif name.lower() in ("eps", "epsilon") and any("_norm(" in ast.unparse(s.tree) for s in found):
            for statement in found:
                _give_eps(statement.tree, value)
            layout.take(*match.span(), "label")
        elif name.lower() in _OF_WINDOWS and _give_windows(found, name.lower(), value):
            layout.take(*match.span(), "label")
    return [*put, *found]


def _give_windows(found: list[ToldStatement], name: str, value: ast.expr) -> bool:
    """Give all convolutions a stride, padding, dilation or groups that words say; say whether there are any."""
    calls = [
        n
        for s in found
        for n in ast.walk(s.tree)
        if isinstance(n, ast.Call) and re.search(r"functional\.conv(?:_transpose)?\dd\Z", ast.unparse(n.func))
    ]
    if not calls or any(name in {k.arg for k in n.keywords} for n in calls):
        return False
    for node in calls:
        node.keywords.append(ast.keyword(name, value))
    return True


def _give_eps(tree: ast.expr, eps: ast.expr) -> None:
    for node in ast.walk(tree):
        norm = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("layer_norm", "rms_norm"))
        if norm and isinstance(node, ast.Call) and "eps" not in {k.arg for k in node.keywords}:
            node.keywords.append(ast.keyword("eps", eps))
