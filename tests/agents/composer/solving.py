"""Compose a task and judge the project on the twin."""

from pathlib import Path

from akgen.agents.composer import ModelFree
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.task import Task
from akgen.tools.judge.judge import Judge


def assert_solved(judge: Judge, what: Task, folder: Path) -> None:
    made = ModelFree()
    planned = made.plan(what, None, 0)
    assert planned.plan is not None, planned.diagnostics
    written = made.write(what, planned.plan, None, None, 0)
    assert written.project is not None, written.diagnostics
    build = judge.compile(written.project, what, folder / "build")
    assert build.outcome is None, build.diagnostics
    verdict = judge.test(build, what, folder / "test", seed=7)
    assert verdict.outcome is Outcome.CORRECT, "\n".join(
        str((c.id, c.outcome, [(d.code, d.text, d.line) for d in c.diagnostics])) for c in verdict.cases
    )
    # what the library asks of whoever registers its objects is only warned of, since the twin's does not need it
    assert not [d for c in verdict.cases for d in c.diagnostics if d.code == "MATMUL_OBJECT"]
