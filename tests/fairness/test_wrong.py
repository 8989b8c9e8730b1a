"""Every wrong program is refused by the verdict of every seed: `make fairness` takes all and five seeds."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from tests.fairness.faults import MUTANTS
from tests.fairness.tasks import TASKS, verdict
from tests.sampled import sampled

for _kind in ("sums", "softmax", "norms", "products", "jumps", "choices"):
    import_module(f"tests.fairness.wrong_{_kind}")

ALL_SEEDS = 5
PART = 4  # one of so many wrong programs is tried in the quick suite


def passing(task: str, seeds: range, folder: Path, part: int = 1) -> list[str]:
    """Return the wrong programs that pass all trials of a verdict, with its seed."""
    found = []
    for seed in seeds:
        trials = verdict(TASKS[task], seed, folder)
        for name, program in list(MUTANTS[task].items())[::part]:
            with np.errstate(all="ignore"):
                results = [trial.compare(program(*trial.inputs)) for trial in trials]
            assert not any(r.malformed for r in results), name
            if all(r.mismatch is None for r in results):
                found.append(
                    f"{name}, seed {seed}: {max(r.max_used or 0 for r in results):.3g} of what is allowed"
                )
    return found


def test_there_are_two_hundred_mutants() -> None:
    assert sum(map(len, MUTANTS.values())) >= 200
    assert set(MUTANTS) == set(TASKS)


@pytest.mark.parametrize("task", sampled(TASKS, 3))
def test_wrong_programs_are_refused(task: str, tmp_path: Path) -> None:
    assert passing(task, range(1), tmp_path, PART) == []


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_wrong_programs_are_refused_at_every_seed(task: str, tmp_path: Path) -> None:
    assert passing(task, range(ALL_SEEDS), tmp_path) == []
