"""The text of a specification while it is read: as it was written, and marked in lower case, place for place."""

import re
import unicodedata
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any

from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.signs import plain
from akgen.agents.requests.specified.prose import in_signs
from akgen.agents.requests.tidied import tidied

_BETWEEN_SIZES = re.compile(r"(?<=\d) ?× ?(?=\d)")
_NUMBERED = re.compile(
    r"^[ \t]*(?:[-*•]|(?:step ?|第 ?)?[(（]?\d{1,2}(?: ?步)?[.)、:）：])[ \t]*(?=\D)", re.M | re.I
)


class SpecifiedText:
    """A text in which signs are ASCII and tables are lines, with marks on what was read."""

    def __init__(self, said: str) -> None:
        text = unicodedata.normalize("NFKC", tidied(plain(_BETWEEN_SIZES.sub("x", said))))
        for pattern, put in words()["told"]["written"]:
            text = re.sub(pattern, put, text, flags=re.I)
        self.text = in_signs(_NUMBERED.sub(lambda m: " " * len(m[0]), text))
        self.marked = MarkedText(self.text)

    @property
    def aligned(self) -> bool:
        """Say whether the marked text has the places of the written one."""
        return len(self.marked.text) == len(self.text)

    def free(self, begin: int, end: int) -> bool:
        """Say whether nobody read anything of a part."""
        return "\x00" not in self.marked.rest[begin:end]

    def take(self, begin: int, end: int, kind: str = "filler") -> None:
        """Mark a part as read."""
        self.marked.mark(begin, end, kind)

    def matches(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Return the matches of a pattern in what was not read yet, in the text as it was written."""
        return [m for m in pattern.finditer(self.text) if self.free(*m.span())]


def type_words() -> str:
    """Return a pattern for the names of data types."""
    spelt = sorted((w for listed in words()["dtypes"].values() for w in listed), key=len, reverse=True)
    latin = "|".join(re.escape(w) for w in spelt if w.isascii())
    others = "|".join(re.escape(w) for w in spelt if not w.isascii())
    return rf"(?:(?<![A-Za-z0-9_.])(?:{latin})(?![A-Za-z0-9_]){'|' + others if others else ''})"


@cache
def said_words() -> dict[str, Any]:
    """Return the words of specifications, in English and Chinese."""
    path = files("akgen.agents.requests.specified").joinpath("words.json")
    found: dict[str, Any] = loads(path.read_text("utf-8"))
    return found
