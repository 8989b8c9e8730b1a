"""A timeline: read back from its Chrome trace, and written as one HTML page that opens in any browser."""

import json
from collections import defaultdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from akgen.knowledge.hints import change_hints
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.profile import Profile
from akgen.tools.core.untrusted import MOST_TRACE_BYTES, Finite, parse_json, read_text

PIPE_ORDER = ("S", "MTE2", "MTE1", "M", "V", "FIX", "MTE3")
MAX_SPANS = 40_000  # a page stays below about 6 MB


class TraceEvent(Frozen):
    """One instruction on a pipe; times in microseconds from the launch's start."""

    name: str
    start_us: Finite
    duration_us: Finite
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
    Raises InputError for a file that is no trace.
    """
    try:
        data = parse_json(read_text(path, most_bytes=MOST_TRACE_BYTES), most_bytes=MOST_TRACE_BYTES)
        return _lanes(data["traceEvents"] if isinstance(data, dict) else data)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as problem:
        raise InputError(f"{path} is not a trace: {shown(str(problem))}.", "Profile once more.") from problem


def _lanes(events: list[dict[str, Any]]) -> tuple[Lane, ...]:
    cores: dict[object, str] = {}
    pipes: dict[tuple[object, object], str] = {}
    found: dict[tuple[object, object], list[TraceEvent]] = defaultdict(list)
    for event in events:
        key = (event.get("pid"), event.get("tid"))
        if event.get("ph") == "M" and event["name"] == "process_name":
            cores[event.get("pid")] = str(event["args"]["name"])
        elif event.get("ph") == "M" and event["name"] == "thread_name":
            pipes[key] = str(event["args"]["name"])
        elif event.get("ph") == "X" and "cat" not in event:
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
    detail = ", ".join(f"{k} {v}" for k, v in args.items() if k not in ("source", "so_offset"))
    return TraceEvent(
        name=event["name"],
        start_us=float(event["ts"]),
        duration_us=float(event.get("dur", 0.0)),
        where=str(args["source"]) if args.get("source") else None,
        detail=detail,
    )


def write_page(profile: Profile, trace: Path, out: Path, title: str) -> Path:
    """Render `trace` and `profile` to `out`; cores beyond the span limit are left out and counted."""
    drawn: list[dict[str, object]] = []
    left = MAX_SPANS
    all_lanes = lanes(trace)
    cores = list(dict.fromkeys(lane.core for lane in all_lanes))
    skipped = 0
    for core in cores:
        mine = [lane for lane in all_lanes if lane.core == core]
        size = sum(len(lane.spans) for lane in mine)
        if size > left and drawn:
            skipped += 1
            continue
        left -= size
        drawn.append({"core": core, "lanes": [_lane(lane.pipe, lane.spans[:MAX_SPANS]) for lane in mine]})
    template = files("akgen.tools.timeline").joinpath("page.html.j2").read_text()
    env = Environment(undefined=StrictUndefined, autoescape=True)
    html = env.from_string(template).render(
        title=title,
        profile=profile,
        hints=change_hints(),
        skipped=skipped,
        data=json.dumps({"cores": drawn}).replace("<", "\\u003c"),
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(html)
    return out


def _lane(pipe: str, spans: tuple[TraceEvent, ...]) -> dict[str, object]:
    return {
        "pipe": pipe,
        "spans": [
            [s.name, round(s.start_us, 4), round(s.duration_us, 4), s.where or "", s.detail] for s in spans
        ],
    }
