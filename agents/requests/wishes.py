"""Read what else a sentence may wish, in English and Chinese: a reduction's axis, any shape, cores, tiles, buffers."""

import re
from typing import Any

from akgen.agents.requests.request import Axis
from akgen.tools.core.knobs import Knobs

_AXES: tuple[tuple[str, Axis], ...] = (
    (r"\b(?:each|every|per|along (?:the |each )?)\s*rows?\b|\brow[- ]?wise\b|按行|每行|逐行", -1),
    (r"\b(?:each|every|per)\s*columns?\b|\bcolumn[- ]?wise\b|按列|每列|逐列", -2),
    # "over rows" sums what the row index counts, and leaves one value per column.
    (r"\b(?:over|across|down)\s+(?:the |all )?rows\b|跨行", -2),
    (r"\b(?:over|across)\s+(?:the |all )?columns\b|跨列", -1),
    (
        r"\b(?:over|of|across)\s+(?:all|everything|the whole)\b|\bto a (?:scalar|single)\b|全部元素|所有元素",
        "all",
    ),
    (r"\b(?:the )?last (?:axis|dim(?:ension)?)\b|最后一[维轴]", -1),
    (r"\b(?:the )?first (?:axis|dim(?:ension)?)\b|第一[维轴]", 0),
)
_AXIS_NUMBER = re.compile(r"\b(?:axis|dim(?:ension)?)\s*=?\s*(-?\d)\b|[第轴维]\s*(-?\d)\s*[维轴]?", re.I)
_DYNAMIC = re.compile(
    r"\bdynamic\b|\b(?:any|all|arbitrary|every) (?:shapes?|sizes?|lengths?)\b|动态|任意形状", re.I
)
_STATIC = re.compile(r"\bstatic\b|\b(?:only|just) (?:this|that|one) (?:shape|size)\b|静态|固定形状", re.I)
_NUMBER = r"(\d[\d_]*\s*[kK]?)"
_CORES = re.compile(
    rf"{_NUMBER}\s*(?:ai |vector )?cores?\b|{_NUMBER}\s*个?(?:AI)?核|block[_ ]?dim\s*=?\s*{_NUMBER}", re.I
)
_ONE_CORE = re.compile(r"\b(?:one|(?:a )?single) core\b|单核", re.I)
_TILE = re.compile(
    rf"tile(?:s| length| size)?\s*(?:of|to|=|:)?\s*{_NUMBER}|{_NUMBER}\s*(?:element )?tiles\b|分块\s*{_NUMBER}",
    re.I,
)
_PIECES = re.compile(rf"{_NUMBER}\s*(?:tiles|pieces) (?:per|for each|on each) core", re.I)
_SINGLE = re.compile(
    r"\b(?:no|without|drop|switch off) double[- ]?buffer|\bsingle[- ]?buffer|单缓冲|不要双缓冲", re.I
)
_DOUBLE = re.compile(r"\bdouble[- ]?buffer|双缓冲", re.I)


def axis(text: str) -> Axis | None:
    """Return the axis that a sentence names."""
    number = _AXIS_NUMBER.search(text)
    if number is not None:
        return int(number[1] or number[2])
    found = [(m.start(), value) for pattern, value in _AXES if (m := re.search(pattern, text, re.I))]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def dynamic(text: str) -> bool | None:
    """Return whether one kernel shall serve all shapes, where the sentence says so."""
    return True if _DYNAMIC.search(text) else False if _STATIC.search(text) else None


def knobs(text: str) -> Knobs | None:
    """Return what the sentence wishes of the tiling, or None."""
    values: dict[str, Any] = {}
    pieces = _number(_PIECES, text)
    if pieces is not None:
        values["pieces"] = pieces
    elif (tile := _number(_TILE, text)) is not None:
        values["tile_length"] = tile
    cores = 1 if _ONE_CORE.search(text) else _number(_CORES, text)
    if cores is not None:
        values["cores"] = cores
    if _SINGLE.search(text):
        values["buffers"] = 1
    elif _DOUBLE.search(text):
        values["buffers"] = 2
    values = {name: value for name, value in values.items() if value >= 1}
    return Knobs(**values) if values else None


def without(text: str) -> str:
    """Return the sentence without its wishes, whose numbers are no shape and whose "single" is no type."""
    for pattern in (_PIECES, _CORES, _ONE_CORE, _TILE, _SINGLE, _AXIS_NUMBER):
        text = pattern.sub(" ", text)
    return text


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    if match is None:
        return None
    word = next(g for g in match.groups() if g).strip().replace("_", "")
    return int(word[:-1]) * 1024 if word[-1] in "kK" else int(word)
