"""Times say where they come from, also those that earlier versions wrote as `predicted_us`."""

import json
from pathlib import Path
from typing import Any

import pytest

from akgen.bench.record import BenchConfig, Record
from akgen.bench.store import BenchStore
from akgen.graph.store.records import Attempt, Solution
from akgen.tools.core.profile import HasTime, Profile
from akgen.tools.core.toolchain import Launch
from akgen.tools.core.verdict import Verdict

PIPE = {"pipe": "V", "busy_us": 1.0, "stalled_us": 0.0, "idle_us": 3.7, "instructions": 2}
WHAT_IF = {"change": "casts", "duration_us": 4.0, "gain": 0.1, "cores": 8, "fits": True}
SPENT = {"attempts": 1}


def old_profile(toolchain: str) -> dict[str, Any]:
    return {
        "source": "measured" if toolchain.startswith("cann") else "predicted",
        "toolchain": toolchain,
        "duration_us": 4.7,
        "cores": 8,
        "gm_read_bytes": 64,
        "gm_write_bytes": 64,
        "pipes": [PIPE],
        "bound": "latency",
        "roofline_share": 0.4,
        "core_imbalance": 1.0,
        "what_if": [WHAT_IF],
    }


def old_verdict(toolchain: str) -> dict[str, Any]:
    case = {
        "id": "0",
        "outcome": "correct",
        "trials": 3,
        "predicted_us": 4.7,
        "profile": old_profile(toolchain),
    }
    untimed = {"id": "1", "outcome": "trap", "predicted_us": None}
    return {"outcome": "trap", "toolchain": toolchain, "compile_s": 0.2, "cases": [case, untimed]}


def old_solution(toolchain: str) -> dict[str, Any]:
    row = {"number": 1, "outcome": "correct", "predicted_us": 4.7, "action": "accept"}
    candidate = {
        "sample": 0, "outcome": "correct", "best": 1, "predicted_us": 4.7, "attempts": [row], "spent": SPENT,
    }  # fmt: skip
    return {
        "format": 1, "task": "softmax", "outcome": "correct", "toolchain": toolchain, "sample": 0, "attempt": 1,
        "project": None, "predicted_us": 4.7, "verdict": old_verdict(toolchain), "candidates": [candidate],
    }  # fmt: skip


CHAINS = pytest.mark.parametrize(
    ("toolchain", "source"), [("twin 0.1.0 (Ascend910B2)", "predicted"), ("cann 8.0", "measured")]
)


@CHAINS
def test_an_old_verdict_reads_with_its_toolchains_kind_of_time(toolchain: str, source: str) -> None:
    verdict = Verdict.model_validate_json(json.dumps(old_verdict(toolchain)))
    timed, untimed = verdict.cases
    assert (timed.time_us, timed.time_source) == (4.7, source)
    assert (untimed.time_us, untimed.time_source) == (None, None)
    assert verdict.time_source == source


@CHAINS
def test_an_old_profile_keeps_its_forecasts(toolchain: str, source: str) -> None:
    profile = Profile.model_validate_json(json.dumps(old_profile(toolchain)))
    assert (profile.time_us, profile.time_source) == (4.7, source)
    assert profile.what_if[0].duration_us == 4.0


@CHAINS
def test_an_old_attempt_reads(toolchain: str, source: str) -> None:
    old = {
        "number": 1, "sample": 0, "feedback": None, "plan": None, "project": None,
        "verdict": old_verdict(toolchain), "profile": old_profile(toolchain),
        "decision": {"action": "accept", "why": "right"}, "spent": SPENT,
    }  # fmt: skip
    attempt = Attempt.model_validate_json(json.dumps(old))
    assert attempt.verdict.cases[0].time_source == source
    assert attempt.profile is not None and attempt.profile.time_text() == f"4.7 us {source}"


@CHAINS
def test_an_old_result_reads_down_to_the_rows_of_its_attempts(toolchain: str, source: str) -> None:
    solution = Solution.model_validate_json(json.dumps(old_solution(toolchain)))
    (candidate,) = solution.candidates
    assert {t.time_source for t in (solution, candidate, *candidate.attempts)} == {source}
    assert {t.time_us for t in (solution, candidate, *candidate.attempts)} == {4.7}


@CHAINS
def test_an_old_bench_record_reads_with_its_runs_kind_of_time(
    tmp_path: Path, toolchain: str, source: str
) -> None:
    config = BenchConfig(suite="builtin", source="answers", mode="static", toolchain=toolchain, tasks=("a",))
    old = {
        "task": "a", "sample": 0, "level": 1, "category": "x", "outcome": "correct", "predicted_us": 3.0,
        "cases": [{"id": "0", "outcome": "correct", "predicted_us": 3.0}],
    }  # fmt: skip
    store = BenchStore.begin(tmp_path, config)
    store.results_file.write_text(json.dumps(old) + "\n")
    (record,) = store.records()
    assert [(t.time_us, t.time_source) for t in (record, *record.cases)] == [(3.0, source)] * 2


def test_an_old_row_alone_does_not_claim_a_source() -> None:
    old = {"task": "a", "sample": 0, "level": 1, "category": "x", "outcome": "correct", "predicted_us": 3.0}
    record = Record.model_validate(old)
    assert (record.time_us, record.time_source, record.time_text()) == (3.0, None, "3.0 us")


def test_an_old_launch_reads() -> None:
    launch = Launch.model_validate_json('{"outcome": null, "outputs": [], "duration_us": 2.5}')
    assert launch.time_us == 2.5


def test_what_is_written_has_the_name_of_today() -> None:
    verdict = Verdict.model_validate(old_verdict("cann 8.0"))
    written = json.loads(verdict.model_dump_json())
    assert "predicted_us" not in json.dumps(written)
    assert Verdict.model_validate(written) == verdict


@pytest.mark.parametrize(
    ("timed", "text"),
    [
        (HasTime(time_us=4.72, time_source="predicted"), "4.7 us predicted"),
        (HasTime(time_us=4.72, time_source="measured"), "4.7 us measured"),
        (HasTime(), None),
    ],
)
def test_a_text_says_which_kind_of_time_it_is(timed: HasTime, text: str | None) -> None:
    assert timed.time_text() == text
