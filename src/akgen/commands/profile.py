"""`akgen profile`: time a project that exists already, alone or beside another, and draw its timeline."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from akgen.options import Project, Root, TaskName, ToolchainOption, open_project
from akgen.tables import (
    changed_lines_table,
    lines_table,
    pipes_table,
    prediction_table,
    profile_lines,
    what_if_table,
)
from akgen.terminal import AsJson, Terminal
from akgen.tools.core.outcome import InputError
from akgen.tools.core.prediction import compare as compare_sides
from akgen.tools.core.prediction import prediction_document
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import ToolchainName

if TYPE_CHECKING:
    from akgen.tools.core.project import KernelProject
    from akgen.tools.core.task import Task
    from akgen.tools.judge.judge import Judge
    from akgen.tools.timeline.page import DrawnLaunch
    from akgen.tools.timeline.source_lines import SourceLine


def profile(
    context: typer.Context,
    project: Project,
    task: TaskName,
    trace: Annotated[Path, typer.Option(help="The Chrome trace to write; a page is written beside it.")],
    compare: Annotated[
        Path | None,
        typer.Option(
            help="Another project for the same task, drawn beside this one; or `twin` or `cann`: this one there."
        ),
    ] = None,
    case: Annotated[str | None, typer.Option(help="The case to time; the largest unless given.")] = None,
    toolchain: ToolchainOption = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Time PROJECT on one case of a task and draw its pipeline timeline. Says nothing about correctness."""
    from akgen.tools.judge.judge import open_judge
    from akgen.tools.timeline.page import write_page
    from akgen.tools.timeline.source_lines import CostedSources, changes, listings
    from akgen.tools.toolchains import make_toolchain

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    wanted, candidate = open_project(project, task, root or settings.npukb_root)
    elsewhere = _other_toolchain(compare)
    other = None
    if compare is not None:
        other = candidate if elsewhere else open_project(compare, task, root or settings.npukb_root)[1]
    if case is not None:
        wanted = wanted.only((case,))
        if not wanted.cases:
            raise InputError(f"Task {wanted.name} has no case {case!r}.", "Leave --case out for the largest.")
    chain = make_toolchain(toolchain or settings.toolchain, settings, settings.chip)
    with open_judge(chain, terminal.line) as judge, tempfile.TemporaryDirectory(prefix="akgen-") as work:
        named = f"{chain.name if elsewhere else project.name}: " if other else ""
        first = _timed(judge, candidate, wanted, Path(work) / "first", trace, terminal, named)
        beside = trace.with_suffix(".compared.json")
        second = None
        if compare is not None and other is not None:
            named = f"{compare.name}: "
            with _judge_on(elsewhere, judge, settings, terminal) as second_judge:
                second = _timed(second_judge, other, wanted, Path(work) / "second", beside, terminal, named)
    drawn = [one for one in (first, second) if one is not None]
    page = None
    if elsewhere or all(one.profile.trace or one.profile.counters for one in drawn):
        page = write_page(first, trace.with_suffix(".html"), second)
    documents, sides = [], []
    for one in drawn:
        lines = _lines(one)
        if second is not None:
            terminal.line(f"{'A' if one is first else 'B'}: {one.title}")
        for line in profile_lines(one.profile):
            terminal.line(line)
        terminal.show(pipes_table(one.profile))
        if lines:
            terminal.show(lines_table(lines, one.profile.cores))
        if one.profile.what_if:
            terminal.show(what_if_table(one.profile))
        traced = one.profile.trace
        terminal.line(f"trace: {traced} (Perfetto)" if traced else "this toolchain leaves no trace")
        documents.append(_document(one, lines))
        sides.append(CostedSources(lines=lines, sources=one.sources, cores=one.profile.cores))
    if (changed := changes(sides, listings(sides))) and not elsewhere:
        terminal.show(changed_lines_table(changed, sides))
    compared = compare_sides(first.profile, second.profile) if elsewhere and second else None
    if compared is not None:
        terminal.show(prediction_table(compared))
    if page is not None:
        terminal.line(f"page: {page}")
    terminal.result(
        documents[0]
        | ({"compared": documents[1]} if second else {})
        | ({"prediction": prediction_document(compared)} if compared else {})
    )


def _other_toolchain(compare: Path | None) -> ToolchainName | None:
    """Return the toolchain that --compare names; a folder of such a name is a project."""
    known = next((name for name in ToolchainName if str(compare) == name), None)
    return None if compare is None or compare.is_dir() else known


@contextmanager
def _judge_on(
    name: ToolchainName | None, judge: "Judge", settings: Settings, terminal: Terminal
) -> Iterator["Judge"]:
    from akgen.tools.judge.judge import open_judge
    from akgen.tools.toolchains import make_toolchain

    if name is None:
        yield judge
        return
    with open_judge(make_toolchain(name, settings, settings.chip), terminal.line) as another:
        yield another


def _timed(
    judge: "Judge",
    project: "KernelProject",
    task: "Task",
    work: Path,
    trace: Path,
    terminal: Terminal,
    named: str,
) -> "DrawnLaunch":
    """Time a project; its trace, if there is one, is kept at `trace`. Raises InputError if it does not run.

    `named` begins its title.
    """
    from akgen.tools.timeline.page import DrawnLaunch

    build = judge.compile(project, task, work / "build")
    found = judge.profile(build, task, work / "profile", 0)
    if found is None:
        for finding in build.diagnostics:
            terminal.line(f"{finding.code}: {finding.text}")
        reason = f"{project.kernel} was not timed: {build.outcome or 'it did not run to its end'}."
        raise InputError(reason, "Run `akgen eval` for the reason.")
    if found.trace is not None:
        trace.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found.trace, trace)
        found = found.model_copy(update={"trace": trace})
    return DrawnLaunch(
        title=f"{named}{project.kernel}, {task.name}",
        profile=found,
        trace=found.trace,
        sources=project.files,
    )


def _lines(one: "DrawnLaunch") -> "tuple[SourceLine, ...]":
    from akgen.tools.timeline.source_lines import costly_lines
    from akgen.tools.timeline.trace import read_trace

    return costly_lines(read_trace(one.trace).lines, one.sources) if one.trace else ()


def _document(one: "DrawnLaunch", lines: "tuple[SourceLine, ...]") -> dict[str, Any]:
    """Return the machine's form: the profile, and lines with their cycles summed over all cores."""
    data: dict[str, Any] = json.loads(one.profile.model_dump_json())
    return {**data, "lines": [line.model_dump(mode="json") for line in lines]}
