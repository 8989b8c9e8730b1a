"""Training data from a recorded run loads with `datasets` and holds what the run did."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.finetune.training.preferences import read_preferences

Akgen = Callable[..., Any]
Script = Callable[..., Path]
WRONG, RIGHT = ("static_cast<T>(1)", "static_cast<T>(2)"), ("", "")
INVENTED = ("Adds(", "AddScalar(")


@pytest.fixture
def run(akgen: Akgen, add_one: Path, script: Script, tmp_path: Path) -> Path:
    """Leave a run: does not compile, wrong, right."""
    folder = tmp_path / "run"
    ended = akgen("solve", add_one, "--model", f"scripted:{script(INVENTED, WRONG, RIGHT)}", "--out", folder)
    assert ended.code == 0, ended.err
    return folder


def _export(akgen: Akgen, run: Path, form: str, out: Path) -> tuple[dict[str, Any], Any]:
    import datasets

    ended = akgen("harvest", "export", run, "--format", form, "--out", out, "--json")
    assert ended.code == 0, ended.err
    table = datasets.load_dataset(
        "json", data_files=str(out), split="train", cache_dir=str(out.parent / "cache")
    )
    return ended.document, table


def test_both_formats_load_with_datasets(akgen: Akgen, run: Path, tmp_path: Path) -> None:
    written, sft = _export(akgen, run, "sft", tmp_path / "sft.jsonl")
    assert (written["records"], written["left_out"]) == (1, {"not correct": 2})
    record = sft[0]
    assert [m["role"] for m in (*record["prompt"], *record["completion"])] == ["system", "user", "assistant"]
    assert "What became of attempt 2" in record["prompt"][1]["content"]  # the feedback it had
    assert record["think"] == "I know this one."
    assert record["completion"][0]["content"] == f"<think>\n{record['think']}\n</think>\n\n{record['answer']}"
    assert "================== op_kernel/add_one.cpp ==================" in record["answer"]
    assert (record["task"], record["attempt"], record["repaired"]) == ("add_one", 3, True)

    written, dpo = _export(akgen, run, "dpo", tmp_path / "dpo.jsonl")
    assert (written["records"], written["left_out"]) == (1, {"neither correct nor wrong": 1})
    pair = dpo[0]
    assert "static_cast<T>(1)" in pair["chosen"][0]["content"]
    assert "static_cast<T>(2)" in pair["rejected"][0]["content"]
    assert pair["rejected_pattern"] == "all"
    assert "What became of" not in pair["prompt"][1]["content"]


def test_a_runs_preferences_are_what_a_trainer_reads(akgen: Akgen, run: Path, tmp_path: Path) -> None:
    ended = akgen("train", "mine", run, tmp_path / "preferences.jsonl", "--json")
    assert (ended.code, ended.document["preferences"], ended.document["faster"]) == (0, 1, 0)
    (one,) = read_preferences(tmp_path / "preferences.jsonl")
    row = one.row()
    assert [m["role"] for m in row["prompt"]] == ["system", "user"] and one.margin == 1.0
    assert "static_cast<T>(2)" in row["rejected"][0]["content"] not in row["chosen"][0]["content"]


def test_a_project_that_was_changed_after_its_verdict_is_not_exported(akgen: Akgen, run: Path) -> None:
    kernel = run / "tasks/add_one/sample-0/attempt-3/project/op_kernel/add_one.cpp"
    kernel.write_text(kernel.read_text() + "// better\n")
    ended = akgen("harvest", "export", run, "--format", "sft")
    assert ended.code == 2
    assert "changed after it was judged" in ended.err


def test_an_unfinished_run_exports_what_it_has(akgen: Akgen, run: Path, tmp_path: Path) -> None:
    task = run / "tasks" / "add_one"
    (task / "result.json").unlink()
    events = task / "sample-0" / "events.jsonl"
    events.write_bytes(events.read_bytes()[:-20])
    written, _ = _export(akgen, run, "sft", tmp_path / "sft.jsonl")
    assert written["records"] == 1
    assert json.loads(akgen("show", run, "--json").out)["tasks"][0]["samples"][0]["ended"] is False
