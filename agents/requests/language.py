"""The language of a conversation, told by the sentence and kept where one does not tell; and sentences in either."""

import json
import re
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template


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


@cache
def _sentences(package: str, file: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(files(package).joinpath(file).read_text(encoding="utf-8"))
    return found


def sentence(package: str, file: str, name: str, language: Language, /, **values: Any) -> str:
    """Fill in a sentence of a package's JSON file (language, name, template); a missing value is an error."""
    template = _sentences(package, file)[language][name]
    return _template(template).render(**values)


@cache
def _template(text: str) -> Template:
    return Environment(undefined=StrictUndefined).from_string(text)
