"""Operators by name: what people call them, and the PyTorch expression that defines each."""

import difflib
import re
from functools import cache
from typing import Literal

from akgen.knowledge.data_files import KnowledgeFact, read_json


class OperatorEntry(KnowledgeFact):
    """One operator. `expression` is Python over tensors x0, x1, ... and weights w0, w1, ..."""

    name: str
    category: str
    expression: str
    inputs: int = 1  # tensors that the caller gives, all of one shape
    aliases: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()  # what it is called in Chinese
    weights: tuple[Literal["ones_last", "zeros_last"], ...] = ()  # vectors as long as the last axis
    domain: Literal["positive", "nonzero"] | None = None  # where the expression is defined


@cache
def operators() -> tuple[OperatorEntry, ...]:
    return tuple(OperatorEntry.model_validate(entry) for entry in read_json("operators.json"))


@cache
def _spellings() -> tuple[tuple[str, OperatorEntry], ...]:
    """Return every spelling with its operator, longest first, so that `log softmax` wins over `log`."""
    pairs = []
    for op in operators():
        names = {op.name, op.name.replace("_", " "), op.name.replace("_", ""), *op.aliases, *op.zh}
        pairs += [(name.lower(), op) for name in names]
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))


def find_in(text: str) -> OperatorEntry | None:
    """Return the operator that a sentence names, or None. Words match whole; Chinese names anywhere."""
    lowered = text.lower()
    for spelling, op in _spellings():
        if spelling.isascii():
            if re.search(rf"(?<![a-z0-9_]){re.escape(spelling)}(?![a-z0-9_])", lowered):
                return op
        elif spelling in lowered:
            return op
    return None


def nearest(word: str, count: int = 3) -> tuple[str, ...]:
    """Return names close to a misspelt one, nearest first."""
    known = sorted({op.name for op in operators()})
    return tuple(difflib.get_close_matches(word.lower(), known, n=count, cutoff=0.5))
