"""Pairs of a slower and a faster kernel for one shape, with both predicted times and what their timelines say."""

from collections.abc import Iterator, Sequence

from akgen.finetune.data.parts.operators import of_task
from akgen.finetune.data.parts.variants import WrittenWay
from akgen.finetune.data.record import DataPart, JudgedText, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, fenced, render
from akgen.finetune.data.verifier import claim_of, rewards_of
from akgen.finetune.operators.table import LANGUAGES
from akgen.finetune.operators.tasks import Operator

LEAST_GAIN = 1.05  # time before over time after; less is within what the time model cannot tell


def records(operator: Operator, found: Sequence[WrittenWay], origin: Provenance) -> Iterator[TrainingRecord]:
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
