"""What follows an attempt: what the critic is asked, whether the sample goes on, and how its next attempt begins."""

from pathlib import Path

import pytest

from akgen.agents.budget import Budget, Spent
from akgen.agents.calls.model_call import Usage
from akgen.agents.roles import Decision
from akgen.graph.decide import start
from akgen.graph.state import History
from akgen.graph.store.effects import digest
from akgen.tools.core.outcome import Outcome
from tests.graph.deciding import (
    ACCEPT,
    GIVE_UP,
    PLAN,
    PROJECT,
    REPAIR,
    TASK,
    TOLD,
    DecidedRun,
    ended,
    row_of,
    rows_of,
    state_of,
    verdict_of,
)


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
    run = DecidedRun(tmp_path)
    run.criticise(state_of(attempt=2, spent=Spent(attempts=1)))
    assert run.critic.asked == [(TASK, PLAN, verdict_of(), 2, 2)]


def test_the_critic_is_told_of_no_plan_where_planning_was_not_reached(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    run.criticise(state_of(planned=None))
    assert run.critic.asked[0][1] is None


def test_of_a_correct_attempt_the_critic_is_told_how_many_tunings_are_left(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path, ACCEPT, tune=3, attempts=9)
    tuned = rows_of(row_of(1, action="repair"), row_of(2, action="tune"), row_of(3, action="tune"))
    run.criticise(state_of(**tuned, verdict=verdict_of(Outcome.CORRECT, 8.0)))
    assert run.critic.asked[0][4] == 1


def test_tunings_end_with_the_attempts(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path, ACCEPT, tune=9, attempts=2)
    run.criticise(state_of(verdict=verdict_of(Outcome.CORRECT, 8.0)))
    assert run.critic.asked[0][4] == 1


def test_a_decision_is_kept_under_everything_that_it_depends_on(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    run.criticise(state_of())
    inputs = {"task": TASK, "plan": PLAN, "verdict": verdict_of(), "attempt": 1, "left": 3}
    (file,) = run.task.sample(2).effects.iterdir()
    assert file.name == f"criticise-{digest('criticise', inputs)[:24]}.json"


def test_a_decision_is_paid_once(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    first, again = run.criticise(state_of()), run.criticise(state_of())
    assert len(run.critic.asked) == 1
    assert first["decision"] == again["decision"] == REPAIR


def test_the_next_attempt_begins_with_the_feedback_and_nothing_of_the_last(tmp_path: Path) -> None:
    update = DecidedRun(tmp_path).criticise(state_of())
    fresh = {"attempt": 2, "written": None, "build": None, "verdict": None, "profiled": None}
    assert {name: update.pop(name) for name in fresh} == fresh
    assert set(update) == {"decision", "feedback", "history", "spent"}
    assert update["decision"] == REPAIR


def test_feedback_says_what_is_left_and_which_tile_program_it_is_about(tmp_path: Path) -> None:
    update = DecidedRun(tmp_path, tokens=50).criticise(state_of(spent=Spent(tokens=20)))
    left = Budget(attempts=3, tokens=30)
    assert update["feedback"] == TOLD.model_copy(update={"left": left, "dsl": "y = x"})


def test_feedback_names_no_tile_program_where_nothing_was_written(tmp_path: Path) -> None:
    update = DecidedRun(tmp_path).criticise(state_of(written=None))
    assert update["feedback"] == TOLD.model_copy(update={"left": Budget(attempts=3)})


def test_a_sample_may_go_on_without_feedback(tmp_path: Path) -> None:
    update = DecidedRun(tmp_path, Decision(action="replan")).criticise(state_of())
    assert update["feedback"] is None
    assert update["attempt"] == 2


@pytest.mark.parametrize("action", ["repair", "tune", "replan"])
def test_a_sample_goes_on_when_the_critic_wants_another_attempt(tmp_path: Path, action: str) -> None:
    update = DecidedRun(tmp_path, REPAIR.model_copy(update={"action": action})).criticise(state_of())
    assert update["attempt"] == 2
    assert "samples" not in update


@pytest.mark.parametrize("decision", [ACCEPT, GIVE_UP])
def test_a_sample_ends_when_the_critic_accepts_or_gives_up(tmp_path: Path, decision: Decision) -> None:
    update = DecidedRun(tmp_path, decision).criticise(state_of())
    assert set(update) == {"decision", "history", "spent", "samples"}
    assert update["decision"] == decision
    assert ended(update).stopped is None


def test_what_the_critic_and_the_attempt_cost_is_added(tmp_path: Path) -> None:
    paid = REPAIR.model_copy(update={"usage": Usage(input_tokens=3, output_tokens=4, cost=0.5)})
    spent = DecidedRun(tmp_path, paid).criticise(state_of(spent=Spent(tokens=10)))["spent"]
    assert (spent.attempts, spent.tokens, spent.output_tokens, spent.cost) == (1, 17, 4, 0.5)


def test_a_sample_out_of_budget_is_given_up_and_says_which_limit(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path, attempts=1)
    update = run.criticise(state_of())
    assert update["decision"] == REPAIR.model_copy(update={"action": "give_up"})
    assert ended(update).stopped == "1 of 1 attempts are used"


def test_a_sample_that_is_stopped_says_so_in_its_events(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path, attempts=1)
    run.criticise(state_of())
    said = run.events[-1]
    assert (said.event, said.attempt, said.outcome) == ("stopped", 1, Outcome.WRONG)
    assert said.text == "1 of 1 attempts are used"


def test_a_sample_that_is_accepted_is_not_said_to_be_stopped(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path, ACCEPT, attempts=1)
    run.criticise(state_of())
    assert [event.event for event in run.events] == ["stage", "stage"]


def test_a_project_that_comes_again_stops_the_sample(tmp_path: Path) -> None:
    earlier = rows_of(row_of(1, digest=PROJECT.digest), row_of(2, digest="other"))
    update = DecidedRun(tmp_path).criticise(state_of(**earlier))
    assert ended(update).stopped == "the coder returned attempt 1's project again"


def test_attempts_without_a_project_are_not_the_same_project(tmp_path: Path) -> None:
    update = DecidedRun(tmp_path).criticise(state_of(**rows_of(row_of(1)), written=None))
    assert update["attempt"] == 3


@pytest.mark.parametrize(
    ("decision", "text"), [(REPAIR, "repair: the tail differs"), (Decision(action="accept"), "accept")]
)
def test_the_event_tells_the_decision_and_its_reason(tmp_path: Path, decision: Decision, text: str) -> None:
    run = DecidedRun(tmp_path, decision)
    run.criticise(state_of())
    assert [(e.stage, e.status, e.outcome) for e in run.events] == [
        ("criticise", "start", None),
        ("criticise", "done", None),
    ]
    assert run.events[-1].text == text


def test_attempts_that_fail_alike_lead_to_another_plan(tmp_path: Path) -> None:
    update = DecidedRun(tmp_path).criticise(
        state_of(**rows_of(row_of(1, failure="wrong"), row_of(2, failure="wrong")))
    )
    assert update["decision"].action == "replan"
    assert update["history"].rows[-1].action == "replan"
