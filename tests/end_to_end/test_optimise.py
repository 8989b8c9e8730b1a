"""`akgen optimise`: kernels that can be faster become faster, and stay correct."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.prompts.builder import example_project

Akgen = Callable[..., Any]
REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.randn(96, 4096)]
"""
ADDS = "static_cast<T>(1)"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    path = tmp_path / "add_one.py"
    path.write_text(REFERENCE)
    return path


@pytest.fixture
def single_buffered(tmp_path: Path) -> Path:
    """Write the example kernel with a named number of buffers, set to one, and short tiles."""
    project = example_project()
    kernel = project.files[project.kernel_file]
    changed = kernel.replace("inQueue_, 2,", "inQueue_, BUFFER_NUM,").replace(
        "outQueue_, 2,", "outQueue_, BUFFER_NUM,"
    )
    changed = changed.replace(
        "using namespace AscendC;", "using namespace AscendC;\nconstexpr int32_t BUFFER_NUM = 1;"
    )
    assert changed.count("BUFFER_NUM") == 3
    host = project.files["op_host/add_one.cpp"].replace("kTileLength = 8192", "kTileLength = 2048")
    assert host != project.files["op_host/add_one.cpp"]
    folder = tmp_path / "kernel"
    files = {**project.files, project.kernel_file: changed, "op_host/add_one.cpp": host}
    project.model_copy(update={"files": files}).write_to(folder)
    return folder


def test_the_composers_kernel_is_searched_over_its_knobs_and_a_stopped_search_goes_on(
    akgen: Akgen, tmp_path: Path
) -> None:
    solved = akgen("solve", "relu", "--case", "long", "--out", "solved", "--json").document
    arguments = (
        "--task",
        "relu",
        "--case",
        "long",
        "--candidates",
        "3",
        "--seed",
        "3",
        "--out",
        "search",
        "--json",
    )
    ended = akgen("optimise", solved["project"], *arguments)
    found = ended.document
    assert found["by"] == "composer"
    assert 1 <= len(found["trials"]) <= 3
    assert all(trial["outcome"] == "correct" for trial in found["trials"])
    assert {c["kind"] for c in found["calibration"]} == {t["hypothesis"]["kind"] for t in found["trials"]}
    assert sum(c["tried"] for c in found["calibration"]) == len(found["trials"])
    assert found["gain"] == pytest.approx(found["before_us"] / found["after_us"], rel=1e-3)
    assert (ended.code == 0) == (found["gain"] > 1)
    judged = akgen("eval", found["project"], "--task", "relu", "--json")
    assert judged.code == 0, judged.out
    effects = sorted((tmp_path / "search" / "effects").iterdir())
    again = akgen("optimise", solved["project"], *arguments).document
    assert sorted((tmp_path / "search" / "effects").iterdir()) == effects  # nothing was judged twice
    assert again["trials"] == found["trials"]


def test_named_numbers_of_anybodys_kernel_are_tried_without_a_model(
    akgen: Akgen, task: Path, single_buffered: Path
) -> None:
    ended = akgen("optimise", single_buffered, "--task", task, "--candidates", "4", "--beam", "1", "--json")
    assert ended.code == 0, ended.out + ended.err
    found = ended.document
    assert found["by"] == "rules" and found["gain"] > 1.02
    assert "BUFFER_NUM = 2 instead of 1" in found["changes"]
    kept = next(t for t in found["trials"] if t["hypothesis"]["text"] == "BUFFER_NUM = 2 instead of 1")
    assert kept["kept"] and kept["hypothesis"]["predicted_gain"] > 1
    assert "BUFFER_NUM = 2;" in (Path(found["project"]) / "op_kernel" / "add_one.cpp").read_text()


def test_a_kernel_that_is_wrong_is_not_made_faster(akgen: Akgen, task: Path, single_buffered: Path) -> None:
    kernel = single_buffered / "op_kernel" / "add_one.cpp"
    kernel.write_text(kernel.read_text().replace(ADDS, "static_cast<T>(2)"))
    ended = akgen("optimise", single_buffered, "--task", task)
    assert ended.code == 2 and "is not correct" in ended.err and "akgen eval" in ended.err


def _reply(text: str, gain: str, old: str, new: str) -> str:
    edit = f"op_kernel/add_one.cpp\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n" if old else ""
    return f"<think>Let me see.</think>\nHypothesis: {text}\nPredicted gain: {gain}\n\n{edit}"


def test_a_models_edits_are_judged_and_its_promises_compared(
    akgen: Akgen, task: Path, single_buffered: Path, tmp_path: Path
) -> None:
    one, two = "constexpr int32_t BUFFER_NUM = 1;", "constexpr int32_t BUFFER_NUM = 2;"
    adds = "        Adds(y, x, static_cast<T>(1), static_cast<int32_t>(count));"
    replies = [
        _reply("one buffer leaves no room to overlap; take two", "1.5", one, two),
        _reply("adding nothing is faster", "3.0", adds, adds.replace("(1)", "(0)")),
        _reply("nothing comes to mind", "1.1", "", ""),
        _reply("the text is another", "1.1", "no such line", "x"),
    ]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps({"role": "coder", "text": text}) + "\n" for text in replies))
    ended = akgen(
        "optimise", single_buffered, "--task", task, "--model", f"scripted:{script}", "--candidates", "4", "--json"
    )  # fmt: skip
    assert ended.code == 0, ended.out + ended.err
    found = ended.document
    assert [t["outcome"] for t in found["trials"]] == ["correct", "wrong", "no_code", "no_code"]
    assert [t["kept"] for t in found["trials"]] == [True, False, False, False]
    assert found["trials"][3]["problem"]
    (edits,) = found["calibration"]
    assert (edits["tried"], edits["correct"], edits["kept"], edits["predicted"]) == (4, 1, 1, 1.5)
    actual = found["trials"][0]["gain"]
    assert edits["error"] == pytest.approx(max(1.5 / actual, actual / 1.5), rel=1e-2)
    assert found["changes"] == ["one buffer leaves no room to overlap; take two"]
