"""Write what a text tells of its tensors in the notation that all readers know: tables, types in parentheses.

What is said of the precision inside a kernel, "accumulate in fp32", is left out: PyTorch's reference has its own.
"""

import re
import unicodedata
from functools import cache

from akgen.agents.requests.marks import words

_TYPE = r"(?<![a-z0-9])(?:(?:fp|float|bf|bfloat|u?int)\d+|bool|half)(?![a-z0-9])"
_SHAPE = r"(?:[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|(?<![\w.])\d+(?: ?[x*] ?\d+)+(?![\w.]*\d))"
_PAIR = 2
_COLUMNS = 2  # bars in a row that does not begin with one
_SIZES = re.compile(r"\d+(?: ?, ?\d+)+,?|\d+,")  # of a cell: its shape without brackets
_RULE = re.compile(r"[\s|:\-+]*")
_HEAD = re.compile(
    r"(?:\s|\||(?<![a-z])(?:names?|tensors?|inputs?|outputs?|arguments?|args?|shapes?|sizes?|d?types?|data types?"
    r"|layouts?|meanings?|descriptions?|notes?|comments?|parameters?|#)(?![a-z])|名称|名字|张量|形状|大小|数据类型|类型"
    r"|布局|含义|说明|描述|备注|参数|输入|输出)+",
    re.I,
)
_ONE = rf"(?:{_SHAPE}|\d+(?= ?\)))"
_GROUPED = re.compile(  # x (fp16, [64, 128])
    rf"(?<=[\w:]) ?\( ?(?:(?P<type>{_TYPE}) ?[,;]? ?(?P<shape>{_ONE})"
    rf"|(?P<shape2>{_ONE}) ?[,;]? ?(?P<type2>{_TYPE})) ?\)",
    re.I,
)
_SPLIT = re.compile(  # x: float16, shape (4, 128); x, shape [4, 128], dtype float16
    r"(?P<name>(?<![\w.])[A-Za-z]\w{0,11}) ?[:,]? ?"
    rf"(?:(?:dtype|type|类型)? ?[:=是为]? ?(?P<type>{_TYPE}) ?[,;]? ?)?"
    rf"(?:of |with )?(?<![a-z])(?:shape|size|形状|大小) ?[:=是为]? ?(?P<shape>{_SHAPE})"
    rf"(?:[,;]? ?(?:dtype|type|类型|数据类型) ?[:=是为]? ?(?P<type2>{_TYPE}))?",
    re.I,
)
_TYPED = re.compile(rf"(?P<shape>{_SHAPE}) ?\( ?(?P<type>{_TYPE}) ?\)", re.I)
_EQUAL = re.compile(
    rf"(?P<name>(?<![\w.])[A-Za-z]\w{{0,11}}) ?= ?(?=[\[(] ?\d+ ?,[\d ,]*[\])] ?,? ?{_TYPE})", re.I
)
_NOUNS = re.compile(
    r"(?<![a-z])(?:input|output|result) (?:tensors?|arrays?)(?= [a-z]\w{0,11} ?[:(\[])"
    r"|^[ \t]*(?:inputs?|输入)[:：][ \t]*$",
    re.I | re.M,
)
_TURNED = r"(?P<t_{0}>\^ ?\{{?T\}}?(?![A-Za-z0-9])|\.T(?![A-Za-z0-9])| ?转置)?"
_PLACED = rf"(?P<{{0}}>(?<![\w.])[A-Za-z]\w?) ?(?P<of_{{0}}>{_SHAPE}(?: ?{_TYPE})?){_TURNED}"
_INFIX = re.compile(  # A [64, 128] bf16 times B [128, 32]
    rf"{_PLACED.format('a')} ?"
    r"(?P<sign>@|[-+*]|(?<![a-z])(?:times|plus|minus|matmul|multiplied by)(?![a-z])|乘以?|加|减)"
    rf" ?{_PLACED.format('b')}",
    re.I,
)
_SIGNS = {"plus": "+", "加": "+", "minus": "-", "减": "-"}
ACCUMULATES = re.compile(r"accum|累加", re.I)
_HEADED = re.compile(
    r"^[ \t]*(?:outputs?|results?|returns?|输出|返回)[:：]?[ \t]*\n[ \t]*[-*•]?[ \t]*(?:[A-Za-z]\w{0,11} ?[:：]? ?)?",
    re.I | re.M,
)


def _infix(match: re.Match[str]) -> str:
    """Write the product or the sum of two tensors with their shapes as a formula, and the shapes behind it."""
    left, right = (tuple(map(int, re.findall(r"\d+", re.sub(_TYPE, "", match[k])))) for k in ("of_a", "of_b"))
    left, right = (s[::-1] if match[k] and len(s) == _PAIR else s for s, k in ((left, "t_a"), (right, "t_b")))
    sign = _SIGNS.get(match["sign"], match["sign"])
    if sign not in ("@", "+", "-", "*"):
        if len(left) != _PAIR or len(right) != _PAIR or left[1] != right[0] or left == right:
            return match[0]  # of each pair of elements, or of matrices?
        sign = "@"
    a, b = match["a"], match["b"]
    turned = [f"{name}^T" if match[k] else name for name, k in ((a, "t_a"), (b, "t_b"))]
    return f"{turned[0]} {sign} {turned[1]}, {a} {match['of_a']}, {b} {match['of_b']}"


def tidied(said: str) -> str:
    """Return the text with its tables as lists and without what it says of the precision inside."""
    text = unicodedata.normalize("NFKC", said).replace("×", "x")
    text = _listed(text)
    text = _NOUNS.sub(
        lambda m: m[0].partition(" ")[0] if m[0].lower().startswith(("out", "res")) else " ", text
    )
    text = _HEADED.sub("output ", text)
    text = _GROUPED.sub(lambda m: f" {m['shape'] or m['shape2']} {m['type'] or m['type2']}", text)
    text = _SPLIT.sub(lambda m: f"{m['name']} {m['shape']} {m['type'] or m['type2'] or ''}", text)
    text = _EQUAL.sub(lambda m: f"{m['name']} ", text)
    text = _INFIX.sub(_infix, text)
    text = _TYPED.sub(lambda m: f"{m['shape']} {m['type']}", text)
    types = {*re.findall(_TYPE, text.lower())}
    if ACCUMULATES.search(text) and not adding_words().search(text):
        return text
    for others, patterns in _inside():
        for pattern in patterns if types & others else ():
            text = pattern.sub(" ", text)
    return text


def _listed(text: str) -> str:
    """Return the text with each row of a table as a line of a list, and nothing of its head and of rules."""
    lines = text.split("\n")
    bars = [line.strip().count("|") if "||" not in line and "=" not in line else 0 for line in lines]
    written = []
    for at, (line, count) in enumerate(zip(lines, bars, strict=True)):
        beside = {*bars[max(0, at - 1) : at], *bars[at + 1 : at + 2]}
        framed = line.strip().startswith("|") and line.strip().endswith("|") and count > _COLUMNS
        if not framed and (count < _COLUMNS or count not in beside):
            written.append(line)
        elif re.search(_SHAPE, line) or re.search(_TYPE, line, re.I):
            cells = [cell.strip() for cell in line.split("|") if cell.strip()]
            cells = [f"[{c}]" if i and _SIZES.fullmatch(c) else c for i, c in enumerate(cells)]
            written.append(" ".join(cells) + ",")
        else:
            written.append("" if _RULE.fullmatch(line) or _HEAD.fullmatch(line) else line)
    return "\n".join(written)


@cache
def adding_words() -> re.Pattern[str]:
    """Match what names an operator that adds numbers up."""
    return re.compile(words()["inside"]["sums"], re.I)


@cache
def _inside() -> tuple[tuple[frozenset[str], tuple[re.Pattern[str], ...]], ...]:
    """Return what says that a kernel computes in a type inside, with the types of tensors that this leaves alone."""
    said = words()["inside"]
    return tuple(
        (frozenset(others), tuple(re.compile(p.replace("TYPE", inner), re.I) for p in said["said"]))
        for inner, others in said["types"].items()
    )
