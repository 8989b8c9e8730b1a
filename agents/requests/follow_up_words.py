"""The words of follow-ups that say in other ways what `revisions.json` has, from `follow_ups.json`."""

import re
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any


@cache
def pattern(name: str) -> re.Pattern[str]:
    return re.compile(follow_up_words()[name], re.I | re.A)


@cache
def patterns(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(said, re.I | re.A) for said in follow_up_words()[name])


@cache
def rewrites() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what is written in other words wherever it stands."""
    return tuple((re.compile(said, re.I | re.A), written) for said, written in follow_up_words()["rewrites"])


@cache
def follow_up_words() -> dict[str, Any]:
    found: dict[str, Any] = loads(
        files("akgen.agents.requests").joinpath("follow_ups.json").read_text("utf-8")
    )
    return found


def acknowledges(text: str) -> bool:
    """Say whether a text only says that all is well: it asks for nothing."""
    return pattern("acknowledges").fullmatch(text.strip()) is not None
