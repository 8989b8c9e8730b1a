"""Who proposes changes to a kernel: the composer's knobs, a model's edits. Rules for anybody's kernel: by_rules.py."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.edits import apply_edits, read_edits
from akgen.agents.calls.replies import spoken
from akgen.agents.composer.model_free import ModelFree
from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.prompts.advice import advice_for
from akgen.agents.prompts.builder import Describe, task_text
from akgen.agents.search import by_rules
from akgen.agents.search.by_rules import over_all
from akgen.agents.search.candidates import Hypothesis, Kind, Member, Proposal, SearchStep
from akgen.knowledge.chip import Chip
from akgen.tools.compose.front.traced import CaseTracer
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.dsl.parse import parse

_HYPOTHESIS = re.compile(r"^\W*hypothesis\W*[:：]\s*(.+?)\s*$", re.I | re.M)
_GAIN = re.compile(r"^\W*predicted gain\W*[:：]\s*([\d.]+)\s*(%?)", re.I | re.M)
SHOWN_TRIALS = 12


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
            advice=advice_for(profile, member.project) if profile else (),
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
    edits = read_edits(said, member.project.direct_file or member.project.kernel_file)
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


PIECES = 4  # tiles that a core's share is cut into unless a knob says otherwise
GRAIN = 2048  # elements that a core takes at least, likewise
OTHER_SAMPLE = 1  # the composer's second way to round half-precision results


class KnobSearch:
    """Proposes neighbours of a set of knobs, best forecast first. Deterministic."""

    name = "composer"

    def __init__(self, chip: Chip, trace: CaseTracer | None = None) -> None:
        """`trace` is how the composer traces, else in this process."""
        self._composer = ModelFree(chip, trace)
        self._chip = chip

    def wrote(self, task: Task, project: KernelProject) -> bool:
        """Say whether this is the kernel that the composer writes for the task."""
        own = self._write(task, None, other_rounding=False)
        return isinstance(own, KernelProject) and own.files == project.files

    def propose(
        self, task: Task, member: Member, tried: Sequence[SearchStep], count: int
    ) -> tuple[Proposal, ...]:
        known = {trial.digest for trial in tried} | {member.project.digest}
        found: list[Proposal] = []
        ideas = sorted(self._ideas(task, member), key=lambda i: -(i[0].predicted_gain or 1.0))
        for hypothesis, knobs, other in ideas:
            if len(found) == count:
                break
            written = self._write(task, knobs, other_rounding=other)
            if isinstance(written, str) or written.digest in known:
                continue  # the knob has no effect here, or does not fit
            known.add(written.digest)
            found.append(Proposal(hypothesis=hypothesis, project=written, knobs=knobs, other_rounding=other))
        return tuple(found)

    def _ideas(self, task: Task, member: Member) -> Iterator[tuple[Hypothesis, Knobs, bool]]:
        now, profile = member.knobs or Knobs(), member.slowest
        if profile is None:
            return

        def idea(
            kind: Kind, text: str, gain: float | None, **turned: int | str
        ) -> tuple[Hypothesis, Knobs, bool]:
            hypothesis = Hypothesis(kind=kind, text=text, predicted_gain=gain)
            return hypothesis, now.joined(Knobs.model_validate(turned)), member.other_rounding

        profiles, most = member.profiles, self._chip.core_aiv
        pieces = now.pieces or PIECES
        for other in (1, 2, 3, 6, 8, 12):
            if other != pieces:
                gain = over_all(profiles, partial(by_rules.gain_of_tiles, factor=other / pieces))
                yield idea("tile", f"{other} tiles per core instead of {pieces}", gain, pieces=other)
        grain = now.grain or GRAIN
        for other in (256, 512, 1024, 4096):
            if other != grain:
                gain = over_all(profiles, partial(_gain_of_grain, factor=grain / other, most=most))
                text = f"a core takes at least {other} elements instead of {grain}"
                yield idea("share", text, gain, grain=other)
        cores = now.cores or profile.cores
        for part in (0.75, 0.5, 0.25):
            fewer = int(cores * part)
            if fewer >= 1:
                gain = over_all(profiles, partial(_gain_of_limit, most=fewer))
                yield idea("cores", f"at most {fewer} cores", gain, cores=fewer)
        if now.buffers != 1:
            gain = over_all(profiles, partial(by_rules.gain_of_buffers, before=2, after=1))
            yield idea("buffers", "one buffer per queue, for longer tiles", gain, buffers=1)
        for name in self._schedules(task, now, other_rounding=member.other_rounding)[1:]:
            yield idea("schedule", f"always the schedule {name}", None, schedule=name)
        rounding = Hypothesis(kind="rounding", text="round half-precision results the other way")
        yield rounding, now, not member.other_rounding

    def _schedules(self, task: Task, knobs: Knobs, *, other_rounding: bool) -> tuple[str, ...]:
        """Return the kernels that the host may launch, in the order in which it tries them."""
        plan = self._plan(task, knobs, other_rounding=other_rounding)
        if not isinstance(plan, Plan) or plan.dsl is None:
            return ()
        return tuple(kernel.name for kernel in parse(plan.dsl).kernels)

    def _plan(self, task: Task, knobs: Knobs | None, *, other_rounding: bool) -> Plan | str:
        turned = task.model_copy(update={"knobs": knobs})
        planned = self._composer.plan(turned, None, OTHER_SAMPLE if other_rounding else 0)
        return planned.plan or "; ".join(d.text for d in planned.diagnostics)

    def _write(self, task: Task, knobs: Knobs | None, *, other_rounding: bool) -> KernelProject | str:
        plan = self._plan(task, knobs, other_rounding=other_rounding)
        if isinstance(plan, str):
            return plan
        written = self._composer.write(task, plan, None, None, 0)
        return written.project or "; ".join(d.text for d in written.diagnostics)


def _gain_of_grain(profile: Profile, *, factor: float, most: int) -> float:
    """Return the gain of shares `1 / factor` as large, on as many cores as there then are."""
    cores = min(float(most), max(1.0, profile.cores * factor))
    return by_rules.gain_of_cores(profile, cores / profile.cores)


def _gain_of_limit(profile: Profile, *, most: int) -> float:
    """Return the gain of using at most so many cores: less work side by side, and less to wait for one another."""
    factor = min(1.0, most / profile.cores)
    return by_rules.gain_of_cores(profile, factor) if factor < 1 else 1.0
