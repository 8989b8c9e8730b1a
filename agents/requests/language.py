"""The language of a conversation: told by the sentence, kept where a sentence does not tell."""

import re
from enum import StrEnum


class Language(StrEnum):
    ENGLISH = "en"
    CHINESE = "zh"


_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORDS = re.compile(r"[A-Za-z]{2,}\s+[A-Za-z]{2,}")


def language_of(text: str, before: Language = Language.ENGLISH) -> Language:
    """Return the language of a sentence. A command, a number or a single word says nothing: then it is as before."""
    if _CHINESE.search(text):
        return Language.CHINESE
    english = _WORDS.search(text) and not text.lstrip().startswith("/")
    return Language.ENGLISH if english else before
