"""Turns of phrase that mean one operator: "repeat each element 3 times" is repeat_interleave with repeats=3.

`operator_phrases.json` holds them by the operator that they belong to, each a pattern and what it is rewritten to. They
are read before the rewrites that serve all operators, in the order of the file.
"""

import re
from functools import cache

from akgen.knowledge.data_files import read_json


@cache
def operator_phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return every phrase, compiled, with its replacement."""
    listed: dict[str, list[tuple[str, str]]] = read_json("operator_phrases.json")
    return tuple(
        (re.compile(pattern), written) for phrases in listed.values() for pattern, written in phrases
    )
