"""What the composer covers of a suite, without compiling: compose each task, and say what refuses the others."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from akgen.agents.composer import ModelFree
from akgen.bench.suites import category_of, load_task
from akgen.bench.task_worker import AskedTask, TaskReply, ask_each, serve
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.plain_text import shown
from akgen.tools.core.task import Mode


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
    for reply in ask_each("akgen.bench.survey", folders, mode, max_mb, timeout_s, env):
        found = _found(reply, timeout_s)
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


def _found(reply: TaskReply, timeout_s: float) -> Composing:
    if reply.died is None:
        return Composing.model_validate(reply.said)
    if reply.died.timed_out:
        return Composing(found="too slow", why=f"Composing takes more than {timeout_s:.0f} s.")
    lines = reply.last_words()
    place = next((line.strip() for line in reversed(lines) if line.lstrip().startswith("File ")), "")
    return Composing(found="bug", why=shown(f"{lines[-1]} ({place})"))


def compose(asked: AskedTask) -> Composing:
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


if __name__ == "__main__":
    serve(compose)
