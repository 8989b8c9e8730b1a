"""Settle what depends on the whole text: which maximum is meant, which normalisation, operands of a step."""

import re

from akgen.agents.requests.formula_axes import kept, open_reductions, settled_reductions
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import operator_named

WITH_INDEX = {
    "max": "max_with_index", "amax": "max_with_index", "maximum": "max_with_index",
    "min": "min_with_index", "amin": "min_with_index", "minimum": "min_with_index",
}  # fmt: skip
PAIRS = ("sort", "topk", "kthvalue", "median", "mode", "cummax", "cummin", "moe_router")
PAIRWISE = {"maximum": "amax", "minimum": "amin"}  # with an axis
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
    if attributes.pop("with_index", False) and step.operator in WITH_INDEX:
        return step.model_copy(update={"operator": WITH_INDEX[step.operator], "attributes": attributes})
    values, indices = attributes.pop("values_only", False), attributes.pop("indices_only", False)
    if (values or indices) and step.operator in PAIRS:
        operator = f"{step.operator}_{'values' if values else 'indices'}"
        return step.model_copy(update={"operator": operator, "attributes": attributes})
    if attributes.pop("stable", False):
        return step.model_copy(update={"operator": f"stable_{step.operator}", "attributes": attributes})
    if "temperature" in attributes and step.operator in ("softmax", "log_softmax"):
        return step.model_copy(update={"operator": f"{step.operator}_with_temperature"})
    if attributes.pop("flat", False):
        name = "global_average_flat" if "avg" in step.operator else "global_max_flat"
        return step.model_copy(update={"operator": name, "attributes": attributes})
    if step.operator in PAIRWISE and "dim" in attributes:
        return step.model_copy(update={"operator": PAIRWISE[step.operator], "attributes": attributes})
    if step.operator == "roll" and isinstance(dims := attributes.get("dims"), tuple):
        shift = attributes.get("shifts")
        attributes["shifts"] = (shift,) * len(dims) if isinstance(shift, int) else shift
    if step.operator == "rotary_embedding" and "interleaved" not in attributes:
        raise Unclear("which_one", names=["rotate half", "interleaved"])
    exponent = attributes.pop("exponent", None)
    if isinstance(exponent, int | float):
        operands = [exponent]
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
    entry = operator_named(operator)
    if entry is not None and entry.operand == "required" and not operands and not _TWO.search(text.text):
        raise Unclear("operand", operator=operator)
    return step.model_copy(
        update={"operator": operator, "attributes": attributes, "operands": tuple(operands)}
    )
