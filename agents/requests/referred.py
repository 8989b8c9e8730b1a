"""Put the result together with the input that it was computed of: "multiply it by x", "1 - that", "用 x 除以它"."""

import re
from functools import cache

from akgen.agents.requests.follow_up_words import follow_up_words, pattern, plainly
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.result_shapes import result_shape
from akgen.knowledge.operators import find_operators, operator_named

_OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_FIRST = "first"  # the name of a request's first tensor in the formula of a later step


def with_input(text: str, known: Request) -> tuple[ChainStep, ...] | None:
    """Return the known steps with one that takes their result, "it", and the input or a number.

    None of another text. Raises Unclear where it is not told which tensor the input is, or where the result does not
    fit it.
    """
    said = pattern("result and return").sub("", plainly(text))
    if known.steps and pattern("its own").fullmatch(said):
        raise Unclear("order", names=[*(s.formula or s.operator for s in known.steps), text])  # whose?
    match = next((m for form in _forms() if (m := form.fullmatch(said))), None)
    if match is None or known.source is not None or not known.steps:
        return None
    told = {n.rstrip("0123456789"): v.strip().lower() for n, v in match.groupdict().items() if v}
    sign = _sign(told["op"])
    left, right = told.get("a", "it"), told["b"]
    if told.get("from"):
        left, right = right, left
    kinds = [_kind(name, known) for name in (left, right)]
    if kinds.count("result") != 1 or None in kinds:
        return None
    at = 1 - kinds.index("result")
    names = [*(s.formula or s.operator for s in known.steps), text]
    if not _makes(known.steps[-1], (right, left)[at]):
        raise Unclear("order", names=names)  # "that mean" of a sum
    if kinds[at] == "number" and "a" not in told:
        return None  # "multiply by 2" may begin another request
    if kinds[at] == "number":
        return (*known.steps, _with_number(sign, (left, right)[at], behind=at == 1))
    if sign in "-/" and at == 0 and (own := _own(sign, known)) is not None:
        return (own,)
    if len(known.steps) > 1 and _reduces(known.steps[-1]):
        raise Unclear("order", names=names)  # the first input, or what was reduced
    return _with_first(sign, known, text, behind=at == 1)


def _makes(step: ChainStep, said: str) -> bool:
    """Say whether a step may make what is named, "that sum"; a word without an operator names any result."""
    named = {n.operator for n in find_operators(said)}
    return step.formula is not None or not named or step.operator in named or _reduced(step) in named


def _reduced(step: ChainStep) -> str:
    return step.operator.removeprefix("a") if step.operator in ("amax", "amin") else step.operator


def _reduces(step: ChainStep) -> bool:
    return step.formula is None and entry_of(step).category == "reduction"


def _sign(said: str) -> str:
    signs: dict[str, str] = follow_up_words()["signs"]
    return next(sign for sign, words in signs.items() if re.fullmatch(words, said))


def _kind(name: str, known: Request) -> str | None:
    """Say whether a word stands for the result, for the input or for a number."""
    names = known.steps[0].variables
    if pattern("the result").fullmatch(name):
        return "result"
    if _number(name) is not None:
        return "number"
    own = name == names[0] if names else pattern("the input").fullmatch(name) is not None
    return "input" if own or pattern("the input").fullmatch(name) else None


def _number(name: str) -> int | float | None:
    name = {"one": "1", "two": "2"}.get(name, name)
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", name):
        return None
    return float(name) if "." in name else int(name)


def _with_number(sign: str, name: str, *, behind: bool) -> ChainStep:
    number = _number(name)
    assert number is not None
    if behind or sign in "+*":
        return ChainStep(operator=_OPERATORS[sign], operands=(number,))
    return ChainStep(operator="formula", formula=f"{number!r} {sign} x", variables=("x",))


def _with_first(sign: str, known: Request, text: str, *, behind: bool) -> tuple[ChainStep, ...]:
    names = [*(s.formula or s.operator for s in known.steps), text]
    if tensors_of(known.steps[0]) != 1:
        raise Unclear("order", names=names)  # of which of them?
    steps = known.steps
    given, result = known.shapes[0][0] if known.shapes else None, result_shape(known)
    if given is not None and result is not None and len(result) < len(given):
        steps = _keeping(steps)
        result = result_shape(known.model_copy(update={"steps": steps}))
    if given is not None and result is not None and not _beside(given, result):
        raise Unclear("order", names=names)
    formula = f"x {sign} {_FIRST}" if behind else f"{_FIRST} {sign} x"
    if behind and sign in "+-*" and steps == known.steps:
        return (*steps, ChainStep(operator=_OPERATORS[sign], operands=("first",)))
    return (*steps, ChainStep(operator="formula", formula=formula, variables=("x",)))


def _keeping(steps: tuple[ChainStep, ...]) -> tuple[ChainStep, ...]:
    """Return steps whose reductions keep the axes over which they reduce."""
    return tuple(
        s.model_copy(update={"attributes": {**s.attributes, "keepdim": True}})
        if s.formula is None and entry_of(s).category == "reduction" and _may_keep(s)
        else s
        for s in steps
    )


def _may_keep(step: ChainStep) -> bool:
    return any(s.parameter("keepdim") is not None for s in entry_of(step).signatures())


def _own(sign: str, known: Request) -> ChainStep | None:
    """Return the operator that takes a reduction from its own input, or divides by it, where there is one."""
    first, *later = known.steps
    if later or not _reduces(first):
        return None
    entry = operator_named(f"{_OPERATORS[sign]}_own_{_reduced(first)}")
    kept = {n: v for n, v in first.attributes.items() if n != "keepdim"}
    return ChainStep(operator=entry.name, attributes=kept) if entry is not None else None


def _beside(given: Shape, result: Shape) -> bool:
    return len(given) == len(result) and all(m in (1, n) for n, m in zip(given, result, strict=True))


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    words = follow_up_words()
    named = rf"(?:{words['the result']}|{words['the input']}|-?\d+(?:\.\d+)?|one|two|[a-z]\w?)"
    return tuple(
        re.compile(form.replace("A", rf"(?P<a>{named})").replace("B", rf"(?P<b>{named})"), re.I | re.A)
        for form in words["result and"]
    )
