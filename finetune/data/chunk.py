"""The records of one chunk, part by part: operators are solved first, the other parts are made of their kernels."""

import random
from collections import Counter

from akgen.finetune.data.build import BuildConfig, ChunkJob
from akgen.finetune.data.parts import code, documents, errors, operators, optimise, world, wrong
from akgen.finetune.data.parts.variants import one_shape, variants
from akgen.finetune.data.record import DataPart, Provenance, TrainingRecord
from akgen.finetune.data.verifier import SolvedTask, Verifier
from akgen.finetune.operators.tasks import Operator
from akgen.knowledge.chip import chip
from akgen.tools.core.outcome import Outcome

PARTS = (
    DataPart.OPERATORS, DataPart.CODE, DataPart.DOCUMENTS, DataPart.ERRORS, DataPart.WRONG, DataPart.OPTIMISE,
    DataPart.WORLD,
)  # fmt: skip
VARIED = 0.3  # operators that are written in several ways
WAYS = 3  # beside the composer's own and the redundant copies


def records_of(
    job: ChunkJob, config: BuildConfig, verifier: Verifier, found: dict[DataPart, list[TrainingRecord]],
    left_out: "Counter[str]",
) -> int:  # fmt: skip
    """Fill `found` with a chunk's records by part; return how many of its operators were solved."""
    if job.kind == "documents":
        origin = Provenance(source="cards", toolchain=verifier.toolchain, judge_seed=verifier.seed)
        made_here = documents.records(job.number, verifier.snippets, origin, left_out)
        found[DataPart.DOCUMENTS] = once(list(made_here))
        return 0
    made: dict[DataPart, list[TrainingRecord]] = {part: [] for part in PARTS}
    pairs = _solved(job, verifier, left_out)
    origins = {operator.name: _origin(config, operator, verifier) for operator, _ in pairs}
    for operator, solved in pairs:
        made[DataPart.OPERATORS] += operators.records(operator, solved, origins[operator.name])
    parts = set(config.parts)
    if DataPart.WORLD in parts:
        parts |= {DataPart.ERRORS, DataPart.WRONG}  # it is made of what the others had judged
    if DataPart.ERRORS in parts:
        made[DataPart.ERRORS] += errors.records(
            verifier, pairs, origins, _rng(config, job, "errors"), left_out
        )
    if DataPart.WRONG in parts:
        made[DataPart.WRONG] += wrong.records(verifier, pairs, origins, _rng(config, job, "wrong"), left_out)
    if parts & {DataPart.CODE, DataPart.OPTIMISE}:
        rng, target = _rng(config, job, "variants"), chip()
        for operator, solved in rng.sample(pairs, round(VARIED * len(pairs))):
            task = one_shape(operator, solved.task, rng)
            ways = variants(verifier, task, rng, target, WAYS)
            if not ways:
                left_out["not solved for one shape"] += 1
            made[DataPart.CODE] += code.records(operator, ways, origins[operator.name], target)
            made[DataPart.OPTIMISE] += optimise.records(operator, ways, origins[operator.name])
    if DataPart.WORLD in parts:
        made[DataPart.WORLD] += world.records(r for records in made.values() for r in records)
    found.update(
        {
            part: once(records, f"{config.seed}/")
            for part, records in made.items()
            if part in config.parts and records
        }
    )
    return len(pairs)


def once(records: list[TrainingRecord], prefix: str = "") -> list[TrainingRecord]:
    """Return the records, the first of each id; `prefix` tells builds of different seeds apart."""
    first = {record.id: record for record in reversed(records)}
    return [r.model_copy(update={"id": prefix + r.id}) for r in reversed(first.values())]


def _solved(job: ChunkJob, verifier: Verifier, left_out: "Counter[str]") -> list[tuple[Operator, SolvedTask]]:
    pairs = []
    for operator in job.operators:
        solved = verifier.solved(verifier.task_of(operator))
        if not isinstance(solved, SolvedTask):
            left_out[f"not composed: {solved.code}"] += 1
        elif solved.verdict.outcome is not Outcome.CORRECT:
            left_out[f"not correct: {solved.verdict.outcome}"] += 1
        else:
            pairs.append((operator, solved))
    return pairs


def _rng(config: BuildConfig, job: ChunkJob, part: str) -> random.Random:
    return random.Random(f"{config.seed}/{job.chunk}/{part}")


def _origin(config: BuildConfig, operator: Operator, verifier: Verifier) -> Provenance:
    return Provenance(
        source="generator", seed=config.seed, number=operator.number, generator=config.generator,
        toolchain=verifier.toolchain, judge_seed=verifier.seed,
    )  # fmt: skip
