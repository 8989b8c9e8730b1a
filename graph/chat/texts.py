"""What the program says in a conversation, in the person's language; the sentences are data beside this file."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

from akgen.agents.requests.language import Language


@cache
def _texts() -> dict[str, dict[str, str]]:
    text = files("akgen.graph.chat").joinpath("texts.json").read_text(encoding="utf-8")
    texts: dict[str, dict[str, str]] = json.loads(text)
    return texts


def said(name: str, language: Language = Language.ENGLISH, /, **values: Any) -> str:
    """Fill in one of the sentences; a missing value is an error."""
    return Environment(undefined=StrictUndefined).from_string(_texts()[language][name]).render(**values)
