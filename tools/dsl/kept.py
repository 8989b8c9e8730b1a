"""Work out once what depends on one immutable part of a program alone, and keep it as long as the part lives.

A kernel is checked for each combination of dtypes, placed and lowered; its extents and lifetimes stay the same.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import ref

from akgen.tools.core.frozen import Frozen

Part = TypeVar("Part", bound=Frozen)
Made = TypeVar("Made")


def kept(function: Callable[[Part], Made]) -> Callable[[Part], Made]:
    """Return the function, which is called once for each object: an equal one is another, so nothing is compared."""
    known: dict[int, tuple[ref[Any], Made]] = {}

    @wraps(function)
    def known_or_made(part: Part) -> Made:
        key = id(part)
        found = known.get(key)
        if found is not None and found[0]() is part:
            return found[1]
        made = function(part)
        known[key] = ref(part, lambda _: known.pop(key, None)), made
        return made

    return known_or_made
