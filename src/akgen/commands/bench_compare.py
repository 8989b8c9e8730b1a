"""akgen bench compare and plan: whether runs differ, and how large a run must be to show it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from akgen.terminal import AsJson, Terminal
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.bench.compare import RunComparison, RunPair

_FEWEST_SHOWN = 10  # ratios at either end of the list


def compare_runs(
    runs: Annotated[list[Path], typer.Argument(help="Folders of two or more runs of one suite and mode.")],
    as_json: AsJson = False,
) -> None:
    """Say which tasks one of two runs solves alone, whether that differs, and how their kernels' times relate.

    Ratios are FIRST's time over SECOND's: above 1, SECOND's kernels take less time. Of three runs and more, every
    pair is compared, and p-values are corrected for their number (Holm).
    """
    from akgen.bench.compare import compare_all
    from akgen.bench.store import BenchStore

    terminal = Terminal(as_json)
    if len(runs) < 2:
        raise InputError("One run alone cannot be compared.", "Give the folders of two runs or more.")
    pairs = compare_all([BenchStore.open(run) for run in runs])
    if len(pairs) == 1:
        _two(terminal, pairs[0].comparison)
        terminal.result(pairs[0].comparison)
        return
    _several(terminal, pairs)
    terminal.result({"pairs": [pair.model_dump(mode="json") for pair in pairs]})


def _two(terminal: Terminal, found: "RunComparison") -> None:
    from rich.table import Table

    alone = len(found.first_alone), len(found.second_alone)
    terminal.line(
        f"{found.tasks} tasks in both runs; solved by both {found.both}, by the first alone {alone[0]}, by the second "
        f"alone {alone[1]} (McNemar p = {found.p_solved:.3g}, mid-p = {found.p_solved_mid:.3g})"
    )
    if found.odds is not None:
        shown = ["no limit" if o is None else f"{o:.2f}" for o in (found.odds.value, found.odds.high)]
        terminal.line(
            "odds that a task which one run alone solves is the second's: "
            f"{shown[0]} [{found.odds.low:.2f}, {shown[1]}]"
        )
    for rate in found.rates:
        terminal.line(
            f"ER@{rate.k}: second less first {rate.difference:+.3f} [{rate.low:+.3f}, {rate.high:+.3f}] over "
            f"{rate.tasks} tasks (paired permutation p = {rate.p:.3g}, mid-p = {rate.p_mid:.3g}; "
            f"Cohen's h = {rate.h:+.2f})"
        )
    terminal.line(
        "the runs differ at 5 %"
        if found.differ
        else "no difference is shown at 5 %; `akgen bench plan` says what would"
    )
    for name, tasks in (("first", found.first_alone), ("second", found.second_alone)):
        if tasks:
            terminal.line(f"the {name} alone: {', '.join(tasks)}")
    if found.mean_ratio is not None:
        table = Table("Task", "Level", "First us", "Second us", "Ratio", box=None)
        rows = list(found.ratios)
        shown_rows = (
            rows if len(rows) <= 2 * _FEWEST_SHOWN else [*rows[:_FEWEST_SHOWN], None, *rows[-_FEWEST_SHOWN:]]
        )
        for row in shown_rows:
            if row is None:
                table.add_row("…", "", "", "", "")
                continue
            table.add_row(
                row.task, str(row.level), f"{row.first_us:.1f}", f"{row.second_us:.1f}", f"{row.ratio:.2f}"
            )
        terminal.show(table)
        terminal.line(
            f"{found.time_source} times, first over second: geometric mean {found.mean_ratio:.3f} "
            f"[{found.low:.3f}, {found.high:.3f}] over {len(rows)} tasks, least {rows[0].ratio:.2f} "
            f"(Wilcoxon p = {found.p_time:.3g})"
        )


def _several(terminal: Terminal, pairs: "tuple[RunPair, ...]") -> None:
    from rich.table import Table

    table = Table(
        "First", "Second", "Tasks", "ER@1", "ER@1", "Difference", "h", "p, Holm", "Differ", box=None
    )
    for pair in pairs:
        found, rate = pair.comparison, pair.comparison.rates[0]
        table.add_row(
            pair.first, pair.second, str(found.tasks), f"{rate.first:.1%}", f"{rate.second:.1%}",
            f"{rate.difference:+.3f} [{rate.low:+.3f}, {rate.high:+.3f}]", f"{rate.h:+.2f}", f"{pair.p:.3g}",
            "yes" if pair.differ else "not shown",
        )  # fmt: skip
    terminal.show(table)
    terminal.line(f"p: paired permutation test, mid-p-values, corrected for {len(pairs)} pairs (Holm)")


def plan_run(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="builtin, npukb, mkb, or a folder.")],
    difference: Annotated[
        float,
        typer.Option(min=0.001, max=0.999, help="Of ER@1, that the runs are to show: 0.1 is ten points."),
    ],
    rate: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="What the first run will reach; 0.5 unless given.")
    ] = None,
    alike: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="How alike a task's samples end: 0 not at all, 1 all the same; 0.5 unless given.",
        ),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(help="A run with several samples, from which rate and likeness are measured."),
    ] = None,
    power: Annotated[float, typer.Option(min=0.5, max=0.999, help="The chance to see the difference.")] = 0.8,
    root: Annotated[Path | None, typer.Option(help="Your checkout of a public benchmark.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say how many tasks and samples show that two runs of SUITE differ by so much, at 5 %."""
    from rich.table import Table

    from akgen.bench import suites
    from akgen.bench.metrics import measured, plan
    from akgen.bench.store import BenchStore

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    seen = measured(BenchStore.open(like).records()) if like is not None else (0.5, 0.5)
    checkout = root or (settings.mkb_root if suite == "mkb" else settings.npukb_root)
    tasks = len(suites.suite_folders(suite, checkout))
    found = plan(
        suite, tasks, difference, rate=seen[0] if rate is None else rate,
        alike=seen[1] if alike is None else alike, power=power,
    )  # fmt: skip
    table = Table("Samples", "Tasks needed", f"Power with {tasks} tasks", box=None)
    for row in found.rows:
        table.add_row(str(row.samples), str(row.tasks), f"{row.power:.0%}")
    terminal.line(
        f"to see {found.rate:.1%} against {found.rate + difference:.1%} with power {power:.0%} at 5 % "
        f"(samples of a task alike: {found.alike:.2f})"
    )
    terminal.show(table)
    terminal.line(
        f"{suite} has {tasks} tasks: " + (
            f"take {found.samples} sample{'s' if found.samples > 1 else ''} of each"
            if found.samples is not None
            else f"no number of samples suffices; what it can show is {found.smallest:.3f}"
            if found.smallest is not None
            else "too few to show any difference"
        )
    )  # fmt: skip
    terminal.result(found)
