"""Run the compiler on candidate code: it may read the runtime and its own folder, and write that folder only."""

from collections.abc import Sequence
from pathlib import Path

from akgen.tools.core.outcome import Diagnostic, InfraError
from akgen.tools.process.program import Finished, ResourceLimits, run_sandboxed
from akgen.tools.twin.runtime_build import Runtime

COMPILE_LIMITS = ResourceLimits(cpu_s=120, address_bytes=4 << 30, file_bytes=256 << 20, open_files=256)
COMPILE_TIMEOUT_S = 120.0


def compile_in(
    runtime: Runtime,
    arguments: Sequence[str | Path],
    folder: Path,
    read: tuple[Path, ...] = (),
    program: Path | None = None,
) -> Finished:
    """Wait for a slot and run the compiler, or another program of the toolchain, in `folder`.

    Raises InfraError when the compiler itself breaks, not the code.
    """
    with runtime.slots.one():
        finished = run_sandboxed(
            [program or runtime.compiler.path, *arguments],
            sandbox=runtime.sandbox,
            read=(runtime.folder, *read),
            write=(folder,),
            limits=COMPILE_LIMITS,
            cwd=folder,
            timeout_s=COMPILE_TIMEOUT_S,
            env={"PATH": str(runtime.compiler.path.parent) + ":/usr/bin:/bin", "LC_ALL": "C"},
            output_limit_bytes=1 << 20,
        )
    if finished.rc == 1 or finished.ok or finished.timed_out:
        return finished
    if "No space left on device" in finished.err:
        raise InfraError("The disk is full.", "Free space below the cache folder.")
    return finished


def exhausted(finished: Finished, file: str) -> Diagnostic | None:
    """Say that a compile ended at a limit of time or memory, if it did."""
    ran_out = finished.timed_out or finished.signal is not None or "out of memory" in finished.err
    killed = (
        "Killed signal" in finished.err
        or "CPU time limit" in finished.err
        or "internal compiler error" in finished.err
    )
    if not (ran_out or killed):
        return None
    return Diagnostic(
        code="COMPILE_RESOURCES",
        text=f"The compiler was stopped ({finished.ending}): {finished.err.strip()[-200:]}",
        file=file,
        stage="compile",
    )
