"""The error catalogue: what each stable code means, why it happens, and what to do about it."""

import json
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict


class ErrorEntry(BaseModel):
    """One entry of data/errors.json."""

    model_config = ConfigDict(frozen=True, extra="allow")

    stage: str
    sentence: str
    cause: str
    remedy: str


@cache
def catalogue() -> dict[str, ErrorEntry]:
    text = files("akgen.knowledge").joinpath("data", "errors.json").read_text()
    return {code: ErrorEntry.model_validate(entry) for code, entry in json.loads(text).items()}


def entry(code: str) -> ErrorEntry | None:
    """Return the catalogue's entry for a code, or None if it has none."""
    return catalogue().get(code)
