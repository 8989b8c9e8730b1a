"""CANN and an NPU as a toolchain: build with msopgen and CMake, run through aclnn in a worker, profile with msprof.

The operator package is installed below the build's own folder and its operator type carries the project's
digest, so what runs is what was built: its files are compared with those of the build before each run. Not
covered: projects whose aclnn files are written by hand.
"""

import contextlib
import errno
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from akgen.tools.cann import device_check, direct, environment, npu_smi
from akgen.tools.cann.build import Builder, PackageBuild, check_package
from akgen.tools.cann.confined import Confinement
from akgen.tools.cann.device import DeviceLease, Devices
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.launcher import START_S, WORKER, Launcher
from akgen.tools.cann.machine_lock import lock_of
from akgen.tools.cann.outcome import REPLACED, outcome_of, outputs, timed_otherwise
from akgen.tools.cann.preflight import missing
from akgen.tools.cann.probe import DeviceProbe
from akgen.tools.cann.profiled import Profiler
from akgen.tools.cann.project import check_together, under_name, with_build_hash
from akgen.tools.cann.runtime_errors import DeviceFault
from akgen.tools.cann.sealed import said_once
from akgen.tools.cann.timing import read_series
from akgen.tools.core.call import Call, Poison
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import Diagnostic, InfraError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import AS_USUAL, Build, Launch, Progress, RunOptions, SpecReader

CHECKED = "checked"  # below a build's folder: the instrumented package; below a run's: what the checks said
_MACHINES = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EFBIG, errno.EMFILE,
             errno.ENFILE, errno.ESTALE, errno.ENOTDIR}  # fmt: skip


class CannToolchain:
    """Drive CANN on this machine. `read_spec` reads a project's OpDef (the twin's host reader does).

    `sandbox` returns the built akgen_sandbox, None where there is none.
    """

    def __init__(
        self,
        settings: CannSettings,
        read_spec: SpecReader,
        sandbox: Callable[[], Path | None] = lambda: None,
        side_by_side: int = 2,
    ) -> None:
        self._settings = settings
        self._read_spec = read_spec
        self._sandbox = sandbox
        self._side_by_side = side_by_side
        self._confinement: Confinement | None = None

    @property
    def name(self) -> str:
        return "cann"

    def version(self) -> str:
        home = self._settings.home
        found = environment.cann_version(home) if home and home.is_dir() else None
        return f"cann {found or (home.resolve().name if home else 'not found')} ({self._settings.soc})"

    def prepare(self, progress: Progress) -> None:
        """Check that everything is there; raise InfraError that names the first thing that is not."""
        progress("looking for CANN and an NPU")
        absent = missing(self._settings)
        if absent:
            names, first = ", ".join(f.name for f in absent), absent[0]
            needed = f", needed is {first.needed}" if first.needed else ""
            raise InfraError(
                f"--toolchain cann needs what this machine lacks: {names} (found: {first.detail}{needed}).",
                first.remedy or "Run `akgen doctor --npu`.",
            )

    def sandbox_missing(self) -> tuple[str, ...]:
        """Name what of the sandbox is not in force."""
        return self._confined.missing

    def compile(self, project: KernelProject, calls: Sequence[Call], folder: Path) -> Build:
        """Build the operator package, or a direct file's library: all of their kernels, so `calls` decide nothing."""
        del calls
        with _of_the_machine():
            return self._compile(project, folder)

    def _compile(self, project: KernelProject, folder: Path) -> Build:
        folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        builder = Builder(self._settings, self._confined, self._side_by_side)
        if project.direct_file is not None:
            made = builder.build_direct(project, folder)
            direct.write_kernels(project, folder)
            if made.ok and self._settings.checks:
                device_check.instrument_direct(builder, project, folder / CHECKED)
            return self._build(folder, None, _failed(made), time.monotonic() - started, made.diagnostics)
        spec, diagnostics = self._read_spec(project, folder / "spec")
        if spec is None:
            return self._build(folder, None, Outcome.COMPILE_ERROR, 0.0, diagnostics)
        renamed = with_build_hash(project, spec)
        made = builder.build([renamed], folder)
        if made.ok and self._settings.checks:
            device_check.instrument(builder, renamed, folder / CHECKED)
        return self._build(folder, renamed.spec, _failed(made), time.monotonic() - started, made.diagnostics)

    def package(self, projects: Sequence[KernelProject], folder: Path) -> PackageBuild:
        """Build one package of several operators under their own names, its installer below `folder`/installer.

        Raises InputError for projects that cannot lie together.
        """
        check_together(projects)
        named = []
        with _of_the_machine():
            for number, project in enumerate(projects):
                spec, found = self._read_spec(project, folder / "spec" / str(number))
                if spec is None:
                    return PackageBuild(ok=False, contents={}, diagnostics=found)
                named.append(under_name(project, spec, project.op_type))
            return Builder(self._settings, self._confined, self._side_by_side).build(
                named, folder, installer=True
            )

    def run(self, build: Build, call: Call, folder: Path, options: RunOptions = AS_USUAL) -> Launch:
        """Run one call in a worker process; with `trace`, once more under msprof, with `what_if` under msprof op, too.

        The time of a run without trace is taken by events, that of one with trace is msprof's. A direct file's time is
        that of its whole call by events; its profile is what msprof op says of its kernels, told by their names.
        Every launch has memory of its own, and the device its order of cores: no call comes before.
        """
        assert build.outcome is None, "a build that failed cannot run"
        timeout_s, poison = options.timeout_s, options.poison
        with _of_the_machine(), self._devices.lease() as lease:
            folder.mkdir(parents=True, exist_ok=True)
            check_package(build.folder)
            try:
                by_msprof = options.trace and build.op is not None
                found = self._run_on(lease, build, call, folder, timeout_s, by_msprof, poison)
                if found.outcome is None:
                    wrong = self._checked(lease, build, call, folder, timeout_s)
                    if wrong:
                        return Launch(
                            outcome=Outcome.TRAP, outputs=(), diagnostics=wrong, wall_s=found.wall_s
                        )
                if options.trace and build.op is None and found.outcome is None:
                    return self._with_launches(lease, build, call, folder, timeout_s, found, poison)
                if (
                    options.what_if and found.profile is not None
                ):  # nothing is predicted, but cores are looked at
                    counted = self._profiler(lease).counted(found.profile, build, call, folder, timeout_s)
                    found = found.model_copy(update={"profile": counted})
                return found
            except DeviceFault as fault:
                lease.quarantine(fault.text)
                raise

    def _run_on(
        self,
        lease: DeviceLease,
        build: Build,
        call: Call,
        folder: Path,
        timeout_s: float,
        trace: bool,
        poison: Poison | None,
    ) -> Launch:
        argv = self._launcher.worker(
            lease.number, build, call, folder, timeout_s, timed=not trace, alone=True, poison=poison
        )
        with npu_smi.watched(self._settings, lease.number) as watch:
            done = self._launcher.start(argv, folder, build.folder, timeout_s + START_S)
        left = folder / WORKER
        failed = outcome_of(done, left, timeout_s, lambda: self._probe.opens(lease.number))
        if failed is not None:
            lease.quarantine(failed[1].text)  # what a kernel that failed left behind is not known
            return Launch(outcome=failed[0], outputs=(), diagnostics=(failed[1],), wall_s=done.wall_s)
        found, wrong = outputs(call, left, poison, folder, done.out)
        if wrong is not None:
            outcome = Outcome.CHEAT if wrong.code == REPLACED else Outcome.TRAP
            return Launch(outcome=outcome, outputs=(), diagnostics=(wrong,), wall_s=done.wall_s)
        if not trace:
            try:
                timed = read_series(said_once("times", done.out), done.wall_s)
            except ValueError as problem:
                text = f"the times that the run left are none of ours: {problem}"[:300]
                replaced = Diagnostic(code=REPLACED, text=text, stage="test")
                return Launch(outcome=Outcome.CHEAT, outputs=(), diagnostics=(replaced,), wall_s=done.wall_s)
            otherwise = timed_otherwise(call, found, left, poison, folder, done.out)
            if otherwise is not None:
                outcome = Outcome.CHEAT if otherwise.code == REPLACED else Outcome.TRAP
                return Launch(outcome=outcome, outputs=(), diagnostics=(otherwise,), wall_s=done.wall_s)
            (folder / "timing.json").write_text(timed.model_dump_json())
            return Launch(
                outcome=None, outputs=found, time_us=timed.time_us, time_source="measured", measured_by="events",
                device=watch.state, interval_us=(timed.low_us, timed.high_us),
                wall_s=done.wall_s,
            )  # fmt: skip
        if (npus := npu_smi.ask(self._settings)) is not None:  # temperature and company, beside the times
            (folder / "device.json").write_text(npus.model_dump_json())
        with npu_smi.watched(self._settings, lease.number) as watch:
            measured, against = self._profiler(lease).profile(build, call, folder, timeout_s, found, poison)
        measured = measured.model_copy(update={"device": watch.state})
        return Launch(
            outcome=Outcome.CHEAT if against else None,
            outputs=found,
            diagnostics=against,
            time_us=measured.time_us,
            time_source=measured.time_source,
            measured_by=measured.measured_by,
            device=measured.device,
            block_dim=measured.cores,
            profile=measured,
            wall_s=done.wall_s,
        )

    def _with_launches(
        self,
        lease: DeviceLease,
        build: Build,
        call: Call,
        folder: Path,
        timeout_s: float,
        found: Launch,
        poison: Poison | None,
    ) -> Launch:
        """Profile a direct file's call, too."""
        with npu_smi.watched(self._settings, lease.number) as watch:
            profile, against = self._profiler(lease).launched(
                build, call, folder, timeout_s, found.outputs, poison
            )
        profile = profile.model_copy(update={"device": watch.state})
        return found.model_copy(
            update={
                "outcome": Outcome.CHEAT if against else None,
                "diagnostics": (*found.diagnostics, *against),
                "profile": profile,
                "block_dim": profile.cores,
            }
        )

    def _checked(
        self, lease: DeviceLease, build: Build, call: Call, folder: Path, timeout_s: float
    ) -> tuple[Diagnostic, ...]:
        """Run the instrumented kernel under each check that is asked for; say what they report."""
        found: list[Diagnostic] = []
        for tool in device_check.checks_named(",".join(self._settings.checks)):
            within = folder / CHECKED / tool
            within.mkdir(parents=True, exist_ok=True)
            instrumented = build.model_copy(update={"folder": build.folder / CHECKED})
            check_package(instrumented.folder)
            slowly = device_check.SLOWER * timeout_s
            application = self._launcher.worker(lease.number, instrumented, call, within, slowly)
            argv = device_check.command(self._settings, tool, application, within / WORKER)
            done = self._launcher.start(argv, within, instrumented.folder, START_S + slowly)
            found += device_check.judged(tool, done, within, within / WORKER, instrumented.folder)
        return tuple(found)

    @property
    def _devices(self) -> Devices:
        settings = self._settings
        found = {n: lock_of(settings.nodes, n) for n in settings.devices}
        machine = {n: lock for n, lock in found.items() if lock is not None}
        return Devices(settings.own_folder / "locks", settings.devices, self._probe, machine)

    def _profiler(self, lease: DeviceLease) -> Profiler:
        return Profiler(self._settings, self._launcher, lease.number, self._probe.opens)

    @property
    def _launcher(self) -> Launcher:
        return Launcher(self._settings, self._confined)

    @property
    def _probe(self) -> DeviceProbe:
        return DeviceProbe(self._launcher, self._settings.own_folder / "probes", self.compile)

    @property
    def _confined(self) -> Confinement:
        if self._confinement is None:
            sandbox = self._sandbox() if self._settings.confined else None
            self._confinement = Confinement(self._settings, sandbox)
        return self._confinement

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


@contextlib.contextmanager
def _of_the_machine() -> Iterator[None]:
    """Raise InfraError where this process cannot write or read its own files: a full disk, rights, an old handle."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in _MACHINES:
            raise
        where = problem.filename or "A file of the run"
        raise InfraError(
            f"{where} cannot be used: {problem.strerror}.",
            "Free space, or check the rights of this folder and of AKGEN_CACHE.",
        ) from problem


def _failed(made: PackageBuild) -> Outcome | None:
    if made.ok:
        return None
    tampered = any(d.code == REPLACED for d in made.diagnostics)
    return Outcome.CHEAT if tampered else Outcome.COMPILE_ERROR
