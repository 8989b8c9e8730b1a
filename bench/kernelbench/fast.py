"""fast_p: the share of tasks that are solved, and more than p times as fast as what they are compared with.

With a baseline, a file of KernelBench's convention (`{"level1": {"1_Name.py": {"mean": milliseconds, ...}}}`), the
times of both are those of full sizes. Without one, the comparison is with the least time that the twin says the task
needs: its roofline, of which no kernel is faster, so p goes to 1.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from akgen.bench.record import BenchConfig, Record
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import FileRefused, JsonRefused, parse_object, read_bytes

_OF_BASELINE = (0.0, 0.5, 0.8, 1.0, 1.5, 2.0)
_OF_ROOFLINE = (0.0, 0.25, 0.5, 0.75, 0.9)


class FastP(Frozen):
    """Shares by p. `speedups` holds each solved task's: its best sample's time against what it is compared with."""

    against: Literal["baseline", "roofline of the twin"]
    times: str | None  # "predicted" or "measured", of the kernels
    baseline: str | None = None  # the file
    tasks: int
    without: int = 0  # tasks that the baseline has no time of; they count as not fast
    p: dict[str, float]
    speedups: dict[str, float]


def read_baseline(file: Path) -> dict[str, float]:
    """Return the mean milliseconds of every problem by name. Raises InputError for a file that is none."""
    try:
        told = parse_object(read_bytes(file))
    except (FileRefused, JsonRefused) as e:
        raise InputError(
            f"{file} is no baseline: {shown(str(e))}.", "Give a JSON file of KernelBench's."
        ) from e
    found: dict[str, float] = {}
    for problems in [told, *told.values()]:
        for name, times in problems.items() if isinstance(problems, dict) else ():
            mean = _mean(times)
            if mean is not None:
                found.setdefault(str(name).rsplit("/", 1)[-1].removesuffix(".py"), mean)
    if not found:
        raise InputError(
            f"{file} holds no times.", 'Give {"level1": {"1_Name.py": {"mean": milliseconds}}} and so on.'
        )
    return found


def _mean(times: Any) -> float | None:
    value = times.get("mean") if isinstance(times, dict) else times
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        return None
    return float(value)


def against_baseline(
    config: BenchConfig, records: Sequence[Record], baseline: Mapping[str, float], file: Path
) -> FastP:
    """Compare with a baseline. Raises InputError where sizes are scaled: its times are of others."""
    if config.suite in ("mkb", "kernelbench") and not config.full_sizes:
        raise InputError(
            "The run's sizes are scaled, and a baseline's times are of full ones.",
            "Run with --scale full, or leave the baseline out: then the roofline is what kernels are compared with.",
        )
    speedups = _best(
        records, lambda r: baseline[r.task] * 1e3 / r.time_us if r.task in baseline and r.time_us else None
    )
    without = sum(name not in baseline for name in config.tasks)
    return _shares("baseline", config, records, speedups, _OF_BASELINE).model_copy(
        update={"baseline": str(file), "without": without}
    )


def against_roofline(config: BenchConfig, records: Sequence[Record]) -> FastP | None:
    """Compare with the least time that the twin says each case needs; None where no record has it."""
    speedups = _best(records, _share_of_roofline)
    return _shares("roofline of the twin", config, records, speedups, _OF_ROOFLINE) if speedups else None


def _share_of_roofline(record: Record) -> float | None:
    if record.roofline_us is None or not record.time_us:
        return None
    return min(1.0, record.roofline_us / record.time_us)


def _best(records: Sequence[Record], speedup: Callable[[Record], float | None]) -> dict[str, float]:
    best: dict[str, float] = {}
    for record in records:
        found = speedup(record) if record.solved else None
        if found is not None:
            best[record.task] = max(best.get(record.task, 0.0), found)
    return {name: round(value, 4) for name, value in best.items()}


def _shares(
    against: Literal["baseline", "roofline of the twin"],
    config: BenchConfig,
    records: Sequence[Record],
    speedups: dict[str, float],
    ps: Sequence[float],
) -> FastP:
    tasks = max(1, len(config.tasks))
    solved = {r.task for r in records if r.solved}
    return FastP(
        against=against,
        times=next((str(r.time_source) for r in records if r.solved and r.time_source), None),
        tasks=len(config.tasks),
        p={
            f"{p:g}": round(len(solved if p == 0 else [s for s in speedups.values() if s > p]) / tasks, 4)
            for p in ps
        },
        speedups=speedups,
    )
