"""Read what stands between operators and what they take: numbers, biases, the first input, words that lead to one.

An operand may be computed of the value itself: "subtract the mean of each row", "multiply by its sigmoid". The
catalogue has the combinations of arithmetic with a reduction ("sub_own_mean"). What is left of such pairs, "add relu
and sigmoid", may mean the same input or another one, one operator in the other or both in turn: it is asked about.
"""

import itertools
import re

from akgen.agents.requests.attributes import plain_number
from akgen.agents.requests.described import takes_number
from akgen.agents.requests.formula import read_formula
from akgen.agents.requests.marks import Mark, MarkedText, words
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import OperatorEntry, operator_named

_OPERAND_NUMBER = re.compile(
    r"(?:\s+(?:the (?:tensor|input|outputs?|results?|matrix|vector)|it|x|everything|(?:each|every) element)(?=\s+by))?"
    r"(?:\s+(?:by|with|to|the number|a constant|constant|scalar))?\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:e-?\d+)?)"
    r"(?![a-z0-9_.]| ?[x*] ?\d| by \d| ?(?:elements|values|个元素))"
)
_FIRST = {"div": "/", "sub": "-"}
_ARITHMETIC = ("add", "sub", "mul", "div")
_THE_INPUT = re.compile(
    r"\s*(?:(?:by|with|to) )?the (?:original )?input(?: itself| back| again)?"
    r"(?![a-z0-9_]| (?:is|are|has|have|of|by|to|with|shape|tensor)| ?[:=\[(\d])"
)
_NUMBER_FIRST = re.compile(  # "divide 1 by x", "subtract x from 3": the number is what something is taken from
    r"\s*(?:(?P<by>\d+(?:\.\d+)?) by (?:x|it|the (?:input|tensor|value|result)|each element|everything)(?![a-z0-9_])"
    r"|(?:x|it|the (?:input|tensor|value|result)|each element|everything) from (?P<of>\d+(?:\.\d+)?)(?![a-z0-9_.]"
    r"| ?x ?\d| by \d))"
)
_BIAS_OF_FORMULA = re.compile(
    r"(?<![a-z0-9_])(?<!another )(?<!with )bias(?= ?(?:is|are|has|of|[:=(\[,，、]|and|\d|是|为|和|的))"
)
_VECTOR = re.compile(  # of a bias that is declared beside what it is added to
    r"(?<![a-z0-9_])(?:bias|b) ?(?:is|of|has|shape|[:=为是]|形状)* ?[\[(] ?(?P<size>\d+) ?,? ?[\])]"
)
_SHAPED = re.compile(
    r"(?: |is|are|of|has|have|both|each|shape|[:=为是都各的]|形状)*(?:[\[(] ?\d+ ?, ?\d|(?<![\d.])\d+ ?x ?\d)"
)
_ALSO_CALLED = re.compile(r"\s*(?:[(（,，:：/]|i\.?e\.?,?|aka|a\.k\.a\.|or|即|也叫|又称)?\s*")
_ADJECTIVE = re.compile(r"\s+(?:an?|another|one)\s+|\s*(?:一个|个)\s*")


def take_joints(text: MarkedText, known: Request, entries: list[OperatorEntry]) -> None:
    """Mark numbers, biases and first inputs that operators take as operands, and "of" between two operators."""
    arithmetic = [m for m in text.sorted() if m.kind == "operator" and isinstance(m.value, str)]
    for mark in arithmetic:
        if not takes_number(mark.value):
            continue
        if (match := _NUMBER_FIRST.match(text.rest, mark.end)) is not None and mark.value in _FIRST:
            number = plain_number(match["by"] or match["of"])
            step = ChainStep(operator="formula", formula=f"{number} {_FIRST[mark.value]} x", variables=("x",))
            text.unmark(mark)
            text.mark(mark.begin, match.end(), "operator", step)
            continue
        match = _OPERAND_NUMBER.match(text.rest, mark.end)
        if match is not None:
            text.mark(match.start(), match.end(1), "number", plain_number(match[1]))
    if any(m.kind == "operator" for m in text.marks) or known.steps:
        own = any("bias" in {p.name for p in e.own.tensors} for e in entries if e.own is not None)
        if any(isinstance(m.value, ChainStep) and "bias" in m.value.variables for m in text.marks):
            text.take(_BIAS_OF_FORMULA, "filler")
        text.take(re.compile(words()["bias"]), "filler" if own else "bias")
        _take_once_more(text)
        for mark in arithmetic[1:]:
            if mark.value in _ARITHMETIC and (said := _THE_INPUT.match(text.rest, mark.end)) is not None:
                text.mark(*said.span(), "first")  # "then add the input"
        text.take(re.compile(words()["first"]), "first")
        _declare_first(text)
    _drop_words_that_lead(text)
    _take_own_operands(text)
    ordered = [m for m in text.sorted() if m.kind == "operator"]
    for left, right in itertools.pairwise(ordered):
        between = text.rest[left.end : right.begin]
        match = re.fullmatch(r"\s*of(?: the| an?| all)?\s*|\s*\(\s*", between)
        named = isinstance(left.value, str)  # "x * y (silu)" tells a name, "relu (x * y)" what it is of
        if match is not None and (named or "(" not in between):
            text.mark(left.end, right.begin, "of")


def _take_once_more(text: MarkedText) -> None:
    """Take "and the bias has 128 entries" for words about the bias that was named before."""
    named = [m for m in text.sorted() if m.kind == "bias"]
    vectors = [
        m for m in _VECTOR.finditer(text.text) if not any(b.begin <= m.start() < b.end for b in named[:1])
    ]
    if named and len(vectors) == 1 and (size := _last_size(text, vectors[0].start())) is not None:
        (told,) = vectors
        for mark in [m for m in named if told.start() <= m.begin < told.end()]:
            text.unmark(mark)
        if size == told["size"] and not any(
            told.start() < m.end and m.begin < told.end() for m in text.marks
        ):
            text.mark(*told.span(), "filler")  # "matmul + bias, x [8, 32], w [32, 16], b [16]"
    for mark in [m for m in text.sorted() if m.kind == "bias"][1:]:
        about = re.match(r"\s*(?:has|have|is|are|being|of|:|=|\d|\[)", text.text[mark.end :])
        if about and re.match(r"\s*(?:and |with )?the ", text.text[mark.begin :]):
            text.unmark(mark)
            text.mark(mark.begin, mark.end, "filler")


def _declare_first(text: MarkedText) -> None:
    """Take a residual with a shape for a tensor of its own: "residual add, x [8, 64], residual [8, 64]"."""
    named = [m for m in text.sorted() if m.kind == "first"]
    told = [m for m in named if _SHAPED.match(text.text, m.end)]
    adds = [m for m in text.sorted() if m.kind == "operator" and m.value == "add"]
    others = [m for m in named if m not in told]
    if len(told) != 1 or len(adds) != 1 or any(text.text[m.end : adds[0].begin].strip() for m in others):
        return
    for mark in named:
        text.unmark(mark)
        text.mark(mark.begin, mark.end, "filler")


def _last_size(text: MarkedText, end: int) -> str | None:
    """Return the last size of the last matrix in front of a place."""
    found = list(
        re.finditer(r"[\[(] ?\d+(?: ?, ?\d+)* ?, ?(\d+) ?[\])]|\d+ ?x ?(\d+)(?! ?x)", text.text[:end])
    )
    return found[-1][1] or found[-1][2] if found else None


def _drop_words_that_lead(text: MarkedText) -> None:
    """Take "add a softmax" for softmax, "a square softmax" and "gaussian error linear unit (gelu)" too."""
    ordered = [m for m in text.sorted() if m.kind == "operator"]
    for left, right in itertools.pairwise(ordered):
        between = text.rest[left.end : right.begin]
        added = left.value == "add" and _ADJECTIVE.fullmatch(between)
        article = re.search(r"(?<![a-z])an? \Z", text.text[: left.begin])
        described = left.value == "square" and article and not between.strip()
        twice = left.value == right.value and _ALSO_CALLED.fullmatch(between)
        if added or described or twice:
            text.unmark(left)
            text.mark(left.begin, left.end, "filler")


_SIGNS = {"sub": "-", "div": "/", "mul": "*", "add": "+"}
_LINK = re.compile(
    r"(?:\s|\x00|(?<![a-z])(?:by|with|from|the|its|their|own|that|of|each|corresponding|value|values|x|it|input)(?![a-z])"
    r"|'s|它们?|自身|自己|其|[该本]?[行列]|该|本|的|上|掉|以|去|输入)*"
)
_OWN = re.compile(r"(?<![a-z])(?:its|their|own)(?![a-z])|它们?的|自身|自己|其")
_NAMED_BARE = frozenset(
    ("add", "mul", "sub", "div", "multiply", "subtract", "divide", "addition", "multiplication", "subtraction",
     "division", "加", "乘", "加法", "乘法", "减法", "除法")
)  # fmt: skip
_TAKEN_OFF = frozenset(
    ("subtract", "减去", "除以")
)  # what follows is what is taken off, and no step of its own
_CHAINED = re.compile(
    r"(?:再|后|后面|最后|然后|接着|末尾|并|并且)\s*\Z|[,，;；、]\s*(?:and )?\Z|(?<![a-z])(?:then|and|next)\s+\Z"
    r"|\A\s*\Z"
)
_JOINED = re.compile(r"\s*(?:and|by|with|from|to|和|与)\s*")
_REDUCED = {"maximum": "max", "minimum": "min", "amax": "max", "amin": "min", "norm": "vector_norm"}
_AFTER = re.compile(r"(?:再|后|后面|最后|然后|接着|末尾)\s*\Z")
_LISTS = frozenset(("fused", "then"))


def _take_own_operands(text: MarkedText) -> None:
    """Mark every pair of arithmetic and its operand as one operator. Raises Unclear where it may mean another one."""
    ordered = [m for m in text.sorted() if m.kind == "operator"]
    own: list[Mark] = []
    for left, right in itertools.pairwise(ordered):
        if not (isinstance(left.value, str) and isinstance(right.value, str)) or left not in text.marks:
            continue
        if left.value not in _SIGNS:
            continue
        link = text.rest[left.end : right.begin]
        among = [m for m in text.marks if left.end <= m.begin and m.end <= right.begin]
        if not _LINK.fullmatch(link) or any(m.kind not in ("axis", "filler") for m in among):
            continue
        if _appended(text, left, link):
            continue
        if _listed(text, left, right, link, among):
            continue
        _join(text, left, right)
        own.append(left)
    axes = [m for m in text.marks if m.kind == "axis"]
    if (
        len(own) > 1 and len(axes) == 1
    ):  # "every column minus its mean, divided by its deviation": both by column
        (axis,) = axes
        text.marks += [axis._replace(begin=m.begin, end=m.begin) for m in own]


def _appended(text: MarkedText, left: Mark, link: str) -> bool:
    """Take "然后加 relu" for a step that follows; say whether it is one."""
    spelt = text.text[left.begin : left.end]
    if spelt not in ("加", "加上") or link.strip() or not _AFTER.search(text.text[: left.begin]):
        return False
    text.unmark(left)
    text.mark(left.begin, left.end, "then")
    return True


def _listed(text: MarkedText, left: Mark, right: Mark, link: str, among: list[Mark]) -> bool:
    """Say whether the two are steps of a chain, as in "fused add rmsnorm" and "然后加 relu"."""
    bare = text.text[left.begin : left.end] in _NAMED_BARE
    if not bare or link.strip() or among:
        return False
    if _is_reduction(right):
        return text.text[left.begin : left.end] not in _TAKEN_OFF
    following = [m for m in text.sorted() if m.kind == "operator" and m.begin >= right.end][:1]
    fused = re.search(r"(?<![a-z])fus[ei]|融合|(?<![a-z])then(?![a-z])|然后|再|\+|->", text.text)
    pair = bool(following) and _JOINED.fullmatch(text.text[right.end : following[0].begin])
    infix = text.text[left.begin : left.end] in ("加", "乘") and _before(text, left) is not None
    return bool(fused) or not (pair or infix)


def _join(text: MarkedText, left: Mark, right: Mark) -> None:
    assert isinstance(right.value, str)
    first = _before(text, left)
    reduced = _REDUCED.get(right.value, right.value)
    formula = None
    if _OWN.search(text.text[left.end : right.begin]) and _is_unary(right.value):
        formula = read_formula(f"x {_SIGNS[left.value]} {right.value}(x)")
    known = operator_named(f"{left.value}_own_{reduced}")
    if first is not None or (known is None and formula is None):
        raise Unclear("own_operand", said=text.text[left.begin : right.end].strip())
    for mark in (left, right):
        text.unmark(mark)
    text.mark(left.begin, left.end, "operator", known.name if known is not None else formula)
    text.mark(left.end, right.end, "filler")


def _before(text: MarkedText, left: Mark) -> Mark | None:
    """Return the operator whose result the arithmetic may take, "mean minus max", where nothing puts it in a row."""
    earlier = [m for m in text.sorted() if m.kind == "operator" and m.end <= left.begin][-1:]
    if not earlier or _CHAINED.search(text.text[earlier[0].end : left.begin]):
        return None if not earlier or text.text[earlier[0].end : left.begin].strip() else earlier[0]
    among = {m.kind for m in text.marks if earlier[0].end <= m.begin and m.end <= left.begin}
    return None if among & (_LISTS | {"axis", "shape", "attribute"}) else earlier[0]


def _is_reduction(mark: Mark) -> bool:
    entry = operator_named(mark.value) if isinstance(mark.value, str) else None
    return entry is not None and (entry.category == "reduction" or mark.value in _REDUCED)


def _is_unary(name: str) -> bool:
    entry = operator_named(name)
    return entry is not None and entry.category != "reduction" and tensors_of(ChainStep(operator=name)) == 1
