"""Bad input and broken machines: one clear sentence with the remedy, no traceback, and the store keeps the rest."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
Script = Callable[..., Path]
INPUT, INFRA = 2, 3
RIGHT = ("", "")
NO_ENDPOINT = "http://127.0.0.1:9/v1"  # nothing listens on the discard port


def _sentence(ended: Any, code: int) -> str:
    """Return the error's sentence; the command must have said nothing worse."""
    assert ended.code == code, ended.out + ended.err
    assert "Traceback" not in ended.out + ended.err
    (line,) = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    return str(line).removeprefix("error: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("solve", "softmax_row"), ("no task named 'softmax_row'", "softmax_rows")),
        (("solve", "no/such/folder"), ("does not exist",)),
        (("solve", "softmax_rows", "--case", "none"), ("no case 'none'", "ragged")),
        (("solve", "softmax_rows", "--budget", "money=3"), ("'money'", "tokens=20000")),
        (("solve", "softmax_rows", "--budget", "tokens=many"), ("needs a number",)),
        (
            ("solve", "softmax_rows", "--route", "ascendc"),
            ("composer writes through the tile DSL", "--model"),
        ),
        (
            ("solve", "softmax_rows", "--model", "oracle:x"),
            ("no kind of model named 'oracle'", "openai:NAME"),
        ),
        (("solve", "softmax_rows", "--model", "scripted:none.jsonl"), ("none.jsonl cannot be read",)),
        (("solve", "softmax_rows", "--model", "openai:big"), ("needs a key", "AKGEN_API_KEY")),
        (("resume", "nowhere"), ("holds no run", "run.json")),
        (("show", "nowhere"), ("holds no run",)),
        (("harvest", "export", "nowhere", "--format", "sft"), ("holds no run",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_used_is_named_with_its_remedy(
    akgen: Akgen, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    sentence = _sentence(akgen(*arguments), INPUT)
    for word in words:
        assert word in sentence


def test_machines_get_the_error_as_json(akgen: Akgen) -> None:
    ended = akgen("solve", "softmax_row", "--json")
    assert ended.code == INPUT
    assert ended.document["error"]["kind"] == "input"
    assert ended.document["error"]["remedy"]


def test_a_variable_that_cannot_be_used_is_named(akgen: Akgen) -> None:
    sentence = _sentence(akgen("show", "x", env={"AKGEN_TOOLCHAIN": "abacus"}), INPUT)
    assert "AKGEN_TOOLCHAIN" in sentence


def test_an_unknown_chip_is_refused_with_those_that_are_known(akgen: Akgen) -> None:
    sentence = _sentence(akgen("solve", "softmax_rows", env={"AKGEN_CHIP": "Abacus1"}), INPUT)
    assert "Abacus1" in sentence and "Ascend910B2" in sentence


@pytest.mark.parametrize("text", ["{", '{"level": 1}', '{"level": "high", "cases": []}'])
def test_a_broken_task_file_names_the_place(akgen: Akgen, add_one: Path, text: str) -> None:
    (add_one / "task.json").write_text(text)
    assert "task.json" in _sentence(akgen("solve", add_one), INPUT)


@pytest.mark.parametrize(
    "text", ["", "shape;dtype\n[3];float32\n", "\x00\x01\x02", "case_id;shape\n0;[3;4]\n0\n"]
)
def test_a_broken_csv_is_named(akgen: Akgen, tmp_path: Path, text: str) -> None:
    validation = tmp_path / "tasks" / "level1" / "Math" / "Sqrt" / "validation"
    validation.mkdir(parents=True)
    (validation / "module.py").write_text("class Model: ...\n")
    (validation / "test_cases.csv").write_text(text)
    sentence = _sentence(akgen("solve", validation.parent), INPUT)
    assert "test_cases.csv" in sentence or "op_host" in sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Model(:\n", "is not valid Python"),
        ("import torch\n", "does not define Model and get_inputs"),
    ],
)
def test_a_broken_module_is_named_before_a_run_begins(
    akgen: Akgen, tmp_path: Path, text: str, words: str
) -> None:
    module = tmp_path / "mine.py"
    module.write_text(text)
    assert words in _sentence(akgen("solve", module), INPUT)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("return x + 1", 'raise ValueError("not today")', ("ValueError", "not today")),
        ("import torch\n", "import torch_of_tomorrow\n", ("cannot be imported", "torch_of_tomorrow")),
        ("return x + 1", "import os; os._exit(3)", ("ended on case",)),
    ],
)
def test_a_reference_that_fails_ends_the_run_and_the_store_keeps_it(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path, old: str, new: str, words: tuple[str, ...]
) -> None:
    reference = add_one / "reference.py"
    reference.write_text(reference.read_text().replace(old, new))
    run = tmp_path / "run"
    sentence = _sentence(akgen("solve", add_one, "--model", f"scripted:{script(RIGHT)}", "--out", run), INPUT)
    for word in words:
        assert word in sentence
    shown = akgen("show", run, "--json")
    assert shown.code == 0
    (task,) = shown.document["tasks"]
    assert (task["name"], task["solution"]) == ("add_one", None)
    assert task["samples"][0]["last_line"].endswith("start")


def test_a_machine_without_a_compiler_says_how_to_get_one(
    akgen: Akgen, add_one: Path, script: Script
) -> None:
    arguments = ("solve", add_one, "--model", f"scripted:{script(RIGHT)}")
    sentence = _sentence(akgen(*arguments, env={"PATH": "/nowhere"}), INFRA)
    assert "No C++ compiler" in sentence and "apt install" in sentence


def test_a_run_folder_that_cannot_be_written_is_named(akgen: Akgen, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for out in (tmp_path / "file" / "run", Path("/proc/akgen")):
        sentence = _sentence(akgen("solve", "softmax_rows", "--out", out), INFRA)
        assert str(out) in sentence and "--out" in sentence


def test_a_run_folder_in_use_is_not_overwritten(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    arguments = ("solve", add_one, "--model", f"scripted:{script(RIGHT)}", "--out", tmp_path / "run")
    assert akgen(*arguments).code == 0
    sentence = _sentence(akgen(*arguments), INPUT)
    assert "already holds a run" in sentence and "akgen resume" in sentence


def test_an_endpoint_that_is_down_stops_the_run_which_can_be_resumed(
    akgen: Akgen, add_one: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    arguments = ("solve", add_one, "--model", "openai:any", "--base-url", NO_ENDPOINT, "--out", run)
    sentence = _sentence(akgen(*arguments, env={"AKGEN_MODEL_TRIES": "1"}), INFRA)
    assert NO_ENDPOINT in sentence and "--base-url" in sentence and "akgen resume" in sentence
    events = run / "tasks" / "add_one" / "sample-0" / "events.jsonl"
    assert json.loads(events.read_text().splitlines()[-1])["stage"] == "plan"
    assert "failed 1 times" in _sentence(akgen("resume", run, env={"AKGEN_MODEL_TRIES": "1"}), INFRA)


def test_replies_without_code_use_up_the_attempts_and_say_so(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script("I cannot.", "I still cannot.")
    ended = akgen(
        "solve", add_one, "--model", f"scripted:{model}", "--attempts", "2", "--out", tmp_path / "run"
    )
    assert ended.code == 1
    assert "Traceback" not in ended.err
    assert "outcome: no_code" in ended.out and "holds no code block" in ended.out


def test_a_budget_ends_the_run_and_names_itself(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    model = script(RIGHT, output_tokens=700)
    arguments = ("solve", add_one, "--model", f"scripted:{model}", "--budget", "tokens=1000")
    ended = akgen(*arguments, "--out", tmp_path / "run", "--json")
    assert ended.code == 1
    assert ended.document["outcome"] == "budget"
    assert "1400 of 1000 tokens" in ended.document["why"]


def test_a_damaged_checkpoint_file_stops_the_resumed_run(akgen: Akgen, add_one: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    arguments = ("solve", add_one, "--model", "openai:any", "--base-url", NO_ENDPOINT, "--out", run)
    assert akgen(*arguments, env={"AKGEN_MODEL_TRIES": "1"}).code == INFRA
    for part in (run / "tasks" / "add_one").glob("checkpoints.sqlite*"):
        part.write_bytes(b"not a database" * 1000)
    assert "checkpoints.sqlite cannot be used" in _sentence(akgen("resume", run), INFRA)


def test_a_reference_that_changed_since_the_run_began_is_noticed(
    akgen: Akgen, add_one: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    arguments = ("solve", add_one, "--model", "openai:any", "--base-url", NO_ENDPOINT, "--out", run)
    assert akgen(*arguments, env={"AKGEN_MODEL_TRIES": "1"}).code == INFRA
    reference = add_one / "reference.py"
    reference.write_text(reference.read_text().replace("x + 1", "x + 2"))
    assert "is not what it was" in _sentence(akgen("resume", run), INPUT)


def test_a_database_for_checkpoints_needs_its_package(akgen: Akgen, add_one: Path, script: Script) -> None:
    if find_spec("langgraph.checkpoint.postgres") is not None:
        pytest.skip("the postgres extra is installed")
    arguments = ("solve", add_one, "--model", f"scripted:{script(RIGHT)}")
    sentence = _sentence(akgen(*arguments, env={"AKGEN_POSTGRES": "postgresql://localhost/akgen"}), INPUT)
    assert "akgen[postgres]" in sentence


def test_a_script_that_runs_out_is_named(akgen: Akgen, add_one: Path, script: Script, tmp_path: Path) -> None:
    model = script(("static_cast<T>(1)", "static_cast<T>(2)"))
    sentence = _sentence(
        akgen("solve", add_one, "--model", f"scripted:{model}", "--out", tmp_path / "run"), INPUT
    )
    assert "no reply for the coder's attempt 2" in sentence
