"""Whether every task of a suite loads and its reference runs, at the sizes that it is judged with.

A worker process does one task after the other (`python -m akgen.bench.check`): a reference may hang or end it, and it
is started anew for the next one.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from akgen.bench.suites import category_of, load_task
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.task import Mode
from akgen.tools.process.worker import Worker, WorkerDied, end_with_parent

_START_S = 300.0


class ReferenceAsked(Frozen):
    """One task to check."""

    folder: Path
    mode: Mode
    max_mb: float | None


class ReferenceCheck(Frozen):
    """What came of it; `why` says what keeps anybody from being judged on it."""

    found: Literal["runs", "excluded"]
    cases: int = 0
    size_bytes: int | None = None  # of the first case, where it is known
    why: str = ""
    wall_s: float = 0.0


class Checked(ReferenceCheck):
    """One task of the suite."""

    task: str
    category: str


def check(
    folders: Mapping[str, Path], mode: Mode, max_mb: float | None, timeout_s: float, env: Mapping[str, str]
) -> Iterator[Checked]:
    """Load every task, run its reference on a sample of the first case, and yield its row."""
    with Worker([sys.executable, "-m", "akgen.bench.check"], cwd=Path("/"), env=env) as worker:
        for name, folder in folders.items():
            started = time.monotonic()
            found = _ask(worker, ReferenceAsked(folder=folder, mode=mode, max_mb=max_mb), timeout_s)
            row = {**found.model_dump(), "wall_s": round(time.monotonic() - started, 2)}
            yield Checked(task=name, category=category_of(folder), **row)


def _ask(worker: Worker, asked: ReferenceAsked, timeout_s: float) -> ReferenceCheck:
    try:
        if not worker.running:
            worker.request({}, _START_S)  # imports are no part of a task's time
        return ReferenceCheck.model_validate(worker.request(asked.model_dump(mode="json"), timeout_s))
    except WorkerDied as died:
        if died.timed_out:
            return ReferenceCheck(found="excluded", why=f"The reference takes more than {timeout_s:.0f} s.")
        lines = [line for line in died.tail.splitlines() if line.strip()]
        return ReferenceCheck(
            found="excluded",
            why=shown(f"The reference ends its process: {lines[-1] if lines else died.text}"),
        )


def run(asked: ReferenceAsked) -> ReferenceCheck:
    """Check one task in this process."""
    try:
        task, _ = load_task(asked.folder, asked.mode, asked.max_mb)
        loaded = importlib.import_module(task.reference.loader).load(task.reference, task.cases[0])
        sample = loaded.sample(1, "task")
    except InputError as e:
        return ReferenceCheck(found="excluded", why=shown(f"{e.text} {e.remedy}"))
    if not sample.returned:
        return ReferenceCheck(found="excluded", why="The reference returns nothing to compare with.")
    return ReferenceCheck(found="runs", cases=len(task.cases), size_bytes=task.cases[0].size_bytes)


def main() -> None:
    end_with_parent()
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a reference prints must not look like an answer
    for line in sys.stdin:
        asked = json.loads(line)
        protocol.write(
            (run(ReferenceAsked.model_validate(asked)).model_dump_json() if asked else "{}") + "\n"
        )


if __name__ == "__main__":
    main()
