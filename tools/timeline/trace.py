"""A timeline read back from its Chrome trace: lanes, arrows, buffers in use, and what each line of the sources cost."""

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.profile import Pipe
from akgen.tools.core.untrusted import MOST_TRACE_BYTES, Count, Finite, parse_json, read_text

# No further than thirty years: what is drawn counts nanoseconds.
Microseconds = Annotated[float, Field(allow_inf_nan=False, ge=-1e15, le=1e15)]
PIPE_ORDER = ("S", "MTE2", "MTE1", "M", "V", "FIX", "MTE3")
Cause = Literal["data", "buffer", "cores"]


class TraceEvent(Frozen):
    """One instruction or wait on a pipe; times in microseconds from the launch's start."""

    name: str
    start_us: Microseconds
    duration_us: Microseconds
    where: str | None = None  # "file:line" in the project
    detail: str = ""


class Lane(Frozen):
    """One pipe of one core. `block`: the cores of one block share a number."""

    core: str
    pipe: str
    block: int
    cut_at_us: Microseconds | None = None  # of what the core did from then on not all is in the trace
    spans: tuple[TraceEvent, ...]
    waits: tuple[TraceEvent, ...] = ()


class Arrow(Frozen):
    """A flag from what raised it to what it held back. Lanes by core and pipe.

    `data`: a result was waited for. `buffer`: one that had to be given back. `cores`: another core.
    """

    cause: Cause
    source: tuple[str, str]
    source_us: Microseconds
    target: tuple[str, str]
    target_us: Microseconds


class LocalBuffer(Frozen):
    """A buffer in an on-chip memory of one core, and when it was in use.

    A queue's: from when AllocTensor's pipe may write it to when FreeTensor's pipe is through with it. A TBuf: always.
    """

    core: str
    memory: str  # UB, L1, L0A, …
    offset_bytes: Count
    size_bytes: Count
    where: str | None  # of its InitBuffer; None: tensors built by address
    uses_us: tuple[tuple[Microseconds, Microseconds], ...]


class LineCost(Frozen):
    """What one pipe did and waited for at one place, summed over all cores, in cycles."""

    where: str | None
    pipe: Pipe
    busy_cycles: Finite
    stalled_cycles: Finite
    instructions: Count


class LeftOut(Frozen):
    """What the launch had and its trace has not."""

    events: Count = 0
    arrows: Count = 0
    buffers: Count = 0
    places: Count = 0


class Trace(Frozen):
    lanes: tuple[Lane, ...]
    arrows: tuple[Arrow, ...] = ()
    buffers: tuple[LocalBuffer, ...] = ()
    lines: tuple[LineCost, ...] = ()
    memories: dict[str, Count] = Field(default_factory=dict)  # bytes
    clock_mhz: Finite | None = None
    left_out: LeftOut = LeftOut()


def read_trace(path: Path) -> Trace:
    """Read a trace: cores in its order, pipes in the order that data takes.

    Raises InputError for a file that is no trace.
    """
    try:
        data = parse_json(read_text(path, most_bytes=MOST_TRACE_BYTES), most_bytes=MOST_TRACE_BYTES)
        return _trace(data if isinstance(data, dict) else {"traceEvents": data})
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as problem:
        raise InputError(f"{path} is not a trace: {shown(str(problem))}.", "Profile once more.") from problem


def _trace(data: dict[str, Any]) -> Trace:
    events: list[dict[str, Any]] = data["traceEvents"]
    other = data.get("otherData") or {}
    names = _Names(events)
    return Trace(
        lanes=_lanes(events, names),
        arrows=_arrows(events, names),
        buffers=_buffers(events, names),
        lines=tuple(map(_line, data.get("lines") or ())),
        memories=other.get("memories") or {},
        clock_mhz=other.get("clock_mhz"),
        left_out=LeftOut(**{k: other.get(f"{k}_left_out", 0) for k in LeftOut.model_fields}),
    )


class _Names:
    """What cores and pipes are called, from metadata events (`ph: M`)."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self.cores: dict[object, str] = {}
        self.blocks: dict[object, int] = {}
        self.cuts: dict[str, float | None] = {}
        self.pipes: dict[tuple[object, object], str] = {}
        for event in events:
            if event.get("ph") == "M" and event["name"] == "process_name":
                self.cores[event.get("pid")] = str(event["args"]["name"])
                self.blocks[event.get("pid")] = int(event["args"].get("block", len(self.blocks)))
                self.cuts[self.cores[event.get("pid")]] = event["args"].get("cut_at")
            elif event.get("ph") == "M" and event["name"] == "thread_name":
                self.pipes[event.get("pid"), event.get("tid")] = str(event["args"]["name"])

    def core(self, event: dict[str, Any]) -> str:
        return self.cores.get(event.get("pid"), str(event.get("pid")))

    def lane(self, event: dict[str, Any]) -> tuple[str, str]:
        pipe = self.pipes.get((event.get("pid"), event.get("tid")), str(event.get("tid")))
        return self.core(event), pipe


def _lanes(events: list[dict[str, Any]], names: _Names) -> tuple[Lane, ...]:
    found: dict[tuple[str, str], list[TraceEvent]] = defaultdict(list)
    waits: dict[tuple[str, str], list[TraceEvent]] = defaultdict(list)
    blocks: dict[str, int] = {}
    for event in events:
        if event.get("ph") == "X" and event.get("cat") in (None, "wait"):
            lane = names.lane(event)
            (waits if event.get("cat") else found)[lane].append(_span(event))
            blocks.setdefault(lane[0], names.blocks.get(event.get("pid"), len(blocks)))
    order = {name: i for i, name in enumerate(names.cores.values())}
    rank = {name: i for i, name in enumerate(PIPE_ORDER)}
    keys = sorted({*found, *waits}, key=lambda k: (order.get(k[0], 0), rank.get(k[1], len(rank))))
    return tuple(
        Lane(
            core=core,
            pipe=pipe,
            block=blocks[core],
            cut_at_us=names.cuts.get(core),
            spans=_in_time(found[core, pipe]),
            waits=_in_time(waits[core, pipe]),
        )
        for core, pipe in keys
    )


def _in_time(spans: list[TraceEvent]) -> tuple[TraceEvent, ...]:
    return tuple(sorted(spans, key=lambda span: span.start_us))


def _span(event: dict[str, Any]) -> TraceEvent:
    args = event.get("args") or {}
    return TraceEvent(
        name=event["name"],
        start_us=float(event["ts"]),
        duration_us=float(event.get("dur", 0.0)),
        where=str(args["source"]) if args.get("source") else None,
        detail=", ".join(f"{k} {v}" for k, v in args.items() if k not in ("source", "so_offset")),
    )


def _arrows(events: list[dict[str, Any]], names: _Names) -> tuple[Arrow, ...]:
    ends = {e["id"]: e for e in events if e.get("ph") == "f"}
    return tuple(
        Arrow(
            cause=e["name"],
            source=names.lane(e),
            source_us=float(e["ts"]),
            target=names.lane(ends[e["id"]]),
            target_us=float(ends[e["id"]]["ts"]),
        )
        for e in events
        if e.get("ph") == "s" and e["id"] in ends
    )


def _buffers(events: list[dict[str, Any]], names: _Names) -> tuple[LocalBuffer, ...]:
    found: dict[tuple[object, object], list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        if event.get("cat") == "buffer" and event.get("ph") == "X":
            found[event.get("pid"), event.get("tid")].append(event)
    return tuple(
        LocalBuffer(
            core=names.core(uses[0]),
            memory=uses[0]["name"],
            offset_bytes=uses[0]["args"]["offset"],
            size_bytes=uses[0]["args"]["bytes"],
            where=uses[0]["args"].get("source"),
            uses_us=tuple(sorted((float(e["ts"]), float(e["ts"]) + float(e["dur"])) for e in uses)),
        )
        for uses in found.values()
    )


def _line(cost: dict[str, Any]) -> LineCost:
    return LineCost(
        where=cost.get("source"),
        pipe=cost["pipe"],
        busy_cycles=cost["busy"],
        stalled_cycles=cost["stalled"],
        instructions=cost["instructions"],
    )
