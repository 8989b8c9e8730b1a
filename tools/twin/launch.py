"""Launch a built kernel on the twin: write the manifest, run the launcher, read what came out."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from akgen.knowledge.chip import timing
from akgen.knowledge.errors import tolerated
from akgen.tools.core.call import (
    FEW_LAUNCHES,
    SMALL_CALL,
    Argument,
    Call,
    OutputMeta,
    Poison,
    TensorFile,
    TensorMeta,
    argument_bytes,
)
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import AfterCandidate, Diagnostic, InfraError, Outcome
from akgen.tools.core.toolchain import AS_USUAL, Launch, RunOptions
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.program import Finished, run
from akgen.tools.twin.host.host_info import HostOp
from akgen.tools.twin.host.host_run import TilingResult
from akgen.tools.twin.kernel.elf import variables_in
from akgen.tools.twin.kernel.kernel_entry import takes_shape_output
from akgen.tools.twin.report import LaunchReport, candidate_ran, name_lines_in_trace, profile_of, read_report
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import SANDBOX_TEXT, stopped_by_sandbox

BATCH = 1  # TilingContext::SetScheduleMode: all blocks start together
SYSTEM_WORKSPACE_BYTES = 16 << 20
_TIME_IS_UP = 76  # the launcher's status where time ran out and no core was at work
_PRODUCT_RATES = {1: "cube_macs_per_cycle_int8", 2: "cube_macs_per_cycle_fp16", 4: "cube_macs_per_cycle_fp32"}
_SHAPE_WORDS = 9  # per output whose shape the kernel decides: rank and up to eight sizes


class KernelRun(Frozen):
    """Everything that one launch needs. `op` is None for a kernel without an OpDef."""

    library: Path
    symbol: str
    op: HostOp | None
    tiling: TilingResult
    auto_sync: bool
    chip_file: Path
    toolchain: str
    strict: bool = False  # errors for what devices tolerate
    model_error: str | None = None  # of constants that a user fitted


def launch(
    runtime: Runtime,
    what: KernelRun,
    call: Call,
    folder: Path,
    options: RunOptions = AS_USUAL,
    *,
    task: Call | None = None,
) -> Launch:
    """Run one call. Outputs, report and trace lie below `folder`. `task` is what the roofline counts, if not the call.

    The call `before`, of the same form, is run first in the same process, as many `times` as are worth their time; of
    a kernel with variables of its own a large call itself is, where none is given.

    Raises InfraError if the twin itself fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    report, trace_file = folder / "report.jsonl", folder / "trace.json"
    for stale in (report, trace_file):
        stale.unlink(missing_ok=True)
    lines = [
        *_manifest(what, call, folder, options.timeout_s, options.trace, runtime.sealed),
        f"what_if\t{'on' if options.what_if else 'off'}",
        f"must\t{must(task or call)}",
        f"cores\t{'last_first' if options.last_core_first else 'first_first'}",
        *_poisoned(options.poison, folder),
    ]
    before = options.before
    if before is None and runtime.sealed and call.size_bytes > SMALL_CALL and variables_in(what.library):
        before = call  # variables that outlive a launch may not tell of an earlier one
    if before is not None:
        first = folder / "before"
        first.mkdir(exist_ok=True)
        said = [
            *_manifest(what, before, first, options.timeout_s, False, runtime.sealed),
            *_poisoned(options.poison, first),
        ]
        lines.append(f"before\t{_written(said, first)}\t{_as_often(what, before, options.times)}")
    manifest = _written(lines, folder)
    env = {**MINIMAL_ENV, **dict(runtime.launcher_env), **runtime.sandbox_env}
    done = run([runtime.launcher, manifest], cwd=folder, timeout_s=options.timeout_s, env=env)
    with AfterCandidate() if candidate_ran(report) else nullcontext():
        read = read_report(report, what.library, runtime)
        if what.strict:
            read = read._replace(diagnostics=tuple(map(_strictly, read.diagnostics)))
        outcome, findings = _judge(done, read)
        outputs: tuple[TensorFile | tuple[TensorFile, ...], ...] = ()
        if outcome is None:
            outputs = tuple(_output_files(o, folder / f"out_{i}") for i, o in enumerate(call.outputs))
        traced = trace_file if options.trace and trace_file.is_file() else None
        if traced is not None and not name_lines_in_trace(traced, what.library, runtime):
            traced = None
        profile = profile_of(read.launch, what.toolchain, traced) if read.launch and outcome is None else None
        if profile is not None and what.model_error is not None:
            profile = profile.model_copy(update={"model_error": what.model_error})
    return Launch(
        outcome=outcome,
        outputs=outputs,
        diagnostics=findings,
        time_us=profile.time_us if profile else None,
        time_source=profile.time_source if profile else None,
        block_dim=what.tiling.block_dim,
        tiling_key=what.tiling.tiling_key,
        profile=profile,
        operations=read.launch.operations if read.launch else None,
        stored=_stored(what.op, call, read.launch.stored) if read.launch else None,
        library=what.library,
        tiling_data=None if what.tiling.data is None else folder / "tiling.bin",
        wall_s=done.wall_s,
        cpu_s=done.cpu_s,
        peak_bytes=read.peak_bytes,
    )


def _as_often(what: KernelRun, call: Call, times: int) -> int:
    """Return how many launches come before: each number that it can be is as likely where `times` is drawn."""
    variables, workspace = variables_in(what.library), what.tiling.workspace_bytes > SYSTEM_WORKSPACE_BYTES
    few = 1 + (times - 1) % FEW_LAUNCHES
    if call.size_bytes <= SMALL_CALL:
        return times if variables or workspace else few
    return few if variables else 1


def _written(manifest: Sequence[str], folder: Path) -> Path:
    path = folder / "launch.manifest"
    path.write_text("\n".join(manifest) + "\n")
    return path


def _strictly(found: Diagnostic) -> Diagnostic:
    return found.model_copy(update={"severity": "error"}) if found.code in tolerated() else found


def _judge(done: Finished, read: LaunchReport) -> tuple[Outcome | None, tuple[Diagnostic, ...]]:
    found = read.diagnostics
    failed = [d for d in found if d.severity == "error"]
    if any(d.code.startswith("SANDBOX_") for d in failed):
        return Outcome.CHEAT, found
    if stopped_by_sandbox(done):
        return Outcome.CHEAT, (*found, Diagnostic(code="SANDBOX_SYSCALL", text=SANDBOX_TEXT, stage="test"))
    if failed:
        return Outcome.TIMEOUT if failed[0].code == "TIMEOUT" else Outcome.TRAP, found
    if done.timed_out or done.signal in (14, 24) or done.rc == _TIME_IS_UP:  # SIGALRM, SIGXCPU
        text = f"The kernel did not end within {done.wall_s:.0f} s."
        return Outcome.TIMEOUT, (*found, Diagnostic(code="TIMEOUT", text=text, stage="test"))
    if read.ended and done.ok:
        return None, found
    if done.signal == 9:  # nobody but the machine sends that to a process that is locked down
        text = "The launch needs more memory than the machine has."
        return Outcome.TRAP, (*found, Diagnostic(code="LAUNCH_MEMORY", text=text, stage="test"))
    if done.rc == 2 and not read.locked:
        raise InfraError(f"The launcher failed: {done.err.strip()[-400:]}.", "Run `akgen doctor`.")
    said = f": {done.err.strip()[-200:]}" if done.rc == 2 else ""
    text = f"The kernel ended its process ({done.ending}){said}."
    return Outcome.TRAP, (*found, Diagnostic(code="KERNEL_CRASH", text=text, stage="test"))


def _manifest(
    what: KernelRun, call: Call, folder: Path, timeout_s: float, trace: bool, sealed: bool
) -> list[str]:
    tiling = "-"
    if what.tiling.data is not None:
        file = folder / "tiling.bin"
        file.write_bytes(what.tiling.data)
        tiling = str(file)
    hosted = what.op is not None and what.op.has_tiling
    # What a tiling function asked for is what there is; who launches a kernel without one gives it the system's part.
    asked = what.tiling.workspace_bytes
    workspace = asked if hosted else max(asked, SYSTEM_WORKSPACE_BYTES)
    lines = [
        "akgen-twin-launch\t1",
        f"chip\t{what.chip_file}",
        f"kernel\t{what.library}\t{what.symbol}",
        f"block_dim\t{what.tiling.block_dim}",
        f"tiling\t{tiling}",
        f"workspace\t{workspace}",
        f"auto_sync\t{'on' if what.auto_sync else 'off'}",
        f"schedule\t{'batch' if not hosted or what.tiling.schedule_mode == BATCH else 'normal'}",
        f"library_workspace\t{'on' if not hosted or what.tiling.workspace_bytes >= SYSTEM_WORKSPACE_BYTES else 'off'}",
        f"sealed\t{'on' if sealed else 'off'}",
        f"report\t{folder / 'report.jsonl'}",
        f"trace\t{folder / 'trace.json' if trace else '-'}",
        f"cpu_s\t{int(timeout_s) + 1}",
        # A little early, so that the launcher can still say where the kernel was.
        f"wall_ms\t{int(timeout_s * 900)}",
    ]
    op = what.op
    n_in = len(op.inputs) if op else len(call.inputs)
    inputs = [*call.inputs[:n_in], *([None] * (n_in - len(call.inputs)))]
    for i, argument in enumerate(inputs):
        lines += _input(argument, op.inputs[i].name if op else f"input_{i}")
    n_out = len(op.outputs) if op else sum(o.aliases is None for o in call.outputs)
    for i, output in enumerate(call.outputs[:n_out]):
        lines += _output(output, op.outputs[i].name if op else f"output_{i}", folder / f"out_{i}")
    if op is not None and takes_shape_output(op):
        words = _SHAPE_WORDS * len(op.outputs)
        lines.append(f"arg\tout\tshape_out\tint64\t{words}\t{folder / 'shape_out.bin'}")
    for i, output in enumerate(call.outputs[n_out:], start=n_out):
        lines += _saved(output, folder / f"out_{i}")
    return lines


def must(call: Call) -> str:
    """Return what the task must do, whatever the kernel: bytes to read and to write, cycles of its products."""
    written = sum(argument_bytes(o.meta) for o in call.outputs)
    return f"{call.size_bytes - written}\t{written}\t{_multiply_cycles(call):.0f}"


def _multiply_cycles(call: Call) -> float:
    """Return the cycles that the call's products take on one cube core, by the size of their operands."""
    return sum(count / timing()[_PRODUCT_RATES[min(size, 4)]] for size, count in call.products)


def _poisoned(poison: Poison | None, folder: Path) -> list[str]:
    if poison is None:
        return []
    outputs, scratch = folder / "poison_outputs.bin", folder / "poison_scratch.bin"
    outputs.write_bytes(poison.outputs())
    scratch.write_bytes(poison.scratch())
    return [f"poison\t{outputs}\t{scratch}"]


def _input(argument: Argument, name: str) -> list[str]:
    if argument is None:
        return [f"arg\tnone\t{name}"]
    if isinstance(argument, tuple):
        items = [f"item\t{_tensor(a)}\t{_path(a)}" for a in argument]
        return [f"list\tin\t{name}\t{len(items)}", *items]
    return [f"arg\tin\t{name}\t{_tensor(argument)}\t{_path(argument)}"]


def _output(output: OutputMeta, name: str, file: Path) -> list[str]:
    zero = "\tzero" if output.zeroed else ""
    if isinstance(output.meta, tuple):
        files = [f"{file}_{k}.bin" for k in range(len(output.meta))]
        if output.aliases is not None:
            return [f"list\talias\t{name}\t{output.aliases}", *(f"item\t{f}" for f in files)]
        items = [f"item\t{_tensor(m)}\t{f}" for m, f in zip(output.meta, files, strict=True)]
        return [f"list\tout\t{name}\t{len(items)}{zero}", *items]
    if output.aliases is not None:
        return [f"arg\talias\t{name}\t{output.aliases}\t{file}.bin"]
    return [f"arg\tout\t{name}\t{_tensor(output.meta)}\t{file}.bin{zero}"]


def _saved(output: OutputMeta, file: Path) -> list[str]:
    """Name an output that has no parameter of its own: an input that the kernel works on in place."""
    count = len(output.meta) if isinstance(output.meta, tuple) else 1
    files = [f"{file}_{k}.bin" for k in range(count)] if isinstance(output.meta, tuple) else [f"{file}.bin"]
    return [f"save\t{output.aliases}\t{len(files)}", *(f"item\t{f}" for f in files)]


def _output_files(output: OutputMeta, file: Path) -> TensorFile | tuple[TensorFile, ...]:
    if isinstance(output.meta, tuple):
        return tuple(
            TensorFile(dtype=m.dtype, shape=m.shape, path=Path(f"{file}_{k}.bin"))
            for k, m in enumerate(output.meta)
        )
    return TensorFile(dtype=output.meta.dtype, shape=output.meta.shape, path=Path(f"{file}.bin"))


def _stored(op: HostOp | None, call: Call, names: Mapping[str, int] | None) -> tuple[int, ...] | None:
    """Return the bytes stored in each tensor of the outputs, in a row, of these, as the manifest names them."""
    if names is None:
        return None
    found: list[int] = []
    for i, output in enumerate(call.outputs):
        if output.aliases is None:
            name = op.outputs[i].name if op else f"output_{i}"
        else:
            name = op.inputs[output.aliases].name if op else f"input_{output.aliases}"
        listed = isinstance(output.meta, tuple)
        count = len(output.meta) if isinstance(output.meta, tuple) else 1
        found += [names.get(f"{name}[{k}]" if listed else name, 0) for k in range(count)]
    return tuple(found)


def _tensor(meta: TensorMeta) -> str:
    return f"{meta.dtype.value}\t{_shape(meta.shape)}"


def _shape(shape: Sequence[int]) -> str:
    return ",".join(map(str, shape)) or "-"


def _path(tensor: TensorMeta | TensorFile) -> Path:
    if not isinstance(tensor, TensorFile):
        raise ValueError("a call that runs needs tensors in files")
    return tensor.path
