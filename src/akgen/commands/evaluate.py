"""`akgen eval`: judge a project that exists already."""

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from akgen.options import Project, Root, StrictOption, TaskName, ToolchainOption, open_project
from akgen.tables import verdict_table
from akgen.terminal import AsJson, Terminal, finish, warn_of_sandbox
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import ToolchainName

if TYPE_CHECKING:
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
    device_check: Annotated[
        str | None,
        typer.Option(help="Checks of msSanitizer on an NPU, by commas: memcheck, racecheck."),
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Judge PROJECT on a task: compile, run on hidden inputs, compare with PyTorch."""
    from akgen.tools.judge.judge import open_judge
    from akgen.tools.toolchains import make_toolchain

    settings: Settings = context.obj
    if device_check is not None:
        settings = settings.model_copy(update={"npu_checks": device_check})
        if (toolchain or settings.toolchain) != ToolchainName.CANN:
            raise InputError(
                "--device-check is for --toolchain cann.", "The twin checks memory and races anyway."
            )
    terminal = Terminal(as_json)
    wanted, candidate = open_project(project, task, root or settings.npukb_root)
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


def _bar(terminal: Terminal) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=terminal.people, transient=True)
