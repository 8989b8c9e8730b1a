"""What a running process prints, kept up to a limit and read to its end."""

import os
import select
import time
from typing import IO


class Capture:
    """Read a process's two pipes up to a limit, and go on reading so that it never blocks."""

    def __init__(self, pid: int, stdout: IO[bytes], stderr: IO[bytes], limit: int) -> None:
        self._pipes = {stdout.fileno(): stdout, stderr.fileno(): stderr}
        self._kept: dict[int, list[bytes]] = {fd: [] for fd in self._pipes}
        self._room = dict.fromkeys(self._pipes, limit)
        self._out, self._err = self._pipes
        self._pid = pid
        self._poll = select.poll()
        self.truncated = False
        for fd in self._pipes:
            os.set_blocking(fd, False)
            self._poll.register(fd, select.POLLIN)

    @property
    def stdout(self) -> bytes:
        return b"".join(self._kept[self._out])

    @property
    def stderr(self) -> bytes:
        return b"".join(self._kept[self._err])

    def until_exit(self, deadline: float) -> bool:
        """Read until the process has ended (true) or the deadline has passed (false). It is not reaped here."""
        watch = os.pidfd_open(self._pid)
        try:
            self._poll.register(watch, select.POLLIN)
            while (left := deadline - time.monotonic()) > 0:
                for fd, _ in self._poll.poll(left * 1000):
                    if fd == watch:
                        return True
                    if not self._read(fd):
                        self._poll.unregister(fd)
            return False
        finally:
            os.close(watch)

    def drain(self) -> None:
        """Take what the pipes still hold, and close them."""
        for fd, pipe in self._pipes.items():
            while self._read(fd):
                pass
            pipe.close()

    def _read(self, fd: int) -> bool:
        try:
            chunk = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        room = self._room[fd]
        if len(chunk) > room:
            self.truncated = True
        if room > 0:
            self._kept[fd].append(chunk[:room])
            self._room[fd] = room - len(chunk[:room])
        return bool(chunk)
