"""The records of one chunk, part by part: operators are solved first, the other parts are made of their kernels.

Here stand two of the parts: a slower and a faster kernel for one shape, with predicted times and what their timelines
say; and kernels that compile and compute wrongly, with the mistake behind the numbers and the kernel rebuilt. A mistake
also gives a pair for preference learning: both sides compile, one is correct.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from akgen.finetune.data.build import BuildConfig, ChunkJob
from akgen.finetune.data.parts import documents, errors, operators
from akgen.finetune.data.parts.errors import Pairs
from akgen.finetune.data.parts.operators import of_task
from akgen.finetune.data.parts.variants import WrittenWay, one_shape, variants
from akgen.finetune.data.record import DataPart, JudgedText, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, fenced, render
from akgen.finetune.data.verifier import SolvedTask, Verifier, claim_of, rewards_of
from akgen.finetune.operators.sketch import LANGUAGES
from akgen.finetune.operators.tasks import Operator
from akgen.knowledge.chip import chip
from akgen.tools.core.outcome import Outcome
from akgen.tools.faults.programs import drawn_mutants

PARTS = (
    DataPart.OPERATORS, DataPart.CODE, DataPart.DOCUMENTS, DataPart.ERRORS, DataPart.WRONG, DataPart.OPTIMISE,
    DataPart.WORLD,
)  # fmt: skip
VARIED = 0.3  # operators that are written in several ways
WAYS = 3  # beside the composer's own and the redundant copies
LEAST_GAIN = 1.05  # time before over time after; less is within what the time model cannot tell
PER_OPERATOR = 0.6  # operators that get a mistake
TRIES = 3  # mutants of one program; many compute the same


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
        made[DataPart.OPERATORS] += operators.operator_records(operator, solved, origins[operator.name])
    parts = set(config.parts)
    if DataPart.WORLD in parts:
        parts |= {DataPart.ERRORS, DataPart.WRONG}  # it is made of what the others had judged
    if DataPart.ERRORS in parts:
        made[DataPart.ERRORS] += errors.records(
            verifier, pairs, origins, _rng(config, job, "errors"), left_out
        )
    if DataPart.WRONG in parts:
        made[DataPart.WRONG] += mistake_records(
            verifier, pairs, origins, _rng(config, job, "wrong"), left_out
        )
    if parts & {DataPart.CODE, DataPart.OPTIMISE}:
        rng, target = _rng(config, job, "variants"), chip()
        for operator, solved in rng.sample(pairs, round(VARIED * len(pairs))):
            task = one_shape(operator, solved.task, rng)
            ways = variants(verifier, task, rng, target, WAYS)
            if not ways:
                left_out["not solved for one shape"] += 1
            made[DataPart.CODE] += operators.code_records(operator, ways, origins[operator.name], target)
            made[DataPart.OPTIMISE] += faster_records(operator, ways, origins[operator.name])
    if DataPart.WORLD in parts:
        made[DataPart.WORLD] += operators.world_records(r for records in made.values() for r in records)
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


def faster_records(
    operator: Operator, found: Sequence[WrittenWay], origin: Provenance
) -> Iterator[TrainingRecord]:
    """Yield, for each way against the fastest: how to make it faster, what going back costs, and a preference pair."""
    if not found:
        return
    fast = min(found, key=lambda v: v.time_us)
    language = LANGUAGES[operator.number % 2]
    for slow in found:
        margin = slow.time_us / fast.time_us if fast.time_us else 0.0
        if slow is fast or margin < LEAST_GAIN:
            continue
        own = of_task(operator, fast.solved)
        told = {"task": fast.solved.task, "said": operator.said, "reference": operator.reference}
        way = slow.way if slow.way != "as chosen" else f"against {fast.way}"
        why = slow.why or fast.why
        place = f"{operator.name}/{way.replace(' ', '_')}"
        after = _claim(fast, "answer")
        yield TrainingRecord(
            id=f"{place}/faster", part=DataPart.OPTIMISE, kind=f"faster: {way}",
            prompt=asked("optimise", language="en", variant=slow, direction="faster", way=way, **told),
            thought=render("optimise_thought", slow=slow, fast=fast, why=why, way=way, margin=margin),
            answer=fenced(fast.dsl, "python"), claims=(_claim(slow, "before"), after), outcome=after.outcome,
            rewards=rewards_of(fast.solved.verdict), margin=margin, provenance=origin, **own,
        )  # fmt: skip
        yield TrainingRecord(
            id=f"{place}/slower", part=DataPart.OPTIMISE, kind=f"slower: {way}",
            prompt=asked("optimise", language="en", variant=fast, direction="slower", way=way, **told),
            thought=render("slower_thought", slow=slow, fast=fast, why=why, way=way, margin=margin),
            answer=fenced(slow.dsl, "python"), claims=(_claim(fast, "before"), _claim(slow, "answer")),
            outcome=after.outcome, rewards=rewards_of(slow.solved.verdict), margin=margin, provenance=origin, **own,
        )  # fmt: skip
        yield TrainingRecord(
            id=f"{place}/preference", part=DataPart.OPTIMISE, kind="preference for speed", language=language,
            prompt=asked("write_dsl", language=language, **told), answer=fenced(fast.dsl, "python"),
            rejected=fenced(slow.dsl, "python"), claims=(after, _claim(slow, "rejected")), outcome=after.outcome,
            rewards=rewards_of(fast.solved.verdict), margin=margin, provenance=origin, **own,
        )  # fmt: skip


def _claim(variant: WrittenWay, role: str) -> JudgedText:
    return claim_of(variant.solved.verdict, role, "dsl", variant.dsl)


def mistake_records(
    verifier: Verifier, pairs: Pairs, origins: dict[str, Provenance], rng: random.Random,
    left_out: "Counter[str]",
) -> Iterator[TrainingRecord]:  # fmt: skip
    """Yield an analysis with the rebuilt program, and a preference pair, for each mistake that the judge notices."""
    for operator, solved in rng.sample(list(pairs), round(PER_OPERATOR * len(pairs))):
        mutants = drawn_mutants(solved.dsl, "meaning", rng)
        for mutant, _ in zip(mutants, range(TRIES), strict=False):
            verdict = verifier.judged_dsl(mutant.text, solved.task)
            if verdict.outcome is not Outcome.WRONG or verdict.mismatch is None:
                left_out[f"mistake came out as {verdict.outcome}"] += 1
                continue
            language = LANGUAGES[operator.number % 2]
            shared = {"task": solved.task, "said": operator.said, "reference": operator.reference}
            before = claim_of(verdict, "before", "dsl", mutant.text)
            after = claim_of(solved.verdict, "answer", "dsl", solved.dsl)
            place = f"{operator.name}/{mutant.fault}/{mutant.line}"
            own = of_task(operator, solved)
            yield TrainingRecord(
                id=f"{place}/rebuild", part=DataPart.WRONG, kind=f"rebuild {mutant.kind}",
                prompt=asked("rebuild", language="en", program=mutant.text, verdict=verdict, **shared),
                thought=render("rebuild_thought", mutant=mutant, verdict=verdict, mismatch=verdict.mismatch),
                answer=fenced(solved.dsl, "python"), claims=(before, after), outcome=before.outcome,
                code=before.code, rewards=rewards_of(verdict), provenance=origins[operator.name], **own,
            )  # fmt: skip
            yield TrainingRecord(
                id=f"{place}/preference", part=DataPart.WRONG, kind="preference", language=language,
                prompt=asked("write_dsl", language=language, **shared), answer=fenced(solved.dsl, "python"),
                rejected=fenced(mutant.text, "python"),
                claims=(after, before.model_copy(update={"role": "rejected"})), outcome=after.outcome,
                rewards=rewards_of(solved.verdict), provenance=origins[operator.name], **own,
            )  # fmt: skip
            break
