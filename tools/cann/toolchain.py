"""CANN and an NPU as a toolchain: build with msopgen and CMake, run through aclnn in a worker, profile with msprof.

The operator package is installed below the build's own folder and its operator type carries the project's
digest, so what runs is what was built. Not covered: projects whose aclnn files are written by hand.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from akgen.knowledge.chip import chip
from akgen.tools.cann import environment, msprof, worker
from akgen.tools.cann.environment import CannSettings, missing
from akgen.tools.cann.project import install_sources, interface_json, with_build_hash
from akgen.tools.cann.worker import RunnerRequest
from akgen.tools.core.call import Call, TensorFile, TensorMeta
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import Diagnostic, InfraError, InputError, Outcome
from akgen.tools.core.poison import Poison
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build, Launch, Progress, SpecReader
from akgen.tools.process.program import Finished, run

BUILD_TIMEOUT_S = 1800.0
PROFILED_LAUNCHES = 20


class CannToolchain:
    """Drive CANN on this machine. `read_spec` reads a project's OpDef (the twin's host reader does)."""

    def __init__(self, settings: CannSettings, read_spec: SpecReader) -> None:
        self._settings = settings
        self._read_spec = read_spec

    @property
    def name(self) -> str:
        return "cann"

    def version(self) -> str:
        home = self._settings.home
        return f"cann {home.resolve().name if home else 'not found'} ({self._settings.soc})"

    def prepare(self, progress: Progress) -> None:
        """Check that everything is there; raise InfraError that names the first thing that is not."""
        progress("looking for CANN and an NPU")
        absent = missing(self._settings)
        if absent:
            names = ", ".join(f.name for f in absent)
            raise InfraError(
                f"--toolchain cann needs what this machine lacks: {names}.",
                absent[0].remedy or "Run `akgen doctor`.",
            )

    def sandbox_missing(self) -> tuple[str, ...]:
        """Name nothing: CANN's programs are kept apart by processes alone."""
        return ()

    def compile(self, project: KernelProject, calls: Sequence[Call], folder: Path) -> Build:
        """Build the operator package. CANN compiles every dtype column of the OpDef, so `calls` decide nothing."""
        del calls
        if project.direct_file is not None:
            raise InputError(
                f"{project.direct_file} launches its kernels itself; operator packages are built with an OpDef.",
                "Judge it with --toolchain twin.",
            )
        spec, diagnostics = self._read_spec(project, folder / "spec")
        if spec is None:
            return self._build(folder, None, Outcome.COMPILE_ERROR, 0.0, diagnostics)
        renamed = with_build_hash(project, spec)
        generated, interface = folder / "project", folder / "interface.json"
        folder.mkdir(parents=True, exist_ok=True)
        interface.write_text(interface_json(renamed.spec))
        made = self._run(environment.msopgen(self._settings, interface, generated), folder)
        if not made.ok:
            raise InfraError(f"msopgen failed: {made.err.strip()[-200:]}.", "Check the CANN installation.")
        install_sources(renamed.project, generated)
        built = self._run(environment.build(generated), generated)
        packages = sorted((generated / "build_out").glob("custom_opp_*.run"))
        if not built.ok or not packages:
            found = (first_error(built),)
            return self._build(folder, renamed.spec, Outcome.COMPILE_ERROR, built.wall_s, found)
        installed = self._run(environment.install(packages[0], self._opp(folder)), folder)
        if not installed.ok:
            raise InfraError(
                f"The package did not install: {installed.err.strip()[-200:]}.", "Check disk and rights."
            )
        return self._build(folder, renamed.spec, None, made.wall_s + built.wall_s + installed.wall_s, ())

    def run(
        self,
        build: Build,
        call: Call,
        folder: Path,
        *,
        timeout_s: float = 60.0,
        trace: bool = False,
        what_if: bool = False,
        poison: Poison | None = None,
    ) -> Launch:
        """Run one call in a worker process; with `trace`, once more under msprof (no Chrome trace from msprof)."""
        del what_if  # msprof measures what is, and predicts nothing
        assert build.op is not None, "a build that failed cannot run"
        folder.mkdir(parents=True, exist_ok=True)
        done = self._run(
            self._worker(build, call, folder, 1, poison), folder, timeout_s, self._opp(build.folder)
        )
        if done.timed_out:
            late = Diagnostic(
                code="TIMEOUT", text=f"the run did not end within {timeout_s:g} s", stage="test"
            )
            return Launch(outcome=Outcome.TIMEOUT, outputs=(), diagnostics=(late,), wall_s=done.wall_s)
        if not done.ok:
            outcome, why = worker.classify(done.err)
            return Launch(outcome=outcome, outputs=(), diagnostics=(why,), wall_s=done.wall_s)
        measured, foreign = self._profile(build, call, folder, timeout_s) if trace else (None, ())
        return Launch(
            outcome=Outcome.CHEAT if foreign else None,
            outputs=_outputs(call, folder),
            diagnostics=foreign,
            time_us=measured.time_us if measured else None,
            time_source=measured.time_source if measured else None,
            block_dim=measured.cores if measured else None,
            profile=measured,
            wall_s=done.wall_s,
        )

    def _profile(
        self, build: Build, call: Call, folder: Path, timeout_s: float
    ) -> tuple[Profile, tuple[Diagnostic, ...]]:
        assert build.op is not None
        out = folder / "msprof"
        application = self._worker(build, call, folder, PROFILED_LAUNCHES)
        done = self._run(
            environment.msprof(self._settings, application, out),
            folder,
            10 * timeout_s,
            self._opp(build.folder),
        )
        if not done.ok:
            raise InfraError(
                f"msprof failed: {done.err.strip()[-200:]}.", "Check that msprof may use the device."
            )
        found = msprof.rows(out)
        moved = (_bytes(call.inputs), _bytes(tuple(o.meta for o in call.outputs)))
        profile = msprof.profile(found, build.op.op_type, chip(self._settings.soc), self.version(), moved)
        return profile, msprof.foreign_tasks(found, build.op.op_type)

    def _worker(
        self, build: Build, call: Call, folder: Path, launches: int, poison: Poison | None = None
    ) -> list[str]:
        assert build.op is not None
        request = RunnerRequest(
            call=call,
            spec=build.op,
            vendor=self._opp(build.folder) / "vendors/customize",
            folder=folder,
            device=self._settings.device,
            launches=launches,
            poison=poison,
        )
        path = folder / f"request{launches}.json"
        path.write_text(request.model_dump_json())
        return [sys.executable, "-m", "akgen.tools.cann.worker", str(path)]

    def _run(
        self, argv: list[str], cwd: Path, timeout_s: float = BUILD_TIMEOUT_S, opp: Path | None = None
    ) -> Finished:
        env = environment.run_environment(self._settings, opp or cwd)
        return run(argv, cwd=cwd, timeout_s=timeout_s, env=env)

    def _build(
        self,
        folder: Path,
        op: OpSpec | None,
        outcome: Outcome | None,
        seconds: float,
        found: tuple[Diagnostic, ...],
    ) -> Build:
        return Build(
            toolchain=self.version(),
            outcome=outcome,
            op=op,
            folder=folder,
            compile_s=seconds,
            diagnostics=found,
        )

    @staticmethod
    def _opp(folder: Path) -> Path:
        return folder / "opp"


def first_error(done: Finished) -> Diagnostic:
    """Take the first compiler error out of a build log; CMake's own lines come after it."""
    lines = (done.out + "\n" + done.err).splitlines()
    hit = next((line for line in lines if ": error: " in line or ": fatal error: " in line), None)
    if hit is None:
        text = next((line for line in reversed(lines) if line.strip()), "the build left no package")
        return Diagnostic(code="BUILD_FAILED", text=text.strip()[:300], stage="compile")
    where, _, text = hit.partition(": error: ")
    parts = where.split(":")
    line = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else None
    return Diagnostic(
        code="BUILD_FAILED",
        text=text.strip() or hit.strip(),
        file=Path(parts[0]).name,
        line=line,
        stage="compile",
    )


def _bytes(metas: Sequence[TensorMeta | tuple[TensorMeta, ...] | None]) -> int:
    flat = [m for meta in metas if meta is not None for m in (meta if isinstance(meta, tuple) else (meta,))]
    return sum(m.size_bytes for m in flat)


def _outputs(call: Call, folder: Path) -> tuple[TensorFile | tuple[TensorFile, ...], ...]:
    def file(meta: TensorMeta, name: str) -> TensorFile:
        return TensorFile(dtype=meta.dtype, shape=meta.shape, path=folder / name)

    return tuple(
        tuple(file(m, f"out{i}_{j}.bin") for j, m in enumerate(out.meta))
        if isinstance(out.meta, tuple)
        else file(out.meta, f"out{i}.bin")
        for i, out in enumerate(call.outputs)
    )
