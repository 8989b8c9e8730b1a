"""akgen bench compare: two runs side by side."""

from pathlib import Path
from typing import Annotated

import typer

from akgen.terminal import AsJson, Terminal

_FEWEST_SHOWN = 10  # ratios at either end of the list


def compare_runs(
    first: Annotated[Path, typer.Argument(help="The folder of a bench run.")],
    second: Annotated[Path, typer.Argument(help="The folder of another run of the same suite and mode.")],
    as_json: AsJson = False,
) -> None:
    """Say which tasks one of two runs solves alone, whether that differs, and how their kernels' times relate.

    Ratios are FIRST's time over SECOND's: above 1, SECOND's kernels take less time.
    """
    from rich.table import Table

    from akgen.bench.compare import compare
    from akgen.bench.store import BenchStore

    terminal = Terminal(as_json)
    found = compare(BenchStore.open(first), BenchStore.open(second))
    alone = len(found.first_alone), len(found.second_alone)
    terminal.line(
        f"{found.tasks} tasks in both runs; solved by both {found.both}, by the first alone {alone[0]}, by the second "
        f"alone {alone[1]} (McNemar p = {found.p_solved:.3g})"
    )
    for rate in found.rates:
        terminal.line(
            f"ER@{rate.k}: second less first {rate.difference:+.3f} [{rate.low:+.3f}, {rate.high:+.3f}] over "
            f"{rate.tasks} tasks (paired permutation p = {rate.p:.3g})"
        )
    for name, tasks in (("first", found.first_alone), ("second", found.second_alone)):
        if tasks:
            terminal.line(f"the {name} alone: {', '.join(tasks)}")
    if found.mean_ratio is not None:
        table = Table("Task", "Level", "First us", "Second us", "Ratio", box=None)
        rows = list(found.ratios)
        shown = (
            rows if len(rows) <= 2 * _FEWEST_SHOWN else [*rows[:_FEWEST_SHOWN], None, *rows[-_FEWEST_SHOWN:]]
        )
        for row in shown:
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
    terminal.result(found)
