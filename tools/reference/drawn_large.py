"""Draw one more case where a dynamic task lists large ones, so that a kernel of the listed large shapes only is found.

The small case (drawn_shapes.py) says nothing of a kernel that takes another way for large tensors. This one's size lies
between the small cases' and the largest listed one's, as often in each octave. It is made from a listed case that is
larger: every size becomes a smaller one, or stays. So no listed case's launch takes longer, whatever an operator does
with its sizes, and on the average the case has a third of the largest one's bytes. What a kernel may rely on is what it
is for the small case; but sizes of a case that are equal by chance, as other cases of the form show, change apart.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from akgen.tools.core.call import Call
from akgen.tools.core.task import Case, Task
from akgen.tools.reference.drawn_shapes import (
    GROWTH,
    NOTHING_CHANGES,
    Change,
    Describe,
    DrawnCase,
    Position,
    Sizes,
    form_of,
    positions,
    shapes_of,
    sizes_of,
    small_bytes,
    tried,
    why_kept,
)

_MOST_ASKED = 6  # calls that the reference is asked for


def draw_large(task: Task, cases: Sequence[Case], describe: Describe, seed: int) -> DrawnCase:
    """Draw one case in the size of the large listed ones; `describe` gives a case's call, or raises InputError."""
    if kept := why_kept(task, cases):
        return DrawnCase(why_not=kept)
    calls = {c.id: describe(c) for c in cases}
    small = int(GROWTH * small_bytes(call.size_bytes for call in calls.values()))
    most = max(call.size_bytes for call in calls.values())
    if most <= small:
        return DrawnCase(why_not="no listed case is large")
    rng = random.Random(seed)
    goal = small * (most / small) ** rng.random()
    large = [c for c in rng.sample(cases, len(cases)) if calls[c.id].size_bytes > small]
    large.sort(key=lambda c: calls[c.id].size_bytes < goal)  # those that are as large come first
    for number, base in zip(range(_MOST_ASKED), cycle(large)):
        call, sizes = calls[base.id], sizes_of(base, cases)
        factor = min(1.0, goal / call.size_bytes)
        change = _shrunk(base, cases, call, factor, rng, every=number < 2, apart=number % 3 < 2)
        found = tried(base, sizes, change, call, describe, call.size_bytes) if change else None
        if found is not None and found.case is not None and describe(found.case).size_bytes > small:
            return found
    return DrawnCase(why_not=NOTHING_CHANGES)


def _shrunk(
    base: Case,
    cases: Sequence[Case],
    call: Call,
    factor: float,
    rng: random.Random,
    *,
    every: bool,
    apart: bool,
) -> Change:
    """Propose smaller sizes, whose product has about this share: of `every` size, or of some of them.

    `apart`: sizes change together only where they are equal in every case of the form, not in this one alone.
    """
    sizes = sizes_of(base, cases)
    lengths = {n for shape in shapes_of(call.inputs) for n in shape}
    found = _groups(base, cases, sizes) if apart else _equal(sizes)
    ranges = [_range(group, sizes) for group in found if sizes[group[0]][0] in lengths]
    ranges = [r for r in ranges if r.nearest(r.value) is not None]
    if ranges and not every:
        ranges = rng.sample(ranges, rng.randint(1, len(ranges)))
    weights = [rng.expovariate(1.0) for _ in ranges]
    change: Change = {}
    for weight, one in zip(weights, ranges, strict=True):
        new = one.nearest(one.value * factor ** (weight / sum(weights)))
        assert new is not None
        change |= dict.fromkeys(one.group, new)
    return change


Group = list[Position]  # that change together


@dataclass(frozen=True)
class _Range:
    """What sizes of one value may become: multiples of a step from the lowest on, smaller than the value."""

    group: Group
    value: int
    lowest: int
    step: int
    listed: frozenset[int]

    def nearest(self, wanted: float) -> int | None:
        """Return the one nearest to what is wanted; None if there is none."""
        first, last = -(-self.lowest // self.step), (self.value - 1) // self.step
        start = min(max(round(wanted / self.step), first), last)
        around = (start + n for far in range(last - first + 1) for n in (-far, far))
        inside = (n * self.step for n in around if first <= n <= last)
        return next((n for n in inside if n not in self.listed), None)


def _range(group: Group, sizes: Sizes) -> _Range:
    listed = [sizes[position][1] for position in group]
    return _Range(
        group=group,
        value=sizes[group[0]][0],
        lowest=max(min(values) for values in listed),
        step=math.lcm(*(math.gcd(*values) for values in listed)),
        listed=frozenset().union(*listed),
    )


def _groups(base: Case, cases: Sequence[Case], sizes: Sizes) -> list[Group]:
    """Put together the sizes that are equal in every case of the form."""
    alike = [dict(positions(c.params)) for c in cases if form_of(c.params) == form_of(base.params)]
    found: dict[tuple[int | None, ...], Group] = {}
    for position in sizes:
        found.setdefault(tuple(c.get(position) for c in alike), []).append(position)
    return list(found.values())


def _equal(sizes: Sizes) -> list[Group]:
    """Put together the sizes that are equal in this case."""
    found: dict[int, Group] = {}
    for position, (value, _) in sizes.items():
        found.setdefault(value, []).append(position)
    return list(found.values())
