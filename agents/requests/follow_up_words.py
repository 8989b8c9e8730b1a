"""The words of follow-ups, from `follow_ups.json`; and texts taken apart into clauses, where no bracket is open."""

import re
import unicodedata
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


def plainly(text: str) -> str:
    """Return a text without the words that lead to what it says, or end it."""
    text = unicodedata.normalize("NFKC", text).replace("×", "x").strip(" :?!")
    text = pattern("lead").sub("", text, count=1)
    return pattern("trailing").sub("", text).strip()


_ENDS = re.compile(r"[,，;；。\n]|(?<!i\.e)(?<!e\.g)[.!！?？](?=\s|\Z)|(?<![\w.])\d[)）](?=\s*\D)")
_OPEN, _CLOSED = "([{（", ")]}）"


def clauses(text: str) -> list[str]:
    """Return the clauses of a text, without the signs and numbers of a list between them."""
    return [text[begin:end].strip() for begin, end in clause_spans(text)]


def clause_spans(text: str) -> list[tuple[int, int]]:
    """Return where the clauses of a text begin and end."""
    found, begin = [], 0
    for match in _ENDS.finditer(text):
        if match.start() >= begin and not _inside(text[begin : match.start()]):
            found.append((begin, match.start()))
            begin = match.end()
    return [(begin, end) for begin, end in (*found, (begin, len(text))) if text[begin:end].strip()]


def clause_end(text: str, begin: int) -> int:
    """Return where the clause that begins at a place ends."""
    for match in _ENDS.finditer(text, begin):
        if not _inside(text[begin : match.start()]):
            return match.start()
    return len(text.rstrip())


def _inside(text: str) -> bool:
    return sum(text.count(c) for c in _OPEN) > sum(text.count(c) for c in _CLOSED)
