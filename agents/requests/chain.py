"""Turn what was marked in a text into a chain of operators with types and shapes, or into a change of one."""

import re

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.chain_shapes import with_shapes
from akgen.agents.requests.formula import is_scalar, operations_of
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.refusals import refuse_choices, refuse_two_types
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.steps import steps_of
from akgen.agents.requests.wishes import Wishes

_VALUES = ("operator", "dtype", "shape", "shapes", "attribute", "axis", "number", "bias", "first")
_TARGET = re.compile(r"(?:(?<![a-z])(?:to|into|as)|->|→|=>|成|为|到)\s*(?:an? )?\Z")
_FOLDED = frozenset(("add", "mul", "maximum", "minimum"))  # with three tensors: applied twice

_DEFINED = re.compile(
    r"[:=]|(?<![a-z])(?:i\.?e\.?|namely|that is|which is|meaning|defined as|computed as|as)(?![a-z])"
    r"|即|也就是|就是|等于|定义为"
)


def assemble(text: MarkedText, known: Request, wishes: Wishes, sized: dict[str, int]) -> Request:
    """Return what is known now. Raises Unclear."""
    marks = _kept(text)
    if any(m.kind == "denied" for m in marks):
        raise Unclear("taken_back")
    refuse_choices(text, marks)
    marks = _without_labels(text, marks)
    if any(m.value == "cast" for m in marks):
        marks = _casts(text, marks)
    refuse_two_types(text, marks)
    operators = [m for m in marks if m.kind == "operator"]
    steps, chained = steps_of(text, marks, operators, known)
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
