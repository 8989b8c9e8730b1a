"""Go through a suite, task by task: whether references run (`check`), and what the composer covers (`survey`).

Nothing is compiled. A worker process does what is asked of it (`python -m akgen.bench.survey check`, or `compose`), one
task after the other: a reference may hang or end its process, which is then started anew for the next task.
"""

import importlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from akgen.agents.composer import ModelFree
from akgen.bench.suites import category_of, load_task
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.plain_text import shown
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


class ReferenceCheck(Frozen):
    """Whether a task loads and its reference runs; `why` says what keeps anybody from being judged on it."""

    found: Literal["runs", "excluded"]
    cases: int = 0
    size_bytes: int | None = None  # of the first case, where it is known
    why: str = ""
    wall_s: float = 0.0


class Checked(ReferenceCheck):
    """One task of the suite."""

    task: str
    category: str


class Composing(Frozen):
    """What came of composing. Of a task that is not composed, `operator` names what stands in the way."""

    found: Literal["composed", "refused", "no reference", "too slow", "bug"]
    operator: str = ""
    why: str = ""


class Surveyed(Composing):
    """One task of the suite."""

    task: str
    category: str


class Share(Frozen):
    """How many tasks of a category are composed."""

    category: str
    tasks: int
    composed: int


def check(
    folders: Mapping[str, Path], mode: Mode, max_mb: float | None, timeout_s: float, env: Mapping[str, str]
) -> Iterator[Checked]:
    """Load every task, run its reference on a sample of the first case, and yield its row."""
    for reply in _ask_each("check", folders, mode, max_mb, timeout_s, env):
        row = {**_checked(reply, timeout_s).model_dump(), "wall_s": reply.wall_s}
        yield Checked(task=reply.task, category=category_of(reply.folder), **row)


def survey(
    folders: Mapping[str, Path], mode: Mode, max_mb: float | None, timeout_s: float, env: Mapping[str, str]
) -> Iterator[Surveyed]:
    """Compose every task and yield its row."""
    for reply in _ask_each("compose", folders, mode, max_mb, timeout_s, env):
        found = _composed(reply, timeout_s)
        yield Surveyed(task=reply.task, category=category_of(reply.folder), **found.model_dump())


def shares(rows: Sequence[Surveyed]) -> tuple[Share, ...]:
    """Count by category, in the order of the rows."""
    tasks = Counter(r.category for r in rows)
    composed = Counter(r.category for r in rows if r.found == "composed")
    return tuple(Share(category=c, tasks=n, composed=composed[c]) for c, n in tasks.items())


def refusals(rows: Sequence[Surveyed]) -> tuple[tuple[str, tuple[Surveyed, ...]], ...]:
    """Group what is not composed by each operator that stands in the way, the most frequent first."""
    groups: dict[str, list[Surveyed]] = {}
    for row in rows:
        if row.found != "composed":
            for operator in (row.operator or row.found).split(", "):
                groups.setdefault(operator, []).append(row)
    return tuple((op, tuple(group)) for op, group in sorted(groups.items(), key=lambda g: -len(g[1])))


def _ask_each(
    what: str, folders: Mapping[str, Path], mode: Mode, max_mb: float | None, timeout_s: float, env: Mapping[str, str]
) -> Iterator[TaskReply]:  # fmt: skip
    """Yield the replies of a worker that does `what`, a task at a time, each within `timeout_s` seconds."""
    with Worker([sys.executable, "-m", "akgen.bench.survey", what], cwd=Path("/"), env=env) as worker:
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


def _checked(reply: TaskReply, timeout_s: float) -> ReferenceCheck:
    if reply.died is None:
        return ReferenceCheck.model_validate(reply.said)
    if reply.died.timed_out:
        return ReferenceCheck(found="excluded", why=f"The reference takes more than {timeout_s:.0f} s.")
    return ReferenceCheck(
        found="excluded", why=shown(f"The reference ends its process: {reply.last_words()[-1]}")
    )


def _composed(reply: TaskReply, timeout_s: float) -> Composing:
    if reply.died is None:
        return Composing.model_validate(reply.said)
    if reply.died.timed_out:
        return Composing(found="too slow", why=f"Composing takes more than {timeout_s:.0f} s.")
    lines = reply.last_words()
    place = next((line.strip() for line in reversed(lines) if line.lstrip().startswith("File ")), "")
    return Composing(found="bug", why=shown(f"{lines[-1]} ({place})"))


def check_task(asked: AskedTask) -> ReferenceCheck:
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


def compose_task(asked: AskedTask) -> Composing:
    """Compose one task in this process."""
    try:
        task, _ = load_task(asked.folder, asked.mode, asked.max_mb)
        planned = ModelFree().plan(task, None, 0)
    except InputError as e:
        return Composing(found="no reference", why=f"{e.text} {e.remedy}")
    if planned.plan is not None:
        return Composing(found="composed")
    finding = planned.diagnostics[0]
    return Composing(
        found="refused",
        operator=finding.api or (str(planned.outcome) if planned.outcome is not Outcome.UNSUPPORTED else ""),
        why=finding.text,
    )


def _serve(reply: Callable[[AskedTask], Frozen]) -> None:
    """Answer each line of standard input with `reply`, until it ends."""
    end_with_parent()
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a reference prints must not look like an answer
    for line in sys.stdin:
        asked = json.loads(line)
        protocol.write((reply(AskedTask.model_validate(asked)).model_dump_json() if asked else "{}") + "\n")


if __name__ == "__main__":
    _serve({"check": check_task, "compose": compose_task}[sys.argv[1]])
