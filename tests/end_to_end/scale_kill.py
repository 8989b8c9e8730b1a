"""Many verdicts with workers killed all the time: `make scale-kill N=2000 EVERY=20 EXECUTOR=ray`.

Exit 0 if every sample has one verdict on disk, and the one that it must have.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from akgen.bench.executors.executor import ExecutorName
from akgen.bench.launch import Places, executor
from akgen.bench.record import BenchConfig
from akgen.bench.runner import pending, run
from akgen.bench.speed_scale import TASKS, write_samples
from akgen.bench.store import BenchStore
from akgen.bench.suites import level_of, suite_folders
from akgen.settings import from_environment
from akgen.tools.core.task import Mode
from akgen.tools.core.toolchain import ToolchainName
from akgen.tools.toolchains import make_toolchain


def worker_pids() -> list[int]:
    """Return the worker processes below this program, whoever started them."""
    parents, workers = {}, []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
            if b"akgen.bench.worker" in (stat.parent / "cmdline").read_bytes():
                workers.append(int(stat.parent.name))
        except OSError:  # it has ended
            continue

    def ours(pid: int) -> bool:
        while pid in parents:
            if pid == os.getpid():
                return True
            pid = parents[pid]
        return False

    return [pid for pid in workers if ours(pid)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two kills")
    parser.add_argument("--executor", type=ExecutorName, default=ExecutorName.RAY)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("build/scale-kill"))
    asked = parser.parse_args()
    settings = from_environment().for_workers()
    toolchain = make_toolchain(ToolchainName.TWIN, settings)
    toolchain.prepare(print)
    shutil.rmtree(asked.folder, ignore_errors=True)
    samples = -(-asked.count // len(TASKS))
    many = write_samples(asked.folder.resolve(), samples, faulty_every=7)
    folders = suite_folders(str(many.suite), None)
    config = BenchConfig(
        suite=str(many.suite), source=str(many.source), mode=Mode.DYNAMIC, toolchain=toolchain.version(),
        tasks=tuple(folders), samples=samples, trials=1, seed=0,
    )  # fmt: skip
    store = BenchStore.begin(asked.folder / "run", config)
    levels = {name: level_of(folder) for name, folder in folders.items()}
    env = dict(os.environ) | {"OMP_NUM_THREADS": "1"}
    ended, killed, drawn = threading.Event(), [], random.Random(1)

    def kill() -> None:
        while not ended.wait(asked.every):
            if pids := worker_pids():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(drawn.choice(pids), signal.SIGKILL)
                    killed.append(time.monotonic())

    threading.Thread(target=kill, daemon=True).start()
    started = time.monotonic()
    number = rounds = 0
    # A job that was killed three times is left to the next command; the same is done here.
    while (jobs := pending(store, folders, levels)) and rounds < 5:
        rounds += 1
        where = executor(
            Places(executor=asked.executor, workers=asked.workers),
            argv=[sys.executable, "-m", "akgen.bench.worker"],
            env=env,
        )
        for _ in run(store, jobs, where, settings=settings):
            number += 1
            if number % 50 == 0:
                print(
                    f"{number} verdicts, {len(killed)} killed, {time.monotonic() - started:.0f} s", flush=True
                )
    ended.set()
    lines = map(json.loads, store.results_file.read_text().splitlines())
    written = Counter((r["task"], r["sample"]) for r in lines if r["error"] is None)
    records = {(r.task, r.sample): r for r in store.records()}
    wrong = [
        f"{task} {n}: {records[task, n].outcome or records[task, n].error if (task, n) in records else 'lost'}"
        for task, outcomes in many.outcomes.items()
        for n, outcome in enumerate(outcomes)
        if (task, n) not in records or records[task, n].outcome != outcome
    ]
    twice = [key for key, count in written.items() if count > 1]
    seconds = time.monotonic() - started
    tried = sum(r.tries > 1 for r in records.values())
    print(
        f"{len(records)} verdicts by {asked.workers} workers, {asked.executor}, {seconds:.0f} s, {len(killed)} killed, "
        f"{tried} tried again, {len(wrong)} lost or wrong, {len(twice)} written twice, {rounds} rounds"
    )
    print(*wrong[:20], sep="\n")
    return 1 if wrong or twice or not killed else 0


if __name__ == "__main__":
    sys.exit(main())
