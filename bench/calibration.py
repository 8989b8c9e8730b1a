"""Compare the twin's time model with published device timings: one small kernel for each, run and predicted.

The kernels lie in a folder beside `runs.csv`, which says how each is compiled, which figure is looked at, and how
many times smaller than the published run it is. What is smaller has a second-level cache that is smaller alike, unless
it repeats what the whole run does at any moment.
"""

import csv
import math
import os
import statistics
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from akgen.knowledge import calibration
from akgen.knowledge.chip import chip, constant_lines, launcher_text
from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import RunOptions
from akgen.tools.twin.host.host_run import TilingResult
from akgen.tools.twin.kernel.kernel_build import BuiltKernel, build_kernel
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.launch import KernelRun, launch
from akgen.tools.twin.runtime_build import Runtime

TARGET = 0.15
WIDEST = 0.25


class CalibrationRun(NamedTuple):
    """How one point is run.

    `metric` is `duration` (of the cores), `task` (with the start of the launch) or a pipe. `times` is published work
    over the kernel's work, `cache_times` the chip's cache over the one that the kernel is given.
    """

    point: str
    kernel: str
    metric: str
    times: float
    cache_times: float
    x_bytes: int
    y_bytes: int
    chip: str
    cache: str
    defines: str


class Residual(NamedTuple):
    """One point: published and predicted, in microseconds of the published run."""

    point: calibration.Point
    predicted_us: float

    @property
    def error(self) -> float:
        """Return predicted / published - 1."""
        return self.predicted_us / self.point.measured_us - 1.0

    @property
    def distance(self) -> float:
        """Return how far off the prediction is, alike for too much and too little: 0.1 is a tenth."""
        return math.exp(abs(math.log(self.predicted_us / self.point.measured_us))) - 1.0


def runs(folder: Path) -> tuple[CalibrationRun, ...]:
    """Read `runs.csv`."""
    with (folder / "runs.csv").open() as file:
        return tuple(
            CalibrationRun(
                point=row["point"],
                kernel=row["kernel"],
                metric=row["metric"],
                times=float(row["times"]),
                cache_times=float(row["cache_times"]),
                x_bytes=int(row["x_bytes"]),
                y_bytes=int(row["y_bytes"]),
                chip=row["chip"],
                cache=row["cache"],
                defines=row["defines"],
            )
            for row in csv.DictReader(file)
        )


class CalibrationRunner:
    """Runs the kernels of a folder. `work` holds inputs, outputs and reports; kernels come from the store."""

    def __init__(self, folder: Path, runtime: Runtime, store: ContentCache, work: Path) -> None:
        self.folder, self.runtime, self.store, self.work = folder, runtime, store, work
        self.runs = runs(folder)

    def compare(
        self, constants: Mapping[str, float] | None = None, only: Iterable[str] | None = None
    ) -> tuple[Residual, ...]:
        """Predict the points (or those in `only`), with other constants of the time model where given."""
        points = calibration.points()
        wanted = set(only) if only is not None else {run.point for run in self.runs}
        runs = [run for run in self.runs if run.point in wanted]
        firsts = {_launch_of(run): run for run in reversed(runs)}  # several points look at one launch
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(
                lambda run: self._profile(run, points[run.point].cores, constants or {}), firsts.values()
            )
            profiles = dict(zip(firsts, found, strict=True))
        return tuple(Residual(points[run.point], _figure(profiles[_launch_of(run)], run)) for run in runs)

    def _profile(self, run: CalibrationRun, cores: int, constants: Mapping[str, float]) -> Profile:
        built = self._build(run)
        if built.library is None:
            raise InfraError(
                f"The calibration kernel {run.point} does not compile: {built.diagnostics[0].text} ",
                "This is a bug of ours.",
            )
        with tempfile.TemporaryDirectory(dir=self.work, prefix=f"{run.point}-") as name:
            work = Path(name)
            (work / "chip.txt").write_text(_chip_text(run, constants))
            with (work / "x.bin").open("wb") as file:
                file.truncate(run.x_bytes)
            what = KernelRun(
                library=built.library,
                symbol=built.symbol,
                op=None,
                tiling=TilingResult(block_dim=cores, tiling_key=0, workspace_bytes=0, data=None),
                auto_sync=True,
                chip_file=work / "chip.txt",
                toolchain="twin",
            )
            x = TensorFile(dtype=DType("uint8"), shape=(run.x_bytes,), path=work / "x.bin")
            y = OutputMeta(meta=TensorMeta(dtype=DType("uint8"), shape=(run.y_bytes,)), zeroed=True)
            done = launch(
                self.runtime, what, Call(inputs=(x,), outputs=(y,)), work, RunOptions(timeout_s=120.0)
            )
        if done.profile is None:
            told = done.diagnostics[0].text if done.diagnostics else str(done.outcome)
            raise InfraError(
                f"The calibration kernel {run.point} does not run: {told}", "This is a bug of ours."
            )
        return done.profile

    def _build(self, run: CalibrationRun) -> BuiltKernel:
        defines = "".join(f"#define {pair.replace('=', ' ', 1)}\n" for pair in run.defines.split())
        text = defines + (self.folder / f"{run.kernel}.cpp").read_text()
        project = KernelProject(op_type="Probe", kernel="probe", files={"op_kernel/probe.cpp": text})
        return build_kernel(project, None, Variant(None, 0), self.runtime, self.store)


def _launch_of(run: CalibrationRun) -> tuple[str, str, str]:
    return run.kernel, run.defines, run.cache


def summary(compared: Iterable[Residual], crossed: calibration.Crossed) -> calibration.ModelError:
    """Condense a comparison, and say beside it what cross-validation found."""
    compared = tuple(compared)
    fit = [c.distance for c in compared]
    return calibration.ModelError(
        points=len(fit),
        within_target=sum(d <= TARGET for d in fit),
        median=round(statistics.median(fit), 4),
        worst=round(max(fit), 4),
        crossed=crossed,
        by_point={c.point.point: round(c.error, 4) for c in compared},
    )


def _figure(profile: Profile, run: CalibrationRun) -> float:
    """Return the published run's figure. The start of a launch is the same for what is scaled down."""
    start_us = profile.start_us or 0.0
    if run.metric in ("duration", "task"):
        cores_us = (profile.time_us - start_us) * run.times
        return cores_us + start_us if run.metric == "task" else cores_us
    return next(pipe.busy_us for pipe in profile.pipes if pipe.pipe == run.metric) * run.times


def _chip_text(run: CalibrationRun, constants: Mapping[str, float]) -> str:
    of = chip(run.chip)
    text = launcher_text(of.model_copy(update={"l2_size": int(of.l2_size / run.cache_times)}))
    # The published kernels set up no TPipe, or look at the clock behind it.
    text += f"tell_warm\t{int(run.cache == 'warm')}\npipe_init_cycles\t0\n"
    return text + constant_lines(constants)
