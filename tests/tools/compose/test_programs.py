"""The programs composed for a few tasks stay as they are; a wanted change is made in programs/ too."""

from pathlib import Path

import pytest

from akgen.agents.composer.model_free import ModelFree
from akgen.bench.resolve import resolve_task

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.dsl"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_program_of_a_task_stays_as_it_is(path: Path) -> None:
    plan = ModelFree().plan(resolve_task(path.stem), None, 0).plan
    assert plan is not None
    assert plan.dsl == path.read_text()
