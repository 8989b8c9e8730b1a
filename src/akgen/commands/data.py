"""`akgen data`: what models are trained on."""

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.finetune.data.record import DataPart

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
    from akgen.finetune.data.chunk import PARTS
    from akgen.finetune.data.parts.documents import chunks
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
        for done in build(folder, config, count, settings, workers, len(chunks())):
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


def mix(
    sources: Annotated[list[Path], typer.Argument(help="Folders that `akgen data build` wrote.")],
    out: Annotated[Path, typer.Option(help="The folder for the data set.")],
    quota: Annotated[
        str | None, typer.Option(help="At most so many records of a part: operators=4000,world=2000.")
    ] = None,
    per_family: Annotated[
        int | None, typer.Option(min=1, help="At most so many records of a family within a part.")
    ] = None,
    near: Annotated[
        float, typer.Option(min=0.5, max=1, help="Texts at least so alike count as one; 1 keeps them.")
    ] = 0.95,
    tokenizer: TokenizerOption = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Leave out longer records.")] = None,
    sequence: Annotated[int, typer.Option(min=1, help="Tokens of a packed sequence.")] = 8192,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the order.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Mix builds into one data set: quotas, de-duplication, a limit of length, packing, its card."""
    from akgen.finetune.data.mix import MixConfig
    from akgen.finetune.data.mix import mix as mix_data

    terminal = Terminal(as_json)
    config = MixConfig(
        quotas=_quotas(quota), most_per_family=per_family, near=near, tokenizer=tokenizer, most_tokens=max_tokens,
        sequence_tokens=sequence, seed=seed,
    )  # fmt: skip
    with terminal.people.status("reading, comparing and mixing"):
        mixed, card = mix_data(sources, out, config)
    parts = ", ".join(f"{n} {p}" for p, n in card.by_part.items())
    terminal.line(f"{mixed.records} records in {out}: {parts}")
    terminal.line(f"{mixed.sequences} sequences of {sequence} tokens, {mixed.filled:.0%} filled")
    for reason, number in mixed.left_out.items():
        terminal.line(f"left out: {number} {reason}")
    terminal.result({**mixed.model_dump(mode="json"), "card": card.model_dump(mode="json")})


def verify(
    context: typer.Context,
    data: DataFolder,
    sample: Annotated[int, typer.Option(min=1, help="How many records.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the sample.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Judge a sample of records again from their stored text. Exit 0 if all that they claim holds."""
    from akgen.finetune.data.verifier import sample as draw_sample
    from akgen.finetune.data.verifier import verify as verify_records
    from akgen.tools.toolchains import make_twin

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    records, of = draw_sample(data, sample, seed)
    done = 0
    with terminal.people.status("starting the judge") as status:

        def on_record(name: str) -> None:
            nonlocal done
            done += 1
            status.update(f"{done} of {len(records)} records, {name}")

        found = verify_records(records, of, make_twin(settings, settings.chip), on_record)
    for name, why in found.failed.items():
        terminal.line(f"does not hold: {name}: {why}")
    held = found.sampled - len(found.failed)
    terminal.line(
        f"{held} of {found.sampled} records hold, {found.claims} texts judged; {found.of} records claim something"
    )
    terminal.result(found)
    finish(found.sampled > 0 and not found.failed)


def certify(
    context: typer.Context,
    data: DataFolder,
    against: Annotated[
        str, typer.Option(help="What to compare with: npukb=ROOT,mkb=ROOT,builtin, or a folder of tasks.")
    ] = "builtin",
    code: Annotated[float, typer.Option(min=0, max=1, help="The share of common runs of 13 tokens.")] = 0.5,
    embedding: Annotated[
        str | None, typer.Option(help="A folder with a model that embeds texts, to compare meaning too.")
    ] = None,
    meaning: Annotated[float, typer.Option(min=0, max=1, help="The cosine of embeddings.")] = 0.95,
    drop: Annotated[bool, typer.Option("--drop", help="Take what leaks out of the data.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compare a data set with benchmarks and write its certificate. Exit 0 if nothing that leaks is left in it."""
    from akgen.finetune.data.certify import certify as certify_data
    from akgen.finetune.data.certify import read_against

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    sides = read_against(against, {"npukb": settings.npukb_root, "mkb": settings.mkb_root})
    with terminal.people.status("comparing names, references and code"):
        found = certify_data(data, sides, code=code, meaning=meaning, embedding=embedding, drop=drop)
    for side in found.against:
        terminal.line(f"compared with {side.tasks} tasks of {side.suite}, digest {side.digest[:16]}")
    for leak in found.leaks:
        if leak.record not in found.dropped:
            terminal.line(f"leak: {leak.record} and {leak.task}: {leak.check} {leak.score:g}")
    terminal.line(
        f"{len({leak.record for leak in found.leaks})} of {found.records + len(found.dropped)} records leak, "
        f"{len(found.dropped)} dropped: {data / 'certificate.json'}"
    )
    terminal.result(found)
    finish(found.clean)


def _quotas(text: str | None) -> "dict[DataPart, int]":
    from akgen.finetune.data.record import DataPart

    found: dict[DataPart, int] = {}
    for part in filter(None, (p.strip() for p in (text or "").split(","))):
        name, _, number = part.partition("=")
        if name not in list(DataPart) or not number.isdecimal():
            known = ", ".join(DataPart)
            raise InputError(f"--quota cannot be {part!r}.", f"Write PART=NUMBER; parts are {known}.")
        found[DataPart(name)] = int(number)
    return found


def import_(
    source: Annotated[
        Path, typer.Argument(help="A run's folder, or .jsonl files of question and answer, or Markdown.")
    ],
    out: Annotated[Path, typer.Argument(help="The folder for the records; `akgen data mix` takes it.")],
    kind: Annotated[Literal["attempts", "documents", "general"], typer.Option("--as", help="What they are.")],
    licence: Annotated[
        str | None, typer.Option(help="Under which licence texts may be used, such as MIT.")
    ] = None,
    languages: Annotated[str, typer.Option(help="The languages that stay.")] = "en,zh",
    min_characters: Annotated[int, typer.Option(min=0, help="Leave out shorter texts.")] = 40,
    max_characters: Annotated[int, typer.Option(min=1, help="Leave out longer texts.")] = 60_000,
    max_perplexity: Annotated[float | None, typer.Option(min=1, help="Leave out texts less likely.")] = None,
    model: Annotated[
        str | None, typer.Option(help="A folder with the model that measures perplexity.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Bring in attempts of a run, your own documentation, or general data, each with its licence."""
    from akgen.finetune.data.imports import TextFilter, import_attempts, import_texts
    from akgen.finetune.data.language_model import perplexity_of
    from akgen.finetune.data.record import DataPart

    terminal = Terminal(as_json)
    if kind == "attempts":
        found = import_attempts(source, out)
    else:
        if licence is None:
            raise InputError("Texts need a licence.", "Name it with --licence, such as --licence MIT.")
        if (model is None) != (max_perplexity is None):
            raise InputError("--max-perplexity and --model go together.", "Give both, or neither.")
        keep = TextFilter.model_validate({
            "languages": chosen(languages, ("en", "zh"), "language"), "least_characters": min_characters,
            "most_characters": max_characters, "most_perplexity": max_perplexity,
        })  # fmt: skip
        measured = perplexity_of(model) if model else None
        found = import_texts(source, out, DataPart(kind), licence, keep, measured)
    terminal.line(f"{found.records} records in {out}")
    for reason, number in found.left_out.items():
        terminal.line(f"left out: {number} {reason}")
    terminal.result(found)


LEAST_PAIRS_PER_HOUR = 600


def rate(
    context: typer.Context,
    count: Annotated[int, typer.Option(min=1, help="How many operators.")] = 48,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The seed; another one each time unless given: nothing is built yet."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many processes.")] = 2,
    as_json: AsJson = False,
) -> None:
    """Measure how many verified pairs of task and kernel are made in an hour. Exit 0 if it is at least 600."""
    import secrets
    import tempfile

    from akgen.finetune.data.build import BuildConfig, build, generator_digest
    from akgen.finetune.data.record import DataPart

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    drawn = secrets.randbelow(1 << 30) if seed is None else seed
    config = BuildConfig(seed=drawn, parts=(DataPart.OPERATORS,), generator=generator_digest())
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="akgen-rate-") as folder:
        pairs = sum(done.solved for done in build(Path(folder), config, count, settings, workers))
    seconds = time.monotonic() - started
    hourly = round(pairs * 3600 / seconds)
    terminal.line(
        f"verified pairs an hour, {workers} workers: {hourly} (at least {LEAST_PAIRS_PER_HOUR}); "
        f"{pairs} of {count} operators in {seconds:.0f} s, starting the workers included, seed {drawn}"
    )
    terminal.result({"pairs_per_hour": hourly, "pairs": pairs, "operators": count, "seed": drawn})
    finish(hourly >= LEAST_PAIRS_PER_HOUR)
