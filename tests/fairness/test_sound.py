"""Every sound program passes at every seed: `make fairness` takes 200, this suite a few."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.fairness import choices, jumps  # noqa: F401 (they add tasks and programs)
from tests.fairness.programs import PROGRAMS
from tests.fairness.tasks import TASKS, distributions, draw
from tests.sampled import sampled

SEEDS, ALL_SEEDS = 5, 200


def refused(task: str, seeds: range, folder: Path, *, bounded: bool = True) -> list[str]:
    """Return the programs and seeds that are refused, if wished without error bounds."""
    found = []
    for seed in seeds:
        trial = draw(TASKS[task], seed, distributions(seed), folder)
        trial = trial if bounded else replace(trial, bounds=None)
        for name, program in PROGRAMS[task].items():
            with np.errstate(all="ignore"):
                result = trial.compare(program(*trial.inputs))
            if bounded and result.beyond_rounding and (other := trial.other_formula()) is not None:
                found.append(f"{name}, seed {seed} ({distributions(seed)}): it is taken for another: {other}")
            if result.mismatch is not None:
                used = f"{result.max_used:.3g} of what is allowed"
                found.append(
                    f"{name}, seed {seed} ({distributions(seed)}): {used}, {result.mismatch.sentence}"
                )
    return found


def test_there_are_sixty_programs() -> None:
    assert sum(map(len, PROGRAMS.values())) >= 60
    assert set(PROGRAMS) == set(TASKS)


@pytest.mark.parametrize("task", sampled(TASKS, 3))
def test_sound_programs_pass(task: str, tmp_path: Path) -> None:
    assert refused(task, range(SEEDS), tmp_path) == []


def test_rows_with_a_far_outlier_pass(tmp_path: Path) -> None:
    """The fourth power of what is drawn there, which the error of a variance has, is beyond float32."""
    assert refused("layer_norm32", range(110, 111), tmp_path) == []


@pytest.mark.parametrize("task", ["cumsum32", "sum16", "layer_norm16", "matmul16", "ties32"])
def test_without_the_bound_they_would_be_refused(task: str, tmp_path: Path) -> None:
    assert refused(task, range(SEEDS), tmp_path, bounded=False)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_sound_programs_pass_at_every_seed(task: str, tmp_path: Path) -> None:
    assert refused(task, range(ALL_SEEDS), tmp_path) == []
