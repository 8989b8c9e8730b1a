"""Read a Chrome trace back: cores, pipes and instructions in order."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from akgen.tools.core.frozen import Frozen

PIPE_ORDER = ("S", "MTE2", "MTE1", "M", "V", "FIX", "MTE3")


class TraceEvent(Frozen):
    """One instruction on a pipe; times in microseconds from the launch's start."""

    name: str
    start_us: float
    duration_us: float
    where: str | None = None  # "file:line" in the project
    detail: str = ""


class Lane(Frozen):
    """One pipe of one core."""

    core: str
    pipe: str
    spans: tuple[TraceEvent, ...]


def lanes(path: Path) -> tuple[Lane, ...]:
    """Return the lanes of a trace, cores in the trace's order, pipes in the order that data takes.

    Events are complete events (`ph: X`); the names of cores and pipes come from metadata events (`ph: M`).
    """
    data = json.loads(path.read_text())
    events: list[dict[str, Any]] = data["traceEvents"] if isinstance(data, dict) else data
    cores: dict[object, str] = {}
    pipes: dict[tuple[object, object], str] = {}
    found: dict[tuple[object, object], list[TraceEvent]] = defaultdict(list)
    for event in events:
        key = (event.get("pid"), event.get("tid"))
        if event.get("ph") == "M" and event["name"] == "process_name":
            cores[event.get("pid")] = str(event["args"]["name"])
        elif event.get("ph") == "M" and event["name"] == "thread_name":
            pipes[key] = str(event["args"]["name"])
        elif event.get("ph") == "X":
            found[key].append(_span(event))
    out = [
        Lane(core=cores.get(pid, str(pid)), pipe=pipes.get((pid, tid), str(tid)), spans=tuple(spans))
        for (pid, tid), spans in found.items()
    ]
    core_order = {name: i for i, name in enumerate(cores.values())}
    rank = {name: i for i, name in enumerate(PIPE_ORDER)}
    return tuple(sorted(out, key=lambda lane: (core_order.get(lane.core, 0), rank.get(lane.pipe, len(rank)))))


def _span(event: dict[str, Any]) -> TraceEvent:
    args = event.get("args") or {}
    where = f"{args['file']}:{args['line']}" if args.get("file") and args.get("line") else None
    detail = ", ".join(f"{k} {v}" for k, v in args.items() if k not in ("file", "line", "so_offset"))
    return TraceEvent(
        name=event["name"],
        start_us=float(event["ts"]),
        duration_us=float(event.get("dur", 0.0)),
        where=where,
        detail=detail,
    )
