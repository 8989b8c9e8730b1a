"""The records of one chunk, part by part: operators are solved first, the other parts are made of their kernels."""

from collections import Counter
from pathlib import Path

from akgen.finetune.data.build import BuildConfig, ChunkJob
from akgen.finetune.data.parts import operators
from akgen.finetune.data.record import DataPart, Provenance, TrainingRecord
from akgen.finetune.data.verifier import SolvedTask, Verifier
from akgen.finetune.operators.tasks import Operator
from akgen.tools.core.outcome import Outcome
from akgen.tools.judge.judge import Judge

PARTS = (DataPart.OPERATORS,)


def documents() -> int:
    """Return how many chunks of documents there are."""
    return 0


def records_of(
    job: ChunkJob, config: BuildConfig, judge: Judge, work: Path, found: dict[DataPart, list[TrainingRecord]],
    left_out: "Counter[str]",
) -> int:  # fmt: skip
    """Fill `found` with a chunk's records by part; return how many of its operators were solved."""
    verifier = Verifier(judge, work, config.seed)
    pairs: list[tuple[Operator, SolvedTask]] = []
    for operator in job.operators:
        solved = verifier.solved(verifier.task_of(operator))
        if not isinstance(solved, SolvedTask):
            left_out[f"not composed: {solved.code}"] += 1
        elif solved.verdict.outcome is not Outcome.CORRECT:
            left_out[f"not correct: {solved.verdict.outcome}"] += 1
        else:
            pairs.append((operator, solved))
    for operator, solved in pairs:
        origin = _origin(config, operator, verifier)
        if DataPart.OPERATORS in config.parts:
            found.setdefault(DataPart.OPERATORS, []).extend(operators.records(operator, solved, origin))
    return len(pairs)


def _origin(config: BuildConfig, operator: Operator, verifier: Verifier) -> Provenance:
    return Provenance(
        source="generator", seed=config.seed, number=operator.number, generator=config.generator,
        toolchain=verifier.toolchain, judge_seed=verifier.seed,
    )  # fmt: skip
