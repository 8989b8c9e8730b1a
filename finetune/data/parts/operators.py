"""Drawn operators with their kernels, in both routes: a program of the tile DSL, and the Ascend C project."""

from typing import Any

from akgen.agents.prompts import render as render_answer
from akgen.finetune.data.record import DataPart, Language, Provenance, TrainingRecord
from akgen.finetune.data.texts import asked, fenced
from akgen.finetune.data.verifier import SolvedTask, claim_of, project_claim, rewards_of
from akgen.finetune.operators.splits import split_of
from akgen.finetune.operators.table import LANGUAGES
from akgen.finetune.operators.tasks import Operator
from akgen.tools.core.frozen import json_text
from akgen.tools.core.task import Case


def records(operator: Operator, solved: SolvedTask, origin: Provenance) -> list[TrainingRecord]:
    """Return the operator's two records; `solved` is correct."""
    first, second = (LANGUAGES[(operator.number + k) % 2] for k in range(2))
    own: dict[str, Any] = {"outcome": str(solved.verdict.outcome), "rewards": rewards_of(solved.verdict)}
    program = _record(
        operator, solved, origin, "dsl", first, solved.plan.thought, fenced(solved.dsl, "python"),
        claims=(claim_of(solved.verdict, "answer", "dsl", solved.dsl),), **own,
    )  # fmt: skip
    project = _record(
        operator, solved, origin, "project", second, solved.plan.thought,
        render_answer("answer", project=solved.project),
        claims=(project_claim(solved.verdict, "answer", solved.project),), **own,
    )  # fmt: skip
    return [program, project]


def _record(
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
