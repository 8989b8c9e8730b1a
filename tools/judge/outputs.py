"""Outputs of a launch: paired up with what is expected and compared, and held against the floor in operations.

Numbers that no operation of the launch can have made were not computed on the chip.

A launch counts what could have made a number: lanes of vector instructions, multiplications of the cube, bytes that
copies add up or convert, all operations of the scalar unit; each may have made up to eight bytes. Against that stand
the different numbers of the outputs that are none of the inputs' (each must have been made by something), and what the
run of the reference shows (`akgen.tools.reference.followed`). Copies, broadcasts, constants and gathered inputs count
nothing, so that a kernel which simplifies the formula is never refused.

Beside it, for copies in a loop of the scalar unit: an output whose numbers stand in the kernel's own file or in its
tiling data was not computed either.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from akgen.tools.core.call import TensorFile, TensorMeta
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Launch
from akgen.tools.judge import raw, tolerance
from akgen.tools.judge.compare import Comparison, Mask, compare, refused
from akgen.tools.reference.client import SampleFiles

Place = tuple[int, int]  # an output, and the tensor in it where it is a list
Element = tuple[
    TensorFile | None, TensorFile, TensorFile, TensorMeta
]  # got, want, the reference's own, asked
_BYTES = 8  # that one operation makes at most
_CHUNK = 1 << 22  # numbers of an input that are looked at together
_SAMPLE = 4096  # numbers of an output that are looked for in tables
_LOOKUP = 256  # different numbers that a kernel may look up: what a byte can choose from
_STEERING = 16  # different numbers of a short output that are more than the sizes and axes of a task
_REMEDY = "Compute on the chip, from the inputs of each launch; tables and host code must not hold answers."


def pairs(trial: SampleFiles, launch: Launch) -> list[tuple[Place, Element]]:
    """Return each tensor that is compared, with its place; what is missing is None."""
    found: list[tuple[Place, Element]] = []
    for i, meta in enumerate(trial.call.outputs):
        wants, owns = trial.expected[i], trial.returned[i]
        if wants is None or owns is None:
            continue
        got = launch.outputs[i] if i < len(launch.outputs) else ()
        gots = got if isinstance(got, tuple) else (got,)
        metas = meta.meta if isinstance(meta.meta, tuple) else (meta.meta,)
        both = zip(
            wants if isinstance(wants, tuple) else (wants,),
            owns if isinstance(owns, tuple) else (owns,),
            metas,
            strict=True,
        )
        found += [((i, k), (gots[k] if k < len(gots) else None, *rest)) for k, rest in enumerate(both)]
    return found


def compare_pairs(
    trial: SampleFiles,
    paired: Sequence[tuple[Place, Element]],
    *,
    task: Task,
    kept: Mapping[Place, str],
    poison: bytes,
    held: Mapping[Place, Mask] | None,
) -> list[Comparison]:
    """Compare each pair. `kept` has the digests of the trial before, `held` marks what held its launch's poison."""
    found = []
    for place, (got, want, own, meta) in paired:
        if got is None:
            found.append(refused(place[0], "shape", want, "the output is missing"))
            continue
        asked = trial.call.outputs[place[0]]
        compared = compare(
            place[0],
            got,
            want,
            own,
            tolerance.rule_for(meta.dtype, task.tolerances),
            bounds=trial.bounds_of(*place),
            poison=None if asked.zeroed or asked.aliases is not None else poison,
            held_before=None if held is None else held.get(place, np.zeros(meta.count, np.bool_)),
        )
        before = kept.get(place)
        if compared.mismatch and before and got.path.is_file() and raw.digest(got.path) == before:
            note = "the output equals that of the previous, different input"
            stale = compared.mismatch.model_copy(update={"pattern": "stale", "note": note})
            compared = replace(compared, mismatch=stale)
        found.append(compared)
    return found


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
    files = [
        file for output in launch.outputs for file in (output if isinstance(output, tuple) else (output,))
    ]
    if not any(_worked_out(file, _tensors(trial), launch) for file in files):
        return None
    return Diagnostic(
        code="ANSWER_TABLE",
        text="The numbers of an output stand in the kernel's file or in its tiling data.",
        remedy=_REMEDY,
        stage="test",
    )


def _worked_out(output: TensorFile, inputs: Sequence[TensorFile], launch: Launch) -> bool:
    """Say whether the output is the tiling data's from end to end, or most of many numbers stand in a table."""
    width = output.dtype.size_bytes
    if width not in (2, 4, 8):
        return False
    words = _words(output.path, width)
    if output.count <= _LOOKUP:
        tiling = launch.tiling_data.read_bytes() if launch.tiling_data else b""
        return bool(words.tobytes() in tiling and _new(np.unique(words), inputs, width).size >= _STEERING)
    if width == 2:
        return False
    some = np.unique(words[:: max(1, words.size // _SAMPLE)])
    tables = [_words(t, width) for t in (launch.library, launch.tiling_data) if t is not None and t.is_file()]
    for table in tables:
        if some.size > _LOOKUP and np.isin(some, table).mean() > 0.5:
            new = _new(some, inputs, width)
            return bool(new.size > _LOOKUP and np.isin(new, table).mean() > 0.5)
    return False


def _new(numbers: raw.Array, inputs: Sequence[TensorFile], width: int) -> raw.Array:
    """Return those numbers that are bit for bit in no input."""
    for file in inputs:
        words = _words(file.path, width)
        for begin in range(0, words.size, _CHUNK):
            numbers = np.setdiff1d(numbers, words[begin : begin + _CHUNK])
    return numbers


def _tensors(trial: SampleFiles) -> list[TensorFile]:
    inputs = trial.call.inputs
    flat = [t for i in inputs for t in (i if isinstance(i, tuple) else (i,))]
    return [t for t in flat if isinstance(t, TensorFile)]


def _made_bytes(output: TensorFile, inputs: Sequence[TensorFile]) -> int:
    """Return how many bytes the different numbers of an output take that are bit for bit in no input."""
    width = output.dtype.size_bytes
    if width not in (2, 4, 8):
        return 0  # of a byte there are too few
    return int(_new(np.unique(_words(output.path, width)), inputs, width).size) * width


def _words(path: Path, width: int) -> raw.Array:
    """Map a file as whole numbers of this width."""
    count = path.stat().st_size // width
    return np.memmap(path, dtype=f"u{width}", mode="r", shape=(count,)) if count else np.empty(0, f"u{width}")
