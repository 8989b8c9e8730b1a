"""Modules as users write them (tests/user_modules) are composed. `make user-modules` judges all of them on the twin."""

from pathlib import Path

import pytest

from akgen.agents.composer import ModelFree
from akgen.bench.suites import load_task, suite_folders
from akgen.tools.core.task import Mode

MODULES = suite_folders(str(Path(__file__).resolve().parents[2] / "user_modules"), None)
SOME = dict(list(MODULES.items())[::6])  # composing all takes two minutes


@pytest.mark.parametrize("name", SOME)
def test_a_module_is_composed(name: str) -> None:
    task, _ = load_task(SOME[name], Mode.DYNAMIC, None)
    planned = ModelFree().plan(task, None, 0)
    assert planned.plan is not None, planned.diagnostics
