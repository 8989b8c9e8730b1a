"""What the driver of the fake NPU says of a build or a launch of the twin."""

from typing import Any

from akgen.tools.core.call import Argument, TensorMeta
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.toolchain import Launch


def record(kernel: str, launch: Launch) -> dict[str, Any]:
    """Return what the profilers write of a launch."""
    told = launch.profile
    return {
        "op": kernel, "time_us": round(launch.time_us or 0.0, 3), "cores": launch.block_dim or 1,
        "pipes": {p.pipe: round(p.busy_us, 3) for p in told.pipes} if told else {},
        "cube": bool(told and any(p.pipe == "M" and p.busy_us > 0 for p in told.pipes)),
        "stalled": {p.pipe: round(p.stalled_us, 3) for p in told.pipes} if told else {},
        "instructions": {p.pipe: p.instructions for p in told.pipes} if told else {},
        "imbalance": told.core_imbalance if told else 1.0,
        "read": told.gm_read_bytes if told else 0, "written": told.gm_write_bytes if told else 0,
    }  # fmt: skip


def words(found: tuple[Diagnostic, ...]) -> str:
    return " ".join("; ".join(d.text for d in found if d.severity == "error").split())


def without_files(value: Argument) -> Argument:
    if isinstance(value, tuple):
        return tuple(TensorMeta(dtype=v.dtype, shape=v.shape) for v in value)
    return TensorMeta(dtype=value.dtype, shape=value.shape) if value is not None else None
