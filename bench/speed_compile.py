"""The time to compile a kernel beside the time to compile a program that only includes <iostream>.

Both are taken in turn, so that a slow or busy machine shifts both, and both are one call of the same compiler from
source to linked file, in the same sandbox, with -pipe and the same linker. The kernel's time holds all that the twin
does for it besides.
"""

import statistics
import tempfile
import time
from pathlib import Path

from akgen.bench.figure import Figure
from akgen.bench.speed_kernels import kernels, never_seen
from akgen.tools.core.outcome import InfraError
from akgen.tools.judge.judge import Judge
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in


def measure_compile(judge: Judge, runtime: Runtime, root: Path | None) -> Figure:
    """Compile each kernel once, on its smallest case. Raises InfraError if none compiles."""
    ours, yardstick = [], []
    for task, project in kernels(root):
        case = min(task.cases, key=lambda c: c.size_bytes or 0)
        with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
            build = judge.compile(never_seen(project), task, Path(work), cases=(case,))
        yardstick.append(_iostream_s(runtime))
        if build.kernel_compile_s is not None and build.outcome is None:
            ours.append(build.kernel_compile_s)
    if not ours:
        raise InfraError("No kernel compiled.", "Run `akgen doctor`.")
    of = "level-1 single-file answers" if root else "kernels of the composer (give --root for the answers)"
    kernel_s, iostream_s = statistics.median(ours), statistics.median(yardstick)
    return Figure(
        name="kernel compile / <iostream> compile",
        value=kernel_s / iostream_s,
        target=0.5,
        unit="ratio",
        detail=f"{len(ours)} {of}: median {1000 * kernel_s:.0f} ms / {1000 * iostream_s:.0f} ms",
    )


def _iostream_s(runtime: Runtime) -> float:
    with tempfile.TemporaryDirectory(prefix="akgen-speed-") as work:
        folder = Path(work)
        (folder / "io.cpp").write_text("#include <iostream>\nint main() {}\n")
        started = time.monotonic()
        done = compile_in(runtime, ["-pipe", *runtime.compiler.linker, "-o", "io", "io.cpp"], folder)
        if not done.ok:
            raise InfraError(f"{runtime.compiler.path} cannot compile a program.", "Run `akgen doctor`.")
        return time.monotonic() - started
