"""A folder of built things by content key: built once, by one process at a time, never seen half done.

An entry's time is that of its last use. Who deletes old ones (akgen.tools.twin.prune) takes the lock beside the folder
alone; who asks for an entry shares it while looking. An entry that a process holds has a lock file of its own.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from akgen.tools.outcome import InfraError


def digest(*parts: str | bytes) -> str:
    """Return a 24-digit hex key of parts; their borders count."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(str(len(data)).encode() + b"\0" + data)
    return h.hexdigest()[:24]


HELD = ".held"  # the lock file's ending
_USE_INTERVAL_S = 600.0  # a use is written down at most this often
_held: dict[Path, IO[str]] = {}  # locks are kept until the process ends


class Store:
    """Entries are folders below `root`. Raises InfraError if the folder cannot be written."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def lock(self) -> Path:
        """Return the lock file of all entries."""
        return self.root.with_name(self.root.name + ".lock")

    def entry(self, key: str) -> Path:
        return self.root / key[:2] / key

    def get(self, key: str, build: Callable[[Path], None]) -> Path:
        """Return the entry's folder, calling `build(folder)` to fill it if it is not there.

        If `build` raises, nothing is kept. Two processes that want the same key wait for one build.
        """
        final = self.entry(key)
        if self.used(final):
            return final
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            with self._locked(final.with_suffix(".lock")):
                if not final.is_dir():
                    self._build(final, build)
        except OSError as e:
            raise InfraError(
                f"The cache folder {self.root} cannot be used: {e.strerror or e}.",
                "Free space or rights, or set XDG_CACHE_HOME to a folder that can be written.",
            ) from e
        return final

    def hold(self, key: str) -> None:
        """Keep an entry from being deleted while this process lives."""
        path = self.entry(key).with_suffix(HELD)
        if path in _held:
            return
        with contextlib.suppress(OSError):  # in a cache that cannot be written nothing is deleted either
            handle = path.open("a")
            fcntl.flock(handle, fcntl.LOCK_SH)
            _held[path] = handle

    def used(self, final: Path) -> bool:
        """Say whether the entry of this folder is there, and if so write down that it is used now."""
        with contextlib.suppress(OSError), self.lock.open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH)
            if time.time() - final.stat().st_mtime > _USE_INTERVAL_S:
                os.utime(final)
        return final.is_dir()

    def drop(self, key: str) -> None:
        """Forget an entry."""
        shutil.rmtree(self.entry(key), ignore_errors=True)

    def _build(self, final: Path, build: Callable[[Path], None]) -> None:
        work = Path(tempfile.mkdtemp(prefix=final.name + ".", dir=final.parent))
        try:
            build(work)
            os.rename(work, final)  # noqa: PTH104 (atomic on one file system)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        with path.open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
