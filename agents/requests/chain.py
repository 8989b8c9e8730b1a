"""Turn what was marked in a text into a chain of operators with types and shapes, or into a change of one."""

import itertools
import re
from typing import Any

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.chain_shapes import with_shapes
from akgen.agents.requests.formula import is_scalar, operations_of
from akgen.agents.requests.marks import Mark, MarkedText, phrase
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.wishes import Wishes
from akgen.knowledge.operators import operator_named

_VALUES = ("operator", "dtype", "shape", "shapes", "attribute", "axis", "number", "bias", "first")
_REDUCED = {"max": ("amax", "maximum"), "min": ("amin", "minimum")}
_TWO = re.compile(r"\b(?:two|both|x and y|a and b|elementwise|element-wise|pairwise)\b|两个|逐元素")


_TWO_TENSORS = re.compile(
    r"\btwo (?:[a-z0-9]+ )?(?:tensors|inputs|matrices|vectors|arrays)|两个(?:张量|输入|矩阵|向量)"
)
_LISTED = re.compile(
    r"(?:[\s,/&|+、，]|and|or|also|as well as|plus|then|in|with|both|和|与|及|或|还要|也要)*"
)
_DEFINED = re.compile(
    r"[:=]|(?<![a-z])(?:i\.?e\.?|namely|that is|which is|meaning|defined as|computed as|as)(?![a-z])"
    r"|即|也就是|就是|等于|定义为"
)
_TARGET = re.compile(r"(?:(?<![a-z])(?:to|into|as)|->|→|=>|成|为|到)\s*(?:an? )?\Z")
_OF_THE_RESULT = re.compile(  # not "change it to bf16" and not "input and output fp16"
    r"\A(?!.*(?<![a-z])(?:change[ds]?|switch|set|make|convert|move|go|turn|inputs?|both)(?![a-z]))"
    r".*(?:(?<![a-z])(?:in)?to|->|→|=>|(?<![a-z])outputs?(?: type| dtype)?(?: is| as| in|:)?"
    r"|(?<!输入)(?<!输入和)(?<!输入、)输出(?:类型)?(?:为|成|是)?|转[成为到])\s*\Z",
    re.DOTALL,
)
_ADDED = re.compile(
    r"\s*(?:and |also |now |please )*(?:add|append|put|attach) (?:an?|another) (?!kernel)"
    r"|\s*(?:再|最后|后面|末尾)*[加接](?:上)?(?:一个|个)"
)
_FOLDED = frozenset(("add", "mul", "maximum", "minimum"))  # with three tensors: applied twice
_VARIABLE = re.compile(r"(?<![a-z0-9_'])[xyz](?![a-z0-9_'])")


def assemble(text: MarkedText, known: Request, wishes: Wishes, sized: dict[str, int]) -> Request:
    """Return what is known now. Raises Unclear."""
    marks = _kept(text)
    if any(m.kind == "denied" for m in marks):
        raise Unclear("taken_back")
    _refuse_choices(text, marks)
    marks = _without_labels(text, marks)
    if any(m.value == "cast" for m in marks):
        marks = _casts(text, marks)
    _refuse_two_types(text, marks)
    operators = [m for m in marks if m.kind == "operator"]
    steps, chained = _steps(text, marks, operators, known)
    if _replaced_alike(steps, known.steps) and not any(m.kind in ("axis", "shape") for m in marks):
        steps = (
            steps[0].model_copy(update={"attributes": {**known.steps[0].attributes, **steps[0].attributes}}),
        )
    if counts := [m.value for m in marks if m.kind == "count"]:
        steps = _with_inputs(steps, counts[0])
    named = bool(operators)
    replaced = named and not chained
    knobs = (
        wishes.knobs if replaced or known.knobs is None else known.knobs.joined(wishes.knobs or known.knobs)
    )
    also = any(m.kind == "also" for m in marks)
    dtypes = tuple(dict.fromkeys(m.value for m in marks if m.kind == "dtype"))
    request = known.model_copy(
        update={
            "steps": steps,
            "source": None if replaced else known.source,
            "dtypes": (tuple(dict.fromkeys((*known.dtypes, *dtypes))) if also else dtypes)
            if dtypes
            else known.dtypes,
            "dynamic": known.dynamic if wishes.dynamic is None else wishes.dynamic,
            "knobs": knobs,
            "sizes": {**({} if replaced else known.sizes), **sized},
        }
    )
    return with_shapes(text, marks, request, known, also=also)


def _kept(text: MarkedText) -> list[Mark]:
    """Return the marks without what the text takes back."""
    marks = [m for m in text.sorted() if m.kind != "filler"]
    dropped: set[int] = set()
    for at, mark in enumerate(marks):
        if mark.kind not in ("not", "fix", "no"):
            continue
        later = next((i for i in range(at + 1, len(marks)) if marks[i].kind in _VALUES), None)
        if mark.kind == "not":
            if later is None:
                raise Unclear("taken_back")
            dropped.add(later)
        elif later is not None:
            earlier = [i for i in range(at) if _alike(marks[i], marks[later]) and i not in dropped]
            dropped |= set(earlier[-1:] or ([later] if mark.kind == "no" else []))
    kept = [m for i, m in enumerate(marks) if i not in dropped]
    lost = any(marks[i].kind == "operator" for i in dropped)
    if lost and not any(m.kind == "operator" for m in kept):
        raise Unclear("taken_back")
    return kept


def _alike(mark: Mark, other: Mark) -> bool:
    shapes = ("shape", "shapes")
    return mark.kind == other.kind or (mark.kind in shapes and other.kind in shapes)


def _refuse_choices(text: MarkedText, marks: list[Mark]) -> None:
    for at, mark in enumerate(marks):
        if mark.kind == "or" and 0 < at < len(marks) - 1:
            left, right = marks[at - 1], marks[at + 1]
            raise Unclear("which_one", names=[text.text[m.begin : m.end] for m in (left, right)])


def _refuse_two_types(text: MarkedText, marks: list[Mark]) -> None:
    """Refuse types that are not listed beside each other: one may be of the input, the other of the output."""
    types = [m for m in marks if m.kind == "dtype"]
    for left, right in itertools.pairwise(types):
        between = text.text[left.end : right.begin]
        if left.value != right.value and not _LISTED.fullmatch(between):
            raise Unclear("two_types", names=[str(left.value), str(right.value)])
    for mark in types[:1]:
        before = [m.end for m in marks if m.kind == "operator" and m.end <= mark.begin]
        if before and _OF_THE_RESULT.search(text.text[before[-1] : mark.begin]):
            raise Unclear("type_of_the_result", name=str(mark.value))


def _without_labels(text: MarkedText, marks: list[Mark]) -> list[Mark]:
    """Drop names that only say what the formula behind them computes, as in "swiglu: silu(x) * y". Raises Unclear."""
    operators = [m for m in marks if m.kind == "operator"]
    dropped: list[Mark] = []
    for at, mark in enumerate(operators):
        if not isinstance(mark.value, ChainStep) or mark.value.formula is None:
            continue
        for name in mark.value.variables:
            if is_scalar(name):
                raise Unclear("scalar", name=name)
        if at == 0:
            continue
        begin = operators[at - 1].end
        if any(m.kind in ("then", "of", "after") for m in marks if begin <= m.begin and m.end <= mark.begin):
            continue
        names = {m.value if isinstance(m.value, str) else m.value.operator for m in operators[:at]}
        if _DEFINED.search(text.text[begin : mark.begin]) or names <= operations_of(mark.value.formula):
            dropped += operators[:at]
        elif len(mark.value.variables) > 1:
            raise Unclear("order", names=[*sorted(names), mark.value.formula])
    return [m for m in marks if m not in dropped]


def _casts(text: MarkedText, marks: list[Mark]) -> list[Mark]:
    """Give every conversion the type that stands after its "to"; what is left are the input's types. Raises Unclear."""
    kept = list(marks)
    for cast in [m for m in marks if m.value == "cast"]:
        types = [m for m in kept if m.kind == "dtype"]
        later = [m for m in types if m.begin >= cast.end and _TARGET.search(text.text[cast.begin : m.begin])]
        earlier = [m for m in types if m.end <= cast.begin and _TARGET.search(text.text[: m.begin])]
        if not (target := next(iter([*later, *earlier]), None)):
            raise Unclear("operand", operator="cast")
        kept.remove(target)
        step = ChainStep(operator="cast", attributes={"dtype": target.value.value})
        kept[kept.index(cast)] = cast._replace(value=step)
    return kept


def _replaced_alike(steps: tuple[ChainStep, ...], known: tuple[ChainStep, ...]) -> bool:
    """Say whether one operator takes the place of another one of its kind: "make it a mean" after a sum over dim 0."""
    if len(steps) != 1 or len(known) != 1 or steps == known or steps[0].formula or known[0].formula:
        return False
    old, new = entry_of(known[0]), entry_of(steps[0])
    kinds = ("reduction", "softmax", "scan", "pooling")
    return old.category == new.category in kinds and set(known[0].attributes) <= set(parameters_of(new))


def _with_inputs(steps: tuple[ChainStep, ...], count: int) -> tuple[ChainStep, ...]:
    """Return the steps with so many tensors. Raises Unclear if the operator does not take them."""
    if not steps:
        return steps
    names = {s.operator for s in steps}
    taken = sum(tensors_of(s) - bool(i) for i, s in enumerate(steps))
    numbers = any(isinstance(o, int | float) for s in steps for o in s.operands)
    if len(names) == 1 and names <= _FOLDED and count > 1 and not numbers:
        more = ChainStep(operator=steps[0].operator, operands=("tensor",))
        return (steps[0], *[more] * (count - 2))
    if taken != count:
        raise Unclear("more_tensors", names=[s.operator for s in steps], taken=taken)
    return steps


def _refuse_other_tensors(text: MarkedText, steps: list[ChainStep]) -> None:
    """Refuse a text that speaks of more tensors than its operators take."""
    named = set(_VARIABLE.findall(text.rest))
    two = _TWO_TENSORS.search(text.text)
    taken = sum(tensors_of(s) - bool(i) for i, s in enumerate(steps))
    if max(len(named), 2 if two else 0) > taken:
        raise Unclear("more_tensors", names=[s.operator for s in steps], taken=taken)


def _steps(
    text: MarkedText, marks: list[Mark], operators: list[Mark], known: Request
) -> tuple[tuple[ChainStep, ...], bool]:
    """Return the chain, and whether it goes on from the known one."""
    first = operators[0] if operators else None
    lead = re.match(rf"\s*(?:{phrase('lead').pattern})", text.text)
    whole = any(
        m.kind in ("dtype", "shape", "shapes") for m in marks
    )  # a request of its own, not a follow-up
    added = _ADDED.match(text.text) and not whole
    chained = bool(known.steps) and (
        lead is not None or bool(added) or (not whole and _only_operands(marks, first))
    )
    made = _marked_steps(text, marks, operators)
    before = list(known.steps) if chained or not operators else []
    inserted = [m for m in marks if m.kind in ("bias", "first")]
    if not operators and inserted and known.steps:
        made = [(m, ChainStep(operator="add", operands=(m.kind,))) for m in inserted]
        chained = True
    chain: list[tuple[int, ChainStep]] = [(-1, s) for s in before] + [(m.begin, s) for m, s in made]
    if not chain:
        if any(m.kind in ("attribute", "axis") for m in marks):
            raise Unclear("attribute_of_code" if known.source else "attribute_of_nothing")
        return (), False
    steps = _with_attributes(text, marks, chain)
    settled = [_settled(text, s) for s in steps]
    if operators:
        _refuse_other_tensors(text, settled)
    return tuple(settled), chained


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
            items[-1] = (owner, step.model_copy(update={"operands": (mark.value,)}))
        elif mark.kind in ("bias", "first") and operators:
            _add_operand(text, items, mark)
    if not items:
        return []
    loose = any(m.kind in ("then", "fused") for m in marks) or len(items) >= 3
    groups: list[list[tuple[Mark, ChainStep]]] = [[items[0]]]
    for left, right in itertools.pairwise(items):
        how = _joint(text, marks, left, right, loose=loose)
        if how == "inner":
            groups[-1].append(right)
        elif how == "next":
            groups.append([right])
        else:
            raise Unclear(
                "order", names=[left[1].formula or left[1].operator, right[1].formula or right[1].operator]
            )
    return [item for group in groups for item in reversed(group)]


def _add_operand(text: MarkedText, items: list[tuple[Mark, ChainStep]], mark: Mark) -> None:
    """Give a bias or the first input to the addition before it, or add it by an addition of its own."""
    if items:
        owner, step = items[-1]
        between = text.text[owner.end : mark.begin].strip(" ,")
        if step.operator in ("add", "sub", "mul") and between in ("", "a", "the", "an", "back", "上", "一个"):
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
            raise _refused(text, mark, steps)
        for name, value in values.items():
            if given.setdefault((i, name), value) != value:
                raise Unclear("said_twice", name=name)
        steps[i] = steps[i].model_copy(update={"attributes": {**steps[i].attributes, **values}})
    return steps


def _accepted(step: ChainStep, mark: Mark) -> dict[str, Any] | None:
    """Return the attributes of the step that the mark sets; None if it has none of them."""
    if step.formula is not None:
        return None
    entry = entry_of(step)
    known = parameters_of(entry)
    if mark.kind == "attribute":
        found = {name: value for name, value in mark.value.values.items() if name in known}
        return found or None
    axis = mark.value
    several = axis if isinstance(axis, tuple) else None
    if isinstance(axis, str) and axis.startswith("last "):
        count = int(axis.split()[1])
        if "normalized_shape" in known:
            return {"normalized_axes": count}
        axis = several = tuple(range(-count, 0))
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
    return None


def _refused(text: MarkedText, mark: Mark, steps: list[ChainStep]) -> Unclear:
    names = [s.operator for s in steps]
    said = text.text[mark.begin : mark.end].strip()
    if mark.kind == "axis":
        return Unclear("no_axis", operator=names[-1])
    return Unclear("no_attribute", operator=names[-1], said=said)


def _settled(text: MarkedText, step: ChainStep) -> ChainStep:
    """Return the step with what depends on the whole text: which maximum is meant, which normalisation, operands."""
    attributes, operands = dict(step.attributes), list(step.operands)
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
