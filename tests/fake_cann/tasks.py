"""The tasks of the rehearsal, and how one is solved: by the command that a user types."""

from pathlib import Path

from tests.command import Ended, command
from tests.fake_cann.machine import Rehearsal

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
