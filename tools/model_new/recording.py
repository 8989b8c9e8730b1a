"""Make an answer's class and call it in the sandbox, on tensors without values; write down what it does.

Started as `python -m akgen.tools.model_new.recording JOB`, where JOB is a file with a RecordingJob. Memory of the
device holds 0xff here and is written by the host alone: what differs from the last look is a constant that the host
handed over. The hidden values are in another process.
"""

import ctypes
import importlib.util
import inspect
import json
import re
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import torch

from akgen.tools.binding.arguments import Given, Target, in_order
from akgen.tools.binding.imports import import_as_named
from akgen.tools.binding.module import attach
from akgen.tools.binding.npu import install_npu, vendor_operator
from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InputError
from akgen.tools.launched.record import KernelLaunch
from akgen.tools.model_new.dispatch import Watch
from akgen.tools.model_new.steps import (
    MOST_CONSTANT_BYTES,
    Allocated,
    CalledAgain,
    Constant,
    Copied,
    Delegation,
    Line,
    OperatorCall,
    OperatorOutput,
    Raised,
    RecordingJob,
    Returned,
    Unplaced,
    View,
)
from akgen.tools.reference.module_loader import MODEL_SEED, keep_as_buffers
from akgen.tools.reference.nested import flat_outputs
from akgen.tools.reference.tensors import dtype_of, torch_dtype

_MOST_COMPUTED = 12  # findings of one call; then it is stopped
_MOST_FURTHER = 6  # calls after the first one, while they are short and their tensors small:
_FURTHER_S = 1.0
_FURTHER_BYTES = 64 << 20
_LONG_RECORD = 2 << 20
_MOST_RUNS = 4096  # pieces of memory that are handed over one by one
_VENDOR_MODULE = re.compile(r"'_OpNamespace' '(npu|aclnn|custom_npu)\w*' object has no attribute '(\w+)'")
Bytes = npt.NDArray[np.uint8]


class _Stop(BaseException):
    """Enough is known of this call."""


class Recorder:
    """Writes down one call. `npu` is the device's library."""

    def __init__(self, npu: ctypes.CDLL, out: Path, stem: str, job: RecordingJob) -> None:
        self._npu, self._job = npu, job
        self._lines = (out / f"{stem}.jsonl").open("w")
        self._constants = (out / f"{stem}.bin").open("wb")
        self._numbers: dict[int, int] = {}  # by the memory's first byte
        self._bases: list[int] = []
        self._sizes: list[int] = []
        self._seen: list[Bytes | None] = []  # what the host had written at the last look; None: nothing
        self._fresh: set[int] = set()  # memory of which all that the host wrote is still to be handed over
        self._written: set[int] = set()  # by kernels and copies
        self._kept: list[Any] = []  # so that no address is used twice
        self._found: dict[str, None] = {}

    @property
    def computed(self) -> bool:
        """Say whether anything has computed so far."""
        return bool(self._found)

    def write(self, line: Line) -> None:
        self._lines.write(line.model_dump_json() + "\n")

    @property
    def long(self) -> bool:
        """Say whether a few more calls like those so far might not fit into a record."""
        return self._lines.tell() > _LONG_RECORD or self._constants.tell() > MOST_CONSTANT_BYTES // 4

    def end(self) -> None:
        self._lines.close()
        self._constants.close()

    def given(self, tensor: torch.Tensor) -> None:
        """Take a tensor as the call's next one; what it holds here counts as nothing."""
        base = tensor.untyped_storage().data_ptr()
        number = len(self._sizes)
        self._bases.append(base)
        self._sizes.append(tensor.untyped_storage().nbytes())
        self._seen.append(None)
        self._written.add(number)
        self._kept.append(tensor)
        if base:
            self._numbers[base] = number

    def holds(self, tensor: torch.Tensor, has_values: bool) -> None:
        """Note new memory; with values, all of it is the host's."""
        self._kept.append(tensor)
        base, size = self._find(tensor.untyped_storage().data_ptr())
        if base == 0:
            return
        if base not in self._numbers:
            self._allocate(base, size, tensor.dtype)
        if has_values:
            self._fresh.add(self._numbers[base])

    def computes(self, what: str) -> None:
        self.notes(what)
        if len(self._found) >= _MOST_COMPUTED:
            raise _Stop

    def notes(self, what: str) -> None:
        """Write down once that something computed, and where."""
        line = self._line()
        if f"{what} {line}" not in self._found:
            self._found[f"{what} {line}"] = None
            self.write(Delegation(kind="computed", what=what[:300], line=line))

    def copies(self, source: torch.Tensor, target: torch.Tensor, run: Callable[[], Any]) -> Any:
        """Write down that elements are copied, and copy here what the host wrote."""
        if source.numel() == 0:
            return run()
        views = self.view(source), self.view(target)
        for view in views:
            self._hand_over(view.memory)
        self.write(Copied(kind="copied", source=views[0], target=views[1]))
        result = run()
        number = views[1].memory
        self._seen[number] = self._bytes(number).copy()
        self._fresh.discard(number)
        self._written.add(number)
        return result

    def launched(self, name: str, given: Sequence[Given]) -> None:
        """Serve one launch of the binding."""
        with torch.utils._python_dispatch._disable_current_modes():
            if given and given[0][0] == "launch":
                self._kernel(name, given[0][1])
            else:
                self._operator(name, given)

    def view(self, tensor: torch.Tensor) -> View:
        """Say where a tensor lies. Raises InputError for one that lies in no memory of the device."""
        number, offset = 0, 0
        if tensor.numel() > 0:
            first = tensor.untyped_storage().data_ptr()
            base, size = self._find(first)
            if tensor.device.type != "npu" or base == 0:
                raise InputError("A tensor of the CPU is given where one of the device is needed.", "")
            if base not in self._numbers:
                self._allocate(base, size, tensor.dtype)
            number = self._numbers[base]
            offset = first - base + tensor.storage_offset() * tensor.element_size()
        shape, strides = tuple(tensor.shape), tuple(tensor.stride())
        return View(memory=number, offset=offset, dtype=dtype_of(tensor.dtype), shape=shape, strides=strides)

    def _kernel(self, name: str, value: Any) -> None:
        file, blocks, arguments, memory = value
        numbers = []
        for base, size in memory:
            if base not in self._numbers or self._sizes[self._numbers[base]] != size:
                self._allocate(base, size)
            numbers.append(self._numbers[base])
        for number in numbers:
            self._hand_over(number)
        self._written.update(numbers)
        path = self._job.sources.get(file, "")
        self.write(
            KernelLaunch(
                kind="launch", kernel=name, line=0, blocks=max(0, blocks), blob=arguments.hex(),
                memory=tuple(numbers), file=path,
            )
        )  # fmt: skip

    def _operator(self, name: str, given: Sequence[Given]) -> None:
        spec = self._job.spec
        if spec is None or name.removeprefix("aclnn") != spec.op_type:
            self.computes(f"{name}, an operator of the vendor")
            raise _Stop
        ordered = in_order(name, given, spec)
        inputs = tuple(self._target(v) for v in ordered.inputs)
        outputs = []
        for meta, target in zip(ordered.outputs, ordered.targets, strict=True):
            into = self._target(target)
            assert into is not None
            known = {v.memory for v in (into if isinstance(into, tuple) else (into,))} & self._written
            outputs.append(OperatorOutput(into=into, aliases=meta.aliases, zeroed=meta.zeroed and not known))
        for value in (*inputs, *(o.into for o in outputs)):
            for view in value if isinstance(value, tuple) else () if value is None else (value,):
                self._hand_over(view.memory)
                self._written.add(view.memory)
        self.write(
            OperatorCall(
                kind="operator", name=name, inputs=inputs, attrs=ordered.attrs, outputs=tuple(outputs)
            )
        )

    def _target(self, value: Target | None) -> View | tuple[View, ...] | None:
        if value is None:
            return None
        if isinstance(value, tuple):
            return tuple(self.view(self._on_device(t)) for t in value)
        return self.view(self._on_device(value))

    def _on_device(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a number or another tensor of the host as one of the device."""
        if tensor.device.type == "npu":
            return tensor
        moved = tensor.to("npu")
        self.holds(moved, has_values=True)
        return moved

    def _find(self, address: int) -> tuple[int, int]:
        base, size = ctypes.c_void_p(), ctypes.c_size_t()
        if address and self._npu.akgen_npu_find(
            ctypes.c_void_p(address), ctypes.byref(base), ctypes.byref(size)
        ):
            return base.value or 0, size.value
        return 0, 0

    def _allocate(self, base: int, size: int, dtype: torch.dtype | None = None) -> None:
        self._numbers[base] = len(self._sizes)
        self._bases.append(base)
        self._sizes.append(size)
        self._seen.append(None)
        named = None if dtype is None else str(dtype).removeprefix("torch.")
        self.write(
            Allocated(kind="allocate", bytes=size, dtype=DType(named) if named in set(DType) else None)
        )

    def _bytes(self, number: int) -> Bytes:
        held = (ctypes.c_uint8 * self._sizes[number]).from_address(self._bases[number])
        return np.ctypeslib.as_array(held)

    def _hand_over(self, number: int) -> None:
        """Write down what the host has written into a memory since the last look."""
        if number >= len(self._sizes) or self._sizes[number] == 0:
            return
        now = self._bytes(number)
        if number in self._fresh and number not in self._written:
            runs = [(0, now.size)]
        else:
            before = self._seen[number]
            changed = np.flatnonzero(now != (0xFF if before is None else before))
            if changed.size == 0:
                return
            ends = np.flatnonzero(np.diff(changed) > 1)
            starts = [0, *(ends + 1).tolist()]
            stops = [*ends.tolist(), changed.size - 1]
            runs = [(int(changed[a]), int(changed[b]) + 1) for a, b in zip(starts, stops, strict=True)]
            if number not in self._written or len(runs) > _MOST_RUNS:
                runs = [(runs[0][0], runs[-1][1])]
        for begin, end in runs:
            at = self._constants.tell()
            self._constants.write(now[begin:end].tobytes())
            self.write(Constant(kind="constant", memory=number, offset=begin, at=at, count=end - begin))
        self._seen[number] = now.copy()
        self._fresh.discard(number)

    def _line(self) -> int | None:
        """Return the line of the class's file that is being run."""
        path = str(self._job.folder / self._job.file)
        frame: Any = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == path:
                return int(frame.f_lineno)
            frame = frame.f_back
        return None


def _empty(meta: TensorMeta) -> torch.Tensor:
    return torch.empty(meta.shape, dtype=torch_dtype(meta.dtype), device="npu")


def _tensors(argument: Argument, recorder: Recorder) -> Any:
    """Return an input without values, as the call's next."""
    if argument is None:
        return None
    if isinstance(argument, tuple):
        return [_tensors(one, recorder) for one in argument]
    tensor = _empty(argument)
    recorder.given(tensor)
    return tensor


def _placed(model: Any, call: Call, inputs: Sequence[Any]) -> str | None:
    """Give the class's parameters the memory of the call's; say which of the call's have no place.

    A parameter goes by its name, else by its shape, in the order of both states.
    """
    assert call.model is not None
    own = {k: v for k, v in model.state_dict(keep_vars=True).items() if v.is_floating_point() or v.dim() > 0}
    wanted = {key: inputs[place] for key, place in call.model.state}
    pairs = {k: t for k, t in wanted.items() if k in own and own[k].shape == t.shape}
    rest = {k: v for k, v in own.items() if k not in pairs}
    left = []
    for key, tensor in wanted.items():
        if key in pairs:
            continue
        same = next((k for k, v in rest.items() if v.shape == tensor.shape), None)
        if same is None:
            left.append(f"{key} {list(tensor.shape)}")
        else:
            pairs[same] = tensor
            del rest[same]
    for key, tensor in pairs.items():
        path, _, last = key.rpartition(".")
        owner = model.get_submodule(path)
        if last in owner._parameters:
            owner._parameters[last] = torch.nn.Parameter(tensor, requires_grad=False)
        else:
            owner._buffers[last] = tensor
    if not left:
        return None
    has = ", ".join(f"{k} {list(v.shape)}" for k, v in own.items()) or "none"
    return f"The reference's model has {', '.join(left[:8])}; the class has {has[:600]}."


def _raised(error: BaseException, job: RecordingJob) -> Raised:
    path = str(job.folder / job.file)
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    text = " ".join(str(error).split())[:600]
    return Raised(
        kind="raised",
        code="MODEL_CLASS",
        text=f"{job.name} raises {type(error).__name__}: {text}".rstrip(": "),
        line=lines[-1] if lines else None,
    )


def _call(model_class: Any, call: Call, recorder: Recorder) -> None:
    assert call.model is not None
    inputs = [_tensors(argument, recorder) for argument in call.inputs]
    args, named = json.loads(call.model.init)
    torch.default_generator.manual_seed(MODEL_SEED)
    model = model_class(*_fitting(model_class, args), **named).eval()
    keep_as_buffers(model)
    left = _placed(model, call, inputs)
    if left is not None:
        recorder.write(Unplaced(kind="unplaced", text=left))
    model.to("npu")
    for tensor in model.state_dict(keep_vars=True).values():
        if not any(tensor is given or tensor.data_ptr() == given.data_ptr() for given in _all(inputs)):
            recorder.holds(tensor, has_values=True)
    _forward(model, call, inputs, recorder)
    if recorder.computed:
        return
    stays = {place for _, place in call.model.state}
    ends = time.monotonic() + _FURTHER_S
    for n in range(max(1, min(_MOST_FURTHER, _FURTHER_BYTES // max(1, call.size_bytes)))):
        if n and (time.monotonic() > ends or recorder.long):
            return
        recorder.write(CalledAgain(kind="again"))
        further = [v if k in stays else _tensors(call.inputs[k], recorder) for k, v in enumerate(inputs)]
        _forward(model, call, further, recorder)
        if recorder.computed:
            return


def _forward(model: Any, call: Call, inputs: Sequence[Any], recorder: Recorder) -> None:
    assert call.model is not None
    arguments = [_argument(a, inputs) for a in json.loads(call.model.arguments)]
    with torch.no_grad(), Watch(recorder.computes, recorder.copies, recorder.holds):
        returned = model(*arguments)
    outputs = []
    for value in flat_outputs(returned):
        if not isinstance(value, torch.Tensor):
            raise InputError(f"forward returns a {type(value).__name__}.", "Return tensors of the device.")
        if value.device.type != "npu":
            recorder.computes("forward, which returns a tensor of the host")
            raise _Stop
        outputs.append(recorder.view(value))
    for view in outputs:
        recorder._hand_over(view.memory)
    recorder.write(Returned(kind="returned", outputs=tuple(outputs)))


def _fitting(model_class: Any, args: list[Any]) -> list[Any]:
    """Leave the constructor's arguments out where it takes none."""
    try:
        inspect.signature(model_class).bind(*args)
    except TypeError:
        return [] if not inspect.signature(model_class).parameters else args
    except ValueError:
        pass
    return args


def _all(inputs: Sequence[Any]) -> list[torch.Tensor]:
    return [t for t in flat_outputs(list(inputs)) if isinstance(t, torch.Tensor)]


def _argument(said: dict[str, Any], inputs: Sequence[Any]) -> Any:
    if "input" in said:
        return inputs[said["input"]]
    if "dict" in said:
        return {key: _argument(inner, inputs) for key, inner in said["dict"].items()}
    if "list" in said:
        return [_argument(inner, inputs) for inner in said["list"]]
    if "tuple" in said:
        return tuple(_argument(inner, inputs) for inner in said["tuple"])
    return getattr(torch, said["dtype"]) if "dtype" in said else said["value"]


class _WhateverItRaises:
    """Write down what a stranger's class raises, whatever it is, as the end of its record."""

    def __init__(self, recorder: Recorder, job: RecordingJob) -> None:
        self._recorder, self._job = recorder, job

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, _Stop):
            self._recorder.write(Returned(kind="returned", outputs=()))
        elif error is not None:
            vendor = _VENDOR_MODULE.search(str(error))
            if vendor is not None:
                self._recorder.notes(f"torch.ops.{vendor[1]}.{vendor[2]}, an operator of the vendor")
            self._recorder.write(_raised(error, self._job))
        self._recorder.end()
        return True


class _LaunchServer:
    """Whom launches go to: the recorder of the call that is being made."""

    def __init__(self) -> None:
        self.recorder: Recorder | None = None

    def __call__(self, name: str, given: Sequence[Given]) -> None:
        if self.recorder is None:
            raise InputError(f"{name} is called when the module is imported.", "Call it in forward.")
        self.recorder.launched(name, given)


def _load(job: RecordingJob) -> ModuleType:
    path = job.folder / job.file
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def main(job_file: Path) -> None:
    """Record every call of a job."""
    job = RecordingJob.model_validate_json(job_file.read_bytes())
    torch.set_num_threads(1)
    ctypes.CDLL(str(job.chip_library), mode=ctypes.RTLD_GLOBAL)
    plugin = install_npu(job.device, job.chip)
    npu = ctypes.CDLL(str(job.device))
    npu.akgen_npu_find.restype = ctypes.c_bool
    server = _LaunchServer()
    module: ModuleType | None = None

    def vendor(name: str) -> Callable[..., NoReturn]:
        return vendor_operator(
            name, lambda operator: recorder.computes(f"{operator}, an operator of the vendor")
        )

    setattr(plugin, "__getattr__", vendor)  # noqa: B010 (a module's own)
    for i, call in enumerate(job.calls):
        recorder = Recorder(npu, job.out, str(i), job)
        server.recorder = recorder if module is not None else None
        with _WhateverItRaises(recorder, job):
            if module is None:
                if job.binding is not None:
                    extension: Any = attach(job.binding, server)
                    extension.akgen_any_name = job.binding.any_name or not job.binding.has_module
                    import_as_named(extension, job.folder / job.file)
                module = _load(job)
                server.recorder = recorder
            _call(getattr(module, job.name), call, recorder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
