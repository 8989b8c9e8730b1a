"""A suite through a model: every sample ends in a stated outcome, and what it cost adds up from call to report."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
Script = Callable[..., Path]
INVENTED, WRONG, RIGHT = ("Adds(", "AddScalar("), ("static_cast<T>(1)", "static_cast<T>(2)"), ("", "")


@pytest.mark.slow
def test_tokens_and_cost_add_up_from_calls_to_samples_to_the_report(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script(INVENTED, RIGHT, WRONG, "I would rather not.", input_tokens=50, output_tokens=7)
    lines = [json.loads(line) for line in model.read_text().splitlines()]
    for line, (sample, attempt) in zip(lines[1:], ((0, 1), (0, 2), (1, 1), (1, 2)), strict=True):
        line.update(sample=sample, attempt=attempt)
    model.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = tmp_path / "run"
    options = (
        "--source",
        "model",
        "--model",
        f"scripted:{model.relative_to(tmp_path)}",  # workers are elsewhere
        "--samples",
        "2",
        "--attempts",
        "2",
        "--parallel",
        "2",
    )
    ended = akgen("bench", "run", add_one.parent, *options, "--price", "10,100", "--out", run, "--json")
    assert ended.code == 0, ended.err
    report = ended.document
    records = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    calls = [json.loads(line) for line in (run / "calls.jsonl").read_text().splitlines()]
    assert [r["outcome"] for r in records] == ["correct", "wrong"]
    assert len(calls) == 5  # one request for both plans, then each sample's two projects
    for name in ("input_tokens", "output_tokens", "cost"):
        assert sum(r[name] for r in records) == pytest.approx(sum(c[name] for c in calls)), name
        assert report[name] == pytest.approx(sum(c[name] for c in calls)), name
    assert (report["input_tokens"], report["output_tokens"]) == (6 * 50, 6 * 7)
    assert report["cost"] == pytest.approx((6 * 50 * 10 + 6 * 7 * 100) / 1e6)
