"""Trials that are asked for again are made once, with the same bytes; whatever decides over them makes others."""

import shutil
from pathlib import Path

import pytest

from akgen.bench.resolve import resolve_task
from akgen.tools.cache.eviction import cache_use
from akgen.tools.core.call import TensorFile
from akgen.tools.core.task import Task
from akgen.tools.judge.trials import TrialFiles, nonce, plan
from akgen.tools.reference.client import ReferenceWorker, SampleFiles
from akgen.tools.reference.kept_trials import kept_trials, pack, unpack


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """Return a copy of one of our tasks, which a test may change."""
    folder = tmp_path / "relu"
    shutil.copytree(resolve_task("relu").reference.path.parent, folder)
    found = resolve_task(str(folder))
    return found.model_copy(update={"cases": found.cases[:1]})


def trial(kept: Path, task: Task, seed: int | None, work: Path) -> tuple[SampleFiles, bytes]:
    steps = [(task.cases[0], plan(task, task.cases[0], 1, nonce(seed))[0])]
    with (
        ReferenceWorker(kept=kept_trials(kept)) as reference,
        TrialFiles(reference, task, steps, work, again=seed is not None) as files,
        files.of(*steps[0]) as prepared,
    ):
        (given,) = prepared.trial.call.inputs
        (want,) = prepared.trial.expected
        assert isinstance(given, TensorFile) and isinstance(want, TensorFile)
        return prepared.trial, given.path.read_bytes() + want.path.read_bytes()


def uses(kept: Path) -> tuple[int, int, int]:
    use = next(u for u in cache_use(kept) if u.name == "reference")
    return use.entries, use.hits, use.misses


def test_a_trial_is_made_once_for_all_samples_of_a_repeatable_run(tmp_path: Path, task: Task) -> None:
    first, made = trial(tmp_path / "cache", task, 7, tmp_path / "a")
    second, kept = trial(tmp_path / "cache", task, 7, tmp_path / "b")
    assert (first, made) == (second, kept) and uses(tmp_path / "cache") == (1, 1, 1)
    fresh, anew = trial(tmp_path / "none", task, 7, tmp_path / "c")
    assert (
        anew == made and fresh.computed == first.computed and fresh.least_operations == first.least_operations
    )


def test_hidden_seeds_are_not_kept(tmp_path: Path, task: Task) -> None:
    assert (
        trial(tmp_path / "cache", task, None, tmp_path / "a")[1]
        != trial(tmp_path / "cache", task, None, tmp_path / "b")[1]
    )
    assert uses(tmp_path / "cache") == (0, 0, 0)


def test_a_changed_reference_and_a_damaged_entry_are_made_anew(tmp_path: Path, task: Task) -> None:
    kept = tmp_path / "cache"
    first, made = trial(kept, task, 7, tmp_path / "a")
    (given,) = first.call.inputs
    assert isinstance(given, TensorFile)
    given.path.write_bytes(bytes(given.size_bytes))
    assert trial(kept, task, 7, tmp_path / "b")[1] == made
    assert uses(kept) == (1, 0, 2)
    with task.reference.path.open("a") as file:
        file.write("\n# another\n")
    assert trial(kept, task, 7, tmp_path / "c")[1] == made
    assert uses(kept) == (2, 0, 3)


def test_another_machine_takes_trials_as_they_are_and_makes_none(tmp_path: Path, task: Task) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    _, made = trial(here, task, 7, tmp_path / "a")
    keys = [p.name for p in (here / "reference").glob("*/*") if p.is_dir()]
    unpack(kept_trials(there), pack(kept_trials(here), [*keys, "absent"]))
    before = uses(there)
    assert trial(there, task, 7, tmp_path / "b")[1] == made
    assert uses(there) == (1, before[1] + 1, before[2])
