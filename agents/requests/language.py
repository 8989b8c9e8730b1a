"""The language of a conversation, told by the sentence and kept where one does not tell; and sentences in either."""

import json
import re
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined


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


class Sentences:
    """Templates of sentences in every language: a package's JSON file of language, name and text."""

    def __init__(self, package: str, file: str) -> None:
        self._package, self._file = package, file

    @cached_property
    def texts(self) -> dict[str, dict[str, str]]:
        text = files(self._package).joinpath(self._file).read_text(encoding="utf-8")
        found: dict[str, dict[str, str]] = json.loads(text)
        return found

    def fill(self, name: str, language: Language, /, **values: Any) -> str:
        """Fill in one of the sentences; a missing value is an error."""
        template = Environment(undefined=StrictUndefined).from_string(self.texts[language][name])
        return template.render(**values)
