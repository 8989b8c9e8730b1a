"""Read operator, dtype and shape out of a sentence, without a model."""

import math
import re
from typing import Literal

from akgen.knowledge.operators import find_in, nearest
from akgen.tools.dtypes import DType
from akgen.tools.frozen import Frozen

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
MAX_ELEMENTS = 1 << 28  # a gigabyte of float32: what the twin can hold


class Request(Frozen):
    """What is known of what a person wants."""

    operator: str | None = None
    dtype: DType | None = None
    shape: tuple[int, ...] | None = None

    def joined(self, later: "Request") -> "Request":
        """Return this request with everything that the later one says."""
        return Request(
            operator=later.operator or self.operator,
            dtype=later.dtype or self.dtype,
            shape=later.shape or self.shape,
        )

    @property
    def missing(self) -> tuple[Literal["operator", "dtype", "shape"], ...]:
        """Return what must be asked for, in the order of asking."""
        given = {"operator": self.operator, "dtype": self.dtype, "shape": self.shape}
        return tuple(name for name in ("operator", "dtype", "shape") if given[name] is None)

    @property
    def empty(self) -> bool:
        return len(self.missing) == len(type(self).model_fields)

    @property
    def label(self) -> str:
        """Return a name for the request, fit for a file."""
        shape = "x".join(map(str, self.shape or ()))
        return f"{self.operator}_{self.dtype}_{shape}"


class Heard(Frozen):
    """A sentence, understood: what it asks for, and what in it cannot be served, as a sentence."""

    request: Request
    problem: str | None = None
    close: tuple[str, ...] = ()  # known operators that a word comes close to, if nothing was heard


def hear(text: str) -> Heard:
    """Read a sentence. What it does not say is None in the request."""
    plain = text.replace("_", " ")
    named = _operators(text) or _operators(plain)
    request = Request(operator=named[0] if named else None, dtype=_dtype(text), shape=_shape(text))
    if len(named) > 1 and _JOINED.search(text):
        return Heard(
            request=request, problem=f"I take one operator at a time, and heard {' and '.join(named)}."
        )
    unknown = None if named else _unknown_name(plain)
    if unknown is not None:
        close = nearest(unknown, 3)
        hint = f"Did you mean {', '.join(close)}?" if close else "Ask for help to see what I know."
        return Heard(request=request, problem=f"I know no operator named {unknown!r}. {hint}")
    if request.empty:
        return Heard(request=request, close=_close_to(text))
    return hear_request(request)


def hear_request(request: Request) -> Heard:
    """Say of a request, however it was understood, whether it can be served."""
    return Heard(request=request, problem=_too_large(request))


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
    "how", "about",
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


def _too_large(request: Request) -> str | None:
    if request.shape is None:
        return None
    count = math.prod(request.shape)
    if count == 0:
        return "A shape with a zero in it has no elements."
    if count > MAX_ELEMENTS:
        return f"{count} elements are more than can be held here; the limit is {MAX_ELEMENTS}."
    return None
