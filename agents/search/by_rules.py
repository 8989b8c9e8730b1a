"""Changes to anybody's kernel without a model: its structure (`tools/rewrite`) and its named numbers.

A named number is a constant or macro whose name speaks of tiles, blocks, buffers or cores. What a change breaks, the
judge says.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from akgen.agents.search import forecast
from akgen.agents.search.candidates import Hypothesis, Kind, Member, Proposal, SearchStep
from akgen.agents.search.forecast import over_all
from akgen.knowledge.chip import Chip
from akgen.tools.core.profile import Profile
from akgen.tools.core.task import Task
from akgen.tools.rewrite.all_rewrites import rewrites

_TYPE = r"(?:u?int(?:8|16|32|64)_t|int|unsigned|size_t|auto)"
_NAMED = re.compile(
    rf"(?P<front>(?:#\s*define\s+|\b(?:constexpr|const)\s+(?:{_TYPE}\s+)?(?:static\s+)?(?:{_TYPE}\s+)?)"
    r"(?P<name>\w*(?:tile|block|buffer|queue|core|dim|len|size|num)\w*)\s*=?\s*\(?\s*)(?P<value>\d+)(?P<end>[uUlL]*\b)",
    re.I,
)
_LAUNCHED = re.compile(r"(?P<name>SetBlockDim)\(\s*(?P<value>\d+)(?P<end>[uUlL]*\s*\))")
_BUFFERS = re.compile(r"buffer_?num|queue_?(?:num|depth)|double_?buffer", re.I)
_CORES = re.compile(r"block_?dim|core_?num|(?:use|num)_?cores?|block_?num|cores", re.I)
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
                    gain = over_all(member.profiles, partial(_gain, name, value, other))
                    kind: Kind = "buffers" if _BUFFERS.search(name) else "constant"
                    said = f"{name} = {other} instead of {value}"
                    changed = text[: match.start("value")] + str(other) + text[match.end("value") :]
                    yield _proposal(member, path, changed, kind, said, gain)

    def _others(self, name: str, value: int) -> tuple[int, ...]:
        if value == 0:
            return ()
        if _BUFFERS.search(name):
            return tuple(n for n in (1, 2) if n != value)
        cores = _CORES.search(name) is not None or name == "SetBlockDim"
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
    "buffers": lambda member: over_all(member.profiles, partial(forecast.gain_of_buffers, before=1, after=2))
}


def _proposal(member: Member, path: str, text: str, kind: Kind, said: str, gain: float | None) -> Proposal:
    return Proposal(
        hypothesis=Hypothesis(kind=kind, text=said, predicted_gain=gain),
        project=member.project.model_copy(update={"files": {**member.project.files, path: text}}),
    )


def _gain(name: str, value: int, other: int, profile: Profile) -> float:
    if _BUFFERS.search(name):
        return forecast.gain_of_buffers(profile, value, other)
    factor = other / value
    if _CORES.search(name) or name == "SetBlockDim":
        return forecast.gain_of_cores(profile, factor)
    many = "num" in name.lower()  # a number of tiles, not their length
    return forecast.gain_of_tiles(profile, factor if many else 1 / factor)
