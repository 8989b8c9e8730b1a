"""Read a turn in its conversation: it may take back what was said, change it, add to it, or go on from it.

Where a follow-up may say more than what was taken of it, that is asked: "dim 1 as well", a bare number that became a
shape.
"""

import re
from collections.abc import Callable

from akgen.agents.requests.follow_up_words import acknowledges, clause_spans, pattern, plainly
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.named_twice import SELDOM_TWICE
from akgen.agents.requests.needs import missing, tensors_of
from akgen.agents.requests.problems import problem
from akgen.agents.requests.remembered import in_other_words, only_named, operators_of, remembered, taken_back
from akgen.agents.requests.rephrased import rephrased
from akgen.agents.requests.request import ParsedRequest, Request, Shape
from akgen.agents.requests.restated import compute_same, is_led
from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.revised import added, revised, without_unchanged
from akgen.agents.requests.shared_shapes import names_one
from akgen.agents.requests.specified.program import NAME
from akgen.agents.requests.stated import fitted, stated_result
from akgen.knowledge.operators import operator_named
from akgen.tools.core.dtypes import DType

_MOST_CLAUSES = 5  # of a follow-up that are read one after the other
_EQUATION = re.compile(r"(?<![\w.])[a-z]\w* = ?[a-z(]", re.I)
_OF_INDICES = re.compile(
    r"(?<![a-z])(?:ind(?:ex|ices)|idx|ids?|labels?|positions?|offsets?|masks?)(?![a-z])|下标|索引|标签", re.I
)
Parse = Callable[[str, Request], ParsedRequest]


def in_conversation(text: str, known: Request, parse: Parse) -> ParsedRequest:
    """Return what a turn makes of what is known; `parse` reads a turn by itself, with what is known."""
    text = rephrased(text, known)
    back = None if known.empty else taken_back(text, known)
    if back is not None:
        if not back.rest or only_named(back.rest, back.request):
            return ParsedRequest(request=back.request)
        heard = in_conversation(back.rest, back.request, parse)
        return heard if heard.problem is None else heard.model_copy(update={"request": known})
    text = text if known.empty else in_other_words(without_unchanged(text))
    if (told := _of_the_result(text, known, parse)) is not None:
        return told
    ways, again = _revised(text, known, parse)
    if len(again) > 1 and all(_same(again[0], other) for other in again[1:]):
        again = [next((r for r in again if r.source is None), again[0])]
    if len(again) == 1 and not _doubtful(text, again[0], known):
        return ParsedRequest(request=remembered(again[0], known, again[0].said))
    heard = parse(text, known)
    if heard.problem is not None:
        return _added(text, known, parse) or heard
    if ways and heard.request not in again and (again or _loses(heard.request, known)):
        names = [s.formula or s.operator for s in (*known.steps, *heard.request.steps)]
        asked = problem("order", language_of(text, Language.ENGLISH), names=list(dict.fromkeys(names)))
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    if heard.request == known:
        return heard
    if _doubtful(text, heard.request, known):
        names = [*(s.formula or s.operator for s in known.steps), text]
        asked = problem("order", language_of(text, Language.ENGLISH), names=names)
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    one = (_reshapes_all(heard.request, known) and names_one(text)) or _becomes_a_mask(
        heard.request, known, text
    )
    if one and known.shapes:
        asked = problem("two_shapes", language_of(text, Language.ENGLISH))
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    alone = not known.empty and parse(text, Request()).request == heard.request
    turns = (text,) if alone or known.empty else (*known.said, text)
    return heard.model_copy(update={"request": remembered(heard.request, known, turns)})


def _same(one: Request, other: Request) -> bool:
    return (one.shapes, one.dtypes) == (other.shapes, other.dtypes) and compute_same(one, other)


def clause_by_clause(text: str, known: Request, parse: Parse) -> Request | None:
    """Return what a follow-up makes of what is known, one clause after the other; None where one is not read."""
    spans = clause_spans(text)
    if (
        known.empty
        or (known.source is not None and known.source.name != NAME)
        or not 1 < len(spans) <= _MOST_CLAUSES
    ):
        return None
    if any(is_led(text[begin:end]) for begin, end in spans):
        return None
    request, told = known, set[str]()
    for begin, end in spans:
        clause = text[begin:end].strip()
        if acknowledges(clause) or pattern("the rest stays").fullmatch(plainly(clause)):
            continue
        if pattern("keeps").fullmatch(plainly(clause)):
            if result_shape(request) is None or result_shape(request) != result_shape(known):
                return None
            continue
        heard = in_conversation(clause, request, parse)
        if heard.problem is not None or heard.request == request:
            return None
        if parse(clause, Request()).request == heard.request:
            return None  # it would begin anew
        changed = [n for n in ("dtypes", "shapes") if getattr(heard.request, n) != getattr(request, n)]
        if told & {*changed}:
            return None  # "our model is fp16, make it bf16"
        told |= {*changed}
        request = heard.request
    return request


def _of_the_result(text: str, known: Request, parse: Parse) -> ParsedRequest | None:
    """Return what a turn makes that says the shape of its result: "the output should be 300x1" keeps the axis.

    A question where what is read of the rest returns another shape; None of any other text.
    """
    if known.empty or known.source is not None or not known.shapes or _EQUATION.search(text):
        return None
    text = pattern("counted results").sub(lambda m: f"{m['noun'] or 'output '}[{m['n'] or m['n2']}]", text)
    stated = stated_result(text)
    if len(stated.shapes) != 1 or stated.shapes[0] in known.shapes[0] or result_shape(known) is None:
        return None
    rest = stated.rest.strip(" ,，.。;；:：\n")
    heard = (
        in_conversation(rest, known, parse)
        if re.search(r"\w", plainly(rest))
        else ParsedRequest(request=known)
    )
    if heard.problem is not None:  # the result's shape must not become the tensors'
        taken = parse(text, known).request.shapes == (stated.shapes,)
        return heard.model_copy(update={"request": known}) if taken else None
    said = (*known.said, text) if heard.request == known else heard.request.said
    settled = fitted(heard.request, stated)
    if settled is not None and settled != known:
        return ParsedRequest(request=remembered(settled, known, said))
    if settled is None and (returned := result_shape(heard.request)) is not None:
        found, wanted = ("x".join(map(str, shape)) for shape in (returned, stated.shapes[0]))
        language = language_of(text, Language.ENGLISH)
        asked = problem("result_shape", language, name=heard.request.name, found=found, said=wanted)
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    return None


def _revised(text: str, known: Request, parse: Parse) -> tuple[bool, list[Request]]:
    """Say whether a text changes what the turns told, and return the requests that they then say."""
    told = known.source is None or known.source.name == NAME  # words, and no code of the person's own
    plain = known.said and told and not pattern("one more case").search(text)
    ways = revised(known.said, text) if plain else []
    if not ways or _replayed(known.said, parse) != known:
        return False, []
    found: list[Request] = []
    for way in ways:
        turns = way.turns
        request = _replayed(turns, parse)
        if request is None or request == known or {*missing(request)} - {*missing(known)}:
            continue
        if not (way.less or _keeps(request, known)):
            continue
        if request not in found:
            found.append(request.model_copy(update={"said": turns}))
    return True, found


def _becomes_a_mask(request: Request, known: Request, text: str) -> bool:
    """Say whether the type that is told of one tensor, a mask or indices, was taken for that of all."""
    if request.steps != known.steps or request.source != known.source:
        return False
    fresh = set(request.dtypes) - set(known.dtypes)
    floats = any(d.is_float for d in known.dtypes) and any(not d.is_float for d in fresh)
    return DType.BOOL in fresh or (floats and _OF_INDICES.search(text) is not None)


def _reshapes_all(request: Request, known: Request) -> bool:
    """Say whether all of several tensors get another shape, and nothing else changes."""
    several = any(_count(case, known) > 1 for case in known.shapes)
    one = all(len({*case}) == 1 for case in request.shapes)
    return several and one and request.steps == known.steps and request.shapes != known.shapes


def _keeps(request: Request, known: Request) -> bool:
    """Say whether a request has the tensors and the operators of a known one, but for one operator."""
    counts = [[_count(case, r) for case in r.shapes] for r in (request, known)]
    return counts[0] == counts[1] and len(operators_of(known) - operators_of(request)) <= 1


def _count(case: tuple[Shape, ...], request: Request) -> int:
    """Return how many tensors a case has; one shape may be that of all."""
    return len(case) if len(case) > 1 or not request.steps else tensors_of(request.steps[0])


def _loses(request: Request, known: Request) -> bool:
    """Say whether a request has nothing of a known one of several operators."""
    before = operators_of(known)
    return len(before) > 1 and not before & operators_of(request)


def _added(text: str, known: Request, parse: Parse) -> ParsedRequest | None:
    """Return the request of the turns with a text behind them, where it says more of the same: "加上因果掩码"."""
    if not known.said or known.source is not None or missing(known) or not known.shapes:
        return None
    for turns in added(known.said, text):
        request = _replayed(turns, parse)
        if request is None or request == known or missing(request) or request.dtypes != known.dtypes:
            continue
        if operators_of(request) == operators_of(known) and request.shapes == known.shapes:
            return ParsedRequest(request=remembered(request, known, turns))
    return None


def _replayed(turns: tuple[str, ...], parse: Parse) -> Request | None:
    """Return what turns say one after the other; None where one of them is asked about."""
    request = Request()
    for turn in turns:
        heard = parse(turn, request)
        if heard.problem is not None:
            return None
        request = heard.request
    return request


_COMMON = {"all", "any", "where"}  # operators whose names are words of any sentence: "all of it"
_AXES = ("dim", "dims", "dim0", "dim1")


def _doubtful(text: str, request: Request, known: Request) -> bool:
    """Say whether a request that was made of a text and of what is known is hardly what the person means."""
    if known.empty or request == known:
        return False
    cases = [(len(r.shapes), len(r.dtypes)) for r in (request, known)]
    if cases[0] == cases[1] and pattern("one more case").search(text) is not None:
        return True  # "再支持一个 shape" is one more, and not another one
    fresh = {s.operator for s in request.steps} - {s.operator for s in known.steps}
    if fresh and fresh <= _COMMON and re.search(r"(?<![a-z])(?:all|any) of|where it", text, re.I):
        return True
    if _EXCHANGES.search(text) and _stays_beside(request, known):
        return True
    return _shrinks(text, request, known) or _moves(text, request, known) or _of_both(text, known)


_EXCHANGES = re.compile(
    r"(?<![a-z])(?:make (?:it|that|this)|switch(?:ed)? (?:it |that )?to"
    r"|change (?:it|that|this) to|instead|replace)(?![a-z])|[换改](?:成|为|用)",
    re.I,
)


def _stays_beside(request: Request, known: Request) -> bool:
    """Say whether an operator stands beside the one of its kind whose place it was to take: softmax and log_softmax."""
    now, before = ([s.operator for s in r.steps] for r in (request, known))
    kinds = {n: e.category for n in {*now, *before} if (e := operator_named(n)) is not None}
    taken = {kinds[n] for n in now if n in kinds and n not in before} & SELDOM_TWICE
    return any(sum(kinds.get(n) == k for n in now) > sum(kinds.get(n) == k for n in before) for k in taken)


def _shrinks(text: str, request: Request, known: Request) -> bool:
    """Say whether a number in passing became the shape: "divide the logits by 8 before it" of a matrix."""
    before = {len(s) for case in known.shapes for s in case}
    now = [s for case in request.shapes for s in case]
    bare = bool(now) and all(len(s) == 1 for s in now) and bool(before) and min(before) > 1
    return bare and pattern("told as a vector").search(text) is None


def _moves(text: str, request: Request, known: Request) -> bool:
    """Say whether "dim 1 as well" took the place of the axis that was told before."""
    pairs = list(zip(request.steps, known.steps, strict=False))
    alike = len(request.steps) == len(known.steps) and all(a.operator == b.operator for a, b in pairs)
    if not alike or pattern("as well").search(text) is None:
        return False
    for now, then in pairs:
        for name in _AXES:
            old, new = (_axes(s.attributes.get(name)) for s in (then, now))
            if old and new and not old <= new:
                return True
    return False


def _axes(value: object) -> set[object]:
    return {*value} if isinstance(value, tuple) else set() if value is None else {value}


def _of_both(text: str, known: Request) -> bool:
    """Say whether a text speaks of two tensors as of one: "average of the two"."""
    return (
        len(known.steps[:1]) == 1
        and len(known.steps[0].variables) > 1
        and bool(
            re.search(
                r"(?<![a-z])of (?:the two|both|the both|them)(?![a-z])|(?:两者|两个|它们)的", text, re.I
            )
        )
    )
