"""Settle what depends on the whole text: which maximum is meant, which normalisation, operands of a step."""

import re

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.formula_axes import kept, open_reductions, settled_reductions
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import operator_named

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
