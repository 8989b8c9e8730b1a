"""Read a gate of two halves in words: "split the channels in half, sigmoid of the first half times the second half".

What is done with the halves becomes an equation; all that stands beside it must be what a plain operator of one tensor
may be told: its shape, its type, wishes.
"""

import re
from collections.abc import Callable
from functools import cache

from akgen.agents.requests.needs import missing, tensors_of
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.specified.reader import specified_request
from akgen.knowledge.operators import find_operators, operator_named

Read = Callable[[str, Request], Request | None]
_LAST = (
    r"(?:last|final|innermost|features?|hidden|embedding)(?: axis| dim(?:ension)?)?|最后一个?(?:维度?|轴)|末"
    r"维|特征维度?"
)
_CHANNELS = r"channels?(?: axis| dim(?:ension)?)?|通道(?:维度?|轴)?"
_NUMBERED = r"(?:dim(?:ension)?|axis) ?[= ]? ?(?P<dim>-?\d)|第 ?(?P<dim_zh>\d) ?个?(?:维度?|轴)"
_AXIS = rf"(?:the )?(?:(?P<last>{_LAST})|(?P<channels>{_CHANNELS})|{_NUMBERED})"
_OBJECT = r"(?:(?:the |an? )?(?:x|it|input|tensor|data|输入|张量)(?![a-z]) ?)?"
_SHAPE = (
    r"(?:(?P<kept>(?:of (?:shape )?)?(?:[\[(] ?\d+(?: ?, ?\d+)+ ?[\])]|\d+(?: ?x ?\d+)+)(?: ?,? ?(?:fp|bf|flo"
    r"at|bfloat)\d+)?) )?"
)
_SPLIT = re.compile(
    rf"(?<![a-z])(?:split|chunk|cut|divide|halve)(?:s|ting|d)? {_OBJECT}{_SHAPE}(?:(?:along|over|on|at|of)? ?"
    rf"{_AXIS} ?)?"
    r"(?:(?:in|into|to) )?(?:(?:(?:two|2) )?(?:equal )?(?:half|halves|halfs|parts|chunks|pieces)|two)(?![a-z])"
    rf"(?: (?:along|over|on|at|across|in) {_AXIS.replace('(?P<', '(?P<b_')}(?![a-z]))?"
    rf"|(?:把|将)?{_OBJECT}的?(?:沿着?|在|按|对)? ?{_AXIS.replace('(?P<', '(?P<c_')}?(?:上|方向)?"
    r"(?:对半|均匀|平均|等|一)?(?:(?:劈|切|拆|分)[分开割]?(?:成|为)?(?:了)?(?:两|2|二|相等的两) ?个?(?:等)?(?"
    r":半|份|块|部分|段)|分为二|(?<=对半)(?:劈|切|拆|分)开?)"
    rf"(?:[，,]? ?(?:沿着?|在|按) ?{_AXIS.replace('(?P<', '(?P<d_')}(?:上|方向)?)?",
    re.I,
)
_FIRST = (
    r"(?:the )?(?:first|1st|left|former) (?:half|part|chunk|one|piece)|(?:前|左)(?:面)?(?:那)?一?(?:半|个)(?:"
    r"部分|段|边)?"
    r"|第一个?(?:半|份|块|部分|段)"
)
_SECOND = (
    r"(?:the )?(?:second|2nd|right|latter|last|other) (?:half|part|chunk|one|piece)|(?:后|右)(?:面)?(?:那)?一?(?:半|个)"
    r"(?:部分|段|边)?|第二个?(?:半|份|块|部分|段)|另一?外?一?半"
)
_HALF = r"[ ]?(?P<{}>[\x01\x02])[ ]?"
_TIMES = (
    r"(?:[，,、 ]|(?<![a-z])(?:and|then|it|the|is|result|by|with|that|element-?wise)(?![a-z])|然后|再|之后|后"
    r"|并|与|和|跟|去|结果)*"
    r"(?:\*|(?<![a-z])(?:times|multipl(?:y|ied)|multiplies|gates|scales)(?![a-z])|乘以?|逐元素乘|点乘)"
    r"(?:(?<![a-z])(?:by|with|it|the)(?![a-z])|[ 上在到])*"
)
_GO = (
    r"(?: ?(?:过|经过|做|取|用|走|通过|送进|的|goes through|is passed through|through|gets|with)(?:一个|一下|"
    r"an?)?(?:activation )? ?)"
)
_NAME = r"(?P<{}>[a-z][a-z_0-9]*(?: (?!(?:of|on|to|the) )[a-z]+)?)(?:激活|激活函数| activation)?"
_TITLE = re.compile(r"\s*[A-Za-z][\w-]*(?: [A-Za-z][\w-]*){0,3} ?[:：]")
_BOTH = (
    r"(?:and |then )*(?:multiply|take the product of|the product of|product of) (?:the )?(?:two |both )?(?:ha"
    r"lves|parts|both|them|pieces|chunks)(?: element-?wise| together)?|(?:两半|两份|两部分|两个部分|二者|两者"
    r"|它们)?(?:逐元素)?(?:相乘|乘起来)"
)


def halved_request(said: str, read: Read) -> Request | None:
    """Return the request of a text that splits a tensor in half and multiplies the halves; None of another one."""
    split = _SPLIT.search(said)
    if split is None:
        return None
    dim = _dim({k[2:] if k[1] == "_" else k: v for k, v in split.groupdict().items() if v})
    rest = f"{said[: split.start()]} , {split['kept'] or ''} , {said[split.end() :]}"
    title = _TITLE.match(rest)
    if title is not None and not find_operators(title[0].lower()):
        rest = rest[title.end() :]
    rest = re.sub(_SECOND, "\x02", re.sub(_FIRST, "\x01", rest, flags=re.I), flags=re.I)
    for named in re.finditer(
        r"(?<![\w.])(?P<name>[a-z_]{1,8}) ?(?:=|is|是|为) ?(?P<half>[\x01\x02])[,，;；.]?", rest, re.I
    ):
        rest = rest.replace(named[0], " ")
        rest = re.sub(rf"(?<![\w.]){named['name']}(?![\w.])", named["half"], rest)
    found = next((m for p in _patterns() if (m := p.search(rest))), None)
    if found is None or dim is None:
        return None
    expression = _expression(found.groupdict())
    rest = rest[: found.start()] + " , " + rest[found.end() :]
    rest = re.sub(
        r"(?<![a-z])return(?:s|ing)? *(?=[,.;]|$)|(?:返回|输出)(?: ?结果)? *(?=[，,。;；]|$)",
        " ",
        rest,
        flags=re.I,
    )
    if expression is None or re.search("[\x01\x02]", rest):
        return None
    beside = re.sub(r"(?:\s*[,，;；])+", ",", rest).strip(" ,，;；")
    plain = read(f"relu, {beside}", Request())
    if (
        plain is None
        or missing(plain)
        or plain.steps != (ChainStep(operator="relu"),)
        or plain.source is not None
        or plain.returned
    ):
        return None
    if len(plain.shapes) != 1 or plain.shapes[0][0][dim if dim < len(plain.shapes[0][0]) else -1] % 2:
        return None
    shape = ", ".join(map(str, plain.shapes[0][0]))
    written = f"a, b = x.chunk(2, dim={dim}); y = {expression}; x: [{shape}] {plain.dtypes[0].value}"
    equation = specified_request(written)
    return None if equation is None else plain.model_copy(update={"steps": (), "source": equation.source})


def _dim(axis: dict[str, str]) -> int | None:
    """Return the axis that is split; None where nobody says."""
    number = axis.get("dim") or axis.get("dim_zh")
    return int(number) if number else -1 if "last" in axis else 1 if "channels" in axis else None


def _expression(said: dict[str, str | None]) -> str | None:
    names = {"\x01": "a", "\x02": "b"}
    parts = []
    for half, name in (("left", "act"), ("right", "act2")):
        if (which := said.get(half)) is None:
            continue
        value = names[which]
        if (word := said.get(name)) is not None:
            operator = _activation(word)
            if operator is None:
                return None
            value = f"{operator}({value})"
        parts.append(value)
    if not parts:
        return "a * b"
    return " * ".join(parts) if len(parts) == 2 and said["left"] != said["right"] else None


def _activation(word: str) -> str | None:
    """Return the operator that a word names, if it takes one tensor and gives one like it."""
    named = find_operators(word.strip().lower())
    if len(named) != 1 or (named[0].begin, named[0].end) != (0, len(word.strip())):
        return None
    entry = operator_named(named[0].operator)
    plain = entry is not None and entry.category in ("activation", "elementwise") and entry.expression is None
    return named[0].operator if plain and tensors_of(ChainStep(operator=named[0].operator)) == 1 else None


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    left, right = _HALF.format("left"), _HALF.format("right")
    act, act2 = _NAME.format("act"), _NAME.format("act2")
    of = r"(?:(?: (?:of|on|to))? (?:the )?| ?\( ?)"
    return tuple(
        re.compile(pattern, re.I)
        for pattern in (
            rf"对? ?{left}{_GO}{act}{_TIMES}{right}(?:相乘)?",
            rf"(?<![a-z])(?:apply |take |do )?(?:the )?{act}{of}{left}\)?{_TIMES}{right}",
            rf"{left}{_TIMES}(?:the )?{act2}{of}{right}\)?",
            rf"{left}{_TIMES}{right}的 ?{act2}",
            rf"{left}{_TIMES}{right}",
            _BOTH,
        )
    )
