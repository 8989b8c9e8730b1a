"""Real kernels with one deliberate mistake, built and run on the twin: the judge names the mistake in their numbers."""

from pathlib import Path
from typing import NamedTuple

import pytest

from akgen.bench.resolve import resolve_task
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.plain_kernels import plain_kernels
from tests.sampled import sampled


class Mistaken(NamedTuple):
    """In the kernel of a pattern, `old` becomes `new`."""

    pattern: str
    old: str
    new: str
    cause: str
    what: str


KERNELS = (
    Mistaken(
        "elementwise", "Muls(denom, value, -1.0f, count);", "Muls(denom, value, 1.0f, count);",
        "formula", "it is another function of input 0 than expected",
    ),
    Mistaken(
        "elementwise", "Div(y, value, denom, count);", "Div(y, denom, value, count);",
        "reciprocal", "it is the reciprocal of the expected value",
    ),
    Mistaken(
        "elementwise", "SetGlobalBuffer((__gm__ T *)x + begin, length);", "SetGlobalBuffer((__gm__ T *)x, length);",
        "repeated", "it holds the values of the first 832 elements again in every 832",
    ),
    Mistaken(
        "elementwise", "Exp(denom, denom, count);", "Exp(denom, denom, count - 64);",
        "block_edge", "it is wrong in the last 64 elements of every 832",
    ),
    Mistaken(
        "elementwise", "Exp(denom, denom, count);", "if (GetBlockIdx() != 2) { Exp(denom, denom, count); }",
        "part", "it is wrong in elements 1664 to 2495 only: the 3rd of 45 parts of 832 elements",
    ),
    Mistaken(
        "row_softmax", "Muls(y, row, 1.0f / sum, columns);", "Adds(y, row, 0.0f, columns);",
        "constant_along",
        "it is the expected value times the sum of exp(x - maximum) of input 0 along axis 1",
    ),
    Mistaken(
        "row_softmax", "ReduceSum<float>(scalar, row, work, columns);",
        "ReduceSum<float>(scalar, row, work, columns - 8);",
        "partial_sum", "only the first 993 of 1001 exp(x - maximum) of input 0 are summed along axis 1",
    ),
    Mistaken(
        "row_norm", "Muls(scalar, scalar, 1.0f / static_cast<float>(static_cast<int32_t>(columns)), 1);", "",
        "sum_for_mean",
        "it is the expected value times 0.03161, which is 1/sqrt(1001): a sum under the root, not a mean",
    ),
    Mistaken(
        "row_norm", "Sqrt(scalar, scalar, 1);", "",
        "constant_along",
        "it is the expected value times 1/the root of the mean square of input 0 along axis 1",
    ),
    Mistaken(
        "row_norm", "Mul(y, row, weight, columns);", "Add(y, row, weight, columns);",
        "operation", "input 1 along axis 1 is added, not multiplied",
    ),
    Mistaken(
        "row_norm", "Mul(y, row, weight, columns);", "Adds(y, row, 0.0f, columns);",
        "missing_factor", "it is not multiplied by input 1 along axis 1",
    ),
)  # fmt: skip


@pytest.mark.parametrize("kernel", sampled(KERNELS, 3, whole=True), ids=lambda k: f"{k.pattern}: {k.cause}")
def test_the_mistake_of_a_real_kernel_is_named(
    kernel: Mistaken, twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    pattern = next(p for p in plain_kernels() if p.name == kernel.pattern)
    name = next(n for n in pattern.files if n.startswith("op_kernel/"))
    assert pattern.files[name].count(kernel.old) == 1
    text = pattern.files[name].replace(kernel.old, kernel.new)
    project = KernelProject(
        op_type=pattern.op_type, kernel=pattern.kernel, files={**pattern.files, name: text}
    )
    task = resolve_task(pattern.task, case_ids=("ragged",))
    verdict = Judge(twin, reference).judge(project, task, work=tmp_path, trials=1, seed=3)
    assert verdict.outcome == Outcome.WRONG and verdict.mismatch is not None
    assert (verdict.mismatch.cause, verdict.mismatch.what) == (kernel.cause, kernel.what)
