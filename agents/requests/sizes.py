"""Read types, shapes and axes in a text."""

import re
from functools import cache

from akgen.agents.requests.marks import MarkedText, whole, words
from akgen.agents.requests.request import Shape
from akgen.tools.core.dtypes import DType

Axis = int | tuple[int, ...] | str  # "all": over all elements; "last N": the last N axes
_N = r"\d[\d_]*(?:\.\d+)?(?: ?[km](?:(?=x\d)|(?![a-z])))?"
_BY = r" ?(?:x|\*|乘以|乘) ?| by "
PRODUCT = rf"(?<![a-z0-9_.]){_N}(?:(?:{_BY}){_N})+(?![a-z0-9_.]*[a-z0-9_])"
_PRODUCT = re.compile(rf"({PRODUCT})")
_WHOLE = r"\d[\d_]*k?"
_BRACKETS = re.compile(rf"[\[(] *({_WHOLE}(?: *, *{_WHOLE})*) *,? *[\])]")
_LONG_PRODUCT = re.compile(rf"(?<![a-z0-9_.]){_N}(?:(?:{_BY}){_N}){{3,4}}(?![a-z0-9_.]*[a-z0-9_])")
_LONG_BRACKETS = re.compile(rf"[\[(] *{_N}(?: *, *{_N}){{3,4}} *,? *[\])]")
_SHAPE_WORD = re.compile(
    rf"(?<![a-z])(?:shape|size|sized|dims|形状|尺寸|大小)(?: of| is|是|为)?[ :=]*"
    rf"({_N}(?:(?: *, *| +){_N})*)(?![a-z0-9_.]*[a-z0-9_])"
)
_LENGTH = re.compile(
    rf"({_N}|\d+(?:\.\d+)? ?(?:million|thousand)) ?(?:个)?(?:elements?|values|long|numbers|entries|元素|个数)(?![a-z])"
    rf"|(?:vectors? of(?: length| size)?|length(?: of)?|长度为?)[ =:]*({_N})(?:(?: *,| and| *和) *({_N}))?"
)
_SEVERAL = re.compile(
    rf"(?:(?<![a-z])(?:at|sizes?|lengths?|shapes?|for)|形状|大小|尺寸|长度)(?: sizes?| lengths?| shapes?| of)*[ :]*"
    rf"({_N}(?:(?: *, *| *and *|, and | *和 *| *、 *| *& *| *or *){_N})+)(?![a-z0-9_.]*[a-z0-9_])(?! *(?:x|by)\b)"
)
_ROLES = {
    "batch": r"(?:{n} (?:batch(?:es)?)|batch(?:[ _-]?size)?(?: of| is)?[ =:]*{n}|批(?:量)?大小为?[ =:]*{n})",
    "samples": r"{n} ?(?:samples?|examples|rows|个样本)",
    "classes": r"{n} ?(?:classes|categories|个?类别?)",
    "heads": r"(?:{n} ?(?:attention )?(?:heads|个头)|heads[ =:]+{n})",
    "tokens": r"(?:{n} ?(?:tokens|positions)|(?:seq(?:uence)?(?:[ _-]?len(?:gth)?)?|tokens|序列长度)(?: of)?[ =:]*{n})",
    "head_dim": r"(?:head[ _-]?(?:dim(?:ension)?|size)(?: of)?[ =:]*{n}|头维度[ =:]*{n})",
    "m": r"(?<![a-z])m ?[=:] ?{n}", "n": r"(?<![a-z])n ?[=:] ?{n}", "k": r"(?<![a-z])k ?[=:] ?{n}",
}  # fmt: skip
SIZES = {
    "matmul": (("m", "k"), ("k", "n")),
    "attention": (("batch", "heads", "tokens", "head_dim"),),
    "loss": (("samples", "classes"),),
}
_I = r"-?\d(?!\d|\.\d|[x\*]| by \d)"
_AXIS_NUMBERS = re.compile(
    rf"(?:(?:over|along|across|on|in|of|at|for|with|沿着?|在|对) ?)?(?:the )?"
    rf"(?<![a-z_])(?:axis|axes|dim(?:ension)?s?)[ :=]*[\[(]? ?"
    rf"({_I}(?:(?: *, *and *| *, *| +and +| +){_I})*) ?[\])]?(?![a-z0-9_])"
    rf"|(?:沿着?|在|对)?(?:第|轴|维度?) ?({_I}(?:(?:、|和|,){_I})*) ?(?:个)?(?:维度?|轴)?(?:上)?"
)


def take_dtypes(text: MarkedText) -> None:
    """Mark the data types."""
    for pattern, dtype in _dtypes():
        text.take(pattern, "dtype", dtype)


def take_axes(text: MarkedText) -> None:
    """Mark what names one axis, several, or all elements."""
    for match in text.matches(_AXIS_NUMBERS):
        numbers = tuple(int(n) for n in re.findall(r"-?\d+", match[1] or match[2]))
        text.mark(match.start(), match.end(), "axis", numbers[0] if len(numbers) == 1 else numbers)
    for pattern, value in _named_axes():
        text.take(pattern, "axis", value)


def take_shapes(text: MarkedText) -> None:
    """Mark shapes, each as a tuple; several lengths in a list as one shape each."""
    for match in text.matches(_PRODUCT):
        text.mark(match.start(1), match.end(1), "shape", (_numbers(match[1]),))
    for match in text.matches(_BRACKETS):
        text.mark(match.start(), match.end(), "shape", (_numbers(match[1]),))
    for match in text.matches(_SEVERAL):
        listed = _numbers(match[1])
        plural = (
            "sizes" in match[0]
            or "lengths" in match[0]
            or " and " in match[0]
            or "和" in match[0]
            or "、" in match[0]
        )
        if plural:
            text.mark(match.start(), match.end(), "shapes", tuple((n,) for n in listed))
    for match in text.matches(_SHAPE_WORD):
        text.mark(match.start(), match.end(), "shape", (_numbers(match[1]),))
    for match in text.matches(_LENGTH):
        found = tuple((number(n),) for n in match.groups() if n)
        text.mark(match.start(), match.end(), "shapes" if len(found) > 1 else "shape", found)


def take_long_shapes(text: MarkedText) -> None:
    """Mark what can be nothing but a shape, before numbers beside a word are read as its value."""
    for pattern in (_LONG_PRODUCT, _LONG_BRACKETS):
        for match in text.matches(pattern):
            text.mark(match.start(), match.end(), "shape", (_numbers(match[0]),))


def take_sizes(text: MarkedText, wanted: tuple[str, ...]) -> dict[str, int]:
    """Mark sizes by their role, such as "batch 32", and return them."""
    found: dict[str, int] = {}
    for role in wanted:
        pattern = re.compile(_ROLES[role].replace("{n}", rf"(?<![a-z0-9_.x])({_N})(?![a-z0-9_.]*[a-z0-9_])"))
        for match in text.matches(pattern):
            found[role] = number(next(g for g in match.groups() if g))
            text.mark(match.start(), match.end(), "size", role)
            break
    return found


def number(text: str) -> int:
    """Read a whole number; k and m count in powers of 1024."""
    plain = text.strip().replace("_", "").lower()
    for unit, times in (("thousand", 1000), ("million", 1_000_000), ("k", 1 << 10), ("m", 1 << 20)):
        if plain.endswith(unit):
            return int(float(plain.removesuffix(unit)) * times)
    return int(float(plain))


def _numbers(text: str) -> Shape:
    return tuple(number(n) for n in re.findall(_N, text))


@cache
def _dtypes() -> tuple[tuple[re.Pattern[str], DType], ...]:
    spelt = [(word, DType(name)) for name, listed in words()["dtypes"].items() for word in listed]
    spelt.sort(key=lambda pair: -len(pair[0]))
    return tuple(
        (
            re.compile(
                rf"(?<![a-z0-9_.]){re.escape(word)}(?![a-z0-9_])" if word.isascii() else re.escape(word)
            ),
            dtype,
        )
        for word, dtype in spelt
    )


@cache
def _named_axes() -> tuple[tuple[re.Pattern[str], Axis], ...]:
    return tuple((whole(alternatives), value) for alternatives, value in words()["axes"])
