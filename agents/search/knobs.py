"""Changes to a kernel that the composer wrote: its program's knobs, one turned at a time."""

from collections.abc import Iterator, Sequence
from functools import partial

from akgen.agents.composer.model_free import ModelFree
from akgen.agents.plan import Plan
from akgen.agents.search import forecast
from akgen.agents.search.candidates import Hypothesis, Kind, Member, Proposal, SearchStep
from akgen.agents.search.forecast import over_all
from akgen.knowledge.chip import Chip
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.dsl import parse

PIECES = 4  # tiles that a core's share is cut into unless a knob says otherwise
GRAIN = 2048  # elements that a core takes at least, likewise
OTHER_SAMPLE = 1  # the composer's second way to round half-precision results


class KnobSearch:
    """Proposes neighbours of a set of knobs, best forecast first. Deterministic."""

    name = "composer"

    def __init__(self, chip: Chip) -> None:
        self._composer = ModelFree(chip)
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
                gain = over_all(profiles, partial(forecast.gain_of_tiles, factor=other / pieces))
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
            gain = over_all(profiles, partial(forecast.gain_of_buffers, before=2, after=1))
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
    return forecast.gain_of_cores(profile, cores / profile.cores)


def _gain_of_limit(profile: Profile, *, most: int) -> float:
    """Return the gain of using at most so many cores: less work side by side, and less to wait for one another."""
    factor = min(1.0, most / profile.cores)
    return forecast.gain_of_cores(profile, factor) if factor < 1 else 1.0
