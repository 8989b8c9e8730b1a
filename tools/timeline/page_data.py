"""What a page draws, in the short form that its script reads: texts once, times in nanoseconds, lanes by number."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from akgen.tools.timeline.trace import Lane, LocalBuffer, Trace, TraceEvent

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
