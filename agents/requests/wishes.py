"""Read wishes about the kernel rather than what it computes: cores, tiles, buffers, one kernel for all shapes."""

import re
from functools import cache
from typing import Any, NamedTuple

from akgen.agents.requests.marks import MarkedText, words
from akgen.tools.core.knobs import Knobs


class Wishes(NamedTuple):
    """What was wished; None where nothing was."""

    knobs: Knobs | None
    dynamic: bool | None


def take_wishes(text: MarkedText) -> Wishes:
    """Mark wishes and return them."""
    values: dict[str, Any] = {}
    if (pieces := _count(text, _pattern("pieces"))) is not None:
        values["pieces"] = pieces
    elif (tile := _count(text, _pattern("tile"))) is not None:
        values["tile_length"] = tile
    if text.take(_pattern("one_core"), "wish"):
        values["cores"] = 1
    elif (cores := _count(text, _pattern("cores"))) is not None:
        values["cores"] = cores
    if text.take(_pattern("single"), "wish"):
        values["buffers"] = 1
    elif text.take(_pattern("double"), "wish"):
        values["buffers"] = 2
    values = {name: value for name, value in values.items() if value >= 1}
    dynamic = (
        True
        if text.take(_pattern("dynamic"), "wish")
        else False
        if text.take(_pattern("static"), "wish")
        else None
    )
    return Wishes(Knobs(**values) if values else None, dynamic)


def _count(text: MarkedText, pattern: re.Pattern[str]) -> int | None:
    match = pattern.search(text.rest)
    if match is None:
        return None
    text.mark(match.start(), match.end(), "wish")
    word = next(g for g in match.groups() if g).strip().replace("_", "")
    return int(word[:-1]) * 1024 if word.endswith("k") else int(word)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(words()["wishes"][name])
