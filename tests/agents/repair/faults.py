"""Faults in correct projects: read them, put them in, and have the result judged as in a run."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from fixer import fix

from akgen.agents.critic import RuleCritic
from akgen.bench.resolve import resolve_task
from akgen.knowledge.patterns import Pattern
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.plain_kernels import plain_kernels

HERE = Path(__file__).resolve().parent


class Fault(Frozen):
    """One change that breaks a correct project, and a pattern that feedback which names the cause matches."""

    kind: Literal["api", "type", "scope", "memory", "other"]
    pattern: str
    file: Literal["kernel", "tiling"] = "kernel"
    old: str
    new: str
    cause: str
    repaired: bool = True

    @property
    def name(self) -> str:
        return f"{self.kind}: {' '.join((self.new or f'without {self.old}').split())[:60]}"


@cache
def read_faults() -> tuple[Fault, ...]:
    table = tomllib.loads((HERE / "faults.toml").read_text())
    return tuple(Fault.model_validate(row) for row in table["fault"])


def base(fault: Fault) -> Pattern:
    return next(p for p in plain_kernels() if p.name == fault.pattern)


def broken(fault: Fault) -> KernelProject:
    """Return the project with the fault; AssertionError if `old` is not there."""
    pattern = base(fault)
    folder, ending = ("op_kernel/", ".cpp") if fault.file == "kernel" else ("op_host/", "_tiling.h")
    file = next(name for name in pattern.files if name.startswith(folder) and name.endswith(ending))
    assert fault.old in pattern.files[file], fault
    text = pattern.files[file].replace(fault.old, fault.new, 1)
    return KernelProject(op_type=pattern.op_type, kernel=pattern.kernel, files={**pattern.files, file: text})


ROUNDS = 4  # of following what is told


class Bench:
    """Judges projects and says what a coder would be told."""

    def __init__(self, twin: TwinToolchain, reference: ReferenceWorker) -> None:
        self.judge = Judge(twin, reference)

    def feedback(self, fault: Fault, project: KernelProject, work: Path) -> str | None:
        """Return the feedback about a project; None if it is correct."""
        task: Task = resolve_task(base(fault).task, case_ids=("ragged", "half"))
        verdict = self.judge.judge(project, task, work=work, trials=1, seed=3)
        if verdict.outcome == "correct":
            return None
        decision = RuleCritic().criticise(task, None, verdict, attempt=1, attempts_left=3)
        assert decision.feedback is not None
        return decision.feedback.text

    def repair(self, fault: Fault, work: Path) -> tuple[str | None, bool]:
        """Return the feedback about the fault, and whether following the feedback to the letter mends it."""
        project = broken(fault)
        first = told = self.feedback(fault, project, work / "0")
        for attempt in range(1, ROUNDS + 1):
            if told is None:
                break
            files = fix(project.files, told)
            if files == dict(project.files):
                break
            project = project.model_copy(update={"files": files})
            told = self.feedback(fault, project, work / str(attempt))
        return first, told is None
