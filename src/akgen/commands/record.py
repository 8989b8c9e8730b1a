"""`akgen record`: pack a run from a machine with an NPU for review, and read such a record anywhere."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.outcome import InputError
from akgen.tools.core.prediction import compare, prediction_document
from akgen.tools.core.settings import Settings

if TYPE_CHECKING:
    from akgen.bench.device_record.archive import DeviceRecord, OpenRecord
    from akgen.bench.device_record.replay import Replayed
    from akgen.tools.core.prediction import TwinBesideDevice


def record(
    context: typer.Context,
    place: Annotated[Path, typer.Argument(help="The folder of a run; with --check or --import, a record.")],
    out: Annotated[Path | None, typer.Option(help="The record to write; RUN.akgen.zip unless given.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Read a record: each file, why it is there, what was scrubbed.")
    ] = False,
    import_: Annotated[
        bool,
        typer.Option("--import", help="Replay a record's logs and CSV files, and predict its launches."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Pack RUN into one file for review: sources, logs, times, versions; or --check or --import such a file."""
    from akgen.bench.device_record.archive import read_record
    from akgen.bench.device_record.pack import check_out, pack, summary

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    if (check or import_) and out is not None:
        raise InputError("--out is for a record that is written.", "Leave it out.")
    if check or import_:
        opened = read_record(place)
        for line in summary(opened.record):
            terminal.line(line)
        if import_:
            _import(opened, settings, terminal)
            return
        _show(opened.record, terminal)
        terminal.result({**opened.record.model_dump(mode="json"), "kind": opened.record.kind})
        return
    target = out or Path(f"{place.absolute().name}.akgen.zip")
    check_out(target, place)
    packed = pack(place, target, settings)
    for line in summary(packed.record):
        terminal.line(line)
    _show(packed.record, terminal)
    terminal.line(f"record {packed.path}: look through it (`akgen record --check`) before you send it")
    document = packed.record.model_dump(mode="json")
    terminal.result({"record": str(packed.path), "kind": packed.record.kind, **document})


def _show(made: "DeviceRecord", terminal: Terminal) -> None:
    table = Table(box=None)
    for name in ("file", "bytes", "why", "scrubbed"):
        table.add_column(name, overflow="fold")
    for file in made.files:
        gone = ", ".join(f"{n} {what}" for what, n in sorted(file.scrubbed.items()))
        table.add_row(Text(file.path), str(file.size_bytes), Text(file.why), Text(gone))
    for left in made.left_out:
        table.add_row(Text(f"{left.what} ({left.files})"), "", Text(f"left out: {left.why}"), "")
    terminal.show(table)


def _import(opened: "OpenRecord", settings: Settings, terminal: Terminal) -> None:
    """Replay, predict, and end with 0 if every parser says here what it said where the run was."""
    from akgen.bench.device_record.replay import replay
    from akgen.bench.device_record.twin_times import twin_times
    from akgen.tools.toolchains import make_twin

    replayed = replay(opened)
    table = Table(box=None)
    for name in ("parser", "file", "", "what it says"):
        table.add_column(name, overflow="fold")
    for one in replayed.replays:
        mark = ("as recorded", "green") if one.agrees else ("otherwise", "red")
        table.add_row(one.parser, Text(one.path), Text(*mark), Text(one.said))
    terminal.show(table)
    twin = make_twin(settings, opened.record.chip)
    twin.prepare(terminal.line)
    compared: dict[str, TwinBesideDevice] = {}
    with twin_times(twin, replayed.launches) as times:
        for ready in times.ready:
            told = times.predict(ready)
            if told is not None:
                compared[ready.recorded.name] = compare(told, ready.recorded.measured)
    for name, pair in compared.items():
        total = pair.times[0]
        terminal.line(
            f"{name}: {total.predicted_us:.2f} us predicted by {pair.predicted_by}, "
            f"{total.measured_us:.2f} us measured by {pair.measured_by} ({total.error or 0:+.1%})"
        )
    for left in times.not_ready:
        terminal.line(f"{left.name}: not predicted, {left.why}")
    if not replayed.launches:
        terminal.line("no launch in it was measured by a profiler")
    terminal.result(_document(opened, replayed, compared))
    finish(all(one.agrees for one in replayed.replays))


def _document(
    opened: "OpenRecord", replayed: "Replayed", compared: "dict[str, TwinBesideDevice]"
) -> dict[str, object]:
    return {
        "record": opened.name,
        "kind": opened.record.kind,
        "toolchain": opened.record.toolchain,
        "replays": [one._asdict() for one in replayed.replays],
        "launches": [{"name": name, **prediction_document(one)} for name, one in compared.items()],
    }


def calibrate(
    context: typer.Context,
    from_run: Annotated[
        list[Path], typer.Option("--from-run", help="A record or a run on a device; may be repeated.")
    ],
    out: Annotated[Path, typer.Option(help="The table of constants to write, for AKGEN_TIMING.")] = Path(
        "akgen-timing.json"
    ),
    rehearsal: Annotated[
        bool, typer.Option("--rehearsal", help="Take records of a fake device, too: for tests.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Fit the time model to times of a device. Exit 0 if tasks left out of the fit are predicted no worse."""
    from akgen.bench.device_record.calibrate import write_fitted

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    with tempfile.TemporaryDirectory(prefix="akgen-record-") as work:
        done = write_fitted(from_run, out, settings, terminal.line, Path(work), rehearsal=rehearsal)
    terminal.line(f"{done.table.points} points of {len(done.table.families)} tasks: {done.table.sentence}")
    if done.written:
        terminal.line(f"{out} written; AKGEN_TIMING={out} makes the twin use it, and every result name it")
    else:
        terminal.line("nothing is written: tasks that the fit did not see are predicted worse with it")
    terminal.result({"written": str(out) if done.written else None, **done.table.model_dump(mode="json")})
    finish(done.written)
