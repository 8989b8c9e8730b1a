"""The interface that local processes, Ray and the simulation fill, and the first of them.

tests/conformance holds one suite for all. Local processes end with the process that started them, however that ends.
"""

import queue
import threading
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from akgen.tools.core.frozen import Frozen
from akgen.tools.process.worker import Worker, WorkerDied


class ExecutorName(StrEnum):
    """Where workers run."""

    LOCAL = "local"
    RAY = "ray"


class Stage(StrEnum):
    """Which part of a job a worker does."""

    WHOLE = "whole"
    COMPILE = "compile"  # what follows is RUN, on a worker with a device
    RUN = "run"


class Job(Frozen):
    """One task with samples that are still to do, together."""

    task: str
    folder: Path  # of the task
    level: int
    samples: tuple[int, ...]
    stage: Stage = Stage.WHOLE
    attempt: int = 1  # how often a worker has been given it

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        """Return what names the job, whatever its stage."""
        return self.task, self.samples


class WorkerSlot(Frozen):
    """A place where one job runs at a time. Its process may be replaced; its name stays."""

    name: str
    host: str
    stages: tuple[Stage, ...] = (Stage.WHOLE, Stage.RUN)
    device: int | None = None  # of its host

    @property
    def place(self) -> tuple[str, int] | str:
        """Return what one lease at a time may hold: a device that several workers share, else the slot itself."""
        return self.name if self.device is None else (self.host, self.device)


class Lease(Frozen):
    """A job that a worker has been given."""

    number: int
    job: Job
    worker: str


class Joining(Frozen):
    """A worker is being started; Joined or Gone follows."""

    slot: WorkerSlot


class Joined(Frozen):
    """A worker can take jobs from now on."""

    slot: WorkerSlot


class Gone(Frozen):
    """A worker takes no more jobs, and the one that it had is lost."""

    worker: str


class Beat(Frozen):
    """A worker lives, whatever it is doing."""

    worker: str


class Answered(Frozen):
    """A worker's answer to a lease."""

    lease: int
    answer: dict[str, Any]


class Died(Frozen):
    """What did a lease ended, or took longer than it may; another process takes its place."""

    lease: int
    text: str
    tail: str = ""  # of its stderr
    timed_out: bool = False


Event = Joining | Joined | Gone | Beat | Answered | Died


class Executor(Protocol):
    """Starts workers and hands messages to them. Entered once; at its end no worker is left.

    Raises InfraError if there can be no workers.
    """

    def submit(self, lease: Lease, message: Mapping[str, Any], timeout_s: float) -> None:
        """Give an idle worker a message; an Answered, Died or Gone event follows."""
        ...

    def wait(self, timeout_s: float) -> Sequence[Event]:
        """Return what has happened since, at the latest after this time."""
        ...

    def end(self, worker: str) -> None:
        """Kill what a worker is doing, whatever that is; a Died event follows, and a new process."""
        ...

    def __enter__(self) -> "Executor": ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


_Given = tuple[Lease, Mapping[str, Any], float]


class LocalExecutor:
    """Implements Executor: one process for each slot, started at its first lease, and a thread that waits for it."""

    def __init__(
        self, slots: Sequence[WorkerSlot], *, argv: Sequence[str | Path], env: Mapping[str, str]
    ) -> None:
        self._workers = {s.name: Worker(argv, cwd=Path("/"), env=env) for s in slots}
        self._given: dict[str, queue.SimpleQueue[_Given | None]] = {
            s.name: queue.SimpleQueue() for s in slots
        }
        self._events: queue.SimpleQueue[Event | BaseException] = queue.SimpleQueue()
        for slot in slots:
            self._events.put(Joined(slot=slot))

    def submit(self, lease: Lease, message: Mapping[str, Any], timeout_s: float) -> None:
        self._given[lease.worker].put((lease, message, timeout_s))

    def wait(self, timeout_s: float) -> Sequence[Event]:
        found: list[Event] = []
        try:
            while True:
                event = self._events.get(timeout=timeout_s) if not found else self._events.get_nowait()
                if isinstance(event, BaseException):
                    raise event
                found.append(event)
        except queue.Empty:
            return found

    def end(self, worker: str) -> None:
        self._workers[worker].kill()

    def __enter__(self) -> "LocalExecutor":
        for name in self._workers:
            threading.Thread(target=self._serve, args=(name,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, worker in self._workers.items():
            self._given[name].put(None)
            worker.kill()
        for worker in self._workers.values():
            worker.close()

    def _serve(self, name: str) -> None:
        worker, given = self._workers[name], self._given[name]
        try:
            while (asked := given.get()) is not None:
                lease, message, timeout_s = asked
                try:
                    answer = worker.request(message, timeout_s, lambda: self._events.put(Beat(worker=name)))
                except WorkerDied as died:
                    self._events.put(
                        Died(lease=lease.number, text=died.text, tail=died.tail, timed_out=died.timed_out)
                    )
                else:
                    self._events.put(Answered(lease=lease.number, answer=answer))
        except BaseException as e:  # noqa: BLE001 (raised in the caller's thread)
            self._events.put(e)
