"""Candidates side by side: the best correct one wins."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Akgen = Callable[..., Any]
Script = Callable[..., Path]
RIGHT, WRONG = ("", ""), ("static_cast<T>(1)", "static_cast<T>(2)")
SLOW = ("tileLength_ = tileLength;", "tileLength_ = 16;")  # many short copies instead of one


def _per_sample(model: Path, *samples: int) -> Path:
    """Give the script's coder lines to these samples, one each."""
    lines = [json.loads(line) for line in model.read_text().splitlines()]
    coders = iter(samples)
    for line in lines:
        if line["role"] == "coder":
            line.update(sample=next(coders), attempt=1)
    model.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return model


def _solve(akgen: Akgen, task: Path, model: Path, run: Path) -> dict[str, Any]:
    arguments = ("solve", task, "--model", f"scripted:{model}", "--out", run, "--seed", "1", "--json")
    ended = akgen(*arguments, "--samples", "3", "--parallel", "3", "--attempts", "1")
    assert ended.code == 0, ended.err
    document: dict[str, Any] = ended.document
    return document


def test_the_fastest_correct_candidate_wins(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = _per_sample(script(SLOW, RIGHT, WRONG), 0, 1, 2)
    result = _solve(akgen, add_one, model, tmp_path / "run")
    assert [c["outcome"] for c in result["candidates"]] == ["correct", "correct", "wrong"]
    slow, fast, _ = (c["time_us"] for c in result["candidates"])
    assert fast < slow
    assert result["sample"] == 1
    assert "sample-1" in result["project"]


def test_every_candidate_keeps_its_own_folder(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = _per_sample(script(SLOW, RIGHT, WRONG), 0, 1, 2)
    _solve(akgen, add_one, model, tmp_path / "run")
    task = tmp_path / "run" / "tasks" / "add_one"
    kernels = [(task / f"sample-{n}/attempt-1/project/op_kernel/add_one.cpp").read_text() for n in range(3)]
    assert len(set(kernels)) == 3
    for n in range(3):
        events = (task / f"sample-{n}/events.jsonl").read_text().splitlines()
        assert {json.loads(line)["sample"] for line in events} == {n}
