"""Whether a schedule computes values again and again for indices that they do not vary with."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_REPEATED = 8  # times the elements that are needed
WORTH_A_PHASE = (
    2**22
)  # elements computed in vain that take longer than a phase of their own, with its barrier


class LoopWork(NamedTuple):
    """The axes over whose points a value is computed, and those that it varies along."""

    run: frozenset[int]
    varies: frozenset[int]


def is_redundant(work: Iterable[LoopWork], sizes: Sequence[int]) -> bool:
    """Return whether storing values would cost less than computing them again, at these lengths of the axes."""
    done = needed = 0
    for w in work:
        done += math.prod(sizes[a] for a in w.run)
        needed += math.prod(sizes[a] for a in w.varies)
    return done > MOST_REPEATED * needed and done - needed > WORTH_A_PHASE
