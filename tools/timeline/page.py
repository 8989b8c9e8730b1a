"""One launch, or two beside each other, as one HTML page that opens in any browser and loads nothing.

Its script reads what it draws in a short form: texts once, times in nanoseconds, lanes by number.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from pydantic import Field

from akgen.knowledge.hints import change_hints
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.prediction import compare
from akgen.tools.core.profile import PipeTime, Profile
from akgen.tools.timeline.source_lines import (
    MOST_LINES,
    CostedSources,
    SourceLine,
    changes,
    costly_lines,
    listings,
    with_gaps,
)
from akgen.tools.timeline.trace import Lane, LocalBuffer, Trace, TraceEvent, read_trace

_INIT_BUFFER = re.compile(r"\bInit(?:Buffer|BufPool)\s*\(\s*(?:this->)?([A-Za-z_][\w.\[\]]*)")


class Texts:
    """Every text of a page once; the page names them by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {"": 0}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def all(self) -> list[str]:
        return list(self._numbers)


def drawn_lanes(trace: Trace, most_spans: int) -> tuple[list[Lane], int]:
    """Return the lanes of as many whole blocks as fit, the first always, and the number of cores left out."""
    blocks: dict[int, list[Lane]] = defaultdict(list)
    for lane in trace.lanes:
        blocks[lane.block].append(lane)
    out: list[Lane] = []
    left, cores_left_out = most_spans, 0
    for lanes in blocks.values():
        size = sum(len(lane.spans) + len(lane.waits) for lane in lanes)
        if size > left and out:
            cores_left_out += len({lane.core for lane in lanes})
            continue
        left -= size
        out += [
            lane.model_copy(update={"spans": lane.spans[:most_spans], "waits": lane.waits[:most_spans]})
            for lane in lanes
        ]
    return out, cores_left_out


def run_data(
    trace: Trace, lanes: list[Lane], sources: Mapping[str, str], texts: Texts, duration_us: float
) -> dict[str, Any]:
    """Return what the script draws of one launch: its lanes, arrows between them, and buffers in use."""
    cores = list(dict.fromkeys(lane.core for lane in lanes))
    number = {(lane.core, lane.pipe): i for i, lane in enumerate(lanes)}
    blocks: dict[int, list[int]] = defaultdict(list)
    for core, block in {lane.core: lane.block for lane in lanes}.items():
        blocks[block].append(cores.index(core))
    arrows = [
        [number[a.source], _ns(a.source_us), number[a.target], _ns(a.target_us), a.cause]
        for a in trace.arrows
        if a.source in number and a.target in number
    ]
    return {
        "duration": _ns(duration_us),
        "cuts": [None if cut is None else _ns(cut) for cut in {x.core: x.cut_at_us for x in lanes}.values()],
        "cores": cores,
        "blocks": list(blocks.values()),
        "lanes": [_lane(lane, cores, texts) for lane in lanes],
        "arrows": arrows,
        "memories": trace.memories,
        "buffers": _buffers((b for b in trace.buffers if b.core in set(cores)), cores, sources),
    }


def _lane(lane: Lane, cores: list[str], texts: Texts) -> dict[str, object]:
    return {
        "core": cores.index(lane.core),
        "pipe": lane.pipe,
        "spans": [_span(span, texts) for span in lane.spans],
        "waits": [_span(span, texts) for span in lane.waits],
    }


def _span(span: TraceEvent, texts: Texts) -> list[int]:
    return [
        _ns(span.start_us),
        _ns(span.duration_us),
        texts.number(span.name),
        texts.number(span.where or ""),
        texts.number(span.detail),
    ]


def _buffers(
    buffers: Iterable[LocalBuffer], cores: list[str], sources: Mapping[str, str]
) -> list[dict[str, object]]:
    """Return buffers by core, memory and the InitBuffer that made them: a queue's buffers are one area of the chart."""
    groups: dict[tuple[int, str, str], list[LocalBuffer]] = defaultdict(list)
    for b in buffers:
        groups[cores.index(b.core), b.memory, b.where or ""].append(b)
    return [
        {
            "core": core,
            "memory": memory,
            "name": buffer_name(where or None, sources),
            "count": len(mine),
            "bytes": max(b.size_bytes for b in mine),
            "uses": [[_ns(start), _ns(end), b.size_bytes] for b in mine for start, end in b.uses_us],
        }
        for (core, memory, where), mine in groups.items()
    ]


def buffer_name(where: str | None, sources: Mapping[str, str]) -> str:
    """Name a buffer as the source calls it at the InitBuffer that made it, or by the place of that."""
    if where is None:
        return "tensors by address"
    file, _, line = where.rpartition(":")
    texts = sources.get(file, "").split("\n")
    number = int(line) if line.isdecimal() else 0
    for text in texts[max(0, number - 1) : number + 2] if number else ():  # a call may stand on several lines
        if found := _INIT_BUFFER.search(text):
            return found[1].rpartition(".")[2]
    return where.rpartition("/")[2]


def _ns(us: float) -> int:
    return round(us * 1000)


MAX_SPANS = 40_000  # a page stays below about 6 MB


class DrawnLaunch(Frozen):
    """One launch to draw. `sources`: the project's files by path, for the code beside the costs."""

    title: str
    profile: Profile
    trace: Path | None  # None, or a device's, which says nothing of pipes: no lanes are drawn
    sources: dict[str, str] = Field(default_factory=dict)


class _Run(Frozen):
    title: str
    profile: Profile
    trace: Trace
    lines: tuple[SourceLine, ...]
    cores_left_out: int

    def per_core(self, cycles: float) -> float:
        return cycles / max(1, self.profile.cores)

    @property
    def files_cut(self) -> list[str]:
        return sorted({line.file for line in self.lines if line.line > MOST_LINES})

    def unplaced(self) -> float:
        """Return the busy cycles that stand at no line of the sources, of a core."""
        return self.per_core(sum(line.busy for line in self.lines if not line.file))


def write_page(first: DrawnLaunch, out: Path, against: DrawnLaunch | None = None) -> Path:
    """Render a launch, or two, to `out`; what is left out is said. Raises InputError for a trace that is none."""
    texts, runs, data = Texts(), [], []
    drawn = (first,) if against is None else (first, against)
    for one in drawn:
        predicted = one.profile.time_source == "predicted"
        trace = read_trace(one.trace) if one.trace is not None and predicted else Trace(lanes=())
        lanes, left_out = drawn_lanes(trace, MAX_SPANS // len(drawn))
        data.append(run_data(trace, lanes, one.sources, texts, one.profile.time_us))
        runs.append(
            _Run(
                title=one.title,
                profile=one.profile,
                trace=trace,
                lines=costly_lines(trace.lines, one.sources),
                cores_left_out=left_out,
            )
        )
    folder = files("akgen.tools.timeline")
    env = Environment(undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    env.filters |= {"short": short}
    sides = [
        CostedSources(lines=run.lines, sources=one.sources, cores=run.profile.cores)
        for run, one in zip(runs, drawn, strict=True)
    ]
    whole = listings(sides)
    both = against is not None and first.profile.time_source != against.profile.time_source
    html = env.from_string(folder.joinpath("page.html.j2").read_text()).render(
        runs=runs,
        pipes=_pipes(runs),
        longest_us=max(run.profile.time_us for run in runs) or 1.0,
        hints=change_hints(),
        listings=[(title, with_gaps(rows, compared=len(runs) > 1)) for title, rows in whole],
        most=max((run.per_core(max(x.busy, x.stalled)) for run in runs for x in run.lines), default=0.0)
        or 1.0,
        changes=() if both else changes(sides, whole),  # a device has no costs by line
        prediction=compare(first.profile, against.profile) if both and against is not None else None,
        style=folder.joinpath("page.css").read_text(),
        script=folder.joinpath("page.js").read_text() + folder.joinpath("memory.js").read_text(),
        data=json.dumps({"texts": texts.all, "runs": data}).replace("<", "\\u003c"),
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(html)
    return out


def _pipes(runs: list[_Run]) -> list[tuple[str, list[PipeTime | None]]]:
    """Return pipes that did anything in one of the launches, with their times in each."""
    by = [{p.pipe: p for p in run.profile.pipes if p.instructions or p.busy_us} for run in runs]
    names = list(dict.fromkeys(name for one in by for name in one))
    return [(name, [one.get(name) for one in by]) for name in names]


def short(number: float) -> str:
    """Write a number of cycles in few figures."""
    if abs(number) >= 1e6:
        return f"{number / 1e6:.2f} M"
    if abs(number) >= 1e4:
        return f"{number / 1e3:.1f} k"
    return f"{number:.0f}" if abs(number) >= 10 or number == 0 else f"{number:.1f}"
