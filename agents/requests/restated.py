"""Check by numbers what a text says again: "take the sqrt of it, so std", "softmax, so each row sums to 1".

A clause behind "so", "i.e.", 即, 也就是 or in parentheses may name an operator, give a formula, tell steps, or say what
the result is like. It is no step more where what the rest of the text tells computes the same on small tensors, or has
a result like that. Where it does not, that is asked.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from json import loads
from pathlib import Path
from typing import Any, NamedTuple

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.follow_up_words import clause_spans
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.needs import missing
from akgen.agents.requests.problems import problem
from akgen.agents.requests.program import input_count
from akgen.agents.requests.request import ChainStep, ParsedRequest, Request
from akgen.agents.requests.specified.program import NAME
from akgen.agents.requests.task import reference_for, task_for
from akgen.knowledge.operators import Value, find_operators, operator_named

Parse = Callable[[str, Request], ParsedRequest]
_GROUP = re.compile(r"[(（]([^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*)[)）]")
_SIGNS = re.compile(r"[a-z0-9)] ?(?:[-+*/^@]|\*\*) ?[a-z0-9(]", re.I)
_BY_INDEX = re.compile(
    r"(?<![\w.\]])[a-z]\w* ?\[ ?[a-z](?: ?, ?[a-z])* ?\] ?=(?!=) ?"
    r"(?P<right>(?:[^\[\]()（）,，;；。.\n]|\.\d|\[[^\[\]\n]*\]|\((?:[^()\n]|\([^()\n]*\))*\))+)",
    re.I,
)
_INDEXED = re.compile(r"(?<![\w.])([a-z]\w*) ?\[([^\[\]]*)\]", re.I)
_RECURRENCE = re.compile(  # y[t] = a[t] * y[t-1] + x[t], which no numbers of one step can check
    r"([a-z])\[t\] ?= ?[a-z]\[t\] ?\*? ?\1\[t ?- ?1\] ?\+ ?[a-z]\[t\]", re.I
)
_MOST_STEPS, _MOST_SAYINGS = 8, 2
_LONGEST = 400  # characters of a text that is looked at
_UNREADABLE = (RuntimeError, ValueError, IndexError, KeyError, AssertionError)


class _Saying(NamedTuple):
    """A clause that may say again what the rest of its text tells."""

    begin: int
    end: int
    what: str
    led: bool = False  # by "so", "i.e.", 即


def restated(text: str, known: Request, heard: ParsedRequest, parse: Parse) -> ParsedRequest | None:
    """Return what a text means of which a clause says something again, or a question; None of any other text."""
    if len(text) > _LONGEST:
        return None
    if (equation := _BY_INDEX.search(text)) is not None and not _is_as(equation, heard, parse):
        asked = problem(
            "not_built", language_of(text, Language.ENGLISH), words=[equation[0]], name=heard.request.name
        )
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    for saying in itertools.islice(_telling(text, known, heard), _MOST_SAYINGS):
        for rest in _rests(text, saying):
            told = parse(rest, known)
            if told.problem is not None or not _is_built(told.request) or told.request == known:
                continue
            if heard.problem is None and heard.request.steps == told.request.steps:
                return None
            if (found := _confirmed(saying.what, told.request, parse)) is not None:
                return ParsedRequest(request=found)
        if heard.problem is None and saying.led and _is_a_step_more(saying.what, heard.request):
            steps = [s.formula or s.operator for s in heard.request.steps]
            sentence = problem("order", language_of(text, Language.ENGLISH), names=steps)
            return ParsedRequest(request=known, problem=sentence, kind="unclear")
    return None


def is_led(clause: str) -> bool:
    """Say whether a clause begins as one that says something again: "so", "i.e.", 即."""
    return re.match(rf"\s*(?:and |，|,)?\s*(?:{_said()['leads']})", clause, re.I) is not None


def _is_as(equation: re.Match[str], heard: ParsedRequest, parse: Parse) -> bool:
    """Say whether what is built of an operator's name computes what an equation by index beside it says.

    True of what is built of the equation itself, and of what is asked about anyway.
    """
    request = heard.request
    if heard.problem is not None or request.source is not None or any(s.formula for s in request.steps):
        return True
    if _RECURRENCE.fullmatch(equation[0].strip()) and "linear_recurrence" in {
        s.operator for s in request.steps
    }:
        return True
    indexed = {m[1]: m[2].count(",") + 1 for m in _INDEXED.finditer(equation["right"])}
    count = input_count(request)
    if len(request.shapes) != 1 or len(indexed) != count:
        return False
    given = request.shapes[0] if len(request.shapes[0]) == count else request.shapes[0] * count
    shapes = tuple(
        shape[-axes:] for shape, axes in zip(given, indexed.values(), strict=True)
    )  # of the last axes
    tensors = [f"{name} {list(shape)}" for name, shape in zip(indexed, shapes, strict=True)]
    read = parse(", ".join((equation[0], *tensors)), Request())
    return read.problem is None and compute_same(
        request.model_copy(update={"shapes": (shapes,)}), read.request
    )


def _telling(text: str, known: Request, heard: ParsedRequest) -> Iterator[_Saying]:
    """Yield the clauses that stand behind an operator and may have become a step more, or are not understood."""
    for saying in _sayings(text):
        names = find_operators(saying.what.lower())
        signs = heard.problem is not None and (_SIGNS.search(saying.what) or _claim(saying.what))
        if ((names and saying.led) or signs) and not (
            known.empty and not find_operators(text[: saying.begin].lower())
        ):
            yield saying


def _rests(text: str, saying: _Saying) -> Iterator[str]:
    """Yield the text without what says it again; and with its last clause as a step behind the others."""
    before, behind = text[: saying.begin], text[saying.end :]
    yield f"{before}{behind}"
    if not saying.led:
        return
    begin, _ = clause_spans(before)[-1] if clause_spans(before) else (0, 0)
    then = " then " if before[begin:].isascii() else "然后"
    last = re.sub(r"\A\s*(?:and |再)?|(?: as well| too)\Z", "", before[begin:])
    yield f"{before[:begin]}{then}{last}{behind}".lstrip()


def _confirmed(what: str, told: Request, parse: Parse) -> Request | None:
    """Return the request of the rest where it computes what a clause says, or has a result as it says."""
    if (claim := _claim(what)) is not None:
        return told if _has(told, claim) else None
    same = next((r for r in _meant(what, told, parse) if compute_same(told, r)), None)
    return None if same is None else _simpler(told, same)


def _is_a_step_more(what: str, heard: Request) -> bool:
    """Say whether an operator that is named again is a step behind others."""
    name = _named(what)
    return name is not None and len(heard.steps) > 1 and heard.steps[-1].operator == name


def _named(what: str) -> str | None:
    """Return the operator that a name is, whole."""
    named = find_operators(what.lower())
    whole = len(named) == 1 and (named[0].begin, named[0].end) == (0, len(what))
    return named[0].operator if whole else None


def _sayings(text: str) -> Iterator[_Saying]:
    said = _said()
    lead = re.compile(rf"\s*(?:and |，|,)?\s*(?:{said['leads']})(?:{said['close']})", re.I)
    for begin, end in clause_spans(text):
        match = lead.match(text, begin, end)
        at = match.end() if match is not None else begin
        if match is not None or _claim(text[at:end]) is not None:
            yield _Saying(_stop_before(text, begin), end, _bare(text[at:end]), led=match is not None)
    for group in _GROUP.finditer(text):
        match = lead.match(group[1])
        what = _bare(group[1][match.end() if match else 0 :].lstrip("= "))
        if re.search(r"[a-z]{2}|[\u4e00-\u9fff]{2}", what, re.I):
            yield _Saying(*group.span(), what, led=match is not None)


def _stop_before(text: str, begin: int) -> int:
    """Return where the stop in front of a clause stands, which goes with it."""
    match = re.search(r"[\s,，;；]*\Z", text[:begin])
    return begin if match is None else match.start()


def _bare(what: str) -> str:
    return re.sub(rf"{_said()['trailing']}[\s.。!！]*\Z", "", what.strip(), flags=re.I).strip()


def _meant(what: str, told: Request, parse: Parse) -> Iterator[Request]:
    """Yield the requests of the told tensors that a name, a formula or steps may mean."""
    if (name := _named(what)) is not None:
        for attributes in _attributes(name, told.steps):
            step = ChainStep(operator=name, attributes=attributes)
            yield told.model_copy(update={"steps": (step,), "source": None, "sizes": {}})
        return
    alone = parse(what, Request())
    request = alone.request
    if alone.problem is None and request.steps and not request.shapes and len(request.steps) < _MOST_STEPS:
        yield told.model_copy(update={"steps": request.steps, "source": None, "sizes": {}})


def _attributes(name: str, steps: tuple[ChainStep, ...]) -> Iterator[dict[str, Value]]:
    """Yield what an operator may be told of its attributes: what each step was told, all of them, nothing."""
    entry = operator_named(name)
    own = {} if entry is None else parameters_of(entry)
    each = [{n: v for n, v in s.attributes.items() if n in own} for s in steps]
    together = {n: v for attributes in each for n, v in attributes.items()}
    tried: list[dict[str, Value]] = []
    for attributes in (together, *each, {}):
        if attributes not in tried:
            tried.append(attributes)
            yield attributes


def _simpler(told: Request, same: Request) -> Request:
    """Return the one of two that compute the same which has fewer steps, where the order of tensors is not at stake."""
    one = told.source is None and input_count(told) == 1
    shorter = one and len(same.steps) < len(told.steps) and same.steps[0].formula is None
    return same if shorter and not told.returned and not told.every_result else told


def compute_same(told: Request, other: Request) -> bool:
    """Say whether two requests compute the same of the same tensors, on small ones."""
    from akgen.tools.reference.agreement import agree  # imports torch: only where something is said twice

    one, two = _case(told), _case(other)
    return one is not None and two is not None and agree(one[0], two[0], one[1])


def _case(request: Request) -> tuple[str, dict[str, Any]] | None:
    """Return the reference of a request and its first case's parameters; None of what lacks something."""
    try:
        if missing(request):
            return None
        return reference_for(request), task_for(request, Path("reference.py"), "told").cases[0].params
    except _UNREADABLE:
        return None


def _is_built(request: Request) -> bool:
    own = request.source is None or request.source.name == NAME
    return own and bool(request.steps or request.source) and bool(request.shapes) and not missing(request)


def _claim(what: str) -> str | None:
    """Return what a clause says of the result; None where it says nothing of that kind."""
    bare = _bare(what)
    return next((name for name, said in _said()["claims"].items() if re.fullmatch(said, bare, re.I)), None)


def _has(told: Request, claim: str) -> bool:
    from akgen.tools.reference.agreement import holds

    case = _case(told)
    return case is not None and holds(*case, claim)


@cache
def _said() -> dict[str, Any]:
    found: dict[str, Any] = loads(files("akgen.agents.requests").joinpath("restated.json").read_text("utf-8"))
    return found
