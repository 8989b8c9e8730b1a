"""The report's fixed JSON shape; what the page makes of it: test_page.py."""

import json
from typing import get_args

import pytest

from akgen.agents.roles import TuningMove
from akgen.bench.metrics import GainCalibration, tuning_steps
from akgen.bench.record import BenchConfig, CaseRow, Record
from akgen.bench.report import Report, report
from akgen.graph.store.records import AttemptRow
from akgen.knowledge.errors import catalogue, class_of, failure_classes
from akgen.tools.core.outcome import Outcome
from akgen.tools.faults.programs import Kind

LEVELS = {"a": 1, "b": 1, "c": 2, "d": 3, "<e>": 3}


def config(suite: str = "builtin", samples: int = 1) -> BenchConfig:
    return BenchConfig(
        suite=suite,
        source="composer",
        mode="dynamic",
        toolchain="twin 0",
        tasks=tuple(LEVELS),
        samples=samples,
    )


def record(
    task: str,
    outcome: Outcome,
    *,
    sample: int = 0,
    why: str = "",
    codes: tuple[str, ...] = (),
    error: str | None = None,
) -> Record:
    cases = (
        ()
        if outcome == Outcome.COMPILE_ERROR
        else (CaseRow(id="0", outcome=outcome, time_us=3.0, time_source="predicted"),)
    )
    return Record(
        task=task,
        sample=sample,
        level=LEVELS[task],
        category="some",
        outcome=None if error else outcome,
        why=why,
        codes=codes,
        cases=cases,
        error=error,
        time_us=3.0,
        time_source="predicted",
        kernel_compile_s=0.2,
    )


RECORDS = [
    record("a", Outcome.CORRECT),
    record("b", Outcome.COMPILE_ERROR, why="API_UNKNOWN: no such API"),
    record("c", Outcome.TRAP, why="case 0: TENSOR_RANGE: too long", codes=("TENSOR_RANGE",)),
    record("<e>", Outcome.WRONG, error="disk </script> full"),
]


def make(samples: int = 1, records: list[Record] = RECORDS) -> Report:
    return report(config(samples=samples), records, LEVELS)


def test_the_json_has_the_fixed_shape() -> None:
    data = json.loads(make().model_dump_json())
    assert {"suite", "source", "mode", "toolchain", "levels"} <= set(data)
    assert data["levels"]["1"] | {"cr": [], "er": []} == {
        "tasks": 2,
        "compiled": 1,
        "solved": 1,
        "failed": [{"task": "b", "outcome": "compile_error", "why": "API_UNKNOWN: no such API"}],
        "not_run": [],
        "cr": [],
        "er": [],
        "cases": 1,
        "cases_correct": 1,
        "most_used": None,
        "processor_s": None,
    }
    assert data["levels"]["2"]["failed"][0]["outcome"] == "trap"


def test_a_task_without_an_outcome_is_neither_failed_nor_solved() -> None:
    level = make().levels["3"]
    assert (level.tasks, level.solved, level.failed, level.not_run) == (2, 0, (), ("d",))
    assert [(e.task, e.why) for e in make().errors] == [("<e>", "disk </script> full")]


def test_what_was_used_is_a_share_of_our_tolerance_where_that_decides() -> None:
    rows = (
        CaseRow(id="0", outcome=Outcome.CORRECT, max_used=0.4),
        CaseRow(id="1", outcome=Outcome.CORRECT, max_used=94.47, own_checker="pass"),
        CaseRow(id="2", outcome=Outcome.WRONG, max_used=7.0),
    )
    made = record("a", Outcome.CORRECT).model_copy(update={"cases": rows})
    assert make(records=[made]).levels["1"].most_used == 0.4


def test_right_numbers_with_a_finding_are_not_solved() -> None:
    level = make(
        records=[record("c", Outcome.CORRECT, codes=("QUEUE_STATE",), why="QUEUE_STATE: leak")]
    ).levels["2"]
    assert level.solved == 0
    assert level.failed[0].why == "QUEUE_STATE: leak"


def test_one_good_sample_solves_a_task_and_rates_follow_k() -> None:
    records = [record("a", Outcome.CORRECT if s == 1 else Outcome.WRONG, sample=s) for s in range(5)]
    level = make(samples=5, records=records).levels["1"]
    assert level.solved == 1
    assert [(r.k, round(r.value, 6)) for r in level.er] == [(1, 0.2), (5, 1.0)]


def test_the_weighted_score_is_npukernelbenchs_alone_and_of_whole_runs() -> None:
    right = [record(t, Outcome.CORRECT) for t in LEVELS]
    assert report(config("npukb"), right, LEVELS).score == 1.0
    assert report(config("npukb"), right[:-1], LEVELS).score is None
    assert report(config("builtin"), right, LEVELS).score is None


def test_fix_rates_count_what_the_next_attempt_made_of_a_failure() -> None:
    courses = (("A", "A", "B", "correct"), ("A", "correct"), ("B",), ())
    records = [
        record("a", Outcome.CORRECT, sample=n).model_copy(update={"course": course})
        for n, course in enumerate(courses)
    ]
    found = report(config(samples=4), records, LEVELS)
    assert {c: (r.met, r.gone, r.solved) for c, r in found.repairs.items()} == {
        "A": (3, 2, 1),
        "B": (1, 1, 1),
    }


def test_predicted_and_actual_gains_are_compared_by_kind_of_change() -> None:
    def row(number: int, us: float | None, kind: str | None, gain: float = 0.0) -> AttemptRow:
        return AttemptRow(
            number=number,
            outcome=Outcome.CORRECT if us else Outcome.WRONG,
            time_us=us,
            failure=None if us else "mismatch",
            hypothesis=TuningMove(kind=kind, predicted_gain=gain) if kind else None,
        )

    rows = (row(1, 10.0, "casts", 0.5), row(2, 8.0, "balance", 0.1), row(3, None, None))
    kept = record("a", Outcome.CORRECT).model_copy(update={"tuning": tuning_steps(rows)})
    again = record("b", Outcome.CORRECT).model_copy(
        update={"tuning": tuning_steps((row(1, 10.0, "casts", 0.1), row(2, 10.0, None)))}
    )
    found = report(config(), [kept, again], LEVELS)
    casts = found.tuning["casts"]
    assert (casts.tried, casts.broke, casts.predicted) == (2, 0, pytest.approx(0.3))
    assert (casts.actual, casts.off) == (pytest.approx(0.1), pytest.approx(0.2))
    assert found.tuning["balance"] == GainCalibration(tried=1, broke=1, predicted=0.1, actual=None)


def test_records_are_taken_apart_by_category_dtype_shape_and_class_of_failure() -> None:
    half = CaseRow(id="0", outcome=Outcome.CORRECT, dtype="float16")
    full = CaseRow(id="1", outcome=Outcome.WRONG, dtype="float32")
    records = [
        record("a", Outcome.CORRECT).model_copy(update={"cases": (half,), "drawn": Outcome.CORRECT}),
        record("b", Outcome.WRONG).model_copy(
            update={"cases": (half, full), "cause": "axis", "category": "other"}
        ),
        record("c", Outcome.COMPILE_ERROR, codes=("WRONG_ARITY", "UNDECLARED")),
        record("d", Outcome.TIMEOUT),
        record("<e>", Outcome.WRONG, error="disk full"),
    ]
    found = make(records=records)
    assert {n: (g.good, g.total) for n, g in found.categories.items()} == {"other": (0, 1), "some": (1, 3)}
    assert {n: (g.good, g.total) for n, g in found.dtypes.items()} == {
        "float16": (2, 2), "float32": (0, 1), "not named": (0, 1),
    }  # fmt: skip
    assert {n: (g.good, g.total) for n, g in found.shapes.items()} == {"listed": (2, 4), "drawn": (1, 1)}
    assert found.failures == {"api": {"WRONG_ARITY": 1}, "limit": {"timeout": 1}, "numeric": {"axis": 1}}
    assert [(r.k, r.value) for r in found.er] == [(1, 0.25)]
    assert found.per_solved.solved == 1


def test_families_that_no_model_of_ours_is_trained_on_stand_apart_in_the_built_in_suite() -> None:
    seen, loss = record("a", Outcome.CORRECT), record("b", Outcome.WRONG)
    records = [seen, loss.model_copy(update={"category": "loss"})]
    found = report(config().model_copy(update={"suite": "builtin"}), records, LEVELS).families
    assert {n: (g.good, g.total) for n, g in found.items()} == {"held_out": (0, 1), "not_held_out": (1, 1)}
    assert report(config().model_copy(update={"suite": "npukb"}), records, LEVELS).families == {}


def test_what_repair_brings_is_the_share_solved_by_each_attempt() -> None:
    courses = (("correct",), ("A", "correct", "correct"), ("A", "B", "correct"), ("A", "B", "C"))
    records = [
        record("a", Outcome.CORRECT if "correct" in c else Outcome.WRONG, sample=n).model_copy(
            update={"course": c}
        )
        for n, c in enumerate(courses)
    ]
    found = report(config(samples=4), records, LEVELS).solved_by
    assert [(r.k, r.value) for r in found] == [(1, 0.25), (2, 0.5), (3, 0.75)]


def test_every_code_of_the_catalogue_has_one_class_and_faults_are_put_in_by_the_same_ones() -> None:
    coded = [code for found in failure_classes().values() for code in found.codes]
    assert sorted(coded) == sorted(catalogue())
    outcomes = {o for found in failure_classes().values() for o in found.outcomes}
    assert outcomes | {"correct", "trap", "compile_error", "tiling_error"} >= set(Outcome)
    assert set(get_args(Kind)) <= set(failure_classes())
    assert class_of("TENSOR_RANGE", "trap") == "memory"
    assert class_of(None, "wrong") == "numeric"
