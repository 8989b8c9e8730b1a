"""The floor in operations: numbers that no operation of the launch can have made were not computed on the chip.

A launch counts what could have made a number: lanes of vector instructions, multiplications of the cube, bytes that
copies add up or convert, all operations of the scalar unit; each may have made up to eight bytes. Against that stand
the different numbers of the outputs that are none of the inputs' (each must have been made by something), and what the
run of the reference shows (`akgen.tools.reference.least_work`). Copies, broadcasts, constants and gathered inputs count
nothing, so that a kernel which simplifies the formula is never refused.

Beside it, for copies in a loop of the scalar unit: an output whose numbers stand in the kernel's own file or in its
tiling data was not computed either.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from akgen.tools.core.call import TensorFile
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.toolchain import Launch
from akgen.tools.judge import raw
from akgen.tools.reference.client import SampleFiles

_BYTES = 8  # that one operation makes at most
_CHUNK = 1 << 22  # numbers of an input that are looked at together
_SAMPLE = 4096  # numbers of an output that are looked for in tables
_LOOKUP = 256  # different numbers that a kernel may look up: what a byte can choose from
_REMEDY = "Compute on the chip, from the inputs of each launch; tables and host code must not hold answers."


def too_little(trial: SampleFiles, launch: Launch, *, computes: bool) -> Diagnostic | None:
    """Say that a launch did less than its outputs need; None if it did enough, or its operations were not counted.

    `computes`: what to take outputs for where nobody followed the reference.
    """
    done = launch.operations
    if done is None:
        return None
    made = trial.computed or (computes,) * len(launch.outputs)
    outputs = [
        file
        for output, computed in zip(launch.outputs, made, strict=False)
        if computed
        for file in (output if isinstance(output, tuple) else (output,))
    ]
    least = trial.least_operations
    if done * _BYTES < sum(file.size_bytes for file in outputs):
        least = max(least, sum(_made_bytes(file, _tensors(trial)) for file in outputs) // _BYTES)
    if done >= least:
        return None
    return Diagnostic(
        code="FEWER_OPERATIONS",
        text=f"The launch did {done} operations; its outputs need at least {least} on the chip.",
        remedy=_REMEDY,
        stage="test",
    )


def from_table(trial: SampleFiles, launch: Launch) -> Diagnostic | None:
    """Say that the numbers of an output were compiled into the kernel, or handed over by the host; None if not."""
    for output in launch.outputs:
        for file in output if isinstance(output, tuple) else (output,):
            width = file.dtype.size_bytes
            if width not in (4, 8) or file.count <= _LOOKUP:
                continue
            words = _words(file.path, width)
            some = np.unique(words[:: max(1, words.size // _SAMPLE)])
            if some.size <= _LOOKUP or not _mostly(some, launch.tables, width):
                continue
            moved = np.concatenate([np.intersect1d(some, _words(t.path, width)) for t in _tensors(trial)])
            new = np.setdiff1d(some, moved)
            if new.size > _LOOKUP and _mostly(new, launch.tables, width):
                return Diagnostic(
                    code="ANSWER_TABLE",
                    text="The numbers of an output stand in the kernel's file or in its tiling data.",
                    remedy=_REMEDY,
                    stage="test",
                )
    return None


def _mostly(numbers: raw.Array, tables: Sequence[Path], width: int) -> bool:
    return any(np.isin(numbers, _words(t, width)).mean() > 0.5 for t in tables if t.is_file())


def _tensors(trial: SampleFiles) -> list[TensorFile]:
    inputs = trial.call.inputs
    flat = [t for i in inputs for t in (i if isinstance(i, tuple) else (i,))]
    return [t for t in flat if isinstance(t, TensorFile)]


def _made_bytes(output: TensorFile, inputs: Sequence[TensorFile]) -> int:
    """Return how many bytes the different numbers of an output take that are bit for bit in no input."""
    width = output.dtype.size_bytes
    if width not in (2, 4, 8):
        return 0  # of a byte there are too few
    new = np.unique(_words(output.path, width))
    for file in inputs:
        words = _words(file.path, width)
        for begin in range(0, words.size, _CHUNK):
            new = np.setdiff1d(new, words[begin : begin + _CHUNK])
    return int(new.size) * width


def _words(path: Path, width: int) -> raw.Array:
    """Return a file as whole numbers of this width."""
    data = np.fromfile(path, dtype=np.uint8)
    return data[: data.size // width * width].view(f"u{width}")
