"""How well a checkpoint writes tensor programs for tasks that it was not trained on, judged without a compiler.

CR@k counts programs that fit their task, ER@k those that compute it. `akgen bench run` asks the compiler and the judge.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from akgen.agents.models.local import Checkpoint
from akgen.agents.tensor_coder import findings_told, repair_prompt
from akgen.bench.metrics import Rate, at_least_one
from akgen.bench.statistics import interval, paired_difference
from akgen.finetune.operators.splits import Split
from akgen.finetune.training.environment import CheapVerdict, ProgramEnvironment
from akgen.finetune.training.pairs import PromptForm, TensorPair, read_pairs, splits
from akgen.finetune.training.records import PromptRecord, outcome_said, world_records
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import Outcome

BATCH = 24  # prompts that are sampled together
MOST_NEW_TOKENS = 400


class TaskSamples(Frozen):
    """What became of a task's samples; `repaired` counts the correct ones after one repair of those that were not."""

    task: str
    samples: int
    fits: int
    correct: int
    repaired: int | None = None
    codes: tuple[str, ...] = ()


class Evaluation(Frozen):
    """Of one checkpoint on one split. Rates carry 95 % intervals over tasks."""

    model: str
    split: Split
    tasks: tuple[TaskSamples, ...]
    compiles: tuple[Rate, ...]
    correct: tuple[Rate, ...]
    repaired: tuple[Rate, ...] = ()


class EvaluationDifference(Frozen):
    """Second less first over the tasks of both, with a bootstrap interval and a paired permutation test."""

    k: int
    tasks: int
    difference: float
    low: float
    high: float
    p: float
    p_mid: float  # of the same test, which errs as often as it says where differences have few values


def evaluate(
    checkpoint: Checkpoint,
    name: str,
    pairs: Sequence[TensorPair],
    split: Split,
    *,
    n: int = 10,
    form: PromptForm = "en",
    temperature: float = 0.7,
    top_p: float = 0.95,
    repair: bool = False,
    most_new_tokens: int = MOST_NEW_TOKENS,
    seed: int = 0,
    told: Callable[[int], None] | None = None,
) -> Evaluation:
    """Sample n programs for every task, and judge each; with `repair`, ask again once for those that failed."""
    ordered = sorted(pairs, key=lambda p: len(p.program))
    found: list[TaskSamples] = []
    how: dict[str, Any] = {"temperature": temperature, "top_p": top_p, "max_new_tokens": most_new_tokens}
    for start in range(0, len(ordered), BATCH):
        group = ordered[start : start + BATCH]
        prompts = [p.prompt(form) for p in group]
        sampled = checkpoint.sample(prompts, n, seed=seed + start, **how)
        for pair, prompt, samples in zip(group, prompts, sampled, strict=True):
            place = ProgramEnvironment.of(pair)
            verdicts = [place.judged(s.text) for s in samples]
            again = (
                _repaired(checkpoint, place, prompt, [s.text for s in samples], verdicts, seed, how)
                if repair
                else None
            )
            found.append(_counted(pair.name, verdicts, again))
        if told is not None:
            told(len(found))
    ks = sorted({1, n})
    return Evaluation(
        model=name, split=split, tasks=tuple(found),
        compiles=tuple(rate_of([(t.samples, t.fits) for t in found], k) for k in ks),
        correct=tuple(rate_of([(t.samples, t.correct) for t in found], k) for k in ks),
        repaired=tuple(rate_of([(t.samples, t.correct + (t.repaired or 0)) for t in found], k) for k in ks)
        if repair else (),
    )  # fmt: skip


def rate_of(tasks: Sequence[tuple[int, int]], k: int) -> Rate:
    """Return the mean over tasks of "one of k samples is good", of (samples, good ones)."""
    values = [at_least_one(n, c, k) for n, c in tasks]
    low, high = interval(values, 0)
    return Rate(value=float(np.mean(values)), low=low, high=high, k=k)


def compare_evaluations(first: Evaluation, second: Evaluation) -> list[EvaluationDifference]:
    """Compare two checkpoints on the tasks of both. Raises InputError if they share none."""
    left, right = ({t.task: t for t in e.tasks} for e in (first, second))
    tasks = sorted(left.keys() & right.keys())
    out = []
    for k in (r.k for r in first.correct):
        before, after = ([at_least_one(s[t].samples, s[t].correct, k) for t in tasks] for s in (left, right))
        out.append(EvaluationDifference(k=k, tasks=len(tasks), **paired_difference(before, after)))
    return out


def held_out(file: Path, split: Split, count: int) -> list[TensorPair]:
    """Return the first tasks of a split, in the file's order."""
    return splits(read_pairs(file))[split][:count]


def save_evaluation(evaluation: Evaluation, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json_text(evaluation, indent=1) + "\n")


def predicted_outcomes(
    checkpoint: Checkpoint, pairs: Sequence[TensorPair], seed: int = 0
) -> tuple[float, float, int]:
    """Return the accuracy of predicted outcomes, that of the most frequent one, and of how many it is.

    The model is shown a task with a program, writes its own and says what the judge would say of the one shown.
    """
    records: list[PromptRecord] = list(world_records(pairs, seed))
    right = 0
    for start in range(0, len(records), BATCH * 4):
        group = records[start : start + BATCH * 4]
        said = checkpoint.sample(
            [r.prompt for r in group],
            1,
            temperature=0,
            top_p=1,
            max_new_tokens=MOST_NEW_TOKENS,
            seed=seed,
        )
        right += sum(
            outcome_said(s[0].text) == outcome_said(r.completion) for s, r in zip(said, group, strict=True)
        )
    outcomes = [outcome_said(r.completion) for r in records]
    most = max(outcomes.count(o) for o in set(outcomes))
    return right / len(records), most / len(records), len(records)


def _repaired(
    checkpoint: Checkpoint,
    place: ProgramEnvironment,
    prompt: str,
    texts: Sequence[str],
    verdicts: Sequence[CheapVerdict],
    seed: int,
    how: dict[str, Any],
) -> int:
    failed = [(t, v) for t, v in zip(texts, verdicts, strict=True) if v.outcome is not Outcome.CORRECT]
    if not failed:
        return 0
    asked = [repair_prompt(prompt, t, findings_told(v.diagnostics, v.outcome)) for t, v in failed]
    again = checkpoint.sample(asked, 1, seed=seed + 1, **how)
    return sum(place.judged(s[0].text).outcome is Outcome.CORRECT for s in again)


def _counted(task: str, verdicts: Sequence[CheapVerdict], repaired: int | None) -> TaskSamples:
    codes = sorted({d.code for v in verdicts for d in v.diagnostics})
    return TaskSamples(
        task=task, samples=len(verdicts), fits=sum(v.fits for v in verdicts),
        correct=sum(v.outcome is Outcome.CORRECT for v in verdicts), repaired=repaired, codes=tuple(codes),
    )  # fmt: skip
