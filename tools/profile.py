"""What a timeline says: per-pipe time, what bounds the kernel, how far from the roofline."""

from pathlib import Path
from typing import Literal

from akgen.tools.frozen import Frozen

Bound = Literal["memory", "vector", "cube", "scalar", "latency", "imbalance"]


class PipeTime(Frozen):
    """One pipe over all cores. busy + stalled + idle = the kernel's duration, averaged over cores."""

    pipe: Literal["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"]
    busy_us: float
    stalled_us: float
    idle_us: float
    instructions: int


class Profile(Frozen):
    """One launch. `source` says whether the times are predicted (twin) or measured (msprof)."""

    source: Literal["predicted", "measured"]
    toolchain: str
    duration_us: float
    cores: int
    gm_read_bytes: int
    gm_write_bytes: int
    pipes: tuple[PipeTime, ...]
    bound: Bound
    roofline_share: float  # ideal time (bytes over bandwidth, or work over throughput) / duration
    core_imbalance: float  # slowest core / mean core
    model_error: str | None = None  # the time model's error against published device timings
    trace: Path | None = None  # Chrome trace JSON
