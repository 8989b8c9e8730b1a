"""What a class's copies are: their time as copies of the device, and which bytes of memory kernels made.

A copy brings what it read along: bytes that no kernel stored stay such, wherever copies take them.

Some copies read a tensor's bytes as elements of another width: they take numbers apart, or put them together.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from akgen.tools.core.call import Call
from akgen.tools.core.dtypes import DType
from akgen.tools.launched.memory import DeviceMemory
from akgen.tools.launched.record import flat
from akgen.tools.model_new.steps import Allocated, Copied, Delegation, Step, View

Raw = npt.NDArray[Any]
_FACTS = frozenset({
    "clock_mhz", "core_aiv", "launch_us", "launch_core_us", "block_start_us", "mte2_miss_bytes_per_cycle_core",
    "hbm_bytes_per_us_total",
})  # fmt: skip


class CopyTimes:
    """Predicted times of copies by the chip's vector cores."""

    def __init__(self, chip_file: Path) -> None:
        """`chip_file` holds the chip's facts as the twin's programs read them; a later line replaces an earlier one."""
        lines = (line.split("\t") for line in chip_file.read_text().splitlines())
        self._of = {line[0]: float(line[1]) for line in lines if line[0] in _FACTS}

    def us(self, step: Copied) -> float:
        """Return the microseconds of a copy as a launch of its own, on as many cores as make it fastest."""
        if step.target.count == 0:
            return 0.0
        of = self._of
        read, written = (
            min(v.count * v.dtype.size_bytes, v.end - v.offset) for v in (step.source, step.target)
        )
        one = of["mte2_miss_bytes_per_cycle_core"] * of["clock_mhz"]
        return min(
            of["launch_us"]
            + (cores - 1) * of["launch_core_us"]
            + of["block_start_us"]
            + (read + written) / min(cores * one, of["hbm_bytes_per_us_total"])
            for cores in range(1, int(of["core_aiv"]) + 1)
        )


def bits_of(dtype: DType) -> np.dtype[Any]:
    """Return an element's bytes as one plain number."""
    return np.dtype(f"u{dtype.size_bytes}")


def strided(content: npt.NDArray[np.uint8], view: View) -> Raw:
    """Return a view of a memory's bytes, element by element."""
    size = view.dtype.size_bytes
    held = content[view.offset :]
    return np.ndarray(
        shape=view.shape,
        dtype=bits_of(view.dtype),
        buffer=held.data,
        strides=tuple(s * size for s in view.strides),
    )


def bring(source: DeviceMemory, target: DeviceMemory, step: Copied) -> None:
    """Note what a copy brings: bytes that kernels stored, or bytes that none did."""
    if step.target.count == 0:
        return
    _bring_inputs(source, target, step)
    if isinstance(source.stored, bool) and source.stored is target.stored:
        return
    brought = np.array(strided(_mask(source), step.source))
    mask = _mask(target)
    strided(mask, step.target)[...] = brought
    target.stored = bool(mask[0]) if mask.min() == mask.max() else mask


def _bring_inputs(source: DeviceMemory, target: DeviceMemory, step: Copied) -> None:
    """Note how much of an input comes, that no kernel stored, and whether to the place that it had."""
    if not source.of_input or source.stored is True:
        return
    target.of_input = True
    a, b = step.source, step.target
    if source.moved or (a.offset, a.shape, a.strides) != (b.offset, b.shape, b.strides):
        bytes_ = b.count * b.dtype.size_bytes
        if not isinstance(source.stored, bool):
            bytes_ -= int(np.count_nonzero(strided(source.stored, a))) * a.dtype.size_bytes
        target.moved = min(target.moved + bytes_, target.meta.size_bytes)


def has_stored(memory: DeviceMemory, view: View) -> bool:
    """Say whether a kernel stored any of a tensor's bytes, and not a few beside an input that copies moved there."""
    if isinstance(memory.stored, bool):
        return memory.stored
    count = int(np.count_nonzero(strided(memory.stored, view))) * view.dtype.size_bytes
    return count > 0 and 2 * count >= memory.moved


def _mask(memory: DeviceMemory) -> npt.NDArray[np.uint8]:
    if isinstance(memory.stored, bool):
        return np.full(memory.meta.size_bytes, memory.stored, np.uint8)
    return memory.stored


class Widths:
    """The type that each memory holds, as far as it is known, over the calls of a record."""

    def __init__(self, call: Call) -> None:
        self._held: list[DType | None] = _given(call)
        self._brought: dict[int, DType] = {}  # by copies

    def give_again(self, call: Call, given: Sequence[int]) -> None:
        """Take in the memory of a further call's own tensors, as `given_again` numbers it."""
        known = len(self._held)
        self._held += [dtype for n, dtype in zip(given, _given(call), strict=True) if n >= known]

    def recast(self, steps: Sequence[Step], returned: Sequence[View]) -> tuple[Delegation, ...]:
        """Return the first conversion by copying among checked steps, as something that computed; empty if none is."""
        return next(((Delegation(kind="computed", what=what),) for what in self._casts(steps, returned)), ())

    def _casts(self, steps: Sequence[Step], returned: Sequence[View]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, Allocated):
                raw = step.dtype is None or step.dtype.size_bytes == 1
                self._held.append(None if raw else step.dtype)
            elif isinstance(step, Copied):
                if step.source.dtype != step.target.dtype:
                    yield f"a copy from {step.source.dtype} to {step.target.dtype}"
                if step.target.count == 0:
                    continue
                for view in (step.source, step.target):
                    if self._held[view.memory] is None:
                        self._held[view.memory] = view.dtype
                    yield from _other_width(self._held[view.memory], view)
                self._brought[step.target.memory] = step.target.dtype
        for view in returned:
            yield from _other_width(self._brought.get(view.memory), view)


def _other_width(held: DType | None, view: View) -> Iterator[str]:
    if held is not None and held.real.size_bytes != view.dtype.real.size_bytes and view.count:
        yield f"a conversion by copying, which takes {held} for {view.dtype}"


def _given(call: Call) -> list[DType | None]:
    return [t.dtype for value in call.inputs for t in flat(value)]
