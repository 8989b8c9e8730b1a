"""How much a change should bring, from the timeline of the kernel before it.

Where the toolchain has simulated the change (`Profile.what_if`), what it found. Otherwise one formula for a core that
works through n tiles: the busiest pipe's time, plus what the other pipes add because the first and last tile cannot
overlap (their time over n), plus a cost per tile for latency and waiting. The cost is what remains of the measured
time. The formula knows nothing of bank conflicts, second-level cache or other cores.
"""

import math
from collections.abc import Callable, Sequence

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.profile import Change, Profile

MOST_GAIN = 4.0  # a forecast beyond this says more about the formula than about the kernel


class Pipeline(Frozen):
    """A core's time: `busiest_us + rest_us / tiles + tile_cost_us * tiles`."""

    busiest_us: float
    rest_us: float
    tile_cost_us: float
    tiles: float

    def duration_us(self, tiles: float, *, overlapped: bool = True) -> float:
        overlap = self.rest_us / tiles if overlapped else self.rest_us
        return self.busiest_us + overlap + self.tile_cost_us * tiles


def pipeline(profile: Profile, *, overlapped: bool = True) -> Pipeline:
    """Read the formula's numbers off a timeline; with one buffer per queue, tiles are not `overlapped`."""
    moved = [p for p in profile.pipes if p.pipe != "S"]
    busy = sorted((p.busy_us for p in moved), reverse=True) or [0.0]
    loads = sum(p.instructions for p in moved if p.pipe == "MTE2")
    tiles = max(1.0, loads / max(1, profile.cores))
    rest = sum(busy[1:])
    shown = rest / tiles if overlapped else rest
    cost = max(0.0, profile.time_us - busy[0] - shown) / tiles
    return Pipeline(busiest_us=busy[0], rest_us=rest, tile_cost_us=cost, tiles=tiles)


def over_all(profiles: Sequence[Profile], gain: Callable[[Profile], float]) -> float:
    """Return the geometric mean of a gain over the cases: what a search compares kernels by."""
    if not profiles:
        return 1.0
    return round(math.exp(sum(math.log(gain(p)) for p in profiles) / len(profiles)), 3)


def gain_of_tiles(profile: Profile, factor: float) -> float:
    """Return the gain of `factor` times as many tiles per core."""
    if factor == 0.5 and (found := _simulated(profile, "larger_tiles")):
        return found
    model = pipeline(profile)
    return _gain(profile.time_us, model.duration_us(max(1.0, model.tiles * factor)))


def gain_of_cores(profile: Profile, factor: float) -> float:
    """Return the gain of `factor` times as many cores: the work per core shrinks, what a tile costs does not."""
    if found := _simulated(profile, "more_cores", cores=round(profile.cores * factor)):
        return found
    model = pipeline(profile)
    work = model.busiest_us + model.rest_us / model.tiles
    return _gain(profile.time_us, profile.time_us - work * (1 - 1 / factor))


def gain_of_buffers(profile: Profile, before: int, after: int) -> float:
    """Return the gain of working with one or two buffers per queue, with tiles as they are."""
    if (before, after) == (1, 2) and (found := _simulated(profile, "double_buffer")):
        return found
    model = pipeline(profile, overlapped=before > 1)
    return _gain(profile.time_us, model.duration_us(model.tiles, overlapped=after > 1))


def _simulated(profile: Profile, change: Change, *, cores: int | None = None) -> float | None:
    """Return the gain of a change as the toolchain simulated it; None where it did not, or where there is no room."""
    for found in profile.what_if:
        if found.change == change and found.fits and cores in (None, found.cores):
            return _gain(profile.time_us, found.duration_us)
    return None


def _gain(before: float, after: float) -> float:
    if before <= 0 or after <= 0:
        return 1.0
    return round(min(MOST_GAIN, max(1 / MOST_GAIN, before / after)), 3)
