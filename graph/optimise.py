"""Search for a faster kernel: profile, hypothesise, change, verify, keep what the timeline proves.

The driver of `agents/search` behind `akgen optimise`: it asks a proposer for changes to each kernel of the beam and
judges every one on hidden inputs, until the budget is used up or the search says why it ends. Every judgement goes
through the effect cache, so a search that was stopped goes on where it was.
"""

import math
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from akgen.agents.budget import Budget, Spent, exhausted
from akgen.agents.search.beam import BeamEntry, Expand, SearchRules, SearchState
from akgen.agents.search.candidates import Kind, Member, Proposer, SearchStep
from akgen.graph.store.effects import EffectCache
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.profile import Profile, TimeSource
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.rewrite.all_rewrites import left_places

FINAL_TRIALS = 3
OnStep = Callable[[SearchStep], None]


class Calibration(Frozen):
    """How well one kind of hypothesis knows what it will bring. Gains are geometric means over correct trials.

    `error` is the typical factor between promise and result: 1.2 means off by a fifth, either way. It and
    `predicted` are None where no trial made a promise.
    """

    kind: Kind
    tried: int
    correct: int
    kept: int
    predicted: float | None
    actual: float | None
    error: float | None


class Optimised(Frozen):
    """optimised.json."""

    format: int = 1
    task: str
    toolchain: str
    by: str
    before_us: float  # geometric mean over the cases
    after_us: float
    time_source: TimeSource | None
    gain: float
    changes: tuple[str, ...]
    project: Path
    verdict: Verdict
    profile: Profile | None
    trials: tuple[SearchStep, ...]
    calibration: tuple[Calibration, ...]
    stopped: str
    left: tuple[
        str, ...
    ] = ()  # places of the kernel that look slow and were not changed, each with the reason
    spent: Spent


@dataclass(frozen=True)
class Search:
    """What a search works with. `folder` keeps its effect cache, its best project and result.json."""

    judge: Judge
    proposer: Proposer
    folder: Path
    budget: Budget  # attempts: how many candidates are judged
    beam: int
    each: int  # candidates of each kernel of the beam per round
    seed: int
    on_step: OnStep

    def run(self, task: Task, project: KernelProject) -> Optimised:
        """Return what the search found. Raises InputError if the kernel is not correct to begin with."""
        first = self._judge(task, project, trials=FINAL_TRIALS)
        if first.outcome is not Outcome.CORRECT:
            raise InputError(
                f"The kernel is not correct on {task.name}: {first.outcome}.",
                "Mend it first; `akgen eval` says what is wrong.",
            )
        if first.mean_us() is None:
            raise InputError(
                f"{task.name} gives no times to compare.", "Take a toolchain that times launches."
            )
        rules = SearchRules(width=self.beam, each=self.each, limit=self.budget.attempts)
        members, steps, spent = [Member(project=project, verdict=first)], list[SearchStep](), Spent()
        search = SearchState(rules=rules, beam=(BeamEntry.of(0, first),))
        while isinstance(move := search.move(), Expand):
            used = exhausted(self.budget, spent)
            if used is not None:
                search = search.stop(used)
                continue
            before, member = time.monotonic(), members[move.entry.number]
            for proposal in self.proposer.propose(task, member, steps, move.count):
                changed, candidate = proposal.project, None
                verdict = self._judge(task, changed, trials=1) if changed is not None else None
                if verdict is not None and verdict.outcome is Outcome.CORRECT:
                    candidate = BeamEntry.of(len(members), verdict)
                    members.append(member.changed(proposal, verdict))
                steps.append(SearchStep.of(search, proposal, verdict, candidate))
                self.on_step(steps[-1])
                search = search.take(candidate)
                spent = spent.plus(attempts=1, usage=proposal.usage)
            search, spent = search.expanded(), spent.plus(wall_s=time.monotonic() - before)
        beam = [members[entry.number] for entry in search.beam]
        return self._finish(task, members[0], beam, steps, spent, move.why)

    def _finish(
        self,
        task: Task,
        start: Member,
        beam: list[Member],
        steps: list[SearchStep],
        spent: Spent,
        stopped: str,
    ) -> Optimised:
        """Judge the best ones again, on more inputs with seeds of their own, and keep the first that holds."""
        for member in beam:
            if member.project.digest == start.project.digest:
                break
            verdict = self._judge(task, member.project, trials=FINAL_TRIALS)
            if verdict.outcome is Outcome.CORRECT:
                start_us, member = start.time_us, member.model_copy(update={"verdict": verdict})
                return self._result(task, start_us, member, steps, spent, stopped)
        return self._result(task, start.time_us, start, steps, spent, stopped)

    def _result(
        self, task: Task, before_us: float, best: Member, steps: list[SearchStep], spent: Spent, stopped: str
    ) -> Optimised:
        best.project.write_to(make_folder(self.folder / "project"))
        result = Optimised(
            task=task.name,
            toolchain=best.verdict.toolchain,
            by=self.proposer.name,
            before_us=before_us,
            after_us=best.time_us,
            time_source=best.verdict.time_source,
            gain=round(before_us / best.time_us, 4),
            changes=best.changes,
            project=self.folder / "project",
            verdict=best.verdict,
            profile=best.slowest,
            trials=tuple(steps),
            calibration=calibrations(steps),
            stopped=stopped,
            left=tuple(left_places(best.project)),
            spent=spent,
        )
        write_whole(self.folder / "optimised.json", result.model_dump_json(indent=1) + "\n")
        return result

    def _judge(self, task: Task, project: KernelProject, *, trials: int) -> Verdict:
        """Judge once for these sources, however often the search is stopped and begun again."""
        inputs = {
            "toolchain": self.judge.toolchain, "task": task, "project": project, "trials": trials,
            "seed": self.seed,
        }  # fmt: skip

        def act() -> Verdict:
            work = make_folder(self.folder / "work" / project.digest[:16])
            verdict = self.judge.judge(
                project, task, work=work, trials=trials, seed=self.seed + trials, what_if=True
            )
            shutil.rmtree(work, ignore_errors=True)
            return verdict

        return EffectCache(self.folder / "effects").once("test", inputs, Verdict, act).value


def calibrations(trials: Sequence[SearchStep]) -> tuple[Calibration, ...]:
    """Compare promises with results, kind by kind, in the order in which the kinds were tried."""
    kinds = dict.fromkeys(trial.hypothesis.kind for trial in trials)
    return tuple(_of(kind, [t for t in trials if t.hypothesis.kind == kind]) for kind in kinds)


def _of(kind: Kind, mine: list[SearchStep]) -> Calibration:
    correct = [t for t in mine if t.gain is not None]
    pairs = [(t.hypothesis.predicted_gain, t.gain) for t in correct if t.hypothesis.predicted_gain and t.gain]
    off = [abs(math.log(actual / predicted)) for predicted, actual in pairs]
    return Calibration(
        kind=kind,
        tried=len(mine),
        correct=len(correct),
        kept=sum(t.kept for t in mine),
        predicted=_mean([predicted for predicted, _ in pairs]),
        actual=_mean([t.gain for t in correct if t.gain]),
        error=round(math.exp(sum(off) / len(off)), 3) if off else None,
    )


def _mean(gains: Sequence[float]) -> float | None:
    return round(math.exp(sum(map(math.log, gains)) / len(gains)), 3) if gains else None
