"""Repair is seen to work: a model that errs in four ways is told what is wrong and ends with a right kernel."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
Script = Callable[..., Path]

INVENTED = ("Adds(", "AddScalar(")
FORGETS_ENQUE = ("        inQueue_.EnQue(x);\n", "")
UNALIGNED = ("DataCopyPad(yGm_[offset], y, rows);", "DataCopy(yGm_[offset], y, count);")
WRONG = ("static_cast<T>(1)", "static_cast<T>(2)")
RIGHT = ("", "")


def _attempts(run: Path) -> list[dict[str, Any]]:
    attempts: list[dict[str, Any]] = json.loads(
        (run / "tasks" / "add_one" / "sample-0" / "attempts.json").read_text()
    )
    return attempts


@pytest.mark.parametrize(
    ("fault", "outcome", "code", "remedy"),
    [
        (FORGETS_ENQUE, "trap", "QUEUE_STATE", "EnQue"),
        # A device tolerates it: the numbers decide, and the finding still says why they are wrong.
        (UNALIGNED, "wrong", "COPY_LENGTH", "DataCopyPad"),
    ],
    ids=["forgets EnQue", "copies an unaligned length"],
)
def test_four_attempts_lead_to_a_right_kernel(
    akgen: Akgen,
    add_one: Path,
    script: Script,
    tmp_path: Path,
    fault: tuple[str, str],
    outcome: str,
    code: str,
    remedy: str,
) -> None:
    model = script(INVENTED, fault, WRONG, RIGHT)
    run = tmp_path / "run"
    ended = akgen("solve", add_one, "--model", f"scripted:{model}", "--out", run, "--seed", "1", "--json")
    assert ended.code == 0, ended.err
    assert ended.document["outcome"] == "correct"
    attempts = _attempts(run)
    assert [a["verdict"]["outcome"] for a in attempts] == ["compile_error", outcome, "wrong", "correct"]
    assert [a["decision"]["action"] for a in attempts] == ["repair", "repair", "repair", "accept"]
    told = [" ".join(a["feedback"]["text"].split()) for a in attempts[1:]]
    assert "AddScalar: no such API" in told[0] and "Nearest interface that exists: Adds(" in told[0]
    assert code in told[1] and "Remedy:" in told[1] and remedy in told[1]
    assert "op_kernel/add_one.cpp:" in told[1]
    assert "pattern all" in told[2] and "Remedy:" in told[2]
    for attempt, feedback in zip(attempts[1:], told, strict=True):
        assert feedback in " ".join(attempt["coder_messages"][1]["content"].split())


def test_a_person_sees_one_line_per_stage_as_it_ends(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script(WRONG, RIGHT)
    ended = akgen("solve", add_one, "--model", f"scripted:{model}", "--out", tmp_path / "run")
    assert ended.code == 0, ended.err
    lines = [line for line in ended.out.splitlines() if line.startswith("attempt ")]
    assert [line.split()[:3] for line in lines] == [
        ["attempt", "1", stage] for stage in ("plan", "write", "compile", "test", "criticise")
    ] + [["attempt", "2", stage] for stage in ("write", "compile", "test", "profile", "criticise")]
    assert "kernel project:" in ended.out and "judged on twin" in ended.out


def test_a_run_that_is_out_of_attempts_fails_and_keeps_them(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script(INVENTED, WRONG)
    run = tmp_path / "run"
    ended = akgen("solve", add_one, "--model", f"scripted:{model}", "--out", run, "--attempts", "2", "--json")
    assert ended.code == 1
    assert ended.document["outcome"] == "wrong"
    assert [a["verdict"]["outcome"] for a in _attempts(run)] == ["compile_error", "wrong"]
    shown = akgen("show", run, "--feedback")
    assert shown.code == 0 and "AddScalar" in shown.out


def test_a_coder_that_repeats_itself_is_stopped(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script(WRONG, WRONG, RIGHT)
    run = tmp_path / "run"
    ended = akgen("solve", add_one, "--model", f"scripted:{model}", "--out", run, "--json")
    assert ended.code == 1
    assert "returned attempt 1's project again" in ended.document["why"]
    assert len(_attempts(run)) == 2


def test_a_plan_that_never_fits_gives_way_to_the_composers_and_a_reply_without_code_is_an_attempt(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script(RIGHT)
    lines = [json.loads(line) for line in model.read_text().splitlines()]
    too_big = {**json.loads(lines[0]["text"]), "block_dim": 4000}
    lines = [
        {"role": "planner", "attempt": 1, "text": json.dumps(too_big)},
        {"role": "coder", "attempt": 1, "text": "Of course! I would use Adds."},
        {**lines[1], "attempt": 2},
    ]
    model.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = tmp_path / "run"
    ended = akgen("solve", add_one, "--model", f"scripted:{model}", "--out", run, "--json")
    assert ended.code == 0, ended.err
    attempts = _attempts(run)
    assert attempts[0]["plan"]["origin"] == "composer, for want of the model's"
    assert sum("asks for 4000 cores" in m["content"] for m in attempts[0]["planner_messages"]) == 2
    assert [a["verdict"]["outcome"] for a in attempts] == ["no_code", "correct"]
    assert "holds no code block" in attempts[1]["feedback"]["text"]
