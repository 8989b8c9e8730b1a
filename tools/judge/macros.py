"""Expand macros in a project's text, as far as a first look at it needs: a forbidden word may hide behind another name.

Macros without parameters are expanded with the bodies of all files of the project, since a header may define what a
source uses; where a name has several bodies, each is tried. Of macros with parameters see `names_used.pasted`. Not
covered: which definition holds at a place, and what `#if` leaves out.
"""

import re
from collections.abc import Iterable, Iterator

_DEFINE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*define[ \t]+([A-Za-z_]\w*)(?!\w|\()[ \t]*(.*)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:)[^\n]*", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_DEPTH = 8  # macros inside macros
_MOST_BODIES = 4  # of one name
_ROOM = 100_000  # characters that a text may grow by, beside its own length

Macros = dict[str, tuple[str, ...]]


def plain_macros(texts: Iterable[str]) -> Macros:
    """Return the bodies of the macros without parameters in texts without comments."""
    found: dict[str, dict[str, None]] = {}
    for text in texts:
        for name, body in _DEFINE.findall(text):
            if body.strip() != name:
                found.setdefault(name, {})[body.strip()] = None
    return {name: tuple(bodies)[:_MOST_BODIES] for name, bodies in found.items()}


def expanded(bare: str, macros: Macros) -> Iterator[str]:
    """Yield the text with its macros expanded, one time for each body of a name; lines stay where they are."""
    text = _DIRECTIVE.sub("", bare)
    if not any(word in macros for word in set(_WORD.findall(text))):
        return
    for number in range(max(map(len, macros.values()))):
        bodies = {name: found[min(number, len(found) - 1)] for name, found in macros.items()}
        yield _replaced(text, bodies)


def _replaced(text: str, bodies: dict[str, str]) -> str:
    most = 2 * len(text) + _ROOM
    for _ in range(_DEPTH):
        grows = sum(len(bodies.get(word, "")) for word in _WORD.findall(text))
        if grows > most:
            break
        made = _WORD.sub(lambda word: bodies.get(word.group(), word.group()), text)
        if made == text:
            break
        text = made
    return text
