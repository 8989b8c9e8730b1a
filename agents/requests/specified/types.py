"""Find the types of a specification's inputs: their own, or one that is said of all of them."""

import re
from collections.abc import Collection, Mapping

from akgen.agents.requests.specified.layout import SpecifiedText, type_words
from akgen.agents.requests.specified.program import GivenTensor
from akgen.agents.requests.specified.tensors import SpecifiedTensor, dtype_of
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
