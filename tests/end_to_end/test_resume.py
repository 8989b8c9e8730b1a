"""Kill -9 at every stage, then go on: the same final result, and nothing is paid twice."""

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end import paused_run
from tests.sampled import sampled

Akgen = Callable[..., Any]
Script = Callable[..., Path]
PAUSED_RUN = Path(paused_run.__file__)
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


class Forks:
    """Runs in processes of their own, which end where a test kills them."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, str(PAUSED_RUN)],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # a line that waits in a buffer would not wake `select`
        )

    def kill_when_standing(self, run: Path, model: Path, task: Path, *halt: str) -> None:
        """Start a run and kill its process where `halt` says."""
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps([str(run), str(model), str(task), *halt]).encode() + b"\n")
        self._server.stdin.flush()
        process = int(self._line())
        assert self._line() == "standing"
        os.kill(process, signal.SIGKILL)
        assert self._line() == "ended"

    def _line(self) -> str:
        assert self._server.stdout is not None
        ready, _, _ = select.select([self._server.stdout], [], [], GIVEN_UP_AFTER_S)
        assert ready, "nothing was said"
        return self._server.stdout.readline().decode().strip()

    def close(self) -> None:
        self._server.kill()
        self._server.communicate()


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    made = Forks()
    yield made
    made.close()


def _finish(run: Path, model: Path, task: Path) -> dict[str, Any]:
    paused_run.main(run, model, str(task), None)
    result: dict[str, Any] = json.loads((run / "tasks" / "add_one" / "result.json").read_text())
    return result


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


@pytest.mark.parametrize(
    ("stage", "attempt", "when"), sampled([(*s, when) for s in STAGES for when in ("during", "done")], 12)
)
def test_a_killed_run_goes_on_to_the_same_result_and_pays_nothing_twice(
    add_one: Path,
    script: Script,
    tmp_path: Path,
    forks: Forks,
    undisturbed: dict[str, Any],
    stage: str,
    attempt: int,
    when: str,
) -> None:
    model, run = script(WRONG, RIGHT), tmp_path / "run"
    forks.kill_when_standing(run, model, add_one, stage, str(attempt), when)
    result = _finish(run, model, add_one)
    if not undisturbed:
        undisturbed.update(_essence(_finish(tmp_path / "calm", model, add_one)))
    assert _essence(result) == undisturbed
    notes = [json.loads(line) for line in (run / "paid.jsonl").read_text().splitlines()]
    ended = Counter((n["stage"], n["attempt"]) for n in notes if n["what"] == "end")
    begun = Counter((n["stage"], n["attempt"]) for n in notes if n["what"] == "begin")
    assert ended == Counter(PAID)
    assert begun == Counter(PAID) + Counter([(stage, str(attempt))] if when == "during" else [])
