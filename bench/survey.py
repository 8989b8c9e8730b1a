"""What the composer covers of a suite, without compiling anything: compose each task, and say what refuses the others.

`python -m akgen.bench.survey` is the process that composes: it traces references, so it may hang or end, and is then
started anew for the next task.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from akgen.agents.composer import ModelFree
from akgen.bench.suites import category_of, load_task
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.plain_text import shown
from akgen.tools.core.task import Mode
from akgen.tools.process.worker import Worker, WorkerDied, end_with_parent

_START_S = 300.0


class Asked(Frozen):
    """One task to compose."""

    folder: Path
    mode: Mode
    max_mb: float | None


class Composing(Frozen):
    """What came of it. Of a task that is not composed, `operator` names what stands in the way."""

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


def survey(
    folders: Mapping[str, Path], mode: Mode, max_mb: float | None, timeout_s: float, env: Mapping[str, str]
) -> Iterator[Surveyed]:
    """Compose every task and yield its row."""
    with Worker([sys.executable, "-m", "akgen.bench.survey"], cwd=Path("/"), env=env) as worker:
        for name, folder in folders.items():
            asked = Asked(folder=folder, mode=mode, max_mb=max_mb)
            found = _ask(worker, asked, timeout_s)
            yield Surveyed(task=name, category=category_of(folder), **found.model_dump())


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


def _ask(worker: Worker, asked: Asked, timeout_s: float) -> Composing:
    try:
        if not worker.running:
            worker.request({}, _START_S)  # imports are no part of a task's time
        return Composing.model_validate(worker.request(asked.model_dump(mode="json"), timeout_s))
    except WorkerDied as died:
        if died.timed_out:
            return Composing(found="too slow", why=f"Composing takes more than {timeout_s:.0f} s.")
        lines = [line for line in died.tail.splitlines() if line.strip()]
        place = next((line.strip() for line in reversed(lines) if line.lstrip().startswith("File ")), "")
        return Composing(found="bug", why=shown(f"{lines[-1] if lines else died.text} ({place})"))


def compose(asked: Asked) -> Composing:
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


def main() -> None:
    end_with_parent()
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a reference prints must not look like an answer
    for line in sys.stdin:
        asked = json.loads(line)
        protocol.write((compose(Asked.model_validate(asked)).model_dump_json() if asked else "{}") + "\n")


if __name__ == "__main__":
    main()
