"""A text with marks on it: every recogniser marks what it has read, so that what nobody read can be asked about."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any, NamedTuple

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_TAKEN = "\x00"  # stands for every character that was read
_WORD = re.compile(
    r"[a-z][a-z0-9_'.\-]*|\d[\w.]*|[\u4e00-\u9fff]+|[^\W\d_a-z\u4e00-\u9fff]+|[^\s\x00\w,.;:!?()\[\]{}'\"`*•\-–—/+=|&>]+"
)


class Mark(NamedTuple):
    """A part of the text and what it was read as."""

    begin: int
    end: int
    kind: str
    value: Any = None


class MarkedText:
    """A text in lower case, full-width forms made narrow, and what was read in it."""

    def __init__(self, text: str) -> None:
        plain = unicodedata.normalize("NFKC", text).replace("×", "x").replace("−", "-").lower()
        self.text = plain
        self.marks: list[Mark] = []
        self.every_result = False  # what every step returns is asked for
        self._rest = plain

    @property
    def rest(self) -> str:
        """Return the text with what was read blanked out, place for place."""
        return self._rest

    def mark(self, begin: int, end: int, kind: str, value: Any = None) -> None:
        self.marks.append(Mark(begin, end, kind, value))
        self._rest = self._rest[:begin] + _TAKEN * (end - begin) + self._rest[end:]

    def unmark(self, mark: Mark) -> None:
        self.marks.remove(mark)
        self._rest = self._rest[: mark.begin] + self.text[mark.begin : mark.end] + self._rest[mark.end :]

    def matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield the matches in what was not read yet, also while marks are being made."""
        at = 0
        while (match := pattern.search(self._rest, at)) is not None:
            yield match
            at = max(match.end(), match.start() + 1)

    def take(self, pattern: re.Pattern[str], kind: str, value: Any = None) -> bool:
        """Mark every match; say whether there was one."""
        found = False
        for match in self.matches(pattern):
            if match.end() > match.start():
                self.mark(match.start(), match.end(), kind, value)
                found = True
        return found

    def sorted(self) -> list[Mark]:
        return sorted(self.marks, key=lambda m: (m.begin, m.end))

    def left(self) -> list[str]:
        """Return the words that nobody read."""
        return [m[0].strip(".'-_") for m in _WORD.finditer(self._rest) if m[0].strip(".'-_")]


@cache
def words() -> dict[str, Any]:
    """Return the words of requests, in English and Chinese."""
    found: dict[str, Any] = loads(files("akgen.agents.requests").joinpath("words.json").read_text("utf-8"))
    return found


@cache
def phrase(name: str) -> re.Pattern[str]:
    """Return the pattern of one of the alternatives in `words`, as whole words."""
    return whole(words()[name])


@cache
def whole(alternatives: str) -> re.Pattern[str]:
    """Match any of the alternatives, the longest first; Latin ones as whole words."""
    parts = sorted(_alternatives(alternatives), key=len, reverse=True)
    latin = [p for p in parts if not _CHINESE.search(p)]
    chinese = [p for p in parts if _CHINESE.search(p)]
    either = [rf"(?<![a-z0-9_])(?:{'|'.join(latin)})(?![a-z0-9_])"] if latin else []
    return re.compile("|".join([*either, *chinese]))


def _alternatives(text: str) -> list[str]:
    """Split at the bars that stand in no parentheses."""
    depth, parts = 0, [""]
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts
