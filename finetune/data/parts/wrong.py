"""Kernels that compile and compute wrongly: what the numbers show, the mistake behind them, and the kernel rebuilt.

Each also gives a pair for preference learning: both sides compile, one is correct.
"""

import random
from collections import Counter
from collections.abc import Iterator

from akgen.finetune.data.parts.errors import Pairs
from akgen.finetune.data.parts.operators import of_task
from akgen.finetune.data.record import DataPart, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, fenced, render
from akgen.finetune.data.verifier import Verifier, claim_of, rewards_of
from akgen.finetune.operators.table import LANGUAGES
from akgen.tools.core.outcome import Outcome
from akgen.tools.faults.programs import drawn_mutants

PER_OPERATOR = 0.6  # operators that get a mistake
TRIES = 3  # mutants of one program; many compute the same


def records(
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
