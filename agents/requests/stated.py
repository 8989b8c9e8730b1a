"""Find what a text says of its result's shape: "out is 512x300", "-> [2, 8]", "输出 [16, 1000]", "same shape as x".

Such a shape is no tensor that somebody passes. The text is read without it, and what is read must return that shape, or
leave open what the shape settles: a size to resize to, whether a reduced axis is kept.

A text is read again without what it says of its result and of the precision inside, where that alone was in the way.
"the result is still [300, 700]" of a follow-up says of the result what it does not change.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from akgen.agents.requests.language import Language
from akgen.agents.requests.needs import entry_of, missing, missing_attribute
from akgen.agents.requests.places import shape_of
from akgen.agents.requests.problems import Unclear, problem
from akgen.agents.requests.request import ChainStep, ParsedRequest, Request, Shape
from akgen.agents.requests.result_shapes import FLAT, result_shape
from akgen.agents.requests.tidied import tidied

_TYPE = r"(?<![a-z0-9])(?:(?:fp|float|bf|bfloat|u?int)\d+|bool|half)(?![a-z0-9])"
_SHAPE = r"(?:[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|(?<![\w.])\d+(?: ?[x*] ?\d+)+(?![\w.]*\d))"
_FLOAT = re.compile(r"fp|float|bf|half")
_NOUN = (
    r"(?:(?<![a-z_0-9])(?:(?:the|final|return) )*(?:outputs?|results?|out|returns?|returning|giving|gives|give"
    r"|producing|produces|yield(?:s|ing)?)(?: (?:tensor|value|vector|matrix))?(?![a-z_0-9]| ?=)|输出|结果|返回|得到)"
)
_LINK = (
    r"(?:[\s:]|(?<![a-z])(?:is|are|of|has|have|with|an?|the|tensor|shaped?|should be|will be|again|also|in"
    r"|as|dtype|type|then|each)(?![a-z])|[的为是]|形状|大小|张量|应该?|类型|均|都)*"
)
_SIZED = rf"(?:(?P<before>{_TYPE}) ?[,，]?{_LINK})?(?P<shape>{_SHAPE})(?: ?\(?(?P<behind>{_TYPE})\)?)?"
_JOINT = r"(?:[,;，；、]? ?(?:(?<![a-z])(?:and|so|so that|with)(?![a-z])|并且?|则)? ?)"
_CALLED = (
    r"(?:(?<![a-z_])(?!(?:weights?|bias|mask|gamma|beta|projection|w|b|size|channels|features|dim|axis)(?![a-z]))"
    rf"[a-z]\w{{0,11}}{_LINK}(?:[,;] ?)?)?"
)
_OUTPUT = re.compile(rf"{_JOINT}{_NOUN}{_LINK}{_CALLED}{_SIZED}", re.I)
_LENGTH = re.compile(
    rf"{_JOINT}{_NOUN}{_LINK}(?P<n>\d+)(?= ?(?:[,，;；。]|\.(?!\d)|\Z))", re.I
)  # "output 8192"
_ARROW = re.compile(rf"(?:->|=>|→|⇒) ?(?:{_NOUN}{_LINK})?{_SIZED}", re.I)
_TO = re.compile(
    rf"(?:(?<![a-z])from |从 ?)?(?P<given>{_SHAPE}(?: ?{_TYPE})?) ?(?:(?<![a-z])(?:in)?to|变成|变为|转成|[成到为])"
    rf" ?(?P<shape>{_SHAPE})",
    re.I,
)
_GIVEN = re.compile(r"(?<![\w.])([A-Za-z]\w*)(?: ?\[[^\]=]*\])? ?=(?!=)(?! ?[\[(]?-?\d)")
_SIZED_NAME = re.compile(rf"(?<![\w.])([A-Za-z]\w{{0,5}})(?:[\s:]|is|of|shape)*(?={_SHAPE})")
_USUAL = ("y", "out", "output", "o", "z")  # names of results that no equation gives
_PAIRS = re.compile(
    r"(?<![a-z])(?:top|max|min|sort|largest|smallest|kth|median|mode|cummax|cummin)|最大|最小|排序", re.I
)
_PRODUCT = re.compile(r"(?<![\w.])A(?![\w.]).*(?<![\w.])B(?![\w.]).*(?<![\w.])C(?![\w.])", re.S)
_WHAT = r"(?:shape|size|dtype|data type|type|layout|形状|大小|类型|数据类型|布局)"
_ALL = rf"{_WHAT}(?: ?(?:and|/|,|&|和|与|、) ?{_WHAT})*"
_NAME = r"(?:the )?(?:inputs?|[a-z]\w{0,9}|输入)(?![a-z0-9_])"
_SAME = re.compile(
    rf"{_JOINT}(?:{_NOUN}{_LINK}{_CALLED}(?:(?:is |has |of |keeps |in )*(?:the )?(?:exact )?same {_ALL}(?: as {_NAME})?"
    rf"|like {_NAME}|(?:{_ALL})? ?(?:matches|same as) {_NAME}(?:'s)?)"
    rf"|(?:with |of |in )?(?:the )?same {_ALL} (?:out(?:put)?|result)"
    rf"|(?:输出|结果)(?:同样|相同)的?{_ALL}"
    rf"|(?:输出|结果)(?:的)? ?(?:{_ALL})? ?[和与跟同] ?{_NAME} ?(?:的)? ?(?:{_ALL})? ?(?:一样|一致|相同|保持一致)?)",
    re.I,
)


class Stated(NamedTuple):
    """What a text says of its result, and the text without that."""

    rest: str
    shapes: tuple[Shape, ...]
    alike: bool  # "same shape as x"
    sure: bool = True  # not only by a name, "y [32, 256]", which may be a tensor's

    @property
    def anything(self) -> bool:
        return self.alike or bool(self.shapes)


def stated_result(said: str, arguments: tuple[str, ...] = ()) -> Stated:
    """Return what a text says of its result's shape; a type of its own stays in the text, "output fp16".

    With the `arguments` of code, whose shapes are told elsewhere, whatever else has a shape is a result.
    """
    text = unicodedata.normalize("NFKC", said).replace("×", "x")
    shapes: list[Shape] = []
    kinds: list[str] = []
    pair = ("values", "indices", "Values", "Indices") if _PAIRS.search(text) else ()

    def taken(match: re.Match[str]) -> str:
        groups = match.groupdict()
        shapes.append(tuple(int(n) for n in re.findall(r"\d+", match["shape"])))
        kinds.extend(kind.lower() for name in ("before", "behind") if (kind := groups.get(name)))
        if (called := groups.get("called")) in pair:
            return f" {called} {groups.get('behind') or groups.get('before') or ''} "
        return f" {match['given']} " if groups.get("given") else " "

    text, alike = _SAME.subn(" ", text)
    given = {
        *pair,
        *_GIVEN.findall(text),
        *_USUAL,
        *(["C"] if _PRODUCT.search(text) else []),
    }
    given |= {*_SIZED_NAME.findall(text)} - {*arguments} if arguments else set()
    named = "|".join(re.escape(n) for n in sorted(given, key=len, reverse=True))
    result = re.compile(
        rf"{_JOINT}(?<![\w.])(?P<called>(?-i:{named}))(?![\w(\[]| ?[-+*/@=]){_LINK}{_SIZED}", re.I
    )
    for pattern in (_OUTPUT, _ARROW, _TO):
        text = pattern.sub(taken, text)
    text, by_name = result.subn(taken, text)
    text += _typed(text, kinds)
    return Stated(text, tuple(dict.fromkeys(shapes)), bool(alike), sure=not by_name)


def stated_length(said: str) -> Stated | None:
    """Return what a text says of its result's length, "output 8192"; it may be another number, as of features."""
    found = _LENGTH.search(said)
    if found is None:
        return None
    return Stated(f"{said[: found.start()]} {said[found.end() :]}", ((int(found["n"]),),), alike=False)


def _typed(rest: str, kinds: list[str]) -> str:
    """Return what a text must still say of the type of a result: nothing where its tensors have it, too."""
    others = {*re.findall(_TYPE, rest.lower())}
    floats = {o for o in others if _FLOAT.match(o)}
    if len({*kinds}) != 1 or kinds[0] in others:
        return "".join(f", output {kind}" for kind in dict.fromkeys(kinds) if kind not in others)
    return f", {kinds[0]}" if _FLOAT.match(kinds[0]) and not floats else f", output {kinds[0]}"


def fitted(request: Request, stated: Stated) -> Request | None:
    """Return the request with what the result's shape settles; None where it returns, or may return, another one."""
    wanted = {*stated.shapes}
    if stated.alike and not wanted and (found := result_shape(request)) is not None:
        wanted = {s for s in request.shapes[0] if s == found} or {request.shapes[0][0]}
    if len(wanted) > 1:
        return None
    for shape in wanted:
        ways = [way for way in _ways(request, shape) if result_shape(way) == shape]
        if ways:
            return ways[0]
        sizes = {n for given in request.shapes for s in given for n in s}
        sizes |= {n for step in request.steps for n in step.attributes.values() if isinstance(n, int)}
        unknown = result_shape(request) is None and not missing(request)
        return request if unknown and stated.sure and {*shape} <= sizes else None
    return request


def _contradicted(request: Request, stated: Stated) -> tuple[Shape, Shape] | None:
    """Return the shape that a request returns, and another one that the text says; None where they may agree."""
    found = result_shape(request)
    if found is None or not stated.sure or len(stated.shapes) != 1 or len(stated.shapes[0]) != len(found):
        return None
    if fitted(request, stated) is not None:
        return None
    return found, stated.shapes[0]


def _ways(request: Request, shape: Shape) -> list[Request]:
    """Return a request as it is, and with what it leaves open settled as a result of that shape needs it."""
    found = [request]
    if not request.steps or request.steps[-1].formula is not None:
        return found
    *before, last = request.steps
    settled: list[ChainStep] = []
    lacking = missing_attribute(request)
    names = {p.name for s in entry_of(last).signatures() for p in s.parameters}
    if lacking is not None and lacking[0] == last.operator:
        for name, value in (
            ("size", shape[2:]),
            ("output_size", shape[2:]),
            ("shape", shape),
            ("size", shape),
        ):
            if name == lacking[1] and value:
                settled.append(_with(last, name, value))
    if "keepdim" in names and "keepdim" not in last.attributes:
        settled.append(_with(last, "keepdim", value=True))
    if last.operator in FLAT:
        settled.append(last.model_copy(update={"operator": FLAT[last.operator]}))
    return [*found, *(request.model_copy(update={"steps": (*before, step)}) for step in settled)]


def _with(step: ChainStep, name: str, value: object) -> ChainStep:
    return step.model_copy(update={"attributes": {**step.attributes, name: value}})


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
    if (length := stated_length(text)) is not None:
        yield length.rest, length


def _checked(parsed: ParsedRequest, stated: Stated, language: Language) -> ParsedRequest:
    request = parsed.request
    if not request.shapes or request.every_result or request.returned:
        return parsed
    if len(stated.shapes) == 1 and (settled := fitted(request, stated)) is not None:
        return parsed.model_copy(update={"request": settled})
    if (differ := _contradicted(request, stated)) is None:
        return parsed
    found, wanted = map(_crossed, differ)
    asked = problem("result_shape", language, name=request.name, found=found, said=wanted)
    return ParsedRequest(request=type(request)(), problem=asked, kind="unclear")


def _crossed(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "()"


_KEPT_SHAPE = r"[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|\d+(?: ?x ?\d+)+"
_STILL = re.compile(
    rf"(?:\A|[,，;；。.]|(?<![a-z])(?:and|so)(?![a-z]))\s*(?:the )?(?:outputs?|results?|out|输出|结果)"
    rf"(?:的?(?:形状|shape))?"
    rf"(?: shape)?[ :：]*(?:is|are|has|的|也|都|,)*[ ]?(?:still|stays?|remains?|unchanged|as before|again|仍然?"
    rf"|还是?|依然|依旧|保持|不变)+"
    rf"(?: at| of| shape|是|为|[ :：,，])*(?P<shape>{_KEPT_SHAPE})(?= ?(?:[,，;；。.]|\Z))",
    re.I,
)


def without_kept_result(text: str, request: Request) -> str:
    """Return a text without what it says of a result that stays as it is. Raises Unclear where it does not."""
    match = _STILL.search(text)
    if match is None or not request.shapes or not request.steps:
        return text
    if result_shape(request) != shape_of(match["shape"]):
        raise Unclear("two_shapes")
    return f"{text[: match.start()]}{text[match.end() :]}".strip(" ,，;；")
