"""How well failures are repaired: per code, how often the next attempt no longer failed with it."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from akgen.bench.record import Record
from akgen.tools.core.frozen import Frozen


class FixRate(Frozen):
    """Attempts that failed with a code and were followed by another one, and how many of these got past it.

    `gone`: the next attempt failed otherwise or not at all. `solved`: it was correct.
    """

    met: int
    gone: int
    solved: int


def fix_rates(records: Iterable[Record]) -> dict[str, FixRate]:
    """Return the rates by the first code of each failure, most frequent first; records without repair give none."""
    met: defaultdict[str, int] = defaultdict(int)
    gone: defaultdict[str, int] = defaultdict(int)
    solved: defaultdict[str, int] = defaultdict(int)
    for record in records:
        for now, after in pairwise(record.course):
            if now == "correct":
                continue
            met[now] += 1
            gone[now] += after != now
            solved[now] += after == "correct"
    return {
        code: FixRate(met=met[code], gone=gone[code], solved=solved[code])
        for code in sorted(met, key=lambda code: (-met[code], code))
    }
