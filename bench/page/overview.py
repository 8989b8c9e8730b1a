"""What the page shows of runs before a task is opened: figures, a row for every sample, and pairs of runs."""

from collections.abc import Sequence
from typing import Any

from akgen.bench.compare import compare_all, run_names
from akgen.bench.record import Record
from akgen.bench.report import Report
from akgen.bench.store import BenchStore
from akgen.knowledge.data_files import read_json
from akgen.knowledge.errors import catalogue, failure_classes
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError

_SUITES = {"npukb": "NPUKernelBench", "mkb": "MultiKernelBench", "builtin": "Built-in suite"}
_SOURCES = {"answers": "reference answers", "composer": "the composer, without a model"}


class ReportedRun(Frozen):
    """A run with its report; `levels` names every task, also those without a record."""

    name: str
    report: Report
    records: tuple[Record, ...]
    levels: dict[str, int]


def overview(runs: Sequence[ReportedRun], stores: Sequence[BenchStore] = ()) -> dict[str, Any]:
    """Return the page's data without the tasks' details; `stores` are compared in pairs, if there are two or more."""
    codes = {code for run in runs for code in [*run.report.codes, *run.report.repairs]}
    return {
        "runs": [_run(run) for run in runs],
        "pairs": _pairs(stores),
        "meanings": {code: entry.sentence for code, entry in catalogue().items() if code in codes},
        "classes": {name: found.sentence for name, found in failure_classes().items()},
        "outcomes": read_json("outcomes.json"),
    }


def names_of(stores: Sequence[BenchStore]) -> list[str]:
    """Return a short name for each run that tells it from the others."""
    names = run_names([store.folder for store in stores])
    return [names[store.folder] for store in stores]


def _run(run: ReportedRun) -> dict[str, Any]:
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in run.levels}
    categories: dict[str, str] = {}
    for record in run.records:
        rows.setdefault(record.task, []).append(_sample(record))
        categories[record.task] = record.category or categories.get(record.task, "")
    tasks = [
        {
            "name": name,
            "level": run.levels.get(name, 1),
            "category": categories.get(name, ""),
            "samples": samples,
        }
        for name, samples in rows.items()
    ]
    figures = run.report.model_dump(mode="json", exclude={"levels": {"__all__": {"failed", "not_run"}}})
    return {"name": run.name, "title": title(run.report), "report": figures, "tasks": tasks}


def _sample(record: Record) -> dict[str, Any]:
    """Return a sample in one row; what is empty is left out, there may be thousands."""
    outcome = "error" if record.error is not None or record.outcome is None else str(record.outcome)
    if record.outcome == "correct" and not record.solved:
        outcome = "trap"  # right numbers, but a check fired
    row = {
        "sample": record.sample, "outcome": outcome, "solved": record.solved, "attempts": record.attempts,
        "right": sum(c.outcome == "correct" for c in record.cases), "judged": len(record.cases),
        "us": record.time_us, "roofline_us": record.roofline_us, "source": record.time_source,
        "why": record.error or record.why, "codes": list(record.codes), "seconds": record.wall_s,
        "compile_s": record.kernel_compile_s, "tokens": record.input_tokens + record.output_tokens, "cost": record.cost,
    }  # fmt: skip
    return {
        name: value
        for name, value in row.items()
        if value not in (None, "", 0, 0.0, [], False) or name == "sample"
    }


def _pairs(stores: Sequence[BenchStore]) -> list[dict[str, Any]]:
    """Return what comparing says of each pair; nothing for runs that cannot be compared."""
    if len(stores) < 2:
        return []
    try:
        return [pair.model_dump(mode="json") | {"differ": pair.differ} for pair in compare_all(stores)]
    except InputError as refused:
        return [{"refused": f"{refused.text} {refused.remedy}"}]


def title(report: Report) -> str:
    """Name a run by its suite and by what wrote its kernels."""
    source = _SOURCES.get(report.source, report.model if report.source == "model" else report.source)
    more = "".join(
        f", {word}" for word, on in (("with memory", report.memory), ("strict", report.strict)) if on
    )
    return f"{_SUITES.get(report.suite, report.suite)}: {source}{more}"
