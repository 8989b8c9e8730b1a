"""Tables for people: verdicts, attempts, timelines."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from akgen.knowledge.hints import change_hints
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.plain_text import shown
from akgen.tools.core.prediction import TwinBesideDevice
from akgen.tools.core.profile import Profile, TimeSource
from akgen.tools.core.verdict import CaseVerdict, Verdict

if TYPE_CHECKING:
    from akgen.agents.search.candidates import SearchStep
    from akgen.bench.metrics import GainCalibration
    from akgen.graph.chat.transcript import Session
    from akgen.graph.optimise import Calibration
    from akgen.graph.store.records import Attempt
    from akgen.tools.timeline.source_lines import CostedSources, ListingRow, SourceLine

MOST_LINES = 12  # of a kernel's source, the costliest
MOST_CODE = 52  # characters of a line


def verdict_table(verdict: Verdict, say: Callable[[str], str] = str) -> Table:
    """Return one row per case and the caption that names the toolchain; `say` puts words into a person's language.

    "of allowed" is the largest difference as a share of what its element may differ by.
    """
    device = f", {verdict.device.sentence}" if verdict.device is not None else ""
    table = Table(caption=say(f"judged on {verdict.toolchain}") + device, caption_justify="left")
    for name in ("case", "outcome"):
        table.add_column(say(name))
    for name in (
        "max abs error",
        "max rel error",
        "error bound",
        "of allowed",
        _time_heading(verdict.time_source),
        "roofline",
    ):
        table.add_column(say(name), justify="right")
    table.add_column(say("bound by"))
    for case in verdict.cases:
        table.add_row(*_case_row(case, say))
    return table


def attempts_table(attempts: "Sequence[Attempt]") -> Table:
    """Return one row per attempt of a sample: how it ended and what was decided."""
    table = Table()
    table.add_column("attempt", justify="right")
    table.add_column("outcome")
    table.add_column("then")
    table.add_column("why", overflow="fold")
    for attempt in attempts:
        decision = attempt.decision
        table.add_row(
            str(attempt.number), _outcome(attempt.verdict.outcome), decision.action, Text(decision.why)
        )
    return table


def trials_table(trials: "Sequence[SearchStep]") -> Table:
    """Return one row per hypothesis: what it promised and what it brought (time before over time after)."""
    table = Table()
    table.add_column("round", justify="right")
    table.add_column("hypothesis", overflow="fold")
    source = next((trial.time_source for trial in trials if trial.time_source), None)
    for name in ("predicted gain", "actual gain", _time_heading(source)):
        table.add_column(name, justify="right")
    table.add_column("outcome")
    for trial in trials:
        gain = Text(_number(trial.gain, ".2f"), style="green" if trial.kept else "")
        outcome = Text("kept", style="green") if trial.kept else _outcome(trial.outcome)
        promise = _number(trial.hypothesis.predicted_gain, ".2f")
        table.add_row(
            str(trial.round),
            Text(trial.hypothesis.text),
            promise,
            gain,
            _number(trial.time_us, ".2f"),
            outcome,
        )
    return table


def calibration_table(found: "Sequence[Calibration]") -> Table:
    """Return one row per kind of hypothesis: how often it was right, and how far off its promises were."""
    table = Table(caption="error: the typical factor between promise and result", caption_justify="left")
    table.add_column("kind")
    for name in ("tried", "correct", "kept", "predicted gain", "actual gain", "error"):
        table.add_column(name, justify="right")
    for c in found:
        numbers = (_number(c.predicted, ".2f"), _number(c.actual, ".2f"), _number(c.error, ".2f"))
        table.add_row(c.kind, str(c.tried), str(c.correct), str(c.kept), *numbers)
    return table


def predictions_table(found: "Mapping[str, GainCalibration]") -> Table:
    """Return one row per kind of change that a critic asked for: the share of time that it was to save, and saved."""
    table = Table(caption="shares of the kernel's time; off: by how much, on average", caption_justify="left")
    table.add_column("change")
    for name in ("tried", "broke", "predicted", "saved", "off"):
        table.add_column(name, justify="right")
    for kind, c in found.items():
        numbers = (_number(value, ".1%") for value in (c.predicted, c.actual, c.off))
        table.add_row(kind, str(c.tried), str(c.broke), *numbers)
    return table


def sessions_table(found: "Sequence[Session]") -> Table:
    """Return one row per conversation, as they are given."""
    table = Table()
    for name in ("id", "last said", "model"):
        table.add_column(name, no_wrap=True)
    table.add_column("requests", justify="right")
    table.add_column("began with", overflow="ellipsis", no_wrap=True)
    for session in found:
        table.add_row(
            session.id,
            f"{session.last_at:%Y-%m-%d %H:%M}",
            session.model,
            str(session.requests),
            Text(session.first),
        )
    return table


def profile_lines(profile: Profile) -> list[str]:
    """Say what the timeline of one launch shows."""
    lines = [
        f"{profile.time_text()} on {profile.cores} cores, "
        f"{profile.roofline_share:.0%} of the roofline, bound by {profile.bound}"
    ]
    if profile.start_us:
        lines.append(
            f"{profile.start_us:.1f} us of it pass until the last core begins, which no share counts"
        )
    if profile.model_error:
        lines.append(f"the time model's error: {profile.model_error}")
    if (c := profile.counters) is not None:
        shares = (("second-level cache hits", c.l2_hit_share), ("bank conflicts", c.bank_conflict_share),
                  ("instruction cache misses", c.instruction_cache_miss_share))  # fmt: skip
        said = [f"{name} {share:.0%}" for name, share in shares if share is not None]
        if c.clock_mhz is not None:
            said.append(f"clock {c.clock_mhz:g} of {c.rated_clock_mhz or c.clock_mhz:g} MHz")
        lines.append(f"counted on the device: {', '.join(said)}")
    return [*lines, *profile.notes]


def pipes_table(profile: Profile) -> Table:
    """Return one row per pipe: what share of the time it works, and what it waits for otherwise."""
    table = Table(caption="shares of the kernel's time, over all cores", caption_justify="left")
    table.add_column("pipe")
    for name in ("busy", "stalled", "idle", "waits for data", "for a buffer", "for issue"):
        table.add_column(name, justify="right")
    table.add_column("instructions", justify="right")
    for pipe in profile.pipes:
        whole = pipe.busy_us + pipe.stalled_us + pipe.idle_us or 1.0
        waits = pipe.waits
        times = (pipe.busy_us, pipe.stalled_us, pipe.idle_us)
        causes = (waits.data_us, waits.buffer_us, waits.issue_us) if waits else (None, None, None)
        shares = (_number(t / whole if t is not None else None, ".0%") for t in (*times, *causes))
        table.add_row(pipe.pipe, *shares, str(pipe.instructions))
    return table


def prediction_table(found: TwinBesideDevice) -> Table:
    """Return one row for the launch and each pipe: predicted and measured, each with its share, and the error."""
    table = Table(
        caption=f"predicted by {found.predicted_by}; measured by {found.measured_by}; {found.cache} cache",
        caption_justify="left",
    )
    table.add_column("")
    for name in ("predicted us", "share", "measured us", "share", "error"):
        table.add_column(name, justify="right")
    for t in found.times:
        pairs = ((t.predicted_us, t.predicted_share), (t.measured_us, t.measured_share))
        cells = [text for us, share in pairs for text in (f"{us:.2f}", f"{share:.0%}")]
        table.add_row(t.name, *cells, _number(t.error, "+.1%"))
    return table


def lines_table(lines: "Sequence[SourceLine]", cores: int) -> Table:
    """Return the costliest lines of the sources: what pipes did and waited for there, in cycles of one core."""
    table = Table(caption=f"cycles of pipes by line, mean of {cores} cores", caption_justify="left")
    table.add_column("line", no_wrap=True)
    for name in ("busy", "stalled", "count"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("code")
    for line in lines[:MOST_LINES]:
        table.add_row(
            Text(f"{PurePath(line.file).name}:{line.line}" if line.file else "elsewhere"),
            _cycles(line.busy_cycles, cores),
            _cycles(line.stalled_cycles, cores),
            str(line.instructions),
            Text(shown(line.code.strip(), MOST_CODE)),
        )
    return table


def changed_lines_table(
    changes: "Sequence[tuple[ListingRow, float]]", sides: "Sequence[CostedSources]"
) -> Table:
    """Return the lines whose cost changed most from the first launch to the second, in cycles of one core."""
    table = Table(
        caption="lines that changed most: busy and stalled cycles of a core", caption_justify="left"
    )
    for name in ("A", "B"):
        table.add_column(f"line of {name}", no_wrap=True)
    for name in ("A", "B", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("code")
    for row, by in changes:
        lines = (row.first, row.second)
        line = row.first or row.second
        table.add_row(
            *(Text(f"{PurePath(x.file).name}:{x.line}" if x else "") for x in lines),
            *(f"{side.cost(x):,.0f}" if x else "" for side, x in zip(sides, lines, strict=True)),
            f"{by:+,.0f}",
            Text(shown(line.code.strip(), MOST_CODE) if line else ""),
        )
    return table


def what_if_table(profile: Profile) -> Table:
    """Return one row per change that was simulated, the largest gain first."""
    table = Table(caption="the same instructions simulated again, one thing changed", caption_justify="left")
    table.add_column("if it had")
    for name in (_time_heading("predicted"), "gain"):
        table.add_column(name, justify="right")
    table.add_column("")
    for p in profile.what_if:
        remark = "needs shorter tiles as well: the buffers do not fit" if not p.fits else ""
        cores = f" ({p.cores})" if p.change == "more_cores" else ""
        name = change_hints()[p.change].name + cores
        table.add_row(name, f"{p.duration_us:.3g}", f"{p.gain:+.0%}", remark)
    return table


def _case_row(case: CaseVerdict, say: Callable[[str], str]) -> list[Text | str]:
    profile = case.profile
    return [
        Text(case.id),
        _outcome(case.outcome, say),
        _number(case.max_abs, ".3g"),
        _number(case.max_rel, ".3g"),
        _number(case.max_bound, ".3g"),
        _number(case.max_used, ".1%"),
        _number(case.time_us, ".1f"),
        _number(profile.roofline_share if profile else None, ".0%"),
        say(profile.bound) if profile else "",
    ]


def _time_heading(source: TimeSource | None) -> str:
    return f"{source} us" if source else "time, us"


def _outcome(outcome: Outcome, say: Callable[[str], str] = str) -> Text:
    return Text(say(outcome.value), style="green" if outcome is Outcome.CORRECT else "red")


def _cycles(by_pipe: dict[str, float], cores: int) -> str:
    """Write the cycles of one core, and the pipe that has most of them."""
    most = max(by_pipe, key=by_pipe.__getitem__, default="")
    total = sum(by_pipe.values()) / cores
    return f"{total:,.0f} {most:<4}" if total >= 0.5 else ""


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
