"""What the program says in a conversation; the sentences are data beside this file."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined


@cache
def _texts() -> dict[str, str]:
    texts: dict[str, str] = json.loads(files("akgen.graph").joinpath("chat_texts.json").read_text())
    return texts


def said(name: str, **values: Any) -> str:
    """Fill in one of the sentences; a missing value is an error."""
    return Environment(undefined=StrictUndefined).from_string(_texts()[name]).render(**values)
