"""Files that survive a crash: whole or absent, appended or torn only at the end; folders that one process holds."""

import errno
import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import BaseModel, ValidationError

from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.untrusted import first_fault, read_json_lines

T = TypeVar("T", bound=BaseModel)

_REMEDIES = {
    errno.ENOSPC: "Free some disk space, or choose another folder with --out.",
    errno.EDQUOT: "Free some of your disk quota, or choose another folder with --out.",
    errno.EACCES: "Choose a folder that you may write to with --out.",
    errno.EPERM: "Choose a folder that you may write to with --out.",
    errno.EROFS: "Choose a folder on a writable disk with --out.",
    errno.ENOTDIR: "A file stands where a folder is needed; choose another folder with --out.",
    errno.EEXIST: "A file stands where a folder is needed; choose another folder with --out.",
}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the system's refusal to write into an InfraError that says what to do."""
    try:
        yield
    except OSError as problem:
        remedy = _REMEDIES.get(problem.errno or 0, "Check the disk, or choose another folder with --out.")
        raise InfraError(f"{path} cannot be written: {problem.strerror or problem}.", remedy) from problem


def make_folder(path: Path) -> Path:
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go of it however the process ends.

    Raises InputError if another process works on it.
    """
    path = folder / "lock"
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"Another process is working on {folder}.", "Wait until it ends, or stop it."
            ) from None
        yield
    finally:
        os.close(handle)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, also after a power cut."""
    with writing(path):
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        with part.open("w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        part.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def append_line(path: Path, line: str, *, wait: bool = True) -> None:
    """Append one line, and `wait` until it is on disk; a torn line that a crash left is cut off first."""
    with writing(path), path.open("ab+") as handle:
        end = handle.seek(0, os.SEEK_END)
        whole = _end_of_last_line(handle, end)
        if whole < end:
            handle.truncate(whole)
        handle.write(line.encode() + b"\n")
        handle.flush()
        if wait:
            os.fsync(handle.fileno())


def _end_of_last_line(handle: BinaryIO, end: int) -> int:
    """Return the offset after the last newline; `end` itself unless a line is torn."""
    if end == 0:
        return 0
    handle.seek(end - 1)
    if handle.read(1) == b"\n":
        return end
    handle.seek(0)
    return handle.read().rfind(b"\n") + 1


def read_lines(model: type[T], path: Path, context: Any = None) -> Iterator[T]:
    """Yield the values of a JSONL file; a torn last line is left out, an absent file is empty. Raises InputError."""
    remedy = "It was damaged or written by another version of AKGen."
    for number, line in enumerate(read_json_lines(path, remedy), start=1):
        try:
            yield model.model_validate(line, context=context)
        except ValidationError as problem:
            raise InputError(f"{path}, line {number}: {first_fault(problem)}.", remedy) from problem


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's files and their names; of nothing if there is none."""
    h = hashlib.sha256()
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        if "__pycache__" not in file.parts:
            h.update(f"{file.relative_to(path)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return h.hexdigest()
