"""The text of a specification while it is read: as it was written, and marked in lower case, place for place.

What equations leave to words is written in signs: "q = round(x / s) clamped to -127..127", "p 若 y=1，否则 1-p".
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any

from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.signs import plain
from akgen.agents.requests.tidied import tidied

_BETWEEN_SIZES = re.compile(r"(?<=\d) ?× ?(?=\d)")
_NUMBERED = re.compile(
    r"^[ \t]*(?:[-*•]|(?:step ?|第 ?)?[(（]?\d{1,2}(?: ?步)?[.)、:）：])[ \t]*(?=\D)", re.M | re.I
)


class SpecifiedText:
    """A text in which signs are ASCII and tables are lines, with marks on what was read."""

    def __init__(self, said: str) -> None:
        text = unicodedata.normalize("NFKC", tidied(plain(_BETWEEN_SIZES.sub("x", said))))
        for pattern, put in words()["told"]["written"]:
            text = re.sub(pattern, put, text, flags=re.I)
        self.text = in_signs(_NUMBERED.sub(lambda m: " " * len(m[0]), text))
        self.marked = MarkedText(self.text)

    @property
    def aligned(self) -> bool:
        """Say whether the marked text has the places of the written one."""
        return len(self.marked.text) == len(self.text)

    def free(self, begin: int, end: int) -> bool:
        """Say whether nobody read anything of a part."""
        return "\x00" not in self.marked.rest[begin:end]

    def take(self, begin: int, end: int, kind: str = "filler") -> None:
        """Mark a part as read."""
        self.marked.mark(begin, end, kind)

    def matches(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Return the matches of a pattern in what was not read yet, in the text as it was written."""
        return [m for m in pattern.finditer(self.text) if self.free(*m.span())]


def type_words() -> str:
    """Return a pattern for the names of data types."""
    spelt = sorted((w for listed in words()["dtypes"].values() for w in listed), key=len, reverse=True)
    latin = "|".join(re.escape(w) for w in spelt if w.isascii())
    others = "|".join(re.escape(w) for w in spelt if not w.isascii())
    return rf"(?:(?<![A-Za-z0-9_.])(?:{latin})(?![A-Za-z0-9_]){'|' + others if others else ''})"


@cache
def said_words() -> dict[str, Any]:
    """Return the words of specifications, in English and Chinese."""
    path = files("akgen.agents.requests.specified").joinpath("words.json")
    found: dict[str, Any] = loads(path.read_text("utf-8"))
    return found


_N = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
_END = r"(?=\s*(?:[,，;；。)）\n]|\.(?:\s|\Z)|\Z|(?:as|and|再|并)(?![a-z])))"
_LIMITED = re.compile(
    r"[,，]? ?(?:and |then |再|然后|并)? ?(?:(?:clamp|clip)(?:p?ed)?(?: it)?|截断|裁剪|限制|钳位?) ?(?:to|into"
    r"|between|within|in|到|至|在)? ?"
    rf"(?:the range )?[\[(]? ?(?P<low>{_N}) ?(?:,|\.\.+|to|and|~|到|至) ?(?P<high>{_N}) ?[\])]?"
    r"(?: ?(?:之间|内|以内|范围))?",
    re.I,
)
_ABSMAX = re.compile(
    r"(?:(?:row[- ]?wise|per[- ]row|per[- ]token) (?P<kind_a>abs)[- ]?max|(?:abs[- ]?max|max abs"
    r")(?P<kind_b>) (?:per|of each|for each|of every) row"
    r"|每行(?:的)?(?:绝对值(?:的)?最大值?|最大绝对值|absmax))(?: (?:of|over) (?P<of>[A-Za-z]\w*))?",
    re.I,
)
_IF = re.compile(
    r"(?<=[=])(?P<lead>\s*)(?P<then>[^=,，;；。\n]+?) ?(?:若|如果|当|(?<![A-Za-z])(?:if|when|where)(?![A-Za-z])) ?"
    r"(?P<name>[A-Za-z_]\w*) ?(?P<sign>==?|!=|>=?|<=?|为|是|等于|is) ?(?P<value>-?\d+(?:\.\d+)?)(?: ?时)? ?[,，;；]? ?"
    r"(?:否则|其它?他?情况|(?<![A-Za-z])(?:and )?(?:otherwise|else)(?![A-Za-z]))(?: ?(?:为|是|取|it is))? ?"
    r"(?P<other>[^=,，;；。\n]+?)(?=\s*(?:[,，;；。\n]|\Z))"
)
_IF_FIRST = re.compile(
    r"(?<=[=])(?P<lead>\s*)(?:若|如果|当|(?<![A-Za-z])if(?![A-Za-z])) ?(?P<name>[A-Za-z_]\w*)"
    r" ?(?P<sign>==?|!=|>=?|<=?|为|是|等于|is) ?"
    r"(?P<value>-?\d+(?:\.\d+)?)(?: ?时)? ?[,，]? ?(?:则|就?取|就?为|then) ?(?P<then>[^=,，;；。\n]+?) ?[,，;；]? ?"
    r"(?:否则|(?:otherwise|else)(?![A-Za-z]))(?: ?(?:为|是|取))? ?(?P<other>[^=,，;；。\n]+?)(?=\s*(?:[,，;；。\n]|\Z))"
)
_SQUARED = re.compile(
    r"(?:\|\||‖)(?P<of>[^|‖\n]{1,60}?)(?:\|\||‖)(?:_?2)?(?P<square> ?(?:\^ ?\{?2\}?|\*\* ?2|²))?"
)
_LAST = re.compile(
    r"[,，;；。.\n]\s*(?:(?:最后|然后|再|最终|接着|对|整体|全部|所有元素|全体|结果"
    r"|(?<![A-Za-z])(?:finally|then|and|lastly)(?![A-Za-z])) ?)*"
    r"(?:(?P<mean>取 ?(?:mean|平均值?|均值)|求(?:平均值?|均值)|(?:take |and )?(?:the )?mean(?: of (?:it|that"
    r"|everything))?(?: over (?:everything|all(?: elements)?))?"
    r"|averaged?(?: (?:it )?over (?:everything|all(?: elements)?))?)"
    r"|(?P<sum>取 ?sum|(?:全部|都)?求和"
    r"|sum(?:med)?(?: (?:it|all))?(?: up)?(?: over (?:everything|all(?: elements)?))?))"
    r"(?=\s*(?:[,，;；。\n]|\.(?:\s|\Z)|\Z))",
    re.I,
)
_NAMED = re.compile(
    r"(?<![A-Za-z0-9_.\[(])([A-Za-z_]\w*) ?=(?!=)(?! ?[\[(]? ?-?\d[\d., ]*(?:[,，;；。)\n]|\Z))"
)
_TYPED = re.compile(r"([(（] ?)((?:fp|float|bf|bfloat|u?int)\d+) ?(输出|outputs?)(?=\s*[,，)）])", re.I)
_TUPLE = re.compile(
    r"((?:(?<![A-Za-z])(?:return(?:s|ing)?|outputs?)|返回|输出)[ :：]*)[(（]([A-Za-z_]\w*(?: ?, ?[A-Za-z_]\w*)+)[)）]",
    re.I,
)
_COLUMN = re.compile(
    r"(?<=[(（])((?:of )?)(?:shape )?\[(?:rows?|tokens?|batch|n|m|b), ?1\] ?,? ?(?=(?:fp|bf|float)\d)", re.I
)
_SAID_AGAIN = re.compile(
    rf"[(（][^()（）=\d]{{0,14}}(?:都|均|全部?|both|all)(?: ?(?:用|取|是|为|use|are|with|get))? ?(?P<n>{_N})[)）]"
)
_APART = re.compile(
    r"(?<![\w.])(?P<names>[A-Za-z]\d?(?: [A-Za-z]\d?){1,4})(?= (?:are|each|all|both)(?![a-z])| ?(?:都|均|各))"
)
_ROTATED = re.compile(r"(?<![A-Za-z0-9_])rotate_half\((?P<of>[A-Za-z_]\w*)\)")
_ROTATION = re.compile(  # how everybody defines it; a definition of another kind is left, and then not understood
    r"[,，;；]? ?(?:(?:where|with|and|其中) )?rotate_half(?:\([a-z]\w*\))? ?(?:=|is|:|即|为) ?(?:cat|concat"
    r"|concatenate|torch\.cat)? ?[\[(]{1,2} ?"
    r"(?:-|negated |minus )(?:the )?(?:second[ _]half|back[ _]half|x_?2|x[_ ]?back|后半) ?[,，] ?(?:the "
    r")?(?:first[ _]half|front[ _]half|x_?1|前半) ?[\])]{1,2}"
    r"(?: ?(?:on|along|over|in) (?:the )?last (?:dim(?:ension)?|axis))?",
    re.I,
)
_PLACED = re.compile(
    r"(?<![a-z])(?:channels[- ]first|NCHW|row[- ]major|contiguous)(?: tensors?)? ?(?=[\[(]\d|\d+ ?x ?\d)",
    re.I,
)
_EACH = re.compile(
    r"(?<=[A-Za-z0-9_)]) (?:with )?[A-Za-z_]\w* (?:is )?(?:one )?per[- ]?(?:channel|feature|row|head"
    r")(?=\s*[,.;，。；\n])"
)
_ABOUT = re.compile(
    r"(?<![A-Za-z])(?:the )?(?:distances?|norms?|sums?|means?|reductions?|squares?) (?:is|are)"
    r" (?:summed|taken|computed|done|reduced)"
    r"(?P<kept> )(?=over|along|across)",
    re.I,
)
_FEATURES = re.compile(
    r"(?<![A-Za-z])(?:feature|hidden|embedding)s? (?=dim(?:ension)?(?![A-Za-z])|axis)", re.I
)
_CALLED = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z]\w{0,9}) ?[:：] ?(?:the |an? )?(?P<noun>[A-Za-z]+) ?(?=[\[(]\d)"
)
_HEADS = ("input", "inputs", "tensors", "tensor", "args", "shape", "shapes", "given", "where", "output")
_EQUAL = {"=": "==", "为": "==", "是": "==", "等于": "==", "is": "=="}
LAST = "reduced"


def in_signs(text: str) -> str:
    """Return the text with such words written as expressions."""
    text = _TYPED.sub(r"\1\3 \2", re.sub(r"\)(?=as (?:u?int|fp|float|bf)\d)", ") ", text))
    text = _SAID_AGAIN.sub(lambda m: " " if m["n"] in text[: m.start()] else m[0], _TUPLE.sub(r"\1\2", text))
    text = _COLUMN.sub(r"\1", text)
    text = _APART.sub(lambda m: ", ".join(m["names"].split()), text)
    text = _SQUARED.sub(_length, text)
    text = _IF_FIRST.sub(_chosen, _IF.sub(_chosen, text))
    text = _ABSMAX.sub(lambda m: f"amax(abs({m['of'] or 'x'}), dim=-1, keepdim=True)", text)
    text = _behind(_LIMITED, text, lambda of, m: f"clamp({of}, {m['low']}, {m['high']})")
    text = _ROTATED.sub(_rotated, _ROTATION.sub(" ", text))
    for pattern in (_PLACED, _EACH, _ABOUT):
        text = pattern.sub(lambda m: m.groupdict().get("kept") or " ", text)
    text = _FEATURES.sub("last ", text)
    return _reduced(_CALLED.sub(lambda m: _called(m, text), text))


def _called(match: re.Match[str], text: str) -> str:
    """Write "x: logits [256, 80]" without what the tensor is called, where it has that name nowhere else."""
    name, noun = match["name"], match["noun"]
    again, once = (len(re.findall(rf"(?<![A-Za-z0-9_]){w}(?![A-Za-z0-9_])", text)) for w in (name, noun))
    return f"{name}: " if again > 1 and once == 1 and name.lower() not in _HEADS else match[0]


def _rotated(match: re.Match[str]) -> str:
    halves = [f"chunk({match['of']}, 2, dim=-1)[{i}]" for i in (1, 0)]
    return f"cat(-{halves[0]}, {halves[1]})"


def _length(match: re.Match[str]) -> str:
    squares = f"sum(({match['of']})**2)"
    return squares if match["square"] else f"sqrt({squares})"


def _chosen(match: re.Match[str]) -> str:
    sign = _EQUAL.get(match["sign"], match["sign"])
    then, other = match["then"].strip(), match["other"].strip()
    then, other = (side if re.fullmatch(r"-?[\w.]+", side) else f"({side})" for side in (then, other))
    return f"{match['lead']}{then} if {match['name']} {sign} {match['value']} else {other}"


def _behind(pattern: re.Pattern[str], text: str, written: Callable[[str, re.Match[str]], str]) -> str:
    """Write what stands behind an expression around it: the expression begins behind the last equals sign."""
    at = 0
    while (match := pattern.search(text, at)) is not None:
        at = match.end()
        begin = text.rfind("=", 0, match.start()) + 1
        of = text[begin : match.start()].strip()
        whole = of.count("(") == of.count(")") and not re.search(r"[\n;；。，\u4e00-\u9fff]|[a-z] [a-z]", of)
        if begin and of and whole:
            put = f" {written(of, match)} "
            text = f"{text[:begin]}{put}{text[match.end() :]}"
            at = begin + len(put)
    return text


def _reduced(text: str) -> str:
    """Write a reduction that comes last as a statement of its own."""
    found = list(_LAST.finditer(text))
    if len(found) != 1:
        return text
    named = [m for m in _NAMED.finditer(text) if m.start() < found[0].start()]
    if not named or any(m.start() > found[0].end() for m in _NAMED.finditer(text)):
        return text
    kind = "mean" if found[0]["mean"] else "sum"
    put = f"; {LAST} = {kind}({named[-1][1]}, dim=None)"
    return f"{text[: found[0].start()]}{put}{text[found[0].end() :]}"
