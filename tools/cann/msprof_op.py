"""Read what `msprof op` leaves: CSV files of one launch, with a row for each core, and our kernel told by its name.

Source: vendor pages "msprof op", "OpBasicInfo", "PipeUtilization", "Memory", "L2Cache", "ResourceConflictRatio" and
"ArithmeticUtilization". Of several launches each has a folder; some versions put a time stamp behind a file's name.
Not read: MemoryL0.csv, MemoryUB.csv (bandwidths that the pipes' times say as well) and visualize_data.bin.
"""

import csv
import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from akgen.tools.core.outcome import InfraError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.profile import DeviceCounters, Pipe, PipeTime, Profile
from akgen.tools.core.untrusted import FileRefused, plain_text, read_bytes

LAUNCHES = 3
MOST_CSV_BYTES = 4 << 20
MOST_ROWS = 4096  # cores of a launch
MOST_FOLDERS = 200

Kind = Literal["aic", "aiv"]
Row = dict[str, str]
# pipe -> the word for it in columns, the kinds of cores that have it
_PIPES: dict[Pipe, tuple[str, tuple[Kind, ...]]] = {
    "S": ("scalar", ("aic", "aiv")),
    "V": ("vec", ("aiv",)),
    "M": ("cube", ("aic",)),
    "MTE1": ("mte1", ("aic",)),
    "MTE2": ("mte2", ("aic", "aiv")),
    "MTE3": ("mte3", ("aic", "aiv")),
    "FIX": ("fixpipe", ("aic",)),
}
_ABSENT = ("", "NA", "N/A", "-")


class OperatorLaunch(NamedTuple):
    """The rows of one launch's files, by the name of the file."""

    name: str  # of the kernel
    op_type: str
    duration_us: float
    basic: Row
    tables: dict[str, list[Row]]


def launches(folder: Path) -> tuple[OperatorLaunch, ...]:
    """Read every launch below a folder. Raises InfraError for a file that is not as documented."""
    basics = sorted(folder.rglob("OpBasicInfo*.csv"))[:MOST_FOLDERS]
    return tuple(_launch(path) for path in basics)


def ours(found: Sequence[OperatorLaunch], op_type: str) -> tuple[OperatorLaunch, ...]:
    """Return the launches of our kernel, the shortest first: its name or type holds the type with the digest."""
    wanted = plain(op_type)
    mine = (one for one in found if wanted in plain(one.name) or wanted == plain(one.op_type))
    return tuple(sorted(mine, key=lambda one: one.duration_us))


def with_cores(profile: Profile, found: Sequence[OperatorLaunch], op_type: str) -> Profile:
    """Put what the median launch says of cores into a profile that op_summary made; its duration stays.

    Stalled is the share of cycles in which a pipe was held up. Raises InfraError if no launch is our kernel's.
    """
    mine = ours(found, op_type)
    if not mine:
        seen = ", ".join(sorted({shown(one.name, 60) for one in found})) or "none"
        raise InfraError(
            f"msprof op saw no launch of {op_type}; it saw {seen}.", "Check ASCEND_CUSTOM_OPP_PATH."
        )
    one = mine[len(mine) // 2]
    used = one.tables.get("PipeUtilization", [])
    spans = [t for row in used for t in (_core_us(row),) if t]
    read = _sum(one, "Memory", "GM_to_UB_datas(KB)") + _sum(one, "Memory", "GM_to_L1_datas(KB)")
    written = sum(_sum(one, "Memory", f"{place}_to_GM_datas(KB)") for place in ("UB", "L0C"))
    return profile.model_copy(
        update={
            "pipes": tuple(_pipe(one, name, profile.time_us) for name in _PIPES),
            "core_imbalance": max(spans) / statistics.fmean(spans) if spans else profile.core_imbalance,
            "gm_read_bytes": round(read * 1024) or profile.gm_read_bytes,
            "gm_write_bytes": round(written * 1024) or profile.gm_write_bytes,
            "counters": _counters(one),
        }
    )


def cores_of(one: OperatorLaunch) -> int:
    """Return the blocks that a launch ran on; newer profilers name the column otherwise."""
    return round(next((n for name in ("Block Num", "Block Dim") if (n := _number(one.basic, name))), 0))


def _pipe(one: OperatorLaunch, name: Pipe, duration_us: float) -> PipeTime:
    """Return the pipe of the kind of cores that has most of it, mean over these cores."""
    word, kinds = _PIPES[name]
    busy, stalled = 0.0, 0.0
    for kind in kinds:
        worked = _mean(_numbers(one, "PipeUtilization", f"{kind}_{word}_time(us)"))
        if worked is not None and worked >= busy:
            busy = min(worked, duration_us)
            waited = _mean(_numbers(one, "ResourceConflictRatio", f"{kind}_{word}_wait_ratio")) or 0.0
            stalled = min(waited * duration_us, duration_us - busy)
    return PipeTime(
        pipe=name,
        busy_us=busy,
        stalled_us=stalled,
        idle_us=max(0.0, duration_us - busy - stalled),
        instructions=round(_instructions(one, word)),
    )


def _instructions(one: OperatorLaunch, word: str) -> float:
    if word in ("vec", "cube"):
        kind = "aiv" if word == "vec" else "aic"
        return _sum(one, "ArithmeticUtilization", f"{kind}_{word}_total_instr_number")
    return sum(_sum(one, "Memory", f"{kind}_{word}_instructions") for kind in ("aic", "aiv"))


def _counters(one: OperatorLaunch) -> DeviceCounters:
    hits = [h for kind in ("aic", "aiv") for h in _numbers(one, "L2Cache", f"{kind}_total_hit_rate(%)")]
    misses = [
        m for kind in ("aic", "aiv") for m in _numbers(one, "PipeUtilization", f"{kind}_icache_miss_rate")
    ]
    banks = _numbers(one, "ResourceConflictRatio", "aiv_vec_bank_cflt_ratio")
    groups = _numbers(one, "ResourceConflictRatio", "aiv_vec_bankgroup_cflt_ratio")
    conflicts = None if not banks and not groups else (_mean(banks) or 0.0) + (_mean(groups) or 0.0)
    hit, miss = _mean(hits), _mean(misses)
    return DeviceCounters(
        l2_hit_share=None if hit is None else min(1.0, hit / 100),
        bank_conflict_share=None if conflicts is None else min(1.0, conflicts),
        instruction_cache_miss_share=None if miss is None else min(1.0, miss),
        clock_mhz=_number(one.basic, "Current Freq"),
        rated_clock_mhz=_number(one.basic, "Rated Freq"),
    )


def _launch(path: Path) -> OperatorLaunch:
    rows = _rows(path)
    if not rows or not {"Op Name", "Task Duration(us)"} <= set(rows[0]):
        raise InfraError(f"{path.name} lacks Op Name or Task Duration(us).", "Profile once more.")
    stamp = path.name.removeprefix("OpBasicInfo")
    names = ("PipeUtilization", "Memory", "L2Cache", "ResourceConflictRatio", "ArithmeticUtilization")
    tables = {name: _rows(file) for name in names if (file := path.with_name(name + stamp)).is_file()}
    return OperatorLaunch(
        name=rows[0]["Op Name"],
        op_type=rows[0].get("Op Type", ""),
        duration_us=_number(rows[0], "Task Duration(us)") or 0.0,
        basic=rows[0],
        tables=tables,
    )


def _rows(path: Path) -> list[Row]:
    try:
        data = read_bytes(path, most_bytes=MOST_CSV_BYTES)  # no link is followed
        lines = plain_text(data, most_bytes=MOST_CSV_BYTES).splitlines()
        found = [
            {(k or "").strip(): v.strip() for k, v in row.items() if isinstance(v, str)}
            for _, row in zip(range(MOST_ROWS), csv.DictReader(lines), strict=False)
        ]
    except (FileRefused, csv.Error) as problem:
        raise InfraError(f"{path.name} cannot be read: {problem}.", "Profile once more.") from None
    return found


def _numbers(one: OperatorLaunch, table: str, column: str) -> list[float]:
    """Return a column's numbers; a core of the other kind has none there."""
    return [v for row in one.tables.get(table, ()) if (v := _number(row, column)) is not None]


def _sum(one: OperatorLaunch, table: str, column: str) -> float:
    return sum(_numbers(one, table, column))


def _number(row: Row, column: str) -> float | None:
    text = row.get(column, "")
    if text in _ABSENT:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1e15:
        raise InfraError(f"msprof op says {shown(text, 40)!r} in {column}.", "Profile once more.")
    return value


def _core_us(row: Row) -> float | None:
    times: Iterator[float | None] = (_number(row, f"{kind}_time(us)") for kind in ("aic", "aiv"))
    return max((t for t in times if t), default=None)


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def plain(name: str) -> str:
    """Return a name as names are compared: compilers and generators write words apart, or do not."""
    return name.replace("_", "").lower()
