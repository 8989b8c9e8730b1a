"""Read operator, dtype and shape out of a sentence, without a model."""

import re

from akgen.agents.requests import wishes
from akgen.agents.requests.code import extract_code, source_of
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.problems import problem, problem_of
from akgen.agents.requests.request import Request
from akgen.knowledge.operators import find_in, nearest
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

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
__all__ = ["Heard", "Request", "hear", "hear_request"]


class Heard(Frozen):
    """A sentence, understood: what it asks for, and what in it cannot be served, as a sentence."""

    request: Request
    problem: str | None = None
    close: tuple[str, ...] = ()  # known operators that a word comes close to, if nothing was heard


def hear(text: str) -> Heard:
    """Read a sentence, or a text with PyTorch code in it. What it does not say is None in the request."""
    words, code = extract_code(text)
    language = language_of(words)
    if code is None:
        return _hear_words(text, language)
    source = source_of(code, language)
    if isinstance(source, str):
        return Heard(request=Request(), problem=source)
    return hear_request(wished(words).model_copy(update={"source": source}), language)


def _hear_words(text: str, language: Language) -> Heard:
    plain = text.replace("_", " ")
    named = _operators(text) or _operators(plain)
    request = wished(text).model_copy(update={"operator": named[0] if named else None})
    if len(named) > 1 and _JOINED.search(text):
        return Heard(request=request, problem=problem("one_at_a_time", language, names=named))
    unknown = None if named else _unknown_name(plain)
    if unknown is not None:
        close = nearest(unknown, 3)
        return Heard(request=request, problem=problem("unknown", language, name=repr(unknown), close=close))
    if request.empty:
        return Heard(request=request, close=_close_to(text))
    return hear_request(request, language)


def wished(text: str) -> Request:
    """Return everything that a sentence says but what to compute."""
    rest = wishes.without(text)
    return Request(
        dtype=_dtype(rest),
        shape=_shape(rest),
        axis=wishes.axis(text),
        dynamic=wishes.dynamic(text),
        knobs=wishes.knobs(text),
    )


def hear_request(request: Request, language: Language = Language.ENGLISH) -> Heard:
    """Say of a request, however it was understood, whether it can be served."""
    return Heard(request=request, problem=problem_of(request, language))


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
