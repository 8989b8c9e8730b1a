"""Numbers that a reference writes down or is given: a kernel has them in float32."""

import struct
from typing import Any


def in_single(value: Any) -> Any:
    """Return what float32 makes of a number; anything else, and what float32 cannot hold, stays as it is."""
    if not isinstance(value, float):
        return value
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return value


def beside_single(value: Any) -> float:
    """Return how far a number is from float32's, 0 for anything else."""
    off = abs(in_single(value) - value) if isinstance(value, float) else 0.0
    return off if off == off else 0.0
