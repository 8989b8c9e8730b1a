"""The whole graph with --toolchain cann, unmodified, over the tree: what it judges correct was run there."""

from pathlib import Path

from tests.fake_cann.machine import Rehearsal
from tests.fake_cann.tasks import solve
from tests.fake_cann.tree import VERSION


def test_a_task_is_solved_on_cann(machine: Rehearsal, tmp_path: Path) -> None:
    """`make rehearsal` solves twenty."""
    done = solve(machine, "softmax_rows", tmp_path / "run")
    assert done.code == 0, done.err
    assert VERSION in done.out  # nobody takes it for a device's
    assert any(name.startswith("SoftmaxRows") for name in machine.driver.launched)
