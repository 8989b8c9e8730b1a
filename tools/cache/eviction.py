"""Keep the cache of built things below a size: what was not used for longest goes first, what is in use stays.

Entries that a process holds, and those used within the last hour, are never deleted.
"""

import contextlib
import fcntl
import math
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from akgen.tools.cache.content import GROWTH, HELD, HITS, MANIFEST, MISSES, ContentCache
from akgen.tools.core.frozen import Frozen

CACHES = ("runtime", "objects", "host", "kernel", "binding", "package", "reference")
RECENT_S = 3600.0
_STAMP = "evicted"
_DAY_S = 86400.0
_LITTLE_BYTES = 64 << 20  # not worth a walk through the cache


class Evicted(Frozen):
    """What eviction left and what it removed."""

    size_bytes: int
    removed: int
    removed_bytes: int


class CacheUse(Frozen):
    """What one of the caches holds, and how often what was asked for was there, since it was last cleared."""

    name: str
    entries: int
    size_bytes: int
    hits: int
    misses: int

    @property
    def hit_rate(self) -> float | None:
        asked = self.hits + self.misses
        return self.hits / asked if asked else None


class _Entry(NamedTuple):
    folder: Path
    size_bytes: int
    used: float  # seconds since the epoch


def cache_bytes(cache: Path) -> int:
    """Return the bytes of everything built that lies in the cache."""
    return sum(e.size_bytes for e in _entries(cache))


def cache_use(cache: Path) -> tuple[CacheUse, ...]:
    """Return what each cache holds, those first that nothing can be built without."""
    found = list(_entries(cache))
    return tuple(
        CacheUse(
            name=name,
            entries=sum(e.folder.parents[1].name == name for e in found),
            size_bytes=sum(e.size_bytes for e in found if e.folder.parents[1].name == name),
            hits=_counted(cache / (name + HITS)),
            misses=_counted(cache / (name + MISSES)),
        )
        for name in CACHES
    )


def _counted(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def clear(cache: Path) -> Evicted:
    """Delete every entry that no process holds, and the counts. Runs that go on may have to build again."""
    done = evict(cache, 0, recent_s=0.0)
    for name in CACHES:
        for ending in (HITS, MISSES):
            (cache / (name + ending)).unlink(missing_ok=True)
    return done


def evict_when_due(cache: Path, limit_bytes: int) -> Evicted | None:
    """Evict once a day, and whenever much was built since: an eighth of the limit.

    None: nothing was to be done, or the cache cannot be written.
    """
    stamp = cache / _STAMP
    if _since(stamp) < _DAY_S and _grown_bytes(cache) < max(limit_bytes / 8, _LITTLE_BYTES):
        return None
    try:
        cache.mkdir(parents=True, exist_ok=True)
        stamp.touch()
        (cache / GROWTH).unlink(missing_ok=True)
    except OSError:
        return None
    done = evict(cache, limit_bytes)
    return done if done.removed else None


def _since(stamp: Path) -> float:
    try:
        return time.time() - stamp.stat().st_mtime
    except FileNotFoundError:
        return math.inf


def _grown_bytes(cache: Path) -> int:
    try:
        return sum(int(line) for line in (cache / GROWTH).read_text().splitlines())
    except (OSError, ValueError):  # a line that is being written
        return 0


def evict(cache: Path, limit_bytes: int, *, recent_s: float = RECENT_S) -> Evicted:
    """Delete the entries that were not used for longest until the rest is within the limit, as far as that goes."""
    entries = sorted(_entries(cache), key=lambda e: e.used)
    size = sum(e.size_bytes for e in entries)
    before, removed = size, 0
    for entry in entries:
        if size <= limit_bytes:
            break
        if _delete(entry.folder, recent_s):
            size -= entry.size_bytes
            removed += 1
    return Evicted(size_bytes=size, removed=removed, removed_bytes=before - size)


def _entries(cache: Path) -> Iterator[_Entry]:
    """Yield the entries of all caches. Names stay text until then: a Path for each file takes most of a walk's time."""
    for name in CACHES:
        for shelf in _folders(str(cache / name)):
            for folder in _folders(shelf.path):
                with contextlib.suppress(FileNotFoundError):
                    yield _Entry(Path(folder.path), int(_size(folder.path)), folder.stat().st_mtime)


def _folders(path: str) -> list[os.DirEntry[str]]:
    """Return the folders in a folder; none where it is not there."""
    try:
        with os.scandir(path) as inside:
            return [entry for entry in inside if entry.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _size(folder: str) -> float:
    """Return the bytes of what was built; a file with several names counts in parts."""
    total = 0.0
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as inside:
        for entry in inside:
            if entry.is_dir(follow_symlinks=False):
                total += _size(entry.path)
            elif entry.name != MANIFEST:
                with contextlib.suppress(FileNotFoundError):
                    facts = entry.stat()
                    total += facts.st_size / max(facts.st_nlink, 1)
    return total


def _delete(folder: Path, recent_s: float) -> bool:
    """Delete one entry if nobody uses it. False: it stays."""
    gone = folder.with_name(f"{folder.name}.gone-{os.getpid()}")
    try:
        with ContentCache(folder.parents[1]).lock.open("a") as lock, _unheld(folder) as free:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not free or time.time() - folder.stat().st_mtime < recent_s:
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
