"""Read the launcher's report: findings with file and line, and the launch's profile."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from akgen.knowledge.errors import entry
from akgen.tools.outcome import Diagnostic
from akgen.tools.profile import PipeTime, Profile
from akgen.tools.twin.places import places_of
from akgen.tools.twin.runtime_build import Runtime


class LaunchReport(NamedTuple):
    """`ended` is false if the process died before it could say so."""

    diagnostics: tuple[Diagnostic, ...]
    launch: dict[str, Any] | None
    ended: bool


def read_report(file: Path, library: Path, runtime: Runtime) -> LaunchReport:
    """Read a report as far as it goes; a last line that was cut off is passed over."""
    lines = file.read_text(errors="replace").splitlines() if file.is_file() else []
    objects = [o for o in map(_object, lines) if o is not None]
    raw = [o for o in objects if o.get("kind") == "diagnostic"]
    places = places_of(runtime, library, (int(o.get("so_offset") or 0) - 1 for o in raw))
    launch = next((o for o in objects if o.get("kind") == "launch"), None)
    return LaunchReport(
        diagnostics=tuple(_diagnostic(o, places) for o in raw),
        launch=launch,
        ended=any(o.get("kind") == "end" for o in objects),
    )


def profile_of(launch: dict[str, Any], toolchain: str, trace: Path | None) -> Profile:
    """Turn cycles summed over cores into microseconds per core."""
    clock = float(launch["clock_mhz"])
    cores = max(1, int(launch["cores"]))
    pipes = [
        PipeTime(
            pipe=name,
            busy_us=p["busy"] / clock / cores,
            stalled_us=p["stalled"] / clock / cores,
            idle_us=p["idle"] / clock / cores,
            instructions=int(p["instructions"]),
        )
        for name, p in launch["pipes"].items()
    ]
    return Profile(
        source="predicted",
        toolchain=toolchain,
        duration_us=launch["cycles"] / clock,
        cores=cores,
        gm_read_bytes=int(launch["gm_read_bytes"]),
        gm_write_bytes=int(launch["gm_write_bytes"]),
        pipes=tuple(pipes),
        bound=launch["bound"],
        roofline_share=float(launch["roofline_share"]),
        core_imbalance=float(launch["core_imbalance"]),
        trace=trace,
    )


def name_lines_in_trace(trace: Path, library: Path, runtime: Runtime) -> None:
    """Replace code addresses in a Chrome trace by file:line."""
    document = json.loads(trace.read_text())
    events = document["traceEvents"] if isinstance(document, dict) else document
    holders = [e["args"] for e in events if isinstance(e.get("args"), dict) and e["args"].get("so_offset")]
    places = places_of(runtime, library, (int(a["so_offset"]) - 1 for a in holders))
    for a in holders:
        place = places.get(int(a.pop("so_offset")) - 1)
        if place is not None:
            a["source"] = f"{place[0]}:{place[1]}"
    trace.write_text(json.dumps(document))


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _diagnostic(o: dict[str, Any], places: dict[int, tuple[str, int]]) -> Diagnostic:
    # The runtime reports return addresses: the instruction lies before it.
    place = places.get(int(o.get("so_offset") or 0) - 1)
    known = entry(o["code"])
    count = int(o.get("count") or 1)
    text = o["text"] if count == 1 else f"{o['text']} ({count} times)"
    return Diagnostic(
        code=o["code"],
        text=text,
        file=place[0] if place else None,
        line=place[1] if place else None,
        remedy=known.remedy if known else None,
        severity="warning" if o.get("severity") == "warning" else "error",
        stage="test",
        api=o.get("api") or None,
        core=o.get("core") or None,
    )
