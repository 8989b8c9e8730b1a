"""msSanitizer as an optional gate: the same kernel, compiled with instrumentation, run once under each checking tool.

Source: vendor pages "msSanitizer: Overview" (`mssanitizer --tool=NAME --log-file=FILE -- APPLICATION ...`), "Memory
Check" and "Contention Check" (reports). Times of such a run mean nothing. Not covered: kernels with several threads or
masks, which the tool does not follow.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, get_args

from akgen.tools.cann.build import VENDOR, Builder, PackageBuild, said
from akgen.tools.cann.build_log import SourceNames, origin_of
from akgen.tools.cann.environment import CannSettings, find_program
from akgen.tools.cann.project import Renamed
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InfraError, InputError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.untrusted import FileRefused, read_bytes
from akgen.tools.process.program import Finished

DeviceCheck = Literal["memcheck", "racecheck", "initcheck", "synccheck"]
ORIGIN = "origin.json"  # beside the instrumented package
MOST_REPORTS = 5  # of one check: the others follow from the first
SLOWER = 20  # how many times as long a run may take
MOST_REPORT_BYTES = 16 << 20
_LOG = "mssanitizer.log"
_WITHOUT = "Read the logs beside the run; judge without a device check (AKGEN_NPU_CHECKS, --device-check)."
_HEAD = re.compile(r"^=+ (?:ERROR|WARNING): (?P<text>.+)$")
_MORE = re.compile(r"^=+\s+(?P<text>\S.*)$")
_PLACE = re.compile(r"(?P<file>[\w./+-]+\.(?:cpp|cc|h|hpp|inc|asc)):(?P<line>\d+)")
_UNCHECKED = re.compile(r"no kernel with instrumentation|instrument\w* .*(?:not|no) ", re.IGNORECASE)
# what a report says, and what of our catalogue that is; the last fits every report
_CODES = (
    (r"hazard.* (?:at|in) GM\b", "GM_RACE"),
    (r"hazard", "PIPE_RACE"),
    (r"misaligned", "UB_ALIGNMENT"),
    (r"uninitialized", "UNWRITTEN_DATA"),
    (r"unpaired|redundant .*flag", "FLAG_UNPAIRED"),
    (r"illegal (?:read|write).* on GM\b", "GM_OVERRUN"),
    (r"illegal (?:read|write).* on UB\b", "UB_OVERFLOW"),
    (r"", "DEVICE_EXCEPTION"),
)


class SanitizerReport(Frozen):
    """One report of a tool: its first line, and those below it."""

    head: str
    more: tuple[str, ...]


def checks_named(text: str | None) -> tuple[DeviceCheck, ...]:
    """Read names by commas. Raises InputError for one that msSanitizer does not have."""
    names = [w.strip() for w in (text or "").split(",") if w.strip()]
    known: tuple[DeviceCheck, ...] = get_args(DeviceCheck)
    for name in names:
        if name not in known:
            raise InputError(f"There is no device check {name!r}.", f"Known are {', '.join(known)}.")
    return tuple(k for k in known if k in names)


def instrument(builder: Builder, renamed: Renamed, folder: Path) -> None:
    """Build a kernel for the checks. Raises InfraError if what came of it is not instrumented."""
    folder.mkdir(exist_ok=True)
    made = builder.build([renamed], folder, instrumented=True)
    parts = (p for p in (folder / VENDOR / "op_impl").rglob("*.*") if p.suffix in {".o", ".json"})
    _require_instrumented(made, lambda: any(b"sanitizer" in p.read_bytes() for p in parts))
    (folder / ORIGIN).write_text(renamed.origin.model_dump_json())


def instrument_direct(builder: Builder, project: KernelProject, folder: Path) -> None:
    """Build a direct file's library for the checks. Raises InfraError if what came of it is not instrumented."""
    folder.mkdir(exist_ok=True)
    made = builder.build_direct(project, folder, instrumented=True)
    # the functions by which an instrumented kernel tells the tool what it reads and writes
    _require_instrumented(made, lambda: b"__sanitizer_" in (folder / made.library).read_bytes())
    (folder / ORIGIN).write_text(origin_of({path: path for path in project.files}, {}).model_dump_json())


def _require_instrumented(made: PackageBuild, seen: Callable[[], bool]) -> None:
    if not made.ok:
        raise InfraError(
            f"The kernel compiles, but not with instrumentation: {made.diagnostics[0].text}.", _WITHOUT
        )
    if not seen():
        raise InfraError("The kernel was to be instrumented for msSanitizer, and is not.", _WITHOUT)


def judged(tool: DeviceCheck, done: Finished, folder: Path, left: Path, package: Path) -> list[Diagnostic]:
    """Return what a tool reported, and keep its words in `folder`. `left` is the worker's folder.

    Raises InfraError if the tool failed or followed no kernel: then silence is no proof.
    """
    text = _words(left, f"{done.out}\n{done.err}")
    (folder / "report.txt").write_text(text)
    told = list(reports(text))
    if not told and (not done.ok or _UNCHECKED.search(text) is not None):
        raise InfraError(f"msSanitizer's {tool} did not check the kernel: {said(done)}.", _WITHOUT)
    origin = SourceNames.model_validate_json((package / ORIGIN).read_text())
    return [finding(tool, report, origin) for report in told[:MOST_REPORTS]]


def command(settings: CannSettings, tool: DeviceCheck, application: list[str], folder: Path) -> list[str]:
    """Return the command line; the report lies in `folder`. Raises InfraError without msSanitizer."""
    program = find_program(settings, "mssanitizer")
    if program is None:
        raise InfraError(
            "mssanitizer was not found below CANN's home, and a device check needs it.",
            "It comes with the CANN toolkit; or ask for no device check (AKGEN_NPU_CHECKS, --device-check).",
        )
    return [str(program), f"--tool={tool}", f"--log-file={folder / _LOG}", "--", *application]


def _words(folder: Path, printed: str) -> str:
    """Return what the tool wrote into its log file, with what it printed."""
    try:
        logged = read_bytes(folder / _LOG, most_bytes=MOST_REPORT_BYTES).decode(errors="replace")
    except FileRefused:
        logged = ""
    return logged if next(reports(logged), None) is not None else f"{logged}\n{printed}"


def reports(text: str) -> Iterator[SanitizerReport]:
    """Yield the reports of errors in a tool's words."""
    head = ""
    more: list[str] = []
    for line in text.splitlines():
        if (m := _HEAD.match(line)) is not None:
            if head:
                yield SanitizerReport(head=head, more=tuple(more))
            head, more = m["text"].strip(), []
        elif head and (m := _MORE.match(line)) is not None:
            more.append(m["text"].strip())
    if head:
        yield SanitizerReport(head=head, more=tuple(more))


def finding(tool: DeviceCheck, report: SanitizerReport, origin: SourceNames) -> Diagnostic:
    """Return a report as a diagnostic, at the first line of the candidate's that it names."""
    whole = " ".join((report.head, *report.more))
    code = next(code for pattern, code in _CODES if re.search(pattern, whole))
    places = ((m, origin.place(m["file"])) for m in _PLACE.finditer(whole))
    found, own = next(((m, own) for m, own in places if own is not None), (None, None))
    below = "; ".join(line for line in report.more if not line.startswith("#"))
    return Diagnostic(
        code=code,
        text=origin.told(f"msSanitizer {tool}: {report.head} {below}".strip())[:400],
        file=own,
        line=int(found["line"]) if found is not None else None,
        stage="test",
    )
