"""Read a text again without what it says of its result and of the precision inside, where that alone was in the way."""

import re
from collections.abc import Callable, Iterator

from akgen.agents.requests.language import Language
from akgen.agents.requests.parsed import ParsedRequest
from akgen.agents.requests.problems import problem
from akgen.agents.requests.request import Shape
from akgen.agents.requests.stated import Stated, contradicted, fitted, stated_result
from akgen.agents.requests.tidied import tidied

_OPERAND = re.compile(  # "add x fp16 [8, 40] and y fp32 [8, 40]"
    r"(?:(?<![a-z])(?:and|with|to|from|by|plus|minus|times)|[和与加减乘])(?: (?:fp|bf|float|u?int)\d+)? ?"
    r"[yzo](?![a-z0-9_]) ?(?:fp|bf|float|u?int)\d",
    re.I,
)


def with_stated_result(
    said: str, parsed: ParsedRequest, read: Callable[[str], ParsedRequest], language: Language
) -> ParsedRequest:
    """Return what was read of a text, or what is read of it without what it says of its result, if both agree.

    `read` reads a text. Where what was read returns another shape than the text says, that is asked about.
    """
    stated = stated_result(said)
    if parsed.problem is None:
        return _checked(parsed, stated, language) if stated.shapes and parsed.request.steps else parsed
    for text, told in _versions(said):
        again = read(text)
        if again.problem is not None or not again.request.steps or not again.request.shapes:
            continue
        if (request := fitted(again.request, told)) is not None:
            return again.model_copy(update={"request": request})
    return parsed


def _versions(said: str) -> Iterator[tuple[str, Stated]]:
    """Yield a text without more and more of what it says beside its tensors, with what was left out."""
    text = tidied(said)
    stated = stated_result(text)
    nothing = Stated(text, (), alike=False)
    if text != said:
        yield text, nothing
    if stated.anything and (stated.sure or not _OPERAND.search(text)):
        yield stated.rest, stated


def _checked(parsed: ParsedRequest, stated: Stated, language: Language) -> ParsedRequest:
    request = parsed.request
    if not request.shapes or request.every_result or request.returned:
        return parsed
    if len(stated.shapes) == 1 and (settled := fitted(request, stated)) is not None:
        return parsed.model_copy(update={"request": settled})
    if (differ := contradicted(request, stated)) is None:
        return parsed
    found, wanted = map(_text, differ)
    asked = problem("result_shape", language, name=request.name, found=found, said=wanted)
    return ParsedRequest(request=type(request)(), problem=asked, kind="unclear")


def _text(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "()"
