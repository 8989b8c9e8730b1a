"""The batch runner: resumes, survives its workers, and never mixes runs. Workers here follow a script."""

import sys
from pathlib import Path

import pytest

from akgen.bench.launch import Places, executor
from akgen.bench.record import BenchConfig, Record
from akgen.bench.runner import answer, pending, run
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import AfterCandidate, InfraError, Outcome
from akgen.tools.core.settings import Settings

WORKER = Path(__file__).parent / "scripted_worker.py"


def config(*tasks: str, samples: int = 1, timeout_s: float = 30.0) -> BenchConfig:
    return BenchConfig(
        suite="builtin",
        source="composer",
        mode="dynamic",
        toolchain="twin 0 (test)",
        tasks=tasks,
        samples=samples,
        task_timeout_s=timeout_s,
    )


def work(store: BenchStore, log: Path, workers: int = 1, stop_after: int | None = None) -> list[Record]:
    tasks = store.config.tasks
    jobs = pending(store, {t: Path("/nowhere") for t in tasks}, dict.fromkeys(tasks, 1))
    found = []
    records = run(
        store,
        jobs,
        executor(Places(workers=workers), argv=[sys.executable, WORKER, log], env={"PATH": "/usr/bin"}),
        settings=Settings(cache=log.parent),
    )
    for record in records:
        found.append(record)
        if len(found) == stop_after:
            break
    return found


def jobs_done(log: Path) -> list[str]:
    return log.read_text().splitlines()


def test_every_task_is_done_once_and_on_disk(tmp_path: Path) -> None:
    store = BenchStore.begin(tmp_path / "run", config("g1", "w1", "g2"))
    found = work(store, tmp_path / "log", workers=2)
    assert {r.task: r.outcome for r in found} == {"g1": "correct", "w1": "wrong", "g2": "correct"}
    again = BenchStore.open(tmp_path / "run")
    assert [r.task for r in again.records()] == ["g1", "w1", "g2"]


def test_the_same_command_again_does_only_what_is_missing(tmp_path: Path) -> None:
    asked = config("g1", "g2", "g3", samples=2)
    first = BenchStore.begin(tmp_path / "run", asked)
    work(first, tmp_path / "log", stop_after=3)
    kept = first.results_file.read_text().splitlines(keepends=True)
    first.results_file.write_text("".join(kept[:3]))  # one task whole, half of the next
    work(BenchStore.begin(tmp_path / "run", asked), tmp_path / "log2")
    assert sorted(jobs_done(tmp_path / "log2")) == ["g2 [1]", "g3 [0, 1]"]
    records = BenchStore.open(tmp_path / "run").records()
    assert [(r.task, r.sample) for r in records] == [(f"g{t}", s) for t in (1, 2, 3) for s in (0, 1)]


def test_a_torn_last_line_is_done_again(tmp_path: Path) -> None:
    asked = config("g1", "g2")
    store = BenchStore.begin(tmp_path / "run", asked)
    work(store, tmp_path / "log")
    text = store.results_file.read_text()
    store.results_file.write_text(text[:-20])
    work(BenchStore.begin(tmp_path / "run", asked), tmp_path / "log2")
    assert jobs_done(tmp_path / "log2") == ["g2 [0]"]
    assert len(BenchStore.open(tmp_path / "run").records()) == 2


def test_a_worker_that_dies_is_an_error_beside_the_score_and_is_replaced(tmp_path: Path) -> None:
    asked = config("d1", "g1")
    store = BenchStore.begin(tmp_path / "run", asked)
    dead, good = work(store, tmp_path / "log")
    assert dead.outcome is None
    assert dead.error is not None
    assert "out of memory" in dead.error
    assert good.solved
    assert store.done() == {("g1", 0)}  # the error is tried again next time
    work(BenchStore.begin(tmp_path / "run", asked), tmp_path / "log2")
    assert jobs_done(tmp_path / "log2") == ["d1 [0]"] * 3


def test_a_task_that_takes_too_long_is_a_timeout_and_the_run_goes_on(tmp_path: Path) -> None:
    store = BenchStore.begin(tmp_path / "run", config("s1", "g1", timeout_s=0.7))
    slow, good = work(store, tmp_path / "log")
    assert slow.outcome == Outcome.TIMEOUT
    assert slow.error is None
    assert good.solved


def test_a_folder_of_another_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    BenchStore.begin(tmp_path / "run", config("g1"))
    with pytest.raises(Exception, match="another samples"):
        BenchStore.begin(tmp_path / "run", config("g1", samples=3))


def test_a_folder_that_cannot_be_written_is_an_infra_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InfraError, match="--out"):
        BenchStore.begin(tmp_path / "file" / "run", config("g1"))


class Failing:
    """A bench that raises half-way."""

    solves = False

    def __init__(self, error: Exception, before: Record) -> None:
        self._error, self._before = error, before

    def perform(self, job):  # type: ignore[no-untyped-def]
        yield self._before
        raise self._error


def test_a_bug_of_ours_is_recorded_and_keeps_what_was_done() -> None:
    from akgen.bench.executors.executor import Job

    done = Record(task="t", sample=0, level=1, category="c", outcome=Outcome.CORRECT)
    job = Job(task="t", folder=Path("/nowhere"), level=1, samples=(0, 1))
    kept, failed = answer(Failing(KeyError("surprise"), done), job)
    assert kept == done
    assert (failed.sample, failed.outcome) == (1, None)
    assert failed.error is not None
    assert failed.error.startswith("bug in AKGen: KeyError: 'surprise' (test_runner.py:")


@pytest.mark.parametrize("error", [InfraError("The disk is full.", "Free some."), KeyError("surprise")])
def test_what_breaks_after_candidate_code_ran_has_failed_and_counts(error: Exception) -> None:
    from akgen.bench.executors.executor import Job
    from akgen.bench.metrics import rate

    with pytest.raises(type(error)), AfterCandidate():
        raise error
    done = Record(task="t", sample=0, level=1, category="c", outcome=Outcome.CORRECT)
    job = Job(task="t", folder=Path("/nowhere"), level=1, samples=(0, 1, 2))
    records = answer(Failing(error, done), job)
    assert [(r.sample, r.outcome) for r in records] == [(0, Outcome.CORRECT), (1, Outcome.TRAP), (2, None)]
    assert records[1].error is None and records[1].why.startswith("its code had run: ")
    assert records[2].error is not None, "the third sample was not reached"
    counted = rate(records, lambda r: r.outcome == Outcome.CORRECT, 1)
    assert counted is not None and counted.value == 0.5


def test_a_bug_of_ours_that_an_answer_provokes_counts_as_its_failure_and_a_broken_machine_does_not() -> None:
    from akgen.bench.executors.executor import Job

    done = Record(task="t", sample=0, level=1, category="c", outcome=Outcome.CORRECT)
    job = Job(task="t", folder=Path("/nowhere"), level=1, samples=(0, 1))
    outcomes = []
    for error in (RecursionError("deep"), InfraError("The disk is full.", "Free some.")):
        with pytest.raises(type(error)), AfterCandidate(bugs=True):
            raise error
        outcomes.append(answer(Failing(error, done), job)[1])
    bug, machine = outcomes
    assert (bug.outcome, bug.error) == (Outcome.TRAP, None)
    assert bug.why.startswith("what it wrote was being read: bug in AKGen: RecursionError: deep")
    assert machine.outcome is None and machine.error is not None


@pytest.mark.parametrize(("ran", "outcome"), [(True, Outcome.TRAP), (False, None)])
def test_a_worker_that_dies_while_candidate_code_runs_takes_the_sample_with_it(
    tmp_path: Path, ran: bool, outcome: Outcome | None
) -> None:
    store = BenchStore.begin(tmp_path / "run", config("d1"))
    report = tmp_path / "run" / "work" / "d1-0" / "test/candidate/0-0/run/report.jsonl"
    report.parent.mkdir(parents=True)
    report.write_text('{"kind":"locked"}\n' if ran else "")
    (record,) = work(store, tmp_path / "log")
    assert record.outcome == outcome
    assert (record.error is None) == ran
