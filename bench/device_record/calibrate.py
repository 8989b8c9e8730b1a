"""From records to a table of constants: read, refuse what no device measured, fit, write if it helps.

The fit of the time model's constants to device timings is that of `bench/calibrate.py`: linear in logarithms around
today's constants, each held to today's value as if it had been measured with an error of its own. A family (a task) is
left out whole, to see whether the fit helps there: its kernels resemble each other.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from akgen.bench.calibrate import FOLDS, STEP, Slopes, least_squares, today
from akgen.bench.device_record.archive import OpenRecord, read_record
from akgen.bench.device_record.pack import pack
from akgen.bench.device_record.replay import DeviceLaunch, replay
from akgen.bench.device_record.twin_times import Ready, TwinTimes, twin_times
from akgen.graph.store.files import write_whole
from akgen.knowledge import chip
from akgen.tools.core.outcome import InputError
from akgen.tools.core.profile import Profile
from akgen.tools.core.settings import Settings
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.settings import FittedTiming

SPREAD = 0.3  # of a constant around today's, as a logarithm: published timings were fitted
LEAST_SHARE = 0.05  # of the launch after its start: what a pipe does less than that says little
START = ("launch_us", "launch_core_us")  # published timings do not fit these: the documentation gives them
_OF_CUBES = ("l1_to_l0", "l0c_", "cube_", "nd2nz")
_TOTAL = "total"


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


class DevicePoint(NamedTuple):
    """One measured time: of a launch, or of what a pipe worked in it."""

    launch: int
    family: str
    what: str
    measured_us: float
    predicted_us: float

    @property
    def off(self) -> float:
        """Return log(measured / predicted)."""
        return math.log(self.measured_us / self.predicted_us)


class Fitted(NamedTuple):
    """`before` and `after`: mean |log(measured / predicted)| of points whose family the fit did not see."""

    constants: dict[str, float]  # those that moved
    points: int
    families: tuple[str, ...]
    before: float
    after: float
    within: float  # the same of all points, by the fit to all

    @property
    def helps(self) -> bool:
        return self.after <= self.before


def points(times: TwinTimes, profiles: Mapping[int, Profile]) -> list[DevicePoint]:
    """Return what can be compared: launches, and pipes that matter in both."""
    found = []
    for number, predicted in profiles.items():
        one = times.ready[number].recorded
        pairs = {_TOTAL: (one.measured.time_us, predicted.time_us)}
        busy = {p.pipe: p.busy_us for p in predicted.pipes}
        if one.measured.counters is not None or one.measured.pipes:
            pairs |= {p.pipe: (p.busy_us, busy.get(p.pipe, 0.0)) for p in one.measured.pipes if p.pipe != "S"}
        cores_us = max(predicted.time_us, one.measured.time_us) - (predicted.start_us or 0.0)
        for what, (measured, told) in pairs.items():
            if min(measured, told) > LEAST_SHARE * cores_us:
                found.append(DevicePoint(number, one.family, what, measured, told))
    return found


def fit(times: TwinTimes, say: Callable[[str], None]) -> Fitted:
    """Fit all, and each two thirds of the families to see how the third comes out.

    Raises InputError where there are too few families for that.
    """
    base = points(times, _predict(times, range(len(times.ready))))
    families = tuple(sorted({p.family for p in base}))
    if len(families) < FOLDS:
        raise InputError(
            f"{len(families)} tasks were measured, and a third of them is to be left out of each fit.",
            f"Record runs of {FOLDS} tasks at least; ten or more tell something.",
        )
    known = today() | {key: chip.today(key) for key in START}
    now = {key: value for key, value in known.items() if _applies(key, base)}
    slopes, now = _slopes(times, base, now, say)
    before, after = [], []
    for number in range(FOLDS):
        out = families[number::FOLDS]
        kept = [i for i, p in enumerate(base) if p.family not in out]
        found = _fitted(base, slopes, now, kept)
        left = [p for p in base if p.family in out]
        told = _predict(times, {p.launch for p in left}, found)
        newer = {(p.launch, p.what): p for p in points(times, told)}
        for p in left:
            if (again := newer.get((p.launch, p.what))) is not None:
                before.append(abs(p.off))
                after.append(abs(again.off))
        say(f"without {', '.join(out)}: held out {_mean(before):.1%} before, {_mean(after):.1%} after")
    whole = _fitted(base, slopes, now, range(len(base)))
    within = points(times, _predict(times, range(len(times.ready)), whole))
    return Fitted(
        constants=whole,
        points=len(base),
        families=families,
        before=_mean(before),
        after=_mean(after),
        within=_mean([abs(p.off) for p in within]),
    )


def _applies(key: str, base: Sequence[DevicePoint]) -> bool:
    """Leave out what only cube cores have, where none was used."""
    return any(p.what == "M" for p in base) or not key.startswith(_OF_CUBES)


def _slopes(
    times: TwinTimes, base: Sequence[DevicePoint], now: Mapping[str, float], say: Callable[[str], None]
) -> tuple[Slopes, dict[str, float]]:
    """Return derivatives of log(predicted) by log(constant), of the constants that move anything."""
    columns, moving = [], {}
    rows = {(p.launch, p.what): i for i, p in enumerate(base)}
    for key, value in now.items():
        moved = _predict(times, {p.launch for p in base}, {key: value * math.exp(STEP)})
        column = np.zeros(len(base))
        for number, profile in moved.items():
            for what, us in _figures(profile).items():
                if (i := rows.get((number, what))) is not None and us > 0:
                    column[i] = math.log(us / base[i].predicted_us) / STEP
        if (abs(column) > 0.01).any():
            columns.append(column)
            moving[key] = value
            say(f"{key}: moves {int((abs(column) > 0.02).sum())} of {len(base)} points")
    slopes: Slopes = np.column_stack(columns) if columns else np.zeros((len(base), 0))
    return slopes, moving


def _fitted(
    base: Sequence[DevicePoint], slopes: Slopes, now: dict[str, float], kept: Iterable[int]
) -> dict[str, float]:
    rows = list(kept)
    off = np.array([base[i].off for i in rows])
    return least_squares(off, slopes[rows], now, now, SPREAD) if now and rows else {}


def _predict(
    times: TwinTimes, numbers: Iterable[int], constants: Mapping[str, float] | None = None
) -> dict[int, Profile]:
    ready: Sequence[Ready] = times.ready
    told = ((number, times.predict(ready[number], constants)) for number in sorted(numbers))
    return {number: profile for number, profile in told if profile is not None}


def _figures(profile: Profile) -> dict[str, float]:
    return {_TOTAL: profile.time_us} | {p.pipe: p.busy_us for p in profile.pipes}


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0
