"""Ask a worker process of one task of a suite after the other.

A reference may hang or end its process, which is then started anew for the next task. A module serves as
`python -m MODULE`, with `serve` as its main function.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.task import Mode
from akgen.tools.process.worker import Worker, WorkerDied, end_with_parent

_START_S = 300.0


class AskedTask(Frozen):
    """One task, and of its cases those that are asked for."""

    folder: Path
    mode: Mode
    max_mb: float | None


class TaskReply(NamedTuple):
    """What the worker said of a task; None with the reason where it died."""

    task: str
    folder: Path
    said: object | None
    died: WorkerDied | None
    wall_s: float

    def last_words(self) -> list[str]:
        """Return the lines that a worker wrote before it died, or why it did."""
        if self.died is None:
            return []
        return [line for line in self.died.tail.splitlines() if line.strip()] or [self.died.text]


def ask_each(
    module: str, folders: Mapping[str, Path], mode: Mode, max_mb: float | None, timeout_s: float, env: Mapping[str, str]
) -> Iterator[TaskReply]:  # fmt: skip
    """Yield the replies of a worker that runs `module`, a task at a time, each within `timeout_s` seconds."""
    with Worker([sys.executable, "-m", module], cwd=Path("/"), env=env) as worker:
        for name, folder in folders.items():
            asked = AskedTask(folder=folder, mode=mode, max_mb=max_mb).model_dump(mode="json")
            started, said, died = time.monotonic(), None, None
            try:
                if not worker.running:
                    worker.request({}, _START_S)  # imports are no part of a task's time
                said = worker.request(asked, timeout_s)
            except WorkerDied as e:
                died = e
            yield TaskReply(name, folder, said, died, round(time.monotonic() - started, 2))


def serve(reply: Callable[[AskedTask], Frozen]) -> None:
    """Answer each line of standard input with `reply`, until it ends."""
    end_with_parent()
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a reference prints must not look like an answer
    for line in sys.stdin:
        asked = json.loads(line)
        protocol.write((reply(AskedTask.model_validate(asked)).model_dump_json() if asked else "{}") + "\n")
