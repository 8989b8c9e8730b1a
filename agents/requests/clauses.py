"""Take a text apart into clauses, where no bracket is open."""

import re

_ENDS = re.compile(r"[,，;；。\n]|(?<!i\.e)(?<!e\.g)[.!！?？](?=\s|\Z)|(?<![\w.])\d[)）](?=\s*\D)")
_OPEN, _CLOSED = "([{（", ")]}）"


def clauses(text: str) -> list[str]:
    """Return the clauses of a text, without the signs and numbers of a list between them."""
    found, begin = [], 0
    for match in _ENDS.finditer(text):
        if match.start() >= begin and not _inside(text[begin : match.start()]):
            found.append(text[begin : match.start()])
            begin = match.end()
    return [part.strip() for part in (*found, text[begin:]) if part.strip()]


def clause_end(text: str, begin: int) -> int:
    """Return where the clause that begins at a place ends."""
    for match in _ENDS.finditer(text, begin):
        if not _inside(text[begin : match.start()]):
            return match.start()
    return len(text.rstrip())


def _inside(text: str) -> bool:
    return sum(text.count(c) for c in _OPEN) > sum(text.count(c) for c in _CLOSED)
