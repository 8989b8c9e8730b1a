"""Worker processes on the nodes of a Ray cluster, one actor for each. The only module that imports Ray.

All nodes see the run's folder, the tasks and this package at the same paths; a cache may be each node's own.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from akgen.bench.executors.executor import (
    Answered,
    Beat,
    Died,
    Event,
    Gone,
    Joined,
    Joining,
    Lease,
    Stage,
    WorkerSlot,
)
from akgen.tools.core.outcome import InfraError
from akgen.tools.process.worker import Worker, WorkerDied
from akgen.tools.reference.kept_trials import Packed, kept_trials, pack, unpack

BEAT_S = 5.0
OBJECT_STORE_BYTES = 256 << 20  # of a cluster that is started here
_NODES_S = 10.0  # between two looks at who has joined the cluster


class _Asked(NamedTuple):
    """What a reference will hold: the answer to a lease, or to a beat."""

    worker: str
    actor: Any
    lease: int | None = None
    joins: bool = False
    task: str | None = None
    trials: Any = None  # a reference too: they stay in the object store


class _Seat:
    """Runs in an actor: holds the worker process of one slot, and says while that works whether it beats."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self._worker = Worker(argv, cwd=Path("/"), env=env)
        self._lives = True

    def beat(self) -> bool:
        """Say whether the process has beaten since this was last asked; an idle one counts as living."""
        lives, self._lives = self._lives, not self._worker.working
        return lives

    def do(
        self, message: Mapping[str, Any], timeout_s: float, given: Packed | None, share: bool
    ) -> tuple[dict[str, Any], Packed]:
        """Return the worker's answer or how it died; to `share`, also the trials that it was judged on."""
        kept = kept_trials(Path(message["settings"]["cache"]))
        unpack(kept, given or {})

        def on_beat() -> None:
            self._lives = True

        try:
            answer = self._worker.request(message, timeout_s, on_beat)
        except WorkerDied as died:
            return {"text": died.text, "tail": died.tail, "timed_out": died.timed_out}, {}
        return {"answer": answer}, pack(kept, answer.get("trials", ())) if share else {}


class RayExecutor:
    """Implements Executor over a cluster: `workers` slots, spread over its nodes as far as they have processors.

    Without `address` a cluster of this machine alone is started, and ends with this; a program that is in a cluster
    already stays there. Nodes may come and go.
    """

    def __init__(
        self,
        workers: Mapping[tuple[Stage, ...], int],
        *,
        argv: Sequence[str | Path],
        env: Mapping[str, str],
        address: str | None = None,
        devices: Sequence[int] = (),
        beat_s: float = BEAT_S,
    ) -> None:
        """`workers` says how many slots do which stages; `devices` are those of each node that runs builds."""
        self._beat_s, self._inside = beat_s, ray.is_initialized()
        self._wanted, self._address, self._devices = dict(workers), address, tuple(devices)
        self._argv, self._env = [str(a) for a in argv], dict(env)
        self._slots: dict[str, tuple[WorkerSlot, Any]] = {}  # with the actor
        self._asked: dict[Any, _Asked] = {}
        self._started: list[Joining] = []  # and not yet told
        self._trials: dict[
            str, tuple[str, Any]
        ] = {}  # by task: the host where they were made, and their reference
        self._looked_s = self._beats_s = float("-inf")

    def submit(self, lease: Lease, message: Mapping[str, Any], timeout_s: float) -> None:
        slot, actor = self._slots[lease.worker]
        task = lease.job.task
        host, trials = self._trials.get(task, (None, None))
        given = trials if host not in (None, slot.host) else None
        share = host is None and len({s.host for s, _ in self._slots.values()}) > 1
        answer, made = actor.do.options(num_returns=2).remote(dict(message), timeout_s, given, share)
        self._asked[answer] = _Asked(
            lease.worker, actor, lease.number, task=task, trials=made if share else None
        )

    def wait(self, timeout_s: float) -> Sequence[Event]:
        self._look()
        if self._started:
            told, self._started = self._started, []
            return told
        if not self._asked:
            time.sleep(min(timeout_s, 0.5))
            return ()
        done, _ = ray.wait([*self._asked], num_returns=1, timeout=min(timeout_s, self._beat_s))
        if done:  # and what else is there
            done, _ = ray.wait([*self._asked], num_returns=len(self._asked), timeout=0)
        return [event for reference in done for event in self._seen(reference)]

    def end(self, worker: str) -> None:
        slot, actor = self._slots[worker]
        ray.kill(actor)
        self._start(slot, joins=False)

    def __enter__(self) -> "RayExecutor":
        if self._inside:
            return self
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        alone: dict[str, Any] = {}
        if self._address is None:
            cpus = max(sum(self._wanted.values()), 1)
            alone = {"num_cpus": cpus, "object_store_memory": OBJECT_STORE_BYTES, "include_dashboard": False}
        try:
            ray.init(address=self._address or "local", log_to_driver=False, logging_level="error", **alone)
        except (ConnectionError, ValueError, RuntimeError) as e:
            raise InfraError(
                f"There is no Ray cluster: {e}.", "Start one with `ray start`, or leave --address out."
            ) from e
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, actor in self._slots.values():
            ray.kill(actor)
        if not self._inside:
            ray.shutdown()

    def _look(self) -> None:
        """Ask for beats; fill slots that are missing with the nodes that are there."""
        now = time.monotonic()
        if now - self._beats_s >= self._beat_s:
            self._beats_s = now
            asked = {a.worker for a in self._asked.values() if a.lease is None}
            for name, (_, actor) in self._slots.items():
                if name not in asked:
                    self._asked[actor.beat.remote()] = _Asked(name, actor)
        if now - self._looked_s >= _NODES_S:
            self._looked_s = now
            self._fill()

    def _fill(self) -> None:
        nodes = {n["NodeID"]: int(n["Resources"].get("CPU", 0)) for n in ray.nodes() if n["Alive"]}
        for stages, wanted in self._wanted.items():
            have = sum(slot.stages == stages for slot, _ in self._slots.values())
            for _ in range(wanted - have):
                on = {n: [s for s, _ in self._slots.values() if s.host == n] for n in nodes}
                free = [n for n, room in nodes.items() if len(on[n]) < room]
                if not free:
                    return
                node = min(free, key=lambda n: len(on[n]))
                taken = {s.name for s in on[node]}
                name = next(
                    f"{node[:8]}-{k}" for k in range(len(taken) + 1) if f"{node[:8]}-{k}" not in taken
                )
                runs = sum(Stage.RUN in s.stages for s in on[node])
                device = (
                    self._devices[runs % len(self._devices)]
                    if self._devices and Stage.RUN in stages
                    else None
                )
                slot = WorkerSlot(name=name, host=node, stages=stages, device=device)
                self._start(slot, joins=True)
                self._started.append(Joining(slot=slot))

    def _start(self, slot: WorkerSlot, *, joins: bool) -> None:
        node = NodeAffinitySchedulingStrategy(node_id=slot.host, soft=False)
        actor = (
            ray.remote(_Seat)
            .options(num_cpus=1, max_concurrency=2, scheduling_strategy=node)
            .remote(self._argv, self._env)
        )
        self._slots[slot.name] = (slot, actor)
        self._asked[actor.beat.remote()] = _Asked(slot.name, actor, joins=joins)

    def _seen(self, reference: Any) -> list[Event]:
        """Take what a reference holds; where its actor is lost, put another on the node, if that lives."""
        asked = self._asked.pop(reference)
        slot, actor = self._slots.get(asked.worker, (None, None))
        try:
            answer = ray.get(reference)
        except ray.exceptions.RayError as e:
            events: list[Event] = []
            self._trials.pop(asked.task or "", None)  # they may be what was lost
            if asked.lease is not None:
                events.append(Died(lease=asked.lease, text=f"was lost ({type(e).__name__})"))
            if slot is not None and actor is asked.actor:
                if any(n["Alive"] and n["NodeID"] == slot.host for n in ray.nodes()):
                    self._start(slot, joins=asked.joins)
                else:
                    del self._slots[asked.worker]
                    self._looked_s = float("-inf")  # another node may take its place
                    events.append(Gone(worker=asked.worker))
            return events
        if asked.lease is not None:
            if "answer" in answer:
                if asked.trials is not None and slot is not None and asked.task is not None:
                    self._trials.setdefault(asked.task, (slot.host, asked.trials))
                return [Answered(lease=asked.lease, answer=answer["answer"])]
            return [Died(lease=asked.lease, **answer)]
        if asked.joins and slot is not None:
            return [Joined(slot=slot)]
        return [Beat(worker=asked.worker)] if answer else []
