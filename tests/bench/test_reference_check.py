"""Every reference of a suite is run once, and what keeps a task from being judged is said."""

import os
from pathlib import Path

import pytest

from akgen.bench.survey import AskedTask, check, check_task
from akgen.tools.core.task import Mode

GOOD = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

rows = 4096

def get_inputs():
    return [torch.rand(rows, 65536)]

def get_init_inputs():
    return []
"""
REFERENCES = {
    "good": (GOOD, ""),
    "lacks": ("import nothing_of_that_name\n" + GOOD, "nothing_of_that_name"),
    "raises": (GOOD.replace("torch.relu(x)", "x.view(3)"), "raises RuntimeError"),
    "empty": (GOOD.replace("torch.relu(x)", "()"), ""),
}


@pytest.fixture
def checkout(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "dataset.py").write_text("")
    folder = tmp_path / "reference" / "activation"
    folder.mkdir(parents=True)
    for name, (text, _) in REFERENCES.items():
        (folder / f"{name}.py").write_text(text)
    return {name: folder / f"{name}.py" for name in REFERENCES}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_task_runs_scaled_or_says_why_not(checkout: dict[str, Path], name: str) -> None:
    found = check_task(AskedTask(folder=checkout[name], mode=Mode.STATIC, max_mb=None))
    assert (found.found == "runs") is (name == "good") and REFERENCES[name][1] in found.why
    if name == "good":
        assert found.cases == 1 and 0 < (found.size_bytes or 0) <= 10_000_000


@pytest.mark.slow
def test_a_reference_that_ends_its_process_does_not_end_the_check(checkout: dict[str, Path]) -> None:
    checkout["raises"].write_text(GOOD.replace("return torch.relu(x)", "import os; os._exit(3)"))
    chosen = {name: checkout[name] for name in ("raises", "good")}
    rows = list(check(chosen, Mode.STATIC, None, 60.0, dict(os.environ)))
    assert [(r.task, r.found) for r in rows] == [("raises", "excluded"), ("good", "runs")]
    assert rows[0].why
