"""A run of an earlier version still reads: an attempt.json beside the list of attempts, times as predicted_us."""

import shutil
from pathlib import Path

from akgen.commands.show import describe_run
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.outcome import Outcome

EARLIER = Path(__file__).parent / "earlier_run"


def test_its_configuration_result_and_attempts_read(tmp_path: Path) -> None:
    run = shutil.copytree(EARLIER, tmp_path / "run")
    store = RunStore.open(run)
    assert (store.info.config.command, store.info.config.seed) == ("solve", 690756923)
    (place,) = store.tasks()
    solution = place.solution()
    assert solution is not None and solution.outcome is Outcome.CORRECT
    assert (solution.time_us, solution.time_source) == (solution.candidates[0].time_us, "predicted")
    (attempt,) = place.sample(0).attempts()
    assert attempt.verdict == solution.verdict
    assert describe_run(run).tasks[0].samples[0].ended


def test_one_that_stopped_before_it_gathered_its_attempts_reads_too(tmp_path: Path) -> None:
    run = shutil.copytree(EARLIER, tmp_path / "run")
    sample = RunStore.open(run).tasks()[0].sample(0)
    gathered = sample.attempts()
    (sample.folder / "attempts.json").unlink()
    assert sample.attempts() == gathered
    sample.save_attempt(gathered[0].model_copy(update={"number": 2}))
    assert [a.number for a in sample.attempts()] == [1, 2]
    third, again = (gathered[0].model_copy(update={"number": n, "page": None}) for n in (3, 2))
    sample.save_attempt(third)
    sample.save_attempt(again)
    assert sample.attempts() == (gathered[0], again, third)


def test_a_sample_has_ended_only_when_its_last_attempt_was_criticised(tmp_path: Path) -> None:
    run = shutil.copytree(EARLIER, tmp_path / "run")
    sample = RunStore.open(run).tasks()[0].sample(0)
    lines = sample.events_file.read_bytes()
    sample.events_file.write_bytes(lines[:-20])
    assert not sample.ended
    sample.events_file.write_bytes(lines)
    assert sample.ended
