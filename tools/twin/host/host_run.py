"""Ask a built host library, in the sandbox: what did it register, and how does it tile this call?"""

import contextlib
import signal
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from akgen.knowledge.errors import entry as catalogue_entry
from akgen.tools.core.call import Argument, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import AfterCandidate, Diagnostic, InfraError
from akgen.tools.core.untrusted import Count, FileRefused, JsonRefused, parse_object, plain_text, read_bytes
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.program import Finished, run
from akgen.tools.twin.host.call_check import Column, check_inferred
from akgen.tools.twin.host.host_info import (
    MOST_COLUMNS,
    HostAttr,
    HostInfo,
    HostOp,
    TemplateArguments,
    column_count,
)
from akgen.tools.twin.places import place_of
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import SANDBOX_TEXT, stopped_by_sandbox

DESCRIBE_TIMEOUT_S = 20.0
MOST_WORKSPACE_BYTES = 32 << 30
MOST_REPORT_BYTES = 16 << 20
MOST_TILING_BYTES = 16 << 20
_INFER_PHASE = '{"phase":"infer"}\n'  # the tiling is done; what follows cannot undo it
MOST_STEERING = 64  # integers of an input that the host may read unasked: axes, lengths, a shape
_PACK = {
    DType.FLOAT32: "f", DType.FLOAT64: "d", DType.INT8: "b", DType.INT16: "h", DType.INT32: "i", DType.INT64: "q",
    DType.UINT8: "B", DType.UINT16: "H", DType.UINT32: "I", DType.UINT64: "Q", DType.BOOL: "?", DType.FLOAT16: "e",
}  # fmt: skip


class TilingResult(Frozen):
    """What the tiling function decided. `data` is None when nothing is tiled."""

    data: bytes | None
    block_dim: int
    tiling_key: int
    workspace_bytes: int  # as the host asked for, library part included if the host added it
    schedule_mode: int = 0
    findings: tuple[Diagnostic, ...] = ()  # warnings of the host side
    template: TemplateArguments | None = None  # what the key stands for, where the kernel is a template


class TilingAnswer(BaseModel):
    """The host runner's report of one tiling; host code shares its process, so it is believed only in this form."""

    status: int
    tiling_bytes: Count
    capacity: Count
    tiling_key: int = Field(ge=0, lt=1 << 64)
    block_dim: int | None
    schedule_mode: int
    workspaces: tuple[Annotated[int, Field(ge=0, lt=1 << 64)], ...]
    complaints: tuple[str, ...]
    template: TemplateArguments | None = None


class HostFailure(Exception):
    """Host code refused, crashed or hung; what the finding says is for the operator's author."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.text)
        self.diagnostic = diagnostic


def describe(op_type: str, runtime: Runtime, library: Path, chip_file: Path, folder: Path) -> HostInfo:
    """Load the library and return what it registered. Raises HostFailure."""
    lines = _head(op_type, library, chip_file, folder)
    report, _, _ = _run(lines, runtime, library, folder, "compile", DESCRIBE_TIMEOUT_S)
    with AfterCandidate(), _written_by_the_runner("compile"):
        info = HostInfo.from_report(library, report)
    if info.op is not None and column_count(info.op) > MOST_COLUMNS:
        text = f"{op_type} declares more than {MOST_COLUMNS} combinations of types."
        raise HostFailure(_finding("REGISTRATION", text, "compile"))
    return info


def tile(
    info: HostInfo,
    op: HostOp,
    column: Column,
    call: Call,
    runtime: Runtime,
    chip_file: Path,
    folder: Path,
    *,
    calls_before: int = 0,
) -> TilingResult:
    """Run the tiling function for a call; `calls_before`: how often before it in the same process.

    Files go below `folder`. Raises HostFailure, InfraError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "tiling.bin"
    lines = [
        *_head(op.op_type, info.library, chip_file, folder),
        f"call\t{data}",
        *([f"again\t{calls_before}"] if calls_before else []),
    ]
    values = dict(call.const_values)
    for i, argument in enumerate(call.inputs[: len(op.inputs)]):
        readable = op.inputs[i].value_depend or bool(op.inputs[i].scalar)
        file = _values_file(argument, values.get(i), readable, folder / f"value_{i}.bin")
        lines += _argument("in", argument, column.input_formats[i], file)
    for i, output in enumerate(call.outputs[: len(op.outputs)]):
        lines += _argument("out", output.meta, column.output_formats[i], None)
    lines += [_attr(a, v) for a, v in zip(op.attrs, attr_values(op.attrs, call), strict=True)]
    report, inferred, said = _run(lines, runtime, info.library, folder, "tiling", runtime.tiling_timeout_s)
    with AfterCandidate(), _written_by_the_runner("tiling"):
        answer = TilingAnswer.model_validate(report)
    with AfterCandidate():
        tiling = _answer(answer, said, data)
    if inferred is None:
        return tiling
    return tiling.model_copy(update={"findings": check_inferred(op, column, call, inferred)})


def attr_values(attrs: Sequence[HostAttr], call: Call) -> list[AttrValue]:
    """Return every attribute's value: given by name, else by position, else the default."""
    names = {a.name for a in attrs}
    given = {a.name: a.value for a in call.attrs if a.name in names}
    by_position = [None if a.name in names else a for a in call.attrs]
    out: list[AttrValue] = []
    for i, attr in enumerate(attrs):
        value: AttrValue = given.get(attr.name)
        positional = by_position[i] if i < len(by_position) else None
        if attr.name not in given and positional is not None:
            value = positional.value
        out.append(attr.default if value is None else value)
    return out


def _answer(answer: TilingAnswer, said: str, data: Path) -> TilingResult:
    told = "; ".join([*answer.complaints, *([said] if said else [])])
    because = f": {told[-400:]}" if told else ""
    if answer.status != 0:
        raise HostFailure(_finding("TILING_REFUSED", f"The tiling function returned a failure{because}."))
    if any(c.startswith("GET_TPL_TILING_KEY") for c in answer.complaints):
        raise HostFailure(_finding("TILING_KEY", f"The tiling key cannot be made{because}."))
    if any(c.startswith("SaveToBuffer") for c in answer.complaints):
        raise HostFailure(_finding("TILING_BUFFER", f"The tiling data was not stored{because}."))
    if answer.tiling_bytes > answer.capacity:
        text = f"SetDataSize({answer.tiling_bytes}) is more than the buffer's {answer.capacity} bytes."
        raise HostFailure(_finding("TILING_BUFFER", text))
    if answer.block_dim is None or not 0 < answer.block_dim < 65536:
        what = "never called SetBlockDim" if answer.block_dim is None else f"set block dim {answer.block_dim}"
        raise HostFailure(_finding("BLOCK_DIM", f"The tiling function {what}{because}."))
    workspace = sum(answer.workspaces)
    if workspace > MOST_WORKSPACE_BYTES:
        text = f"The tiling function asks for {workspace} bytes of workspace; the device has {MOST_WORKSPACE_BYTES}."
        raise HostFailure(_finding("WORKSPACE_SIZE", text))
    with _written_by_the_runner("tiling"):
        raw = read_bytes(data, most_bytes=MOST_TILING_BYTES)
    if len(raw) < answer.tiling_bytes:
        text = f"SetDataSize({answer.tiling_bytes}) is more than the {len(raw)} bytes that were written."
        raise HostFailure(_finding("TILING_BUFFER", text))
    return TilingResult(
        data=raw[: answer.tiling_bytes],
        block_dim=answer.block_dim,
        tiling_key=answer.tiling_key,
        workspace_bytes=workspace,
        schedule_mode=answer.schedule_mode,
        template=answer.template,
    )


def _run(
    lines: Sequence[str], runtime: Runtime, library: Path, folder: Path, stage: str, timeout_s: float
) -> tuple[dict[str, Any], dict[str, Any] | None, str]:
    """Return the report's object, what came of the shape functions after it, and what host code printed.

    Raises HostFailure, InfraError.
    """
    manifest = folder / f"host_{stage}.manifest"
    manifest.write_text("\n".join(lines) + "\n")
    report = folder / "host_report.json"
    report.unlink(missing_ok=True)
    env = {**MINIMAL_ENV, **runtime.sandbox_env}
    done = run([runtime.host_runner, manifest], cwd=folder, timeout_s=timeout_s, env=env)
    if done.rc == 70 and not report.is_file():
        raise InfraError(f"The host runner failed: {done.err.strip()}", "Run `akgen doctor`.")
    with AfterCandidate():
        return _read(done, report, runtime, library, stage, timeout_s)


def _read(
    done: Finished, report: Path, runtime: Runtime, library: Path, stage: str, timeout_s: float
) -> tuple[dict[str, Any], dict[str, Any] | None, str]:
    """Read what a host runner left, whatever host code made of it. Raises HostFailure."""
    said = _said(done)
    before, phase, after = _report_text(report).partition(_INFER_PHASE)
    answer = _last_object(before)
    if phase and "status" in answer:
        return answer, _last_object(after), said
    where = "tiling" if stage == "tiling" else "compile"
    if done.timed_out:
        raise HostFailure(_finding("HOST_TIMEOUT", f"Host code did not end within {timeout_s:.0f} s.", where))
    with _written_by_the_runner(where):
        if "signal" in answer:
            raise HostFailure(_crash(answer, runtime, library, said, where))
        if "error" in answer:
            raise HostFailure(_finding(answer["error"], f"{answer['text']}.", where))
        if answer.get("kind") == "diagnostic":
            raise HostFailure(_finding(answer["code"], answer["text"], where))
    if stopped_by_sandbox(done):
        raise HostFailure(_finding("SANDBOX_SYSCALL", SANDBOX_TEXT, where))
    if not done.ok or not answer:
        text = f"Host code ended the process ({done.ending}){': ' + said if said else ''}."
        raise HostFailure(_finding("HOST_CRASH", text, where))
    return answer, None, said


def _last_object(text: str) -> dict[str, Any]:
    """Return the last line's object; empty if there is none."""
    try:
        return parse_object(text.strip().rpartition("\n")[2])
    except JsonRefused:
        return {}


def _report_text(report: Path) -> str:
    try:
        return plain_text(read_bytes(report, most_bytes=MOST_REPORT_BYTES))
    except FileRefused:
        return ""


@contextlib.contextmanager
def _written_by_the_runner(stage: str) -> Iterator[None]:
    """Read a report. Host code shares the runner's process: what has not the runner's form, host code wrote."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as e:
        text = "The report of the host code holds lines that the runner did not write."
        raise HostFailure(_finding("SANDBOX_REPORT", text, stage)) from e


def _crash(answer: dict[str, Any], runtime: Runtime, library: Path, said: str, stage: str) -> Diagnostic:
    number = int(answer["signal"])
    names = {
        signal.SIGSEGV: "used a null or wild pointer",
        signal.SIGFPE: "divided an integer by zero",
        signal.SIGABRT: "aborted",
    }
    what = names.get(signal.Signals(number), f"died of {signal.Signals(number).name}")
    place = place_of(runtime, library, int(answer["so_offset"])) if answer["so_offset"] >= 0 else None
    return Diagnostic(
        code="HOST_CRASH",
        text=f"Host code {what}{' after saying: ' + said if said else ''}.",
        file=place[0] if place else None,
        line=place[1] if place else None,
        remedy=_remedy("HOST_CRASH"),
        stage="tiling" if stage == "tiling" else "compile",
    )


def _finding(code: str, text: str, stage: str = "tiling") -> Diagnostic:
    return Diagnostic(
        code=code, text=text, remedy=_remedy(code), stage="tiling" if stage == "tiling" else "compile"
    )


def _remedy(code: str) -> str | None:
    known = catalogue_entry(code)
    return known.remedy if known else None


def _said(done: Finished) -> str:
    """Return the end of what host code printed, on one line."""
    lines = [line.strip() for line in (done.out + "\n" + done.err).splitlines() if line.strip(" *")]
    return " | ".join(lines[-3:])[-300:]


def _head(op_type: str, library: Path, chip_file: Path, folder: Path) -> list[str]:
    return [
        "akgen-twin-host\t1",
        f"chip\t{chip_file}",
        f"host\t{library}",
        f"op\t{op_type}",
        f"report\t{folder / 'host_report.json'}",
    ]


def _argument(side: str, argument: Argument | OutputMeta, wanted: str, values: Path | None) -> list[str]:
    if argument is None:
        return [f"{side}\tnone"]
    if isinstance(argument, tuple):
        items = [f"item\t{_tensor(a, wanted)}\t-" for a in argument]
        return [f"{side}\tlist\t{len(items)}", *items]
    assert isinstance(argument, TensorMeta)
    return [f"{side}\ttensor\t{_tensor(argument, wanted)}\t{values or '-'}"]


def _tensor(meta: TensorMeta, wanted: str) -> str:
    shape = ",".join(map(str, meta.shape)) or "-"
    return f"{meta.dtype.ge_name}\t{shape}\t{wanted}"


def _values_file(
    argument: Argument, values: tuple[int, ...] | tuple[float, ...] | None, readable: bool, file: Path
) -> Path | None:
    """Return a file with the values that the tiling function may read, if it may and they are known."""
    if not isinstance(argument, TensorMeta):
        return None
    if values is not None and argument.dtype in _PACK:
        letter = _PACK[argument.dtype]
        kind = float if letter in "fde" else bool if letter == "?" else int
        file.write_bytes(struct.pack(f"<{len(values)}{letter}", *(kind(v) for v in values)))
        return file
    if readable and isinstance(argument, TensorFile) and _steers(argument):
        return argument.path
    return None


def _steers(argument: TensorFile) -> bool:
    """Say whether an input that the task does not name as values can be one that steers the computation.

    Host code that may read any input could compute the answer and hand it over as tiling data.
    """
    numbers = argument.size_bytes // argument.dtype.size_bytes
    whole = argument.dtype.value.removeprefix("u").startswith("int") or argument.dtype == DType.BOOL
    return numbers == 1 or (whole and numbers <= MOST_STEERING)


def _attr(attr: HostAttr, value: AttrValue) -> str:
    if value is None:
        return "attr\tnone"
    kind = attr.type or "int"
    if kind == "str":
        return f"attr\tstr\t{str(value).encode().hex()}"
    items: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    if kind == "list_list_int":
        return "\t".join(["attr", kind, *(",".join(str(int(v)) for v in row) for row in items)])
    if kind.startswith("list_"):
        return f"attr\t{kind}\t{','.join(_scalar(kind.removeprefix('list_'), v) for v in items)}"
    return f"attr\t{kind}\t{_scalar(kind, items[0])}"


def _scalar(kind: str, value: Any) -> str:
    if kind == "bool":
        return "1" if value else "0"
    return repr(float(value)) if kind == "float" else str(int(value))
