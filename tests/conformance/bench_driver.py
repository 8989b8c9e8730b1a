"""Drive a run of scripted workers, for tests that kill it: RUN LOG TAKES_S local, or RUN LOG TAKES_S ADDRESS of Ray."""

import sys
from pathlib import Path

from akgen.bench.executors.executor import Executor, LocalExecutor, Stage, WorkerSlot
from akgen.bench.runner import pending, run
from akgen.bench.store import BenchStore
from akgen.tools.core.settings import Settings
from tests.conformance.test_executors import ENV, WORKER

folder, log, takes_s, where = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]
WORKERS, WHOLE = 2, (Stage.WHOLE, Stage.RUN)
argv = [sys.executable, WORKER, log, takes_s]
executor: Executor
if where == "local":
    slots = [WorkerSlot(name=f"w{n}", host="local") for n in range(WORKERS)]
    executor = LocalExecutor(slots, argv=argv, env=ENV)
else:
    from akgen.bench.executors.ray_cluster import RayExecutor

    executor = RayExecutor({WHOLE: WORKERS}, argv=argv, env=ENV, address=where, beat_s=0.3)
store = BenchStore.open(folder)
with store.claimed():
    tasks = store.config.tasks
    jobs = pending(store, {t: Path("/nowhere") for t in tasks}, dict.fromkeys(tasks, 1))
    for record in run(store, jobs, executor, settings=Settings(cache=store.folder)):
        print(record.task, record.sample, flush=True)
