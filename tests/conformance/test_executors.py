"""One suite for what runs a bench: processes of this machine, and Ray. Workers follow a script."""

import contextlib
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest

import akgen
from akgen.bench.executors.executor import Executor, LocalExecutor, Stage, WorkerSlot
from akgen.bench.executors.scheduler import Limits
from akgen.bench.record import BenchConfig, Blame, Record
from akgen.bench.report import FaultTally, report
from akgen.bench.runner import pending, run
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.settings import Settings

WORKER = Path(__file__).parent / "scripted_bench_worker.py"
ENV = {
    "PATH": "/usr/bin:/bin",
    "PYTHONPATH": str(Path(akgen.__file__).parent.parent),
    "PYTHONDONTWRITEBYTECODE": "1",
}
WHOLE = (Stage.WHOLE, Stage.RUN)


class Make(Protocol):
    def __call__(
        self,
        log: Path,
        workers: Mapping[tuple[Stage, ...], int],
        devices: Sequence[int] = (),
        takes_s: float = 0.01,
    ) -> Executor: ...


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray")
    ray.init(
        address="local",
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=100 << 20,
    )
    yield
    ray.shutdown()


@pytest.fixture(params=["local", "ray"])
def make(request: pytest.FixtureRequest) -> Make:
    def local(
        log: Path,
        workers: Mapping[tuple[Stage, ...], int],
        devices: Sequence[int] = (),
        takes_s: float = 0.01,
    ) -> Executor:
        kinds = [stages for stages, count in workers.items() for _ in range(count)]
        slots = [
            WorkerSlot(name=f"w{n}", host="local", stages=stages, device=devices[0] if devices else None)
            for n, stages in enumerate(kinds)
        ]
        return LocalExecutor(slots, argv=[sys.executable, WORKER, log, str(takes_s)], env=ENV)

    def on_ray(
        log: Path,
        workers: Mapping[tuple[Stage, ...], int],
        devices: Sequence[int] = (),
        takes_s: float = 0.01,
    ) -> Executor:
        from akgen.bench.executors.ray_cluster import RayExecutor

        argv = [sys.executable, WORKER, log, str(takes_s)]
        return RayExecutor(workers, argv=argv, env=ENV, devices=devices, beat_s=0.3)

    if request.param == "ray":
        request.getfixturevalue("cluster")
        return on_ray
    return local


def begun(folder: Path, *tasks: str, samples: int = 1, timeout_s: float = 30.0) -> BenchStore:
    config = BenchConfig(
        suite="builtin",
        source="answers",
        mode="dynamic",
        toolchain="twin 0 (test)",
        tasks=tasks,
        samples=samples,
        task_timeout_s=timeout_s,
    )
    return BenchStore.begin(folder, config)


def work(
    store: BenchStore, executor: Executor, *, compile_apart: bool = False, limits: Limits | None = None
) -> Iterator[Record]:
    tasks = store.config.tasks
    folders = {t: Path("/nowhere") for t in tasks}
    jobs = pending(store, folders, dict.fromkeys(tasks, 1), compile_apart=compile_apart)
    return run(store, jobs, executor, settings=Settings(cache=store.folder), limits=limits)


def logged(log: Path, what: str = "begin") -> list[dict[str, Any]]:
    return (
        [e for e in map(json.loads, log.read_text().splitlines()) if e["what"] == what]
        if log.exists()
        else []
    )


def wait_for(condition: Any, seconds: float = 15.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def lines(store: BenchStore) -> Counter[tuple[str, int]]:
    return Counter(
        (r["task"], r["sample"]) for r in map(json.loads, store.results_file.read_text().splitlines())
    )


def test_each_job_is_done_and_written_once_whatever_their_order(make: Make, tmp_path: Path) -> None:
    store = begun(tmp_path / "run", "g1", "g2", "g3", "g4", samples=3)
    found = list(work(store, make(tmp_path / "log", {WHOLE: 3})))
    asked = Counter((f"g{t}", n) for t in (1, 2, 3, 4) for n in range(3))
    assert Counter((r.task, r.sample) for r in found) == asked == lines(store)
    assert Counter((e["task"], e["samples"][0]) for e in logged(tmp_path / "log")) == asked
    assert all(r.solved and r.tries == 1 for r in found)
    assert not list((store.folder / "verdicts").iterdir())


def test_machine_faults_alone_are_tried_again_and_stand_beside_the_score(make: Make, tmp_path: Path) -> None:
    store = begun(tmp_path / "run", "o1", "m1", "f1", "d1", "b1", "g1")
    found = {r.task: r for r in work(store, make(tmp_path / "log", {WHOLE: 2}))}
    assert {t: r.outcome for t, r in found.items() if r.error is None} == dict.fromkeys(
        ("o1", "m1", "g1"), "correct"
    )
    assert {t: r.fault for t, r in found.items() if r.error} == {
        "f1": Blame.MACHINE,
        "d1": Blame.MACHINE,
        "b1": Blame.BUG,
    }
    assert "out of memory" in (found["d1"].error or "")
    tally = report(store.config, store.records(), dict.fromkeys(store.config.tasks, 1))
    assert tally.faults == FaultTally(machine=2, bug=1, mended=2, tries=8)
    assert tally.levels["1"].er[0].value == 1.0, "what has no outcome is beside the score"
    begins = Counter(e["task"] for e in logged(tmp_path / "log"))
    assert (
        begins
        == {"o1": 2, "m1": 2, "f1": 3, "d1": 3, "b1": 1, "g1": 1}
        == {t: r.tries for t, r in found.items()}
    )


def test_a_sample_whose_code_was_running_each_time_a_worker_died_has_failed(
    make: Make, tmp_path: Path
) -> None:
    store = begun(tmp_path / "run", "d1")
    launched = store.folder / "work" / "d1-0" / "test/candidate/0-0/run/report.jsonl"
    launched.parent.mkdir(parents=True)
    launched.write_text('{"kind":"locked"}\n')
    late = time.time() + 60
    os.utime(launched, (late, late))
    (record,) = work(store, make(tmp_path / "log", {WHOLE: 1}))
    assert (record.outcome, record.error, record.tries) == (Outcome.TRAP, None, 3)
    er = report(store.config, store.records(), {"d1": 1}).levels["1"].er
    assert er[0].value == 0.0, "it counts in the denominator"


def test_a_worker_that_fails_two_jobs_gets_no_third(make: Make, tmp_path: Path) -> None:
    store = begun(tmp_path / "run", *(f"w{n}" for n in range(8)))
    found = list(work(store, make(tmp_path / "log", {WHOLE: 2}, takes_s=0.05)))
    assert all(r.solved for r in found) and len(found) == 8
    bad = int((tmp_path / "bad").read_text())
    assert sum(e["pid"] == bad for e in logged(tmp_path / "log")) == 2
    assert sum(r.tries == 2 for r in found) == 2


def test_a_worker_without_a_sign_of_life_loses_its_job_and_a_busy_one_keeps_it(
    make: Make, tmp_path: Path
) -> None:
    store = begun(tmp_path / "run", "h1", "g1")
    executor = make(tmp_path / "log", {WHOLE: 2}, takes_s=4.0)
    found = {r.task: r for r in work(store, executor, limits=Limits(silence_s=3.0))}
    assert found["h1"].solved and found["h1"].tries == 2
    assert found["g1"].solved and found["g1"].tries == 1


def test_a_job_that_takes_longer_than_it_may_is_a_timeout_and_is_not_tried_again(
    make: Make, tmp_path: Path
) -> None:
    store = begun(tmp_path / "run", "l1", "g1", timeout_s=10.0)
    found = {r.task: r for r in work(store, make(tmp_path / "log", {WHOLE: 1}))}
    assert found["l1"].outcome == Outcome.TIMEOUT and found["g1"].solved
    assert len(logged(tmp_path / "log")) == 2


def test_one_lease_at_a_time_holds_a_device(make: Make, tmp_path: Path) -> None:
    store = begun(tmp_path / "run", *(f"g{n}" for n in range(6)))
    found = list(work(store, make(tmp_path / "log", {WHOLE: 3}, devices=(0,), takes_s=0.03)))
    assert all(r.solved for r in found) and len(found) == 6
    course = sorted(logged(tmp_path / "log") + logged(tmp_path / "log", "end"), key=lambda e: e["at"])
    assert [e["what"] for e in course] == ["begin", "end"] * 6


def test_one_worker_compiles_and_another_runs_each_job_once(make: Make, tmp_path: Path) -> None:
    store = begun(tmp_path / "run", "g1", "g2", "g3", samples=2)
    executor = make(tmp_path / "log", {(Stage.RUN,): 1, (Stage.COMPILE,): 1})
    found = list(work(store, executor, compile_apart=True))
    assert all(r.solved for r in found) and len(found) == 6
    log = logged(tmp_path / "log")
    for stage in ("compile", "run"):
        assert len({(e["task"], *e["samples"]) for e in log if e["stage"] == stage}) == 6
    assert len(log) == 12
    pids = [{e["pid"] for e in log if e["stage"] == stage} for stage in ("compile", "run")]
    assert not pids[0] & pids[1]
    order = [(e["task"], *e["samples"]) for e in log]
    assert all(order.index(job) != len(order) - 1 - order[::-1].index(job) for job in order)


def test_a_run_that_is_given_up_leaves_no_worker_and_goes_on_later(make: Make, tmp_path: Path) -> None:
    store = begun(
        tmp_path / "run", "l1", "g1"
    )  # the worker that is there first begins the one without an end
    records = work(store, make(tmp_path / "log", {WHOLE: 2}))
    assert next(records).task == "g1"
    wait_for(lambda: len(logged(tmp_path / "log")) == 2)
    records.close()  # type: ignore[attr-defined]
    pids = {e["pid"] for e in logged(tmp_path / "log")}
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    assert store.done() == {("g1", 0)}


def test_a_verdict_on_disk_counts_though_its_worker_ended_before_it_said_so(
    make: Make, tmp_path: Path
) -> None:
    store = begun(tmp_path / "run", "s1", "g1")
    found = {r.task: r for r in work(store, make(tmp_path / "log", {WHOLE: 1}))}
    assert found["s1"].solved and found["s1"].tries == 1
    assert len(logged(tmp_path / "log")) == 2


def test_workers_that_are_killed_lose_nothing_and_nothing_is_judged_twice(make: Make, tmp_path: Path) -> None:
    store = begun(tmp_path / "run", "g1", "g2", "g3", samples=8)
    killed = []
    for k, _ in enumerate(work(store, make(tmp_path / "log", {WHOLE: 2}, takes_s=0.05))):
        if k in (5, 15):
            killed.append(logged(tmp_path / "log")[-1]["pid"])
            with contextlib.suppress(ProcessLookupError):
                os.kill(killed[-1], signal.SIGKILL)
    assert len(killed) == 2
    assert set(lines(store).values()) == {1} and len(lines(store)) == 24
    assert all(r.solved for r in store.records())
