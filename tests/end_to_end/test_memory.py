"""`--memory`: what one task's repair taught helps another task's coder, and nothing of it is seen without."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
Script = Callable[..., Path]
WRONG_CALL = ("Adds(", "AddScalars(")  # a compile error, mended by the second answer
RIGHT = ("", "")
HEADING = "# What helped in other kernels"


def _other_task(add_one: Path, script: Path) -> tuple[Path, Path]:
    """Return the same task and script under another name: memory never shows a task its own past."""
    task = shutil.copytree(add_one, add_one.parent / "shift_one")
    other = script.with_name("other.jsonl")
    other.write_text(script.read_text().replace("add_one", "shift_one").replace("AddOne", "ShiftOne"))
    return task, other


def _prompts(run: Path) -> list[str]:
    """Return what the coder was asked, attempt by attempt."""
    attempts = json.loads(next(run.glob("tasks/*/sample-0/attempts.json")).read_text())
    return [next(m["content"] for m in a["coder_messages"] if m["role"] == "user") for a in attempts]


@pytest.mark.slow
def test_a_repair_that_was_verified_helps_another_task(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    path = script(WRONG_CALL, RIGHT)
    first = akgen("solve", add_one, "--model", f"scripted:{path}", "--memory", "--out", "first")
    assert first.code == 0, first.out + first.err
    assert "memory: on; 0 experiences shown, 0 of them to an attempt that succeeded; 1 learnt" in first.out
    assert HEADING not in "".join(_prompts(tmp_path / "first"))

    task, other = _other_task(add_one, path)
    second = akgen("solve", task, "--model", f"scripted:{other}", "--memory", "--out", "second")
    assert second.code == 0, second.out + second.err
    begin, repair = _prompts(tmp_path / "second")
    assert HEADING not in begin  # nothing went wrong yet
    shown = repair.partition(HEADING)[2]
    assert "UNKNOWN_API" in shown and "-        AddScalars(" in shown and "+        Adds(" in shown
    assert "1 experiences shown, 1 of them to an attempt that succeeded; 0 learnt" in second.out
    (report,) = akgen("show", "second", "--json").document["tasks"]
    assert report["memory"] == {"learnt": [], "shown": 1, "helped": 1}
    (kept,) = [s for s in report["samples"][0]["attempts"][1]["shown"] if s["kind"] == "experience"]
    assert 0 < kept["tokens"] <= 900

    without = akgen("solve", task, "--model", f"scripted:{other}", "--out", "third")
    assert without.code == 0 and "memory" not in without.out
    assert HEADING not in "".join(_prompts(tmp_path / "third"))


@pytest.mark.slow
def test_a_benchmark_says_that_its_tasks_were_not_independent(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    suite = tmp_path / "suite"
    shutil.copytree(add_one, suite / "add_one")
    given = ("bench", "run", suite, "--source", "model", "--model", f"scripted:{script(WRONG_CALL, RIGHT)}")
    ended = akgen(*given, "--attempts", "2", "--trials", "1", "--memory", "--out", "on")
    assert "memory: on" in ended.out, ended.out + ended.err
    assert akgen("bench", "report", "on", "--json").document["memory"] is True
    learnt = json.loads(next((tmp_path / "on").glob("tasks/*/memory.json")).read_text())["learnt"]
    assert len(learnt) == 1
    assert (tmp_path / "runs" / "memory.sqlite").is_file()


def test_what_was_not_verified_is_not_learnt(akgen: Akgen, add_one: Path, script: Script) -> None:
    path = script(WRONG_CALL, ("static_cast<T>(1)", "static_cast<T>(2)"))
    ended = akgen("solve", add_one, "--model", f"scripted:{path}", "--memory", "--attempts", "2")
    assert ended.code == 1 and "0 learnt" in ended.out
