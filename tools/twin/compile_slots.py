"""As many compilers at once as the machine has cores, whoever starts them: threads, workers of a batch, other commands.

A slot is a locked file in the cache folder; the kernel unlocks it when its process ends, however it ends.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError

_POLL_S = 0.02  # a compile takes from a fifth of a second to a minute


class CompileSlots(Frozen):
    """`count` files below `folder`. Whoever starts a compiler or a linker holds one; nobody holds two."""

    folder: Path
    count: int

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a slot and hold it. Raises InfraError if the cache folder cannot be written."""
        handle = self._open()
        try:
            yield
        finally:
            os.close(handle)

    def _open(self) -> int:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            while True:
                for number in range(self.count):
                    handle = os.open(self.folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
                    try:
                        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        os.close(handle)
                    else:
                        return handle
                time.sleep(_POLL_S)
        except OSError as e:
            raise InfraError(
                f"The cache folder {self.folder} cannot be used: {e.strerror or e}.",
                "Free space or rights, or set XDG_CACHE_HOME to a folder that can be written.",
            ) from e


def compile_slots(cache: Path) -> CompileSlots:
    """Return this machine's slots: one for each core that this process may run on."""
    return CompileSlots(folder=cache / "compiling", count=max(1, len(os.sched_getaffinity(0))))
