"""What a worker's end says of the attempt, and what it left: outputs out of their guards.

The candidate's host code ran in that process: whatever lies in its folder may be a link, a pipe or a lie. Nothing is
followed out of that folder, nothing is written into it, and no word of it makes an attempt better than it is.
"""

import signal
from collections.abc import Callable
from pathlib import Path

from akgen.tools.cann.plog import first_exception
from akgen.tools.cann.runtime_errors import DeviceFault, judged, look_up
from akgen.tools.cann.same_outputs import Outputs, differing
from akgen.tools.cann.sealed import SAME, digest_of, said_once
from akgen.tools.cann.worker import (
    CANNOT_WRITE,
    GUARD_BYTES,
    HOST_FUNCTION,
    LEFT_BEHIND,
    OUT_OF_TIME,
    TIMED,
    RuntimeFailure,
    guard,
)
from akgen.tools.core.call import Call, Poison, TensorFile, TensorMeta
from akgen.tools.core.outcome import Diagnostic, InfraError, Outcome
from akgen.tools.core.untrusted import FileRefused, JsonRefused, parse_object, read_bytes
from akgen.tools.process.disk import takes_files
from akgen.tools.process.program import Finished

_OF_CANDIDATE = ("load", "tiling", "launch", "wait", "timing", "done")
_IN_TILING = ("load", "tiling")
REPLACED = "TAMPERED"
_TILE_ONLY = (
    "Tiling works out tiling data, key, block dim and workspace, in its caller's thread, and nothing else."
)


def outcome_of(
    done: Finished, folder: Path, timeout_s: float, probe: Callable[[], str | None]
) -> tuple[Outcome, Diagnostic] | None:
    """Return how an attempt failed, None if it did not. Raises InfraError where machine or device did.

    `probe` opens the device without the candidate's package, and says what is wrong.
    """
    stage = stage_reached(folder)
    if done.ok and stage == "done":
        return None
    # While the candidate's own code runs, its word counts for nothing: the folder is tried.
    if done.rc == CANNOT_WRITE and (stage not in _IN_TILING or not takes_files(folder)):
        words = done.err.strip()[-200:]
        raise InfraError(
            f"The run's files could not be written: {words}.", "Free space, or check the folder's rights."
        )
    told = _ended(folder)
    if stage not in _OF_CANDIDATE:
        return _before_candidate(done, told, probe)
    if done.timed_out or done.rc == OUT_OF_TIME:
        return Outcome.TIMEOUT, _said(
            "TIMEOUT", f"the run did not end within {timeout_s:g} s ({stage})", stage
        )
    if told is not None and told.code is not None:
        detail = first_exception(folder / "home" / "log") or told.text
        if told.code < 0 or told.code > 999999:
            detail, told = f"{told.function} returned {told.code}", told.model_copy(update={"code": 507000})
        assert told.code is not None
        return judged(told.code, detail)
    if told is not None and told.function == LEFT_BEHIND:
        text = f"host code left something in the process that launches: {told.text}"
        return Outcome.CHEAT, Diagnostic(code=REPLACED, text=text[:600], stage="test", remedy=_TILE_ONLY)
    if told is not None and told.function == HOST_FUNCTION:
        return Outcome.TILING_ERROR, _said("HOST_EXCEPTION", f"the host function threw: {told.text}", stage)
    if told is not None and stage == "load":
        text = f"the operator package cannot be loaded: {told.text}"
        return Outcome.TILING_ERROR, _said("HOST_LOAD", text, stage)
    if told is not None:
        raise InfraError(
            f"The run's files could not be read or written: {told.text}.", "Check disk and rights."
        )
    how = done.ending if done.signal != signal.SIGSYS else "a system call that the sandbox refuses"
    if stage in _IN_TILING:
        return Outcome.TILING_ERROR, _said("HOST_CRASH", f"host code ended its process: {how}", stage)
    return Outcome.TRAP, _said("HOST_CRASH", f"the process ended while the kernel ran: {how}", stage)


def _before_candidate(
    done: Finished, told: RuntimeFailure | None, probe: Callable[[], str | None]
) -> tuple[Outcome, Diagnostic]:
    """Judge a run that opened no device: the runtime may load the candidate's tiling library then."""
    wrong = probe()
    if wrong is None and done.signal is not None:
        text = f"loading the operator package ended the process: {done.ending}"
        return Outcome.TILING_ERROR, _said("HOST_LOAD", text, "load")
    if told is None:
        words = done.err.strip()[-300:] or done.ending
    else:
        words = told.text if told.code is None else f"{told.function} returned {told.code}: {told.text}"
    row = look_up(told.code) if told is not None and told.code is not None else None
    if row is not None and row.fault in ("machine", "device"):
        words = f"{words} ({row.what})"
    of_machine = (told is not None and told.code is None) or (row is not None and row.fault == "machine")
    kind = InfraError if of_machine else DeviceFault
    remedy = "Run `akgen doctor --npu`; read the plog that is kept beside the run."
    raise kind(f"The run could not begin on the device: {words}.", (row.remedy if row else None) or remedy)


def _said(code: str, text: str, stage: str) -> Diagnostic:
    return Diagnostic(code=code, text=text[:600], stage="tiling" if stage in _IN_TILING else "test")


def stage_reached(folder: Path) -> str:
    """Return the last stage that a worker wrote down; empty if there is none."""
    try:
        return read_bytes(folder / "stage", most_bytes=16).decode(errors="replace")
    except FileRefused:
        return ""


def _ended(folder: Path) -> RuntimeFailure | None:
    path = folder / "ended.json"
    if not path.is_file():
        return None
    try:
        return RuntimeFailure.model_validate(parse_object(read_bytes(path, most_bytes=1 << 20)))
    except (JsonRefused, ValueError):
        return None


def outputs(
    call: Call, folder: Path, poison: Poison | None, into: Path, printed: str
) -> tuple[Outputs, Diagnostic | None]:
    """Cut the outputs that the worker left in `folder` out of their guards and write them into another folder.

    Says where a guard was written, or that a file is not what the worker wrote: `printed` is what its process said.
    """
    try:
        return _outputs(call, folder, poison, into, said_once("outputs", printed))
    except FileRefused as problem:
        return (), _replaced(problem)


def timed_otherwise(
    call: Call, judged_outputs: Outputs, folder: Path, poison: Poison | None, into: Path, printed: str
) -> Diagnostic | None:
    """Say what is wrong with launches that were timed, if one left something else than those outputs."""
    told = said_once("timed", printed)
    if told == SAME:
        return None
    try:
        found, overrun = _outputs(call, folder, poison, into, told, prefix=TIMED)
    except FileRefused as problem:
        return _replaced(problem)
    return overrun or differing(judged_outputs, found, "was timed", REPLACED)


def profiled_otherwise(
    call: Call, judged_outputs: Outputs, folder: Path, poison: Poison | None, into: Path
) -> Diagnostic | None:
    """Say what is wrong with the launches of a profiled run, the first and one of the others, if it is anything.

    Whether a profiler hands on what a program says is not known, so the files alone are read.
    """
    others = sorted(folder.glob(f"{TIMED}out*.raw"))
    try:
        for prefix in ("", TIMED) if others else ("",):
            found, _ = _outputs(call, folder, poison, into, None, prefix=prefix, sealed=False)
            wrong = differing(judged_outputs, found, "was profiled", REPLACED)
            if wrong is not None:
                return wrong
    except FileRefused as problem:
        return _replaced(problem)
    return None


def _replaced(problem: FileRefused) -> Diagnostic:
    text = f"what the run left is not what was written: {problem}"
    return Diagnostic(code=REPLACED, text=text, stage="test")


def _outputs(
    call: Call,
    folder: Path,
    poison: Poison | None,
    into: Path,
    told: str | None,
    *,
    prefix: str = "",
    sealed: bool = True,
) -> tuple[Outputs, Diagnostic | None]:
    found: list[TensorFile | tuple[TensorFile, ...]] = []
    overrun: Diagnostic | None = None
    expected = guard(poison)
    read: dict[str, bytes] = {}

    def cut(meta: TensorMeta, name: str) -> TensorFile:
        nonlocal overrun
        raw = read_bytes(folder / f"{prefix}{name}.raw", most_bytes=meta.size_bytes + 2 * GUARD_BYTES + 1)
        if len(raw) != meta.size_bytes + 2 * GUARD_BYTES:
            raise InfraError(f"{name}.raw has {len(raw)} bytes.", "Check the disk; run again.")
        read[f"{name}.raw"] = raw
        overrun = overrun or _beyond(name, raw, expected)
        path = into / f"{prefix}{name}.bin"
        path.write_bytes(raw[GUARD_BYTES : GUARD_BYTES + meta.size_bytes])
        return TensorFile(dtype=meta.dtype, shape=meta.shape, path=path)

    for i, out in enumerate(call.outputs):
        if isinstance(out.meta, tuple):
            found.append(tuple(cut(m, f"out{i}_{j}") for j, m in enumerate(out.meta)))
        else:
            found.append(cut(out.meta, f"out{i}"))
    for path in sorted(folder.glob("in*.guard")) if not prefix else ():
        read[path.name] = read_bytes(path, most_bytes=4 * GUARD_BYTES)
        overrun = overrun or _beyond(path.stem, read[path.name], expected)
    if sealed and told != digest_of(read):
        raise FileRefused("the digest that its process said before host code ran again is another")
    return tuple(found), overrun


def _beyond(name: str, raw: bytes, expected: bytes) -> Diagnostic | None:
    before, after = raw[:GUARD_BYTES], raw[-GUARD_BYTES:]
    if before == expected and after == expected:
        return None
    if after != expected:
        first = next(i for i, (a, b) in enumerate(zip(after, expected, strict=False)) if a != b)
        where = f"{first} bytes after its end"
    else:
        last = max(i for i, (a, b) in enumerate(zip(before, expected, strict=False)) if a != b)
        where = f"{GUARD_BYTES - last} bytes before its start"
    what = "output" if name.startswith("out") else "input"
    return Diagnostic(
        code="GM_OVERRUN",
        text=f"the kernel wrote {where} of {what} {name.removeprefix('out').removeprefix('in').split('_')[0]}",
        stage="test",
    )
