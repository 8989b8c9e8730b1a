"""Mistakes in correct projects and tile programs: read them, put them in, and have the result judged as in a run."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from akgen.agents.critic import RuleCritic
from akgen.agents.kernel_only import interface
from akgen.agents.plan import Plan
from akgen.agents.prompts.builder import example_project
from akgen.bench.resolve import resolve_task
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Mode, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.dsl import DslError, lower
from akgen.tools.dsl.parse import parse
from akgen.tools.judge.judge import Judge

HERE = Path(__file__).resolve().parent
PLAN = Plan(origin="test", category="other", thought="")
TRIALS = 2


class Mistake(Frozen):
    """One change of a correct text, and what the feedback's first finding has to say, as patterns."""

    name: str
    base: str
    file: Literal["kernel", "host"] = "kernel"
    change: tuple[tuple[str, str], ...]  # what becomes what, each once
    cause: str
    remedy: str


class Told(Frozen):
    """The first finding of a feedback; `cause` and `remedy` say whether it names them."""

    text: str
    cause: bool
    remedy: bool


@cache
def read_mistakes() -> tuple[Mistake, ...]:
    rows = tomllib.loads((HERE / "mistakes.toml").read_text())["mistake"]
    return tuple(
        Mistake(
            name=row["name"],
            base=row["base"],
            file=row.get("file", "kernel"),
            change=tuple((row[f"old{n}"], row[f"new{n}"]) for n in ("", 2, 3) if f"old{n}" in row),
            cause=row["cause"],
            remedy=row["remedy"],
        )
        for row in rows
    )


def task_of(base: str) -> Task:
    """Return the task that a base solves."""
    known = json.loads((HERE / base / "base.json").read_text())
    if "task" in known:
        return resolve_task(known["task"], case_ids=tuple(known["cases"]))
    task = resolve_task(str(HERE / base / "reference.py"))
    cases = tuple(Case(id=str(n), params=params) for n, params in enumerate(known["cases"]))
    update = {
        "name": base,
        "kernel": known.get("kernel", base),
        "op_type": known["op_type"],
        "cases": cases,
        "mode": Mode.DYNAMIC,
        "draws_shapes": False,
    }
    return task.model_copy(update=update)


def source_of(base: str) -> KernelProject | str:
    """Return the base: a project, or a program in the tile DSL."""
    known = json.loads((HERE / base / "base.json").read_text())
    if "project" in known:
        return example_project(product=known["project"] == "example_product")
    program = HERE / base / "program.txt"
    if program.is_file():
        return program.read_text()
    return KernelProject.read_from(HERE / base, known["op_type"], known.get("kernel", base))


def changed(mistake: Mistake) -> KernelProject | str:
    """Return the base with the mistake; AssertionError if what is to change is not there."""
    source = source_of(mistake.base)
    if isinstance(source, str):
        return _replaced(source, mistake)
    ending = f"op_{mistake.file}/{source.kernel}.cpp"
    return source.model_copy(
        update={"files": {**source.files, ending: _replaced(source.files[ending], mistake)}}
    )


def _replaced(text: str, mistake: Mistake) -> str:
    for old, new in mistake.change:
        assert old in text, (mistake.name, old)
        text = text.replace(old, new, 1)
    return text


def verdict_on(judge: Judge, source: KernelProject | str, task: Task, work: Path) -> Verdict:
    """Judge a project, or a program after its lowering, as a run does."""
    if isinstance(source, str):
        try:
            source = lower(parse(source), interface(task.op_type, judge.describe(task)), task.kernel)
        except DslError as error:
            return Verdict(
                outcome=Outcome.COMPILE_ERROR,
                toolchain=judge.toolchain,
                compile_s=0.0,
                diagnostics=error.diagnostics,
            )
    return judge.judge(source, task, work=work, trials=TRIALS, seed=5)


def told_of(mistake: Mistake, judge: Judge, work: Path) -> Told | None:
    """Return the first finding of the feedback about a mistake; None if nobody notices it."""
    task = task_of(mistake.base)
    verdict = verdict_on(judge, changed(mistake), task, work)
    if verdict.outcome is Outcome.CORRECT:
        return None
    decision = RuleCritic().criticise(task, PLAN, verdict, attempt=1, attempts_left=3)
    assert decision.feedback is not None
    first = re.split(r"^- ", decision.feedback.text, flags=re.M)[1]
    said, _, remedy = " ".join(first.split()).partition("Remedy: ")
    return Told(
        text=" ".join(first.split()),
        cause="cause unknown" not in said and re.search(mistake.cause, said) is not None,
        remedy=re.search(mistake.remedy, remedy) is not None,
    )
