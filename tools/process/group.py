"""Start a program in a process group, and end the whole group. The one file that imports subprocess."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from akgen.tools.core.outcome import InfraError

Process = subprocess.Popen[bytes]
Stream = int | IO[bytes]
PIPE, NOTHING, AS_STDOUT = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT

MINIMAL_ENV: Mapping[str, str] = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def start(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str] | None,
    stdin: Stream,
    stdout: Stream,
    stderr: Stream,
    group: int = 0,
) -> Process:
    """Start a program in a process group: as the leader of a new one, or in that of the leader `group`.

    Its environment is `env`, whole; MINIMAL_ENV if None. Raises InfraError if it cannot be started.
    """
    command = [str(a) for a in argv]
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(MINIMAL_ENV if env is None else env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            process_group=group,
        )
    except OSError as e:
        raise _cannot_start(command[0], cwd, e) from e


def end_group(process: Process) -> tuple[int, float, int]:
    """Kill what is left of the group, reap the process; return its code, CPU seconds and peak memory in bytes."""
    group = process.pid
    if process.returncode is not None:  # reaped by poll(): the number may belong to somebody else by now
        return process.returncode, 0.0, 0
    # The leader is not reaped yet, so its number still names this group.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    for _ in range(200):  # descendants die on their own time; wait so that they no longer write
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            break
        time.sleep(0.005)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _cannot_start(program: str, cwd: Path, error: OSError) -> InfraError:
    if not cwd.is_dir():
        return InfraError(
            f"The working folder {cwd} does not exist.", "Check that the disk is there and writable."
        )
    if isinstance(error, FileNotFoundError):
        return InfraError(f"The program {program} was not found.", "Install it, or run `akgen doctor`.")
    return InfraError(f"The program {program} cannot be started: {error.strerror}.", "Run `akgen doctor`.")
