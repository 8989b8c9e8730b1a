"""What a timeline says: per-pipe time, what bounds the kernel, how far from the roofline.

A time says where it comes from (`Timed`), and is read as runs of earlier versions wrote it.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, model_validator

from akgen.tools.core.frozen import Frozen

Microseconds = Annotated[float, Field(ge=0)]
TimeSource = Literal["predicted", "measured"]
# What measured it: events around launches, the second-level cache flushed before each (cold); or a profiler, over
# launches one after the other (warm)
MeasuredBy = Literal["events", "msprof", "msprof op"]

# Until 0.1 the time was called `predicted_us` wherever it came from, and a launch's `duration_us`.
_EARLIER_NAMES = {"predicted_us": "time_us", "duration_us": "time_us", "source": "time_source"}


class DeviceReadings(Frozen):
    """What the driver said of a device while a time was measured on it; None where it did not say.

    A clock below the rated one makes every time longer: a time is to be compared with others of one clock.
    """

    clock_mhz: float | None = Field(None, ge=0, le=1e6)  # the highest that was seen
    rated_clock_mhz: float | None = Field(None, ge=0, le=1e6)
    temperature_c: float | None = Field(None, ge=-100, le=1000)  # the last, in degrees Celsius
    power_w: float | None = Field(None, ge=0, le=1e6)  # the last, in watts

    @property
    def sentence(self) -> str:
        """Say it in a few words; empty where nothing is known."""
        rated = f" of {self.rated_clock_mhz:g}" if self.rated_clock_mhz is not None else ""
        clock = f"{self.clock_mhz:g}{rated} MHz" if self.clock_mhz is not None else ""
        heat = f"{self.temperature_c:g} C" if self.temperature_c is not None else ""
        return ", ".join(filter(None, (clock, heat)))


class HasTime(Frozen):
    """Something that takes `time_us` microseconds: predicted by the twin's time model, or measured on a device.

    Both are None where nothing was timed. A time of an earlier version whose toolchain is not known has no source.
    """

    time_us: Microseconds | None = None
    time_source: TimeSource | None = None
    measured_by: MeasuredBy | None = None  # None: predicted, or an earlier version measured
    device: DeviceReadings | None = None  # None: predicted, or the driver said nothing

    @model_validator(mode="before")
    @classmethod
    def _earlier_names(cls, value: Any, info: ValidationInfo) -> Any:
        """Read `predicted_us`; a validation context may name the toolchain."""
        if isinstance(value, dict):
            value = {_EARLIER_NAMES.get(k, k): v for k, v in value.items()}
        return with_sources(value, (info.context or {}).get("toolchain"))

    def time_text(self, form: str = ".1f", unit: str = "us") -> str | None:
        """Say the time and which kind it is, such as `4.7 us predicted`; None where nothing was timed."""
        if self.time_us is None:
            return None
        by = f" by {self.measured_by}" if self.measured_by else ""
        state = f" ({self.device.sentence})" if self.device is not None and self.device.sentence else ""
        return f"{self.time_us:{form}} {unit}" + (
            f" {self.time_source}{by}{state}" if self.time_source else ""
        )


def source_of(toolchain: str) -> TimeSource:
    """Return what a toolchain's times are: CANN measures, the twin predicts."""
    return "measured" if toolchain.startswith("cann") else "predicted"


def with_sources(value: Any, toolchain: str | None = None) -> Any:
    """Give the times in unvalidated data the names of today, and the source that the toolchain around them says."""
    if isinstance(value, list | tuple):
        return [with_sources(v, toolchain) for v in value]
    if not isinstance(value, dict):
        return value
    own = value.get("toolchain")
    toolchain = own if isinstance(own, str) and own else toolchain
    found = {k: with_sources(v, toolchain) for k, v in value.items()}
    if "predicted_us" in found:
        found["time_us"] = found.pop("predicted_us")
    if toolchain and found.get("time_us") is not None and found.get("time_source") is None:
        found["time_source"] = source_of(toolchain)
    return found


Pipe = Literal["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"]
Bound = Literal["memory", "vector", "cube", "scalar", "latency", "imbalance"]
Change = Literal[
    "double_buffer", "larger_tiles", "bank_conflicts", "casts", "aligned_rows", "balance", "more_cores"
]


class Prediction(Frozen):
    """What the launch would take if one thing were written otherwise: its instructions simulated again.

    `double_buffer`: queues of one buffer have two. `larger_tiles`: tiles twice as long. `bank_conflicts`, `casts`: none
    of them. `aligned_rows`: no row straddles a line of 512 bytes. `balance`: every core has the same work.
    `more_cores`: all of the chip's vector cores share it. `fits`: in the memory that is left beside today's buffers.
    """

    change: Change
    duration_us: float
    gain: float  # share of today's time that it saves; negative: it takes longer
    cores: int
    fits: bool


class Waits(Frozen):
    """What a pipe waited for: another pipe's result, a buffer in use, or the scalar unit to issue."""

    data_us: float
    buffer_us: float
    issue_us: float


class PipeTime(Frozen):
    """One pipe over all cores. busy + stalled + idle = the kernel's duration after its start, averaged over cores.

    Waiting for data or a buffer is stalled; waiting for issue is part of idle, but for the scalar unit, which stalls.
    """

    pipe: Pipe
    busy_us: float
    stalled_us: float
    idle_us: float
    instructions: int
    waits: Waits | None = None

    @property
    def shares(self) -> tuple[float, float]:
        """Return in which shares of the time after the start the pipe was busy, and stalled."""
        whole = self.busy_us + self.stalled_us + self.idle_us
        return (self.busy_us / whole, self.stalled_us / whole) if whole > 0 else (0.0, 0.0)


class DeviceCounters(Frozen):
    """What a device's profiler counted beside times, as shares from 0 to 1; None where it did not say."""

    l2_hit_share: float | None = None
    bank_conflict_share: float | None = None  # of the vector unit's cycles; groups of banks are among them
    instruction_cache_miss_share: float | None = None
    clock_mhz: float | None = None  # while it ran
    rated_clock_mhz: float | None = None


class Profile(HasTime):
    """One launch. `time_source` holds for all its times: predicted by the twin, or measured by msprof."""

    time_us: Microseconds
    time_source: TimeSource
    toolchain: str
    # Of time_us, what passes until the cores begin: it grows with their number, and no share of the roofline counts it.
    start_us: float | None = None
    cores: int
    gm_read_bytes: int
    gm_write_bytes: int
    pipes: tuple[PipeTime, ...]
    bound: Bound
    # The least time of the task / duration: its tensors moved once and its products made, by all cores of the chip. It
    # compares kernels of one task; one that moves more or takes fewer cores has no larger share.
    roofline_share: float
    roofline_us: Microseconds | None = None  # that least time; None: the task is not known
    own_share: float | None = (
        None  # the same of what the kernel itself moved and computed, on the cores it took
    )
    # A first launch finds the second-level cache empty (cold), a further one what the one before left (warm).
    # None: nobody looked, the launch being long.
    cold_us: float | None = None
    warm_us: float | None = None
    core_imbalance: float  # slowest core / mean core
    model_error: str | None = None  # the time model's error against published device timings
    trace: Path | None = None  # Chrome trace JSON
    what_if: tuple[Prediction, ...] = ()  # the largest gain first
    counters: DeviceCounters | None = None  # of a device; None: msprof op did not run, `notes` say why
    notes: tuple[str, ...] = ()  # what of a profile is missing, and why

    def summary(self) -> str:
        """Return in one line the time, the share of the roofline and what binds the kernel."""
        return f"{self.time_text()}, {self.roofline_share:.0%} of the roofline, bound by {self.bound}"
