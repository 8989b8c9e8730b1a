"""Find the types of a specification's inputs, their own or one that is said of all of them; and what it promises of
them: "ids in 0..99", "t2 is within [0.5, 2]", "values are unique".
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from akgen.agents.requests.specified.layout import SpecifiedText, said_words, type_words
from akgen.agents.requests.specified.program import GivenTensor
from akgen.agents.requests.specified.tensors import NAME, SpecifiedTensor, dtype_of
from akgen.tools.core.dtypes import DType

_ALL_OF_TYPE = (
    r"(?:(?<![A-Za-z])(?:all|both|everything|inputs?|tensors?|are|is|in|dtype|type|as|of)(?![A-Za-z])|[\s:=,]"
    r"|都|均|全部|输入|全|为|是|用|类型)*"
)

_OF_RESULT = re.compile(r"\s*(?:(?:out|outputs?|results?)(?![A-Za-z_])|的?(?:输出|结果))", re.I)


def with_types(
    layout: SpecifiedText, declared: Mapping[str, SpecifiedTensor], of_results: Collection[DType | None]
) -> tuple[list[GivenTensor], bool] | None:
    """Return the inputs with their types, and whether nobody said one; None where a type's tensor is not clear."""
    pattern = re.compile(rf"{_ALL_OF_TYPE}(?P<type>{type_words()})(?: (?:inputs?|tensors?))?", re.I)
    loose = []
    for match in layout.matches(pattern):
        dtype = dtype_of(match["type"])
        if dtype not in of_results and _OF_RESULT.match(layout.text, match.end("type")):
            return None  # "bf16 out": whoever read the results has not read it
        if dtype is not None and not dtype.is_float and not _of_tensors(layout, match, declared):
            if dtype not in of_results:
                return None  # "int8 quantisation" says what comes
            layout.take(*match.span(), "dtype")
            continue
        loose.append(dtype)
        layout.take(*match.span(), "dtype")
    said = {t.dtype for t in declared.values() if t.dtype is not None}
    common: set[DType | None] = {*loose}
    if len(common) > 1 or all(t.dtype for t in declared.values()):
        common = {t for t in common if t not in of_results}  # "quantise to int8"
    if len(common) > 1 or (common and all(t.dtype for t in declared.values()) and not common <= said):
        return None
    floats = {t for t in said if t.is_float}
    if not common and said and any(t.dtype is None for t in declared.values()):
        if len(floats) != 1 or not (_typed_last(declared) or floats == {DType.FLOAT32}):
            return None
        common = {*floats}
    usual = next(iter(common), None) or DType.FLOAT32
    found = [GivenTensor(n, t.shape or (), t.dtype or usual) for n, t in declared.items()]
    return found, not common and not said


def _typed_last(declared: Mapping[str, SpecifiedTensor]) -> bool:
    """Say whether a type stands at the end of a list of tensors: "a [4, 8], b [8] fp16"."""
    return list(declared.values())[-1].dtype is not None


def _of_tensors(layout: SpecifiedText, match: re.Match[str], declared: Mapping[str, SpecifiedTensor]) -> bool:
    """Say whether a type is said of all tensors, or stands right behind one: "a, b [8, 4], int32"."""
    said = match[0][: match.start("type") - match.start()]
    ends = [t.end for t in declared.values() if t.end <= match.start("type")]
    behind = bool(ends) and not layout.text[max(ends) : match.start("type")].strip(" ,，;；")
    return behind or re.search(r"all|both|inputs?|everything|都|均|全|输入", said, re.I) is not None


_LEAD = r"(?:(?<=[\s,，;；.。:：(（])|(?<=[\])]))"
_END = r"(?=\s*(?:[,，;；.。:：)）\n]|\Z|so(?![A-Za-z]))|(?<=[)\]]))"
_MOST_BEHIND = 48


class Range(NamedTuple):
    """Between which numbers a tensor's values lie, both included."""

    low: float
    high: float
    two: bool = False  # one of them alone


def take_promises(layout: SpecifiedText, tensors: list[SpecifiedTensor]) -> dict[str, Range]:
    """Mark what is promised of inputs, and return the ranges of the tensors that have one."""
    said = said_words()
    ranges: dict[str, Range] = {}
    places = {t.name: t.end for t in reversed(tensors)}
    for match in _free(
        layout, rf"{_LEAD}(?:(?P<of>{NAME})(?: ?(?:is|are|has|holds|里|的) ?)? ?)?{said['binary']}{_END}"
    ):
        name = match["of"] if match["of"] in places else _nearest(tensors, match.start())
        if name is not None:
            ranges[name] = Range(0.0, 1.0, two=True)
            layout.take(*match.span())
    for match in _free(layout, rf"{_LEAD}(?:(?P<of>{NAME})(?:'s)? ?(?:的 ?)?)?{said['range']}{_END}"):
        name = match["of"] if match["of"] in places else _nearest(tensors, match.start())
        if name is None or not _is_range(match):
            continue
        ranges[name] = Range(
            float(match["low"]), float(match["high"]) - (match["close"] == ")" and _whole(match))
        )
        layout.take(*match.span())
    for pattern in said["promises"]:
        for match in _free(layout, rf"{_LEAD}(?:(?P<of>{NAME})(?: ?里)? )?(?:{pattern}){_END}"):
            if (
                match["of"] is None
                or match["of"] in places
                or match["of"].lower() in ("values", "all", "slots", "with")
            ):
                layout.take(*match.span())
    for match in _free(layout, rf"{_LEAD}{said['relation']}{_END}"):
        layout.take(*match.span())
    return ranges


def take_remarks_on(layout: SpecifiedText, tensors: list[SpecifiedTensor]) -> None:
    """Mark remarks in parentheses on what a tensor is: "y (the softmax output)", "x (B, S, D)"."""
    for pattern in said_words()["remarks"]:
        for match in _free(layout, pattern):
            if _nearest(tensors, match.start()) is not None:
                layout.take(*match.span())


def _free(layout: SpecifiedText, pattern: str) -> Iterator[re.Match[str]]:
    yield from layout.matches(re.compile(pattern, re.I))


def _nearest(tensors: list[SpecifiedTensor], at: int) -> str | None:
    """Return the tensor that is told right before a place."""
    before = [t for t in tensors if t.end <= at and at - t.end < _MOST_BEHIND]
    return max(before, key=lambda t: t.end).name if before else None


def _is_range(match: re.Match[str]) -> bool:
    return float(match["low"]) < float(match["high"])


def _whole(match: re.Match[str]) -> bool:
    """Say whether a range is one of whole numbers, of which "[0, 100)" leaves out the last."""
    return "." not in match["low"] + match["high"]
