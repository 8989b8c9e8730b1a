"""Read a text, in English or Chinese, without a model. Every word is used, is known to say nothing, or is asked about.

The text is marked by one recogniser after the other (`reading`): formulas, operators, types, attributes, axes, shapes,
wishes, words that join operators or take something back. What is marked then becomes a chain of steps (`chain`), or
changes the request that is known already. A text that is not understood changes nothing.
"""

import re
from functools import lru_cache

from akgen.agents.requests.abbreviated import with_permutations, with_sizes
from akgen.agents.requests.accounted import lost_results, unaccounted
from akgen.agents.requests.asides import without_asides
from akgen.agents.requests.assigned import assigned_request, open_list
from akgen.agents.requests.bound_forms import bound_request
from akgen.agents.requests.by_clauses.reader import stepwise_request
from akgen.agents.requests.chained_forms import chained_request
from akgen.agents.requests.counted import with_told_sizes
from akgen.agents.requests.edits import edited
from akgen.agents.requests.explained import agrees, headed, is_named_so, shortened
from akgen.agents.requests.follow_up_words import acknowledges
from akgen.agents.requests.guesses import without_typos
from akgen.agents.requests.halves import halved_request
from akgen.agents.requests.indices import without_indices
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.latex import with_products, without_latex
from akgen.agents.requests.libraries import in_our_names, in_torch
from akgen.agents.requests.listed_steps import with_listed, with_own_attributes, with_steps
from akgen.agents.requests.loss_reductions import with_loss_reduction
from akgen.agents.requests.masks import masked_request
from akgen.agents.requests.named_operands import with_named_operands
from akgen.agents.requests.named_twice import said_twice
from akgen.agents.requests.needs import missing
from akgen.agents.requests.offers import asked_about, misspelt
from akgen.agents.requests.pasted.extraction import (
    extract_code,
    without_description,
)
from akgen.agents.requests.pasted.nodes import with_nodes, with_properties
from akgen.agents.requests.pasted.read_code import code_follow_up, read_code
from akgen.agents.requests.plain_words import everywhere_plain, loosely_plain, request_plain
from akgen.agents.requests.plainly_declared import plainly_declared
from akgen.agents.requests.problems import Unclear, problem, problem_of
from akgen.agents.requests.program import input_count
from akgen.agents.requests.reading import Reading
from akgen.agents.requests.request import ParsedRequest, Request
from akgen.agents.requests.restated import restated
from akgen.agents.requests.results_wanted import (
    computed_of_results,
    returns_as_many,
    wanted_results,
    with_results,
)
from akgen.agents.requests.several_tensors import joined_request, per_channel_request, prepared_request
from akgen.agents.requests.shorthand import written_out
from akgen.agents.requests.signs import plain
from akgen.agents.requests.specified.built import differs
from akgen.agents.requests.specified.reader import specified_request
from akgen.agents.requests.stated import with_stated_result, without_kept_result
from akgen.agents.requests.told import told_request
from akgen.agents.requests.told_weights import with_vectors, with_weights
from akgen.agents.requests.turns import clause_by_clause, in_conversation
from akgen.agents.requests.typed.reader import typed_request, wraps_around
from akgen.tools.core.dtypes import DType

_YES = re.compile(
    r"\s*(?:y|yes|yep|yeah|ok|okay|sure|right|correct|go|是的?|对的?|好的?|可以|行|嗯)[\s.!。！]*\Z", re.I
)

_AGREES = re.compile(  # "yes, with affine": the rest is what is wanted
    r"\A\s*(?:(?:yes|yep|yeah|ok|okay)(?:[,.!\s]+)|(?:sure|right|great|thanks|perfect|cool|是的|对的?|好的?|可以|嗯|行)\s*[,，.!。！]+)"
    r"\s*(?=\S)",
    re.I,
)
_CODE = re.compile(r"```|`|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)
_POWER = re.compile(
    r"(?<![\w.])[a-z]\w* ?\^ ?(?!t(?!\w))[a-z]\w*(?![\w(])", re.I
)  # of two tensors, or all bits but the same
_QUOTED = re.compile(r"`([A-Za-z_]\w*)`")  # a name, and no code
_BEYOND_REASON = re.compile(r"\d{12}(?=\d{28})|(?:[-+~([{√]\s*){12}(?=(?:[-+~([{√]\s*){88})")


def parse_request(
    text: str, known: Request | None = None, before: Language = Language.ENGLISH
) -> ParsedRequest:
    """Read what a person says, with what is known already; a text with PyTorch code in it as code.

    `before` is the language of the conversation so far, for a text that does not tell.
    """
    known = known or Request()
    if acknowledges(text) and not known.empty and not missing(known):
        return ParsedRequest(request=known)
    text = text.encode(errors="replace").decode()  # half characters, which nothing could write down
    text = in_our_names(in_torch(with_nodes(with_properties(text)) if known.empty else _AGREES.sub("", text)))
    plain = _in_plain_words(text, first=known.empty)
    heard = in_conversation(plain, known, lambda said, then: _parsed(said, then, before))
    if heard.problem is None:
        return heard
    loose = loosely_plain(text, " ".join(known.said))
    for said in dict.fromkeys((text, loose)):
        in_words = _in_plain_words(said, first=known.empty)
        if said != text:
            again = in_conversation(in_words, known, lambda told, then: _parsed(told, then, before))
            if (
                again.problem is None
                and again.request != known
                and _keeps_tensors(again.request, known, said)
            ):
                return again
        found = clause_by_clause(in_words, known, lambda told, then: _parsed(told, then, before))
        if found is not None and found != known and _keeps_tensors(found, known, said):
            return ParsedRequest(request=found)
    return heard


def _keeps_tensors(request: Request, known: Request, said: str) -> bool:
    """Say whether the tensors stay as they are where a follow-up tells no shape: the 1 of "1 - cos" is none."""
    told = re.search(r"\d ?[x×,] ?\d|[\[(] ?\d", said)
    return told is not None or not known.shapes or request.shapes == known.shapes


def _in_plain_words(text: str, *, first: bool) -> str:
    plain = everywhere_plain(request_plain(text) if first else text)
    return with_weights(written_out(with_permutations(with_own_attributes(plain))))


def _parsed(text: str, known: Request, before: Language) -> ParsedRequest:
    """Read a turn with what is known, and without the turns before it; a clause that says it again is checked."""
    heard = _parsed_once(text, known, before)
    if _CODE.search(text) or _BEYOND_REASON.search(text):
        return heard
    return restated(text, known, heard, lambda said, then: _parsed_once(said, then, before)) or heard


def _parsed_once(text: str, known: Request, before: Language) -> ParsedRequest:
    heard = _parsed_shortened(text, known, before)
    if heard.problem is None and wraps_around(text, heard.request):
        asked = problem("type_of_the_result", language_of(text, before), name=DType.INT32.value)
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    if (
        heard.problem is None
        and _POWER.search(text)
        and heard.request.dtypes
        and not _any_float(heard.request)
    ):
        asked = problem("which_one", language_of(text, before), names=["bitwise_xor", "pow"])
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    if heard.problem is None or _CODE.search(text) or _BEYOND_REASON.search(text):
        return heard
    typed = typed_request(text, known, lambda said, then: _understood_whole(said, then, before))
    if typed is not None and problem_of(typed, Language.ENGLISH) is None:
        return ParsedRequest(request=typed)
    sized = with_told_sizes(with_sizes(text) or text) if known.empty else text
    if sized != text:
        again = _parsed_once(_in_plain_words(sized, first=True), known, before)
        return again if _is_built(again) else heard
    if known.empty and (declared := plainly_declared(text)) != text:
        again = _parsed_shortened(declared, known, before)
        return again if _is_built(again) else heard
    return heard


def _any_float(request: Request) -> bool:
    return any(dtype.is_float for dtype in request.dtypes)


def _understood_whole(text: str, known: Request, before: Language) -> Request | None:
    parsed = _parsed_shortened(text, known, before)
    return parsed.request if parsed.problem is None else None


def _parsed_shortened(text: str, known: Request, before: Language) -> ParsedRequest:
    """Read a turn, if need be without what explains in it."""
    heard = _parsed_whole(text, known, before)
    if heard.problem is None or not known.empty or _CODE.search(text):
        return heard
    if (less := shortened(text)) is not None:
        again = _parsed_whole(less.text, known, before)
        if _is_built(again) and agrees(again.request, less):
            return again
    if (under := headed(text)) is not None:
        again = _parsed_whole(under.text, known, before)
        if _is_built(again) and is_named_so(again.request, under.title):
            return again
    return heard


def _is_built(parsed: ParsedRequest) -> bool:
    return parsed.problem is None and bool(parsed.request.steps or parsed.request.source)


def _parsed_whole(text: str, known: Request, before: Language) -> ParsedRequest:
    """Read a turn by the recognisers; a text that lays an operator out as it does."""
    if known.empty and (prepared := prepared_request(text, _plainly)) is not None:
        return ParsedRequest(request=prepared)
    heard = _parsed_plainly(text, known, before)
    if (both := _with_wanted_results(text, heard, known, before)) is not None:
        return both
    if heard.problem is not None and known.empty and (bare := _QUOTED.sub(r"\1", text)) != text:
        again = _parsed_whole(bare, known, before)
        return again if again.problem is None else heard
    if known.empty and (assigned := _assigned(text, heard)) is not None:
        return ParsedRequest(request=assigned)
    itself = known.empty and heard.problem is None and _takes_itself(text, heard.request)
    if itself or (known.empty and heard.problem is None and _left_open(heard.request)):
        stepwise = stepwise_request(text, _plainly)
        if itself and stepwise is None:
            return _not_built(text, itself, heard, known, before)
        return heard if stepwise is None else ParsedRequest(request=stepwise)
    plain = heard.problem is None and "=" not in text
    if not known.empty or plain or _CODE.search(text) or _BEYOND_REASON.search(text):
        return heard
    if heard.problem is not None and (named := with_named_operands(text, _plainly)) is not None:
        return ParsedRequest(request=named)
    for other in (halved_request, joined_request, per_channel_request) if heard.problem is not None else ():
        if (request := other(text, _plainly)) is not None and problem_of(request, Language.ENGLISH) is None:
            return ParsedRequest(request=request)
    request = specified_request(without_latex(text))
    if request is None and heard.problem is not None:
        request = stepwise_request(text, _plainly)
    if request is None or problem_of(request, Language.ENGLISH) is not None:
        return heard
    return (
        ParsedRequest(request=request)
        if heard.problem is not None or differs(heard.request, request)
        else heard
    )


def _takes_itself(text: str, request: Request) -> str:
    """Return where a text says that a step takes the chain's own input once more, which would be another tensor.

    "linear -> sigmoid -> times x, x [16, 512]" has one x. Empty where it does not.
    """
    alike = len(request.shapes) == 1 and len(request.shapes[0]) == 1
    if not alike or not request.steps[1:] or input_count(request) == 1:
        return ""
    shaped = {
        m[1]
        for m in re.finditer(
            r"(?<![\w.])([a-z])(?= ?(?:is |of |形状|shape|[:=是为])* ?[\[(]?\d+ ?[x,×] ?\d)", text, re.I
        )
    }
    for match in re.finditer(
        r"(?:(?:和|与|跟|乘以?|加上?|减去?|除以?) ?|(?<![a-z])(?:times|by|plus|minus|add|with) )([a-z])(?![\w])",
        text,
        re.I,
    ):
        if shaped == {match[1]}:
            return match[0]
    return ""


def _left_open(request: Request) -> bool:
    """Say whether the shapes may be those of one case, or attributes of the steps are lacking."""
    return len(request.shapes) > 1 or "attribute" in missing(request)


def _with_wanted_results(
    text: str, heard: ParsedRequest, known: Request, before: Language
) -> ParsedRequest | None:
    """Return a chain with the results that a text wants beside the last one; a question where one would be built."""
    wanted = None if _CODE.search(text) else wanted_results(text)
    if wanted is None:
        listed = computed_of_results(text, heard.request) if heard.problem is None else None
        return (
            None
            if listed is None or heard.request == known
            else _not_built(text, listed, heard, known, before)
        )
    again = _parsed_plainly(wanted.rest, known, before) if wanted.rest.strip(" .。!！") else None
    request = known if again is None else again.request if again.problem is None else None
    if request is not None and (several := with_results(request, wanted)) is not None:
        return ParsedRequest(request=several)
    if heard.problem is not None or heard.request == known or returns_as_many(heard.request, wanted):
        return None
    return _not_built(text, wanted.said, heard, known, before)


def _not_built(text: str, said: str, heard: ParsedRequest, known: Request, before: Language) -> ParsedRequest:
    asked = problem("not_built", language_of(text, before), words=[said], name=heard.request.name)
    return ParsedRequest(request=known, problem=asked, kind="unclear")


def _assigned(text: str, heard: ParsedRequest) -> Request | None:
    """Return the request of told tensors, where it was left open for what they stand, how many, or of which cases."""
    several = len(heard.request.shapes) > 1
    if heard.problem is None and not several and not open_list(heard.request):
        return None
    if _CODE.search(text) or _BEYOND_REASON.search(text):
        return None
    found = assigned_request(text)
    if found is None or problem_of(found, Language.ENGLISH) is not None:
        return None
    same = heard.problem is None and not several and len(found.shapes[0]) == input_count(heard.request)
    return None if same else found


def _parsed_plainly(text: str, known: Request, before: Language) -> ParsedRequest:
    text = text if _CODE.search(text) else without_indices(with_products(without_latex(text)))
    found = extract_code(text)
    language = language_of(found.words, before)
    if found.code is None:
        return read_words(found.words, known, language)
    heard = read_code(found, known, language, read_words, _plainly)
    if heard.problem is not None and (plainly := without_description(found)) is not None:
        bare = read_code(plainly, known, language, read_words, _plainly)
        heard = bare if bare.problem is None else heard
    if found.sure or (heard.problem is None and not missing(heard.request)):
        return heard
    words = read_words(text, known, language)
    return words if words.problem is None or heard.problem is not None else heard


def read_words(text: str, known: Request, language: Language, *, given: bool = False) -> ParsedRequest:
    """Read words alone; `given` if what to compute is known from elsewhere and the words need say nothing."""
    text = without_asides(text, given=given or not known.empty)
    parsed = _read_words(text, known, language, given=given)
    if parsed.problem is not None and (spelt := without_typos(text)) != text:
        again = read_words(spelt, known, language, given=given)
        return again if again.problem is None else parsed
    if given or not known.empty:
        return parsed
    return with_stated_result(text, parsed, lambda said: _read_words(said, known, language), language)


def _read_words(text: str, known: Request, language: Language, *, given: bool = False) -> ParsedRequest:
    if endless := _BEYOND_REASON.search(text):  # no size, no number that floats tell from another, no formula
        return ParsedRequest(
            request=known,
            problem=problem(
                "not_read",
                language,
                words=[f"{endless[0]}..."],
                close=(),
                offer=None,
                without=None,
                known=known,
            ),
            kind="unclear",
        )
    try:
        text = with_vectors(with_steps(with_listed(text)))
        code = (
            None
            if given or known.source is None
            else code_follow_up(text, known, language, read_words, _plainly)
        )
        if code is not None:
            return code
        edit = None if given else edited(text, known, _plainly)
        text = text if edit is not None else without_kept_result(text, known)
    except Unclear as unclear:
        asked = problem(unclear.name, language, **unclear.values)
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    if edit is not None:
        if problem_of(edit.request, language) is None and not edit.rest:
            return ParsedRequest(request=edit.request)
        behind = read_words(edit.rest, edit.request, language) if edit.rest else None
        if behind is not None and behind.problem is None:
            return behind
    if known.empty and not given and (bound := bound_request(text)) and problem_of(bound, language) is None:
        return ParsedRequest(request=bound)
    if (
        known.empty
        and not given
        and (chained := chained_request(text))
        and problem_of(chained, language) is None
    ):
        return ParsedRequest(request=chained)
    try:
        masked = None if given else masked_request(text, known, _plainly)
    except Unclear as unclear:
        keep = ", True = keep" if language is Language.ENGLISH else "，True 表示保留"
        offer = f"{text}{keep}" if unclear.name == "mask_values" else None
        asked = problem(unclear.name, language, **unclear.values, offer=offer)
        return ParsedRequest(request=known, problem=asked, kind="unclear", offer=offer)
    if masked is not None and problem_of(masked, language) is None:
        return ParsedRequest(request=masked)
    reading = Reading(text, known)
    try:
        request = with_loss_reduction(text, reading.request())
    except Unclear as unclear:
        if unclear.name == "attribute_of_nothing" and (
            guess := misspelt(text, reading, known, language, read_words)
        ):
            return guess
        return _told(text, known, language) or ParsedRequest(
            request=known, problem=problem(unclear.name, language, **unclear.values), kind="unclear"
        )
    if unread := reading.unread():
        return _told(text, known, language) or asked_about(text, unread, known, language, read_words)
    if request == known and not given:
        name = "nothing_said" if known.empty else "nothing_new"
        return ParsedRequest(request=known, problem=problem(name, language, name=known.name), kind="unclear")
    refused = problem_of(request, language)
    if refused is not None:
        return _told(text, known, language) or ParsedRequest(request=known, problem=refused, kind="refused")
    if said_twice(reading.text, request, known):
        asked = problem("order", language, names=[s.formula or s.operator for s in request.steps])
        return ParsedRequest(request=known, problem=asked, kind="unclear")
    lost = [*lost_results(text, request), *unaccounted(reading.text, text, request, known)]
    if lost and (told := _told(text, known, language)) is not None:
        return told
    if lost:
        sentence = problem("not_built", language, words=lost, name=request.name)
        return ParsedRequest(request=known, problem=sentence, kind="unclear")
    return ParsedRequest(request=request)


def _plainly(text: str, known: Request) -> Request | None:
    """Return the request of a text that is understood whole; None of another one."""
    return _alone(text) if known == Request() else _with(text, known)


@lru_cache(maxsize=512)
def _alone(text: str) -> Request | None:
    return _with(text, Request())


def _with(text: str, known: Request) -> Request | None:
    parsed = read_words(text, known, language_of(text, Language.ENGLISH))
    return parsed.request if parsed.problem is None else None


def _told(text: str, known: Request, language: Language) -> ParsedRequest | None:
    """Return what a text tells by equations, where the recognisers would ask; None if it cannot be read so."""
    try:
        found = told_request(text)
    except Unclear as unclear:
        offer = f"{text}, {unclear.values['name']} without affine" if unclear.name == "norm_weights" else None
        asked = problem(unclear.name, language, **unclear.values, offer=offer)
        return ParsedRequest(request=known, problem=asked, kind="unclear", offer=offer)
    if found is None:
        return None
    request, marked = found
    try:
        request = with_loss_reduction(text, request)
    except Unclear:
        return None
    kept = known.dtypes if request.assumed else request.dtypes
    if kept:
        request = request.model_copy(update={"dtypes": kept, "assumed": known.assumed and request.assumed})
    if problem_of(request, language) is not None or unaccounted(marked, plain(text), request, known):
        return None
    return ParsedRequest(request=request)


def says_yes(text: str) -> bool:
    return bool(_YES.match(text))
