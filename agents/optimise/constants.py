"""Changes to any kernel without a model: the named numbers that decide how it is cut, doubled and halved.

A named number is a constant or macro whose name speaks of tiles, blocks, buffers or cores. What a change breaks, the
judge says; nothing here understands the kernel.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from akgen.agents.optimise import forecast
from akgen.agents.optimise.forecast import over_all
from akgen.agents.optimise.proposal import Hypothesis, Kind, Member, Proposal, Trial
from akgen.tools.core.profile import Profile
from akgen.tools.core.task import Task

_TYPE = r"(?:u?int(?:8|16|32|64)_t|int|unsigned|size_t|auto)"
_NAMED = re.compile(
    rf"(?P<front>(?:#\s*define\s+|\b(?:constexpr|const)\s+(?:{_TYPE}\s+)?(?:static\s+)?(?:{_TYPE}\s+)?)"
    r"(?P<name>\w*(?:tile|block|buffer|queue|core|dim|len|size|num)\w*)\s*=?\s*\(?\s*)(?P<value>\d+)(?P<end>[uUlL]*\b)",
    re.I,
)
_BUFFERS = re.compile(r"buffer_?num|queue_?(?:num|depth)|double_?buffer", re.I)
_CORES = re.compile(r"block_?dim|core_?num|(?:use|num)_?cores?|block_?num", re.I)


class Constants:
    """Proposes other values for named numbers. Deterministic."""

    name = "constants"

    def propose(self, task: Task, member: Member, tried: Sequence[Trial], count: int) -> tuple[Proposal, ...]:
        del task
        known = {trial.digest for trial in tried} | {member.project.digest}
        found = [p for p in _changes(member) if p.project is not None and p.project.digest not in known]
        found.sort(key=lambda p: -(p.hypothesis.predicted_gain or 1.0))
        return tuple(found[:count])


def _changes(member: Member) -> Iterator[Proposal]:
    for path, text in sorted(member.project.files.items()):
        for match in _NAMED.finditer(text):
            name, value = match["name"], int(match["value"])
            for other in _others(name, value):
                changed = text[: match.start("value")] + str(other) + text[match.end("value") :]
                files = {**member.project.files, path: changed}
                gain = over_all(member.profiles, partial(_gain, name, value, other))
                kind: Kind = "buffers" if _BUFFERS.search(name) else "constant"
                hypothesis = Hypothesis(
                    kind=kind, text=f"{name} = {other} instead of {value}", predicted_gain=gain
                )
                yield Proposal(
                    hypothesis=hypothesis, project=member.project.model_copy(update={"files": files})
                )


def _others(name: str, value: int) -> tuple[int, ...]:
    if value == 0:
        return ()
    if _BUFFERS.search(name):
        return tuple(n for n in (1, 2) if n != value)
    return tuple(n for n in (2 * value, value // 2) if n >= 1 and n != value)


def _gain(name: str, value: int, other: int, profile: Profile) -> float:
    if _BUFFERS.search(name):
        return forecast.gain_of_buffers(profile, value, other)
    factor = other / value
    if _CORES.search(name):
        return forecast.gain_of_cores(profile, factor)
    many = "num" in name.lower()  # a number of tiles, not their length
    return forecast.gain_of_tiles(profile, factor if many else 1 / factor)
