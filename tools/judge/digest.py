"""Notice when the task, the reference or the judge itself changes while a verdict is being made."""

import hashlib
from functools import lru_cache
from pathlib import Path

from akgen.tools.core.task import Reference

_HARNESS = tuple(Path(__file__).resolve().parents[1] / name for name in ("judge", "reference"))
_MOST_FILES = 2000


def digest(reference: Reference) -> str:
    """Return the SHA-256 of the reference's files and of the judge's own, names included."""
    h = hashlib.sha256()
    for root in (reference.path, *_HARNESS):
        for path in _files(root):
            h.update(f"{path}\0".encode())
            info = path.stat()
            # A file's change time cannot be set back without privilege, so unchanged means unread.
            h.update(_content(str(path), info.st_ctime_ns, info.st_size, info.st_ino))
    return h.hexdigest()


def _files(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    found = (p for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return sorted(found)[:_MOST_FILES]


@lru_cache(maxsize=4096)
def _content(path: str, changed_ns: int, size: int, inode: int) -> bytes:  # noqa: ARG001 (the cache's key)
    return hashlib.sha256(Path(path).read_bytes()).digest()
