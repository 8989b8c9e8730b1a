"""Keep a service from outliving the process that started it. A program of its own, with the standard library only.

It leads the service's process group, so that the group's number stays theirs, and reads its stdin, which ends when the
process that holds the other end does, however that ended. First the service's process id is written there. At the end
it tells the whole group to end, gives the service itself `patience_s`, and kills what is left, itself included.

Not covered: a descendant that left the group for a session of its own.
"""

import contextlib
import os
import select
import signal
import sys


def main(patience_s: float) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    told = sys.stdin.buffer.readline()
    watch = None
    if told.endswith(b"\n"):
        with contextlib.suppress(OSError):  # it has ended, or the machine is too old to watch it
            watch = os.pidfd_open(int(told))
        sys.stdin.buffer.read()
    if watch is not None:
        os.killpg(0, signal.SIGTERM)
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        poll.poll(patience_s * 1000)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(float(sys.argv[1]))
