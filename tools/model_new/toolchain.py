"""The twin for answers with a class of their own: the class is watched in the sandbox, its kernels run on the values.

What the class computes outside its kernels is a cheat, and could not help it: where it runs, no hidden value is.
"""

import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import akgen
from akgen.knowledge.errors import entry as catalogue_entry
from akgen.tools.binding.build import BuiltBinding
from akgen.tools.core.call import Call
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import AfterCandidate, Diagnostic, InfraError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import AS_USUAL, Build, Launch, RunOptions
from akgen.tools.launched.toolchain import LaunchingTwin
from akgen.tools.model_new.build import BindingRefused, Placed, build, device_of, operator_of, place
from akgen.tools.model_new.device import (
    UNTOUCHED,
    ModelDevice,
    delegated,
    kernels_of,
    operator_calls,
    returned_as_asked,
    untouched,
)
from akgen.tools.model_new.reading import RecordRefused, read_record
from akgen.tools.model_new.steps import CallRecord, RecordingJob, call_key
from akgen.tools.process.program import Finished, ResourceLimits, run_sandboxed
from akgen.tools.twin.sandboxed import SANDBOX_TEXT, stopped_by_sandbox

_KEPT = "model_build.json"
_TIMEOUT_S = 120.0


class _Kept(Frozen):
    """What a later run needs to know of a build."""

    project: KernelProject
    placed: Placed
    binding: BuiltBinding | None
    spec: OpSpec | None
    operator: Build | None
    recorded: dict[str, CallRecord]  # by call_key


class _Stopped(Exception):
    """The answer fails before anything is launched."""

    def __init__(self, outcome: Outcome, found: tuple[Diagnostic, ...]) -> None:
        super().__init__(str(outcome))
        self.outcome, self.diagnostics = outcome, found


class ModelTwin(LaunchingTwin):
    """Builds and runs answers with a class, and hands every other project on."""

    def compile(self, project: KernelProject, calls: Sequence[Call], folder: Path) -> Build:
        """Build operator and binding, watch the class on every call, and build the kernels that it launches."""
        if project.model is None:
            return super().compile(project, calls, folder)
        started = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        kernel_s: float | None = None
        try:
            kept = self._read(project, folder)
            distinct = list({call_key(c): c for c in calls}.values())
            recorded = self._record(kept, distinct, folder / "model")
            for call, one in zip(distinct, recorded, strict=True):
                _see(project, call, one)
            kernel_started = time.monotonic()
            kept = self._built(kept, list(zip(distinct, recorded, strict=True)), folder)
            kernel_s = time.monotonic() - kernel_started
        except _Stopped as stopped:
            return self._failed(folder, stopped.outcome, None, started, stopped.diagnostics, kernel_s)
        (folder / _KEPT).write_text(kept.model_dump_json())
        return Build(
            toolchain=self.version(), outcome=None, op=kept.spec, folder=folder,
            compile_s=time.monotonic() - started, kernel_compile_s=kernel_s,
            diagnostics=tuple(d for one in recorded for d in _unplaced(project, one))[:1],
        )  # fmt: skip

    def run(self, build: Build, call: Call, folder: Path, options: RunOptions = AS_USUAL) -> Launch:
        """Do what the class did for a call of these shapes; a call of others is watched first."""
        path = build.folder / _KEPT
        if not path.is_file():
            return super().run(build, call, folder, options)
        kept = _Kept.model_validate_json(path.read_bytes())
        key = call_key(call)
        recorded = kept.recorded.get(key)
        try:
            if recorded is None:
                recorded = self._record(kept, [call], folder / "model")[0]
                _see(kept.project, call, recorded)
                kept = self._built(kept, [(call, recorded)], folder)
        except _Stopped as stopped:
            return Launch(outcome=stopped.outcome, outputs=(), diagnostics=stopped.diagnostics)
        if options.before is not None and (again := recorded.raised_later) is not None:
            found = _finding(
                again.code, again.text, (kept.project.model or "").partition("::")[0], again.line
            )
            return Launch(outcome=Outcome.TILING_ERROR, outputs=(), diagnostics=(found,))
        device = ModelDevice(self, kept.project, kept.placed, kept.operator)
        with AfterCandidate(bugs=True):
            return device.perform(call, recorded, folder, options)

    def _read(self, project: KernelProject, folder: Path) -> _Kept:
        """Place the files, read the operator's interface, build the binding."""
        placed = place(project, self.settings.cache)
        operator = operator_of(project)
        spec: OpSpec | None = None
        if operator is not None:
            spec, found = self.read_spec(operator, folder / "spec")
            if spec is None:
                raise _Stopped(Outcome.COMPILE_ERROR, found or (_finding("MODEL_CLASS", "It has no OpDef."),))
        try:
            binding = build(placed, self)
        except BindingRefused as refused:
            raise _Stopped(Outcome.COMPILE_ERROR, refused.diagnostics) from refused
        return _Kept(project=project, placed=placed, binding=binding, spec=spec, operator=None, recorded={})

    def _record(self, kept: _Kept, calls: Sequence[Call], out: Path) -> list[CallRecord]:
        """Watch the class on these calls. Raises _Stopped where a record cannot be had."""
        if any(c.model is None for c in calls):
            text = "The reference is made or called with values that no class can be given here."
            raise _Stopped(Outcome.UNSUPPORTED, (_finding("MODEL_CLASS", text),))
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        device, chip = device_of(self)
        job = RecordingJob(
            folder=kept.placed.folder, file=kept.placed.model_file, name=kept.placed.model_class,
            binding=kept.binding, sources=kept.placed.sources, device=device,
            chip_library=chip, chip=self.settings.chip,
            spec=kept.spec, calls=tuple(calls), out=out,
        )  # fmt: skip
        job_file = out / "job.json"
        job_file.write_text(job.model_dump_json())
        done = self._watch(job, job_file)
        if stopped_by_sandbox(done):  # whatever it had written before
            raise _Stopped(*_broken(done, kept, ""))
        found: list[CallRecord] = []
        for i, call in enumerate(calls):
            try:
                with AfterCandidate(bugs=True):
                    found.append(read_record(out / f"{i}.jsonl", out / f"{i}.bin", call))
            except RecordRefused as e:
                raise _Stopped(*_broken(done, kept, str(e))) from e
        return found

    def _watch(self, job: RecordingJob, job_file: Path) -> Finished:
        runtime = self.runtime
        libraries = [job.chip_library.parent, *([job.binding.library.parent] if job.binding else [])]
        limits = ResourceLimits(
            cpu_s=int(_TIMEOUT_S), address_bytes=64 << 30, file_bytes=1 << 30, open_files=512
        )
        done = run_sandboxed(
            [sys.executable, "-m", "akgen.tools.model_new.recording", job_file],
            sandbox=runtime.sandbox,
            read=(*_python(), job.folder, job.device.parent, *libraries, runtime.folder, self.chip_file.parent),
            write=(job.out,),
            limits=limits,
            cwd=job.out,
            timeout_s=_TIMEOUT_S,
            env={
                "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONDONTWRITEBYTECODE": "1",
                "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "AKGEN_SOC": self.settings.chip, **runtime.sandbox_env,
            },
            profile="candidate",
        )  # fmt: skip
        if not done.ok and importlib.util.find_spec("torch") is None:
            raise InfraError(
                "PyTorch is not installed, and answers with a class need it.", "pip install torch"
            )
        return done

    def _built(self, kept: _Kept, done: Sequence[tuple[Call, CallRecord]], folder: Path) -> _Kept:
        """Build every kernel of the records. Raises _Stopped with what does not build."""
        operator = kept.operator
        calls = [c for call, one in done for c in operator_calls(call, one)]
        if calls:
            project = operator_of(kept.project)
            assert project is not None
            operator = super().compile(project, calls, folder / "operator")
            if operator.outcome is not None:
                raise _Stopped(operator.outcome, operator.diagnostics)
        device = ModelDevice(self, kept.project, kept.placed, operator)
        found: dict[Diagnostic, None] = {}
        cheat = False
        for kernel, order, file in dict.fromkeys(w for call, one in done for w in kernels_of(call, one)):
            one_kernel = device.build(kernel, order, file)
            found |= dict.fromkeys(one_kernel.diagnostics)
            cheat = cheat or one_kernel.cheat
        if found:
            raise _Stopped(Outcome.CHEAT if cheat else Outcome.COMPILE_ERROR, tuple(found))
        recorded = {**kept.recorded, **{call_key(call): one for call, one in done}}
        return kept.model_copy(update={"operator": operator, "recorded": recorded})


def _see(project: KernelProject, call: Call, recorded: CallRecord) -> None:
    """Raise _Stopped if the class computed by itself, raised, or returned what no kernel wrote."""
    file = (project.model or "").partition("::")[0]
    computed = recorded.all_computed
    if computed:
        found = tuple(delegated(f"The class runs {one.what}.", file, one.line) for one in computed)
        raise _Stopped(Outcome.CHEAT, found)
    if recorded.raised is not None:
        raised = _finding(recorded.raised.code, recorded.raised.text, file, recorded.raised.line)
        raise _Stopped(Outcome.TILING_ERROR, (*_unplaced(project, recorded), raised))
    wrong = returned_as_asked(call, recorded)
    if wrong is not None:
        raise _Stopped(Outcome.TILING_ERROR, (wrong.model_copy(update={"file": file}),))
    if untouched(call, recorded) is not None:
        raise _Stopped(Outcome.CHEAT, (delegated(UNTOUCHED, file),))


def _unplaced(project: KernelProject, recorded: CallRecord) -> tuple[Diagnostic, ...]:
    if recorded.unplaced is None:
        return ()
    file = (project.model or "").partition("::")[0]
    return (_finding("MODEL_STATE", recorded.unplaced, file, severity="warning"),)


def _broken(done: Finished, kept: _Kept, why: str) -> tuple[Outcome, tuple[Diagnostic, ...]]:
    """Say how a class ended its process."""
    file = kept.placed.model_file
    if stopped_by_sandbox(done):
        return Outcome.CHEAT, (_finding("SANDBOX_SYSCALL", SANDBOX_TEXT, file),)
    said = " | ".join((done.out + "\n" + done.err).strip().splitlines()[-3:])[-300:]
    if done.timed_out:
        return Outcome.TIMEOUT, (
            _finding("HOST_TIMEOUT", f"The class took more than {_TIMEOUT_S:.0f} s.", file),
        )
    text = f"The class ended its process ({done.ending}; {why}){': ' + said if said else ''}."
    return Outcome.TILING_ERROR, (_finding("HOST_CRASH", text, file),)


def _finding(
    code: str,
    text: str,
    file: str | None = None,
    line: int | None = None,
    *,
    severity: Literal["error", "warning"] = "error",
) -> Diagnostic:
    known = catalogue_entry(code)
    return Diagnostic(
        code=code, text=text, file=file, line=line, stage="tiling", severity=severity,
        remedy=known.remedy if known else None,
    )  # fmt: skip


def _python() -> tuple[Path, ...]:
    """Return what this Python is made of: its installation, its packages, and AKGen's own."""
    own = Path(akgen.__file__).resolve().parent
    rooms = [p.resolve() for p in own.iterdir() if p.is_dir()] if own.is_dir() else []
    places = [Path(sys.prefix), Path(sys.base_prefix), *(Path(p) for p in sys.path if p), own, *rooms]
    return tuple(dict.fromkeys(p.resolve() for p in places if p.exists() and p != Path("/")))
