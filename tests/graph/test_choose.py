"""Which attempt stands for its sample, and which sample wins."""

from itertools import pairwise
from pathlib import Path

import pytest

from akgen.agents.budget import Spent
from akgen.graph.store.records import Attempt, SampleRecord, Solution
from akgen.tools.core.outcome import Outcome
from tests.graph.deciding import (
    ACCEPT,
    GIVE_UP,
    PLAN,
    PROFILE,
    DecidedRun,
    ended,
    row_of,
    rows_of,
    state_of,
    verdict_of,
)


def test_a_sample_is_recorded_with_its_attempts_and_what_it_spent(tmp_path: Path) -> None:
    update = DecidedRun(tmp_path, ACCEPT).criticise(state_of(verdict=verdict_of(Outcome.CORRECT, 1.0)))
    assert ended(update) == SampleRecord(
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
    update = DecidedRun(tmp_path, GIVE_UP).criticise(
        state_of(**rows_of(row_of(1, further)), verdict=verdict_of(behind))
    )
    assert (ended(update).best, ended(update).outcome) == (1, further)


def test_of_correct_attempts_the_fastest_stands_for_its_sample(tmp_path: Path) -> None:
    earlier = rows_of(row_of(1, Outcome.CORRECT, 5.0), row_of(2, Outcome.CORRECT, 9.0))
    state = state_of(**earlier, verdict=verdict_of(Outcome.CORRECT, 7.0))
    assert ended(DecidedRun(tmp_path, ACCEPT).criticise(state)).best == 1


def test_an_attempt_with_a_time_goes_before_one_without(tmp_path: Path) -> None:
    earlier = rows_of(row_of(1, Outcome.CORRECT, 5.0))
    state = state_of(**earlier, verdict=verdict_of(Outcome.CORRECT))
    assert ended(DecidedRun(tmp_path, ACCEPT).criticise(state)).best == 1


def test_of_equal_attempts_the_last_stands_for_its_sample(tmp_path: Path) -> None:
    state = state_of(**rows_of(row_of(1), row_of(2)))
    assert ended(DecidedRun(tmp_path, GIVE_UP).criticise(state)).best == 3


def _sample(
    run: DecidedRun,
    number: int,
    time_us: float | None,
    outcome: Outcome = Outcome.CORRECT,
    stopped: str | None = None,
) -> SampleRecord:
    """Store a sample of two attempts, the second of which stands for it."""
    rows = (row_of(1), row_of(2, outcome, time_us))
    for row in rows:
        run.task.sample(number).save_attempt(
            Attempt(
                number=row.number,
                sample=number,
                feedback=None,
                plan=PLAN,
                project=Path(f"sample-{number}/attempt-{row.number}/project"),
                verdict=verdict_of(row.outcome),
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
    run = DecidedRun(tmp_path)
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
        verdict=verdict_of(Outcome.CORRECT),
        profile=PROFILE,
        page=Path("timeline.html"),
        why="all cases correct",
        candidates=(slow, fast),
    )


def test_the_solution_is_kept_as_it_is_returned(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    assert run.choose(_sample(run, 0, 9.0)) == run.task.solution()


def test_a_correct_sample_wins_over_a_failed_one_that_is_faster(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    failed, correct = _sample(run, 0, 1.0, Outcome.WRONG), _sample(run, 1, 9.0)
    assert run.choose(failed, correct).sample == 1


def test_of_equal_samples_the_first_wins(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    first, second = _sample(run, 0, 5.0), _sample(run, 1, 5.0)
    assert run.choose(second, first).sample == 0


def test_a_sample_that_was_stopped_says_why_in_the_solution(tmp_path: Path) -> None:
    run = DecidedRun(tmp_path)
    record = _sample(run, 0, None, Outcome.WRONG, "4 of 4 attempts are used")
    assert run.choose(record).why == "4 of 4 attempts are used"
