"""`akgen replay`: run a recorded run again, without its model, and say whether it went the same way."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.terminal import AsJson, StageLines, Terminal, finish
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.graph.store.records import Attempt
    from akgen.graph.store.run_store import TaskStore


def replay(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(help="The folder of a run with a model.")],
    out: Annotated[Path | None, typer.Option(help="The new run's folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run RUN's tasks again with the replies that its model gave; exit 0 if every attempt comes out the same."""
    from akgen.graph.run import begin, new_folder, open_deps, work_on
    from akgen.graph.store.run_store import RunStore
    from akgen.tools.toolchains import make_toolchain

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    old = RunStore.open(run)
    config = old.info.config.model_copy(update={"model": f"replay:{old.folder}", "base_url": None})
    different: list[str] = []
    compared = 0
    version = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict).version()
    store = begin(out or new_folder(settings.runs, "replay"), config, version)
    with (
        StageLines(terminal, config.samples) as lines,
        open_deps(store, settings, lines.say, lines.watch) as deps,
    ):
        for place in old.tasks():
            task = place.task()
            try:
                work_on(task, deps)
            except InputError as problem:  # an attempt went another way: its next request is not on record
                different.append(problem.text)
            count, found = _compare(place, store.task(task.name))
            compared, different = compared + count, [*different, *found]
    terminal.line(f"run {store.folder}")
    for text in different:
        terminal.line(f"different: {text}")
    terminal.line(f"{compared} attempts compared, {len(different)} different")
    terminal.result({"run": str(store.folder), "attempts": compared, "different": different})
    finish(not different)


def _compare(old: "TaskStore", new: "TaskStore") -> tuple[int, list[str]]:
    """Return how many attempts were compared, and where the two differ."""
    before, after = _attempts(old), _attempts(new)
    different = []
    for key in sorted(before | after):
        if _essence(before.get(key)) != _essence(after.get(key)):
            different.append(f"{old.task().name}, sample {key[0]}, attempt {key[1]}")
    return len(before | after), different


def _attempts(place: "TaskStore") -> dict[tuple[int, int], "Attempt"]:
    return {(s.number, a.number): a for s in place.samples() for a in s.attempts()}


def _essence(attempt: "Attempt | None") -> tuple[object, ...] | None:
    """Return what must be the same: the sources' bytes, the outcome with its findings, what was told and used."""
    if attempt is None:
        return None
    told = attempt.feedback.text if attempt.feedback else None
    found = [(case.id, case.outcome, case.diagnostics, case.mismatch) for case in attempt.verdict.cases]
    spent = (attempt.spent.tokens, attempt.spent.cost)
    return (attempt.digest, attempt.verdict.outcome, attempt.verdict.diagnostics, found, told, spent)
