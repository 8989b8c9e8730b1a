"""Blank what is no code in a C++ source: comments, strings, characters. Offsets and lines stay.

One pass, linear in the text: an unterminated comment or raw string reaches to the end, as it does for the compiler.
"""

import re

_START = re.compile(r'//|/\*|(?<![A-Za-z0-9_])(?:u8|[uUL])?R"|"|\'')
_RAW_DELIMITER = re.compile(r'([^()\\\s"]{0,16})\(')
_BODY = {q: re.compile(rf"[^{q}\\\n]*(?:\\.[^{q}\\\n]*)*") for q in "'\""}
_WORD_END = re.compile(r"[A-Za-z0-9_]+\Z")
_PREFIXES = frozenset({"u8", "u", "U", "L"})


def blank(text: str, *, strings: bool = True) -> str:
    """Replace comments by spaces, and with `strings` also literals; line ends stay."""
    pieces: list[str] = []
    at = 0
    while (start := _START.search(text, at)) is not None:
        begin, token = start.start(), start.group()
        pieces.append(text[at:begin])
        if token == "'" and _is_digit_separator(text, begin):
            pieces.append("'")
            at = begin + 1
            continue
        at = _end(text, start.end(), token)
        keep = not strings and token not in ("//", "/*")
        pieces.append(text[begin:at] if keep else _spaces(text[begin:at]))
    pieces.append(text[at:])
    return "".join(pieces)


def _end(text: str, at: int, token: str) -> int:
    """Return the offset behind a comment or literal whose opening token ends at `at`."""
    if token == "//":
        return _or_end(text, text.find("\n", at), 0)
    if token == "/*":
        return _or_end(text, text.find("*/", at), 2)
    if token.endswith('R"'):
        delimiter = _RAW_DELIMITER.match(text, at)
        if delimiter is None:
            return _quoted(text, at, '"')
        close = f'){delimiter.group(1)}"'
        return _or_end(text, text.find(close, delimiter.end()), len(close))
    return _quoted(text, at, token)


def _quoted(text: str, at: int, quote: str) -> int:
    """Return the offset behind the closing quote, or of the line's end where there is none."""
    body = _BODY[quote].match(text, at)
    assert body is not None  # the pattern matches nothing too
    end = body.end()
    return end + 1 if text[end : end + 1] == quote else end


def _or_end(text: str, found: int, width: int) -> int:
    return len(text) if found < 0 else found + width


def _is_digit_separator(text: str, at: int) -> bool:
    before = _WORD_END.search(text, max(0, at - 32), at)
    return before is not None and before.group() not in _PREFIXES


def _spaces(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
