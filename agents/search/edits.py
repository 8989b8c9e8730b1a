"""Edits of anybody's kernel: named numbers that decide how it is cut, doubled or halved; what a model proposes.

A named number is a constant or macro whose name speaks of tiles, blocks, buffers or cores. What a change breaks, the
judge says; nothing here understands the kernel.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.edits import apply_edits, read_edits
from akgen.agents.calls.replies import spoken
from akgen.agents.prompts import render
from akgen.agents.prompts.advice import advice_for
from akgen.agents.prompts.builder import Describe, task_text
from akgen.agents.search import forecast
from akgen.agents.search.candidates import Hypothesis, Kind, Member, Proposal, SearchStep
from akgen.agents.search.forecast import over_all
from akgen.knowledge.chip import Chip
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

_HYPOTHESIS = re.compile(r"^\W*hypothesis\W*[:：]\s*(.+?)\s*$", re.I | re.M)
_GAIN = re.compile(r"^\W*predicted gain\W*[:：]\s*([\d.]+)\s*(%?)", re.I | re.M)
SHOWN_TRIALS = 12


class Constants:
    """Proposes other values for named numbers. Deterministic."""

    name = "constants"

    def propose(
        self, task: Task, member: Member, tried: Sequence[SearchStep], count: int
    ) -> tuple[Proposal, ...]:
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


class ByModel:
    """Asks for one change at a time; each request tells what was tried and what came of it."""

    def __init__(self, conversation: Conversation, chip: Chip, describe: Describe | None) -> None:
        self.name = f"model:{conversation.name}"
        self._conversation, self._chip, self._describe = conversation, chip, describe
        self._asked = 0

    def propose(
        self, task: Task, member: Member, tried: Sequence[SearchStep], count: int
    ) -> tuple[Proposal, ...]:
        profile = member.slowest
        user = render(
            "optimise_user",
            task_text=task_text(task, self._describe),
            member=member,
            profile=profile,
            advice=advice_for(profile) if profile else (),
            tried=tried[-SHOWN_TRIALS:],
        )
        found = []
        for _ in range(count):
            self._asked += 1
            answer = self._conversation.ask(
                render("optimise_system", chip=self._chip), user, role="coder", attempt=self._asked, sample=0
            )
            found.append(_read(answer.text, member).model_copy(update={"usage": answer.usage}))
            if answer.ended == "budget":
                break
        return tuple(found)


def _read(text: str, member: Member) -> Proposal:
    said = spoken(text)
    stated, gain = _HYPOTHESIS.search(said), _GAIN.search(said)
    hypothesis = Hypothesis(
        kind="edit",
        text=stated[1][:200] if stated else "a change that the model did not explain",
        predicted_gain=_factor(float(gain[1]), percent=bool(gain[2])) if gain else None,
    )
    edits = read_edits(said, member.project.kernel_file)
    if not edits:
        return Proposal(hypothesis=hypothesis, project=None, problem="The reply holds no edit.")
    files, refused = apply_edits(member.project.files, edits)
    if refused is not None:
        return Proposal(hypothesis=hypothesis, project=None, problem=refused.text)
    return Proposal(hypothesis=hypothesis, project=member.project.model_copy(update={"files": files}))


def _factor(number: float, *, percent: bool) -> float | None:
    """Return a stated gain as time before over time after: `1.3`, `1.3x` or `20%` less time."""
    if percent:
        return round(1 / (1 - number / 100), 3) if number < 100 else None
    return number if number > 0 else None
