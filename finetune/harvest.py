"""Training data from the run store: SFT prompts with completions and DPO pairs, as JSONL that `datasets` and TRL load.

SFT: attempts that every case found correct. DPO after AscendKernelGen, section on preference learning: chosen is
correct, rejected compiles and runs but computes wrongly; attempts that do not compile make bad rejects and are left
out. Every record names its task's suite, so that a benchmark's tasks can be kept out of training.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from akgen.agents.budget import Budget
from akgen.agents.calls.replies import split_thought
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import coder_user, example_project
from akgen.graph.store.files import make_folder, write_whole
from akgen.graph.store.records import Attempt, RunInfo
from akgen.graph.store.run_store import RunStore, TaskStore
from akgen.knowledge.chip import DEFAULT_CHIP, chip
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

Format = Literal["sft", "dpo"]


class Exchange(Frozen):
    """One attempt that has sources. `user` is what was asked with the feedback of the time, if there was any."""

    task: Task
    attempt: Attempt
    run: RunInfo
    project: KernelProject
    system: str
    user: str
    thought: str
    answer: str  # every file in full, in the form that the coder's prompt asks for

    @property
    def outcome(self) -> Outcome:
        return self.attempt.verdict.outcome


class ExportResult(Frozen):
    """What an export wrote. `left_out` counts attempts by the reason why they are not in it."""

    format: Format
    path: Path
    records: int
    left_out: dict[str, int]


def export_run(run: Path, form: Format, out: Path | None = None) -> ExportResult:
    """Write a run's records to `out`, or to RUN/harvest/FORMAT.jsonl.

    Raises InputError if the folder holds no run, InfraError if the file cannot be written.
    """
    left_out: Counter[str] = Counter()
    found = list(exchanges(run))
    records = list(_sft(found, left_out) if form == "sft" else _dpo(found, left_out))
    path = out or run / "harvest" / f"{form}.jsonl"
    make_folder(path.parent)
    write_whole(path, "".join(json_text(record) + "\n" for record in records))
    return ExportResult(format=form, path=path, records=len(records), left_out=dict(left_out))


def _sft(found: list[Exchange], left_out: "Counter[str]") -> Iterator[dict[str, Any]]:
    seen: set[str | None] = set()
    for exchange in found:
        if exchange.outcome is not Outcome.CORRECT:
            left_out["not correct"] += 1
        elif exchange.attempt.digest in seen:
            left_out["the same project as another"] += 1
        else:
            seen.add(exchange.attempt.digest)
            yield {
                # A column `prompt` makes TRL look for `completion`, also where there are messages.
                "prompt": [_message("system", exchange.system), _message("user", exchange.user)],
                "completion": [_message("assistant", _reply(exchange))],
                "think": exchange.thought,
                "answer": exchange.answer,
                **_about(exchange),
            }


def _dpo(found: list[Exchange], left_out: "Counter[str]") -> Iterator[dict[str, Any]]:
    for task in dict.fromkeys(exchange.task.name for exchange in found):
        mine = [exchange for exchange in found if exchange.task.name == task]
        right = [exchange for exchange in mine if exchange.outcome is Outcome.CORRECT]
        wrong = {e.attempt.digest: e for e in mine if e.outcome is Outcome.WRONG}
        left_out["neither correct nor wrong"] += len(mine) - len(right) - len(wrong)
        if not right:
            left_out["wrong, of a task that nothing solved"] += len(wrong)
            continue
        chosen = min(right, key=lambda e: e.attempt.verdict.total_us or 0.0)
        for rejected in wrong.values():
            mismatch = rejected.attempt.verdict.mismatch
            yield {
                "prompt": [_message("system", chosen.system), _message("user", first_prompt(chosen))],
                "chosen": [_message("assistant", _reply(chosen))],
                "rejected": [_message("assistant", _reply(rejected))],
                **_about(chosen),
                "rejected_attempt": rejected.attempt.number,
                "rejected_sample": rejected.attempt.sample,
                "rejected_digest": rejected.attempt.digest,
                "rejected_pattern": mismatch.pattern if mismatch else None,
            }
    for reason in [reason for reason, count in left_out.items() if count == 0]:
        del left_out[reason]


def _about(exchange: Exchange) -> dict[str, Any]:
    """Return where a record comes from and how good its kernel is."""
    task, attempt = exchange.task, exchange.attempt
    return {
        "task": task.name,
        "route": exchange.run.config.route,
        "suite": task.suite,
        "level": task.level,
        "category": task.category,
        "mode": task.mode,
        "run": exchange.run.id,
        "model": exchange.run.config.model,
        "sample": attempt.sample,
        "attempt": attempt.number,
        "repaired": attempt.feedback is not None,
        "digest": attempt.digest,
        "toolchain": attempt.verdict.toolchain,
        "time_us": attempt.verdict.total_us,
        "time_source": attempt.verdict.time_source,
        "cases": len(attempt.verdict.cases),
    }


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _reply(exchange: Exchange) -> str:
    return f"<think>\n{exchange.thought}\n</think>\n\n{exchange.answer}"


def exchanges(run: Path) -> Iterator[Exchange]:
    """Yield every attempt with sources, task by task.

    An attempt without a model (the composer's) gets the prompt that a model would have got. Raises InputError if
    the folder holds no run, or sources that it names are gone.
    """
    store = RunStore.open(run)
    for place in store.tasks():
        task = place.task()
        for sample in place.samples():
            for attempt in sample.attempts():
                if attempt.project is not None and attempt.plan is not None:
                    yield _exchange(store.info, place, task, attempt)


def first_prompt(exchange: Exchange) -> str:
    """Return what is asked before any attempt: the prompt that a pair's two sides share."""
    assert exchange.attempt.plan is not None
    return coder_user(exchange.task, exchange.attempt.plan, None, None, Budget(), None)


def _exchange(info: RunInfo, place: TaskStore, task: Task, attempt: Attempt) -> Exchange:
    assert attempt.project is not None and attempt.plan is not None
    project = KernelProject.read_from(
        place.folder / attempt.project, attempt.op_type or task.op_type, attempt.kernel or task.kernel
    )
    if project.digest != attempt.digest:
        raise InputError(
            f"{place.folder / attempt.project} was changed after it was judged.",
            "Export from an untouched run folder; a changed project has no verdict.",
        )
    said = {message["role"]: message["content"] for message in attempt.coder_messages}
    thought, _, _ = split_thought(said.get("assistant", ""))
    target = chip(info.config.chip or DEFAULT_CHIP)
    return Exchange(
        task=task,
        attempt=attempt,
        run=info,
        project=project,
        system=said.get("system") or render("coder_system", chip=target, example=example_project()),
        user=said.get("user") or coder_user(task, attempt.plan, attempt.feedback, None, Budget(), None),
        thought=thought or attempt.plan.thought,
        answer=render("answer", project=project),
    )
