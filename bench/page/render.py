"""Render report.html.j2: bars, tiles and a table, each computed here so that the template only lays out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from akgen.bench.record import Record
from akgen.bench.report import Report
from akgen.knowledge.errors import catalogue

_ORDER = (
    "correct", "wrong", "trap", "timeout", "cheat", "tiling_error", "compile_error", "plan_rejected", "no_code",
    "unsupported", "budget", "error", "not_run",
)  # fmt: skip


class Row(NamedTuple):
    anchor: str
    task: str
    sample: int
    level: int
    category: str
    outcome: str
    correct: int
    judged: int
    compile: str
    time: str
    why: str


class BarSegment(NamedTuple):
    outcome: str
    start: int
    width: int


def page(report: Report, records: Sequence[Record], levels: Mapping[str, int]) -> str:
    """Return the page's HTML; `levels` names every task of the run."""
    rows = [_row(r) for r in records]
    ran = {r.task for r in records}
    rows += [_not_run(task, level) for task, level in levels.items() if task not in ran]
    counts = Counter(r.outcome for r in rows)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=False,
    )
    return environment.get_template("report.html.j2").render(
        title=_title(report),
        report=report,
        rows=rows,
        groups=_groups(rows),
        bars={number: _bar([r for r in rows if str(r.level) == number]) for number in report.levels},
        legend=[(o, counts[o]) for o in _ORDER if counts[o]],
        meanings={code: entry.sentence for code, entry in catalogue().items()},
        duration=_duration(report.wall_s),
        percent=_percent,
        times="predicted by the twin" if report.toolchain.startswith("twin") else "as measured",
    )


def _row(record: Record) -> Row:
    outcome = "error" if record.error is not None or record.outcome is None else str(record.outcome)
    if record.outcome == "correct" and not record.solved:
        outcome = "trap"  # right numbers, but a check fired
    return Row(
        anchor=f"{record.task}-{record.sample}",
        task=record.task,
        sample=record.sample,
        level=record.level,
        category=record.category,
        outcome=outcome,
        correct=sum(c.outcome == "correct" for c in record.cases),
        judged=len(record.cases),
        compile=f"{record.kernel_compile_s:.2f} s" if record.kernel_compile_s is not None else "",
        time=record.time_text(unit="µs") or "",
        why=record.error or record.why,
    )


def _not_run(task: str, level: int) -> Row:
    return Row(f"{task}-0", task, 0, level, "", "not_run", 0, 0, "", "", "not run yet")


def _groups(rows: Sequence[Row]) -> list[dict[str, Any]]:
    def key(row: Row) -> tuple[int, bool, str]:
        return row.level, not row.category, row.category

    return [
        {"name": f"{level} · {category or 'not run'}", "rows": list(members)}
        for (level, _, category), members in groupby(sorted(rows, key=key), key=key)
    ]


def _bar(rows: Sequence[Row]) -> list[BarSegment]:
    """Count tasks by their best sample's outcome."""
    best: dict[str, str] = {}
    for row in rows:
        held = best.get(row.task)
        if held is None or _ORDER.index(row.outcome) < _ORDER.index(held):
            best[row.task] = row.outcome
    counts = Counter(best.values())
    parts: list[BarSegment] = []
    start = 0
    for outcome in _ORDER:
        if counts[outcome]:
            parts.append(BarSegment(outcome, start, counts[outcome]))
            start += counts[outcome]
    return parts


def _title(report: Report) -> str:
    sources = {
        "answers": "reference answers",
        "composer": "the composer, without a model",
        "model": "a chat model",
    }
    suites = {"npukb": "NPUKernelBench", "mkb": "MultiKernelBench", "builtin": "Built-in suite"}
    with_memory = ", with memory" if report.memory else ""
    strictly = ", strict" if report.strict else ""
    source = sources.get(report.source, report.source)
    return f"{suites.get(report.suite, report.suite)}: {source}{with_memory}{strictly}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
