"""`--start`: the first attempt is a project that exists, its findings go to a model, and the run is like any other."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.prompts.builder import example_project
from akgen.tools.core.project import write_files

Akgen = Callable[..., Any]
KERNEL = "op_kernel/add_one.cpp"
RIGHT = next(line for line in example_project().files[KERNEL].splitlines() if "Adds(" in line)
WRONG = RIGHT.replace("Adds(", "AddsAll(")
MENDED = f"""The interface is called Adds.

{KERNEL}
<<<<<<< SEARCH
{WRONG}
=======
{RIGHT}
>>>>>>> REPLACE
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    files = dict(example_project().files)
    files[KERNEL] = files[KERNEL].replace(RIGHT, WRONG)
    write_files(files, tmp_path / "broken" / "add_one")
    return tmp_path / "broken"


@pytest.mark.parametrize(("critic", "told"), [("rules", True), ("compiler", False)])
def test_a_model_mends_a_project_that_exists(
    critic: str,
    told: bool,
    akgen: Akgen,
    add_one: Path,
    script: Callable[..., Path],
    broken: Path,
    tmp_path: Path,
) -> None:
    model = script("unused", MENDED)
    run = tmp_path / "run"
    ended = akgen(
        "solve",
        add_one,
        "--model",
        f"scripted:{model}",
        "--start",
        broken.name,
        "--critic",
        critic,
        "--out",
        run,
    )
    assert ended.code == 0, ended.err
    first, second = (
        run / "tasks" / "add_one" / "sample-0" / f"attempt-{n}" / "project" / KERNEL for n in (1, 2)
    )
    assert "AddsAll(" in first.read_text() and "AddsAll(" not in second.read_text()
    shown = akgen("show", run, "--feedback").out
    assert ("Remedy" in shown) is told and "AddsAll" in shown


def test_a_task_without_a_project_is_refused(
    akgen: Akgen, add_one: Path, script: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    model = f"scripted:{script('unused', MENDED)}"
    ended = akgen("solve", add_one, "--model", model, "--start", "empty")
    assert ended.code == 2 and "no project to start add_one with" in ended.err
    assert akgen("solve", add_one, "--start", "empty").code == 2
