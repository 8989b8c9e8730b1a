"""Read types, shapes and axes in a text."""

import re
import unicodedata
from functools import cache

from akgen.agents.requests.marks import MarkedText, whole, words
from akgen.agents.requests.request import Shape
from akgen.agents.requests.roles import roles
from akgen.knowledge.operators import OperatorEntry
from akgen.tools.core.dtypes import DType

Axis = int | tuple[int, ...] | str  # "all": over all elements; "last N": the last N axes
_N = r"\d[\d_]*(?:\.\d+)?(?: ?[km](?:(?=x\d)|(?![a-z]| ?[=:])))?"
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
    rf"({_N}|\d+(?:\.\d+)? ?(?:million|thousand)) ?(?:个)?"
    r"(?:elements?|values|floats|long|numbers|entries|元素|个?数|个?点)(?![a-z据组维])"
    rf"|(?:vectors?(?: of)?(?: length| size)?|length(?: of)?|长度?为?)[ =:]*({_N})(?:(?: *,| and| *和) *({_N}))?"
)
_SEVERAL = re.compile(
    rf"(?:(?<![a-z])(?:at|sizes?|lengths?|shapes?|for)|形状|大小|尺寸|长度)(?: sizes?| lengths?| shapes?| of)*[ :]*"
    rf"({_N}(?:(?: *, *| *and *|, and | *和 *| *、 *| *& *| *or *){_N})+)(?![a-z0-9_.]*[a-z0-9_])(?! *(?:x|by)\b)"
)
GENERAL = (
    "batch",
    "heads",
    "queries",
    "keys",
    "tokens",
    "channels",
    "height",
    "width",
    "hidden",
)  # the axes of any tensor, in order
GENERAL_FOR = (
    "elementwise", "activation", "softmax", "normalization", "reduction", "scan", "sort", "comparison",
    "quantization", "optimizer",
)  # fmt: skip
SIZES = {
    "matmul": (("m", "k"), ("k", "n")),
    "attention": (("batch", "heads", "tokens", "head_dim"),),
    "loss": (("samples", "classes"),),
}
_RESIZABLE = (("row|行|tall", -2), ("col|列|wid", -1), ("batch|批", 0), ("channel|通道", 1))
_AXIS_WORD = r"(?:rows|columns|cols|batch(?: size)?|batches|channels)"
_ZH_AXIS = r"(?:行数?|列数?|批次?大小|通道数?)"
_COUNT = re.compile(
    r"(?<![a-z0-9_.x])(\d|three|four|five|six) (?:different |separate |such |fp\d+ |bf16 |int\d+ )?"
    r"(?:inputs|tensors|operands|matrices|vectors|arrays)"
    r"(?![a-z])|(?<!\d)([2-9三四五六])个(?=(?:[\dkx*, ]+的? ?)?(?:输入|张量|矩阵|向量))(?:输入|张量|矩阵|向量)?"
)
_RESIZED = re.compile(
    rf"(?<![a-z])(?P<how>twice|double|doubled|half|halve|\d+ times)"
    rf"(?: as many| the(?: number of)?)? (?P<axis>{_AXIS_WORD})(?![a-z])"
    rf"|(?P<zh>{_ZH_AXIS}) ?(?P<zh_how>翻倍|加倍|翻一番|减半|变为?\d倍)"
    rf"|(?<![a-z0-9_.])(?P<grown>\d+fold|twice|half)(?: as)? (?P<side>wider|wide|taller|tall)(?![a-z])"
)
_SET = re.compile(
    rf"(?<![a-z0-9_.x*])(?P<size>\d+k?) (?P<axis>rows|columns|cols)(?![a-z])(?! \d)"
    rf"|(?:(?<=but )|(?<=it )|(?<=be )|(?<=x )|(?<=rows ))(?P<new>\d+k?) (?P<side>wide|tall)(?![a-z])"
    rf"|(?P<zh>{_ZH_AXIS}) ?(?:改为|改成|变成|换成|设为|="
    rf"|为) ?(?P<zh_size>\d+k?)"
)
_I = r"-?\d(?!\d|\.\d|[x\*]| by \d)"
_AXIS_NUMBERS = re.compile(
    rf"(?:(?:over|along|across|on|in|of|at|for|with|沿着?|在|对) ?)?(?:the )?"
    rf"(?<![a-z_])(?:axis|axes|dim(?:ension)?s?)[ :=]*[\[(]? ?"
    rf"({_I}(?:(?: *, *and *| *, *| +and +| +){_I})*) ?[\])]?(?![a-z0-9_])"
    rf"|(?:沿着?|在|对)?(?:第|轴|维度?) ?({_I}(?:(?:,| ?[、和与] ?(?:第 ?)?){_I})*) ?(?:个)?(?:维度?|轴)?(?:上)?"
)

_PARTS = "first second third other last left right top bottom upper lower front back rotate"
_NO_PART = "".join(rf"(?<!(?<![a-z]){part}[ _-])" for part in _PARTS.split())  # "the second half"
_NO_HALF = (
    r"(?! ?(?:[(]|-?open|to even|to-even|away|up\b|down\b|of (?:the|its|x|it)|-style|style|swap"
    r"|the (?:width|size|channels)))"
)


def take_dtypes(text: MarkedText) -> None:
    """Mark the data types, with the "all" of "all single precision", which is no operator."""
    text.take(
        re.compile(r"(?<![a-z_.])all(?= (?:in )?(?:(?:single|double|half|full)[ -]precision|(?:fp|bf)\d+))"),
        "filler",
    )
    for pattern, dtype in _dtypes():
        text.take(pattern, "dtype", dtype)


def take_counts(text: MarkedText) -> None:
    """Mark how many tensors there shall be, and what a known shape shall become: "3 inputs", "twice as many rows"."""
    for match in text.matches(_COUNT):
        said = match[1] or match[2]
        if said != "1":
            count = words()["numbers"].get(said) or unicodedata.numeric(said)
            text.mark(*match.span(1 if match[1] else 0), "count", int(count))
    for match in text.matches(_RESIZED):
        how = match["how"] or match["zh_how"] or match["grown"]
        halved = re.match("hal|减半", how)
        times = 0.5 if halved else int((re.findall(r"\d+", how) or [2])[0])
        text.mark(match.start(), match.end(), "resized", (_resizable(match), times, None))
    for match in text.matches(_SET):
        size = number(match["size"] or match["zh_size"] or match["new"])
        text.mark(match.start(), match.end(), "resized", (_resizable(match), None, size))


def _resizable(match: re.Match[str]) -> int:
    said = match.groupdict()
    named = said["axis"] or said["zh"] or said.get("side") or ""
    return next(axis for name, axis in _RESIZABLE if re.match(name, named))


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
        for match in text.matches(roles()[role].sized(rf"(?<![a-z0-9_.x])({_N})(?![a-z0-9_.]*[a-z0-9_])")):
            found[role] = number(next(g for g in match.groups() if g))
            text.mark(match.start(), match.end(), "size", role)
            break
    return found


_POWERS = frozenset(1 << n for n in range(10))


_MOST = 1e18  # no tensor has as many elements


def number(text: str) -> int:
    """Read a whole number; k and m count in powers of 1024. What is beyond all sizes counts as one that is."""
    plain = text.strip().replace("_", "").lower()
    if plain.endswith("k") and float(plain[:-1]) not in _POWERS:
        return round(min(float(plain[:-1]), _MOST) * 1000)  # "10k" samples, but "4k" is 4096
    for unit, times in (("thousand", 1000), ("million", 1_000_000), ("k", 1 << 10), ("m", 1 << 20)):
        if plain.endswith(unit):
            return int(min(float(plain.removesuffix(unit)), _MOST) * times)
    return int(min(float(plain), _MOST))


def _numbers(text: str) -> Shape:
    return tuple(number(n) for n in re.findall(_N, text))


@cache
def _dtypes() -> tuple[tuple[re.Pattern[str], DType], ...]:
    spelt = [(word, DType(name)) for name, listed in words()["dtypes"].items() for word in listed]
    spelt.sort(key=lambda pair: -len(pair[0]))
    return tuple(
        (
            re.compile(
                rf"{_NO_PART if word.startswith('hal') else ''}(?<![a-z0-9_.]){re.escape(word)}(?![a-z0-9_])"
                rf"{_NO_HALF if word.startswith('hal') else ''}"
                if word.isascii()
                else re.escape(word)
            ),
            dtype,
        )
        for word, dtype in spelt
    )


@cache
def _named_axes() -> tuple[tuple[re.Pattern[str], Axis], ...]:
    return tuple((whole(alternatives), value) for alternatives, value in words()["axes"])


def roles_of(entries: list[OperatorEntry]) -> tuple[str, ...]:
    """Return the sizes that may be named for these operators: m, n and k of a product, batch and heads of attention."""
    found: list[str] = []
    for entry in entries:
        for key, shapes in SIZES.items():
            if key in (entry.category, entry.name):
                found += [role for shape in shapes for role in shape]
        if entry.name in ("linear", "bmm", "matmul"):
            found.append("batch")
        if entry.name == "linear":
            found.append("tokens")
        if entry.category in GENERAL_FOR:
            found += GENERAL
        if "positions" in entry.draws.values():
            found.append("tokens")
        if entry.name == "embedding":
            found += ("batch", "tokens")
        others = {
            "loss": ("batch",),
            "convolution": ("batch", "long", "channels"),
            "pooling": ("batch", "channels"),
            "attention": ("long",),
        }
        found += others.get(entry.category, ())
    return tuple(dict.fromkeys(found))
