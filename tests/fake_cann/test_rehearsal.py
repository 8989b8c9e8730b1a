"""The whole graph with --toolchain cann, unmodified, over the tree: what it judges correct was run there."""

from pathlib import Path

import pytest

from tests.command import Ended, command
from tests.fake_cann.conftest import Rehearsal
from tests.fake_cann.tree import VERSION

TWENTY = (
    "add_row_bias", "argmax_rows", "axpy", "bce_with_logits", "clamp_range", "column_sum", "concatenate_rows",
    "constant_pad", "cubic_polynomial", "cumsum_rows", "dequantize_rows", "elu", "embedding_lookup", "float_to_half",
    "foreach_multiply", "gather_rows", "gelu_tanh", "greater_than", "rms_norm", "softmax_rows",
)  # fmt: skip


def solve(machine: Rehearsal, task: str, folder: Path) -> Ended:
    """Solve the first case of a task on the tree."""
    return command(
        *("solve", task, "--toolchain", "cann", "--model", "composer", "--mode", "static", "--attempts", "1"),
        *("--json", "--out", folder),
        env=machine.env,
    )


def test_a_task_is_solved_on_cann(machine: Rehearsal, tmp_path: Path) -> None:
    done = solve(machine, "softmax_rows", tmp_path / "run")
    assert done.code == 0, done.err
    assert VERSION in done.out  # nobody takes it for a device's
    assert any(name.startswith("SoftmaxRows") for name in machine.driver.launched)


@pytest.mark.slow
@pytest.mark.parametrize("task", TWENTY)
def test_twenty_tasks_are_solved_on_cann(machine: Rehearsal, task: str, tmp_path: Path) -> None:
    before = len(machine.driver.launched)
    done = solve(machine, task, tmp_path / "run")
    assert done.code == 0, done.out + done.err
    assert len(machine.driver.launched) > before
