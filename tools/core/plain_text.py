"""Text that somebody else wrote, made so that it can be stored, encoded and printed."""

import re
from typing import Annotated

from pydantic import AfterValidator

_HALF = re.compile("[\ud800-\udfff]")
# Controls (not tab and newline), and what changes the direction or the lines of text around it.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def without_halves(text: str) -> str:
    """Join surrogate pairs, and put U+FFFD in the place of what has no other half."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", errors="replace")


def escaped(text: str) -> str:
    r"""Return a text that moves no cursor and sets no colour: control characters are written as `\x1b`."""
    text = without_halves(text)
    return _CONTROL.sub(lambda c: repr(c[0])[1:-1], text) if _CONTROL.search(text) else text


def shown(text: str, most: int = 300) -> str:
    """Return the begin of a text for one line: blanks are one blank, control characters escaped."""
    return escaped(" ".join(text[: 4 * most].split()))[:most]


Printable = Annotated[str, AfterValidator(escaped)]
