"""The error catalogue: what each stable code means, why it happens, and what to do about it."""

from functools import cache

from pydantic import BaseModel, ConfigDict

from akgen.knowledge.data_files import read_json


class ErrorEntry(BaseModel):
    """One entry of data/errors.json."""

    model_config = ConfigDict(frozen=True, extra="allow")

    stage: str
    sentence: str
    cause: str
    remedy: str


@cache
def catalogue() -> dict[str, ErrorEntry]:
    return {code: ErrorEntry.model_validate(entry) for code, entry in read_json("errors.json").items()}


def entry(code: str) -> ErrorEntry | None:
    """Return the catalogue's entry for a code, or None if it has none."""
    return catalogue().get(code)
