"""How well a checkpoint writes tensor programs for tasks that it was not trained on, judged without a compiler.

CR@k counts programs that fit their task, ER@k those that compute it. `akgen bench run` asks the compiler and the judge.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from akgen.agents.models.local import Checkpoint
from akgen.agents.tensor_coder import findings_told, repair_prompt
from akgen.bench.metrics import Rate, at_least_one
from akgen.bench.statistics import interval, paired_difference
from akgen.finetune.operators.splits import Split
from akgen.finetune.training.environment import CheapVerdict
from akgen.finetune.training.judges import Judges
from akgen.finetune.training.pairs import PromptForm, TensorPair, read_pairs, splits
from akgen.finetune.training.records import PromptRecord, outcome_said, world_records
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import Outcome

MOST_NEW_TOKENS = 400
REPAIRS = 4  # times as many prompts are sampled together where each is asked once


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
    judges: Judges | None = None,
) -> Evaluation:
    """Sample n programs for every task, and judge each; with `repair`, ask again once for those that failed.

    Without `judges`, this process judges.
    """
    judges = judges or Judges(workers=1)
    ordered = sorted(pairs, key=lambda p: len(p.program))
    found: list[TaskSamples] = []
    how: dict[str, Any] = {"temperature": temperature, "top_p": top_p, "max_new_tokens": most_new_tokens}
    for start in range(0, len(ordered), checkpoint.batch):
        group = ordered[start : start + checkpoint.batch]
        prompts = [p.prompt(form) for p in group]
        sampled = checkpoint.sample(prompts, n, seed=seed + start, **how)
        answers = [(pair, s.text) for pair, samples in zip(group, sampled, strict=True) for s in samples]
        verdicts = judges.judged(answers)
        again = _repaired(checkpoint, judges, answers, verdicts, form, seed, how) if repair else None
        for k, pair in enumerate(group):
            mine = slice(k * n, (k + 1) * n)
            found.append(_counted(pair.name, verdicts[mine], None if again is None else sum(again[mine])))
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


class PredictedOutcomes(Frozen):
    """How often a model says what the judge says, with an interval, and how often the most frequent outcome is right.

    `p` is that of a paired permutation test between the two.
    """

    programs: int
    accuracy: float
    low: float
    high: float
    majority: float
    p: float


def predicted_outcomes(
    checkpoint: Checkpoint, pairs: Sequence[TensorPair], seed: int = 0
) -> PredictedOutcomes:
    """Return how well a model predicts outcomes of programs.

    The model is shown a task with a program, writes its own and says what the judge would say of the one shown.
    """
    records: list[PromptRecord] = list(world_records(pairs, seed))
    right = list[float]()
    for start in range(0, len(records), checkpoint.batch * 4):
        group = records[start : start + checkpoint.batch * 4]
        said = checkpoint.sample(
            [r.prompt for r in group],
            1,
            temperature=0,
            top_p=1,
            max_new_tokens=MOST_NEW_TOKENS,
            seed=seed,
        )
        right += [
            float(outcome_said(s[0].text) == outcome_said(r.completion))
            for s, r in zip(said, group, strict=True)
        ]
    outcomes = [outcome_said(r.completion) for r in records]
    most = Counter(outcomes).most_common(1)[0][0]
    usual = [float(o == most) for o in outcomes]
    low, high = interval(right, 0)
    return PredictedOutcomes(
        programs=len(records), accuracy=float(np.mean(right)), low=low, high=high,
        majority=float(np.mean(usual)), p=paired_difference(usual, right)["p"],
    )  # fmt: skip


def _repaired(
    checkpoint: Checkpoint, judges: Judges, answers: Sequence[tuple[TensorPair, str]],
    verdicts: Sequence[CheapVerdict], form: PromptForm, seed: int, how: dict[str, Any],
) -> list[bool]:  # fmt: skip
    """Say of each answer whether it was wrong and the next one is right."""
    repaired = [False] * len(answers)
    failed = [k for k, v in enumerate(verdicts) if v.outcome is not Outcome.CORRECT]
    most = checkpoint.batch * REPAIRS
    for start in range(0, len(failed), most):
        group = failed[start : start + most]
        asked = [
            repair_prompt(pair.prompt(form), text, findings_told(verdict.diagnostics, verdict.outcome))
            for (pair, text), verdict in ((answers[k], verdicts[k]) for k in group)
        ]
        again = checkpoint.sample(asked, 1, seed=seed + 1 + start, **how)
        found = judges.judged([(answers[k][0], s[0].text) for k, s in zip(group, again, strict=True)])
        for k, one in zip(group, found, strict=True):
            repaired[k] = one.outcome is Outcome.CORRECT
    return repaired


def _counted(task: str, verdicts: Sequence[CheapVerdict], repaired: int | None) -> TaskSamples:
    codes = sorted({d.code for v in verdicts for d in v.diagnostics})
    return TaskSamples(
        task=task, samples=len(verdicts), fits=sum(v.fits for v in verdicts),
        correct=sum(v.outcome is Outcome.CORRECT for v in verdicts), repaired=repaired, codes=tuple(codes),
    )  # fmt: skip
