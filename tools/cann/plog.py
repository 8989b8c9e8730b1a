"""Read CANN's process logs: the first thing that went wrong on the device.

Source: vendor page "Log Reference": lines `[ERROR] MODULE(pid,program):time [file:line]thread function:text` in
plog-PID_TIME.log below ASCEND_PROCESS_LOG_PATH, which is a folder of the run.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.untrusted import FileRefused, read_bytes

MOST_LOG_BYTES = 32 << 20
_LINE = re.compile(
    r"^\[(?P<level>ERROR|WARNING|EVENT|INFO|DEBUG)\] (?P<module>\w+)\((?P<pid>\d+),(?P<program>[^)]*)\):"
    r"(?P<time>[\d:.-]+) \[(?P<file>[^\]:]+):(?P<line>\d+)\]\s*(?P<text>.*)$"
)
# what says more than "a task failed": the exception of a core, an error code of the hardware, an address
_TELLING = re.compile(
    r"exception|aicore|vector core|fault kernel|errcode|mte|ub address|out of range|timeout", re.IGNORECASE
)


class LogLine(Frozen):
    level: str
    module: str
    text: str


def lines(folder: Path) -> Iterator[LogLine]:
    """Yield the lines of all process logs below a folder, oldest file first; what is no plain file is left out."""
    if (
        folder.is_symlink() or folder.parent.is_symlink()
    ):  # the process that writes logs holds a candidate's code
        return
    for path in sorted(folder.rglob("plog-*.log")):
        try:
            text = read_bytes(path, most_bytes=MOST_LOG_BYTES).decode(errors="replace")
        except FileRefused:
            continue
        for line in text.splitlines():
            if (m := _LINE.match(line)) is not None:
                yield LogLine(level=m["level"], module=m["module"], text=m["text"])


def first_exception(folder: Path) -> str | None:
    """Return the first error that names a cause, else the first error; None if there is none."""
    found = [line for line in lines(folder) if line.level == "ERROR"]
    telling = next((line for line in found if _TELLING.search(line.text)), None)
    best = telling or next(iter(found), None)
    return f"{best.module}: {best.text}"[:400] if best is not None else None
