"""Bring in what others wrote: a user's licensed documentation, general reasoning data, and attempts of recorded runs.

Nothing of it is verified here but the attempts, which were judged in their run; their records say so.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from akgen.agents.calls.model_call import Reply
from akgen.agents.models.replay import CALLS, read_call
from akgen.bench.builtin import LOADER
from akgen.finetune.data.language_model import Perplexity
from akgen.finetune.data.parts.operators import dtype_of
from akgen.finetune.data.record import DataPart, Language, Message, Provenance, TrainingRecord
from akgen.finetune.data.shards import write_shard
from akgen.finetune.data.verifier import project_claim, rewards_of
from akgen.finetune.harvest import Exchange, exchanges
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import read_json_lines, read_text

_HEADING = re.compile(r"^(#{1,4})\s+(.+?)\s*#*$", re.M)
_CHINESE = re.compile(r"[一-鿿]")
_QUESTION = ("question", "prompt", "instruction", "problem", "qus")
_ANSWER = ("answer", "response", "output", "completion", "solution", "ans")
_THOUGHT = ("thought", "reasoning", "think", "cot")


class TextFilter(Frozen):
    """Which texts stay. Perplexity is asked of a model only if there is a limit."""

    languages: tuple[Language, ...] = ("en", "zh")
    least_characters: int = 40
    most_characters: int = 60_000
    most_perplexity: float | None = None


class Imported(Frozen):
    """What an import wrote; `left_out` counts by reason."""

    records: int
    left_out: dict[str, int]


def import_texts(
    source: Path, out: Path, part: DataPart, licence: str, keep: TextFilter, perplexity: Perplexity | None
) -> Imported:
    """Read JSONL files of questions and answers, or the chapters of Markdown, below a path. Raises InputError."""
    files = (
        [source]
        if source.is_file()
        else sorted(p for p in source.rglob("*") if p.suffix in (".jsonl", ".md"))
    )
    left_out: Counter[str] = Counter()
    found: dict[str, TrainingRecord] = {}
    for file in files:
        rows = _rows(file) if file.suffix == ".jsonl" else _chapters(file)
        for question, thought, answer in rows:
            text = f"{question}\n{thought}\n{answer}"
            language = language_of(text)
            why = _refused(text, answer, language, keep, perplexity)
            name = hashlib.sha256(text.encode()).hexdigest()[:16]
            if why is None and name in found:
                why = "the same text"
            if why is not None:
                left_out[why] += 1
                continue
            found[name] = TrainingRecord(
                id=f"{part}/{name}", part=part, kind="chapter" if file.suffix == ".md" else "question",
                language=language, prompt=(Message(role="user", content=question),), thought=thought, answer=answer,
                provenance=Provenance(source="file", licence=licence),
            )  # fmt: skip
    if not found:
        raise InputError(
            f"{source} holds no text that stays: {dict(left_out) or 'no .jsonl and no .md file'}.",
            "Lines of a .jsonl file have question and answer; loosen the filters if all were left out.",
        )
    _written(list(found.values()), out, part)
    return Imported(records=len(found), left_out=dict(left_out))


def import_attempts(run: Path, out: Path) -> Imported:
    """Read a run's attempts: what solved it, what was repaired, and what cheated, which is never imitated."""
    left_out: Counter[str] = Counter()
    found: dict[str, TrainingRecord] = {}
    replies = _replies(run)
    for exchange in exchanges(run):
        record = _attempt(exchange, replies)
        if record.id in found:
            left_out["the same attempt"] += 1
        else:
            found[record.id] = record
    if not found:
        raise InputError(f"{run} holds no attempt with sources.", "Give the folder of a run that wrote some.")
    _written(list(found.values()), out, DataPart.ATTEMPTS)
    return Imported(records=len(found), left_out=dict(left_out))


def language_of(text: str) -> Language:
    """Return zh if a fifth of a text's letters are Chinese."""
    chinese = len(_CHINESE.findall(text))
    letters = sum(c.isalpha() for c in text)
    return "zh" if letters and chinese / letters > 0.2 else "en"


def _refused(
    text: str, answer: str, language: Language, keep: TextFilter, perplexity: Perplexity | None
) -> str | None:
    if not answer.strip():
        return "without an answer"
    if language not in keep.languages:
        return f"in another language: {language}"
    if len(text) < keep.least_characters:
        return "too short"
    if len(text) > keep.most_characters:
        return "too long"
    if (
        perplexity is not None
        and keep.most_perplexity is not None
        and perplexity(text) > keep.most_perplexity
    ):
        return "too unlikely a text"
    return None


def _rows(file: Path) -> Iterator[tuple[str, str, str]]:
    for row in read_json_lines(file, "Every line is one JSON object with question and answer."):
        yield _first(row, _QUESTION), _first(row, _THOUGHT), _first(row, _ANSWER)


def _first(row: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((str(row[n]) for n in names if isinstance(row.get(n), str)), "")


def _chapters(file: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each chapter of a page with the headings above it as the question."""
    text = read_text(file)
    marks = list(_HEADING.finditer(text))
    above: list[str] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        above = [*above[: len(mark[1]) - 1], mark[2]]
        body = text[mark.end() : following.start() if following else len(text)].strip()
        yield " / ".join(above), "", body


def _attempt(exchange: Exchange, replies: dict[str, Reply]) -> TrainingRecord:
    attempt, task, verdict = exchange.attempt, exchange.task, exchange.attempt.verdict
    project = exchange.project
    said = {m["role"]: m["content"] for m in attempt.coder_messages}.get("assistant", "")
    reply = replies.get(said)
    place = task.reference.path
    known = task.reference.loader == LOADER and place.is_file()
    return TrainingRecord(
        id=f"{exchange.run.id}/{task.name}/{attempt.sample}/{attempt.number}", part=DataPart.ATTEMPTS,
        kind="repaired" if attempt.feedback is not None else "first", family=task.category,
        dtype=dtype_of(task.cases), level=task.level, task=task.name, op_type=project.op_type, kernel=project.kernel,
        description_en=task.description, reference=read_text(place) if place.is_file() else "",
        cases=json_text(list(task.cases)), thought=exchange.thought, answer=exchange.answer,
        prompt=(Message(role="system", content=exchange.system), Message(role="user", content=exchange.user)),
        outcome=str(exchange.outcome), code=next(iter(verdict.codes()), None), rewards=rewards_of(verdict),
        claims=(project_claim(verdict, "answer", project),) if known else (),
        token_ids=reply.token_ids if reply else None, logprobs=reply.logprobs if reply else None,
        provenance=Provenance(
            source="run", run=exchange.run.id, model=exchange.run.config.model, toolchain=verdict.toolchain
        ),
    )  # fmt: skip


def _replies(run: Path) -> dict[str, Reply]:
    """Return what a run's models said, by its text: the server's tokens stand there."""
    calls = [read_call(path) for path in sorted((run / CALLS).glob("*.json"))]
    return {reply.text: reply for call in calls for reply in call.replies}


def _written(records: list[TrainingRecord], out: Path, part: DataPart) -> None:
    name = hashlib.sha256("".join(r.digest for r in records).encode()).hexdigest()[:12]
    write_shard(records, out / "parts" / part / f"{name}.parquet")
