"""Refuse what can be read in more than one way: choices, types of input and output, tensors that nothing takes."""

import ast
import itertools
import re

from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep

_TWO_TENSORS = re.compile(
    r"\btwo (?:[a-z0-9]+ )?(?:tensors|inputs|matrices|vectors|arrays)|两个(?:张量|输入|矩阵|向量)"
)
_LISTED = re.compile(
    r"(?:[\s,/&|+、，]|and|or|also|as well as|plus|then|in|with|both|和|与|及|或|还要|也要)*"
)
_OF_THE_RESULT = re.compile(  # not "change it to bf16" and not "input and output fp16"
    r"\A(?!.*(?<![a-z])(?:change[ds]?|switch|set|make|convert|move|go|turn|inputs?|both)(?![a-z]))"
    r".*(?:(?<![a-z])(?:in)?to|->|→|=>|(?<![a-z])outputs?(?: type| dtype)?(?: is| as| in|:)?"
    r"|(?<!输入)(?<!输入和)(?<!输入、)输出(?:类型)?(?:为|成|是)?|转[成为到])\s*\Z",
    re.DOTALL,
)
_VARIABLE = re.compile(r"(?<![a-z0-9_'])[xyz](?![a-z0-9_'])")


def refuse_choices(text: MarkedText, marks: list[Mark]) -> None:
    for at, mark in enumerate(marks):
        if mark.kind == "or" and 0 < at < len(marks) - 1:
            left, right = marks[at - 1], marks[at + 1]
            raise Unclear("which_one", names=[text.text[m.begin : m.end] for m in (left, right)])


def refuse_two_types(text: MarkedText, marks: list[Mark]) -> None:
    """Refuse types that are not listed beside each other: one may be of the input, the other of the output."""
    types = [m for m in marks if m.kind == "dtype"]
    for left, right in itertools.pairwise(types):
        between = text.text[left.end : right.begin]
        if left.value != right.value and not _LISTED.fullmatch(between):
            raise Unclear("two_types", names=[str(left.value), str(right.value)])
    for mark in types[:1]:
        before = [m.end for m in marks if m.kind == "operator" and m.end <= mark.begin]
        if before and is_of_the_result(text, before[-1], mark.begin):
            raise Unclear("type_of_the_result", name=str(mark.value))


def is_of_the_result(text: MarkedText, begin: int, end: int) -> bool:
    """Say whether a type that stands at `end` is what an operator's result becomes: "floor(x * 255) to int8"."""
    return _OF_THE_RESULT.search(text.text[begin:end]) is not None


def refuse_other_tensors(text: MarkedText, steps: list[ChainStep]) -> None:
    """Refuse a text that speaks of more tensors than its operators take."""
    named = set(_VARIABLE.findall(text.rest))
    results = any(isinstance(ast.parse(s.formula or "x", mode="eval").body, ast.Tuple) for s in steps)
    two = None if results else _TWO_TENSORS.search(text.text)  # "two tensors" may be the results
    taken = sum(tensors_of(s) - bool(i) for i, s in enumerate(steps))
    if max(len(named), 2 if two else 0) > taken:
        raise Unclear("more_tensors", names=[s.operator for s in steps], taken=taken)
