"""What a candidate's host code left in the worker's process: threads in its code, made or changed machine code.

CANN calls tiling in the process that holds the device's memory, so it can be looked at only from within. A thread of
the runtime is no candidate's: it counts if a frame of it lies in the candidate's libraries or in code that no file
holds, or if it does not stop computing while nothing is launched. Source: proc(5), `task/TID/syscall`, `maps`, `smaps`.
Not seen: changed data, such as a pointer to a function, and what hides from this look itself; docs/npu.md says so.
"""

import os
import re
import struct
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc/self")
_STACK_BYTES = 1 << 16  # of a thread's stack that are looked at
_LOOKS, _LOOK_S = 40, 0.001  # at a thread that computes
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ (\d+)\s*(.*)")
_KERNELS = ("[vdso]", "[vsyscall]", "[uprobes]")


class LeftBehind(Exception):
    """Host code left something behind."""


class CodeMapping(NamedTuple):
    """Executable memory of this process."""

    first: int
    last: int
    rights: str
    inode: int
    path: str
    written_kb: int  # of its pages: they are no longer the file's

    @property
    def of_a_file(self) -> bool:
        """Say whether a file holds it, and nobody may write over it."""
        held = self.inode != 0 and not self.path.startswith("/memfd:")
        return self.path in _KERNELS or (held and "w" not in self.rights)


class Traces:
    """Looks at this process before a candidate's library is loaded, and says later what is there since.

    `package` is the candidate's library or the folder of its libraries.
    """

    def __init__(self, package: Path) -> None:
        self._package = package.resolve()
        self._threads = _threads()
        code = list(_code())
        self._made = _bytes(m for m in code if not m.of_a_file)
        self._written_kb = _written_kb(code)

    def require_none(self) -> None:
        """Raise LeftBehind if host code has started a thread of its own, or made or changed machine code."""
        code = list(_code())
        made = _bytes(m for m in code if not m.of_a_file) - self._made
        if made > 0:
            raise LeftBehind(f"{made} bytes of machine code that no file holds")
        for path, kb in _written_kb(code).items():
            if kb > self._written_kb.get(path, kb):
                raise LeftBehind(f"changed machine code of {Path(path).name}")
        for thread in sorted(_threads() - self._threads):
            self._look_at(thread, code)

    def _look_at(self, thread: int, code: list[CodeMapping]) -> None:
        """Look at a thread until it waits: only then does the kernel say where its stack is."""
        for _ in range(_LOOKS):
            try:
                words = (_PROC / "task" / str(thread) / "syscall").read_text().split()
            except OSError:
                return  # it has ended
            if len(words) >= 3:
                stack, at = int(words[-2], 16), int(words[-1], 16)
                if any(self._owns(address, code) for address in (at, *_frames(stack))):
                    raise LeftBehind(f"thread {thread} that runs its code")
                return
            time.sleep(_LOOK_S)
        raise LeftBehind(f"thread {thread} that goes on computing")

    def _owns(self, address: int, code: list[CodeMapping]) -> bool:
        for one in code:
            if one.first <= address < one.last:
                return not one.of_a_file or Path(one.path).is_relative_to(self._package)
        return False


def _threads() -> frozenset[int]:
    return frozenset(int(path.name) for path in (_PROC / "task").iterdir())


def _code() -> Iterator[CodeMapping]:
    head: re.Match[str] | None = None
    for line in (_PROC / "smaps").read_text().splitlines():
        if (found := _MAPPING.match(line)) is not None:
            head = found if "x" in found[3] else None
        elif head is not None and line.startswith("Anonymous:"):
            first, last, rights, inode, path = head.groups()
            yield CodeMapping(int(first, 16), int(last, 16), rights, int(inode), path, int(line.split()[1]))


def _bytes(code: Iterable[CodeMapping]) -> int:
    return sum(m.last - m.first for m in code)


def _written_kb(code: Iterable[CodeMapping]) -> dict[str, int]:
    """Return how much of each file's code was written: a changed right splits a mapping, its pages stay the file's."""
    found: dict[str, int] = {}
    for one in code:
        if one.of_a_file:
            found[one.path] = found.get(one.path, 0) + one.written_kb
    return found


def _frames(stack: int) -> Iterator[int]:
    """Yield the words of a stack from its top on, as far as it is mapped."""
    end = stack
    for line in (_PROC / "maps").read_text().splitlines():
        if (
            (m := _MAPPING.match(line)) is not None
            and int(m[1], 16) <= stack < int(m[2], 16)
            and m[3][0] == "r"
        ):
            end = min(int(m[2], 16), stack + _STACK_BYTES)
    with (_PROC / "mem").open("rb", buffering=0) as memory:  # the thread may end, and its stack with it
        try:
            data = os.pread(memory.fileno(), end - stack, stack)
        except OSError:
            return
    for (word,) in struct.iter_unpack("<Q", data[: len(data) // 8 * 8]):
        yield word
