"""Whole operators on the twin, with all checks and the timeline, beside PyTorch on one thread; and their memory.

Both times are processor seconds, taken in turn; either side runs one thread at a time. The twin's are those of the
launcher's process from start to end: mapping inputs, running every core, checking, predicting, writing results;
PyTorch's are those of the call alone.
"""

import statistics
import sys
import tempfile
from pathlib import Path

import akgen
from akgen.bench.figure import Figure
from akgen.bench.resolve import resolve_task
from akgen.knowledge.patterns import patterns
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Task
from akgen.tools.core.toolchain import Build, Toolchain
from akgen.tools.judge.judge import Judge
from akgen.tools.process import MINIMAL_ENV, Worker
from akgen.tools.reference.client import ReferenceWorker

ROUNDS = 7
MOST_MB = 300.0  # beyond the tensors
# PyTorch's operator, our expert kernel, rows and columns.
OPERATORS = (("softmax", "row_softmax", (4000, 4096)), ("rms_norm", "row_norm", (1000, 4096)))
_MORE_PARAMS = {"rms_norm": {"eps": 1e-6}}


def measure_operators(toolchain: Toolchain, judge: Judge, reference: ReferenceWorker) -> tuple[Figure, ...]:
    """Time each operator and say how much memory the hungriest took. Raises InfraError if one does not run."""
    figures: list[Figure] = []
    beyond: dict[str, float] = {}
    argv = [sys.executable, "-m", "akgen.tools.reference.yardstick"]
    env = {**MINIMAL_ENV, "PYTHONPATH": str(Path(akgen.__file__).parent.parent), "OMP_NUM_THREADS": "1"}
    with (
        tempfile.TemporaryDirectory(prefix="akgen-speed-") as work,
        Worker(argv, cwd=Path("/"), env=env) as yardstick,
    ):
        for op, name, shape in OPERATORS:
            params = {"shape": list(shape), "dtype": "float32", **_MORE_PARAMS.get(op, {})}
            pattern = next(p for p in patterns() if p.name == name)
            project = KernelProject(op_type=pattern.op_type, kernel=pattern.kernel, files=pattern.files)
            task = resolve_task(pattern.task).model_copy(update={"cases": (Case(id="large", params=params),)})
            folder = Path(work) / op
            build = judge.compile(project, task, folder / "build")
            call = reference.sample(
                task.reference, task.cases[0], 1, "task", inputs=folder / "in", expected=folder / "expected"
            ).call
            ours, theirs = [], []
            for _ in range(ROUNDS):
                seconds, peak = _launch(toolchain, build, call, folder / "run", task)
                ours.append(seconds)
                theirs.append(_torch_s(yardstick, op, shape))
                if peak is not None:
                    beyond[op] = max(beyond.get(op, 0.0), (peak - call.size_bytes) / 1e6)
            figures.append(_ratio(op, shape, ours, theirs))
    if beyond:
        figures.append(_memory(beyond))
    return tuple(figures)


def _launch(
    toolchain: Toolchain, build: Build, call: Call, folder: Path, task: Task
) -> tuple[float, int | None]:
    launch = toolchain.run(build, call, folder)
    if launch.outcome is not None or launch.cpu_s is None:
        raise InfraError(f"The {task.name} kernel ended as {launch.outcome}.", "This is a bug of ours.")
    return launch.cpu_s, launch.peak_bytes


def _torch_s(yardstick: Worker, op: str, shape: tuple[int, int]) -> float:
    return float(yardstick.request({"op": op, "shape": list(shape)}, 120.0)["seconds"])


def _ratio(op: str, shape: tuple[int, int], ours: list[float], theirs: list[float]) -> Figure:
    twin_s, torch_s = statistics.median(ours), statistics.median(theirs)
    return Figure(
        name=f"{op} {shape[0]}x{shape[1]} on the twin / torch",
        value=twin_s / torch_s,
        target=10.0,
        unit="ratio",
        detail=f"our expert kernel, float32, all checks, whole process: median of {ROUNDS}, "
        f"{1000 * twin_s:.0f} ms / {1000 * torch_s:.1f} ms of processor time",
    )


def _memory(beyond: dict[str, float]) -> Figure:
    op, most = max(beyond.items(), key=lambda item: item[1])
    return Figure(
        name="memory of a run beyond its tensors",
        value=max(0.0, most),
        target=MOST_MB,
        unit="MB",
        detail=f"{op}; the launcher's peak",
    )
