"""Whether a schedule computes values again and again for indices that they do not vary with."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_REPEATED = 8  # times the elements that are needed
WORTH_A_PHASE = (
    2**22
)  # elements computed in vain that take longer than a phase of their own, with its barrier


ALL_CORES = 48


class LoopWork(NamedTuple):
    """The axes over whose points a value is computed, and those that it varies along.

    `dealt` are the axes whose points the cores share, each with how many of them a core takes at once; of schedules
    that share everything there are none.
    """

    run: frozenset[int]
    varies: frozenset[int]
    dealt: tuple[tuple[int, int], ...] = ()

    def idle(self, sizes: Sequence[int]) -> float:
        """Return all cores over those that have work."""
        if not self.dealt:
            return 1.0
        return max(1.0, ALL_CORES / math.prod(-(-sizes[axis] // step) for axis, step in self.dealt))


def is_redundant(work: Iterable[LoopWork], sizes: Sequence[int]) -> bool:
    """Return whether storing values would cost less than computing them again, or by a few cores, at these lengths."""
    done = needed = 0.0
    for w in work:
        done += math.prod(sizes[a] for a in w.run) * w.idle(sizes)
        needed += math.prod(sizes[a] for a in w.varies)
    return done > MOST_REPEATED * needed and done - needed > WORTH_A_PHASE
