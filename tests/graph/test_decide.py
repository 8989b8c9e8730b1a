"""What follows an attempt, and which sample wins: the stages that choose, on states from frozen values."""

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from langgraph.runtime import Runtime

from akgen.agents.budget import Budget, Spent
from akgen.agents.calls.model_call import Usage
from akgen.agents.plan import Plan
from akgen.agents.roles import ContextItem, Decision, Feedback, Planned, TuningMove, Written
from akgen.agents.run_config import RunConfig
from akgen.graph.decide import choose, criticise, start
from akgen.graph.deps import Deps
from akgen.graph.state import History, Profiled, Samples, SampleState, TaskState
from akgen.graph.store.effects import digest
from akgen.graph.store.records import Attempt, AttemptRow, Event, RunInfo, SampleRecord, Solution
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import CaseVerdict, Verdict

TASK = Task(
    name="x",
    suite="file",
    op_type="X",
    kernel="x",
    reference=Reference(loader="m", path=Path("x.py")),
    cases=(Case(id="0"),),
)
PLAN = Plan(origin="test", category="other", thought="so")
PLANNED = Planned(plan=PLAN, messages=({"role": "user", "content": "plan it"},))
PROJECT = KernelProject(op_type="X", kernel="x", files={"op_kernel/x.cpp": "void x();"})
WRITTEN = Written(
    project=PROJECT,
    form="edits",
    shown=(ContextItem(kind="card", name="Add", tokens=7),),
    dsl="y = x",
    messages=({"role": "user", "content": "write it"},),
)
PROFILE = Profile(
    time_us=8.0,
    time_source="predicted",
    toolchain="twin",
    cores=1,
    gm_read_bytes=1,
    gm_write_bytes=1,
    pipes=(),
    bound="memory",
    roofline_share=0.5,
    core_imbalance=1.0,
)
TOLD = Feedback(attempt=1, outcome=Outcome.WRONG, text="the tail differs")
REPAIR = Decision(action="repair", feedback=TOLD, why="the tail differs")
TUNE = Decision(
    action="tune",
    feedback=TOLD.model_copy(update={"action": "tune"}),
    why="larger tiles",
    hypothesis=TuningMove(kind="larger_tiles", predicted_gain=0.25),
)
ACCEPT = Decision(action="accept", why="all cases correct")
GIVE_UP = Decision(action="give_up", why="out of scope")


class _Scripted:
    """A critic with one answer; it keeps what it was asked."""

    def __init__(self, answer: Decision) -> None:
        self.answer = answer
        self.asked: list[tuple[Task, Plan | None, Verdict, int, int]] = []

    def criticise(self, task: Task, plan: Plan | None, verdict: Verdict, attempt: int, left: int) -> Decision:
        self.asked.append((task, plan, verdict, attempt, left))
        return self.answer


class _Run:
    """A run in a folder, whose critic gives one answer, and the events that its watcher saw."""

    def __init__(self, folder: Path, answer: Decision = REPAIR, tune: int = 0, **budget: Any) -> None:
        config = RunConfig(command="solve", seed=7, tune=tune, budget=Budget(**{"attempts": 4, **budget}))
        info = RunInfo(
            id="one",
            created_at=datetime(2026, 1, 2, tzinfo=UTC),
            config=config,
            versions={},
            toolchain="twin",
        )
        self.critic, self.events = _Scripted(answer), list[Event]()
        unused = cast(Any, None)  # no stage here plans, writes or judges
        self.deps = Deps(
            settings=Settings(cache=folder / "cache"),
            config=config,
            planner=unused,
            coder=unused,
            critic=self.critic,
            understand=unused,
            workbench=unused,
            store=RunStore.create(folder / "one", info),
            watch=self.events.append,
        )
        self.task = self.deps.store.task("x")
        self.task.folder.mkdir(parents=True, exist_ok=True)

    def criticise(self, state: SampleState) -> dict[str, Any]:
        return criticise(state, Runtime(context=self.deps))

    def attempts(self) -> tuple[Attempt, ...]:
        return self.task.sample(2).attempts()

    def choose(self, *ended: SampleRecord) -> Solution:
        state = TaskState(task=TASK, samples=Samples(ended=ended), solution=None)
        return cast(Solution, choose(state, Runtime(context=self.deps))["solution"])


def _verdict(outcome: Outcome = Outcome.WRONG, *times: float) -> Verdict:
    cases = tuple(CaseVerdict(id="0", outcome=outcome, time_us=t, time_source="predicted") for t in times)
    return Verdict(outcome=outcome, toolchain="twin 1", compile_s=0.1, cases=cases)


def _state(**changes: Any) -> SampleState:
    values = {**start(2), "task": TASK, "planned": PLANNED, "written": WRITTEN, "verdict": _verdict()}
    return cast(SampleState, {**values, **changes})


def _row(
    number: int, outcome: Outcome = Outcome.WRONG, time_us: float | None = None, **more: Any
) -> AttemptRow:
    source = "predicted" if time_us else None
    return AttemptRow(number=number, outcome=outcome, time_us=time_us, time_source=source, **more)


def _rows(*rows: AttemptRow) -> dict[str, Any]:
    return {"attempt": len(rows) + 1, "history": History(rows=rows), "spent": Spent(attempts=len(rows))}


def _ended(update: dict[str, Any]) -> SampleRecord:
    (record,) = update["samples"].ended
    return cast(SampleRecord, record)


def test_a_sample_begins_with_nothing_but_its_number_and_its_first_attempt() -> None:
    assert start(3) == {
        "sample": 3,
        "attempt": 1,
        "planned": None,
        "written": None,
        "project": None,
        "build": None,
        "verdict": None,
        "profiled": None,
        "feedback": None,
        "decision": None,
        "history": History(),
        "spent": Spent(),
    }


def test_the_critic_is_asked_about_this_task_plan_verdict_and_attempt(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    run.criticise(_state(attempt=2, spent=Spent(attempts=1)))
    assert run.critic.asked == [(TASK, PLAN, _verdict(), 2, 2)]


def test_the_critic_is_told_of_no_plan_where_planning_was_not_reached(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    run.criticise(_state(planned=None))
    assert run.critic.asked[0][1] is None


def test_of_a_correct_attempt_the_critic_is_told_how_many_tunings_are_left(tmp_path: Path) -> None:
    run = _Run(tmp_path, ACCEPT, tune=3, attempts=9)
    tuned = _rows(_row(1, action="repair"), _row(2, action="tune"), _row(3, action="tune"))
    run.criticise(_state(**tuned, verdict=_verdict(Outcome.CORRECT, 8.0)))
    assert run.critic.asked[0][4] == 1


def test_tunings_end_with_the_attempts(tmp_path: Path) -> None:
    run = _Run(tmp_path, ACCEPT, tune=9, attempts=2)
    run.criticise(_state(verdict=_verdict(Outcome.CORRECT, 8.0)))
    assert run.critic.asked[0][4] == 1


def test_a_decision_is_kept_under_everything_that_it_depends_on(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    run.criticise(_state())
    inputs = {"task": TASK, "plan": PLAN, "verdict": _verdict(), "attempt": 1, "left": 3}
    (file,) = run.task.sample(2).effects.iterdir()
    assert file.name == f"criticise-{digest('criticise', inputs)[:24]}.json"


def test_a_decision_is_paid_once(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    first, again = run.criticise(_state()), run.criticise(_state())
    assert len(run.critic.asked) == 1
    assert first["decision"] == again["decision"] == REPAIR


def test_the_next_attempt_begins_with_the_feedback_and_nothing_of_the_last(tmp_path: Path) -> None:
    update = _Run(tmp_path).criticise(_state())
    fresh = {"attempt": 2, "written": None, "build": None, "verdict": None, "profiled": None}
    assert {name: update.pop(name) for name in fresh} == fresh
    assert set(update) == {"decision", "feedback", "history", "spent"}
    assert update["decision"] == REPAIR


def test_feedback_says_what_is_left_and_which_tile_program_it_is_about(tmp_path: Path) -> None:
    update = _Run(tmp_path, tokens=50).criticise(_state(spent=Spent(tokens=20)))
    left = Budget(attempts=3, tokens=30)
    assert update["feedback"] == TOLD.model_copy(update={"left": left, "dsl": "y = x"})


def test_feedback_names_no_tile_program_where_nothing_was_written(tmp_path: Path) -> None:
    update = _Run(tmp_path).criticise(_state(written=None))
    assert update["feedback"] == TOLD.model_copy(update={"left": Budget(attempts=3)})


def test_a_sample_may_go_on_without_feedback(tmp_path: Path) -> None:
    update = _Run(tmp_path, Decision(action="replan")).criticise(_state())
    assert update["feedback"] is None
    assert update["attempt"] == 2


@pytest.mark.parametrize("action", ["repair", "tune", "replan"])
def test_a_sample_goes_on_when_the_critic_wants_another_attempt(tmp_path: Path, action: str) -> None:
    update = _Run(tmp_path, REPAIR.model_copy(update={"action": action})).criticise(_state())
    assert update["attempt"] == 2
    assert "samples" not in update


@pytest.mark.parametrize("decision", [ACCEPT, GIVE_UP])
def test_a_sample_ends_when_the_critic_accepts_or_gives_up(tmp_path: Path, decision: Decision) -> None:
    update = _Run(tmp_path, decision).criticise(_state())
    assert set(update) == {"decision", "history", "spent", "samples"}
    assert update["decision"] == decision
    assert _ended(update).stopped is None


def test_what_the_critic_and_the_attempt_cost_is_added(tmp_path: Path) -> None:
    paid = REPAIR.model_copy(update={"usage": Usage(input_tokens=3, output_tokens=4, cost=0.5)})
    spent = _Run(tmp_path, paid).criticise(_state(spent=Spent(tokens=10)))["spent"]
    assert (spent.attempts, spent.tokens, spent.output_tokens, spent.cost) == (1, 17, 4, 0.5)


def test_a_sample_out_of_budget_is_given_up_and_says_which_limit(tmp_path: Path) -> None:
    run = _Run(tmp_path, attempts=1)
    update = run.criticise(_state())
    assert update["decision"] == REPAIR.model_copy(update={"action": "give_up"})
    assert _ended(update).stopped == "1 of 1 attempts are used"


def test_a_sample_that_is_stopped_says_so_in_its_events(tmp_path: Path) -> None:
    run = _Run(tmp_path, attempts=1)
    run.criticise(_state())
    said = run.events[-1]
    assert (said.event, said.attempt, said.outcome) == ("stopped", 1, Outcome.WRONG)
    assert said.text == "1 of 1 attempts are used"


def test_a_sample_that_is_accepted_is_not_said_to_be_stopped(tmp_path: Path) -> None:
    run = _Run(tmp_path, ACCEPT, attempts=1)
    run.criticise(_state())
    assert [event.event for event in run.events] == ["stage", "stage"]


def test_a_project_that_comes_again_stops_the_sample(tmp_path: Path) -> None:
    earlier = _rows(_row(1, digest=PROJECT.digest), _row(2, digest="other"))
    update = _Run(tmp_path).criticise(_state(**earlier))
    assert _ended(update).stopped == "the coder returned attempt 1's project again"


def test_attempts_without_a_project_are_not_the_same_project(tmp_path: Path) -> None:
    update = _Run(tmp_path).criticise(_state(**_rows(_row(1)), written=None))
    assert update["attempt"] == 3


@pytest.mark.parametrize(
    ("decision", "text"), [(REPAIR, "repair: the tail differs"), (Decision(action="accept"), "accept")]
)
def test_the_event_tells_the_decision_and_its_reason(tmp_path: Path, decision: Decision, text: str) -> None:
    run = _Run(tmp_path, decision)
    run.criticise(_state())
    assert [(e.stage, e.status, e.outcome) for e in run.events] == [
        ("criticise", "start", None),
        ("criticise", "done", None),
    ]
    assert run.events[-1].text == text


def test_attempts_that_fail_alike_lead_to_another_plan(tmp_path: Path) -> None:
    update = _Run(tmp_path).criticise(_state(**_rows(_row(1, failure="wrong"), _row(2, failure="wrong"))))
    assert update["decision"].action == "replan"
    assert update["history"].rows[-1].action == "replan"


def test_a_row_says_what_was_tried_and_how_it_failed(tmp_path: Path) -> None:
    earlier = _row(1, failure="trap")
    rows = _Run(tmp_path).criticise(_state(**_rows(earlier)))["history"].rows
    assert rows == (
        earlier,
        AttemptRow(
            number=2,
            outcome=Outcome.WRONG,
            digest=PROJECT.digest,
            folder=Path("sample-2/attempt-2/project"),
            action="repair",
            why="the tail differs",
            failure="wrong",
        ),
    )


def test_a_row_without_a_project_has_neither_digest_nor_folder(tmp_path: Path) -> None:
    (row,) = _Run(tmp_path).criticise(_state(written=None))["history"].rows
    assert (row.digest, row.folder) == (None, None)


def test_a_row_takes_the_geometric_mean_and_its_source(tmp_path: Path) -> None:
    (row,) = (
        _Run(tmp_path, ACCEPT).criticise(_state(verdict=_verdict(Outcome.CORRECT, 2.0, 8.0)))["history"].rows
    )
    assert row.time_us == pytest.approx(4.0)
    assert row.time_source == "predicted"
    assert row.failure is None


def test_a_row_without_a_time_has_no_source(tmp_path: Path) -> None:
    (row,) = _Run(tmp_path).criticise(_state(verdict=_verdict(Outcome.WRONG, 0.0)))["history"].rows
    assert (row.time_us, row.time_source) == (None, None)


def test_only_a_tuning_row_keeps_what_the_next_attempt_is_to_gain(tmp_path: Path) -> None:
    hopes = [TUNE, TUNE.model_copy(update={"action": "repair"})]
    rows = [_Run(tmp_path / d.action, d).criticise(_state())["history"].rows[-1] for d in hopes]
    assert [row.hypothesis for row in rows] == [TUNE.hypothesis, None]


def test_a_tuned_attempt_says_what_the_tuning_brought(tmp_path: Path) -> None:
    repaired = (_row(1), _row(2, Outcome.CORRECT, 99.0))
    earlier = _rows(*repaired, _row(3, Outcome.CORRECT, 16.0, action="tune"))
    state = _state(**earlier, verdict=_verdict(Outcome.CORRECT, 8.0))
    assert _Run(tmp_path, ACCEPT).criticise(state)["history"].rows[-1].gain == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("before", "outcome"), [("repair", Outcome.CORRECT), ("tune", Outcome.WRONG)], ids=["repaired", "failed"]
)
def test_an_attempt_brings_no_gain_unless_it_was_tuned_and_is_correct(
    tmp_path: Path, before: str, outcome: Outcome
) -> None:
    earlier = _rows(_row(1, Outcome.CORRECT, 16.0, action=before))
    update = _Run(tmp_path, ACCEPT).criticise(_state(**earlier, verdict=_verdict(outcome, 8.0)))
    assert update["history"].rows[-1].gain is None


def test_everything_about_an_attempt_is_kept(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    profiled = Profiled(profile=PROFILE, page=Path("timeline.html"))
    told = TOLD.model_copy(update={"text": "what the coder read"})
    update = run.criticise(_state(feedback=told, profiled=profiled))
    assert run.attempts() == (
        Attempt(
            number=1,
            sample=2,
            feedback=told,
            plan=PLAN,
            project=Path("sample-2/attempt-1/project"),
            op_type="X",
            kernel="x",
            digest=PROJECT.digest,
            dsl="y = x",
            form="edits",
            shown=WRITTEN.shown,
            verdict=_verdict(),
            profile=PROFILE,
            page=Path("timeline.html"),
            decision=REPAIR,
            planner_messages=PLANNED.messages,
            coder_messages=WRITTEN.messages,
            spent=update["spent"],
        ),
    )


def test_an_attempt_that_ended_before_its_plan_is_kept_too(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    update = run.criticise(_state(planned=None, written=None))
    assert run.attempts() == (
        Attempt(
            number=1,
            sample=2,
            feedback=None,
            plan=None,
            project=None,
            verdict=_verdict(),
            decision=REPAIR,
            spent=update["spent"],
        ),
    )


def test_an_attempt_whose_model_gave_no_code_keeps_the_exchange(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    run.criticise(_state(written=WRITTEN.model_copy(update={"project": None})))
    (attempt,) = run.attempts()
    assert (attempt.op_type, attempt.kernel) == (None, None)
    assert attempt.coder_messages == WRITTEN.messages


def test_a_sample_is_recorded_with_its_attempts_and_what_it_spent(tmp_path: Path) -> None:
    update = _Run(tmp_path, ACCEPT).criticise(_state(verdict=_verdict(Outcome.CORRECT, 1.0)))
    assert _ended(update) == SampleRecord(
        sample=2,
        outcome=Outcome.CORRECT,
        best=1,
        time_us=1.0,
        time_source="predicted",
        attempts=update["history"].rows,
        spent=update["spent"],
    )


BY_DISTANCE = (
    Outcome.CORRECT,
    Outcome.WRONG,
    Outcome.TRAP,
    Outcome.TIMEOUT,
    Outcome.CHEAT,
    Outcome.TILING_ERROR,
    Outcome.COMPILE_ERROR,
    Outcome.BUDGET,
    Outcome.PLAN_REJECTED,
    Outcome.NO_CODE,
    Outcome.UNSUPPORTED,
)


@pytest.mark.parametrize(("further", "behind"), list(pairwise(BY_DISTANCE)))
def test_the_attempt_that_came_furthest_stands_for_its_sample(
    tmp_path: Path, further: Outcome, behind: Outcome
) -> None:
    update = _Run(tmp_path, GIVE_UP).criticise(_state(**_rows(_row(1, further)), verdict=_verdict(behind)))
    assert (_ended(update).best, _ended(update).outcome) == (1, further)


def test_of_correct_attempts_the_fastest_stands_for_its_sample(tmp_path: Path) -> None:
    earlier = _rows(_row(1, Outcome.CORRECT, 5.0), _row(2, Outcome.CORRECT, 9.0))
    state = _state(**earlier, verdict=_verdict(Outcome.CORRECT, 7.0))
    assert _ended(_Run(tmp_path, ACCEPT).criticise(state)).best == 1


def test_an_attempt_with_a_time_goes_before_one_without(tmp_path: Path) -> None:
    earlier = _rows(_row(1, Outcome.CORRECT, 5.0))
    state = _state(**earlier, verdict=_verdict(Outcome.CORRECT))
    assert _ended(_Run(tmp_path, ACCEPT).criticise(state)).best == 1


def test_of_equal_attempts_the_last_stands_for_its_sample(tmp_path: Path) -> None:
    state = _state(**_rows(_row(1), _row(2)))
    assert _ended(_Run(tmp_path, GIVE_UP).criticise(state)).best == 3


def _sample(
    run: _Run,
    number: int,
    time_us: float | None,
    outcome: Outcome = Outcome.CORRECT,
    stopped: str | None = None,
) -> SampleRecord:
    """Store a sample of two attempts, the second of which stands for it."""
    rows = (_row(1), _row(2, outcome, time_us))
    for row in rows:
        run.task.sample(number).save_attempt(
            Attempt(
                number=row.number,
                sample=number,
                feedback=None,
                plan=PLAN,
                project=Path(f"sample-{number}/attempt-{row.number}/project"),
                verdict=_verdict(row.outcome),
                profile=PROFILE,
                page=Path("timeline.html"),
                decision=ACCEPT,
                spent=Spent(),
            )
        )
    source = "predicted" if time_us else None
    return SampleRecord(
        sample=number,
        outcome=outcome,
        best=2,
        time_us=time_us,
        time_source=source,
        attempts=rows,
        spent=Spent(),
        stopped=stopped,
    )


def test_the_solution_is_the_fastest_sample_with_all_that_is_known_of_its_best_attempt(
    tmp_path: Path,
) -> None:
    run = _Run(tmp_path)
    slow, fast = _sample(run, 0, 9.0), _sample(run, 1, 5.0)
    assert run.choose(slow, fast) == Solution(
        task="x",
        outcome=Outcome.CORRECT,
        toolchain="twin 1",
        sample=1,
        attempt=2,
        project=Path("sample-1/attempt-2/project"),
        time_us=5.0,
        time_source="predicted",
        verdict=_verdict(Outcome.CORRECT),
        profile=PROFILE,
        page=Path("timeline.html"),
        why="all cases correct",
        candidates=(slow, fast),
    )


def test_the_solution_is_kept_as_it_is_returned(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    assert run.choose(_sample(run, 0, 9.0)) == run.task.solution()


def test_a_correct_sample_wins_over_a_failed_one_that_is_faster(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    failed, correct = _sample(run, 0, 1.0, Outcome.WRONG), _sample(run, 1, 9.0)
    assert run.choose(failed, correct).sample == 1


def test_of_equal_samples_the_first_wins(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    first, second = _sample(run, 0, 5.0), _sample(run, 1, 5.0)
    assert run.choose(second, first).sample == 0


def test_a_sample_that_was_stopped_says_why_in_the_solution(tmp_path: Path) -> None:
    run = _Run(tmp_path)
    record = _sample(run, 0, None, Outcome.WRONG, "4 of 4 attempts are used")
    assert run.choose(record).why == "4 of 4 attempts are used"
