"""A folder of built things by content key: built once, by one process at a time, never seen half done or damaged.

An entry lists its files with their hashes, checked whenever it is asked for: what does not agree is built again.
An entry's time is that of its last use. Who deletes old ones (akgen.tools.cache.eviction) takes the lock beside the
folder alone; who asks for an entry shares it while looking. An entry that a process holds has a lock file of its own.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from akgen.tools.core.outcome import InfraError


def digest(*parts: str | bytes) -> str:
    """Return a 24-digit hex key of parts; their borders count."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(str(len(data)).encode() + b"\0" + data)
    return h.hexdigest()[:24]


HELD = ".held"  # the lock file's ending
GROWTH = "growth"  # the file below the cache to which every build adds the bytes of what it made
MANIFEST = ".manifest.json"
HITS, MISSES = ".hits", ".misses"  # endings of the files beside a cache that count its uses
# An entry up to this size is read whole at each use; a larger one if a file's facts have changed, and once a day.
_SMALL_BYTES = 4 << 20
_READ_INTERVAL_S = 86400.0
_USE_INTERVAL_S = 600.0  # a use is written down at most this often
_held: dict[Path, IO[str]] = {}  # locks are kept until the process ends


class ContentCache:
    """Entries are folders below `root`. Raises InfraError if the folder cannot be written."""

    def __init__(self, root: Path, *, small_bytes: int = _SMALL_BYTES) -> None:
        """Entries up to `small_bytes` are read whole at each use, to see that nobody changed them."""
        self.root, self._small_bytes = root, small_bytes

    @property
    def lock(self) -> Path:
        """Return the lock file of all entries."""
        return self.root.with_name(self.root.name + ".lock")

    def entry(self, key: str) -> Path:
        return self.root / key[:2] / key

    def get(self, key: str, build: Callable[[Path], None]) -> Path:
        """Return the entry's folder, calling `build(folder)` to fill it if it is not there or was changed.

        If `build` raises, nothing is kept. Two processes that want the same key wait for one build.
        """
        final = self.entry(key)
        if self.usable(key):
            self._count(HITS)
            return final
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            with _locked(final.with_suffix(".lock")):
                if not self.usable(key):
                    self._build(final, build)
        except OSError as e:
            raise InfraError(
                f"The cache folder {self.root} cannot be used: {e.strerror or e}.",
                "Free space or rights, or set XDG_CACHE_HOME to a folder that can be written.",
            ) from e
        self._count(MISSES)
        return final

    def usable(self, key: str) -> bool:
        """Say whether the entry is there as it was built, and if so write down that it is used now."""
        final = self.entry(key)
        with contextlib.suppress(OSError), self.lock.open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH)
            if time.time() - final.stat().st_mtime > _USE_INTERVAL_S:
                os.utime(final)
        return final.is_dir() and _sound(final, self._small_bytes)

    def _count(self, what: str) -> None:
        """Add one: the file's size is the count, so that many processes may."""
        with contextlib.suppress(OSError):
            handle = os.open(
                self.root.with_name(self.root.name + what), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666
            )
            os.write(handle, b".")
            os.close(handle)

    def hold(self, key: str) -> None:
        """Keep an entry from being deleted while this process lives."""
        path = self.entry(key).with_suffix(HELD)
        if path in _held:
            return
        with contextlib.suppress(OSError):  # in a cache that cannot be written nothing is deleted either
            handle = path.open("a")
            fcntl.flock(handle, fcntl.LOCK_SH)
            _held[path] = handle

    def _build(self, final: Path, build: Callable[[Path], None]) -> None:
        work = Path(tempfile.mkdtemp(prefix=final.name + ".", dir=final.parent))
        try:
            build(work)
            size = _write_manifest(work, final.name)
            if final.is_dir():  # damaged: who reads it goes on with the open files
                final.rename(work.with_name(work.name + ".damaged"))
            work.rename(final)
            with (self.root.parent / GROWTH).open("a") as growth:
                growth.write(f"{size}\n")
        finally:
            for left in (work, work.with_name(work.name + ".damaged")):
                shutil.rmtree(left, ignore_errors=True)


def _write_manifest(folder: Path, key: str) -> int:
    """List the files of an entry; return their bytes."""
    states = dict(_states(folder))
    files = {name: [_hash(folder / name), *state] for name, state in states.items()}
    (folder / MANIFEST).write_text(json.dumps({"key": key, "read": time.time(), "files": files}))
    return sum(size for size, *_ in states.values())


def _sound(folder: Path, small_bytes: int) -> bool:
    """Say whether an entry holds the files it was built with and no others."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        known = manifest["files"]
        states = dict(_states(folder))
        if manifest["key"] != folder.name or states.keys() != known.keys():
            return False
        unchanged = all(known[name][1:] == state for name, state in states.items())
        small = sum(size for size, *_ in states.values()) <= small_bytes
        lately = 0 <= time.time() - manifest["read"] < _READ_INTERVAL_S
        if unchanged and lately and not small:
            return True
        if any(_hash(folder / name) != known[name][0] for name in states):
            return False
        if not (unchanged and lately):  # another hard link changes a file's facts too
            files = {name: [known[name][0], *state] for name, state in states.items()}
            _replace(folder / MANIFEST, json.dumps(manifest | {"read": time.time(), "files": files}))
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _states(folder: Path, below: str = "") -> Iterator[tuple[str, list[int]]]:
    """Yield each file's name and what changes when somebody writes it; the change time cannot be set back."""
    with os.scandir(folder / below) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _states(folder, f"{below}{entry.name}/")
            elif not entry.name.startswith(MANIFEST):
                facts = entry.stat()
                yield (
                    below + entry.name,
                    [facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino],
                )


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _replace(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(text)
        part.replace(path)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    while True:
        handle = path.open("a")
        fcntl.flock(handle, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.fstat(handle.fileno()).st_ino == path.stat().st_ino:
                break
        handle.close()  # who held it has removed it: the lock of those who come next is another file
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        handle.close()
