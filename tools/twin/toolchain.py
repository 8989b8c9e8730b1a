"""The twin as a toolchain: host code and kernels compile with the system's C++ compiler and run on simulated cores."""

import os
import secrets
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from akgen.knowledge.chip import chip, constant_lines, launcher_text
from akgen.tools.cache.content import ContentCache
from akgen.tools.cache.eviction import evict_when_due
from akgen.tools.core.call import SMALL_CALL, Call
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import package_version
from akgen.tools.core.toolchain import AS_USUAL, UNSEALED, Build, Launch, Progress, RunOptions
from akgen.tools.twin.host.call_check import Column, ColumnMissing, column_of
from akgen.tools.twin.host.host_build import build_host
from akgen.tools.twin.host.host_info import HostInfo, spec_of
from akgen.tools.twin.host.host_run import HostFailure, TilingResult, tile
from akgen.tools.twin.host.registration import check_host, check_key, check_tiling, unset_fields
from akgen.tools.twin.kernel.kernel_build import BuiltKernel, auto_sync, build_kernel
from akgen.tools.twin.kernel.kernel_entry import check_entry
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.launch import KernelRun, launch
from akgen.tools.twin.lint import beside_entry, lint, tensor_members
from akgen.tools.twin.runtime_build import Runtime, build_runtime
from akgen.tools.twin.sandboxed import sandbox_state
from akgen.tools.twin.settings import TwinSettings

_MOST_CALLS = 8  # of a tiling function before the one that counts
_RECORD = "twin_build.json"


class BuildRecord(Frozen):
    """What a later run needs to know of a build; kept in the build's folder."""

    project: KernelProject
    info: HostInfo | None


class TiledCall(NamedTuple):
    """One call, tiled: which variant of the kernel it takes."""

    tiling: TilingResult
    variant: Variant


class TwinToolchain:
    """Implements akgen.tools.core.toolchain.Toolchain. One object may serve several threads once it is prepared."""

    def __init__(self, settings: TwinSettings) -> None:
        self._settings = settings
        self._chip = chip(settings.chip)
        self._runtime: Runtime | None = None

    @property
    def name(self) -> str:
        return "twin"

    def version(self) -> str:
        fitted = self._settings.fitted
        mode = f", {fitted.name}" if fitted else ""
        mode += ", strict" if self._settings.strict else ""
        return f"twin {package_version('akgen') or '0'} ({self._chip.name}{mode})"

    @property
    def model_error(self) -> str | None:
        """Say how far off constants that a user fitted are; None where the time model's own hold."""
        return self._settings.fitted.sentence if self._settings.fitted else None

    def prepare(self, progress: Progress) -> None:
        """Build the runtime if this machine does not have it yet."""
        self._runtime = build_runtime(self._settings, progress)
        self._write_chip_file()
        self._evict(progress)

    def sandbox_missing(self) -> tuple[str, ...]:
        runtime = self._ready()
        return (*sandbox_state(runtime).refused, *(() if runtime.sealed else (UNSEALED,)))

    def _evict(self, progress: Progress) -> None:
        """Keep the build cache within its limit."""
        limit = self._settings.cache_limit_bytes
        done = evict_when_due(self._settings.cache, limit) if limit is not None else None
        if done is not None:
            progress(
                f"removed {done.removed} old entries ({done.removed_bytes / 1e6:.0f} MB) from the build cache"
            )

    def _write_chip_file(self) -> None:
        """Put the chip's facts where the programs read them; whole at any moment, for others may be reading."""
        path = self._chip_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        # For programs that are built to run on the twin, such as CPU unit tests.
        named = (
            f'#define AKGEN_TWIN_CHIP "{path}"\n'
            'extern "C" { __attribute__((weak)) const char *akgen_twin_chip_file = AKGEN_TWIN_CHIP; }\n'
        )
        for target, text in ((path, self._chip_text()), (path.with_suffix(".h"), named)):
            part = target.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
            part.write_text(text)
            part.replace(target)

    @property
    def settings(self) -> TwinSettings:
        return self._settings

    @property
    def runtime(self) -> Runtime:
        """Return the built runtime, building it first if need be."""
        return self._ready()

    @property
    def chip_file(self) -> Path:
        """Return the file with the chip's facts that the twin's programs read."""
        self._ready()
        return self._chip_file()

    def compile(self, project: KernelProject, calls: Sequence[Call], folder: Path) -> Build:
        """Build host code, tile the calls, and build the kernel for every combination they lead to."""
        started = time.monotonic()
        runtime = self._ready()
        folder.mkdir(parents=True, exist_ok=True)
        host = build_host(project, runtime, self._cache("host"), self._chip_file(), self._settings.jobs)
        spec = spec_of(host.info.op) if host.info is not None and host.info.op is not None else None
        if host.diagnostics:
            return self._failed(folder, Outcome.COMPILE_ERROR, spec, started, host.diagnostics)
        if host.info is not None and (wrong := check_host(project, host.info)):
            return self._failed(folder, Outcome.COMPILE_ERROR, spec, started, wrong)
        entry, wrong = check_entry(project, host.info.op if host.info else None)
        if entry is None:
            also = beside_entry(project, host.info, wrong, runtime, self._cache("kernel"))
            return self._failed(folder, Outcome.COMPILE_ERROR, spec, started, (*wrong, *also))
        record = BuildRecord(project=project, info=host.info)
        variants, refused = self._variants(record, calls, folder / "tiling")
        if refused and not variants:
            return self._failed(folder, Outcome.TILING_ERROR, spec, started, refused)
        kernel_started = time.monotonic()
        built = self._kernels(record, variants)
        kernel_s = time.monotonic() - kernel_started
        if any(b.compiled for b in built):
            self._evict(lambda _: None)
        failed = tuple(d for b in built for d in b.diagnostics)
        if failed:
            outcome = Outcome.CHEAT if any(b.cheat for b in built) else Outcome.COMPILE_ERROR
            return self._failed(folder, outcome, spec, started, tuple(dict.fromkeys(failed)), kernel_s)
        (folder / _RECORD).write_text(record.model_dump_json())
        return Build(
            toolchain=self.version(),
            outcome=None,
            op=spec,
            folder=folder,
            compile_s=time.monotonic() - started,
            kernel_compile_s=kernel_s,
        )

    def run(self, build: Build, call: Call, folder: Path, options: RunOptions = AS_USUAL) -> Launch:
        """Tile and launch one call. A combination of types or a tiling key that is new is built first."""
        runtime = self._ready()
        # A device calls the tiling function for every launch: of large calls one is taken that nobody can count up to.
        drawn = 1 + secrets.randbelow(_MOST_CALLS) if call.size_bytes > SMALL_CALL else 0
        planned = self._planned(
            build, call, folder, calls_before=options.times if options.before is not None else drawn
        )
        if isinstance(planned, Launch):
            return planned
        record, plan, what = planned
        if options.before is not None and options.before.const_values != call.const_values:
            options = replace(options, before=None)  # it would be tiled in another way
        launched = launch(runtime, what, call, folder, options)
        unset = unset_fields(record.project, record.info, plan.tiling.tiling_key)
        kept = tensor_members({p: record.project.files[p] for p in record.project.kernel_files})
        return launched.model_copy(
            update={"diagnostics": (*launched.diagnostics, *unset, *plan.tiling.findings, *kept)}
        )

    def kernel_run(self, build: Build, call: Call, folder: Path) -> KernelRun | Launch:
        """Return what a launch of this call needs, to be launched again and again; a Launch where it fails before."""
        planned = self._planned(build, call, folder)
        return planned if isinstance(planned, Launch) else planned[2]

    def _planned(
        self, build: Build, call: Call, folder: Path, *, calls_before: int = 0
    ) -> tuple[BuildRecord, TiledCall, KernelRun] | Launch:
        record = self._with_host(BuildRecord.model_validate_json((build.folder / _RECORD).read_bytes()))
        try:
            plan = self._plan(record, call, folder, calls_before=calls_before)
        except (ColumnMissing, HostFailure) as e:
            return Launch(outcome=Outcome.TILING_ERROR, outputs=(), diagnostics=(e.diagnostic,))
        built = self._kernels(record, (plan.variant,))[0]
        if built.library is None:
            outcome = Outcome.CHEAT if built.cheat else Outcome.COMPILE_ERROR
            return Launch(outcome=outcome, outputs=(), diagnostics=built.diagnostics)
        return (
            record,
            plan,
            KernelRun(
                library=built.library,
                symbol=built.symbol,
                op=record.info.op if record.info else None,
                tiling=plan.tiling,
                auto_sync=auto_sync(record.project),
                chip_file=self._chip_file(),
                toolchain=self.version(),
                strict=self._settings.strict,
                model_error=self.model_error,
            ),
        )

    def lint(self, project: KernelProject) -> tuple[Diagnostic, ...]:
        """Return what a look at the project without a task finds: registration, entry, compiling."""
        return lint(project, self._ready(), self._settings.cache, self._chip_file(), self._settings.jobs)

    def _with_host(self, record: BuildRecord) -> BuildRecord:
        """Return the record with its host library in place: it may have left the cache since the build."""
        hosts = self._cache("host")
        if record.info is None or hosts.usable(record.info.library.parent.name):
            return record
        host = build_host(record.project, self._ready(), hosts, self._chip_file(), self._settings.jobs)
        return record.model_copy(update={"info": host.info})

    def read_spec(self, project: KernelProject, folder: Path) -> tuple[OpSpec | None, tuple[Diagnostic, ...]]:
        """Read a project's OpDef (a SpecReader); no kernel is built."""
        folder.mkdir(parents=True, exist_ok=True)
        host = build_host(project, self._ready(), self._cache("host"), self._chip_file(), self._settings.jobs)
        if host.info is None or host.info.op is None:
            return None, host.diagnostics or (check_host(project, host.info) if host.info else ())
        return spec_of(host.info.op), ()

    def _variants(
        self, record: BuildRecord, calls: Sequence[Call], folder: Path
    ) -> tuple[tuple[Variant, ...], tuple[Diagnostic, ...]]:
        """Return what the calls need built, and why some cannot be tiled; running such a call says so again."""
        variants: dict[Variant, None] = {}
        refused: dict[Diagnostic, None] = {}
        for i, call in enumerate(dict.fromkeys(calls)):
            try:
                variants[self._plan(record, call, folder / str(i)).variant] = None
            except (ColumnMissing, HostFailure) as e:
                refused[e.diagnostic] = None
        return tuple(variants), tuple(refused)

    def _plan(self, record: BuildRecord, call: Call, folder: Path, *, calls_before: int = 0) -> TiledCall:
        """Pick the column and run the tiling function, after so many calls of it. Raises ColumnMissing, HostFailure."""
        info = record.info
        whole_chip = TilingResult(data=None, block_dim=self._chip.core_aiv, tiling_key=0, workspace_bytes=0)
        if info is None or info.op is None:
            return TiledCall(whole_chip, Variant(None, 0))
        column: Column = column_of(info.op, call)
        if not info.op.has_tiling:
            # Nothing is registered: the kernel carries its numbers itself and runs on every vector core.
            return TiledCall(whole_chip, Variant(column, 0))
        tiling = tile(
            info, info.op, column, call, self._ready(), self._chip_file(), folder, calls_before=calls_before
        )
        check_tiling(record.project, info, tiling)
        check_key(record.project, tiling)
        return TiledCall(tiling, Variant(column, tiling.tiling_key, tiling.template))

    def _kernels(self, record: BuildRecord, variants: Sequence[Variant]) -> list[BuiltKernel]:
        runtime, kernels = self._ready(), self._cache("kernel")

        def one(variant: Variant) -> BuiltKernel:
            return build_kernel(record.project, record.info, variant, runtime, kernels)

        if len(variants) == 1:
            return [one(variants[0])]
        with ThreadPoolExecutor(self._settings.jobs) as pool:
            return list(pool.map(one, variants))

    def _failed(
        self,
        folder: Path,
        outcome: Outcome,
        spec: OpSpec | None,
        started: float,
        found: tuple[Diagnostic, ...],
        kernel_s: float | None = None,
    ) -> Build:
        return Build(
            toolchain=self.version(),
            outcome=outcome,
            op=spec,
            folder=folder,
            compile_s=time.monotonic() - started,
            kernel_compile_s=kernel_s,
            diagnostics=found,
        )

    def _ready(self) -> Runtime:
        if self._runtime is None:
            self.prepare(lambda _: None)
        assert self._runtime is not None
        return self._runtime

    def _cache(self, what: str) -> ContentCache:
        return ContentCache(self._settings.cache / what)

    def _chip_file(self) -> Path:
        assert self._runtime is not None
        kind = "-timed" if self._settings.timed_only else ""
        kind += f"-{self._settings.fitted.name}" if self._settings.fitted else ""
        return self._settings.cache / "chips" / f"{self._chip.name}{kind}-{self._runtime.digest}.txt"

    def _chip_text(self) -> str:
        """Return the chip's facts, with what this twin leaves out."""
        fitted = constant_lines(self._settings.fitted.constants) if self._settings.fitted else ""
        return launcher_text(self._chip) + "timed_only\t1\n" * self._settings.timed_only + fitted
