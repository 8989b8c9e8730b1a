"""What is measured on the tree: by msprof and msprof op, beside the twin's prediction of the same kernel."""

import json
from pathlib import Path

import pytest

from akgen.agents.prompts.builder import example_project
from tests.command import command
from tests.fake_cann.machine import Rehearsal
from tests.fake_cann.tree import VERSION

TASK = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1
def get_inputs():
    return [torch.rand(512, 256)]
def get_init_inputs():
    return []
"""


@pytest.fixture(scope="module")
def compared(machine: Rehearsal, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Profile a kernel on the tree and on the twin; return the folder with what came of it."""
    folder = tmp_path_factory.mktemp("compared")
    example_project().write_to(folder / "kernel")
    (folder / "add_one.py").write_text(TASK)
    arguments = ("profile", folder / "kernel", "--task", folder / "add_one.py", "--toolchain", "cann")
    done = command(*arguments, "--compare", "twin", "--trace", folder / "t.json", "--json", env=machine.env)
    assert done.code == 0, done.err
    (folder / "out.json").write_text(done.out)
    return folder


def test_a_launch_is_compared_with_its_prediction(compared: Path) -> None:
    found = json.loads((compared / "out.json").read_text())
    measured, predicted = found, found["compared"]
    assert (measured["time_source"], measured["measured_by"]) == ("measured", "msprof")
    assert (predicted["time_source"], predicted["measured_by"]) == ("predicted", None)
    told = found["prediction"]
    assert VERSION in told["measured_by"] and told["predicted_by"].startswith("twin")
    by = {t["name"]: t for t in told["times"]}
    # the tree's device is the twin itself: pipes that work agree, and the launch but for what its cache held
    for pipe in ("MTE2", "V", "MTE3"):
        assert by[pipe]["measured_us"] == pytest.approx(by[pipe]["predicted_us"], abs=0.002)
    assert told["cache"] == "warm" and abs(by["total"]["error_percent"]) < 60
    page = (compared / "t.html").read_text()
    assert "A: cann: " in page and "B: twin: " in page and VERSION in page and "predicted by the twin" in page


def test_cores_are_counted_on_the_device(compared: Path) -> None:
    found = json.loads((compared / "out.json").read_text())
    predicted = found["compared"]
    assert found["counters"]["l2_hit_share"] == 0.5 and found["counters"]["clock_mhz"] == 1800
    assert found["counters"]["bank_conflict_share"] == pytest.approx(0.03)
    assert found["gm_read_bytes"] == predicted["gm_read_bytes"] == 4 * 512 * 256
    assert found["core_imbalance"] == pytest.approx(predicted["core_imbalance"], abs=0.01)
    pipes = {p["pipe"]: p for p in found["pipes"]}
    for p in predicted["pipes"]:
        if p["pipe"] in ("V", "MTE2", "MTE3"):
            assert pipes[p["pipe"]]["stalled_us"] == pytest.approx(p["stalled_us"], abs=0.01)
            assert pipes[p["pipe"]]["instructions"] == p["instructions"]
    assert found["notes"] == []
