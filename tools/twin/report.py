"""Read the launcher's report: findings with file and line, and the launch's profile.

The launcher shares its process with candidate code, so a line may be anything. What has not the form of a report's
line is passed over, and a report that says twice what is said once was written by somebody else.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError

from akgen.knowledge.calibration import model_error
from akgen.knowledge.errors import entry
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.profile import Bound, Change, Pipe, PipeTime, Prediction, Profile, Waits
from akgen.tools.core.untrusted import (
    MOST_TRACE_BYTES,
    Count,
    FileRefused,
    JsonRefused,
    parse_json,
    parse_object,
    plain_text,
    read_bytes,
)
from akgen.tools.twin.places import places_of
from akgen.tools.twin.runtime_build import Runtime

MOST_REPORT_BYTES = 16 << 20
MOST_FINDINGS = 1000
Cycles = Annotated[float, Field(ge=0, le=1e18, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Text = Annotated[str, Field(max_length=8192)]
Name = Annotated[str, Field(max_length=128)]


class DiagnosticLine(BaseModel):
    """One finding as the launcher writes it. `so_offset` is a return address in the kernel's library."""

    kind: Literal["diagnostic"]
    code: Name
    text: Text
    api: Name | None = None
    severity: Name = "error"
    core: Name | None = None
    so_offset: Count = 0
    count: Count = 1


class WaitedLine(BaseModel):
    data: Cycles
    buffer: Cycles
    issue: Cycles


class PipeLine(BaseModel):
    """Cycles of one pipe, summed over cores."""

    busy: Cycles
    stalled: Cycles
    idle: Cycles
    instructions: Count
    waited: WaitedLine


class PredictionLine(BaseModel):
    """The launch with one thing changed."""

    change: Change
    cycles: Cycles
    cores: int = Field(gt=0, le=1 << 20)
    fits: bool


class LaunchLine(BaseModel):
    """The launch as a whole."""

    kind: Literal["launch"]
    cores: int = Field(gt=0, le=1 << 20)
    at_once: int = Field(gt=0, le=1 << 20)
    cycles: Cycles  # of which start_cycles pass before the cores begin
    start_cycles: Cycles
    cold_cycles: Cycles
    warm_cycles: Cycles | None
    clock_mhz: float = Field(ge=1, le=1e6, allow_inf_nan=False)
    gm_read_bytes: Count
    gm_write_bytes: Count
    operations: Count | None = None
    stored: Annotated[dict[Text, Count], Field(max_length=1 << 16)] | None = None  # bytes by tensor
    pipes: dict[Pipe, PipeLine]
    bound: Bound
    roofline_share: Share
    roofline_cycles: Cycles
    own_share: Share
    core_imbalance: Share
    what_if: list[PredictionLine] = Field(max_length=1000)


class LaunchReport(NamedTuple):
    """`ended` is false if the process died before it could say so, `locked` if candidate code was never reached."""

    diagnostics: tuple[Diagnostic, ...]
    launch: LaunchLine | None
    ended: bool
    locked: bool
    peak_bytes: int | None = None  # most memory of the launcher's process


def printed_in(report: Path) -> tuple[str, ...]:
    """Return what the kernel printed, in order."""
    said = (o.get("text") for o in report_objects(report) if o.get("kind") == "print")
    return tuple(text[:8192] for text in said if isinstance(text, str))[:MOST_FINDINGS]


def read_report(file: Path, library: Path, runtime: Runtime) -> LaunchReport:
    """Read a report as far as it goes; a last line that was cut off is passed over."""
    if file.is_file() and file.stat().st_size > MOST_REPORT_BYTES:
        return LaunchReport(diagnostics=(_FORGED,), launch=None, ended=False, locked=True)
    objects = list(report_objects(file))
    raw = _of(DiagnosticLine, "diagnostic", objects)
    launches = _of(LaunchLine, "launch", objects)
    ends = [o for o in objects if o.get("kind") == "end"]
    peak = ends[0].get("peak_bytes") if len(ends) == 1 else None
    places = places_of(runtime, library, (o.so_offset - 1 for o in raw[:MOST_FINDINGS]))
    # The runtime reports return addresses: the instruction lies before it.
    found = tuple(diagnostic(o, places.get(o.so_offset - 1)) for o in raw[:MOST_FINDINGS])
    malformed = len(raw) + len(launches) < sum(o.get("kind") in ("diagnostic", "launch") for o in objects)
    if malformed or len(launches) > 1 or len(ends) > 1 or len(raw) > MOST_FINDINGS:
        found = (*found, _FORGED)
    return LaunchReport(
        diagnostics=found,
        launch=launches[0] if launches else None,
        ended=bool(ends),
        locked=any(o.get("kind") == "locked" for o in objects),
        peak_bytes=peak if type(peak) is int and 0 < peak < 1 << 63 else None,
    )


_FORGED = Diagnostic(
    code="SANDBOX_REPORT",
    text="The report of the launch holds lines that the launcher did not write.",
    remedy="Write to the outputs only.",
    stage="test",
)


def profile_of(launch: LaunchLine, toolchain: str, trace: Path | None) -> Profile:
    """Turn cycles summed over cores into microseconds per core that the chip runs at the same time."""
    clock, cores = launch.clock_mhz, launch.at_once
    pipes = [
        PipeTime(
            pipe=name,
            busy_us=p.busy / clock / cores,
            stalled_us=p.stalled / clock / cores,
            idle_us=p.idle / clock / cores,
            instructions=p.instructions,
            waits=Waits(
                data_us=p.waited.data / clock / cores,
                buffer_us=p.waited.buffer / clock / cores,
                issue_us=p.waited.issue / clock / cores,
            ),
        )
        for name, p in launch.pipes.items()
    ]
    return Profile(
        time_source="predicted",
        toolchain=toolchain,
        time_us=launch.cycles / clock,
        start_us=launch.start_cycles / clock,
        cores=launch.cores,
        gm_read_bytes=launch.gm_read_bytes,
        gm_write_bytes=launch.gm_write_bytes,
        pipes=tuple(pipes),
        bound=launch.bound,
        roofline_share=launch.roofline_share,
        roofline_us=launch.roofline_cycles / launch.clock_mhz or None,
        own_share=launch.own_share,
        cold_us=launch.cold_cycles / launch.clock_mhz,
        warm_us=None if launch.warm_cycles is None else launch.warm_cycles / launch.clock_mhz,
        core_imbalance=launch.core_imbalance,
        model_error=model_error().sentence,
        trace=trace,
        what_if=_predictions(launch),
    )


def _predictions(launch: LaunchLine) -> tuple[Prediction, ...]:
    if launch.cycles <= 0:
        return ()
    made = (
        Prediction(
            change=p.change,
            duration_us=p.cycles / launch.clock_mhz,
            gain=1.0 - p.cycles / launch.cycles,
            cores=p.cores,
            fits=p.fits,
        )
        for p in launch.what_if
    )
    return tuple(sorted(made, key=lambda p: -p.gain))


def name_lines_in_trace(trace: Path, library: Path, runtime: Runtime) -> bool:
    """Replace code addresses in a Chrome trace by file:line. False if the file is not a trace of the launcher's."""
    try:
        document = parse_json(read_bytes(trace, most_bytes=MOST_TRACE_BYTES), most_bytes=MOST_TRACE_BYTES)
        events = document["traceEvents"] if isinstance(document, dict) else document
        holders = [e["args"] for e in events if isinstance(e.get("args"), dict) and "so_offset" in e["args"]]
        costs = document.get("lines", []) if isinstance(document, dict) else []
        holders += [cost for cost in costs if "so_offset" in cost]
        offsets = [int(a.pop("so_offset")) - 1 for a in holders]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return False
    places = places_of(runtime, library, offsets)
    for a, offset in zip(holders, offsets, strict=True):
        place = places.get(offset)
        if place is not None:
            a["source"] = f"{place[0]}:{place[1]}"
    trace.write_text(json.dumps(document))
    return True


def candidate_ran(report: Path) -> bool:
    """Say whether the launcher got as far as loading candidate code; it says so before it does."""
    if not report.is_file():
        return False
    with report.open("rb") as file:
        return b'{"kind":"locked"}' in file.read(1 << 16)


_Line = TypeVar("_Line", DiagnosticLine, LaunchLine)


def _of(model: type[_Line], kind: str, objects: list[dict[str, Any]]) -> list[_Line]:
    found = []
    for o in objects:
        if o.get("kind") == kind:
            try:
                found.append(model.model_validate(o))
            except ValidationError:
                continue
    return found


def report_objects(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a report's lines; what holds something else is passed over."""
    try:
        text = plain_text(read_bytes(file, most_bytes=MOST_REPORT_BYTES))
    except FileRefused:
        return
    for line in text.split("\n"):
        try:
            yield parse_object(line)
        except JsonRefused:
            continue


def diagnostic(line: DiagnosticLine, place: tuple[str, int] | None) -> Diagnostic:
    """Return what the runtime said as a finding, at its place in the project if that is known."""
    known = entry(line.code)
    return Diagnostic(
        code=line.code,
        text=line.text if line.count == 1 else f"{line.text} ({line.count} times)",
        file=place[0] if place else None,
        line=place[1] if place else None,
        remedy=known.meant(line.text, line.api).remedy if known else None,
        severity="warning" if line.severity == "warning" else "error",
        stage="test",
        api=line.api or None,
        core=line.core or None,
    )
