"""Read an operand that is computed of the value itself: "subtract the mean of each row", "multiply by its sigmoid".

The catalogue has the combinations of arithmetic with a reduction ("sub_own_mean"). What is left of such pairs, "add
relu and sigmoid", may mean the same input or another one, one operator in the other or both in turn: it is asked about.
"""

import itertools
import re

from akgen.agents.requests.formula import read_formula
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import operator_named

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


def take_own_operands(text: MarkedText) -> None:
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
