"""A lock on a device that holds over all users of a machine, and who has it.

The file lies in /var/lock (which everybody may write to) under the numbers of the device's node, and is never written:
whoever may read it can lock it. Seen by it are other AKGens in the same mount of /var/lock; containers share it only
where it is mounted into them, and work that is not AKGen's takes no lock: that is seen by npu-smi alone.
"""

import contextlib
import fcntl
import os
import pwd
import stat
from pathlib import Path

FOLDER = Path("/var/lock")
_LOCKS = Path("/proc/locks")


def lock_of(nodes: Path, number: int, folder: Path = FOLDER) -> Path | None:
    """Return the lock of a device; None where its node is no device, or the folder is not there."""
    try:
        node = (nodes / f"davinci{number}").stat()
    except OSError:
        return None
    if not stat.S_ISCHR(node.st_mode) or not folder.is_dir():
        return None
    return folder / f"akgen-npu-{os.major(node.st_rdev)}-{os.minor(node.st_rdev)}.lock"


def take(held: contextlib.ExitStack, path: Path) -> bool:
    """Lock until `held` is closed; False if somebody else has it. A file that cannot be made or read locks nothing."""
    fd = _open(path)
    if fd is None:
        return True
    held.callback(os.close, fd)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder(path: Path) -> str | None:
    """Name the process that has the lock, and its user; None if nobody has it, or it lies in another namespace."""
    try:
        inode = path.stat().st_ino
        lines = [line.split() for line in _LOCKS.read_text().splitlines()]
    except OSError:
        return None
    for words in lines:
        if len(words) > 5 and words[1] == "FLOCK" and words[5].rpartition(":")[2] == str(inode):
            return f"process {words[4]}{_user(words[4])}"
    return None


def _open(path: Path) -> int | None:
    """Open without following a link; the first to come makes the file, readable by all whatever their umask."""
    for flags in (os.O_RDONLY, os.O_RDONLY | os.O_CREAT | os.O_EXCL, os.O_RDONLY):
        try:
            fd = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
        except (FileNotFoundError, FileExistsError):
            continue
        except OSError:
            return None
        if flags & os.O_CREAT:
            os.fchmod(fd, 0o644)
        return fd
    return None


def _user(pid: str) -> str:
    try:
        uid = Path("/proc", pid).stat().st_uid
    except OSError:
        return ""
    with contextlib.suppress(KeyError):
        return f" of user {pwd.getpwuid(uid).pw_name}"
    return f" of user {uid}"
