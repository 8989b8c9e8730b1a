"""Keep the cache of built things below a size: what was not used for longest goes first, what is in use stays.

Entries that a process holds, and those used within the last hour, are never deleted.
"""

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from akgen.tools.frozen import Frozen
from akgen.tools.twin.store import HELD, Store

STORES = ("runtime", "objects", "host", "kernel", "binding")
RECENT_S = 3600.0
_STAMP = "pruned"
_DAY_S = 86400.0


class Pruned(Frozen):
    """What pruning left and what it removed."""

    size_bytes: int
    removed: int
    removed_bytes: int


class _Entry(NamedTuple):
    folder: Path
    size_bytes: int
    used: float  # seconds since the epoch


def cache_bytes(cache: Path) -> int:
    """Return the bytes of everything built that lies in the cache."""
    return sum(e.size_bytes for e in _entries(cache))


def prune_daily(cache: Path, limit_bytes: int) -> Pruned | None:
    """Prune, unless it was done within a day. None: nothing was to be done, or the cache cannot be written."""
    stamp = cache / _STAMP
    try:
        if time.time() - stamp.stat().st_mtime < _DAY_S:
            return None
    except FileNotFoundError:
        pass
    try:
        cache.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:
        return None
    done = prune(cache, limit_bytes)
    return done if done.removed else None


def prune(cache: Path, limit_bytes: int) -> Pruned:
    """Delete the entries that were not used for longest until the rest is within the limit, as far as that goes."""
    entries = sorted(_entries(cache), key=lambda e: e.used)
    size = sum(e.size_bytes for e in entries)
    before, removed = size, 0
    for entry in entries:
        if size <= limit_bytes:
            break
        if _delete(entry.folder):
            size -= entry.size_bytes
            removed += 1
    return Pruned(size_bytes=size, removed=removed, removed_bytes=before - size)


def _entries(cache: Path) -> Iterator[_Entry]:
    for store in STORES:
        for folder in (cache / store).glob("*/*"):
            with contextlib.suppress(FileNotFoundError):
                if folder.is_dir():
                    yield _Entry(folder, _size(folder), folder.stat().st_mtime)


def _size(folder: Path) -> int:
    """Return the bytes below a folder; a file with several names counts in parts."""
    total = 0.0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                facts = (Path(root) / name).stat()
                total += facts.st_size / max(facts.st_nlink, 1)
    return int(total)


def _delete(folder: Path) -> bool:
    """Delete one entry if nobody uses it. False: it stays."""
    gone = folder.with_name(f"{folder.name}.gone-{os.getpid()}")
    try:
        with Store(folder.parents[1]).lock.open("a") as lock, _unheld(folder) as free:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not free or time.time() - folder.stat().st_mtime < RECENT_S:
                return False
            folder.rename(gone)
    except OSError:
        return False
    shutil.rmtree(gone, ignore_errors=True)
    folder.with_suffix(HELD).unlink(missing_ok=True)
    return True


@contextlib.contextmanager
def _unheld(folder: Path) -> Iterator[bool]:
    """Say whether no living process holds the entry."""
    path = folder.with_suffix(HELD)
    if not path.exists():
        yield True
        return
    with path.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
