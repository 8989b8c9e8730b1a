"""Kill -9 at every stage, then go on: the same final result, and nothing is paid twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
Script = Callable[..., Path]
PAUSED_RUN = Path(__file__).with_name("paused_run.py")
WRONG, RIGHT = ("static_cast<T>(1)", "static_cast<T>(2)"), ("", "")
STAGES = [
    ("plan", 1),
    ("write", 2),
    ("compile", 2),
    ("test", 2),
    ("profile", 2),
    ("criticise", 1),
    ("criticise", 2),
]
PAID = {
    ("plan", "1"), ("write", "1"), ("compile", "1"), ("test", "1"), ("criticise", "1"),
    ("write", "2"), ("compile", "2"), ("test", "2"), ("profile", "2"), ("criticise", "2"),
}  # fmt: skip
GIVEN_UP_AFTER_S = 240.0


def _start(run: Path, model: Path, task: Path, *halt: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, str(PAUSED_RUN), str(run), str(model), str(task), *halt],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.PIPE,
    )


def _finish(run: Path, model: Path, task: Path) -> dict[str, Any]:
    with _start(run, model, task) as process:
        _, said = process.communicate(timeout=GIVEN_UP_AFTER_S)
    assert process.returncode == 0, said.decode()
    result: dict[str, Any] = json.loads((run / "tasks" / "add_one" / "result.json").read_text())
    return result


def _kill_when_standing(process: "subprocess.Popen[bytes]", run: Path) -> None:
    deadline = time.monotonic() + GIVEN_UP_AFTER_S
    while not (run / "standing").exists():
        assert process.poll() is None, process.stderr.read().decode() if process.stderr else ""
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stderr:
        process.stderr.close()


def _essence(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without the times that two runs cannot share."""
    (candidate,) = result["candidates"]
    rows = [{k: v for k, v in row.items() if k != "why"} for row in candidate["attempts"]]
    cases = [{k: v for k, v in c.items() if k != "profile"} for c in result["verdict"]["cases"]]
    return {
        **{k: result[k] for k in ("outcome", "attempt", "project", "time_us")},
        "rows": rows,
        "cases": cases,
    }


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    """Hold the result of a run that nobody killed, once it is known."""
    return {}


@pytest.mark.parametrize("when", ["during", "done"])
@pytest.mark.parametrize(("stage", "attempt"), STAGES)
def test_a_killed_run_goes_on_to_the_same_result_and_pays_nothing_twice(
    add_one: Path,
    script: Script,
    tmp_path: Path,
    undisturbed: dict[str, Any],
    stage: str,
    attempt: int,
    when: str,
) -> None:
    model, run = script(WRONG, RIGHT), tmp_path / "run"
    _kill_when_standing(_start(run, model, add_one, stage, str(attempt), when), run)
    result = _finish(run, model, add_one)
    if not undisturbed:
        undisturbed.update(_essence(_finish(tmp_path / "calm", model, add_one)))
    assert _essence(result) == undisturbed
    notes = [json.loads(line) for line in (run / "paid.jsonl").read_text().splitlines()]
    ended = Counter((n["stage"], n["attempt"]) for n in notes if n["what"] == "end")
    begun = Counter((n["stage"], n["attempt"]) for n in notes if n["what"] == "begin")
    assert ended == Counter(PAID)
    assert begun == Counter(PAID) + Counter([(stage, str(attempt))] if when == "during" else [])
