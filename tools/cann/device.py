"""Who has a device: one process at a time, by a lock that ends with it; and whether the device may be used at all.

A heartbeat tells the others who holds a device and since when. After a fault a device is quarantined: whoever takes it
next runs a probe on it first. These files lie in one folder for all runs of a user on a machine; a second lock holds
over all users (`machine_lock`).
"""

import contextlib
import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from akgen.tools.cann import machine_lock
from akgen.tools.cann.runtime_errors import DeviceFault
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.untrusted import JsonRefused, parse_object

BEAT_S = 5.0
STALE_S = 120.0  # a holder that has not been heard for so long hangs
WAIT_S = 3600.0
_LOOK_S = 0.1

Probe = Callable[[int], str | None]  # says what is wrong with a device, if anything


class Holder(Frozen):
    """Who has a lock."""

    pid: int
    since: float
    beat: float


@contextlib.contextmanager
def slot(folder: Path, count: int, wait_s: float = WAIT_S) -> Iterator[int]:
    """Hold one of `count` places; builds side by side are bounded by it. Raises InfraError if none becomes free."""
    with _any_lock(folder, [f"slot{i}" for i in range(count)], wait_s, beat_s=None) as place:
        yield place


class Devices:
    """The devices that this user lends to runs."""

    def __init__(
        self, folder: Path, numbers: Sequence[int], probe: Probe, machine: Mapping[int, Path] | None = None
    ) -> None:
        """`machine`: the locks that hold over all users of the machine, by device."""
        self._folder = folder
        self._numbers = tuple(numbers)
        self._probe = probe
        self._machine = machine or {}

    @contextlib.contextmanager
    def lease(self, wait_s: float = WAIT_S) -> Iterator["DeviceLease"]:
        """Hold a device that is healthy. Raises InfraError if none is, or none becomes free."""
        refused: list[str] = []
        # the healthy first: a probe of a device that hangs takes minutes
        left = sorted(self._numbers, key=lambda n: self._note(n).exists())
        while left:
            names = [f"device{n}" for n in left]
            machine = [self._machine.get(n) for n in left]
            with _any_lock(self._folder, names, wait_s, beat_s=BEAT_S, machine=machine) as place:
                number = left.pop(place)
                found = DeviceLease(number=number, note=self._note(number))
                wrong = self._again(found)
                if wrong is None:
                    yield found
                    return
                refused.append(f"device {number}: {wrong}")
        raise DeviceFault(
            f"No device passes its probe ({'; '.join(refused)}).",
            "Look at `npu-smi info` and the plog; reset the device as its administrator, then try again.",
        )

    def _note(self, number: int) -> Path:
        return self._folder / f"device{number}.quarantine"

    def _again(self, lease: "DeviceLease") -> str | None:
        if not lease.note.exists():
            return None
        wrong = self._probe(lease.number)
        if wrong is None:
            lease.note.unlink(missing_ok=True)
        return wrong


class DeviceLease(Frozen):
    """A device that is held."""

    number: int
    note: Path

    def quarantine(self, reason: str) -> None:
        """Let nobody use the device again before a probe has run on it."""
        try:
            self.note.write_text(json.dumps({"reason": reason[:500], "time": time.time()}))
        except OSError as problem:
            raise DeviceFault(
                f"Device {self.number} failed ({reason[:200]}) and cannot be marked: {problem}.",
                "Free space below AKGEN_CACHE, and look at the device before it is used again.",
            ) from problem


@contextlib.contextmanager
def _any_lock(
    folder: Path,
    names: Sequence[str],
    wait_s: float,
    beat_s: float | None,
    machine: Sequence[Path | None] | None = None,
) -> Iterator[int]:
    """Hold one of the names; where it has a lock of the machine, that one too."""
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + wait_s
    while True:
        for i, name in enumerate(names):
            with contextlib.ExitStack() as held:
                fd = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                held.callback(os.close, fd)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                also = machine[i] if machine is not None else None
                if also is not None and not machine_lock.take(held, also):
                    continue
                with _heartbeat(folder / f"{name}.holder", beat_s):
                    yield i
                return
        if time.monotonic() >= deadline:
            raise InfraError(_who(folder, names, machine), "Wait for it, or end the process that holds it.")
        time.sleep(_LOOK_S)


@contextlib.contextmanager
def _heartbeat(path: Path, beat_s: float | None) -> Iterator[None]:
    if beat_s is None:
        yield
        return
    ended = threading.Event()
    since = time.time()

    def beat() -> None:
        told = Holder(pid=os.getpid(), since=since, beat=time.time())
        with contextlib.suppress(OSError):  # a full disk: the lock holds without
            staged = path.with_suffix(".staged")
            staged.write_text(told.model_dump_json())
            staged.rename(path)  # whoever asks reads a whole one

    def go_on() -> None:
        while not ended.wait(beat_s):
            beat()

    beat()
    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _who(folder: Path, names: Sequence[str], machine: Sequence[Path | None] | None) -> str:
    told = []
    for i, name in enumerate(names):
        lock = machine[i] if machine is not None else None
        other = machine_lock.holder(lock) if lock is not None else None
        if other is not None:
            told.append(f"{name} is held by {other}")
            continue
        try:
            found = Holder.model_validate(parse_object((folder / f"{name}.holder").read_text()))
        except (OSError, JsonRefused, ValueError):
            told.append(f"{name} is held")
            continue
        silent = time.time() - found.beat
        words = f", which was last heard {silent:.0f} s ago" if silent > STALE_S else ""
        told.append(f"{name} is held by process {found.pid}{words}")
    return f"Nothing became free: {'; '.join(told)}."
