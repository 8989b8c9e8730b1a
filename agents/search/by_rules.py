"""Changes to anybody's kernel without a model, its structure and its named numbers, and how much they should bring.

Structure is changed by `tools/rewrite`. A named number is a constant or macro whose name speaks of tiles, blocks,
buffers or cores. What a change breaks, the judge says.

The gain is told from the timeline of the kernel before it. Where the toolchain has simulated the change
(`Profile.what_if`), what it found. Otherwise one formula for a core that works through n tiles: the busiest pipe's
time, plus what the other pipes add because the first and last tile cannot overlap (their time over n), plus a cost per
tile for latency and waiting. The cost is what remains of the measured time. The formula knows nothing of bank
conflicts, second-level cache or other cores.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from akgen.agents.search.candidates import Hypothesis, Kind, Member, Proposal, SearchStep
from akgen.knowledge.chip import Chip
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.profile import Change, Profile
from akgen.tools.core.task import Task
from akgen.tools.rewrite.all_rewrites import rewrites

_TYPE = r"(?:u?int(?:8|16|32|64)_t|int|unsigned|size_t|auto)"
_NAMED = re.compile(
    rf"(?P<front>(?:#\s*define\s+|\b(?:constexpr|const)\s+(?:{_TYPE}\s+)?(?:static\s+)?(?:{_TYPE}\s+)?)"
    r"(?P<name>\w*(?:tile|block|buffer|queue|core|dim|len|size|num)\w*)\s*=?\s*\(?\s*)(?P<value>\d+)(?P<end>[uUlL]*\b)",
    re.I,
)
_LAUNCHED = re.compile(r"(?P<name>SetBlockDim|SetSimdNumBlocks)\(\s*(?P<value>\d+)(?P<end>[uUlL]*\s*\))")
_BUFFERS = re.compile(r"buffer_?num|queue_?(?:num|depth)|double_?buffer", re.I)
_CORES = re.compile(r"block_?dim|core_?num|(?:use|num)_?(?:cores?|blocks)|block_?num|cores", re.I)
MOST_TILE = 32768  # elements: no buffer in UB is longer
STEPS = (
    2.0,
    4.0,
    8.0,
    16.0,
    0.5,
)  # an author's number may be far off; what does not fit is refused in a moment
# Of most structure nothing is simulated; in this order it goes among what promises something (numbers promise up to 4).
UNSAID: dict[Kind, float] = {"vector": 5.0, "transfer": 2.0, "hoist": 2.0, "barrier": 1.5}
MOST_GAIN = 4.0  # a forecast beyond this says more about the formula than about the kernel


class ByRules:
    """Proposes changes of structure and other values for named numbers, best promise first. Deterministic."""

    name = "rules"

    def __init__(self, chip: Chip) -> None:
        self._most_cores = chip.core_aiv

    def propose(
        self, task: Task, member: Member, tried: Sequence[SearchStep], count: int
    ) -> tuple[Proposal, ...]:
        del task
        known = {trial.digest for trial in tried} | {member.project.digest}
        found = []
        for proposal in [*_structure(member), *self._numbers(member)]:
            if proposal.project is not None and proposal.project.digest not in known:
                known.add(proposal.project.digest)
                found.append(proposal)
        found.sort(key=lambda p: -(p.hypothesis.predicted_gain or UNSAID[p.hypothesis.kind]))
        return tuple(found[:count])

    def _numbers(self, member: Member) -> Iterator[Proposal]:
        for path, text in sorted(member.project.files.items()):
            for match in [*_NAMED.finditer(text), *_LAUNCHED.finditer(text)]:
                name, value = match["name"], int(match["value"])
                for other in self._others(name, value):
                    gain = over_all(member.profiles, partial(_gain_of_number, name, value, other))
                    kind: Kind = "buffers" if _BUFFERS.search(name) else "constant"
                    said = f"{name} = {other} instead of {value}"
                    changed = text[: match.start("value")] + str(other) + text[match.end("value") :]
                    yield _proposal(member, path, changed, kind, said, gain)

    def _others(self, name: str, value: int) -> tuple[int, ...]:
        if value == 0:
            return ()
        if _BUFFERS.search(name):
            return tuple(n for n in (1, 2) if n != value)
        cores = _CORES.search(name) is not None
        most = self._most_cores if cores else MOST_TILE
        others = {int(value * step) for step in STEPS} | ({most} if cores else set())
        return tuple(n for n in sorted(others) if 1 <= n <= most and n != value)


def _structure(member: Member) -> Iterator[Proposal]:
    for path in member.project.kernel_files:
        for rewrite in rewrites(member.project.files[path]):
            if rewrite.source is not None:
                gain = _SIMULATED[rewrite.kind](member) if rewrite.kind in _SIMULATED else None
                if rewrite.share < 1:
                    gain = 1 + (UNSAID[rewrite.kind] - 1) * rewrite.share
                said = f"{rewrite.text} ({path.split('/')[-1]}:{rewrite.line})"
                yield _proposal(member, path, rewrite.source, rewrite.kind, said, gain)


_SIMULATED: dict[str, Callable[[Member], float]] = {
    "buffers": lambda member: over_all(member.profiles, partial(gain_of_buffers, before=1, after=2))
}


def _proposal(member: Member, path: str, text: str, kind: Kind, said: str, gain: float | None) -> Proposal:
    return Proposal(
        hypothesis=Hypothesis(kind=kind, text=said, predicted_gain=gain),
        project=member.project.model_copy(update={"files": {**member.project.files, path: text}}),
    )


def _gain_of_number(name: str, value: int, other: int, profile: Profile) -> float:
    if _BUFFERS.search(name):
        return gain_of_buffers(profile, value, other)
    factor = other / value
    if _CORES.search(name):
        return gain_of_cores(profile, factor)
    many = "num" in name.lower()  # a number of tiles, not their length
    return gain_of_tiles(profile, factor if many else 1 / factor)


class Pipeline(Frozen):
    """A core's time: `busiest_us + rest_us / tiles + tile_cost_us * tiles`."""

    busiest_us: float
    rest_us: float
    tile_cost_us: float
    tiles: float
    start_us: float = 0.0  # until the cores begin

    def duration_us(self, tiles: float, *, overlapped: bool = True) -> float:
        overlap = self.rest_us / tiles if overlapped else self.rest_us
        return self.start_us + self.busiest_us + overlap + self.tile_cost_us * tiles


def pipeline(profile: Profile, *, overlapped: bool = True) -> Pipeline:
    """Read the formula's numbers off a timeline; with one buffer per queue, tiles are not `overlapped`."""
    moved = [p for p in profile.pipes if p.pipe != "S"]
    busy = sorted((p.busy_us for p in moved), reverse=True) or [0.0]
    loads = sum(p.instructions for p in moved if p.pipe == "MTE2")
    tiles = max(1.0, loads / max(1, profile.cores))
    rest = sum(busy[1:])
    shown = rest / tiles if overlapped else rest
    start = profile.start_us or 0.0
    cost = max(0.0, profile.time_us - start - busy[0] - shown) / tiles
    return Pipeline(busiest_us=busy[0], rest_us=rest, tile_cost_us=cost, tiles=tiles, start_us=start)


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
