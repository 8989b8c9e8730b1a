"""What a timeline says: per-pipe time, what bounds the kernel, how far from the roofline."""

from pathlib import Path
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.timed import HasTime, Microseconds, TimeSource

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

    pipe: Literal["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"]
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
