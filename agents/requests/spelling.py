"""Write what people write in many ways in one way: numbers in words, sizes with their letters, turns of phrase."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection
from functools import cache

from akgen.agents.requests.counted import with_shapes
from akgen.agents.requests.marks import words
from akgen.knowledge.operators import operator_phrases

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_NAMED = "<named>"  # sizes with their letters, in the place of a shape
_LETTERS = re.compile(
    r"(?:[bnchwdslteqmkfg]|bs|bsz|hw|batch(?:_size)?|seq(?:_?len)?|heads?|head_?dim|dim|hidden|channels?|height|width|length|"
    r"tokens|rows|cols|columns|embed|features|[a-z]_?(?:in|out|q|k|v)) ?[=:]? ?(\d+k?)"
)
_KERNEL_LETTERS = frozenset("ksp")
_LISTED = re.compile(r"(?<![\dxX.*×])\d+k?(?:\s*乘以?\s*\d+k?)+(?![\dxX.*×])")
_ROOT = re.compile(
    r"(1 ?/ ?)?(?:(?<![a-z])(?:the )?(?:sqrt|square root)(?: ?\(| of )|√\(?|根号 ?) ?"
    r"(\d+)(?![\dx.]| ?[x*,] ?\d)\)?(?! ?(?:elements|values))"
)
_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_FRACTION = re.compile(rf"([{_NUMERAL}]+|\d+)分之([{_NUMERAL}]+|\d+)")
_UNITED = re.compile(r"(?<![\d.a-z])(\d+(?:\.\d+)?) ?([百千万亿]+)(?!能|一)")
_LARGE = re.compile(
    rf"(?<!第)(?=[{_NUMERAL}]*[十百千万亿])(?!万一|十分)[{_NUMERAL}]{{2,}}|十(?=[个行列维倍组头路核层])"
)
_COUNTED = re.compile(
    r"(?<![第每后前这那任])([二两三四五六七八九])(?=行|列|倍|组|个?头|次方|次幂|个?通道|个?类别?|个核|个元素|路)"
    r"|(?<![第每后前这那任逐])一(?=行[\d二两三四五六七八九十百千]|倍)"
)  # fmt: skip
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "twentieth": 20, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_PART = re.compile(
    rf"(?<![a-z])(?P<over>one|two|three|four|five|seven|nine)[ -](?P<part>{'|'.join(_PARTS)})s?(?![a-z])"
    r"|(?<![a-z])an? (?P<small>quarter|fifth|tenth|twentieth|hundredth|thousandth)"
    r"(?! (?:[a-z]+ )?(?:input|tensor|axis|dim))(?![a-z])"
)
_BY_WORDS = re.compile(
    r"(?<![a-z])(two|three|four|five|six|seven) by (two|three|four|five|six|seven)(?![a-z])"
)
_COUNTS = (
    "rows?|columns?|cols?|groups?|heads?|channels?|classes|experts|tokens|cores?|filters?|elements?|layers?|"
    "(?:output|input|out|in) channels"
)
_MOST_EXPONENT = 40  # of a count of elements
_SIGNS = str.maketrans(
    {"ᵀ": ".T", "⊤": ".T", "Σ": " sum", "∑": " sum", "⊙": "*", "∘": "*", "²": "**2", "³": "**3", "√": " sqrt",
     "∞": "inf", "≤": "<=", "≥": ">=", "≠": "!=", "÷": "/", "⋅": "·"}
)  # fmt: skip
_ASIDE = 2  # letters of an attribute's name that is a preposition: in, by, to


def respelt(text: str, *, letters: bool = False, names: Collection[str] = ()) -> str:
    """Return the text in lower case with its rewrites: numbers as digits, shapes as numbers, what operators have.

    With `letters`, sizes keep their letters; `names` of tensors stay before their shapes.
    """
    if any(c.islower() for c in text):
        text = _abbreviated().sub(lambda m: words()["abbreviations"][m[0]], text)
    text = _in_digits(unicodedata.normalize("NFKC", text.translate(_SIGNS)).replace("×", "x").lower())
    text = with_shapes(text)
    for phrase, written in operator_phrases():
        text = phrase.sub(written, text)
    for pattern, replacement in _rewrites():
        if letters and replacement == _NAMED:
            continue
        if names and not replacement.strip():
            text = pattern.sub(lambda m: m[0] if _only_names(m[0], names) else " ", text)
            continue
        text = pattern.sub(
            _calculated(_COMPUTED[replacement]) if replacement in _COMPUTED else replacement, text
        )
    text = re.sub(r"(?<=\S) {2,}(?=\S)", " ", text)
    return _LISTED.sub(lambda m: re.sub(r"\s*乘以?\s*", "x", m[0]), text)


def _only_names(said: str, names: Collection[str]) -> bool:
    parts = re.split(r"[\s,/、:=]+|(?<![a-z])and(?![a-z])|[是为的形状大小尺寸]+", said)
    return {*parts} - {""} <= {*names} and bool({*parts} - {""})


@cache
def _rewrites() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what is rewritten: more patterns than `re` keeps compiled."""
    return tuple((re.compile(pattern), replacement) for pattern, replacement in words()["rewrites"])


@cache
def _abbreviated() -> re.Pattern[str]:
    """Match what capitals alone tell from another operator: LN normalises, ln is a logarithm."""
    return re.compile(rf"(?<![A-Za-z0-9_.])(?:{'|'.join(words()['abbreviations'])})(?![A-Za-z0-9_])")


def _named_shape(match: re.Match[str]) -> str:
    """Write "[B=4, H=8, S=512]" as a shape; leave what is no shape, such as "(alpha=1)" or "k=3 s=2 p=1"."""
    parts = [p for p in re.split(r"[\s,\[\](){}]+(?=[a-z])|[\[\](){}]", match[0]) if p.strip(" ,x")]
    found = [_LETTERS.fullmatch(p.strip(" ,x")) for p in parts]
    numbers = [m[1] for m in found if m is not None]
    initials = {p.strip()[0] for p in parts if p.strip()}
    if len(numbers) < 2 or len(numbers) < len(parts) or initials <= _KERNEL_LETTERS:
        return match[0]
    return f" [{', '.join(numbers)}] "


def _power(match: re.Match[str]) -> str:
    """Write a count such as "10^6" in digits; leave what is too large for one."""
    base, exponent = int(match[1]), int(match[2])
    return str(base**exponent) if exponent <= _MOST_EXPONENT else match[0]


_COMPUTED: dict[str, Callable[[re.Match[str]], str]] = {
    _NAMED: _named_shape,
    "<affine by letter>": lambda m: f"{m[1]}with {m[2]}" + (f" and {m[3]}" if m[3] else ""),
    "<power>": _power,
    "<squares>": lambda m: (
        f"{m[1]} ** 2" + (f" {'+' if m[2][0] == '加' else '-'} {m[3]} ** 2 " if m[2] else " ")
    ),
    "<over pi>": lambda m: _decimal(float(m[1]) / math.pi),
    "<times pi>": lambda m: _decimal(float(m[1]) * math.pi),
    "<part of pi>": lambda m: _decimal(math.pi / int(m[1])),
    "<elements>": lambda m: f"{int(m[1] or m[3]) * int(m[2] or m[4])} elements",
    "<power of ten>": lambda m: m[1] + "0" * int(m[2]),
    "<power of two>": lambda m: str(1 << min(int(m[1]), _MOST_EXPONENT)),
}


def _calculated(rule: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    """Return a rule that leaves as it is what has no value, such as a part of nothing."""

    def left_or_calculated(match: re.Match[str]) -> str:
        try:
            return rule(match)
        except ArithmeticError:
            return match[0]

    return left_or_calculated


def _root(match: re.Match[str]) -> str:
    root = math.sqrt(int(match[2]))
    return _decimal(1 / root if match[1] else root)


def _in_digits(text: str) -> str:
    """Return the text with numbers in digits, where they are numbers for sure: a text in lower case."""
    text = _ROOT.sub(_calculated(_root), text)
    text = _FRACTION.sub(_calculated(lambda m: _decimal(_number(m[2]) / _number(m[1]))), text)
    text = _UNITED.sub(lambda m: f"{float(m[1]) * _scale(m[2]):.0f}", text)
    text = _LARGE.sub(lambda m: str(_number(m[0])), text)
    text = _COUNTED.sub(lambda m: str(_DIGITS[m[1] or "一"]), text)
    text = _PART.sub(_part, text)
    text = _BY_WORDS.sub(lambda m: "x".join(str(words()["numbers"][n]) for n in m.groups()), text)
    text = _named().sub(lambda m: f"{m[1]}{words()['numbers'][m[2]]}", text)
    return _counted().sub(lambda m: f"{words()['numbers'][m[1]]}{m[2]}", text)


def _number(text: str) -> int:
    """Read a Chinese number, such as 一千零二十四, 二十, 一百万."""
    if text.isdigit() and text.isascii():
        return int(text)
    total = section = digit = 0
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif (unit := _UNITS[character]) >= _UNITS["万"]:
            total, section, digit = (total + section + digit) * unit, 0, 0
        else:
            section, digit = section + (digit or 1) * unit, 0
    return total + section + digit


def _scale(units: str) -> int:
    product = 1
    for unit in units:
        product *= _UNITS[unit]
    return product


def _part(match: re.Match[str]) -> str:
    if match["small"]:
        return _decimal(1 / _PARTS[match["small"]])
    return _decimal(int(words()["numbers"][match["over"]]) / _PARTS[match["part"]])


def _decimal(value: float) -> str:
    return f"{value:.6g}" if value != int(value) else str(int(value))


@cache
def _named() -> re.Pattern[str]:
    """Match an attribute's name before a number in words: "stride two", "padding of one"."""
    names = {a for name, listed in words()["attributes"].items() for a in (name.replace("_", " "), *listed)}
    plain = sorted(
        (a for a in names if a.isascii() and len(a) > _ASIDE and a not in ("with", "into", "times", "value")),
        key=len,
        reverse=True,
    )
    numbers = "|".join(words()["numbers"])
    return re.compile(
        rf"(?<![a-z])((?:{'|'.join(map(re.escape, plain))}|dim(?:ension)?|axis)"
        rf"(?: of| is| ?=|:)? ?)({numbers})(?![a-z])(?! (?:input|output|tensor)|-)"
    )


@cache
def _counted() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])({'|'.join(words()['numbers'])})( (?:{_COUNTS}))(?![a-z])")
