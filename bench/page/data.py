"""What the page shows of runs: figures, a row for every sample and pairs of runs; of one task every attempt in full.

Long texts stand once in a list, and the rest names them by number: a hundred samples share their prompts.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from akgen.bench.compare import compare_all, run_names
from akgen.bench.record import Record
from akgen.bench.report import Report
from akgen.bench.store import BenchStore
from akgen.graph.store.records import Attempt
from akgen.graph.store.run_store import RunStore, TaskStore, sources_of
from akgen.knowledge.data_files import read_json
from akgen.knowledge.errors import catalogue, failure_classes
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.profile import Profile
from akgen.tools.core.verdict import Verdict
from akgen.tools.timeline.page import Texts, drawn_lanes, run_data
from akgen.tools.timeline.trace import read_trace

_SUITES = {"npukb": "NPUKernelBench", "mkb": "MultiKernelBench", "builtin": "Built-in suite"}
_SOURCES = {"answers": "reference answers", "composer": "the composer, without a model"}
MOST_SPANS = 1200  # of a timeline; the whole one is a page of its own
MOST_TRACE_BYTES = 8 << 20  # larger ones are on that page only


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


class RecordedTask(NamedTuple):
    """What a run's folder holds of a task: nothing for a run that judged projects without writing them."""

    place: TaskStore | None
    attempts: dict[int, tuple[Attempt, ...]]  # by sample


def recorded(store: BenchStore, name: str) -> RecordedTask:
    """Read a task's attempts of all samples."""
    run = RunStore.open(store.folder) if (store.folder / "run.json").is_file() else None
    place = run.begun(name) if run is not None else None
    return RecordedTask(place, {s.number: s.attempts() for s in place.samples()} if place is not None else {})


def detail(
    name: str,
    kept: RecordedTask,
    records: Iterable[Record],
    *,
    timelines: bool = True,
    conversations: bool = True,
) -> dict[str, Any]:
    """Return a task's attempts, of all samples; what is left out, or was never kept, is None."""
    texts, place = Texts(), kept.place
    mine = {r.sample: _judged(r) for r in records if r.task == name}
    found: dict[str, Any] = {"name": name, "task": None, "samples": {}, "records": mine}
    if place is not None:
        task = place.task()
        found["task"] = {
            "description": texts.number(task.description), "mode": task.mode, "op_type": task.op_type,
            "kernel": task.kernel, "reference": str(task.reference.path),
            "cases": [{"id": c.id, "params": c.params} for c in task.cases],
        }  # fmt: skip
        found["samples"] = {
            sample: [
                _attempt(place, attempt, texts, timelines=timelines, conversations=conversations)
                for attempt in attempts
            ]
            for sample, attempts in kept.attempts.items()
        }
    left_out = [word for word, on in (("timelines", timelines), ("conversations", conversations)) if not on]
    return found | {"left_out": left_out, "texts": texts.all}


def _attempt(
    place: TaskStore, attempt: Attempt, texts: Texts, *, timelines: bool, conversations: bool
) -> dict[str, Any]:
    plan, profile = attempt.plan, attempt.profile or attempt.verdict.slowest
    messages = {"planner": attempt.planner_messages, "coder": attempt.coder_messages} if conversations else {}
    return {
        "number": attempt.number,
        "outcome": attempt.verdict.outcome,
        "why": attempt.verdict.why(),
        "told": texts.number(attempt.feedback.text) if attempt.feedback is not None else None,
        "plan": None
        if plan is None
        else plan.model_dump(mode="json", exclude={"thought", "dsl", "shared"})
        | {"thought": texts.number(plan.thought)},
        "files": {
            path: texts.number(text) for path, text in sources_of(place.folder, attempt.project).items()
        },
        "dsl": texts.number(attempt.dsl) if attempt.dsl else None,
        "verdict": _verdict(attempt.verdict),
        "profile": None if profile is None else _profile(profile),
        "timeline": _timeline(place, attempt, profile) if timelines and profile is not None else None,
        "decision": {"action": attempt.decision.action, "why": attempt.decision.why},
        "messages": [
            {"to": role, "role": message.get("role", ""), "text": texts.number(message.get("content", ""))}
            for role, mine in messages.items()
            for message in mine
        ],
        "spent": attempt.spent.model_dump(mode="json"),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "findings": [
            finding.model_dump(mode="json", exclude_none=True) | {"case": case}
            for case, finding in verdict.findings_by_case
        ],
        "cases": [
            case.model_dump(mode="json", exclude={"diagnostics", "profile"}, exclude_none=True)
            | ({"sentence": case.mismatch.sentence} if case.mismatch is not None else {})
            | ({"device": case.device.sentence} if case.device is not None else {})
            for case in verdict.cases
        ],
        "drawn": "; ".join(drawn.sentence for drawn in verdict.all_drawn) or None,
        "compile_s": verdict.compile_s,
    }


def _profile(profile: Profile) -> dict[str, Any]:
    return profile.model_dump(mode="json", exclude={"trace", "what_if"}) | {"summary": profile.summary()}


def _timeline(place: TaskStore, attempt: Attempt, profile: Profile) -> dict[str, Any] | None:
    """Return the first blocks' lanes of an attempt's timeline; None if its trace is gone, damaged or too large."""
    folder = place.folder / f"sample-{attempt.sample}" / f"attempt-{attempt.number}" / "profile"
    trace = next(
        (p for p in (folder / "run" / "trace.json", profile.trace) if p is not None and p.is_file()), None
    )
    if (
        trace is None
        or trace.stat().st_size > MOST_TRACE_BYTES
        or place.folder not in trace.resolve().parents
    ):
        return None
    try:
        read = read_trace(trace)
    except InputError:
        return None
    texts = Texts()
    lanes, left_out = drawn_lanes(read, MOST_SPANS)
    drawn = run_data(read, lanes, {}, texts, profile.time_us)
    kept = {name: drawn[name] for name in ("duration", "cores", "lanes", "arrows")}
    return kept | {"texts": texts.all, "cores_left_out": left_out}


def _judged(record: Record) -> dict[str, Any]:
    """Return what a record says of its cases, for runs that keep nothing else."""
    return {
        "why": record.error or record.why,
        "warnings": list(record.warnings),
        "cases": [case.model_dump(mode="json", exclude_none=True) for case in record.cases],
    }
