"""A recorded run goes the same way again, byte for byte, without its model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Akgen = Callable[..., Any]
Script = Callable[..., Path]
INVENTED, WRONG, RIGHT = ("Adds(", "AddScalar("), ("static_cast<T>(1)", "static_cast<T>(2)"), ("", "")


def _record(akgen: Akgen, task: Path, model: Path, run: Path) -> None:
    options = ("--out", run, "--budget", "wall=900,tokens=90000", "--price", "1,2")
    ended = akgen("solve", task, "--model", f"scripted:{model}", *options)
    assert ended.code == 0, ended.err


def test_a_run_replays_bit_for_bit_without_its_model(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script(INVENTED, WRONG, RIGHT, input_tokens=40, output_tokens=7)
    run, again = tmp_path / "run", tmp_path / "again"
    _record(akgen, add_one, model, run)
    model.unlink()
    ended = akgen("replay", run, "--out", again, "--json")
    assert ended.code == 0, ended.out + ended.err
    assert (ended.document["attempts"], ended.document["different"]) == (3, [])
    for attempt in (1, 2, 3):
        place = f"tasks/add_one/sample-0/attempt-{attempt}/project/op_kernel/add_one.cpp"
        assert (again / place).read_bytes() == (run / place).read_bytes()
    totals = [json.loads(akgen("show", folder, "--json").out)["usage"] for folder in (run, again)]
    assert totals[0] == totals[1]
    assert (totals[0]["input_tokens"], totals[0]["output_tokens"]) == (160, 28)
    assert abs(totals[0]["cost"] - (160 + 2 * 28) / 1e6) < 1e-12


def test_a_reply_that_was_changed_is_told_by_the_replay(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    _record(akgen, add_one, script(RIGHT), run)
    for path in (run / "calls").glob("*.json"):
        path.write_text(path.read_text().replace("static_cast<T>(1)", "static_cast<T>(3)"))
    ended = akgen("replay", run, "--json")
    assert ended.code == 1
    asked, where = ended.document["different"][:2]  # a repair that nobody had asked for, and why
    assert "no reply to this request" in asked
    assert where == "add_one, sample 0, attempt 1"
