"""`akgen bench report`: runs as tables, as JSON and as one page."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.terminal import AsJson, Terminal

if TYPE_CHECKING:
    from akgen.bench.report import Report
    from akgen.bench.store import BenchStore


class FolderLayout(StrEnum):
    NPUKB = "npukb"


def report_run(
    runs: Annotated[list[Path], typer.Argument(help="The folders of one or more bench runs.")],
    out: Annotated[
        Path | None, typer.Option(help="The page to write; in the first run's folder unless given.")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="Times to compare with, a JSON file of KernelBench's; else the twin's roofline."),
    ] = None,
    layout: Annotated[
        FolderLayout | None,
        typer.Option(help="Write answers and results in the benchmark's own folders, too."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Report on runs, finished or not, and write one HTML page of them."""
    from akgen.bench import launch
    from akgen.bench.store import BenchStore

    terminal = Terminal(as_json)
    stores = [BenchStore.open(run) for run in runs]
    if layout is not None:
        for store in stores:
            terminal.line(f"layout {launch.write_layout(store)}")
    found, page = launch.write_report(stores, out, baseline)
    for store, one in zip(stores, found, strict=True):
        if len(found) > 1:
            terminal.line(f"run {store.folder}")
        _table(terminal, one)
    terminal.line(f"page {page}")
    terminal.result(found[0] if len(found) == 1 else {"runs": [one.model_dump(mode="json") for one in found]})


def show_report(terminal: Terminal, store: "BenchStore") -> "Report":
    """Write the report and the page of one run, print both, and return the report."""
    from akgen.bench import launch

    (found,), page = launch.write_report([store])
    _table(terminal, found)
    terminal.line(f"page {page}")
    terminal.result(found)
    return found


def _table(terminal: Terminal, found: "Report") -> None:
    from rich.table import Table

    columns = ("Level", "Tasks", "Compiled", "Solved", "Cases", "CR@1", "ER@1", "Of allowed", "Processor")
    table = Table(*columns, box=None)
    for number, level in found.levels.items():
        table.add_row(
            number,
            str(level.tasks),
            str(level.compiled),
            str(level.solved),
            f"{level.cases_correct}/{level.cases}",
            *(f"{100 * r[0].value:.1f} %" if r else "" for r in (level.cr, level.er)),
            "" if level.most_used is None else f"{level.most_used:.1%}",
            "" if level.processor_s is None else f"{level.processor_s:.1f} s",
        )
    terminal.show(table)
    if found.memory:
        terminal.line("memory: on; tasks were shown what earlier ones taught, and are not independent")
    if found.repairs:
        mended = Table("Attempt failed with", "Times", "Gone in the next", "Correct in the next", box=None)
        for code, rates in found.repairs.items():
            mended.add_row(
                code, str(rates.met), f"{rates.gone / rates.met:.0%}", f"{rates.solved / rates.met:.0%}"
            )
        terminal.show(mended)
    if found.fast_p is not None:
        shares = ", ".join(f"fast_{p} {share:.1%}" for p, share in found.fast_p.p.items())
        terminal.line(f"against the {found.fast_p.against} ({found.fast_p.times} times): {shares}")
    if found.faults.tries:
        terminal.line(
            f"machine faults: {found.faults.tries}; {found.faults.mended} samples mended by another try, "
            f"{found.faults.machine} not judged"
        )
    for error in found.errors:
        terminal.line(f"not judged: {error.task}: {error.why}")
    if found.input_tokens or found.output_tokens:
        cost = f", cost {found.cost:.4g}" if found.cost else ""
        terminal.line(f"model calls: {found.input_tokens} tokens in, {found.output_tokens} out{cost}")
    if found.score is not None:
        terminal.line(f"score {found.score:.3f} ({found.toolchain})")
