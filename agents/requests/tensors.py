"""Read what is said of single tensors: the type of labels, indices, masks and of the result, names before shapes.

An operator's signature says which of its tensors hold indices, masks or int8 values, so a type of that kind beside a
second one is theirs; a type behind "output" or "to" is the result's.
"""

import re
from collections.abc import Iterator

from akgen.agents.requests.attributes import AttributeValues
from akgen.agents.requests.marks import Mark, MarkedText, words
from akgen.agents.requests.needs import INDICES
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import OperatorEntry
from akgen.tools.core.dtypes import DType

_PAIR = 2
_INTEGERS = (DType.INT64, DType.INT32)
_RETURN_INDICES = (
    "argmax", "argmin", "argsort", "stable_argsort", "searchsorted", "bucketize", "count_nonzero",
)  # fmt: skip
_RETURN_BOTH = (  # values and int64 indices
    "topk", "sort", "stable_sort", "kthvalue", "median", "mode", "cummax", "cummin", "max", "min", "max_with_index",
    "min_with_index", "moe_router",
)  # fmt: skip
_LINK = (
    r"(?:[\s:=(（,，]|(?<![a-z])(?:is|are|as|in|with|of|an?|the|dtype|type|tensor|vector|both|all|now|should|must"
    r"|be|to|become|becomes|changed?|switch|make|made)(?![a-z])|(?:改|换|变|转)(?=[成为到用])|[成到]|应该?|现在|也"
    r"|是|为|的|用|都|均|类型|[\[(]\d+(?:, ?\d+)*,?[\])]|(?<![\d.])\d+(?: ?x ?\d+)+)*"
)
_INDEX = (
    r"(?:targets?|labels?|idx|ind(?:ex|ices)|(?:token |class |word )?ids?(?: per row| of each row)?|tokens|positions"
    r"|offsets|标签|索引|下标|编号|目标|类别号?|位置)"
)
_MASK = r"(?:masks?|conditions?|cond|掩码|条件|布尔张量)"
_SCALE = r"(?:scales?|缩放(?:系数|因子)?|比例)"
_RESULT_BEFORE = re.compile(
    r"(?:(?<![a-z])(?:outputs?|results?|return(?:s|ing)?|gives?|producing|produces|yields?|out)(?![a-z])|输出|结果|返回|得到)"
    r"(?:[\s:=]|(?<![a-z])(?:is|are|as|in|an?|the|dtype|type|values?|to|of|both|should|must|shall|be|it|them)(?![a-z])"
    r"|[为是成的用要]|应该|类型|张量|一个)*\Z"
    r"|(?:(?<![a-z])(?:cast|convert(?:ed)?|back|down|round(?:ed)?|quanti[sz]ed?) ?(?:it |the result )?(?:back "
    r"|down )?(?:to|into|as)"
    r"|->|→|=>|转[成为到换回]+|量化[成为到]|存[成为])\s*(?:an? )?\Z"
)
_RESULT_AFTER = re.compile(r"\s*(?:的)?(?:out(?:put)?s?(?![a-z])|results?(?![a-z])|(?:的)?(?:输出|结果))")
_TO = re.compile(r"(?<![a-z])(?:in)?to\s*\Z")
_SHAPE = r"(?:[\[(] ?\d+k? ?[,x]|(?<=[\s:=])[\[(] ?\d+k? ?[\])]|\d+k? ?[x*×] ?\d|\d+k? by \d)"
_NAMES = re.compile(
    r"(?<![a-z0-9_])(?P<names>[a-z][a-z0-9_]{0,15}(?:(?: ?[,/&、] ?| and | ?和 ?)[a-z][a-z0-9_]{0,11}){0,4}"
    r"|[a-z](?: [a-z]){1,4})"
    r" ?(?:(?:tensor|matrix|vector|table|is|are|of|has|have|with|shape|shapes|size|both|each|all|a|的|都|均|是|为|形状"
    r"|大小|各)[ :=]*)*"
    rf"[:=]? ?(?={_SHAPE})"
    r"|(?<![a-z0-9_])(?P<listed>[a-z](?:(?:, ?|/| and | ?、 ?)[a-z]){1,4})(?= ?(?:of|are|each|都|均|各|的|长度|length"
    r"|,)* ?\d{2,}| given| as inputs?)"
)


def take_types(
    text: MarkedText, entries: list[OperatorEntry], variables: set[str], known: tuple[DType, ...] = ()
) -> tuple[DType | None, DType | None]:
    """Take the types of indices, masks and the result out of the request's types; return indices' and the result's.

    `known` are the types of a request that the text goes on from.
    """
    types = [m for m in text.sorted() if m.kind == "dtype"]
    held = {draw for entry in entries for draw in entry.draws.values()}
    held |= {"mask" for v in variables if v in ("mask", "cond", "condition")}
    indices = result = None
    alone = any(e.name == "one_hot" for e in entries)  # takes nothing but indices
    for mark in types:
        others = {m.value for m in types} - {mark.value}
        integers = mark.value in _INTEGERS and bool(held & set(INDICES)) and not alone
        if (integers and _of(text, mark, _INDEX)) or (integers and any(o.is_float for o in others)):
            loosely = text.text[mark.begin : mark.end] in words()["some integers"]
            indices = None if loosely else mark.value
        elif (
            mark.value in _INTEGERS
            and _of(text, mark, _INDEX)
            and any(e.name in _RETURN_INDICES for e in entries)
        ):
            result = None if mark.value is DType.INT64 else mark.value
        elif (
            mark.value in _INTEGERS
            and _of(text, mark, _INDEX)
            and any(e.name in _RETURN_BOTH for e in entries)
        ):  # "top 8 with indices int64": as they are
            result = None if mark.value is DType.INT64 else mark.value
            if any(e.name in ("max", "min") for e in entries):
                text.mark(mark.begin, mark.begin, "attribute", AttributeValues({"with_index": True}))
        elif mark.value is DType.BOOL and "mask" in held and (others or _of(text, mark, _MASK)):
            pass
        elif others and mark.value in (DType.INT8, DType.UINT8) and _quantizes(entries):
            if mark.value is DType.UINT8:
                text.mark(mark.begin, mark.begin, "attribute", AttributeValues({"low": 0, "high": 255}))
        elif "int8" in held and mark.value.is_float and others <= {DType.INT8}:
            continue  # what int8 is turned into
        elif (alone and mark.value.is_float and len(entries) == 1) or (
            _of_result(text, mark) and (others or known or _natural(entries, mark.value))
        ):
            again = mark.value.is_float and sum(m.value is mark.value for m in types) > 1
            again |= known == (mark.value,)
            natural = _natural(entries, mark.value) or (again and all(map(_keeps_type, entries)))
            result = None if natural else mark.value
        elif (mark.value is DType.INT8 and "int8" in held) or (
            others and _of(text, mark, _SCALE) and any(e.category == "quantization" for e in entries)
        ):
            pass
        else:
            continue
        text.unmark(mark)
        text.mark(mark.begin, mark.end, "filler")
    return indices, result


def _quantizes(entries: list[OperatorEntry]) -> bool:
    return any(e.name in ("quantize", "dynamic_quantize", "quantize_per_channel") for e in entries)


def _of(text: MarkedText, mark: Mark, role: str) -> bool:
    """Say whether a type stands beside a word for a tensor: "labels are int64", "int32 索引"."""
    before, after = text.text[: mark.begin], text.text[mark.end :]
    return bool(
        re.search(rf"(?<![a-z]){role}(?![a-z]){_LINK}\Z", before)
        or re.match(rf"\s*(?:的)?(?:class |token )?{role}(?![a-z])", after)
    )


def _of_result(text: MarkedText, mark: Mark) -> bool:
    before, after = text.text[: mark.begin], text.text[mark.end :]
    both = re.search(r"(?:input|输入)s?(?: and | ?/ ?|和|、|与)(?:the )?\Z", _RESULT_BEFORE.sub("", before))
    moved = _TO.search(before) and any(m.kind == "dtype" and m.end <= mark.begin for m in text.marks)
    return not both and bool(_RESULT_BEFORE.search(before) or _RESULT_AFTER.match(after) or moved)


def _keeps_type(entry: OperatorEntry) -> bool:
    """Say whether an operator returns its tensors' type: "x fp16, w fp16, output fp16" converts nothing."""
    others = entry.category in ("comparison", "quantization") or entry.name.startswith(
        ("logical_", "is", "quant")
    )
    return not others and entry.name not in (*_RETURN_INDICES, "one_hot", "cast")


def _natural(entries: list[OperatorEntry], dtype: DType) -> bool:
    """Say whether an operator returns that type anyway."""
    for entry in entries:
        compares = entry.category == "comparison" or entry.name.startswith(("logical_", "is"))
        if compares and dtype is DType.BOOL and entry.source is None:
            return True
        if (
            entry.category == "quantization"
            and "quantize" in entry.name
            and dtype in (DType.INT8, DType.UINT8)
        ):
            return not entry.name.startswith("de")
        if (
            entry.name in ("argmax", "argmin", "argsort", "stable_argsort", "searchsorted", "count_nonzero")
            and dtype is DType.INT64
        ):
            return True
    return False


def with_result(steps: tuple[ChainStep, ...], result: DType | None) -> tuple[ChainStep, ...]:
    """Return the chain with its result converted."""
    if result is None or not steps:
        return steps
    if result is DType.INT32 and steps[-1].operator in _RETURN_BOTH:
        if steps[-1].operator in ("max", "min", "median", "mode") and "dim" not in steps[-1].attributes:
            raise Unclear("type_of_the_result", name=result.value)
        return (*steps, ChainStep(operator="with_int32_indices"))
    return (*steps, ChainStep(operator="cast", attributes={"dtype": result.value}))


_NAMED = (
    r"(?!(?:it|this|that|the|then|both|all|each|of|an|by|to|with|from|need|make|do)(?![a-z0-9_]))[a-z]\w{0,7}"
)
_ENDED = (
    r"(?=\s*(?:[,.;:)\uff0c\u3002\uff1b\uff1a]"
    r"|(?<![a-z])(?:and )?(?:then|followed|together|element-?wise)(?![a-z])|再|然后|之?后|\Z))"
)
_BOTH_BEHIND = re.compile(
    rf" (?:of |for |the |two |both |tensors? |inputs? |matrices |vectors )*(?P<a>{_NAMED})"
    rf" ?(?:and|with|,|&|和|与|、|跟) ?(?P<b>{_NAMED}){_ENDED}"
)
_BOTH_BEFORE = re.compile(
    rf"(?<![a-z0-9_])(?P<a>{_NAMED}) ?(?:和|与|、|跟) ?(?P<b>{_NAMED}) ?(?:逐元素|按元素|逐个|的)*\Z"
)
_LEFT, _RIGHT = re.compile(rf"(?<![a-z0-9_])(?P<a>{_NAMED}) ?\Z"), re.compile(rf" ?(?P<b>{_NAMED}){_ENDED}")
_EITHER_WAY = ("add", "mul", "maximum", "minimum", "eq", "ne")
_IN_ORDER = ("sub", "div", "gt", "ge", "lt", "le")


def take_operands(text: MarkedText) -> None:
    """Mark the names of the two tensors of the first operator, which come in that order: "add a and b, then gelu".

    Names whose shapes are told in another order are left to those who read declarations.
    """
    first = next((m for m in text.sorted() if m.kind == "operator"), None)
    if first is None or first.value not in (*_EITHER_WAY, *_IN_ORDER):
        return
    before, behind = text.text[: first.begin], text.text[first.end :]
    left, right = _LEFT.search(before), _RIGHT.match(behind)
    spans: list[tuple[int, int]] = []
    if first.value in _EITHER_WAY and (both := _BOTH_BEHIND.match(behind)) is not None:
        spans = [(first.end + both.start(n), first.end + both.end(n)) for n in ("a", "b")]
    elif first.value in _EITHER_WAY and (both := _BOTH_BEFORE.search(before)) is not None:
        spans = [both.span("a"), both.span("b")]
    elif left is not None and right is not None:
        spans = [left.span("a"), (first.end + right.start("b"), first.end + right.end("b"))]
    names = [text.text[slice(*span)] for span in spans]
    if len({*names}) < _PAIR or not all("\x00" not in text.rest[slice(*span)] for span in spans):
        return
    again = re.findall(rf"(?<![a-z0-9_])(?:{'|'.join(names)})(?![a-z0-9_])", text.text[spans[1][1] :])
    if again[:_PAIR] in ([], names, names[:1]):
        for span in spans:
            text.mark(*span, "filler")


def take_names(text: MarkedText) -> None:
    """Mark names before shapes, as in "src 128x1000, index 128x16"; unknown words where there are several."""
    found = list(_NAMES.finditer(text.text))
    for match in found:
        group = "names" if match["names"] else "listed"
        names = re.findall(r"[a-z][a-z0-9_]*", match[group])
        begin = match.start(group)
        for name, at in _places(match[group], names):
            free = "\x00" not in text.rest[begin + at : begin + at + len(name)]
            if _TYPE.fullmatch(name):
                continue
            if free and (name in words()["tensors"] or (len(found) > 1 and len(name) <= _SHORT)):
                text.mark(begin + at, begin + at + len(name), "filler")


_SHORT = 8
_TYPE = re.compile(r"(?:u?int|fp|bf|float|bfloat|[fiue])\d\w*")


def _places(text: str, names: list[str]) -> Iterator[tuple[str, int]]:
    at = 0
    for name in names:
        at = text.index(name, at)
        yield name, at
        at += len(name)
