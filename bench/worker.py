"""A worker process of the batch runner: one JSON line per job on stdin, its records on stdout, beats in between.

Started as `python -m akgen.bench.worker`. What references or libraries print goes to stderr.
"""

import json
import os
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from akgen.bench.executors.executor import Job
from akgen.bench.job import Bench, open_bench
from akgen.bench.record import BenchConfig, Blame, Record
from akgen.bench.runner import answer, failed
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings
from akgen.tools.process.worker import BEAT, end_with_parent

BEAT_S = 5.0


def main() -> None:
    end_with_parent()
    protocol = os.dup(1)
    os.dup2(2, 1)  # what anything prints must not look like an answer
    turn = threading.Lock()

    def say(line: bytes) -> None:
        with turn:
            view = memoryview(line + b"\n")
            while view:
                view = view[os.write(protocol, view) :]

    def beat() -> None:
        while True:
            time.sleep(BEAT_S)
            say(BEAT)

    threading.Thread(target=beat, daemon=True).start()
    bench: Bench | None = None
    with ExitStack() as stack:
        for line in sys.stdin:
            message = json.loads(line)
            job = Job.model_validate(message["job"])
            try:
                if bench is None:
                    config = BenchConfig.model_validate(message["config"])
                    settings = Settings.model_validate(message["settings"])
                    bench = stack.enter_context(open_bench(config, Path(message["run"]), settings))
                store = BenchStore(Path(message["run"]), BenchConfig.model_validate(message["config"]))
                records = answer(bench, job, store.settle)
            except (InputError, InfraError) as e:  # the worker cannot be set up; the next job tries again
                fault = Blame.INPUT if isinstance(e, InputError) else Blame.MACHINE
                records = [failed(job, n, f"{e.text} {e.remedy}", fault) for n in job.samples]
            say(_line(records, bench.trials if bench is not None else set()))


def _line(records: list[Record], trials: set[str]) -> bytes:
    answer = {"records": [json.loads(r.model_dump_json()) for r in records], "trials": sorted(trials)}
    trials.clear()
    return json.dumps(answer).encode()


if __name__ == "__main__":
    main()
