"""PyTorch's own result in a task's dtype is accepted, on whatever inputs the judge draws.

A task that refuses it refuses right kernels too: its tolerance is too tight for its inputs, or its inputs reach where
the dtype cannot compute the operator.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from akgen.bench import builtin
from akgen.tools.core.call import TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Case, Task
from akgen.tools.judge.compare import compare
from akgen.tools.judge.tolerance import rule_for
from akgen.tools.judge.trials import ORDER, nonce, plan
from akgen.tools.reference.client import ReferenceWorker
from tests.sampled import sampled

TASKS = [builtin.describe(builtin.TASKS / name) for name in builtin.names()]


def refused(
    task: Task, cases: Sequence[Case], rounds: int, reference: ReferenceWorker, folder: Path
) -> list[str]:
    """Return the draws, of `rounds` of each distribution, on which PyTorch's own result is not accepted.

    In float32 it has to be inside tolerance and error bounds, without the allowance for the reference's own error.
    """
    found = []
    for case in cases:
        for draw in plan(task, case, 1 + rounds * len(ORDER), nonce(1)):
            trial = reference.sample(
                task.reference,
                case,
                draw.seed,
                draw.distribution,
                inputs=folder / "in",
                expected=folder / "out",
            )
            for i, (want, own) in enumerate(zip(trial.expected, trial.returned, strict=True)):
                assert isinstance(want, TensorFile) and isinstance(own, TensorFile)
                allowing = want if own.dtype == DType.FLOAT32 else own
                rule, bounds = rule_for(own.dtype, task.tolerances), trial.bounds_of(i)
                result = compare(i, own, want, allowing, rule, bounds=bounds)
                if result.mismatch is not None:
                    found.append(f"{case.id}, {draw.distribution}, seed {draw.seed}: {result.mismatch}")
    return found


def largest_of_each_dtype(task: Task) -> list[Case]:
    cases = sorted(task.cases, key=lambda c: math.prod(c.params["shape"]))  # type: ignore[arg-type]
    return list({c.params.get("dtype"): c for c in cases}.values())


@pytest.mark.parametrize("task", sampled(TASKS, 5), ids=lambda t: t.name)
def test_pytorchs_own_result_is_accepted(task: Task, reference: ReferenceWorker, tmp_path: Path) -> None:
    assert refused(task, largest_of_each_dtype(task), 1, reference, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.name)
def test_pytorchs_own_result_is_accepted_on_many_draws(
    task: Task, reference: ReferenceWorker, tmp_path: Path
) -> None:
    assert refused(task, task.cases, 12, reference, tmp_path) == []
