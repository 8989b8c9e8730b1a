"""`akgen harvest export`: training data from recorded runs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from akgen.terminal import AsJson, Terminal, finish


def export(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    form: Annotated[
        Literal["sft", "dpo"],
        typer.Option("--format", help="sft: prompts and completions; dpo: preference pairs."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="The JSONL file to write; RUN/harvest/FORMAT.jsonl unless given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write JSONL records of a run's attempts; they load with `datasets`."""
    from akgen.finetune.harvest import export_run

    terminal = Terminal(as_json)
    written = export_run(run, form, out)
    terminal.line(f"{written.records} {form} records: {written.path}")
    for reason, count in written.left_out.items():
        terminal.line(f"left out: {count} {reason}")
    terminal.result(written)
    finish(written.records > 0)
