"""Kernels for one shape with the reasoning that led to them: from what was tried, checked with what ran.

Kind "kernel" answers with the kernel to given host code (the paper's qus, cot, ans), kind "pair" with host and kernel
for one shape and tiling (input, output).
"""

from collections.abc import Iterator, Sequence

from akgen.agents.prompts import render as render_answer
from akgen.finetune.data.parts.operators import of_task
from akgen.finetune.data.parts.variants import REDUNDANT, WrittenWay
from akgen.finetune.data.record import DataPart, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, render
from akgen.finetune.data.verifier import project_claim, rewards_of
from akgen.finetune.operators.table import LANGUAGES
from akgen.finetune.operators.tasks import Operator
from akgen.knowledge.chip import Chip


def records(
    operator: Operator, found: Sequence[WrittenWay], origin: Provenance, chip: Chip
) -> Iterator[TrainingRecord]:
    """Yield the kernel and the pair of the fastest way that is written as a project."""
    written = [v for v in found if v.way != REDUNDANT]
    if not written:
        return
    best = min(written, key=lambda v: v.time_us)
    project, task = best.solved.project, best.solved.task
    others = sorted((v for v in written if v is not best), key=lambda v: v.time_us)
    thought = render("code_thought", best=best, others=others, chip=chip, plan=best.solved.plan)
    told = {"task": task, "said": operator.said, "reference": operator.reference}
    kernel = project.model_copy(update={"files": {p: project.files[p] for p in project.kernel_files}})
    for number, (kind, shown) in enumerate((("kernel", kernel), ("pair", project))):
        language = LANGUAGES[(operator.number + number) % 2]
        yield TrainingRecord(
            id=f"{operator.name}/code/{kind}", part=DataPart.CODE, kind=kind, language=language,
            prompt=asked(f"write_{kind}", language=language, host=project, **told), thought=thought,
            answer=render_answer("answer", project=shown),
            claims=(project_claim(best.solved.verdict, "answer", project),),
            outcome=str(best.solved.verdict.outcome), rewards=rewards_of(best.solved.verdict), provenance=origin,
            **of_task(operator, best.solved),
        )  # fmt: skip
