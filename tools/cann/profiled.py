"""Run a call once more under msprof, and under msprof op for what each core did; a direct file's under that alone."""

from collections.abc import Callable
from pathlib import Path

from akgen.knowledge.chip import chip
from akgen.tools.cann import direct, environment, msprof, msprof_op
from akgen.tools.cann.build import said
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.launcher import START_S, WORKER, Launcher
from akgen.tools.cann.outcome import outcome_of, profiled_otherwise
from akgen.tools.cann.same_outputs import Outputs
from akgen.tools.core.call import Call, Poison
from akgen.tools.core.outcome import Diagnostic, InfraError
from akgen.tools.core.profile import Profile
from akgen.tools.core.toolchain import Build
from akgen.tools.process.program import Finished

LAUNCHES = 20


class Profiler:
    """Profiles calls on one device. `opens` says what is wrong with it."""

    def __init__(
        self, settings: CannSettings, launcher: Launcher, device: int, opens: Callable[[int], str | None]
    ) -> None:
        self._settings = settings
        self._launcher = launcher
        self._device = device
        self._opens = opens

    def profile(
        self, build: Build, call: Call, folder: Path, timeout_s: float, judged: Outputs, poison: Poison | None
    ) -> tuple[Profile, tuple[Diagnostic, ...]]:
        """Return the profile, and what speaks against it: others than our kernel, other outputs than `judged`."""
        assert build.op is not None
        within = folder / "profiled"
        within.mkdir(exist_ok=True)
        application = self._launcher.worker(
            self._device, build, call, within, timeout_s, launches=LAUNCHES, poison=poison
        )
        out = within / WORKER / "msprof"
        argv = environment.msprof(self._settings, application, out)
        done = self._launcher.start(argv, within, build.folder, START_S + 10 * timeout_s)
        if out.is_symlink():
            raise InfraError("msprof's folder was replaced by a link.", "Judge the project on the twin.")
        if not done.ok:
            self._failed_in_profile(done, within / WORKER, timeout_s)
            raise InfraError(f"msprof failed: {said(done)}.", "Check that msprof may use the device.")
        found = msprof.rows(out)
        on = chip(self._settings.soc)
        profile = msprof.profile(found, build.op.op_type, on, build.toolchain, call.moved_bytes)
        otherwise = profiled_otherwise(call, judged, within / WORKER, poison, within)
        timeline = next(iter(sorted(out.rglob("msprof_*.json"))), None)  # a Chrome trace
        against = (*msprof.foreign_tasks(found, build.op.op_type), *filter(None, (otherwise,)))
        return profile.model_copy(update={"trace": timeline}), against

    def launched(
        self, build: Build, call: Call, folder: Path, timeout_s: float, judged: Outputs, poison: Poison | None
    ) -> tuple[Profile, tuple[Diagnostic, ...]]:
        """Return the profile of a direct file's call, and what speaks against it, as `profile` does."""
        within = folder / "profiled"
        within.mkdir(exist_ok=True)
        application = self._launcher.worker(
            self._device, build, call, within, timeout_s, launches=msprof.CALLS, poison=poison
        )
        out = within / WORKER / "msprof_op"
        out.mkdir(mode=0o750)
        argv = environment.msprof_op(self._settings, application, out, msprof.MOST_LAUNCHES)
        done = self._launcher.start(argv, within, build.folder, START_S + 10 * timeout_s)
        if out.is_symlink():
            raise InfraError("msprof op's folder was replaced by a link.", "Judge the project on the twin.")
        if not done.ok:
            self._failed_in_profile(done, within / WORKER, timeout_s)
            raise InfraError(f"msprof op failed: {said(done)}.", "Check that it may use the device.")
        on, kernels = chip(self._settings.soc), direct.kernels_of(build.folder)
        found, foreign = msprof.launched_profile(
            msprof_op.launches(out), kernels, on, build.toolchain, call.moved_bytes
        )
        otherwise = profiled_otherwise(call, judged, within / WORKER, poison, within)
        return found, (*foreign, *filter(None, (otherwise,)))

    def counted(self, profile: Profile, build: Build, call: Call, folder: Path, timeout_s: float) -> Profile:
        """Add what each core did. Why msprof op does not say it is a note: the time is known without it."""
        assert build.op is not None
        within = folder / "counted"
        within.mkdir(exist_ok=True)
        application = self._launcher.worker(
            self._device, build, call, within, timeout_s, launches=msprof_op.LAUNCHES
        )
        out = within / WORKER / "msprof_op"
        out.mkdir(mode=0o750)
        argv = environment.msprof_op(self._settings, application, out, msprof_op.LAUNCHES)
        done = self._launcher.start(argv, within, build.folder, START_S + 10 * timeout_s)
        try:
            if out.is_symlink():
                raise InfraError("its folder was replaced by a link.", "Judge the project on the twin.")
            if not done.ok:
                raise InfraError(f"msprof op failed: {said(done)}.", "Check that it may use the device.")
            return msprof_op.with_cores(profile, msprof_op.launches(out), build.op.op_type)
        except InfraError as problem:
            return profile.model_copy(
                update={"notes": (*profile.notes, f"no counts of cores: {problem.text}")}
            )

    def _failed_in_profile(self, done: Finished, left: Path, timeout_s: float) -> None:
        """Raise what the worker says of its own end under msprof, if it says anything."""
        if not (left / "ended.json").is_file():
            return
        failed = outcome_of(done, left, timeout_s, lambda: self._opens(self._device))
        if failed is not None:
            text = f"The kernel ran, and failed when it was profiled: {failed[1].text}"
            raise InfraError(text, "Run it once more; if it fails again, the device is to be looked at.")
