"""Run other programs: the one place that starts processes.

A program runs in a process group of its own, with an environment that holds what the caller names and nothing else.
`run` runs one to its end; `run_sandboxed` goes through the built `akgen_sandbox` (seccomp, Landlock, limits). `Worker`
talks to a process that stays, `Service` is one that only serves others.
"""

from akgen.tools.process.group import MINIMAL_ENV, signal_name
from akgen.tools.process.program import Finished, run
from akgen.tools.process.sandbox import SYSTEM_READ, Limits, run_sandboxed
from akgen.tools.process.service import Service
from akgen.tools.process.worker import Worker, WorkerDied, end_with_parent

__all__ = [
    "MINIMAL_ENV",
    "SYSTEM_READ",
    "Finished",
    "Limits",
    "Service",
    "Worker",
    "WorkerDied",
    "end_with_parent",
    "run",
    "run_sandboxed",
    "signal_name",
]
