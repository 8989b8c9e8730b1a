"""Read a sentence, in English or Chinese, without a model: operator, dtype, shape; axis, cores, tiles and buffers."""

import re
from typing import Any

from akgen.agents.requests.code import extract_code, source_of
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.problems import problem, problem_of
from akgen.agents.requests.request import Axis, Request
from akgen.knowledge.operators import find_in, nearest
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs

_DTYPES: dict[str, DType] = {
    "fp16": DType.FLOAT16, "float16": DType.FLOAT16, "half": DType.FLOAT16, "f16": DType.FLOAT16,
    "半精度": DType.FLOAT16,
    "bf16": DType.BFLOAT16, "bfloat16": DType.BFLOAT16,
    "fp32": DType.FLOAT32, "float32": DType.FLOAT32, "float": DType.FLOAT32, "single": DType.FLOAT32,
    "f32": DType.FLOAT32, "单精度": DType.FLOAT32,
    "int32": DType.INT32, "int": DType.INT32, "int16": DType.INT16, "int8": DType.INT8,
}  # fmt: skip
_NUMBER = r"\d[\d_]*(?:\s*[kK](?![A-Za-z]))?"
_TIMES = r"\s*(?:by|x|×|\*|乘以?)\s*"
_PRODUCT = re.compile(rf"(?<![\w.])({_NUMBER}(?:{_TIMES}{_NUMBER})+)(?![\w.])", re.I)
_ALONE = re.compile(rf"\s*({_NUMBER}(?:[\s,，]+{_NUMBER})*)\s*\.?\s*\Z")  # an answer that is only numbers
_BRACKETS = re.compile(rf"[\[(]\s*({_NUMBER}(?:\s*[,，]\s*{_NUMBER})*)\s*,?\s*[\])]")
_SHAPE_WORD = re.compile(
    rf"(?:shape|size|形状)(?:\s+(?:of|is))?[\s:=]*({_NUMBER}(?:[\s,，]+{_NUMBER})*)", re.I
)
_LENGTH = re.compile(
    rf"({_NUMBER})\s*(?:elements|values|long|numbers|个元素)|(?:vector of|length)\s*({_NUMBER})", re.I
)
_JOINED = re.compile(r"\b(?:and|then|followed|fused|plus)\b|[+＋]|然后|和", re.I)
_NAMED = re.compile(r"\b([A-Za-z]\w*)\s+(?:kernel|operator|op)\b", re.I)
_AXES: tuple[tuple[str, Axis], ...] = (
    (r"\b(?:each|every|per|along (?:the |each )?)\s*rows?\b|\brow[- ]?wise\b|按行|每行|逐行", -1),
    (r"\b(?:each|every|per)\s*columns?\b|\bcolumn[- ]?wise\b|按列|每列|逐列", -2),
    # "over rows" sums what the row index counts, and leaves one value per column.
    (r"\b(?:over|across|down)\s+(?:the |all )?rows\b|跨行", -2),
    (r"\b(?:over|across)\s+(?:the |all )?columns\b|跨列", -1),
    (
        r"\b(?:over|of|across)\s+(?:all|everything|the whole)\b|\bto a (?:scalar|single)\b|全部元素|所有元素",
        "all",
    ),
    (r"\b(?:the )?last (?:axis|dim(?:ension)?)\b|最后一[维轴]", -1),
    (r"\b(?:the )?first (?:axis|dim(?:ension)?)\b|第一[维轴]", 0),
)
_AXIS_NUMBER = re.compile(r"\b(?:axis|dim(?:ension)?)\s*=?\s*(-?\d)\b|[第轴维]\s*(-?\d)\s*[维轴]?", re.I)
_DYNAMIC = re.compile(
    r"\bdynamic\b|\b(?:any|all|arbitrary|every) (?:shapes?|sizes?|lengths?)\b|动态|任意形状", re.I
)
_STATIC = re.compile(r"\bstatic\b|\b(?:only|just) (?:this|that|one) (?:shape|size)\b|静态|固定形状", re.I)
_COUNT = r"(\d[\d_]*\s*[kK]?)"
_CORES = re.compile(
    rf"{_COUNT}\s*(?:ai |vector )?cores?\b|{_COUNT}\s*个?(?:AI)?核|block[_ ]?dim\s*=?\s*{_COUNT}", re.I
)
_ONE_CORE = re.compile(r"\b(?:one|(?:a )?single) core\b|单核", re.I)
_TILE = re.compile(
    rf"tile(?:s| length| size)?\s*(?:of|to|=|:)?\s*{_COUNT}|{_COUNT}\s*(?:element )?tiles\b|分块\s*{_COUNT}",
    re.I,
)
_PIECES = re.compile(rf"{_COUNT}\s*(?:tiles|pieces) (?:per|for each|on each) core", re.I)
_SINGLE = re.compile(
    r"\b(?:no|without|drop|switch off) double[- ]?buffer|\bsingle[- ]?buffer|单缓冲|不要双缓冲", re.I
)
_DOUBLE = re.compile(r"\bdouble[- ]?buffer|双缓冲", re.I)
__all__ = ["ParsedRequest", "Request", "check_request", "parse_request"]


class ParsedRequest(Frozen):
    """A sentence, understood: what it asks for, and what in it cannot be served, as a sentence."""

    request: Request
    problem: str | None = None
    close: tuple[str, ...] = ()  # known operators that a word comes close to, if nothing was understood


def parse_request(text: str) -> ParsedRequest:
    """Read a sentence, or a text with PyTorch code in it. What it does not say is None in the request."""
    words, code = extract_code(text)
    language = language_of(words)
    if code is None:
        return _parse_words(text, language)
    source = source_of(code, language)
    if isinstance(source, str):
        return ParsedRequest(request=Request(), problem=source)
    return check_request(wished(words).model_copy(update={"source": source}), language)


def _parse_words(text: str, language: Language) -> ParsedRequest:
    plain = text.replace("_", " ")
    named = _operators(text) or _operators(plain)
    request = wished(text).model_copy(update={"operator": named[0] if named else None})
    if len(named) > 1 and _JOINED.search(text):
        return ParsedRequest(request=request, problem=problem("one_at_a_time", language, names=named))
    unknown = None if named else _unknown_name(plain)
    if unknown is not None:
        close = nearest(unknown, 3)
        return ParsedRequest(
            request=request, problem=problem("unknown", language, name=repr(unknown), close=close)
        )
    if request.empty:
        return ParsedRequest(request=request, close=_close_to(text))
    return check_request(request, language)


def wished(text: str) -> Request:
    """Return everything that a sentence says but what to compute."""
    rest = _without_wishes(text)
    return Request(
        dtype=_dtype(rest),
        shape=_shape(rest),
        axis=_axis(text),
        dynamic=_dynamic(text),
        knobs=_knobs(text),
    )


def check_request(request: Request, language: Language = Language.ENGLISH) -> ParsedRequest:
    """Say of a request, however it was understood, whether it can be served."""
    return ParsedRequest(request=request, problem=problem_of(request, language))


def _close_to(text: str) -> tuple[str, ...]:
    words = [word for word in re.findall(r"[A-Za-z_]{3,}", text) if word.lower() not in _COMMON]
    return tuple(dict.fromkeys(name for word in words for name in nearest(word, 2)))[:4]


def _operators(text: str) -> tuple[str, ...]:
    """Return the operators that a sentence names, longest name first."""
    found: list[str] = []
    while (op := find_in(text)) is not None and op.name not in found:
        found.append(op.name)
        for spelling in (op.name, op.name.replace("_", " "), op.name.replace("_", ""), *op.aliases, *op.zh):
            text = re.sub(re.escape(spelling), " ", text, flags=re.I)
    return tuple(found)


def _unknown_name(text: str) -> str | None:
    """Return the word before "kernel" or "operator" if it looks like an operator's name."""
    for word in _NAMED.findall(text):
        if word.lower() not in _COMMON and word.lower() not in _DTYPES:
            return str(word)
    return None


# Words of ordinary sentences, which resemble no operator on purpose.
_COMMON = {
    "write", "make", "kernel", "for", "the", "and", "with", "please", "can", "you", "want", "need", "give",
    "operator", "tensor", "tensors", "shape", "size", "use", "that", "this", "matrix", "vector", "rows",
    "columns", "elements", "values", "long", "a", "an", "me", "new", "fast", "faster", "good", "simple", "my",
    "your", "it", "same", "another", "using", "over", "into", "from", "ascend", "one", "now", "again", "what",
    "how", "about", "dynamic", "static", "core", "cores", "tile", "tiles", "single",
}  # fmt: skip


def _dtype(text: str) -> DType | None:
    found = [
        (match.start(), dtype)
        for word, dtype in _DTYPES.items()
        if (
            match := re.search(
                rf"(?<![A-Za-z0-9_]){word}(?![A-Za-z0-9_])" if word.isascii() else word, text, re.I
            )
        )
    ]
    return min(found)[1] if found else None


def _shape(text: str) -> tuple[int, ...] | None:
    for pattern in (_ALONE, _BRACKETS, _PRODUCT, _SHAPE_WORD, _LENGTH):
        match = pattern.match(text) if pattern is _ALONE else pattern.search(text)
        if match is not None:
            numbers = re.findall(_NUMBER, next(g for g in match.groups() if g))
            return tuple(_number(n) for n in numbers)
    return None


def _number(text: str) -> int:
    plain = text.strip().replace("_", "")
    return int(plain[:-1]) * 1024 if plain[-1] in "kK" else int(plain)


def _axis(text: str) -> Axis | None:
    """Return the axis that a sentence names."""
    number = _AXIS_NUMBER.search(text)
    if number is not None:
        return int(number[1] or number[2])
    found = [(m.start(), value) for pattern, value in _AXES if (m := re.search(pattern, text, re.I))]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _dynamic(text: str) -> bool | None:
    """Return whether one kernel shall serve all shapes, where the sentence says so."""
    return True if _DYNAMIC.search(text) else False if _STATIC.search(text) else None


def _knobs(text: str) -> Knobs | None:
    """Return what the sentence wishes of the tiling, or None."""
    values: dict[str, Any] = {}
    pieces = _count(_PIECES, text)
    if pieces is not None:
        values["pieces"] = pieces
    elif (tile := _count(_TILE, text)) is not None:
        values["tile_length"] = tile
    cores = 1 if _ONE_CORE.search(text) else _count(_CORES, text)
    if cores is not None:
        values["cores"] = cores
    if _SINGLE.search(text):
        values["buffers"] = 1
    elif _DOUBLE.search(text):
        values["buffers"] = 2
    values = {name: value for name, value in values.items() if value >= 1}
    return Knobs(**values) if values else None


def _without_wishes(text: str) -> str:
    """Return the sentence without its wishes, whose numbers are no shape and whose "single" is no type."""
    for pattern in (_PIECES, _CORES, _ONE_CORE, _TILE, _SINGLE, _AXIS_NUMBER):
        text = pattern.sub(" ", text)
    return text


def _count(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    if match is None:
        return None
    word = next(g for g in match.groups() if g).strip().replace("_", "")
    return int(word[:-1]) * 1024 if word[-1] in "kK" else int(word)
