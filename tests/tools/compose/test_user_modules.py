"""Modules as users write them (tests/user_modules) are composed. `make user-modules` judges all of them on the twin."""

from pathlib import Path
from zlib import crc32

import pytest

from akgen.agents.composer import ModelFree
from akgen.bench.suites import load_task, suite_folders
from akgen.tools.core.task import Mode
from tests.sampled import sampled

MODULES = suite_folders(str(Path(__file__).resolve().parents[2] / "user_modules"), None)
# Composing all takes minutes. A name decides whether its module is among the sixth, whatever others there are.
SOME = {name: folder for name, folder in MODULES.items() if crc32(name.encode()) % 6 == 2}


@pytest.mark.parametrize("name", sampled(SOME, 4))
def test_a_module_is_composed(name: str) -> None:
    task, _ = load_task(SOME[name], Mode.DYNAMIC, None)
    planned = ModelFree().plan(task, None, 0)
    assert planned.plan is not None, planned.diagnostics
