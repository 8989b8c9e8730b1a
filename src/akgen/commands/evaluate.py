"""`akgen eval` and `akgen profile`: judge or time a project that exists already."""

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from akgen.options import Project, Root, StrictOption, TaskName, ToolchainOption
from akgen.tables import pipes_table, profile_lines, verdict_table, what_if_table
from akgen.terminal import AsJson, Terminal, finish, warn_of_sandbox
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.tools.core.project import KernelProject
    from akgen.tools.core.task import Case, Task
    from akgen.tools.core.verdict import Verdict


def evaluate(
    context: typer.Context,
    project: Project,
    task: TaskName,
    cases: Annotated[str, typer.Option(help="`all`, or how many cases, smallest first.")] = "all",
    max_mb: Annotated[
        float | None, typer.Option(help="Leave out cases with more megabytes of input and output.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How many hidden inputs for each case.")] = 3,
    seed: Annotated[
        int | None, typer.Option(help="The seed of the hidden inputs; random unless given.")
    ] = None,
    toolchain: ToolchainOption = None,
    strict: StrictOption = False,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Judge PROJECT on a task: compile, run on hidden inputs, compare with PyTorch."""
    from akgen.tools.judge.judge import open_judge
    from akgen.tools.toolchains import make_toolchain

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    wanted, candidate = _open(project, task, root or settings.npukb_root)
    chosen = choose_cases(wanted, cases, max_mb)
    chain = make_toolchain(toolchain or settings.toolchain, settings, settings.chip, strict=strict)
    with open_judge(chain, terminal.line) as judge, tempfile.TemporaryDirectory(prefix="akgen-") as work:
        warn_of_sandbox(terminal, chain.sandbox_missing())
        with _bar(terminal) as bar:
            step = bar.add_task("compiling and judging", total=len(chosen))
            verdict = judge.judge(
                candidate,
                wanted,
                work=Path(work),
                cases=chosen,
                trials=trials,
                seed=seed,
                on_case=lambda _: bar.advance(step),
            )
        show_verdict(verdict, terminal, chain.sandbox_missing())
    finish(verdict.outcome is Outcome.CORRECT)


def profile(
    context: typer.Context,
    project: Project,
    task: TaskName,
    trace: Annotated[Path, typer.Option(help="The Chrome trace to write; a page is written beside it.")],
    case: Annotated[str | None, typer.Option(help="The case to time; the largest unless given.")] = None,
    toolchain: ToolchainOption = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Time PROJECT on one case of a task and draw its pipeline timeline. Says nothing about correctness."""
    import shutil

    from akgen.tools.judge.judge import open_judge
    from akgen.tools.timeline.page import write_page
    from akgen.tools.toolchains import make_toolchain

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    wanted, candidate = _open(project, task, root or settings.npukb_root)
    if case is not None:
        wanted = wanted.only((case,))
        if not wanted.cases:
            raise InputError(f"Task {wanted.name} has no case {case!r}.", "Leave --case out for the largest.")
    chain = make_toolchain(toolchain or settings.toolchain, settings, settings.chip)
    with open_judge(chain, terminal.line) as judge, tempfile.TemporaryDirectory(prefix="akgen-") as work:
        build = judge.compile(candidate, wanted, Path(work) / "build")
        found = judge.profile(build, wanted, Path(work) / "profile", 0)
        if found is None:
            for finding in build.diagnostics:
                terminal.line(f"{finding.code}: {finding.text}")
            reason = f"{candidate.kernel} was not timed: {build.outcome or 'it did not run to its end'}."
            raise InputError(reason, "Run `akgen eval` for the reason.")
        page = None
        if found.trace is not None:
            trace.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found.trace, trace)
            found = found.model_copy(update={"trace": trace})
            page = write_page(found, trace, trace.with_suffix(".html"), f"{candidate.kernel}, {wanted.name}")
    for line in profile_lines(found):
        terminal.line(line)
    terminal.show(pipes_table(found))
    if found.what_if:
        terminal.show(what_if_table(found))
    terminal.line(f"trace: {trace} (Perfetto)" if page else "this toolchain leaves no trace")
    if page is not None:
        terminal.line(f"page: {page}")
    terminal.result(found)


def choose_cases(task: "Task", cases: str, max_mb: float | None) -> "tuple[Case, ...]":
    """Return the cases to judge; cases whose size is not known are kept."""
    chosen = [c for c in task.cases if max_mb is None or c.size_bytes is None or c.size_bytes <= max_mb * 1e6]
    if not chosen:
        raise InputError(f"No case of {task.name} is within {max_mb:g} MB.", "Raise --max-mb.")
    if cases == "all":
        return tuple(chosen)
    if not cases.isdecimal() or int(cases) < 1:
        raise InputError(f"--cases cannot be {cases!r}.", "Write `all` or a number.")
    return tuple(sorted(chosen, key=lambda c: c.size_bytes or 0)[: int(cases)])


def show_verdict(verdict: "Verdict", terminal: Terminal, sandbox_missing: tuple[str, ...]) -> None:
    """Print a verdict with its findings, for people and for machines."""
    terminal.show(verdict_table(verdict))
    for d in verdict.findings:
        place = f" ({d.file}:{d.line})" if d.file and d.line else f" ({d.file})" if d.file else ""
        terminal.line(f"{d.code}{place}: {d.text}" + (f" {d.remedy}" if d.remedy else ""))
    if verdict.drawn is not None:
        terminal.line(verdict.drawn.sentence)
    terminal.line(f"outcome: {verdict.outcome}, compiled in {verdict.compile_s:.2f} s")
    terminal.result({**verdict_document(verdict), "sandbox_missing": list(sandbox_missing)})


def verdict_document(verdict: "Verdict") -> dict[str, Any]:
    """Return the machine's form: all findings in one list, cases without theirs."""
    data: dict[str, Any] = json.loads(verdict.model_dump_json())
    findings = list(data.pop("diagnostics"))
    for case in data["cases"]:
        findings += [{**d, "case": case["id"]} for d in case.pop("diagnostics")]
    return {**data, "diagnostics": findings}


def _open(folder: Path, task: str, root: Path | None) -> "tuple[Task, KernelProject]":
    from akgen.bench.resolve import resolve_task
    from akgen.tools.core.project import read_project

    wanted = resolve_task(task, root=root)
    return wanted, read_project(folder, wanted.op_type, wanted.kernel)


def _bar(terminal: Terminal) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=terminal.people, transient=True)
