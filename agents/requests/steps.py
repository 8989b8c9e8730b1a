"""Turn marked operators into steps of a chain: their order, operands, attributes, and which of several is meant."""

import itertools
import re
from typing import Any

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.formula_axes import kept, open_reductions, settled_reductions
from akgen.agents.requests.marks import Mark, MarkedText, phrase
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.refusals import refuse_other_tensors
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import operator_named

_BEHIND = re.compile(
    r"\A\s*(?:(?:and|also|now|please|then|,|ok|great|nice) )*(?:fuse|fold|merge|tack|chain) (?:in |on |it with "
    r"|that with )?(?:an? |the )?"
    r"|\A\s*(?:最后|然后)?再(?!说|来|写|做一个|给)|\b(?:after|behind) (?:it|that)\b|\bon top\b"
    r"|\A\s*and (?:also |finally |lastly )?an? (?!kernel|version)"
    r"|\A\s*(?:再|并|把|请|还要)*(?:融合|串)(?:上|进)?"
)
_WITH_INDEX = {
    "max": "max_with_index", "amax": "max_with_index", "maximum": "max_with_index",
    "min": "min_with_index", "amin": "min_with_index", "minimum": "min_with_index",
}  # fmt: skip
_KEEPS_SHAPE = ("elementwise", "activation", "softmax", "scan")
_PAIRS = ("sort", "topk", "kthvalue", "median", "mode", "cummax", "cummin", "moe_router")
_PAIRWISE = {"maximum": "amax", "minimum": "amin"}  # with an axis
_REDUCED = {"max": ("amax", "maximum"), "min": ("amin", "minimum")}
_ARITHMETIC = ("add", "sub", "mul", "div")
_LINKS = (
    "",
    "a",
    "the",
    "an",
    "back",
    "上",
    "一个",
    "by",
    "by the",
    "with",
    "with the",
    "以",
    "上",
    "到",
    "和",
    "与",
)
_IN_FRONT = re.compile(  # of a follow-up: what it names comes before what is known
    r"\A\s*(?:(?:and|but|now|please|also) )*(?:before (?:that|it|this)|first)(?![a-z])"
    r"|\A\s*(?:请|再|并)?(?:在?(?:这|那|它|此)?之前|前面|最前面)[，,]?(?:先|再)*(?:加|接|做)?(?:上|一个|个)*"
)
_PARTICIPLE = re.compile(r"\s*[a-z]+ed[.!]?\s*\Z")
_ROOT_OF = re.compile(  # "square root of x plus 1"
    r"(?<![a-z])of (?:x|it|the input) (?:plus|minus|times|divided by|\+|-|\*|/) ?\d"
)
_OF_ATTRIBUTE = re.compile(r"(?:weights?|gamma|scale|eps|epsilon|temperature|权重|缩放)\s*\Z")
_TWO = re.compile(r"\b(?:two|both|x and y|a and b|elementwise|element-wise|pairwise)\b|两个|逐元素")


_DEFINED = re.compile(
    r"[:=]|(?<![a-z])(?:i\.?e\.?|namely|that is|which is|meaning|defined as|computed as|as)(?![a-z])"
    r"|即|也就是|就是|等于|定义为"
)
_ADDED = re.compile(
    r"\s*(?:and |also |now |please )*(?:add|append|put|attach) (?:an?|another) (?!kernel)"
    r"|\s*(?:再|最后|后面|末尾)*[加接](?:上)?(?:一个|个)"
)


def steps_of(
    text: MarkedText, marks: list[Mark], operators: list[Mark], known: Request
) -> tuple[tuple[ChainStep, ...], bool]:
    """Return the chain, and whether it goes on from the known one."""
    first = operators[0] if operators else None
    lead = re.match(rf"\s*(?:{phrase('lead').pattern})", text.text)
    lead = lead or (_BEHIND.search(text.text) if known.steps else None)
    whole = any(
        m.kind in ("dtype", "shape", "shapes") for m in marks
    )  # a request of its own, not a follow-up
    added = _ADDED.match(text.text) and (not whole or any(m.kind == "bias" for m in marks))
    chained = bool(known.steps) and (
        lead is not None or bool(added) or (not whole and _only_operands(marks, first))
    )
    made = _marked_steps(text, marks, operators)
    if known.steps and not known.shapes and not chained and whole and _only_reduces(made):
        raise Unclear("order", names=[s.formula or s.operator for s in (*known.steps, *(s for _, s in made))])
    before = list(known.steps) if chained or not operators else []
    if known.steps and operators:
        if _PARTICIPLE.match(text.text):
            raise Unclear("order", names=[s.formula or s.operator for s in (*known.steps, made[0][1])])
        if _IN_FRONT.match(text.text) and not whole:
            return _put_in_front(text, marks, made, known), True
    inserted = [m for m in marks if m.kind in ("bias", "first")]
    if not operators and inserted and known.steps:
        made = [(m, ChainStep(operator="add", operands=(m.kind,))) for m in inserted]
        chained = True
    if chained and made and all(s.operator == "add" and s.operands == ("bias",) for _, s in made):
        biased = [_with_bias(step) for step in before]
        if biased != before:
            before, made = biased, []  # "sorry, I do need the bias" of what had none
    chain: list[tuple[int, ChainStep]] = [(-1, s) for s in before] + [(m.begin, s) for m, s in made]
    if not chain:
        if any(m.kind in ("attribute", "axis") for m in marks):
            raise Unclear("attribute_of_code" if known.source else "attribute_of_nothing")
        return (), False
    steps = _with_attributes(text, marks, chain)
    settled = [_settled(text, s) for s in steps]
    if operators:
        refuse_other_tensors(text, settled)
    return tuple(settled), chained


def _with_bias(step: ChainStep) -> ChainStep:
    """Return the step with the bias that it was said to have none of."""
    kept = {name: value for name, value in step.attributes.items() if name != "bias" or value is not False}
    return step.model_copy(update={"attributes": kept})


def _put_in_front(
    text: MarkedText, marks: list[Mark], made: list[tuple[Mark, ChainStep]], known: Request
) -> tuple[ChainStep, ...]:
    """Return the known chain behind the steps of this text. Raises Unclear where those take or give another shape."""
    steps = [_settled(text, s) for s in _with_attributes(text, marks, [(m.begin, s) for m, s in made])]
    text.mark(*_front(text), "filler")
    if not all(_on_one_tensor(s) for s in steps):
        raise Unclear("order", names=[s.formula or s.operator for s in (*steps, *known.steps)])
    return (*steps, *known.steps)


def _only_reduces(made: list[tuple[Mark, ChainStep]]) -> bool:
    """Say whether a mean or a sum is all that was named: of what is known, or of another tensor."""
    return len(made) == 1 and made[0][1].operator in ("mean", "sum")


def _front(text: MarkedText) -> tuple[int, int]:
    match = _IN_FRONT.match(text.text)
    assert match is not None
    return match.span()


def _on_one_tensor(step: ChainStep) -> bool:
    """Say whether the step takes one tensor and gives one of its shape."""
    numbers = sum(isinstance(o, int | float) for o in step.operands)
    plain = step.formula is None and entry_of(step).category in _KEEPS_SHAPE
    return plain and tensors_of(step) - numbers == 1


def _only_operands(marks: list[Mark], first: Mark | None) -> bool:
    """Say whether the first operator takes a number or a bias, as in "multiply by 2", and so goes on from something."""
    if first is None or first.value not in ("add", "sub", "mul", "div"):
        return False
    return any(m.kind in ("number", "bias", "first") for m in marks)


def _marked_steps(text: MarkedText, marks: list[Mark], operators: list[Mark]) -> list[tuple[Mark, ChainStep]]:
    """Return the marked operators in the order in which they are applied."""
    items: list[tuple[Mark, ChainStep]] = []
    for at, mark in enumerate(marks):
        before = marks[at - 1] if at else None
        if mark.kind == "operator":
            step = mark.value if isinstance(mark.value, ChainStep) else ChainStep(operator=mark.value)
            adds = before is not None and before.kind in ("bias", "first") and step.operator == "add"
            if adds and items and items[-1][0] == before and not text.text[before.end : mark.begin].strip():
                items[-1] = (mark, items[-1][1])  # "residual add": the operand stands before its addition
                continue
            items.append((mark, step))
        elif mark.kind == "number" and items:
            owner, step = items[-1]
            _refuse_other_owner(text, owner, mark, items)
            items[-1] = (owner, step.model_copy(update={"operands": (mark.value,)}))
        elif mark.kind in ("bias", "first") and operators:
            _add_operand(text, items, mark)
    if not items:
        return []
    loose = any(m.kind in ("then", "fused") for m in marks) or len(items) >= 3
    groups: list[list[tuple[Mark, ChainStep]]] = [[items[0]]]
    for left, right in itertools.pairwise(items):
        how = _joint(text, marks, left, right, loose=loose)
        if len(groups[-1]) > 1 and _both_inside(text, left, right):
            how = None  # "the sum of relu and gelu"
        if how == "inner":
            groups[-1].append(right)
        elif how == "next":
            groups.append([right])
        else:
            raise Unclear(
                "order", names=[left[1].formula or left[1].operator, right[1].formula or right[1].operator]
            )
    return [item for group in groups for item in reversed(group)]


def _refuse_other_owner(
    text: MarkedText, owner: Mark, number: Mark, items: list[tuple[Mark, ChainStep]]
) -> None:
    """Refuse "weight + 1" and "square root of x plus 1": the number may belong to less than the whole."""
    said = text.text[owner.begin : number.end]
    if _OF_ATTRIBUTE.search(text.text[: owner.begin]):
        raise Unclear("own_operand", said=said)
    inner = len(items) > 1 and _ROOT_OF.search(text.text, items[-2][0].end, number.end)
    if (
        inner
        and items[-2][0].end <= inner.start()
        and text.text[items[-2][0].end : inner.start()].strip() == ""
    ):
        first = items[-2][1].operator
        raise Unclear("which_one", names=[f"{first}(x), {said}", f"{first}(x, {said})"])


def _both_inside(text: MarkedText, left: tuple[Mark, ChainStep], right: tuple[Mark, ChainStep]) -> bool:
    """Say whether nothing but "and" stands between two operators, so that both may be in what stands before them."""
    return (
        re.fullmatch(r"\s*(?:and|和|与|及)(?: the)?\s*", text.text[left[0].end : right[0].begin]) is not None
    )


def _add_operand(text: MarkedText, items: list[tuple[Mark, ChainStep]], mark: Mark) -> None:
    """Give a bias or the first input to the addition before it, or add it by an addition of its own."""
    if items:
        owner, step = items[-1]
        between = text.text[owner.end : mark.begin].strip(" ,")
        if step.operator in _ARITHMETIC and between in _LINKS:
            items[-1] = (owner, step.model_copy(update={"operands": (mark.kind,)}))
            return
        # "with bias" at the end is the layer's, wherever it stands; "add a bias" is a step
        of_layer = re.match(r"\s*(?:with|带|有)", text.text[mark.begin : mark.end])
        holders = [s.operator for _, s in items] if of_layer else [step.operator]
        entries = [e for e in map(operator_named, holders) if e is not None]
        if mark.kind == "bias" and any("bias" in parameters_of(e) for e in entries):
            return
    items.append((mark, ChainStep(operator="add", operands=(mark.kind,))))


def _joint(
    text: MarkedText,
    marks: list[Mark],
    left: tuple[Mark, ChainStep],
    right: tuple[Mark, ChainStep],
    *,
    loose: bool,
) -> str | None:
    """Say how two operators are joined: the right one is inside the left one, or comes next."""
    begin, end = left[0].end, right[0].begin
    kinds = {m.kind for m in marks if begin <= m.begin and m.end <= end}
    between = text.text[begin:end]
    if kinds & {"of", "after"}:
        return "inner"
    if right[1].operands or kinds & {"then", "fused"} or re.fullmatch(r"\s*\+\s*", between):
        return "next"
    reduced = [
        e.category == "reduction" for _, s in (left, right) if (e := operator_named(s.operator)) is not None
    ]
    if kinds & {"and"} and reduced == [True, True]:
        return None  # "variance and mean": of the same tensor, more likely than one of the other
    if (left[1].operands or "_own_" in right[1].operator) and "and" in kinds:
        return "next"  # "add a bias and relu", "subtract the mean and divide by the deviation"
    if left[1].operands and re.fullmatch(r"\s*-?[\d.]+[kme\d-]*\s*(?:再|取|求|做|后|之后)+\s*", between):
        return "next"  # "加 1 取对数"
    listed = "and" in kinds or re.search(r"[,，+、;\n]", between) is not None or not between.strip()
    return "next" if loose and listed else None


def _with_attributes(
    text: MarkedText, marks: list[Mark], chain: list[tuple[int, ChainStep]]
) -> list[ChainStep]:
    steps = [step for _, step in chain]
    places = [place for place, _ in chain]
    fresh = [i for i, place in enumerate(places) if place >= 0]
    given: dict[tuple[int, str], Any] = {}
    for mark in marks:
        if mark.kind not in ("attribute", "axis"):
            continue
        order = sorted(
            range(len(steps)),
            key=lambda i: (i not in fresh, places[i] > mark.begin, abs(places[i] - mark.begin)),
        )
        for i in order:
            values = _accepted(steps[i], mark)
            if values is not None:
                break
        else:
            batch = mark.kind == "axis" and re.search(r"batch|批|样本", text.text[mark.begin : mark.end])
            if _denies_what_is_not(mark) or (batch and _is_loss(steps[-1])):
                continue
            raise _refused(text, mark, steps)
        for name, value in values.items():
            if given.setdefault((i, name), value) != value:
                raise Unclear("said_twice", name=name)
        steps[i] = steps[i].model_copy(update={"attributes": {**steps[i].attributes, **values}})
    return steps


def _accepted(step: ChainStep, mark: Mark) -> dict[str, Any] | None:
    """Return the attributes of the step that the mark sets; None if it has none of them."""
    if step.formula is not None:
        return _of_formula(step.formula, mark)
    entry = entry_of(step)
    known = parameters_of(entry)
    if mark.kind == "attribute" and mark.value.values.keys() & {"values_only", "indices_only"}:
        return dict(mark.value.values) if step.operator in _PAIRS else None
    if mark.kind == "attribute" and step.operator == "topk" and mark.value.values.get("descending"):
        return {}  # "largest first": as it is
    if mark.kind == "attribute" and "stable" in mark.value.values:
        return dict(mark.value.values) if step.operator in ("sort", "argsort") else None
    if mark.kind == "attribute" and "with_index" in mark.value.values:
        pairs = step.operator in _WITH_INDEX or step.operator in _PAIRS
        return dict(mark.value.values) if pairs else None
    if (
        mark.kind == "attribute"
        and step.operator.startswith("global_")
        and "output_size" in mark.value.values
    ):
        return {"flat": True} if isinstance(mark.value.values["output_size"], tuple) else {}
    if mark.kind == "attribute":
        if "temperature" in mark.value.values and step.operator in ("softmax", "log_softmax"):
            return {"temperature": mark.value.values["temperature"]}
        found = {name: value for name, value in mark.value.values.items() if name in known}
        return found or None
    axis = mark.value
    if step.operator.startswith("global_") and axis in ((2, 3), "last 2"):
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
    if step.operator in _PAIRWISE and not step.operands:
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
    if axis in (-1, -2) and re.search(r"_(?:rows?|per_row)\Z|\Adynamic_quantize", step.operator):
        return {}  # "per row" of what goes row by row
    return None


def _is_loss(step: ChainStep) -> bool:
    return step.formula is None and entry_of(step).category == "loss"


def _denies_what_is_not(mark: Mark) -> bool:
    """Say whether an attribute says that there is none of what none of the operators has: "no bias", "不补零"."""
    return mark.kind == "attribute" and all(
        name in ("bias", "elementwise_affine", "affine", "padding", "keepdim") and value in (False, 0)
        for name, value in mark.value.values.items()
    )


def without_mentions(text: MarkedText, marks: list[Mark], known: Request) -> list[Mark]:
    """Drop operators that a chain has already, where others of it are not named: "exact gelu" says how."""
    names = {s.operator for s in known.steps}
    operators = [m for m in marks if m.kind == "operator"]
    mentioned = {m.value for m in operators if isinstance(m.value, str)}
    leads = re.match(rf"\s*(?:{phrase('lead').pattern})", text.text) or _ADDED.match(text.text)
    if leads or _BEHIND.search(text.text) or len(mentioned) < len(operators) or not mentioned < names:
        return marks
    return [m for m in marks if m not in operators]


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


def _refused(text: MarkedText, mark: Mark, steps: list[ChainStep]) -> Unclear:
    names = [s.operator for s in steps]
    said = text.text[mark.begin : mark.end].strip()
    if mark.kind == "axis":
        return Unclear("no_axis", operator=names[-1])
    return Unclear("no_attribute", operator=names[-1], said=said)


def _settled(text: MarkedText, step: ChainStep) -> ChainStep:
    """Return the step with what depends on the whole text: which maximum is meant, which normalisation, operands."""
    if step.formula is not None and open_reductions(step.formula):
        formula = settled_reductions(step.formula, step.attributes)
        if formula is None:
            raise Unclear("axis_of_formula", formula=step.formula)
        return step.model_copy(update={"formula": formula, "attributes": {}})
    if step.formula is not None and step.attributes.get("keepdim"):
        return step.model_copy(update={"formula": kept(step.formula) or step.formula, "attributes": {}})
    attributes, operands = dict(step.attributes), list(step.operands)
    if attributes.pop("with_index", False) and step.operator in _WITH_INDEX:
        return step.model_copy(update={"operator": _WITH_INDEX[step.operator], "attributes": attributes})
    values, indices = attributes.pop("values_only", False), attributes.pop("indices_only", False)
    if (values or indices) and step.operator in _PAIRS:
        operator = f"{step.operator}_{'values' if values else 'indices'}"
        return step.model_copy(update={"operator": operator, "attributes": attributes})
    if attributes.pop("stable", False):
        return step.model_copy(update={"operator": f"stable_{step.operator}", "attributes": attributes})
    if "temperature" in attributes and step.operator in ("softmax", "log_softmax"):
        return step.model_copy(update={"operator": f"{step.operator}_with_temperature"})
    if attributes.pop("flat", False):
        name = "global_average_flat" if "avg" in step.operator else "global_max_flat"
        return step.model_copy(update={"operator": name, "attributes": attributes})
    if step.operator in _PAIRWISE and "dim" in attributes:
        return step.model_copy(update={"operator": _PAIRWISE[step.operator], "attributes": attributes})
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
