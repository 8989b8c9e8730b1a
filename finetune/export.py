"""Training data from the run store: SFT messages and DPO pairs, as JSONL that `datasets` loads.

SFT: attempts that every case found correct. DPO after AscendKernelGen, section on preference learning: chosen is
correct, rejected compiles and runs but computes wrongly; attempts that do not compile make bad rejects and are left
out. Every record names its task's suite, so that a benchmark's tasks can be kept out of training.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from akgen.finetune.trajectories import Exchange, exchanges, first_prompt
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome

Format = Literal["sft", "dpo"]


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
    write_whole(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
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
                "messages": [
                    _message("system", exchange.system),
                    _message("user", exchange.user),
                    _message("assistant", _reply(exchange)),
                ],
                "prompt": exchange.user,
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
        chosen = min(right, key=_time)
        for rejected in wrong.values():
            yield {
                "prompt": [_message("system", chosen.system), _message("user", first_prompt(chosen))],
                "chosen": [_message("assistant", _reply(chosen))],
                "rejected": [_message("assistant", _reply(rejected))],
                **_about(chosen),
                "rejected_attempt": rejected.attempt.number,
                "rejected_sample": rejected.attempt.sample,
                "rejected_digest": rejected.attempt.digest,
                "rejected_pattern": _pattern(rejected),
            }
    for reason in [reason for reason, count in left_out.items() if count == 0]:
        del left_out[reason]


def _about(exchange: Exchange) -> dict[str, Any]:
    """Return where a record comes from and how good its kernel is."""
    task, attempt = exchange.task, exchange.attempt
    return {
        "task": task.name,
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
        "time_us": _time(exchange) if attempt.verdict.cases else None,
        "time_source": attempt.verdict.time_source,
        "cases": len(attempt.verdict.cases),
    }


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _reply(exchange: Exchange) -> str:
    return f"<think>\n{exchange.thought}\n</think>\n\n{exchange.answer}"


def _time(exchange: Exchange) -> float:
    return sum(case.time_us or 0.0 for case in exchange.attempt.verdict.cases)


def _pattern(exchange: Exchange) -> str | None:
    patterns = [case.mismatch.pattern for case in exchange.attempt.verdict.cases if case.mismatch is not None]
    return patterns[0] if patterns else None
