"""The candidate's process on an NPU: `python -m akgen.tools.cann.worker REQUEST.json`.

Reads inputs, calls the operator, writes raw outputs between their guards. It never sees expected outputs. What it
reached lies in `folder/stage`, what went wrong in `folder/ended.json`: its parent judges, and believes neither more
than that an attempt failed. `folder` is all that it may write. The candidate's host code (tiling) runs in here; its
time counts from `ready`, so that starting runtime and driver is not counted.
"""

import ctypes
import os
import secrets
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from akgen.tools.cann import direct, sealed
from akgen.tools.cann.acl import AclError, Aclnn, NpuDevice, Operator
from akgen.tools.cann.arguments import Slot, shared_input, slots
from akgen.tools.cann.direct import DirectFunction, HostFunctionFailed
from akgen.tools.cann.left_behind import LeftBehind, Traces
from akgen.tools.cann.timing import FLUSH_BYTES, Series, measure
from akgen.tools.cann.witness import Witness
from akgen.tools.core.call import Argument, Call, OutputMeta, Poison, TensorFile, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec

GUARD_BYTES = 512  # before and after every buffer: what the runtime aligns memory to
_NAN = b"\xff"  # in every float type
HOST_FUNCTION = "host function"
LEFT_BEHIND = "left behind"
TIMED = "timed_"  # before the names of files with what a launch left that was timed or profiled
FREE = "free_bytes"  # of a probe: what the runtime says is free on the device
OUT_OF_TIME = 75  # status of a process that ended itself
CANNOT_WRITE = 74  # of one whose folder takes nothing more, not even why

Stage = Literal["start", "ready", "load", "tiling", "launch", "wait", "timing", "done"]


class RunnerRequest(Frozen):
    """One run. Output i is written to `folder/out<i>.raw`, element j of a list to `out<i>_<j>.raw`, with guards."""

    call: Call | None  # None: only open the device, copy to it and back
    spec: OpSpec | None  # None: a direct file's library
    library: Path | None  # with the candidate's entries
    package: Path | None = None  # the folder of all of the candidate's libraries; None: `library` alone
    folder: Path
    device: int
    timeout_s: float = 60.0  # from the first call of candidate code
    launches: int = 1  # more than one only while profiling
    timed: bool = False  # measure after the launch whose outputs count
    alone: bool = (
        False  # under no profiler or checker, whose own threads and code would be taken for the candidate's
    )
    poison: Poison | None = None  # None: NaN


class RuntimeFailure(Frozen):
    """How a run failed inside the runtime. `code` is the runtime's; None: the library cannot be loaded."""

    function: str
    code: int | None
    text: str


class GuardedMemory(Frozen):
    """NpuDevice memory with guards around it."""

    base: int
    size_bytes: int

    @property
    def address(self) -> int:
        return self.base + GUARD_BYTES


def guard(poison: Poison | None) -> bytes:
    """Return what stands before and after every buffer."""
    pattern = b"\xa5" if poison is None else poison.outputs()[:GUARD_BYTES]
    return bytes(np.resize(np.frombuffer(pattern, dtype=np.uint8), GUARD_BYTES))


class OperatorRun:
    """One request, from an open device to files with outputs."""

    def __init__(self, request: RunnerRequest, device: NpuDevice) -> None:
        self._request = request
        self._device = device
        self._aclnn = Aclnn()
        self._inputs: dict[int, list[GuardedMemory]] = {}
        self._outputs: dict[int, list[GuardedMemory]] = {}
        self._workspaces: dict[int, GuardedMemory] = {}
        self._initial: dict[
            int, bytes
        ] = {}  # what memory holds before a launch, by its address, where one may write
        self._guard = guard(request.poison)
        poison = request.poison
        self._fill = _NAN if poison is None else poison.outputs()
        self._scratch = _NAN if poison is None else poison.scratch()

    def prepare(self) -> None:
        """Fill the memory of inputs and outputs."""
        request = self._request
        assert request.call is not None
        outs = list(enumerate(request.call.outputs))
        shared = {self._shared(out, i) for i, out in outs}
        for i, value in enumerate(request.call.inputs):
            written = i in shared
            self._inputs[i] = [self._buffer(_content(m, self._fill), written) for m in _metas(value)]
        for i, out in outs:
            place = self._shared(out, i)
            fill = b"\0" if out.zeroed else self._fill
            self._outputs[i] = (
                self._inputs[place]
                if place is not None
                else [self._buffer(_repeat(fill, m.size_bytes), True) for m in _metas(out.meta)]
            )
            if place is not None and out.zeroed:
                for part in self._outputs[i]:
                    self._initial[part.base] = self._guard + bytes(part.size_bytes) + self._guard
                    self._device.put(part.base, self._initial[part.base])

    def _shared(self, out: OutputMeta, i: int) -> int | None:
        spec = self._request.spec
        return out.aliases if spec is None else shared_input(spec, out, i)

    def restore(self) -> None:
        """Let memory that a launch may write hold what it held before the first one."""
        for base, content in self._initial.items():
            self._device.put(base, content)

    def tiler(self) -> Callable[[], Callable[[], None]]:
        """Load the candidate's library, and return what tiles one launch and returns what launches."""
        request, stream = self._request, self._device.stream
        assert request.call is not None and request.library is not None
        if request.spec is None:
            function = DirectFunction(request.library)
            inputs, outputs = _addresses(self._inputs), _addresses(self._outputs)
            text = direct.arguments(request.call, inputs, outputs)
            return lambda: lambda: function.launch(text, stream)
        arguments = [self._argument(slot) for slot in slots(request.spec, request.call)]
        operator = Operator(request.library, request.spec.op_type)

        def tile() -> Callable[[], None]:
            size, executor = operator.workspace_size(arguments)
            where = self._workspace(size)
            return lambda: operator.launch(where, size, executor, stream)

        return tile

    def _workspace(self, size: int) -> int:
        """Return memory of that size; of a launch after the first it is what the one before left."""
        if size == 0:
            return 0
        if size not in self._workspaces:
            self._workspaces[size] = self._buffer(_repeat(self._scratch, size), True)
        return self._workspaces[size].address

    def outputs(self) -> dict[str, bytes]:
        """Return the outputs with their guards, by the names of their files."""
        call = self._request.call
        assert call is not None
        files: dict[str, bytes] = {}
        for i, out in enumerate(call.outputs):
            for j, part in enumerate(self._outputs[i]):
                name = f"out{i}_{j}.raw" if isinstance(out.meta, tuple) else f"out{i}.raw"
                files[name] = self._whole(part)
        return files

    def write_outputs(self) -> Witness:
        """Write outputs with their guards, and the guards of the inputs; then say their digest.

        Returns who is to watch further launches.
        """
        files = self.outputs()
        witness = Witness(self, files)
        for i, parts in self._inputs.items():
            for j, part in enumerate(parts):
                whole = self._whole(part)
                files[f"in{i}_{j}.guard"] = whole[:GUARD_BYTES] + whole[-GUARD_BYTES:]
        for name, content in files.items():
            (self._request.folder / name).write_bytes(content)
        sealed.say("outputs", sealed.digest_of(files))
        return witness

    def write_other(self, witness: Witness) -> None:
        """Say whether each launch that was watched left the same; write what one left that did not."""
        other = witness.other
        if other is not None:
            for name, content in other.items():
                (self._request.folder / f"{TIMED}{name}").write_bytes(content)
        sealed.say("timed", sealed.SAME if other is None else sealed.digest_of(other))

    def _whole(self, part: GuardedMemory) -> bytes:
        return self._device.get(part.base, part.size_bytes + 2 * GUARD_BYTES)

    def _buffer(self, content: bytes, written: bool) -> GuardedMemory:
        """Take memory and fill it; `written`: a launch may write it."""
        made = GuardedMemory(base=self._device.take(len(content) + 2 * GUARD_BYTES), size_bytes=len(content))
        whole = self._guard + content + self._guard
        self._device.put(made.base, whole)
        if written:
            self._initial[made.base] = whole
        return made

    def _argument(self, slot: Slot) -> object:
        if slot.kind == "absent":
            return ctypes.c_void_p(None)
        if slot.kind == "array":
            assert slot.array is not None
            return self._aclnn.array(slot.array, slot.values)
        if slot.kind == "string":
            return ctypes.c_char_p((slot.text or "").encode())
        if slot.kind == "bool":
            return ctypes.c_bool(bool(slot.values[0]))
        if slot.kind == "int":
            return ctypes.c_int64(int(slot.values[0]))
        if slot.kind == "double":
            return ctypes.c_double(float(slot.values[0]))
        return self._tensors(slot)

    def _tensors(self, slot: Slot) -> ctypes.c_void_p:
        call, i = self._request.call, slot.index
        assert call is not None and i is not None
        value: Argument = call.inputs[i] if slot.kind == "input" else call.outputs[i].meta
        parts = self._inputs[i] if slot.kind == "input" else self._outputs[i]
        made = [
            self._aclnn.tensor(p.address, m.shape, m.dtype, slot.format)
            for p, m in zip(parts, _metas(value), strict=True)
        ]
        return self._aclnn.tensor_list(made) if isinstance(value, tuple) else made[0]


def _addresses(memory: dict[int, list[GuardedMemory]]) -> dict[int, list[int]]:
    return {i: [part.address for part in parts] for i, parts in memory.items()}


def _metas(value: Argument) -> tuple[TensorMeta | TensorFile, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _content(meta: TensorMeta | TensorFile, fill: bytes) -> bytes:
    return meta.path.read_bytes() if isinstance(meta, TensorFile) else _repeat(fill, meta.size_bytes)


def _repeat(pattern: bytes, size: int) -> bytes:
    return bytes(np.resize(np.frombuffer(pattern, dtype=np.uint8), size)) if size else b""


def main(path: str) -> None:
    """Do one request; what the runtime refuses ends the process with status 1 and `ended.json`."""
    request = RunnerRequest.model_validate_json(Path(path).read_text())

    def reach(stage: Stage) -> None:
        (request.folder / "stage").write_text(stage)

    try:
        _work(request, reach)
    except AclError as problem:
        told = RuntimeFailure(function=problem.function, code=problem.code, text=problem.text)
    except HostFunctionFailed as problem:
        told = RuntimeFailure(function=HOST_FUNCTION, code=None, text=str(problem))
    except LeftBehind as problem:
        told = RuntimeFailure(function=LEFT_BEHIND, code=None, text=str(problem))
    except OSError as problem:
        told = RuntimeFailure(function="dlopen", code=None, text=str(problem))
    else:
        return
    try:
        (request.folder / "ended.json").write_text(told.model_dump_json())
    except OSError as problem:
        os.write(2, f"\n{problem}".encode())
        os._exit(CANNOT_WRITE)
    # The runtime's own clean-up may wait for a device that no longer answers
    os._exit(1)


def _work(request: RunnerRequest, reach: Callable[[Stage], None]) -> None:
    reach("start")
    device = NpuDevice(request.device)
    if request.call is None:
        _probe(device)
        (request.folder / FREE).write_text(str(device.free_bytes() or ""))
        reach("done")
        return
    run = OperatorRun(request, device)
    _require_memory(device, needed_bytes(request))
    run.prepare()
    device.limit(request.timeout_s)
    timer = _end_after(request.timeout_s * min(request.launches, 10))
    assert request.library is not None
    traces = Traces(request.package or request.library) if request.alone else None
    reach("load")
    tile = run.tiler()
    first, last = device.event(), device.event()
    witness: Witness | None = None
    watched = 1 + secrets.randbelow(max(1, request.launches - 1))  # of those after the first
    for number in range(request.launches):
        reach("tiling")
        launch = tile()
        if number == watched and witness is not None:
            witness.before()
        reach("launch")
        device.record(first)
        launch()
        device.record(last)
        reach("wait")
        device.wait(request.timeout_s)
        if witness is None:
            if traces is not None:
                traces.require_none()
            witness = run.write_outputs()
        elif number == watched:
            witness.after()
    timer.cancel()
    assert witness is not None
    if request.timed:
        timer = _end_after(request.timeout_s)
        reach("timing")
        found: Series = measure(device, tile, request.timeout_s, device.elapsed_us(first, last), witness)
        timer.cancel()
    if traces is not None:
        traces.require_none()
    run.write_other(witness)
    if request.timed:
        sealed.say("times", found.model_dump_json())
    device.close()
    reach("done")
    os._exit(0)  # the candidate's destructors have no say


def needed_bytes(request: RunnerRequest) -> int:
    """Return what a run takes on the device before the candidate says how much workspace it wants."""
    call = request.call
    assert call is not None
    buffers = [m for value in call.inputs for m in _metas(value)]
    buffers += [m for out in call.outputs if out.aliases is None for m in _metas(out.meta)]
    taken = sum(m.size_bytes + 2 * GUARD_BYTES for m in buffers)
    return taken + (FLUSH_BYTES if request.timed else 0)


def _require_memory(device: NpuDevice, needed: int) -> None:
    """Raise AclError 207001 now, with both figures, if the device has too little: no candidate is at fault."""
    free = device.free_bytes()
    if free is not None and free < needed:
        text = f"{free >> 20} MB are free on the device, the run needs {(needed >> 20) + 1} MB"
        raise AclError("aclrtGetMemInfo", 207001, text)


def _probe(device: NpuDevice) -> None:
    """Copy a pattern to the device, on the device's stream over half of it, and back."""
    pattern = _repeat(bytes(range(251)), 1 << 16)
    where = device.take(len(pattern))
    device.put(where, pattern)
    device.fill(where, 1 << 15, 0)
    device.wait(30)
    if device.get(where, len(pattern)) != bytes(1 << 15) + pattern[1 << 15 :]:
        raise AclError("probe", 507053, "what was copied to the device came back otherwise")


def _end_after(timeout_s: float) -> threading.Timer:
    """End the process when host code of the candidate does not: a little after the device's own limit."""

    def end() -> None:
        os._exit(OUT_OF_TIME)

    timer = threading.Timer(timeout_s + 5, end)
    timer.daemon = True
    timer.start()
    return timer


if __name__ == "__main__":
    main(sys.argv[1])
