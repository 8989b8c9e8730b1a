"""Write a timeline as one self-contained HTML page that opens in any browser."""

import json
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from akgen.knowledge.hints import change_hints
from akgen.tools.core.profile import Profile
from akgen.tools.timeline.trace import TraceEvent, lanes

MAX_SPANS = 40_000  # a page stays below about 6 MB


def write_page(profile: Profile, trace: Path, out: Path, title: str) -> Path:
    """Render `trace` and `profile` to `out`; cores beyond the span limit are left out and counted."""
    shown: list[dict[str, object]] = []
    left = MAX_SPANS
    all_lanes = lanes(trace)
    cores = list(dict.fromkeys(lane.core for lane in all_lanes))
    skipped = 0
    for core in cores:
        mine = [lane for lane in all_lanes if lane.core == core]
        size = sum(len(lane.spans) for lane in mine)
        if size > left and shown:
            skipped += 1
            continue
        left -= size
        shown.append({"core": core, "lanes": [_lane(lane.pipe, lane.spans[:MAX_SPANS]) for lane in mine]})
    template = files("akgen.tools.timeline").joinpath("page.html.j2").read_text()
    env = Environment(undefined=StrictUndefined, autoescape=True)
    html = env.from_string(template).render(
        title=title,
        profile=profile,
        hints=change_hints(),
        skipped=skipped,
        data=json.dumps({"cores": shown}).replace("</", "<\\/"),
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
