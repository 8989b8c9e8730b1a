"""One launch, or two beside each other, as one HTML page that opens in any browser and loads nothing."""

import json
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from pydantic import Field

from akgen.knowledge.hints import change_hints
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.prediction import compare
from akgen.tools.core.profile import PipeTime, Profile
from akgen.tools.timeline.page_data import Texts, drawn_lanes, run_data
from akgen.tools.timeline.source_lines import (
    MOST_LINES,
    CostedSources,
    SourceLine,
    changes,
    costly_lines,
    listings,
    with_gaps,
)
from akgen.tools.timeline.trace import Trace, read_trace

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
