"""Ask about words that were not understood, with an offer: what was probably meant, or the text without them."""

import re
from collections.abc import Callable

from akgen.agents.requests.guesses import draws, like, meant, part_meant
from akgen.agents.requests.language import Language, language_of
from akgen.agents.requests.layouts import asks_axis, names_axis
from akgen.agents.requests.needs import missing
from akgen.agents.requests.problems import Unclear, problem
from akgen.agents.requests.reading import Reading
from akgen.agents.requests.request import ParsedRequest, Request

Reader = Callable[[str, Request, Language], ParsedRequest]

_FEW_WORDS = 3  # that are not understood, up to which the rest is worth an offer
_SHORT = 2  # letters of a word that may be a tensor's name
_TURNS = re.compile(
    r"[不非无没只仅除反逆另]|\A(?:another|other|others|masked|mask|inf|infinity|twice|both|inside|outside|before|after|difference|except|unless|without|never|neither|nor|not|only|instead|but|minus|half|opposite)\Z"
    r"|\A(?:revers|invers|negat|exclud|ignor|skip|transpos)"
)


def misspelt(
    text: str, reading: Reading, known: Request, language: Language, read: Reader
) -> ParsedRequest | None:
    """Return a question with a guess where nothing is named but a misspelt operator: "softmx over the last dim"."""
    unread = reading.unread()
    asked = asked_about(text, unread, known, language, read) if unread else None
    return asked if asked is not None and asked.offer is not None else None


def asked_about(
    text: str, unread: list[str], known: Request, language: Language, read: Reader
) -> ParsedRequest:
    """Return a question about the words that were not understood, with a guess where there is one."""
    if drawn := next(filter(draws, unread), None):
        return ParsedRequest(request=known, problem=problem("random", language, word=drawn), kind="unclear")
    if axes := [word for word in unread if names_axis(word) and asks_axis(text, word)]:
        shape = "x".join(map(str, known.shape)) if known.shape else None
        return ParsedRequest(
            request=known, problem=problem("which_axis", language, word=axes[0], shape=shape), kind="unclear"
        )
    close = {word: found for word in unread if word.isascii() and (found := part_meant(word) or meant(word))}
    offer = None
    if close:
        offer = text
        for word, found in close.items():
            offer = re.sub(re.escape(word), found[0].replace("_", " "), offer, flags=re.I)
    offer = offer if offer is not None and _understood(offer, known) else None
    without = _without(text, unread, known, read) if offer is None else None
    guesses = [name for word, found in close.items() for name in found if like(word, name)]
    sentence = problem(
        "not_read", language, words=unread, close=guesses, offer=offer, without=without, known=known
    )
    return ParsedRequest(request=known, problem=sentence, kind="unclear", offer=offer or without)


def _without(text: str, unread: list[str], known: Request, read: Reader) -> str | None:
    """Return the text without a few words that were not understood, if it then says all that a request needs.

    Nothing is built of it before the person says yes. Numbers, tensors and words that limit are not left out.
    """
    words = list(dict.fromkeys(unread))
    if len(words) > _FEW_WORDS or any(not _may_go(word) for word in words):
        return None
    rest = text
    for word in words:
        rest = re.sub(
            rf"(?<![a-z0-9_]){re.escape(word)}(?![a-z0-9_])" if word.isascii() else word, "", rest, flags=re.I
        )
    rest = re.sub(r"[ \t]{2,}", " ", rest).strip()
    if rest == text or not _understood(rest, known):
        return None
    heard = read(rest, known, language_of(text, Language.ENGLISH))
    return rest if heard.problem is None and "operator" not in missing(heard.request) else None


def _may_go(word: str) -> bool:
    """Say whether a sentence may be read without the word: no number, no tensor, nothing that limits."""
    named = (word.isascii() and len(word) <= _SHORT) or names_axis(word)
    return not named and not any(c.isdigit() for c in word) and not _TURNS.search(word)


def _understood(offer: str, known: Request) -> bool:
    """Say whether a text with guesses in it says something, so that it is worth offering."""
    reading = Reading(offer, known)
    try:
        return reading.request() != known and not reading.unread()
    except Unclear:
        return False
