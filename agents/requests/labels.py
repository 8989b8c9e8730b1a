"""Drop names and formulas that only say again, or in part, what another name or formula of a text says."""

import itertools
import re

from akgen.agents.requests.attributes import AttributeValues
from akgen.agents.requests.definitions import relation
from akgen.agents.requests.formula import is_scalar, operations_of
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.parts import describes, is_more_special, parts_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import OperatorEntry, operator_named

_PAIR = 2
_OTHER_WAY = re.compile(
    r"(?<![a-z])(?:backward|gradients?|derivative|grad|inverse|without|instead|not|unlike|variant|like)(?![a-z])"
    r"|反向|梯度|导数|不是|而不是|类似|变体|改"
)
_HEADING = re.compile(  # of a formula: what the operator has, and a colon
    r"\s*(?:with|plus|using|and|带|有|加|含)(?![a-z])(?:(?!(?<![a-z])(?:then|after|of|not?)(?![a-z]))[^:：,，.;。；])*[:：]\s*\Z"
)
_WHOLE = ("sort", "quantization", "attention", "loss")  # composites whose own steps people tell
_IS_CALLED = re.compile(
    r"(?:[\s(（,，:：/]|(?<![a-z])(?:a la|like|as in|aka|or|i\.?e\.?)(?![a-z])|即|也就是|也叫|或)*"
)
_BEGINS = re.compile(
    r"[(（,，.;；。]|(?<![a-z])(?:by|using|via|of)(?![a-z])"
)  # of what describes what stands before it
_DEFINED = re.compile(
    r"[:=]|(?<![a-z])(?:i\.?e\.?|namely|that is|which is|meaning|defined as|computed as|as)(?![a-z])"
    r"|即|也就是|就是|等于|定义为"
)


def without_labels(text: MarkedText, marks: list[Mark]) -> list[Mark]:
    """Drop names that only say what the formula behind them computes, as in "swiglu: silu(x) * y". Raises Unclear."""
    operators = [m for m in marks if m.kind == "operator"]
    if (again := _defined(text, marks, operators)) is not None:
        return [m for m in marks if m != again]
    dropped: list[Mark] = []
    for at, mark in enumerate(operators):
        if not isinstance(mark.value, ChainStep) or mark.value.formula is None:
            continue
        for name in mark.value.variables:
            if is_scalar(name):
                raise Unclear("scalar", name=name)
        if at == 0:
            continue
        begin = operators[at - 1].end if at > 1 else _heading_end(text, operators[0], mark)
        if any(m.kind in ("then", "of", "after") for m in marks if begin <= m.begin and m.end <= mark.begin):
            continue
        names = {m.value if isinstance(m.value, str) else m.value.operator for m in operators[:at]}
        composite = all(_is_composite(n) for n in names)
        if _in_parentheses(text, mark) and names:
            if not _said_before(text, marks, mark):
                raise Unclear("order", names=[*sorted(names), mark.value.formula])
            dropped.append(mark)  # "with temperature 0.7 (x / 0.7)"
            continue
        if (
            composite
            or _DEFINED.search(text.text[begin : mark.begin])
            or {"matmul" if n in ("mm", "bmm") else n for n in names} <= operations_of(mark.value.formula)
        ):
            _refuse_another(mark.value, names)
            dropped += operators[:at]
        elif len(names) == 1 and describes(mark.value.formula, *names):
            whole = _is_product(*names) and len(mark.value.variables) > 1
            dropped += (
                operators[:at] if whole else [mark]
            )  # "linear layer y = x W^T" has no bias; "soft margin loss log(1 + exp(-y x))"
        elif len(mark.value.variables) > 1:
            raise Unclear("order", names=[*sorted(names), mark.value.formula])
    for left, right in itertools.combinations(operators, 2):
        if isinstance(left.value, str) and isinstance(right.value, str):
            dropped += _named_again(text, marks, left, right)
    formulas = [m for m in operators if isinstance(m.value, ChainStep) and m.value.formula is not None]
    if len(formulas) == 1 and [m for m in operators if m not in dropped][:1] == formulas:
        formula = formulas[0]
        for mark in [m for m in operators if m.begin >= formula.end]:
            joined = any(
                m.kind in ("then", "of", "after", "and") for m in marks if formula.end <= m.begin < mark.begin
            )
            entry = operator_named(mark.value) if isinstance(mark.value, str) else None
            defined = entry is not None and (
                entry.source or entry.name in operations_of(formula.value.formula)
            )
            dropped += [mark] if defined and not joined else []
    left_over = [m for m in operators if m not in dropped and m not in formulas]
    if formulas and any(_is_label(text, m) and m.end <= formulas[-1].begin for m in left_over):
        raise Unclear(
            "order", names=[m.value if isinstance(m.value, str) else m.value.formula for m in operators]
        )
    if formulas and "+" in formulas[0].value.formula:
        taken = {*formulas[0].value.variables} & {"bias", "residual"}
        dropped += [m for m in marks if m.kind in ("first", "bias") and (taken or m.end <= formulas[0].begin)]
    return [m for m in marks if m not in dropped]


def _refuse_another(step: ChainStep, names: set[str]) -> None:
    """Ask where a name in front of a formula is known to be something else: "linear + relu: y = x @ w.T + b"."""
    for name in sorted(names - operations_of(step.formula or "")):
        found = relation(name, step.formula or "", step.variables)
        entry = operator_named(name)
        moves = entry is not None and entry.category == "data_movement"
        unmasked = "masked" in name and not re.search(r"mask|tri[lu]|where|inf", step.formula or "")
        alone = entry is not None and entry.source is None and name in ("round", "floor", "ceil", "trunc")
        other = found.kind == "other" if found is not None else alone
        if unmasked or moves or other:
            raise Unclear("order", names=[*sorted(names), step.formula])


def _defined(text: MarkedText, marks: list[Mark], operators: list[Mark]) -> Mark | None:
    """Return which of a name and a formula says again what the other one does. Raises Unclear where they disagree."""
    if len(operators) != _PAIR:
        return None
    left, right = operators
    formula, named = (left, right) if isinstance(left.value, ChainStep) else (right, left)
    if (
        not isinstance(formula.value, ChainStep)
        or formula.value.formula is None
        or not isinstance(named.value, str)
    ):
        return None
    joined = any(m.kind in ("then", "of", "after", "and") for m in marks if left.end <= m.begin < right.begin)
    if joined or named.value in operations_of(formula.value.formula):
        return None
    return disagreeing(text, named, formula)


def disagreeing(text: MarkedText, named: Mark, formula: Mark) -> Mark | None:
    """Return the name or the formula that the other one makes needless; None where nothing is known of the operator.

    An operator that the formula gives attributes ("softcap: 50 * tanh(x / 50)") gets them. Raises Unclear where the
    formula computes something else.
    """
    if _OTHER_WAY.search(text.text):
        return None
    step: ChainStep = formula.value
    found = relation(named.value, step.formula or "", step.variables)
    entry = operator_named(named.value)
    if found is None or entry is None:
        return None
    if found.kind == "other":
        raise Unclear("which_one", names=[named.value, step.formula])
    if found.kind == "part" or not (found.listed or len(step.variables) == 1):
        return named
    if found.attributes:
        text.mark(named.end, named.end, "attribute", AttributeValues(dict(found.attributes)))
        return formula
    return formula if entry.category in ("loss", "softmax", "reduction") else named


def _heading_end(text: MarkedText, name: Mark, formula: Mark) -> int:
    """Return behind what a name says the formula begins: "attention with a mask: softmax(...)" is a heading whole."""
    heading = _HEADING.match(text.text[name.end : formula.begin])
    return name.end + heading.end() if heading is not None else name.end


def _is_product(name: str) -> bool:
    """Say whether an operator is a product, so that a formula with its two sides tells all of it."""
    entry = operator_named(name)
    return entry is not None and entry.category == "matmul"


def _is_label(text: MarkedText, mark: Mark) -> bool:
    """Say whether a name stands before a colon: "Charbonnier loss: mean of sqrt(...)" is none of its own steps."""
    return re.match(r"\s*[:：]", text.text[mark.end :]) is not None


def _named_again(text: MarkedText, marks: list[Mark], left: Mark, right: Mark) -> list[Mark]:
    """Return the one of two operators that only says again, or in part, what the other one is."""
    first, second = operator_named(left.value), operator_named(right.value)
    if first is None or second is None:
        return []
    between = {m.kind for m in marks if left.end <= m.begin < right.begin}
    joined = bool(between & {"then", "after"})
    if not joined and _IS_CALLED.fullmatch(text.rest[left.end : right.begin].replace("\x00", " ")):
        if is_more_special(second, first) or (_is_path(text, right) and _are_alike(first, second)):
            return [left]  # "空洞卷积 conv2d", "multiclass hinge a la nn.MultiMarginLoss"
        if is_more_special(first, second):
            return [right]
    if first.source is not None:
        inside = re.search(rf"\.{right.value}\(", first.source) is not None
        if first.name.endswith(f"_{right.value}") and right.value != "linear":
            return [right]
        if inside and (not joined or first.category in _WHOLE):
            return [right]  # "masked softmax: fill with -inf, then softmax"
    part = right.value in parts_of(first.name) and not between & {"of", "and", "fused", "then", "after"}
    said = text.text[left.end : right.begin]
    whole = first.category in _WHOLE or first.category == "optimizer"
    part = part and (whole or "operator" not in between)  # "square, rsqrt, multiply by it" multiplies
    told = (
        first.category in _WHOLE
        or first.category == "optimizer"
        or _DEFINED.search(said)
        or _BEGINS.search(said)
    )
    return [right] if part and told else []


def _are_alike(one: OperatorEntry, other: OperatorEntry) -> bool:
    """Say whether two operators are of one kind, as far as their categories and names tell."""
    kinds = {one.category, other.category} - {"other"}
    return len(kinds) == 1 and (
        one.category == other.category or one.name.split("_")[-1] == other.name.split("_")[-1]
    )


def _is_path(text: MarkedText, mark: Mark) -> bool:
    return re.match(r"(?:torch|nn|f)\.", text.text[mark.begin : mark.end]) is not None


def _in_parentheses(text: MarkedText, mark: Mark) -> bool:
    before, after = text.text[: mark.begin].rstrip(), text.text[mark.end :].lstrip()
    return before.endswith("(") and after.startswith(")") and before[:-1].strip() != ""


def _said_before(text: MarkedText, marks: list[Mark], mark: Mark) -> bool:
    """Say whether a formula in parentheses only repeats what operators and numbers before it say."""
    formula = mark.value.formula
    numbers = set(re.findall(r"\d+(?:\.\d+)?", formula))
    said = set(re.findall(r"\d+(?:\.\d+)?", text.text[: mark.begin]))
    earlier = [m for m in marks if m.kind == "operator" and m.end <= mark.begin]
    names = {m.value if isinstance(m.value, str) else m.value.operator for m in earlier}
    return numbers <= said and operations_of(formula) <= names and bool(numbers)


def _is_composite(name: str) -> bool:
    """Say whether it is made of several operations, so that a formula beside it tells what it computes."""
    entry = operator_named(name)
    made = ("activation", "normalization", "loss", "reduction")
    return entry is not None and bool(entry.source or (entry.expression and entry.category in made))
