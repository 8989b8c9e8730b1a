"""Options that several commands of `akgen bench` take."""

from pathlib import Path
from typing import Annotated

import typer

from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Mode

SuiteName = Annotated[
    str, typer.Argument(help="builtin, npukb, mkb, kernelbench, or a folder of task folders or Python files.")
]
Root = Annotated[
    Path | None, typer.Option(help="Your checkout of NPUKernelBench, MultiKernelBench or KernelBench.")
]
ModeOption = Annotated[Mode, typer.Option(help="static: the first case alone; dynamic: all of them.")]
MostMegabytes = Annotated[float | None, typer.Option(help="Leave out cases with more megabytes of input.")]
TaskNames = Annotated[str | None, typer.Option(help="Only these tasks, separated by commas.")]
Levels = Annotated[str | None, typer.Option(help="Only these levels, separated by commas.")]
Categories = Annotated[str | None, typer.Option(help="Only these categories, separated by commas.")]


def checkout(suite: str, settings: Settings) -> Path | None:
    """Return the checkout that the environment names for a suite."""
    roots = {"mkb": settings.mkb_root, "kernelbench": settings.kernelbench_root}
    return roots.get(suite, settings.npukb_root)


def words(text: str | None) -> tuple[str, ...]:
    """Return what stands between commas."""
    return tuple(w.strip() for w in (text or "").split(",") if w.strip())
