"""The twin for projects of both forms: those with an OpDef, and single files that launch their kernels themselves.

A host function of the direct form runs for each call in the sandbox, before anything is on the device; what it did is
then done, launch by launch, with each kernel sealed as any other's.
"""

import time
from collections.abc import Sequence
from pathlib import Path

from akgen.tools.core.call import Call
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import AS_USUAL, Build, Launch, RunOptions
from akgen.tools.launched.host import BuiltProgram, build_host
from akgen.tools.launched.memory import Device, plan_launches
from akgen.tools.launched.record import Step, host_head, record, record_calls
from akgen.tools.twin.host.host_run import HostFailure
from akgen.tools.twin.toolchain import TwinToolchain

_PROJECT = "launched_project.json"


class LaunchingTwin(TwinToolchain):
    """Builds and runs the direct form, and hands every other project on."""

    def compile(self, project: KernelProject, calls: Sequence[Call], folder: Path) -> Build:
        """Build the host function, run it for each call, and build the kernels that it launches."""
        if project.direct_file is None:
            return super().compile(project, calls, folder)
        started = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        project.write_to(folder)
        host = build_host(project, self)
        if host.program is None:
            named = tuple(_at(d, project, calls[0]) for d in host.diagnostics)
            return self._stopped(folder, Outcome.COMPILE_ERROR, started, named)
        done: list[tuple[Call, tuple[Step, ...]]] = []
        refused: dict[Diagnostic, None] = {}
        for i, call in enumerate(dict.fromkeys(calls)):
            try:
                done.append((call, record(host.program, call, self, folder / "host" / str(i))))
            except HostFailure as failure:
                refused[_at(failure.diagnostic, project, call)] = None
        if refused and not done:
            wrong_form = any(d.code == "LAUNCH_FUNCTION" for d in refused)
            outcome = Outcome.COMPILE_ERROR if wrong_form else Outcome.TILING_ERROR
            return self._stopped(folder, outcome, started, tuple(refused))
        kernel_started = time.monotonic()
        device = Device(self, project, folder)
        found: dict[Diagnostic, None] = {}
        cheat = False
        for kernel, order in dict.fromkeys(w for call, steps in done for w in plan_launches(call, steps)):
            built = device.build(kernel, order)
            found |= dict.fromkeys(built.diagnostics)
            cheat = cheat or built.cheat
        kernel_s = time.monotonic() - kernel_started
        if found:
            outcome = Outcome.CHEAT if cheat else Outcome.COMPILE_ERROR
            return self._stopped(folder, outcome, started, tuple(found), kernel_s)
        (folder / _PROJECT).write_text(project.model_dump_json())
        return Build(
            toolchain=self.version(),
            outcome=None,
            op=None,
            folder=folder,
            compile_s=time.monotonic() - started,
            kernel_compile_s=kernel_s,
        )

    def run(self, build: Build, call: Call, folder: Path, options: RunOptions = AS_USUAL) -> Launch:
        """Run the host function for this call, and do what it did."""
        kept = build.folder / _PROJECT
        if not kept.is_file():
            return super().run(build, call, folder, options)
        project = KernelProject.model_validate_json(kept.read_bytes())
        host = build_host(project, self)
        if host.program is None:
            return Launch(outcome=Outcome.COMPILE_ERROR, outputs=(), diagnostics=host.diagnostics)
        done_before: list[tuple[Call, Sequence[Step]]] = []
        try:
            if options.before is None:
                steps = record(host.program, call, self, folder / "host")
            else:
                *earlier, steps = record_calls(
                    host.program, call, self, folder / "host", before=options.times
                )
                done_before = [(options.before, done) for done in earlier]
        except HostFailure as failure:
            found = _at(failure.diagnostic, project, call)
            return Launch(outcome=Outcome.TILING_ERROR, outputs=(), diagnostics=(found,))
        device = Device(self, project, build.folder)
        return device.play(call, steps, folder, options, done_before)

    def lint(self, project: KernelProject) -> tuple[Diagnostic, ...]:
        """Return what a look at the project without a task finds; of the direct form, whether its host half builds."""
        if project.direct_file is None:
            return super().lint(project)
        host: BuiltProgram = build_host(project, self)
        return host.diagnostics

    def _stopped(
        self,
        folder: Path,
        outcome: Outcome,
        started: float,
        found: tuple[Diagnostic, ...],
        kernel_s: float | None = None,
    ) -> Build:
        return self._failed(folder, outcome, None, started, found, kernel_s)


def _at(found: Diagnostic, project: KernelProject, call: Call) -> Diagnostic:
    """Name the file, and the head that the host function must have."""
    if found.code == "LAUNCH_FUNCTION":
        found = found.model_copy(update={"remedy": f"Define `{host_head(project.kernel, call)}`."})
    return found.model_copy(update={"file": project.direct_file}) if found.file is None else found
