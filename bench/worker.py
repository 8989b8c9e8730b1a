"""A worker process of the batch runner: one JSON line per job on stdin, its records on stdout.

Started as `python -m akgen.bench.worker`. What references or libraries print goes to stderr.
"""

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from akgen.bench.job import Bench, Job, open_bench
from akgen.bench.record import BenchConfig
from akgen.bench.runner import answer, failed
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings
from akgen.tools.process.worker import end_with_parent


def main() -> None:
    end_with_parent()
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what anything prints must not look like an answer
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
                records = answer(bench, job)
            except (InputError, InfraError) as e:  # the worker cannot be set up; the next job tries again
                records = [failed(job, n, f"{e.text} {e.remedy}") for n in job.samples]
            protocol.write(json.dumps({"records": [json.loads(r.model_dump_json()) for r in records]}) + "\n")


if __name__ == "__main__":
    main()
