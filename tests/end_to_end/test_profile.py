"""`akgen profile`: one kernel, or two beside each other; what each line costs, for people and for machines."""

import json
from pathlib import Path

import pytest

from akgen.agents.prompts.builder import example_project
from tests.end_to_end.conftest import Akgen


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    folder = tmp_path / "before"
    example_project().write_to(folder)
    return folder


def test_lines_of_the_source_have_their_cycles(
    akgen: Akgen, kernel: Path, add_one: Path, tmp_path: Path
) -> None:
    ended = akgen("profile", kernel, "--task", add_one, "--trace", tmp_path / "out" / "t.json")
    assert ended.code == 0, ended.err
    assert "cycles of pipes by line" in ended.out and "DataCopyPad(" in ended.out
    found = akgen("profile", kernel, "--task", add_one, "--trace", tmp_path / "t.json", "--json").document
    clock = json.loads((tmp_path / "t.json").read_text())["otherData"]["clock_mhz"]
    for pipe in found["pipes"]:
        cycles = sum(line["busy_cycles"].get(pipe["pipe"], 0.0) for line in found["lines"])
        assert abs(cycles - pipe["busy_us"] * clock * found["cores"]) < 1.0
    source = example_project().files
    for line in found["lines"]:
        if line["file"]:
            assert line["code"] == source[line["file"]].split("\n")[line["line"] - 1]
    assert any("Adds(" in line["code"] and line["busy_cycles"]["V"] > 0 for line in found["lines"])
    assert "compared" not in found


def test_two_projects_are_timed_on_one_case(
    akgen: Akgen, kernel: Path, add_one: Path, tmp_path: Path
) -> None:
    project = example_project()
    text = project.files[project.kernel_file]
    line = next(line for line in text.split("\n") if "Adds(" in line)
    twice = text.replace(line, f"{line}\n{line} // twice")
    assert twice != text
    other = project.model_copy(update={"files": {**project.files, project.kernel_file: twice}})
    other.write_to(tmp_path / "after")
    trace = tmp_path / "t.json"
    command = (
        "profile",
        kernel,
        "--compare",
        tmp_path / "after",
        "--task",
        add_one,
        "--trace",
        trace,
        "--json",
    )
    found = akgen(*command).document
    assert found["compared"]["time_us"] > found["time_us"]
    assert found["compared"]["trace"] != found["trace"]
    page = trace.with_suffix(".html").read_text()
    assert "A: before" in page and "B: after" in page
    assert page.count("// twice") >= 1 and '<tr class="new' in page
    said = akgen(*command[:-1]).out
    assert "A: before" in said and "B: after" in said
    changed = said[said.index("line of A") : said.index("lines that changed most")]
    assert "Adds(y, x, static_cast<T>(1)" in changed
