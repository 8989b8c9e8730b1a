"""Read what msprof counted: our kernel's row of its op_summary CSV, or what `msprof op` says of a call's launches.

Source: vendor page "op_summary (Operator Details)". Columns are found by their names: newer profilers say "Block Num"
where older ones say "Block Dim".

A host function may launch several kernels, one after the other: times, transfers and instructions of a call are those
of its launches together. Each kernel stands for its median launch, times how often a call launches it.
"""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from akgen.knowledge.chip import Chip
from akgen.tools.cann import msprof_op
from akgen.tools.cann.msprof_op import OperatorLaunch
from akgen.tools.core.outcome import Diagnostic, InfraError, InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.profile import Bound, Pipe, PipeTime, Profile
from akgen.tools.core.untrusted import read_text

MOST_SUMMARY_BYTES = 64 << 20
# of one meaning, the newer profilers' name first
_BLOCKS = ("Block Num", "Block Dim")
_COLUMNS: dict[Pipe, str] = {
    "S": "scalar_time",
    "V": "vec_time",
    "M": "mac_time",
    "MTE1": "mte1_time",
    "MTE2": "mte2_time",
    "MTE3": "mte3_time",
    "FIX": "fixpipe_time",
}
CALLS = 3
MOST_LAUNCHES = 100  # that msprof op looks at in one run, its own limit


def rows(path: Path) -> list[dict[str, str]]:
    """Read a summary; raise InfraError if the file or its two needed columns are missing."""
    files = [path] if path.is_file() else sorted(path.rglob("op_summary_*.csv"))
    if not files:
        raise InfraError(
            f"msprof left no op_summary CSV in {path.name}.", "Check that msprof may use the device."
        )
    try:
        lines = read_text(files[-1], most_bytes=MOST_SUMMARY_BYTES).splitlines()
        found = [
            {(k or "").strip(): v.strip() for k, v in row.items() if isinstance(v, str)}
            for row in csv.DictReader(lines)
        ]
    except (InputError, csv.Error) as problem:
        raise InfraError(f"msprof's op_summary cannot be read: {problem}.", "Profile once more.") from problem
    if found and not {"OP Type", "Task Duration(us)"} <= set(found[0]):
        raise InfraError(
            "msprof's op_summary lacks the columns OP Type and Task Duration(us).", "Use --task-time=l1."
        )
    return found


def foreign_tasks(found: list[dict[str, str]], op_type: str) -> tuple[Diagnostic, ...]:
    """Name the device tasks in the window that are not our kernel: a library call in disguise is a cheat."""
    others = sorted({row["OP Type"] for row in found if row.get("OP Type", "") not in (op_type, "N/A", "")})
    return tuple(
        Diagnostic(
            code="FOREIGN_KERNEL",
            text=f"the device also ran {name}, which is not the candidate's kernel",
            stage="test",
            remedy="Compute the result in the candidate's own kernel.",
        )
        for name in others
    )


def profile(
    found: list[dict[str, str]], op_type: str, chip: Chip, toolchain: str, io_bytes: tuple[int, int]
) -> Profile:
    """Return the median launch of our kernel. `io_bytes` is what the call must read and write."""
    ours = sorted(
        (row for row in found if row.get("OP Type") == op_type), key=lambda row: _us(row, "Task Duration(us)")
    )
    if not ours:
        raise InfraError(f"msprof saw no task of type {op_type}.", "Check ASCEND_CUSTOM_OPP_PATH of the run.")
    row = ours[len(ours) // 2]
    duration = _us(row, "Task Duration(us)")
    pipes = tuple(_pipe(row, name, duration) for name in get_args(Pipe))
    busiest = max(pipes, key=lambda p: p.busy_us)
    bound: dict[str, Bound] = {"V": "vector", "M": "cube", "S": "scalar"}
    read, write = io_bytes
    return Profile(
        time_source="measured",
        measured_by="msprof",
        toolchain=toolchain,
        time_us=duration,
        cores=int(next((n for n in (_us(row, name) for name in _BLOCKS) if n), 0)),
        gm_read_bytes=read,
        gm_write_bytes=write,
        pipes=pipes,
        bound=bound.get(busiest.pipe, "memory") if busiest.busy_us > 0.3 * duration else "latency",
        roofline_share=min(1.0, (read + write) / chip.reached_bytes_per_us / duration) if duration else 0.0,
        core_imbalance=1.0,  # op_summary has no per-core times
    )


def _us(row: dict[str, str], column: str) -> float:
    """Return a number of a row; 0 where it has none. Raises InfraError for what is no number."""
    text = row.get(column, "")
    try:
        value = float(text) if text not in ("", "N/A") else 0.0
    except ValueError:
        value = math.nan
    if not 0 <= value < 1e12:
        raise InfraError(f"msprof's op_summary says {shown(text, 40)!r} in {column}.", "Profile once more.")
    return value


def _pipe(row: dict[str, str], name: Pipe, duration_us: float) -> PipeTime:
    """Take the larger of the cube core's and the vector core's column; older tools have one without prefix."""
    busy = max(_us(row, f"{prefix}{_COLUMNS[name]}(us)") for prefix in ("", "aic_", "aiv_"))
    return PipeTime(
        pipe=name, busy_us=busy, stalled_us=0.0, idle_us=max(0.0, duration_us - busy), instructions=0
    )


def launched_profile(
    found: Sequence[OperatorLaunch],
    kernels: Sequence[str],
    chip: Chip,
    toolchain: str,
    io_bytes: tuple[int, int],
) -> tuple[Profile, tuple[Diagnostic, ...]]:
    """Return the profile of one of CALLS calls, and what ran that is none of the file's kernels.

    `io_bytes` is what the call must read and write. Raises InfraError if none of the kernels was seen, or not as often
    in each call.
    """
    by_name: dict[str, list[OperatorLaunch]] = {}
    others: set[str] = set()
    for one in found:
        name = _kernel_of(one.name, kernels)
        if name is None:
            others.add(shown(one.name, 60))
        else:
            by_name.setdefault(name, []).append(one)
    if not by_name:
        seen = ", ".join(sorted(others)) or "none"
        raise InfraError(
            f"msprof op saw no launch of {', '.join(kernels) or 'a kernel'}; it saw {seen}.",
            "Read its output beside the run; judge without --trace.",
        )
    parts: list[tuple[int, Profile]] = []
    for name, launches in by_name.items():
        times, rest = divmod(len(launches), CALLS)
        if rest or len(found) >= MOST_LAUNCHES:
            raise InfraError(
                f"msprof op saw {len(launches)} launches of {name} in {CALLS} calls of the host function.",
                f"Launch alike in each call, and in {CALLS} calls less than {MOST_LAUNCHES} times.",
            )
        parts.append((times, _of_launch(launches, name, toolchain)))
    return _together(parts, chip, io_bytes), tuple(map(_foreign, sorted(others)))


def _kernel_of(name: str, kernels: Sequence[str]) -> str | None:
    """Return the longest of the file's kernels whose name stands in a launch's: compilers put words around it."""
    return max((k for k in kernels if msprof_op.plain(k) in msprof_op.plain(name)), key=len, default=None)


def _of_launch(launches: list[OperatorLaunch], name: str, toolchain: str) -> Profile:
    one = sorted(launches, key=lambda launch: launch.duration_us)[len(launches) // 2]
    empty = Profile(
        time_us=one.duration_us, time_source="measured", measured_by="msprof op", toolchain=toolchain,
        cores=msprof_op.cores_of(one), gm_read_bytes=0, gm_write_bytes=0, pipes=(), bound="latency",
        roofline_share=0.0, core_imbalance=1.0,
    )  # fmt: skip
    return msprof_op.with_cores(empty, launches, name)


def _together(parts: list[tuple[int, Profile]], chip: Chip, io_bytes: tuple[int, int]) -> Profile:
    longest = max(parts, key=lambda part: part[0] * part[1].time_us)[1]
    duration = sum(times * one.time_us for times, one in parts)
    pipes = tuple(
        _pipe_of_launches([(times, one.pipes[i]) for times, one in parts]) for i in range(len(longest.pipes))
    )
    busiest = max(pipes, key=lambda p: p.busy_us)
    bound: dict[str, Bound] = {"V": "vector", "M": "cube", "S": "scalar"}
    least_us = sum(io_bytes) / chip.reached_bytes_per_us
    launched = sum(times for times, _ in parts)
    return longest.model_copy(
        update={
            "time_us": duration,
            "cores": max(one.cores for _, one in parts),
            "gm_read_bytes": sum(times * one.gm_read_bytes for times, one in parts) or io_bytes[0],
            "gm_write_bytes": sum(times * one.gm_write_bytes for times, one in parts) or io_bytes[1],
            "pipes": pipes,
            "bound": bound.get(busiest.pipe, "memory") if busiest.busy_us > 0.3 * duration else "latency",
            "roofline_share": min(1.0, least_us / duration) if duration else 0.0,
            "notes": (f"{launched} launches a call, their times together",) if launched > 1 else (),
        }
    )


def _pipe_of_launches(parts: list[tuple[int, PipeTime]]) -> PipeTime:
    return PipeTime(
        pipe=parts[0][1].pipe,
        busy_us=sum(times * p.busy_us for times, p in parts),
        stalled_us=sum(times * p.stalled_us for times, p in parts),
        idle_us=sum(times * p.idle_us for times, p in parts),
        instructions=sum(times * p.instructions for times, p in parts),
    )


def _foreign(name: str) -> Diagnostic:
    return Diagnostic(
        code="FOREIGN_KERNEL",
        text=f"the device also ran {name}, which is no kernel of the candidate's file",
        stage="test",
        remedy="Compute the result in the candidate's own kernels.",
    )
