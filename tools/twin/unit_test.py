"""Build and run an operator's own CPU unit test: a program that includes tikicpulib.h and calls kernels in process.

The program runs in the sandbox: it reads and writes below one folder, and has no network. What the twin's checks find
makes it end with a failure, whatever the test's own comparison says.
"""

import re
import sys
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InputError
from akgen.tools.core.profile import HasTime
from akgen.tools.core.untrusted import Count
from akgen.tools.process.program import Finished, ResourceLimits, run_sandboxed
from akgen.tools.twin.compiler import kernel_flags
from akgen.tools.twin.findings.code import Code
from akgen.tools.twin.findings.diagnostics import explain
from akgen.tools.twin.places import places_of
from akgen.tools.twin.report import DiagnosticLine, LaunchLine, diagnostic, report_objects
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import UsersProgram, compile_program, exhausted
from akgen.tools.twin.unit_headers import UnitHeaders, unit_headers

_PROGRAM = "unit_test"
_MOST_OUTPUT_BYTES = 1 << 22


class UnitTest(UsersProgram):
    """What to build, and what belongs to the test besides."""

    forced: tuple[
        str, ...
    ] = ()  # headers before every source, as `-include`; the build may have to generate them
    op_host: Path | None = None  # what headers are generated from; None: the nearest beside or above a source
    before: Path | None = None  # a Python script that writes inputs and golden outputs
    after: Path | None = None  # a Python script that compares; it fails with a status other than 0


class KernelCall(HasTime):
    """One ICPU_RUN_KF, as it went; without a time if a check ended the launch."""

    kernel: str
    blocks: int
    file: str  # of the call
    line: int
    diagnostics: tuple[Diagnostic, ...]


class KernelLine(BaseModel):
    """What the runtime writes when a test calls a kernel."""

    kind: Literal["kernel"]
    name: str
    blocks: Count
    file: str
    line: Count


_Line = TypeVar("_Line", DiagnosticLine, LaunchLine, KernelLine)


class UnitResult(Frozen):
    """How it went. `passed` needs a build, status 0 and no error of a check."""

    passed: bool
    built: bool
    ending: str  # such as `status 0`
    kernels: tuple[KernelCall, ...]
    diagnostics: tuple[Diagnostic, ...]  # of the build
    output: str
    errors: str


def unit_flags(runtime: Runtime, chip_file: Path) -> tuple[str, ...]:
    """Return the compiler options of a unit test: compile and link in one line, after the sources."""
    return (
        *kernel_flags().unit,
        "-include",
        str(chip_file.with_suffix(".h")),
        f"-I{runtime.device_include}",
        f"-I{runtime.host_include}",
        f"-L{runtime.folder}",
        f"-Wl,-rpath,{runtime.folder}",
        "-lakgen_twin_unit",
        "-lakgen_twin",
        "-lakgen_twin_host",
    )


def run_unit_test(
    test: UnitTest,
    runtime: Runtime,
    chip_file: Path,
    work: Path,
    *,
    hosts: ContentCache | None = None,
    timeout_s: float = 120.0,
) -> UnitResult:
    """Build the test below `work` and run it in its folder. Raises InputError for a source that is not there."""
    for source in (*test.sources, *(s for s in (test.before, test.after) if s)):
        if not source.is_file():
            raise InputError(f"There is no file {source}.", "Name the test's .cpp files, and its scripts.")
    work.mkdir(parents=True, exist_ok=True)
    kept = hosts or ContentCache(work / "hosts")
    given = (test.sources, test.include, test.forced, test.op_host)
    headers = unit_headers(*given, runtime, kept, chip_file, work)
    if headers.diagnostics:
        return _not_built("status 1", headers.diagnostics)
    built = _build(test, headers, runtime, chip_file, work)
    if not built.ok:
        stopped = exhausted(built, test.sources[0].name)
        found = (stopped,) if stopped else explain(built.err, Code(side="host", whole_machine=True))
        return _not_built(built.ending, found, built.out, built.err)
    prepared = _script(test.before, test, runtime, work, timeout_s)
    if prepared is not None and not prepared.ok:
        return _failed_script("before the test", prepared)
    report = work / "report.jsonl"
    report.unlink(missing_ok=True)
    done = run_sandboxed(
        [work / _PROGRAM, *test.arguments],
        sandbox=runtime.sandbox,
        read=(runtime.folder, chip_file.parent, *test.readable, *_PYTHON),
        write=(work, test.folder),
        limits=ResourceLimits(cpu_s=int(timeout_s) * 4, file_bytes=4 << 30, open_files=1024),
        cwd=test.folder,
        timeout_s=timeout_s,
        env={
            **_SCRIPTS_ENV,
            "AKGEN_TWIN_REPORT": str(report),
            # A little early, so that the launch can still say where the kernel was.
            "AKGEN_TWIN_WALL_MS": str(int(timeout_s * 900)),
            **runtime.sandbox_env,
        },
        output_limit_bytes=_MOST_OUTPUT_BYTES,
    )
    kernels = read_kernel_calls(report, work / _PROGRAM, runtime)
    failed = any(d.severity == "error" for k in kernels for d in k.diagnostics)
    compared = _script(test.after, test, runtime, work, timeout_s) if done.ok and not failed else None
    if compared is not None and not compared.ok:
        return _failed_script("after the test", compared).model_copy(update={"kernels": kernels})
    return UnitResult(
        passed=done.ok and not failed,
        built=True,
        ending=done.ending,
        kernels=kernels,
        diagnostics=(),
        output=done.out + (compared.out if compared else ""),
        errors=done.err,
    )


# A test may start Python by itself, too, for the scripts that lie beside it.
_PYTHON = tuple(
    dict.fromkeys(Path(p).resolve() for p in (sys.prefix, sys.base_prefix, *sys.path) if Path(p).is_dir())
)
_SCRIPTS_ENV = {
    "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONPATH": ":".join(p for p in sys.path if p.endswith("site-packages")),
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def _script(
    script: Path | None, test: UnitTest, runtime: Runtime, work: Path, timeout_s: float
) -> Finished | None:
    """Run a script of the test in its folder, as sandboxed as the test; None if there is none."""
    if script is None:
        return None
    return run_sandboxed(
        [sys.executable, script],
        sandbox=runtime.sandbox,
        read=(*test.readable, script.parent, *_PYTHON),
        write=(work, test.folder),
        limits=ResourceLimits(cpu_s=int(timeout_s), file_bytes=4 << 30, open_files=1024),
        cwd=test.folder,
        timeout_s=timeout_s,
        env=_SCRIPTS_ENV,
        output_limit_bytes=_MOST_OUTPUT_BYTES,
    )


def _failed_script(when: str, done: Finished) -> UnitResult:
    return UnitResult(
        passed=False,
        built=True,
        ending=f"the script {when}: {done.ending}",
        kernels=(),
        diagnostics=(),
        output=done.out,
        errors=done.err,
    )


def _not_built(ending: str, found: tuple[Diagnostic, ...], output: str = "", errors: str = "") -> UnitResult:
    return UnitResult(
        passed=False,
        built=False,
        ending=ending,
        kernels=(),
        diagnostics=found,
        output=output,
        errors=errors,
    )


def _build(test: UnitTest, headers: UnitHeaders, runtime: Runtime, chip_file: Path, work: Path) -> Finished:
    flags = unit_flags(runtime, chip_file)
    forced: list[str | Path] = [headers.forced] if headers.forced else []
    forced += test.forced
    before: list[str | Path] = []
    for header in forced:
        before += ["-include", header]
    command = [
        *([f"-I{headers.folder}"] if headers.folder else ()),
        *before,
        *test.sources,
        *(f"-I{folder}" for folder in test.include),
        *flags,
        *test.options,
        *runtime.compiler.linker,
        "-o",
        work / _PROGRAM,
    ]
    read = (chip_file.parent, *([headers.project] if headers.project else ()))
    return compile_program(test, command, runtime, work, read)


def read_kernel_calls(report: Path, program: Path, runtime: Runtime) -> tuple[KernelCall, ...]:
    """Read what the runtime wrote about each launch, with the test's own lines."""
    found: list[KernelCall] = []
    objects = list(report_objects(report))
    raw = [d for o in objects if (d := _as(DiagnosticLine, "diagnostic", o)) is not None]
    places = places_of(runtime, program, (d.so_offset - 1 for d in raw), where=_anywhere(runtime))
    for o in objects:
        if (call := _as(KernelLine, "kernel", o)) is not None:
            found.append(
                KernelCall(
                    kernel=call.name, blocks=call.blocks, file=call.file, line=call.line, diagnostics=()
                )
            )
        elif found and (line := _as(DiagnosticLine, "diagnostic", o)) is not None:
            known = (*found[-1].diagnostics, diagnostic(line, places.get(line.so_offset - 1)))
            found[-1] = found[-1].model_copy(update={"diagnostics": known})
        elif found and (launch := _as(LaunchLine, "launch", o)) is not None:
            found[-1] = found[-1].model_copy(
                update={"time_us": launch.cycles / launch.clock_mhz, "time_source": "predicted"}
            )
    return tuple(found)


def _anywhere(runtime: Runtime) -> re.Pattern[str]:
    """Match any file of a line table but the twin's own headers."""
    return re.compile(rf"^(?!{re.escape(str(runtime.folder))}/)(?!\?\?)([^:]+):(\d+)")


def _as(model: type[_Line], kind: str, o: dict[str, Any]) -> _Line | None:
    """Return a line of the report in this form; None if it is of another kind, or nothing of the runtime's."""
    try:
        return model.model_validate(o) if o.get("kind") == kind else None
    except ValidationError:
        return None
