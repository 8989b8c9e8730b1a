"""Settle what a step takes of a text: which attributes and axes, and as what; which maximum is meant, which
normalisation, its operands. Refuse what can be read in more than one way: choices, types of input and output, tensors
that nothing takes.
"""

import ast
import itertools
import re
from typing import Any

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.formula_axes import kept, open_reductions, settled_reductions
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import operator_named


def accepted(step: ChainStep, mark: Mark) -> dict[str, Any] | None:
    """Return the attributes of the step that the mark sets; None if it has none of them."""
    if step.formula is not None:
        return _of_formula(step.formula, mark)
    entry = entry_of(step)
    known = parameters_of(entry)
    if mark.kind == "attribute":
        said = mark.value.values
        pairs = entry.source is not None and "return (" in entry.source
        if all(v in entry.already.get(n, ()) or (n == "with_index" and pairs) for n, v in said.items()):
            return {}  # as it is
        if step.operator.startswith("topk") and said == {"descending": step.attributes.get("largest", True)}:
            return {}  # the largest come from the largest on, the smallest from the smallest
        return {n: v for n, v in said.items() if n in entry.variants or n in known} or None
    axis = mark.value
    if entry.category == "pooling" and "kernel_size" not in known and axis in ((2, 3), "last 2"):
        return {}
    if entry.category == "loss" and axis in (1, -1) and "dim" not in known:
        return {}  # along the classes, as it is
    several = axis if isinstance(axis, tuple) else None
    if isinstance(axis, str) and axis.startswith("last "):
        count = int(axis.split()[1])
        if "normalized_shape" in known:
            return {"normalized_axes": count}
        axis = several = tuple(range(-count, 0))
    if entry.category == "normalization" and entry.own is None and axis == -1 and "dim" not in known:
        return {}
    if "dim" in entry.variants and not step.operands:
        return {"dim": axis if axis != "all" else None}
    if axis == "all":
        if "dim" in known and entry.category == "reduction":
            return {"dim": None}
        return {} if "dim" not in known else None
    if "normalized_shape" in known and axis in (-1, (-1,)):
        return {}
    if "dim0" in known and several is not None and len(several) == 2:
        return {"dim0": several[0], "dim1": several[1]}
    if "dims" in known and known["dims"].kind == "ints":
        return {"dims": axis if several is not None or entry.name == "roll" else (axis,)}
    if "dim" in known:
        return {"dim": axis}
    if "start_dim" in known and several is None:
        return {"start_dim": axis}
    if step.operator == "pad" and axis == -1 and len(step.attributes.get("pad") or ()) in (0, len((0, 0))):  # type: ignore[arg-type]
        return {}  # as it is, where only two sides are told
    if axis in (-1, -2) and re.search(r"_(?:rows?|per_row)\Z|\Adynamic_quantize", step.operator):
        return {}  # "per row" of what goes row by row
    return None


def is_loss(step: ChainStep) -> bool:
    return step.formula is None and entry_of(step).category == "loss"


def denies_what_is_not(mark: Mark) -> bool:
    """Say whether an attribute says that there is none of what none of the operators has: "no bias", "不补零"."""
    return mark.kind == "attribute" and all(
        (name in ("bias", "elementwise_affine", "affine", "padding", "keepdim") and value in (False, 0))
        or (name == "values_only" and value is True)
        for name, value in mark.value.values.items()
    )


def _of_formula(formula: str, mark: Mark) -> dict[str, Any] | None:
    """Return what a mark says of the reductions in a formula."""
    if mark.kind == "attribute" and "num_parameters" in mark.value.values:
        return {}  # "gamma per channel"
    if not open_reductions(formula):
        keeps = mark.kind == "attribute" and mark.value.values.get("keepdim")
        return {"keepdim": True} if keeps and kept(formula) is not None else None
    if mark.kind == "attribute":
        return {n: v for n, v in mark.value.values.items() if n in ("correction", "keepdim")} or None
    several = re.fullmatch(r"last (\d)", str(mark.value))
    axis = tuple(range(-int(several[1]), 0)) if several else mark.value
    return {"dim": None if axis == "all" else axis}


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


_OF_MATRICES = re.compile(
    r"\A(?!.*(?:element|point|hadamard|逐)).*(?<![a-z])matri(?:x|ces)(?![a-z])", re.DOTALL
)
_REDUCED = {"max": ("amax", "maximum"), "min": ("amin", "minimum")}
_TWO = re.compile(r"\b(?:two|both|x and y|a and b|elementwise|element-wise|pairwise)\b|两个|逐元素")


def settled(text: MarkedText, step: ChainStep) -> ChainStep:
    """Return the step with what depends on the whole text: which maximum is meant, which normalisation, operands."""
    if step.formula is not None and open_reductions(step.formula):
        formula = settled_reductions(step.formula, step.attributes)
        if formula is None:
            raise Unclear("axis_of_formula", formula=step.formula)
        return step.model_copy(update={"formula": formula, "attributes": {}})
    if step.formula is not None and step.attributes.get("keepdim"):
        return step.model_copy(update={"formula": kept(step.formula) or step.formula, "attributes": {}})
    attributes, operands = dict(step.attributes), list(step.operands)
    entry = operator_named(step.operator)
    for name, other in entry.variants.items() if entry is not None else ():
        if attributes.get(name, False) is False:
            continue
        taken = operator_named(other)
        if taken is None or name not in parameters_of(taken):
            attributes.pop(name)
        return step.model_copy(update={"operator": other, "attributes": attributes})
    if step.operator == "roll" and isinstance(dims := attributes.get("dims"), tuple):
        shift = attributes.get("shifts")
        attributes["shifts"] = (shift,) * len(dims) if isinstance(shift, int) else shift
    if step.operator == "rotary_embedding" and "interleaved" not in attributes:
        raise Unclear("which_one", names=["rotate half", "interleaved"])
    for name in ("exponent", "other"):  # a tensor's or a number's
        value = attributes.pop(name, None)
        operands = [value] if isinstance(value, int | float) else operands
    operator = step.operator
    if operator in _REDUCED:
        reduced, pairwise = _REDUCED[operator]
        two = _TWO.search(text.text) or operands
        if "dim" not in attributes and not two:
            raise Unclear("which_one", names=[reduced, pairwise])
        operator = reduced if "dim" in attributes else pairwise
    if (
        operator == "normalize"
        and not attributes
        and not re.search(r"f\.normali|functional|l2|二范数", text.text)
    ):
        raise Unclear("which_one", names=["layer_norm", "rms_norm", "torch.nn.functional.normalize"])
    if operator == "gelu_tanh" and re.search(r"fast[ _-]?gelu|快速gelu", text.text):
        raise Unclear("which_one", names=["gelu", "gelu, tanh approximation", "x * sigmoid(1.702 * x)"])
    if operator == "mul" and not operands and _OF_MATRICES.search(text.text):
        raise Unclear("which_one", names=["elementwise product", "matmul"])
    entry = operator_named(operator)
    if entry is not None and entry.operand == "required" and not operands and not _TWO.search(text.text):
        raise Unclear("operand", operator=operator)
    return step.model_copy(
        update={"operator": operator, "attributes": attributes, "operands": tuple(operands)}
    )
