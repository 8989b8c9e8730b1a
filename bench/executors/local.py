"""Worker processes of this machine; they end with the process that started them, however that ends."""

import queue
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from akgen.bench.executors.executor import Answered, Beat, Died, Event, Joined, Lease, WorkerSlot
from akgen.tools.process.worker import Worker, WorkerDied

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
