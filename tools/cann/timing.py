"""Time launches on a device: the candidate and nothing, in turns ABBA, with the second-level cache flushed before each.

An event before and after gives the time between; the same with nothing in between is what the events cost, and is taken
off. ABBA: what drifts slowly (clock, temperature) touches both alike. Source: vendor page "aclrtEventElapsedTime".
"""

import time
from collections.abc import Callable, Sequence
from typing import Literal

from akgen.tools.cann.acl import NpuDevice
from akgen.tools.cann.witness import Witness
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.untrusted import Finite, parse_object

WARM_UP = 3
ROUNDS = 8  # of four samples, two of the candidate
FLUSH_BYTES = 256 << 20  # more than the second-level cache of every chip known (192 MB)
BUDGET_SHARE = 0.5  # of the run's time limit
LONG_SHARE = 0.02


class Series(Frozen):
    """Samples in microseconds, in the order taken. `time_us` is the median of the candidate less that of nothing."""

    launched_us: tuple[Finite, ...]
    empty_us: tuple[Finite, ...]
    time_us: float
    low_us: float  # of the interval that holds the median with 95 %
    high_us: float
    flush_bytes: int


def measure(
    device: NpuDevice,
    tile: Callable[[], Callable[[], None]],
    timeout_s: float,
    first_us: float,
    witness: Witness,
) -> Series:
    """Launch again and again; each launch is tiled anew, outside what is timed, and watched.

    A launch so long that few fit into the time limit (`first_us`: of the one before) is its own measurement.
    """
    if first_us > LONG_SHARE * timeout_s * 1e6:
        return series([first_us], [0.0])
    deadline = time.monotonic() + BUDGET_SHARE * timeout_s
    scratch = device.take(FLUSH_BYTES)
    first, last = device.event(), device.event()

    def sample(kind: Literal["A", "B"]) -> float:
        launch = tile() if kind == "A" else None
        if launch is not None:
            witness.before()
        device.fill(scratch, FLUSH_BYTES, 0)
        device.record(first)
        if launch is not None:
            launch()
        device.record(last)
        device.wait(timeout_s)
        if launch is not None:
            witness.after()
        return device.elapsed_us(first, last)

    for _ in range(WARM_UP):
        sample("A")
    found: dict[Literal["A", "B"], list[float]] = {"A": [], "B": []}
    order: tuple[Literal["A", "B"], ...] = ("A", "B", "B", "A")
    for _ in range(ROUNDS):
        for kind in order:
            found[kind].append(sample(kind))
        if time.monotonic() > deadline:
            break
    return series(found["A"], found["B"])


def series(launched: Sequence[float], empty: Sequence[float]) -> Series:
    """Work out median and interval; at least the clock's step, so that a time is never nothing."""
    cost = median(empty)
    low, high = interval(launched)
    least = 0.01
    return Series(
        launched_us=tuple(launched),
        empty_us=tuple(empty),
        time_us=max(least, median(launched) - cost),
        low_us=max(least, low - cost),
        high_us=max(least, high - cost),
        flush_bytes=FLUSH_BYTES,
    )


def read_series(text: str | None, wall_s: float) -> Series:
    """Read the samples that a worker said, and work out the rest anew. `wall_s`: how long its process lived.

    Raises ValueError for what no measurement of ours is: nothing said, or more than once, or samples that do not fit
    into that time. That samples are true cannot be seen: they were taken in a process with the candidate's host code.
    """
    if text is None:
        raise ValueError("the worker did not say them, or somebody else did as well")
    told = Series.model_validate(parse_object(text[: 1 << 16]))
    samples = (*told.launched_us, *told.empty_us)
    if not (0 < len(told.launched_us) == len(told.empty_us) <= 2 * ROUNDS):
        raise ValueError(f"{len(told.launched_us)} and {len(told.empty_us)} samples")
    if min(samples) < 0 or sum(samples) > wall_s * 1e6:
        raise ValueError("samples that no clock of this run gave")
    return series(told.launched_us, told.empty_us)


def median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the order statistics that hold the median with 95 % (binomial, normal approximation)."""
    ordered, n = sorted(values), len(values)
    reach = 0.98 * n**0.5
    low = max(0, int(n / 2 - reach))
    high = min(n - 1, int(n / 2 + reach))
    return ordered[low], ordered[high]
