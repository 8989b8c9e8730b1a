"""The profile of a call that launches its kernels itself, from what `msprof op` counted of each launch.

A host function may launch several kernels, one after the other: times, transfers and instructions of a call are those
of its launches together. Each kernel stands for its median launch, times how often a call launches it.
"""

from collections.abc import Sequence

from akgen.knowledge.chip import Chip
from akgen.tools.cann import msprof_op
from akgen.tools.cann.msprof_op import OperatorLaunch
from akgen.tools.core.outcome import Diagnostic, InfraError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.profile import Bound, PipeTime, Profile

CALLS = 3
MOST_LAUNCHES = 100  # that msprof op looks at in one run, its own limit


def profile(
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
    pipes = tuple(_pipe([(times, one.pipes[i]) for times, one in parts]) for i in range(len(longest.pipes)))
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


def _pipe(parts: list[tuple[int, PipeTime]]) -> PipeTime:
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
