"""The words of follow-ups that change what was said, from `revisions.json`."""

import re
import unicodedata
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any


def plainly(text: str) -> str:
    """Return a text without the words that lead to what it says, or end it."""
    text = unicodedata.normalize("NFKC", text).replace("×", "x").strip(" :?!")
    text = pattern("lead").sub("", text, count=1)
    return pattern("trailing").sub("", text).strip()


@cache
def pattern(name: str) -> re.Pattern[str]:
    return re.compile(revision_words()[name], re.I | re.A)


@cache
def patterns(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(said, re.I | re.A) for said in revision_words()[name])


@cache
def revision_words() -> dict[str, Any]:
    found: dict[str, Any] = loads(
        files("akgen.agents.requests").joinpath("revisions.json").read_text("utf-8")
    )
    return found
