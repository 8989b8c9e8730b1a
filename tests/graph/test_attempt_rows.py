"""What is kept of an attempt: its row in the sample's history, and everything about it in the run store."""

from pathlib import Path

import pytest

from akgen.graph.state import Profiled
from akgen.graph.store.records import Attempt, AttemptRow
from akgen.tools.core.outcome import Outcome
from tests.graph.deciding import (
    ACCEPT,
    PLAN,
    PLANNED,
    PROFILE,
    PROJECT,
    REPAIR,
    TOLD,
    TUNE,
    WRITTEN,
    DecidedRun,
    row_of,
    rows_of,
    state_of,
    verdict_of,
)


def test_a_row_says_what_was_tried_and_how_it_failed(tmp_path: Path) -> None:
    earlier = row_of(1, failure="trap")
    rows = DecidedRun(tmp_path).criticise(state_of(**rows_of(earlier)))["history"].rows
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
    (row,) = DecidedRun(tmp_path).criticise(state_of(written=None))["history"].rows
    assert (row.digest, row.folder) == (None, None)


def test_a_row_takes_the_geometric_mean_and_its_source(tmp_path: Path) -> None:
    (row,) = (
        DecidedRun(tmp_path, ACCEPT)
        .criticise(state_of(verdict=verdict_of(Outcome.CORRECT, 2.0, 8.0)))["history"]
        .rows
    )
    assert row.time_us == pytest.approx(4.0)
    assert row.time_source == "predicted"
    assert row.failure is None


def test_a_row_without_a_time_has_no_source(tmp_path: Path) -> None:
    (row,) = DecidedRun(tmp_path).criticise(state_of(verdict=verdict_of(Outcome.WRONG, 0.0)))["history"].rows
    assert (row.time_us, row.time_source) == (None, None)


def test_only_a_tuning_row_keeps_what_the_next_attempt_is_to_gain(tmp_path: Path) -> None:
    hopes = [TUNE, TUNE.model_copy(update={"action": "repair"})]
    rows = [DecidedRun(tmp_path / d.action, d).criticise(state_of())["history"].rows[-1] for d in hopes]
    assert [row.hypothesis for row in rows] == [TUNE.hypothesis, None]


def test_a_tuned_attempt_says_what_the_tuning_brought(tmp_path: Path) -> None:
    repaired = (row_of(1), row_of(2, Outcome.CORRECT, 99.0))
    earlier = rows_of(*repaired, row_of(3, Outcome.CORRECT, 16.0, action="tune"))
    state = state_of(**earlier, verdict=verdict_of(Outcome.CORRECT, 8.0))
    assert DecidedRun(tmp_path, ACCEPT).criticise(state)["history"].rows[-1].gain == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("before", "outcome"), [("repair", Outcome.CORRECT), ("tune", Outcome.WRONG)], ids=["repaired", "failed"]
)
def test_an_attempt_brings_no_gain_unless_it_was_tuned_and_is_correct(
    tmp_path: Path, before: str, outcome: Outcome
) -> None:
    earlier = rows_of(row_of(1, Outcome.CORRECT, 16.0, action=before))
    update = DecidedRun(tmp_path, ACCEPT).criticise(state_of(**earlier, verdict=verdict_of(outcome, 8.0)))
    assert update["history"].rows[-1].gain is None


def test_everything_about_an_attempt_is_kept(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    profiled = Profiled(profile=PROFILE, page=Path("timeline.html"))
    told = TOLD.model_copy(update={"text": "what the coder read"})
    update = run.criticise(state_of(feedback=told, profiled=profiled))
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
            verdict=verdict_of(),
            profile=PROFILE,
            page=Path("timeline.html"),
            decision=REPAIR,
            planner_messages=PLANNED.messages,
            coder_messages=WRITTEN.messages,
            spent=update["spent"],
        ),
    )


def test_an_attempt_that_ended_before_its_plan_is_kept_too(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    update = run.criticise(state_of(planned=None, written=None))
    assert run.attempts() == (
        Attempt(
            number=1,
            sample=2,
            feedback=None,
            plan=None,
            project=None,
            verdict=verdict_of(),
            decision=REPAIR,
            spent=update["spent"],
        ),
    )


def test_an_attempt_whose_model_gave_no_code_keeps_the_exchange(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    run.criticise(state_of(written=WRITTEN.model_copy(update={"project": None})))
    (attempt,) = run.attempts()
    assert (attempt.op_type, attempt.kernel) == (None, None)
    assert attempt.coder_messages == WRITTEN.messages
