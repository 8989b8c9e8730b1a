"""A launch that the twin predicted beside the same one that a device measured: by how much each time is off."""

from typing import Any, Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.profile import Profile

Cache = Literal["cold", "warm"]


class ComparedTime(Frozen):
    """One time, of the whole launch or of a pipe's work. Shares are of each launch's own time."""

    name: str  # "total", or a pipe
    predicted_us: float
    measured_us: float
    predicted_share: float
    measured_share: float

    @property
    def error(self) -> float | None:
        """Return predicted / measured - 1; None where nothing was measured."""
        return self.predicted_us / self.measured_us - 1.0 if self.measured_us else None


class TwinBesideDevice(Frozen):
    """Both launches, total first. `cache`: what the second-level cache held before the launch that was measured."""

    predicted_by: str  # toolchain
    measured_by: str  # toolchain, and what took the time
    cache: Cache
    times: tuple[ComparedTime, ...]


def cache_of(measured: Profile) -> Cache:
    """Return what was in the cache: events stand around launches after a flush, profilers look at one after another."""
    return "cold" if measured.measured_by == "events" else "warm"


def predicted_us(predicted: Profile, cache: Cache) -> float:
    """Return the twin's time of a launch with that in the cache; its only one where it took no second."""
    time = predicted.warm_us if cache == "warm" else predicted.cold_us
    return predicted.time_us if time is None else time


def compare(one: Profile, other: Profile) -> TwinBesideDevice:
    """Put two launches of one kernel beside each other, in any order. Raises InputError if not one is predicted."""
    if one.time_source == other.time_source:
        raise InputError(
            f"Both launches are {one.time_source}: no error of a prediction follows.",
            "Compare the twin with cann.",
        )
    predicted, measured = (one, other) if one.time_source == "predicted" else (other, one)
    cache = cache_of(measured)
    total = predicted_us(predicted, cache)
    times = [_time("total", total, measured.time_us, total, measured.time_us)]
    busy = [{p.pipe: p.busy_us for p in side.pipes} for side in (predicted, measured)]
    for pipe in dict.fromkeys((*busy[0], *busy[1])):
        pair = busy[0].get(pipe, 0.0), busy[1].get(pipe, 0.0)
        if max(pair) > 0:
            times.append(_time(pipe, *pair, total, measured.time_us))
    took = f", {measured.measured_by}" if measured.measured_by else ""
    return TwinBesideDevice(
        predicted_by=predicted.toolchain,
        measured_by=f"{measured.toolchain}{took}",
        cache=cache,
        times=tuple(times),
    )


def prediction_document(found: TwinBesideDevice) -> dict[str, Any]:
    """Return the machine's form, with the errors in percent."""
    times = [
        t.model_dump() | {"error_percent": None if t.error is None else round(100 * t.error, 2)}
        for t in found.times
    ]
    return found.model_dump() | {"times": times}


def _time(
    name: str, predicted: float, measured: float, predicted_whole: float, measured_whole: float
) -> ComparedTime:
    return ComparedTime(
        name=name,
        predicted_us=predicted,
        measured_us=measured,
        predicted_share=predicted / predicted_whole if predicted_whole else 0.0,
        measured_share=measured / measured_whole if measured_whole else 0.0,
    )
