"""From records to a table of constants: read, refuse what no device measured, fit, write if it helps."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from akgen.bench.device_record.archive import OpenRecord, read_record
from akgen.bench.device_record.fit import fit
from akgen.bench.device_record.pack import pack
from akgen.bench.device_record.replay import DeviceLaunch, replay
from akgen.bench.device_record.twin_times import twin_times
from akgen.graph.store.files import write_whole
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import Settings
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.fitted_timing import FittedTiming


class FitDone(NamedTuple):
    table: FittedTiming
    written: bool  # false: it makes tasks that it did not see worse


def write_fitted(
    places: Sequence[Path],
    out: Path,
    settings: Settings,
    say: Callable[[str], None],
    work: Path,
    *,
    rehearsal: bool,
) -> FitDone:
    """Fit to the launches of records or runs of one chip. Raises InputError for those that no device measured."""
    _check_out(out)
    opened = [_open(place, work / f"{i}.akgen.zip", settings) for i, place in enumerate(places)]
    launches: list[DeviceLaunch] = []
    for one in opened:
        _check(one, opened[0], rehearsal=rehearsal)
        replayed = replay(one)
        for other in (r for r in replayed.replays if not r.agrees):
            say(f"{one.name}: {other.path} is passed over, it says otherwise than its verdict: {other.said}")
        launches += replayed.launches
    # the user's own constants are what is fitted anew, so ours are where it starts
    twin = make_twin(settings.model_copy(update={"timing": None}), opened[0].record.chip)
    twin.prepare(say)
    with twin_times(twin, launches) as times:
        for left in times.not_ready:
            say(f"{left.name} is passed over: {left.why}")
        found = fit(times, say)
    table = FittedTiming(
        chip=opened[0].record.chip,
        constants=found.constants,
        points=found.points,
        families=found.families,
        fitted_to=tuple(one.name for one in opened),
        toolchain=opened[0].record.toolchain,
        rehearsal=any(one.record.kind == "rehearsal" for one in opened),
        held_out_before=found.before,
        held_out_after=found.after,
    )
    if found.helps:
        write_whole(out, table.model_dump_json(indent=1) + "\n")
    return FitDone(table, found.helps)


def _check_out(out: Path) -> None:
    package = Path(__file__).resolve().parents[2]
    if out.resolve().is_relative_to(package / "knowledge"):
        raise InputError(f"{out} lies in AKGen itself.", "Choose a place of your own with --out.")
    if not out.absolute().parent.is_dir():
        raise InputError(f"There is no folder {out.absolute().parent}.", "Make it, or choose another.")


def _open(place: Path, packed: Path, settings: Settings) -> OpenRecord:
    """Read a record; a run is packed first, so that both go the same way."""
    if place.is_dir():
        pack(place, packed, settings)
        return read_record(packed).model_copy(update={"name": place.name})
    return read_record(place)


def _check(one: OpenRecord, first: OpenRecord, *, rehearsal: bool) -> None:
    record = one.record
    if record.kind == "twin":
        raise InputError(
            f"{one.name} was made by {record.toolchain}, which predicts: the model would be fitted to itself.",
            "Give a run of --toolchain cann.",
        )
    if record.kind == "rehearsal" and not rehearsal:
        raise InputError(
            f"{one.name} was made by a rehearsal's fake device ({record.toolchain}), not by an NPU.",
            "Give a run on an NPU; --rehearsal takes it all the same.",
        )
    if (record.chip, record.kind) != (first.record.chip, first.record.kind):
        raise InputError(
            f"{one.name} is of {record.chip} ({record.kind}), {first.name} of {first.record.chip} "
            f"({first.record.kind}).",
            "Fit each chip by itself.",
        )
