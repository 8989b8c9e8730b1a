"""Whether every task of a suite loads and its reference runs, at the sizes that it is judged with."""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from akgen.bench.suites import category_of, load_task
from akgen.bench.task_worker import AskedTask, TaskReply, ask_each, serve
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.task import Mode


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
    for reply in ask_each("akgen.bench.check", folders, mode, max_mb, timeout_s, env):
        row = {**_found(reply, timeout_s).model_dump(), "wall_s": reply.wall_s}
        yield Checked(task=reply.task, category=category_of(reply.folder), **row)


def _found(reply: TaskReply, timeout_s: float) -> ReferenceCheck:
    if reply.died is None:
        return ReferenceCheck.model_validate(reply.said)
    if reply.died.timed_out:
        return ReferenceCheck(found="excluded", why=f"The reference takes more than {timeout_s:.0f} s.")
    return ReferenceCheck(
        found="excluded", why=shown(f"The reference ends its process: {reply.last_words()[-1]}")
    )


def run(asked: AskedTask) -> ReferenceCheck:
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


if __name__ == "__main__":
    serve(run)
