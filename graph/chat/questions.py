"""Answer questions without a model: about interfaces, error codes and the chip, from the knowledge; nothing is changed.

What is asked about the kernel in hand is answered in `about_kernel`. A text that is no question gets no answer here: it
is read as a request.
"""

import difflib
import re
from collections.abc import Iterator
from functools import cache

from akgen.agents.requests.language import Language
from akgen.graph.chat.asked import asked_of_chip, asks, concepts_in
from akgen.graph.chat.texts import said
from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.chip import Chip
from akgen.knowledge.errors import catalogue, chinese
from akgen.knowledge.operators import find_operators
from akgen.knowledge.search import search

MOST_CARDS = 3
_NEAR = 8.0  # score of a search from which an entry is about what is asked
_MOST_NEAR = 4
_CODE = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![A-Za-z0-9_])")
_NAME = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9_]*(?:::[A-Za-z0-9_]+)*(?![A-Za-z0-9_])")
_HUMP = re.compile(r"[a-z0-9][A-Z]")
_LONG_NAME = 6  # letters of an interface that is recognised in lower case
_SIZES = re.compile(r"\d ?(?:[x*×,]|by|乘以?) ?\d")
_SHAPE = re.compile(rf"{_SIZES.pattern}|\b(?:fp|bf|int)\d+\b")


def answer(text: str, language: Language, chip: Chip) -> str | None:
    """Return the answer to a question about a code, an interface or the chip; None if it is no such question."""
    found = [_of_code(code, language) for code in _codes(text)]
    if not found:
        found = [card.text() for card in _asked_cards(text)]
    if not found:
        found = list(_of_chip(text, language, chip))
    if not found and asks("use", text) and not asks("making", text) and not _SHAPE.search(text):
        found = concepts_in(text, language)[:MOST_CARDS]
    return "\n\n".join(found) or None


def nearest_entries(text: str, language: Language) -> str | None:
    """Return what the knowledge has on a question that nothing else answers; None if it is none, or has nothing."""
    if not asks("question", text) or _SHAPE.search(text):
        return None
    hits = [hit for hit in search(text, _MOST_NEAR) if hit.score >= _NEAR and hit.kind != "operator"]
    if not hits:
        return None
    lines = [f"  {hit.name}: {_about(hit.kind, hit.name, language)}" for hit in hits]
    return "\n".join([said("nearest", language), *lines])


def _about(kind: str, name: str, language: Language) -> str:
    if kind == "api":
        return cards()[name].summary
    translated = chinese(name) if language is Language.CHINESE else None
    return (translated or catalogue()[name]).sentence


def _codes(text: str) -> Iterator[str]:
    """Yield the error codes that a text names: in capitals anywhere, in small letters in a question."""
    asked = asks("question", text) or bool(_CODE.fullmatch(text.strip()))
    for match in _CODE.finditer(text):
        code = match[0].upper()
        if code in catalogue() and (asked or match[0] == code):
            yield code
        elif match[0] == code and asked and code not in cards():
            yield from difflib.get_close_matches(code, catalogue(), n=1, cutoff=0.8)


def _of_code(code: str, language: Language) -> str:
    entry = catalogue()[code]
    known = chinese(code) if language is Language.CHINESE else None
    values = {"code": code, "sentence": (known or entry).sentence, "remedy": (known or entry).remedy}
    return said("error_code", language, cause=entry.cause, **values)


def _asked_cards(text: str) -> list[ApiCard]:
    """Return the interfaces that a question is about; one that is named alone is asked about, too."""
    if _SIZES.search(text) or asks("making", text):
        return []
    if _is_name(text):
        return [card for card in _named(text, strict=True) if not find_operators(_plain(text))]
    return list(_named(text, strict=not asks("call", text)))[:MOST_CARDS] if asks("use", text) else []


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text.strip().rstrip("?？().;")) is not None


def _plain(name: str) -> str:
    """Write `LayerNorm` as people write the operator."""
    return _HUMP.sub(lambda m: f"{m[0][0]} {m[0][1]}", name).lower()


def _named(text: str, *, strict: bool) -> Iterator[ApiCard]:
    """Yield the interfaces named in a text; `strict`: not those whose names are operators or plain words as well."""
    for name in dict.fromkeys(m[0] for m in _NAME.finditer(text)):
        card = cards().get(name) or _in_small_letters().get(name.lower())
        if card is None:
            continue
        spelt = name == card.name and bool(_HUMP.search(name))
        if spelt or not strict or not find_operators(name.lower()):
            yield card


@cache
def _in_small_letters() -> dict[str, ApiCard]:
    """Return the interfaces by their names in small letters, where the name is no plain word."""
    return {n.lower(): c for n, c in cards().items() if _HUMP.search(n) and len(n) >= _LONG_NAME}


def _of_chip(text: str, language: Language, chip: Chip) -> Iterator[str]:
    if not asks("amount", text) or asks("of_kernel", text):
        return
    asked = asked_of_chip(text)
    if asked:
        facts = [said(f"chip_{key}", language, chip=chip) for key in asked]
        yield f"{chip.name}: " + "; ".join(facts)
