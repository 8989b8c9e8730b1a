"""Search for a faster kernel: profile, hypothesise, change, verify, keep what the timeline proves.

A beam of correct kernels; each round asks a proposer for changes to each of them, judges every one on hidden inputs,
and keeps the fastest. It stops at the budget, at the roofline, or when a round brings nothing. Every judgement goes
through the effect cache, so a search that was stopped goes on where it was.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from akgen.agents.budget import Budget, Spent, exhausted
from akgen.agents.optimise.proposal import Member, Proposal, Proposer, Trial
from akgen.graph.optimise_report import Optimised, calibrations
from akgen.graph.store.effects import EffectCache
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge

AT_THE_ROOFLINE = 0.9
LEAST_GAIN = 1.01  # a change that brings less is not worth its risk
FINAL_TRIALS = 3
OnTrial = Callable[[Trial], None]


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
    on_trial: OnTrial

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
        start = Member(project=project, verdict=first)
        beam, trials, spent, stopped = [start], list[Trial](), Spent(), _at_the_roofline(start)
        while stopped is None:
            found: list[Member] = []
            begun = len(trials)
            for member in beam:
                stopped = exhausted(self.budget, spent)
                if stopped is not None:
                    break
                room = min(self.each, self.budget.attempts - spent.attempts)
                before = time.monotonic()
                for proposal in self.proposer.propose(task, member, trials, room):
                    trial, better = self._try(task, member, proposal, _round(trials, begun))
                    trials.append(trial)
                    self.on_trial(trial)
                    spent = spent.plus(attempts=1, usage=proposal.usage)
                    found += [better] if better is not None else []
                spent = spent.plus(wall_s=time.monotonic() - before)
            if stopped is None and len(trials) == begun:
                stopped = "nothing is left to try"
            elif stopped is None and not found:
                stopped = "a round brought nothing"
            beam = _best([*beam, *found], self.beam)
            stopped = stopped or _at_the_roofline(beam[0])
        return self._finish(task, start, beam, trials, spent, stopped)

    def _try(
        self, task: Task, member: Member, proposal: Proposal, round_: int
    ) -> tuple[Trial, Member | None]:
        """Judge a proposal; return what came of it, and the kernel if it is faster by enough."""
        if proposal.project is None:
            trial = Trial(
                round=round_, hypothesis=proposal.hypothesis, outcome=Outcome.NO_CODE, gain=None, kept=False,
                digest=None, problem=proposal.problem,
            )  # fmt: skip
            return trial, None
        verdict = self._judge(task, proposal.project, trials=1)
        correct, time_us = verdict.outcome is Outcome.CORRECT, verdict.mean_us()
        gain = member.time_us / time_us if correct and time_us else None
        kept = gain is not None and gain >= LEAST_GAIN
        trial = Trial(
            round=round_, hypothesis=proposal.hypothesis, outcome=verdict.outcome, time_us=time_us,
            time_source=verdict.time_source, gain=round(gain, 4) if gain is not None else None, kept=kept,
            digest=proposal.project.digest, problem=None if correct else verdict.why(),
        )  # fmt: skip
        if not kept:
            return trial, None
        better = Member(
            project=proposal.project,
            verdict=verdict,
            knobs=proposal.knobs,
            other_rounding=proposal.other_rounding,
            changes=(*member.changes, proposal.hypothesis.text),
        )
        return trial, better

    def _finish(
        self, task: Task, start: Member, beam: list[Member], trials: list[Trial], spent: Spent, stopped: str
    ) -> Optimised:
        """Judge the best ones again, on more inputs with seeds of their own, and keep the first that holds."""
        for member in beam:
            if member.project.digest == start.project.digest:
                break
            verdict = self._judge(task, member.project, trials=FINAL_TRIALS)
            if verdict.outcome is Outcome.CORRECT:
                start_us, member = start.time_us, member.model_copy(update={"verdict": verdict})
                return self._result(task, start_us, member, trials, spent, stopped)
        return self._result(task, start.time_us, start, trials, spent, stopped)

    def _result(
        self, task: Task, before_us: float, best: Member, trials: list[Trial], spent: Spent, stopped: str
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
            trials=tuple(trials),
            calibration=calibrations(trials),
            stopped=stopped,
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


def _best(members: list[Member], count: int) -> list[Member]:
    """Return the fastest kernels; of several that take the same time only the first, for they are twins."""
    different: dict[str, Member] = {}
    for member in sorted(members, key=lambda m: m.time_us):
        different.setdefault(f"{member.time_us:.4g}", member)
    return list(different.values())[:count]


def _round(trials: list[Trial], begun: int) -> int:
    """Return the number of the round: one more than that of the trials before it."""
    return 1 + max((trial.round for trial in trials[:begun]), default=0)


def _at_the_roofline(member: Member) -> str | None:
    profile = member.slowest
    if profile is None or profile.roofline_share < AT_THE_ROOFLINE:
        return None
    return f"the slowest case is at {profile.roofline_share:.0%} of the roofline"
