"""Read what stands between operators and what they take: numbers, biases, the first input, words that lead to one."""

import itertools
import re

from akgen.agents.requests.attributes import plain_number
from akgen.agents.requests.described import takes_number
from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.own_operands import take_own_operands
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import OperatorEntry

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
    take_own_operands(text)
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
