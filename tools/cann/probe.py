"""Probe a device: open it, copy to it and back, and run a kernel that is known to be right."""

from collections.abc import Callable, Sequence
from pathlib import Path

from akgen.tools.cann import trial
from akgen.tools.cann.build import package_of, said
from akgen.tools.cann.launcher import START_S, WORKER, Launcher, emptied, worker_command
from akgen.tools.cann.outcome import outcome_of, outputs, stage_reached
from akgen.tools.cann.worker import RunnerRequest
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build

_KERNEL_S = 60.0

Compile = Callable[[KernelProject, Sequence[Call], Path], Build]


class DeviceProbe:
    """Says what is wrong with a device. `folder` is for its files, `compile_` builds the known-good kernel."""

    def __init__(self, launcher: Launcher, folder: Path, compile_: Compile) -> None:
        self._launcher = launcher
        self._folder = folder
        self._compile = compile_

    def __call__(self, number: int) -> str | None:
        """Copy to a device and back, then run a kernel that is known to be right; say what is wrong."""
        return self.opens(number) or self._known_good(number)

    def opens(self, number: int) -> str | None:
        """Open a device and copy to it and back; say what is wrong."""
        return opened(self._launcher, self._folder / str(number), number)

    def _known_good(self, number: int) -> str | None:
        """Run the known-good kernel on a device. Where it cannot be built, that is no fault of the device."""
        folder = self._folder / str(number) / "kernel"
        folder.mkdir(parents=True, exist_ok=True)
        call = trial.call_of(folder)
        try:
            build = self._compile(trial.known_good(), [call], folder.parent / "build")
        except InfraError:
            return None
        if build.outcome is not None:
            return None
        left = emptied(folder / WORKER)
        library = build.folder / package_of(build.folder).library
        request = RunnerRequest(
            call=call,
            spec=build.op,
            library=library,
            package=build.folder,
            folder=left,
            device=number,
            timeout_s=_KERNEL_S,
        )
        done = self._launcher.start(
            worker_command(request, folder), folder, build.folder, START_S + _KERNEL_S
        )
        try:
            failed = outcome_of(done, left, _KERNEL_S, lambda: self.opens(number))
        except InfraError as problem:
            return problem.text
        if failed is not None:  # what host code does before the launch is no fault of the device
            return failed[1].text if stage_reached(left) in ("launch", "wait") else None
        found, wrong = outputs(call, left, None, folder, done.out)
        if wrong is not None:
            return wrong.text
        return (
            None
            if trial.is_right(call, found)
            else "a kernel that is known to be right computes something else"
        )


def opened(launcher: Launcher, folder: Path, number: int) -> str | None:
    """Open a device in a process of its own, copy to it and back; say what is wrong. Its files are in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    left = emptied(folder / WORKER)
    request = RunnerRequest(call=None, spec=None, library=None, folder=left, device=number)
    done = launcher.start(worker_command(request, folder), folder, None, START_S)
    if done.ok and stage_reached(left) == "done":
        return None
    told = left / "ended.json"
    return told.read_text()[:300] if told.is_file() else said(done)
