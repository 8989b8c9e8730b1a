"""The error catalogue: what each stable code means, why it happens, and what to do about it."""

import re
from functools import cache

from pydantic import BaseModel, ConfigDict

from akgen.knowledge.data_files import read_json


class SpecialCase(BaseModel):
    """What a code means where its finding says more: patterns of its text and its interface, and what then holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = ""
    api: str = ""
    cause: str
    remedy: str


class ErrorEntry(BaseModel):
    """One entry of data/errors.json."""

    model_config = ConfigDict(frozen=True, extra="allow")

    stage: str
    sentence: str
    cause: str
    remedy: str
    strict: str | None = None  # "error": a device tolerates it, and the twin's strict mode does not
    wrong: str | None = None  # "error": tolerated, and the likely cause where the numbers are wrong
    special: tuple[SpecialCase, ...] = ()

    def meant(self, text: str, api: str | None) -> "ErrorEntry | SpecialCase":
        """Return the first special case that fits a finding, else the entry itself."""
        fitting = (s for s in self.special if re.search(s.text, text) and re.search(s.api, api or ""))
        return next(fitting, self)


@cache
def catalogue() -> dict[str, ErrorEntry]:
    return {code: ErrorEntry.model_validate(entry) for code, entry in read_json("errors.json").items()}


@cache
def tolerated() -> frozenset[str]:
    """Return the codes of what devices tolerate: warnings, but errors in strict mode."""
    return frozenset(code for code, entry in catalogue().items() if entry.strict == "error")


@cache
def blamed() -> frozenset[str]:
    """Return the codes of warnings that are errors where the outputs are wrong."""
    return frozenset(code for code, entry in catalogue().items() if entry.wrong == "error")


def entry(code: str) -> ErrorEntry | None:
    """Return the catalogue's entry for a code, or None if it has none."""
    return catalogue().get(code)


class TranslatedError(BaseModel):
    """A code's sentence and remedy in another language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sentence: str
    remedy: str


@cache
def _chinese() -> dict[str, TranslatedError]:
    return {code: TranslatedError.model_validate(text) for code, text in read_json("errors_zh.json").items()}


def chinese(code: str) -> TranslatedError | None:
    """Return a code's sentence and remedy in Chinese, or None if nobody has written them yet."""
    return _chinese().get(code)


class FailureClass(BaseModel):
    """A class of failures, as the field counts them; `outcomes`: what stands for it where no finding has a code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sentence: str
    outcomes: tuple[str, ...]
    codes: tuple[str, ...]


@cache
def failure_classes() -> dict[str, FailureClass]:
    """Return the classes by name: what the literature calls API, type, scope and memory errors, and the rest."""
    return {name: FailureClass.model_validate(c) for name, c in read_json("failure_classes.json").items()}


@cache
def class_of(code: str | None, outcome: str) -> str:
    """Return the class of a failure by its first code or, without one, by its outcome."""
    for name, found in failure_classes().items():
        if code in found.codes:
            return name
    return next((name for name, found in failure_classes().items() if outcome in found.outcomes), "other")
