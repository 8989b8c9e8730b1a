"""`akgen data`: what models are trained on."""

from pathlib import Path
from typing import Annotated

import typer

from akgen.terminal import AsJson, Terminal, finish


def operators(
    out: Annotated[Path, typer.Argument(help="The folder for the task folders.")],
    count: Annotated[int, typer.Option(min=1, help="How many operators.")] = 100,
    seed: Annotated[
        int, typer.Option(min=0, help="The seed; a larger folder of the same seed begins alike.")
    ] = 0,
    families: Annotated[str | None, typer.Option(help="Only these families, separated by commas.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw operators as a folder of tasks, a suite for `akgen bench run`. Exit 0 if there are as many as asked for."""
    from akgen.finetune.operators.families import FAMILIES
    from akgen.finetune.operators.tasks import drawn, write

    terminal = Terminal(as_json)
    chosen = tuple(families.split(",")) if families else tuple(FAMILIES)
    by_family = dict.fromkeys(chosen, 0)
    with terminal.people.status("drawing operators") as status:
        for operator in drawn(seed, count, chosen):
            write(operator, out)
            by_family[operator.family] += 1
            status.update(f"{sum(by_family.values())} of {count} operators, {operator.family}")
    made = sum(by_family.values())
    terminal.line(
        f"{made} operators in {out}: {', '.join(f'{n} {family}' for family, n in by_family.items())}"
    )
    if made < count:
        terminal.line("these families have no more different operators to offer")
    terminal.line(f"  akgen bench run {out} --workers 2   solves and judges them")
    terminal.result({"folder": str(out), "operators": made, "families": by_family})
    finish(made == count)
