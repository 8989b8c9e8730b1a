"""What commands print with --json and what runs leave is JSON to any parser: no NaN, no Infinity."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
Script = Callable[..., Path]
ONE = "static_cast<T>(1)"
NAN, INFINITE, RIGHT = (ONE, "static_cast<T>(0.0f / 0.0f)"), (ONE, "static_cast<T>(1.0f / 0.0f)"), ("", "")


def strictly(text: str) -> Any:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def run(akgen: Akgen, add_one: Path, script: Script, tmp_path: Path) -> Path:
    """Leave a run: an output of NaN, one of infinities, a right one."""
    folder = tmp_path / "run"
    ended = akgen(
        "solve", add_one, "--model", f"scripted:{script(NAN, INFINITE, RIGHT)}", "--out", folder, "--json"
    )
    assert ended.code == 0, ended.err
    assert strictly(ended.out)["outcome"] == "correct"
    return folder


def test_a_run_with_nan_and_infinities_is_json_in_every_file(akgen: Akgen, run: Path) -> None:
    store = (
        p
        for p in run.rglob("*")
        if not {"build", "test", "profile", "project"} & set(p.relative_to(run).parts)
    )
    files = [p for p in store if p.suffix in (".json", ".jsonl")]
    assert {"attempts.json", "result.json", "events.jsonl"} <= {p.name for p in files}
    for path in files:
        for text in path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
            strictly(text)
    attempts = strictly((run / "tasks/add_one/sample-0/attempts.json").read_text())
    for attempt in attempts[:2]:
        case = attempt["verdict"]["cases"][0]
        assert case["outcome"] == "wrong"
        assert (case["max_abs"], case["mismatch"]["max_rel"]) == (None, None)
    assert strictly(akgen("show", run, "--json").out)["tasks"]


def test_what_is_exported_from_it_is_json(akgen: Akgen, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "dpo.jsonl"
    assert strictly(akgen("harvest", "export", run, "--format", "dpo", "--out", out, "--json").out)["records"]
    assert [strictly(line)["rejected_pattern"] for line in out.read_text().splitlines()] == ["nan", "nan"]


def test_a_verdict_over_nan_is_json(akgen: Akgen, run: Path, add_one: Path) -> None:
    project = run / "tasks/add_one/sample-0/attempt-1/project"
    ended = akgen("eval", project, "--task", add_one, "--json")
    document = strictly(ended.out)
    assert ended.code == 1 and document["outcome"] == "wrong"
    assert document["cases"][0]["mismatch"]["max_abs"] is None


def test_people_read_that_nothing_can_be_compared(akgen: Akgen, run: Path, add_one: Path) -> None:
    attempt = strictly((run / "tasks/add_one/sample-0/attempts.json").read_text())[0]
    assert "no element can be compared" in attempt["decision"]["feedback"]["text"]
