"""What becomes of a text: source and shapes in, outcome, first finding, predicted time and bound out."""

import json
from collections.abc import Iterable, Iterator

from akgen.finetune.data.record import DataPart, JudgedText, TrainingRecord
from akgen.finetune.data.texts import asked

_KEPT = ("family", "level", "dtype", "split", "task", "op_type", "kernel", "composition", "description_en",
         "description_zh", "reference", "cases")  # fmt: skip


def records(others: Iterable[TrainingRecord]) -> Iterator[TrainingRecord]:
    """Yield one record for each different text that was judged."""
    seen: set[str] = set()
    for record in others:
        for number, claim in enumerate(record.claims):
            if claim.form == "snippet" or claim.text in seen:
                continue
            seen.add(claim.text)
            said = {
                "outcome": claim.outcome, "code": claim.code,
                "time_us": None if claim.time_us is None else round(claim.time_us, 3), "bound": claim.bound,
            }  # fmt: skip
            yield TrainingRecord(
                id=f"{record.id}/world/{number}", part=DataPart.WORLD, kind=claim.form,
                prompt=asked("world", record=record, claim=claim, source=_source(claim), cases=record.listed_cases),
                answer=json.dumps(said) + "\n", claims=(claim.model_copy(update={"role": "before"}),),
                outcome=claim.outcome, code=claim.code, provenance=record.provenance,
                **{name: getattr(record, name) for name in _KEPT},
            )  # fmt: skip


def _source(claim: JudgedText) -> str:
    """Return the program, or of a project host and kernel without what every project shares."""
    if claim.form == "dsl":
        return claim.text
    files: dict[str, str] = json.loads(claim.text)
    return "\n".join(f"// {path}\n{text}" for path, text in files.items() if not path.endswith("tile_ops.h"))
