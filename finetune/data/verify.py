"""Judge records again from the text that is stored in them: what they claim holds, or it is said what does not."""

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from akgen.finetune.data.record import TrainingRecord
from akgen.finetune.data.shards import read_records
from akgen.finetune.data.verifier import Verifier
from akgen.tools.core.frozen import Frozen
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.twin.toolchain import TwinToolchain


class Verified(Frozen):
    """What of a sample holds; `failed` says per record what does not."""

    sampled: int
    of: int
    claims: int
    failed: dict[str, str]


def sample(folder: Path, count: int, seed: int) -> tuple[list[TrainingRecord], int]:
    """Draw records that claim something; also return how many there are. Raises InputError for damaged data."""
    claiming = [r for r in read_records(folder) if r.claims]
    chosen = random.Random(seed).sample(range(len(claiming)), min(count, len(claiming)))
    return [claiming[n] for n in sorted(chosen)], len(claiming)


def verify(
    records: Sequence[TrainingRecord], of: int, toolchain: TwinToolchain, on_record: Callable[[str], None]
) -> Verified:
    """Judge every text of these records anew."""
    with (
        open_judge(toolchain, lambda _line: None) as judge,
        tempfile.TemporaryDirectory(prefix="akgen-") as work,
    ):
        found = {}
        for record, why in judged_again(records, judge, toolchain, Path(work)):
            on_record(record.id)
            if why is not None:
                found[record.id] = why
    return Verified(sampled=len(records), of=of, claims=sum(len(r.claims) for r in records), failed=found)


def judged_again(
    records: Sequence[TrainingRecord], judge: Judge, toolchain: TwinToolchain, work: Path
) -> Iterator[tuple[TrainingRecord, str | None]]:
    """Yield each record with what does not hold in it, None if all does."""
    verifiers: dict[int, Verifier] = {}
    for record in records:
        seed = record.provenance.judge_seed or 0
        verifier = verifiers.setdefault(seed, Verifier(judge, work / str(seed), seed, toolchain))
        reasons = (verifier.holds(claim, record) for claim in record.claims)
        yield record, next((r for r in reasons if r is not None), None)
