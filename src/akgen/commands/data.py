"""`akgen data`: what models are trained on."""

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings

DataFolder = Annotated[
    Path, typer.Argument(help="A folder that `akgen data build` or `akgen data mix` wrote.")
]
TokenizerOption = Annotated[
    str | None,
    typer.Option(help="A folder with a tokenizer, to measure in its tokens; characters unless given."),
]


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


def build(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The folder to build in; what it holds already stays.")],
    count: Annotated[int, typer.Option(min=1, help="How many operators; the other parts follow.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The seed: the same one gives the same bytes.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="How many processes.")] = 2,
    parts: Annotated[str | None, typer.Option(help="Only these parts, separated by commas.")] = None,
    families: Annotated[
        str | None, typer.Option(help="Only these families of operators, separated by commas.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build records, each verified by the judge; the same command again goes on where it stopped."""
    from akgen.finetune.data.build import BuildConfig, build, generator_digest
    from akgen.finetune.data.chunk import PARTS, documents
    from akgen.finetune.data.record import DataPart
    from akgen.finetune.operators.families import FAMILIES

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    config = BuildConfig(
        seed=seed, families=chosen(families, FAMILIES, "family"), generator=generator_digest(),
        parts=tuple(p for p in DataPart if p in chosen(parts, PARTS, "part")),
    )  # fmt: skip
    records: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    pairs, fresh, started = 0, 0, time.monotonic()
    with terminal.people.status("starting workers") as status:
        for done in build(folder, config, count, settings, workers, documents()):
            records.update(done.records)
            left_out.update(done.left_out)
            pairs += done.solved
            fresh += done.solved if done.seconds is not None else 0
            rate = fresh * 3600 / (time.monotonic() - started)
            status.update(
                f"{pairs} of {count} operators solved, {records.total()} records, {rate:.0f} pairs an hour"
            )
    seconds = time.monotonic() - started
    terminal.line(
        f"{records.total()} records in {folder}: {', '.join(f'{n} {p}' for p, n in records.items())}"
    )
    terminal.line(f"{pairs} pairs of task and kernel, {fresh * 3600 / seconds:.0f} an hour in this run")
    for reason, number in left_out.most_common():
        terminal.line(f"left out: {number} {reason}")
    terminal.result({
        "folder": str(folder), "records": records, "pairs": pairs, "seconds": round(seconds, 1),
        "pairs_per_hour": round(fresh * 3600 / seconds), "left_out": left_out,
    })  # fmt: skip
    finish(records.total() > 0)


def chosen(words: str | None, known: Iterable[str], what: str) -> tuple[str, ...]:
    """Read names that are separated by commas; all if there are none. Raises InputError for one that is not known."""
    names = tuple(known)
    wanted = tuple(w.strip() for w in words.split(",") if w.strip()) if words else names
    for word in wanted:
        if word not in names:
            raise InputError(f"There is no {what} {word!r}.", f"Known ones are {', '.join(names)}.")
    return wanted


def card(data: DataFolder, tokenizer: TokenizerOption = None, as_json: AsJson = False) -> None:
    """Write the data card, README.md: counts, lengths with a picture, licences, seeds, toolchain, digest."""
    from akgen.finetune.data.card import write_card

    terminal = Terminal(as_json)
    found = write_card(data, tokenizer)
    terminal.line(
        f"{found.records} records of {found.tasks} tasks, digest {found.digest[:16]}: {data / 'README.md'}"
    )
    terminal.result(found)


def export(
    data: DataFolder,
    form: Annotated[
        Literal["trl", "verl", "llamafactory", "kernelgen"],
        typer.Option("--format", help="Which trainer's files."),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the files.")],
    as_json: AsJson = False,
) -> None:
    """Write the records as files that a trainer loads unmodified."""
    from akgen.finetune.data.export import export as export_data

    terminal = Terminal(as_json)
    written = export_data(data, form, out)
    for name, rows in written.rows.items():
        terminal.line(f"{rows} rows: {out / name}")
    terminal.result(written)
    finish(bool(written.rows))
