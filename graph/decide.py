"""The stages that choose: what to do after an attempt, and which sample wins."""

import math
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from akgen.agents.budget import Spent, exhausted, remaining
from akgen.agents.critic import asked_again, failure, insist
from akgen.agents.roles import Decision, Planned, Written
from akgen.agents.search.beam import BeamEntry, SearchState, greedy
from akgen.graph.deps import AttemptScope, Deps
from akgen.graph.state import History, Samples, SampleState, TaskState
from akgen.graph.store.records import Attempt, AttemptRow, SampleRecord, Solution
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict

Update = dict[str, Any]
GO_ON = ("repair", "tune", "replan")
# How far an attempt came: of attempts that all failed, the one furthest along stands for its sample.
_DISTANCE = {
    Outcome.CORRECT: 0, Outcome.WRONG: 1, Outcome.TRAP: 2, Outcome.TIMEOUT: 3, Outcome.CHEAT: 4,
    Outcome.TILING_ERROR: 5, Outcome.COMPILE_ERROR: 6, Outcome.BUDGET: 7, Outcome.PLAN_REJECTED: 8,
    Outcome.NO_CODE: 9, Outcome.UNSUPPORTED: 10,
}  # fmt: skip


def criticise(state: SampleState, runtime: Runtime[Deps]) -> Update:
    """Let the critic decide; keep the attempt; end the sample if it is right, hopeless or out of budget."""
    deps, task, verdict = runtime.context, state["task"], state["verdict"]
    assert verdict is not None
    scope = AttemptScope("criticise", state, deps)
    planned = state["planned"]
    plan = planned.plan if planned else None
    search, gain = _search(state, verdict, deps.config.tune)
    left = remaining(deps.config.budget, state["spent"]).attempts - 1
    if verdict.outcome is Outcome.CORRECT:
        left = min(left, search.left)
    decision = scope.pay(
        {"task": task, "plan": plan, "verdict": verdict, "attempt": scope.attempt, "left": left},
        Decision,
        lambda: deps.critic.criticise(task, plan, verdict, scope.attempt, left, state["project"]),
    )
    decision = insist(decision, failure(verdict), [earlier.failure for earlier in state["history"].rows])
    text = f"{decision.action}: {decision.why}" if decision.why else decision.action
    spent = scope.done(text, None, decision.usage).plus(attempts=1)
    row = _row(state, decision, verdict, gain)
    stopped = _stop(deps, spent, state["history"], row) if decision.action in GO_ON else None
    history = History(rows=(*state["history"].rows, row))
    scope.store.save_attempt(_attempt(state, decision, verdict, row, spent))
    if decision.action in GO_ON and stopped is None:
        feedback = decision.feedback
        if feedback is not None:
            written = state["written"]
            known = {
                "left": remaining(deps.config.budget, spent),
                "dsl": written.dsl if written else None,
                "changed": written.changed if written else None,
            }
            feedback = asked_again(feedback.model_copy(update=known), state["feedback"])
        return {
            **_fresh_attempt(scope.attempt + 1),
            "decision": decision,
            "feedback": feedback,
            "history": history,
            "spent": spent,
        }
    record = _record(state["sample"], history, spent, stopped)
    if stopped:
        scope.log.say("stopped", attempt=scope.attempt, outcome=record.outcome, text=stopped)
    return {
        "decision": decision.model_copy(update={"action": "give_up"}) if stopped else decision,
        "history": history,
        "spent": spent,
        "samples": Samples(ended=(record,)),
    }


def choose(state: TaskState, runtime: Runtime[Deps]) -> Update:
    """Pick the correct sample with the shortest time, else the one that came furthest; keep the result."""
    place = runtime.context.store.task(state["task"].name)
    ended = state["samples"].ended
    best = min(ended, key=lambda c: (*_rank(c.outcome, c.time_us), c.sample))
    attempt = next(a for a in place.sample(best.sample).attempts() if a.number == best.best)
    solution = Solution(
        task=state["task"].name,
        outcome=best.outcome,
        toolchain=attempt.verdict.toolchain,
        sample=best.sample,
        attempt=attempt.number,
        project=attempt.project,
        time_us=best.time_us,
        time_source=best.time_source,
        measured_by=best.measured_by,
        device=best.device,
        verdict=attempt.verdict,
        profile=attempt.profile,
        page=attempt.page,
        why=best.stopped or attempt.decision.why,
        candidates=ended,
    )
    place.save_solution(solution)
    return {"solution": solution}


def _stop(deps: Deps, spent: Spent, before: History, row: AttemptRow) -> str | None:
    """Say why the sample ends although the critic would go on; None if it may."""
    for earlier in before.rows:
        if row.digest is not None and earlier.digest == row.digest:
            return f"the coder returned attempt {earlier.number}'s project again"
    return exhausted(deps.config.budget, spent)


def _fresh_attempt(number: int) -> Update:
    return {"attempt": number, "written": None, "build": None, "verdict": None, "profiled": None}


def start(sample: int) -> Update:
    """Return the state in which a sample begins."""
    return {
        **_fresh_attempt(1),
        "sample": sample,
        "planned": None,
        "project": None,
        "feedback": None,
        "decision": None,
        "history": History(),
        "spent": Spent(),
    }


def _rank(outcome: Outcome, time_us: float | None) -> tuple[int, float]:
    return (_DISTANCE[outcome], math.inf if time_us is None else time_us)


def _record(sample: int, history: History, spent: Spent, stopped: str | None) -> SampleRecord:
    best = min(history.rows, key=lambda row: (*_rank(row.outcome, row.time_us), -row.number))
    return SampleRecord(
        sample=sample,
        outcome=best.outcome,
        best=best.number,
        time_us=best.time_us,
        time_source=best.time_source,
        measured_by=best.measured_by,
        device=best.device,
        attempts=history.rows,
        spent=spent,
        stopped=stopped,
    )


def _search(state: SampleState, verdict: Verdict, limit: int) -> tuple[SearchState, float | None]:
    """Take the attempt into the search for speed; return where that stands, and what a tuned attempt brought.

    The history says all of a greedy search: how many changes were asked for, and of which kernel this one is.
    """
    rows, number = state["history"].rows, state["attempt"]
    correct = verdict.outcome is Outcome.CORRECT
    now = BeamEntry.of(number, verdict) if correct else None
    asked, judged = sum(row.action == "tune" for row in rows), bool(rows) and rows[-1].action == "tune"
    if not judged:
        beam = (BeamEntry(number=number, time_us=verdict.mean_us()),)
        return SearchState(rules=greedy(limit), beam=beam, judged=asked), None
    beam = (BeamEntry(number=rows[-1].number, time_us=rows[-1].time_us),)
    search = SearchState(rules=greedy(limit), beam=beam, judged=asked - 1)
    return search.take(now).expanded(), search.gain(now)


def _row(state: SampleState, decision: Decision, verdict: Verdict, gain: float | None) -> AttemptRow:
    written = state["written"]
    project = written.project if written else None
    mean_us = verdict.mean_us()
    folder = Path(f"sample-{state['sample']}") / f"attempt-{state['attempt']}" / "project"
    return AttemptRow(
        number=state["attempt"],
        outcome=verdict.outcome,
        time_us=mean_us,
        time_source=verdict.time_source if mean_us else None,
        measured_by=verdict.measured_by if mean_us else None,
        device=verdict.device if mean_us else None,
        digest=project.digest if project else None,
        folder=folder if project else None,
        action=decision.action,
        why=decision.why,
        hypothesis=decision.hypothesis if decision.action == "tune" else None,
        gain=gain,
        failure=failure(verdict),
    )


def _attempt(
    state: SampleState, decision: Decision, verdict: Verdict, row: AttemptRow, spent: Spent
) -> Attempt:
    planned = state["planned"] or Planned(plan=None)
    written = state["written"] or Written(project=None)
    profiled = state["profiled"]
    return Attempt(
        number=row.number,
        sample=state["sample"],
        feedback=state["feedback"],
        plan=planned.plan,
        project=row.folder,
        op_type=written.project.op_type if written.project else None,
        kernel=written.project.kernel if written.project else None,
        digest=row.digest,
        dsl=written.dsl,
        form=written.form,
        shown=written.shown,
        verdict=verdict,
        profile=profiled.profile if profiled else None,
        page=profiled.page if profiled else None,
        decision=decision,
        planner_messages=planned.messages,
        coder_messages=written.messages,
        spent=spent,
    )
