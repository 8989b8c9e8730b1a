"""How much processor time this process has used together with those it started, also those that have ended.

Read from Linux's /proc (proc(5), `stat`): user and system time of a process, and of its children that were waited for.
Not covered: what a process used that ended after the one that started it.
"""

import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_PARENT, _FIRST_TIME, _TIMES = 1, 11, 4  # fields after the name: parent; utime, stime, cutime, cstime


def processor_s() -> float:
    """Return the seconds of processor time that this process and its descendants have used until now."""
    stats = dict(_stats())
    mine, left = {os.getpid()}, set(stats)
    while more := {pid for pid in left - mine if int(stats[pid][_PARENT]) in mine}:
        mine |= more
    ticks = sum(int(t) for pid in mine & left for t in stats[pid][_FIRST_TIME : _FIRST_TIME + _TIMES])
    return ticks / os.sysconf("SC_CLK_TCK")


def _stats() -> Iterator[tuple[int, list[str]]]:
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # it has ended, or is not shown
            yield int(folder.name), text.rpartition(")")[2].split()
