"""What a host function does with the device: memory, contents, launches, in order. It is a candidate's word.

The host function runs in the sandbox, for shapes, types and attributes alone, and `src/record.cpp` writes the lines.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from akgen.knowledge.errors import entry as catalogue_entry
from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import AfterCandidate, Diagnostic, InfraError
from akgen.tools.core.untrusted import FileRefused, plain_text, read_bytes
from akgen.tools.process.disk import takes_files
from akgen.tools.process.program import Finished, ResourceLimits, run_sandboxed
from akgen.tools.twin.host.host_run import HostFailure
from akgen.tools.twin.sandboxed import SANDBOX_TEXT, stopped_by_sandbox
from akgen.tools.twin.toolchain import TwinToolchain

MOST_MEMORY_BYTES = 4 << 30  # of temporary memory
MOST_LAUNCHES = 64
_MOST_RECORD_BYTES = 8 << 20  # of each call
_TIMEOUT_S = 20.0
_ADDRESS_BYTES = 36 << 30  # 32 GB stand for the device's memory and are never there
_NO_RUN = 70  # status of a program that could not begin
_SAID = 300  # characters of what a host function printed
_FORGED = "The record of the host function holds lines that its runtime did not write."

_Offset = Annotated[int, Field(ge=0, le=1 << 40)]
_Number = Annotated[int, Field(ge=0, le=1 << 16)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Allocation(_Line):
    """One more memory of the device; the tensors of the call are the first ones."""

    kind: Literal["allocate"]
    bytes: Annotated[int, Field(gt=0, le=MOST_MEMORY_BYTES)]


class HandedOver(_Line):
    """Bytes that the host hands over."""

    kind: Literal["copy"]
    memory: _Number
    offset: _Offset
    bytes: Annotated[str, Field(max_length=4 << 20, pattern=r"^(?:[0-9a-f]{2})*$")]


class MemorySet(_Line):
    """Set `count` bytes to one value."""

    kind: Literal["fill"]
    memory: _Number
    offset: _Offset
    value: Annotated[int, Field(ge=0, le=255)]
    count: Annotated[int, Field(ge=0, le=MOST_MEMORY_BYTES)]


class KernelLaunch(_Line):
    """One launch; its arguments as `direct_launch.h` packs them, addresses by their place in `memory`."""

    kind: Literal["launch"]
    kernel: Annotated[
        str, Field(max_length=500, pattern=r"^[A-Za-z0-9_:<>,() *&-]+$")
    ]  # a name of C++, and no other text
    line: Annotated[int, Field(ge=0, le=1 << 31)]
    blocks: Annotated[int, Field(ge=0, le=1 << 32)]
    blob: Annotated[str, Field(max_length=1 << 17, pattern=r"^(?:[0-9a-f]{2})*$")]
    memory: Annotated[tuple[_Number, ...], Field(max_length=256)]
    file: Annotated[str | None, Field(max_length=1000)] = (
        None  # that holds the launch, where there are several
    )


class HostRefused(_Line):
    """Why the host function was stopped."""

    kind: Literal["refused"]
    code: Literal["LAUNCH_FUNCTION", "HOST_MEMORY"]
    text: Annotated[str, Field(max_length=1000)]


class FurtherCall(_Line):
    """The host function returned, and is called once more, on further tensors."""

    kind: Literal["next"]


class End(_Line):
    """The host function returned."""

    kind: Literal["end"]


Step = Allocation | HandedOver | MemorySet | KernelLaunch
_STEP: TypeAdapter[Step | HostRefused | FurtherCall | End] = TypeAdapter(
    Annotated[Step | HostRefused | FurtherCall | End, Field(discriminator="kind")]
)


def record(program: Path, call: Call, twin: TwinToolchain, folder: Path) -> tuple[Step, ...]:
    """Run a built host function for a call and return what it did. Raises HostFailure, InfraError."""
    return _record(program, call, twin, folder, 0)[0]


def record_calls(
    program: Path, call: Call, twin: TwinToolchain, folder: Path, *, before: int
) -> tuple[tuple[Step, ...], ...]:
    """Run it for as many calls of these shapes `before` a last one in one process; return what it did for each.

    They end with the first that does otherwise than the second one, for what follows cannot undo it, or with the
    second if all do the same. A call's tensors are numbered after all memory of those before.

    Raises HostFailure, InfraError.
    """
    calls = _record(program, call, twin, folder, before)
    alike = [_numbered_by_itself(calls, n, _memories_of_call(call)) for n in range(len(calls))]
    other = next((n for n in range(2, len(calls)) if alike[n] != alike[1]), 1)
    return calls[: other + 1]


def _memories_of_call(call: Call) -> int:
    return sum(len(flat(value)) for value in (*call.inputs, *_own(call)))


def _numbered_by_itself(calls: Sequence[tuple[Step, ...]], n: int, tensors: int) -> list[Step]:
    """Return the steps of the n-th call with its own memory counted from -1 down, as every other call's is."""
    start = sum(tensors + sum(isinstance(s, Allocation) for s in steps) for steps in calls[:n])

    def own(memory: int) -> int:
        return memory if memory < start else start - memory - 1

    found: list[Step] = []
    for step in calls[n]:
        if isinstance(step, KernelLaunch):
            step = step.model_copy(update={"memory": tuple(map(own, step.memory))})
        elif isinstance(step, HandedOver | MemorySet):
            step = step.model_copy(update={"memory": own(step.memory)})
        found.append(step)
    return found


def _record(
    program: Path, call: Call, twin: TwinToolchain, folder: Path, more: int
) -> tuple[tuple[Step, ...], ...]:
    folder.mkdir(parents=True, exist_ok=True)
    arguments, steps = folder / "arguments.txt", folder / "record.jsonl"
    arguments.write_text("".join(f"{line}\n" for line in argument_lines(call)))
    steps.unlink(missing_ok=True)
    runtime = twin.runtime
    done = run_sandboxed(
        [program, arguments, steps, *([str(more)] if more else [])],
        sandbox=runtime.sandbox,
        read=(runtime.folder, twin.chip_file.parent, program.parent),
        write=(folder,),
        limits=ResourceLimits(
            cpu_s=int(_TIMEOUT_S),
            address_bytes=_ADDRESS_BYTES,
            file_bytes=_MOST_RECORD_BYTES * (1 + more),
            open_files=64,
        ),
        cwd=folder,
        timeout_s=_TIMEOUT_S,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "AKGEN_SOC": twin.settings.chip, **runtime.sandbox_env},
        profile="candidate-host",
    )
    if done.rc == _NO_RUN and not takes_files(folder):
        raise InfraError(f"The host function cannot be run: {done.err.strip()[-200:]}", "Run `akgen doctor`.")
    with AfterCandidate():
        return _checked(_read(done, steps, calls=1 + more), call)


def _read(done: Finished, file: Path, *, calls: int) -> list[tuple[Step, ...]]:
    """Return the steps of each call."""
    if stopped_by_sandbox(done):
        raise HostFailure(_finding("SANDBOX_SYSCALL", SANDBOX_TEXT))
    if done.timed_out:
        raise HostFailure(
            _finding("HOST_TIMEOUT", f"The host function did not end within {_TIMEOUT_S:.0f} s.")
        )
    try:
        lines = plain_text(read_bytes(file, most_bytes=_MOST_RECORD_BYTES * calls)).splitlines()
        told = [_STEP.validate_json(line) for line in lines]
    except (FileRefused, ValidationError, ValueError):
        told = []
    last = told[-1] if told else None
    if isinstance(last, HostRefused):
        raise HostFailure(_finding(last.code, last.text))
    if not isinstance(last, End) or not done.ok:
        said = " | ".join((done.out + "\n" + done.err).strip().splitlines()[-3:])[-_SAID:]
        text = f"The host function ended its process ({done.ending}){': ' + said if said else ''}."
        remedy = "Check axes and divisors for these shapes; the host cannot read the memory of a tensor."
        raise HostFailure(_finding("HOST_CRASH", text).model_copy(update={"remedy": remedy}))
    found: list[list[Step]] = [[]]
    for one in told[:-1]:
        if isinstance(one, FurtherCall):
            found.append([])
        elif isinstance(one, Allocation | HandedOver | MemorySet | KernelLaunch):
            found[-1].append(one)
    if len(found) != calls:
        raise HostFailure(_finding("SANDBOX_REPORT", _FORGED))
    whole = [tuple(steps) for steps in found]
    for steps in whole:
        _see_limits(steps)
    return whole


def _see_limits(steps: tuple[Step, ...]) -> None:
    launches = sum(isinstance(s, KernelLaunch) for s in steps)
    if launches == 0:
        raise HostFailure(_finding("NO_LAUNCH", "The host function returned without launching a kernel."))
    if launches > MOST_LAUNCHES:
        text = f"The host function launches {launches} kernels; at most {MOST_LAUNCHES} are run."
        raise HostFailure(_finding("NO_LAUNCH", text))
    if sum(s.bytes for s in steps if isinstance(s, Allocation)) > MOST_MEMORY_BYTES:
        text = f"The host function allocates more than {MOST_MEMORY_BYTES >> 30} GiB."
        raise HostFailure(_finding("HOST_MEMORY", text))


def _checked(done: Sequence[tuple[Step, ...]], call: Call) -> tuple[tuple[Step, ...], ...]:
    """Return the steps if each stays within its memory; who writes otherwise has written the record itself."""
    own = [t.size_bytes for value in (*call.inputs, *_own(call)) for t in flat(value)]
    sizes: list[int] = []
    for steps in done:
        sizes += own
        _see_memory(steps, sizes)
    return tuple(done)


def _see_memory(steps: tuple[Step, ...], sizes: list[int]) -> None:
    """Raise HostFailure if a step leaves its memory; what the steps allocate joins `sizes`."""
    for step in steps:
        if isinstance(step, Allocation):
            sizes.append(step.bytes)
            continue
        named = step.memory if isinstance(step, KernelLaunch) else (step.memory,)
        known = all(n < len(sizes) for n in named) and len(set(named)) == len(named)
        if known and isinstance(step, HandedOver | MemorySet):
            count = step.count if isinstance(step, MemorySet) else len(step.bytes) // 2
            known = step.offset + count <= sizes[step.memory]
        if not known:
            raise HostFailure(_finding("SANDBOX_REPORT", _FORGED))


def _own(call: Call) -> tuple[Argument, ...]:
    """Return the outputs with memory of their own."""
    return tuple(o.meta for o in call.outputs if o.aliases is None)


def flat(value: Argument) -> tuple[TensorMeta, ...]:
    """Return the tensors of an argument: none of an absent one, each of a list."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, tuple) else (value,)


def _finding(code: str, text: str) -> Diagnostic:
    known = catalogue_entry(code)
    return Diagnostic(code=code, text=text, remedy=known.remedy if known else None, stage="tiling")


def argument_lines(call: Call) -> list[str]:
    """Return the arguments of a host function, a line each: inputs, outputs with memory of their own, attributes."""
    lines = [_argument(f"x{i}", value) for i, value in enumerate(call.inputs)]
    lines += [_argument(f"y{k}", o.meta) for k, o in enumerate(call.outputs) if o.aliases is None]
    return [*lines, *(_attribute(a.name, a.value) for a in call.attrs)]


def host_head(kernel: str, call: Call) -> str:
    """Return the head of the host function that fits a call."""
    given = [f"{_taken(value)} x{i}" for i, value in enumerate(call.inputs)]
    given += [f"{_taken(o.meta)} y{k}" for k, o in enumerate(call.outputs) if o.aliases is None]
    given += [f"{_taken_attribute(a.value)} {a.name}" for a in call.attrs]
    return f"void {host_function(kernel)}({', '.join([*given, 'aclrtStream stream'])})"


def host_function(kernel: str) -> str:
    """Return the name of the function that a task's kernel is launched by."""
    return f"launch_{kernel}"


def _taken(value: Argument) -> str:
    return "const std::vector<akgen::Tensor>&" if isinstance(value, tuple) else "const akgen::Tensor&"


def _taken_attribute(value: AttrValue) -> str:
    if isinstance(value, tuple):
        real = any(isinstance(one, float) for one in value)
        return f"const std::vector<{'float' if real else 'int64_t'}>&"
    if isinstance(value, str):
        return "const std::string&"
    if isinstance(value, bool):
        return "bool"
    return "float" if isinstance(value, float) else "int64_t"


def _argument(name: str, value: Argument) -> str:
    if value is None:
        return f"none {name}"
    if isinstance(value, tuple):
        return " ".join([f"list {name} {len(value)}", *(_tensor(one) for one in value)])
    return f"tensor {name} {_tensor(value)}"


def _tensor(meta: TensorMeta) -> str:
    return " ".join(map(str, (meta.dtype.ge_value, meta.size_bytes, len(meta.shape), *meta.shape)))


def _attribute(name: str, value: AttrValue) -> str:
    if value is None:
        return f"none {name}"
    if isinstance(value, bool):
        return f"bool {name} {int(value)}"
    if isinstance(value, int):
        return f"int {name} {value}"
    if isinstance(value, float):
        return f"real {name} {value!r}"
    if isinstance(value, str):
        return f"text {name} {' '.join(value.split())}"
    real = any(isinstance(one, float) for one in value)
    words = [repr(float(one)) if real else str(int(one)) for one in value]  # type: ignore[arg-type]
    return " ".join([f"{'reals' if real else 'ints'} {name}", *words])
