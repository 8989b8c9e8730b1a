"""Drawn operators with their kernels, in both routes, and what is told of these kernels.

Operators: a program of the tile DSL, and the Ascend C project. Code: kernels for one shape with the reasoning that led
to them; kind "kernel" answers with the kernel to given host code (the paper's qus, cot, ans), kind "pair" with host
and kernel for one shape and tiling (input, output). World: what becomes of a text; source and shapes in, outcome, first
finding, predicted time and bound out.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from akgen.agents.prompts import render as render_answer
from akgen.finetune.data.parts.variants import REDUNDANT, WrittenWay
from akgen.finetune.data.record import DataPart, JudgedText, Language, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, fenced, render
from akgen.finetune.data.verifier import SolvedTask, claim_of, project_claim, rewards_of
from akgen.finetune.operators.sketch import LANGUAGES
from akgen.finetune.operators.splits import split_of
from akgen.finetune.operators.tasks import Operator
from akgen.knowledge.chip import Chip
from akgen.tools.core.frozen import json_text
from akgen.tools.core.task import Case

_KEPT = ("family", "level", "dtype", "split", "task", "op_type", "kernel", "composition", "description_en",
         "description_zh", "reference", "cases")  # fmt: skip


def operator_records(operator: Operator, solved: SolvedTask, origin: Provenance) -> list[TrainingRecord]:
    """Return the operator's two records; `solved` is correct."""
    first, second = (LANGUAGES[(operator.number + k) % 2] for k in range(2))
    own: dict[str, Any] = {"outcome": str(solved.verdict.outcome), "rewards": rewards_of(solved.verdict)}
    program = _operator_record(
        operator, solved, origin, "dsl", first, solved.plan.thought, fenced(solved.dsl, "python"),
        claims=(claim_of(solved.verdict, "answer", "dsl", solved.dsl),), **own,
    )  # fmt: skip
    project = _operator_record(
        operator, solved, origin, "project", second, solved.plan.thought,
        render_answer("answer", project=solved.project),
        claims=(project_claim(solved.verdict, "answer", solved.project),), **own,
    )  # fmt: skip
    return [program, project]


def _operator_record(
    operator: Operator, solved: SolvedTask, origin: Provenance, kind: str, language: Language, thought: str,
    answer: str, **more: Any,
) -> TrainingRecord:  # fmt: skip
    told = {"task": solved.task, "said": operator.said, "reference": operator.reference}
    return TrainingRecord(
        id=f"{operator.name}/{kind}", part=DataPart.OPERATORS, kind=kind, language=language,
        prompt=asked(f"write_{kind}", language=language, **told), thought=thought, answer=answer,
        provenance=origin, **of_task(operator, solved), **more,
    )  # fmt: skip


def of_task(operator: Operator, solved: SolvedTask) -> dict[str, Any]:
    """Return what every record of an operator says of its task."""
    task = solved.task
    return {
        "family": operator.family, "level": operator.difficulty, "dtype": dtype_of(task.cases),
        "split": split_of(operator.family, operator.composition), "task": task.name, "op_type": task.op_type,
        "kernel": task.kernel, "composition": operator.composition, "description_en": operator.said["en"],
        "description_zh": operator.said["zh"], "reference": operator.reference,
        "cases": json_text(list(task.cases)),
    }  # fmt: skip


def dtype_of(cases: tuple[Case, ...]) -> str:
    """Return the dtype of all cases, "mixed" if they differ."""
    found = sorted({str(case.params.get("dtype", "none")) for case in cases})
    return found[0] if len(found) == 1 else "mixed"


def code_records(
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


def world_records(others: Iterable[TrainingRecord]) -> Iterator[TrainingRecord]:
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
