"""The candidate's process on an NPU: `python -m akgen.tools.cann.worker REQUEST.json`.

Reads inputs, calls the operator, writes raw outputs. It never sees expected outputs. Needs torch_npu and CANN.

The operator's generated aclnn entry points are called through ctypes: no C++ binding has to be built.
Source: vendor pages "aclnnXxxGetWorkspaceSize", "aclCreateTensor", "aclCreateTensorList". Argument order of the
generated entry: inputs, attributes, outputs, then workspace size and executor. Not covered: aclScalar inputs.

What went wrong is told by the runtime's return code: the kernel's fault or the machine's.
Source: vendor page "aclError" (runtime return codes 107xxx, 207xxx, 507xxx).
"""

import ctypes
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from akgen.tools.core.call import Argument, Call, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrSpec, AttrValue, OpSpec
from akgen.tools.core.outcome import Diagnostic, InfraError, InputError, Outcome
from akgen.tools.core.poison import Poison

FORMAT_ND = 2
_ACL_TYPES = {dtype: dtype.ge_value for dtype in DType}


class AclError(Exception):
    """A call returned a non-zero code; the text carries it for classify."""


class AclnnLibrary:
    """The operator's libcust_opapi.so and the tensors handed to it."""

    def __init__(self, vendor: Path) -> None:
        self._base = ctypes.CDLL("libnnopbase.so")
        self._op = ctypes.CDLL(str(vendor / "op_api/lib/libcust_opapi.so"))
        self._keep: list[object] = []
        self._base.aclCreateTensor.restype = ctypes.c_void_p
        self._base.aclCreateTensorList.restype = ctypes.c_void_p
        self._base.aclCreateIntArray.restype = ctypes.c_void_p
        self._base.aclCreateFloatArray.restype = ctypes.c_void_p
        self._base.aclCreateBoolArray.restype = ctypes.c_void_p

    def tensor(self, address: int, shape: Sequence[int], dtype: DType) -> ctypes.c_void_p:
        """Describe contiguous device memory at `address`."""
        rank = len(shape)
        strides = [1] * rank
        for axis in range(rank - 2, -1, -1):
            strides[axis] = strides[axis + 1] * shape[axis + 1]
        dims = (ctypes.c_int64 * rank)(*shape)
        steps = (ctypes.c_int64 * rank)(*strides)
        self._keep += [dims, steps]
        made = self._base.aclCreateTensor(
            dims, ctypes.c_uint64(rank), _ACL_TYPES[dtype], steps, ctypes.c_int64(0), FORMAT_ND,
            dims, ctypes.c_uint64(rank), ctypes.c_void_p(address),
        )  # fmt: skip
        return ctypes.c_void_p(made)

    def tensor_list(self, tensors: Sequence[ctypes.c_void_p]) -> ctypes.c_void_p:
        array = (ctypes.c_void_p * len(tensors))(*[t.value for t in tensors])
        self._keep.append(array)
        return ctypes.c_void_p(self._base.aclCreateTensorList(array, ctypes.c_uint64(len(tensors))))

    def attribute(self, spec: AttrSpec, value: AttrValue) -> object:
        """Convert an attribute's value to the type that the generated entry takes."""
        if isinstance(value, tuple):
            numbers = tuple(v for v in value if not isinstance(v, tuple))
            if len(numbers) < len(value) or spec.type == "list_list_int":
                raise InputError(
                    f"Attribute {spec.name} is a list of lists.",
                    "CANN's aclnn calls take no such attribute here.",
                )
            return self._array(spec, numbers)
        if spec.type == "bool":
            return ctypes.c_bool(bool(value))
        if spec.type == "int" and isinstance(value, int | float):
            return ctypes.c_int64(int(value))
        if spec.type == "float" and isinstance(value, int | float):
            return ctypes.c_float(value)
        return ctypes.c_char_p(str(value).encode())

    def _array(self, spec: AttrSpec, values: tuple[int, ...] | tuple[float, ...]) -> object:
        size = ctypes.c_uint64(len(values))
        array: ctypes.Array[Any]
        if spec.type == "list_int":
            array = (ctypes.c_int64 * len(values))(*(int(v) for v in values))
            made = self._base.aclCreateIntArray(array, size)
        elif spec.type == "list_float":
            array = (ctypes.c_float * len(values))(*values)
            made = self._base.aclCreateFloatArray(array, size)
        else:
            array = (ctypes.c_bool * len(values))(*(bool(v) for v in values))
            made = self._base.aclCreateBoolArray(array, size)
        self._keep.append(array)
        return ctypes.c_void_p(made)

    def workspace_size(self, op_type: str, arguments: Sequence[object]) -> tuple[int, ctypes.c_void_p]:
        """Return the bytes of workspace that the call needs and its executor."""
        size, executor = ctypes.c_uint64(0), ctypes.c_void_p()
        entry = getattr(self._op, f"aclnn{op_type}GetWorkspaceSize")
        self._raise_on(entry(*arguments, ctypes.byref(size), ctypes.byref(executor)), entry.__name__)
        return size.value, executor

    def launch(self, op_type: str, workspace: int, size: int, executor: ctypes.c_void_p, stream: int) -> None:
        entry = getattr(self._op, f"aclnn{op_type}")
        self._raise_on(
            entry(ctypes.c_void_p(workspace), ctypes.c_uint64(size), executor, ctypes.c_void_p(stream)),
            entry.__name__,
        )

    @staticmethod
    def _raise_on(code: int, what: str) -> None:
        if code != 0:
            raise AclError(f"{what} returned {code}")


_NAN = b"\xff"  # in every float type


class RunnerRequest(Frozen):
    """One run. Output i is written to `folder/out<i>.bin`, element j of a list to `out<i>_<j>.bin`."""

    call: Call
    spec: OpSpec
    vendor: Path  # of the operator package
    folder: Path
    device: int
    launches: int = 1  # more than one only while profiling
    poison: Poison | None = None  # None: NaN


def main(path: str) -> None:
    """Run one request; errors of the runtime end the process with their text on stderr."""
    import torch
    import torch_npu

    request = RunnerRequest.model_validate_json(Path(path).read_text())
    torch.npu.set_device(request.device)
    library = AclnnLibrary(request.vendor)

    poison = request.poison
    outputs_fill = np.frombuffer(_NAN if poison is None else poison.outputs(), dtype=np.uint8)
    scratch_fill = np.frombuffer(_NAN if poison is None else poison.scratch(), dtype=np.uint8)

    def device_bytes(meta: TensorMeta) -> "torch.Tensor":
        if isinstance(meta, TensorFile):
            raw = torch.from_numpy(np.fromfile(meta.path, dtype=np.uint8))
        else:
            raw = torch.from_numpy(np.resize(outputs_fill, max(1, meta.size_bytes)))
        return raw.npu()

    def operand(argument: Argument) -> tuple[object, list["torch.Tensor"]]:
        if argument is None:
            return None, []
        if isinstance(argument, tuple):
            parts = [device_bytes(m) for m in argument]
            handles = [
                library.tensor(p.data_ptr(), m.shape, m.dtype) for p, m in zip(parts, argument, strict=True)
            ]
            return library.tensor_list(handles), parts
        part = device_bytes(argument)
        return library.tensor(part.data_ptr(), argument.shape, argument.dtype), [part]

    inputs = [operand(a) for a in request.call.inputs]
    given = {a.name: a.value for a in request.call.attrs}
    attrs = [library.attribute(a, given.get(a.name, a.default)) for a in request.spec.attrs]
    outputs = []
    handles = []
    for out in request.call.outputs:
        if out.aliases is not None:
            outputs.append(inputs[out.aliases][1])  # an in-place output is passed once
        else:
            handle, parts = operand(out.meta)
            handles.append(handle)
            outputs.append(parts)
    arguments = [*(handle for handle, _ in inputs), *attrs, *handles]
    stream = torch_npu.npu.current_stream().npu_stream
    for _ in range(request.launches):
        size, executor = library.workspace_size(request.spec.op_type, arguments)
        workspace = torch.from_numpy(np.resize(scratch_fill, max(1, size))).npu()
        library.launch(request.spec.op_type, workspace.data_ptr(), size, executor, stream)
        torch.npu.synchronize()
    for i, (out, parts) in enumerate(zip(request.call.outputs, outputs, strict=True)):
        metas = out.meta if isinstance(out.meta, tuple) else (out.meta,)
        for j, (meta, part) in enumerate(zip(metas, parts, strict=True)):
            name = f"out{i}_{j}.bin" if isinstance(out.meta, tuple) else f"out{i}.bin"
            part.cpu().numpy()[: meta.size_bytes].tofile(request.folder / name)


if __name__ == "__main__":
    main(sys.argv[1])


KERNEL_FAULTS = {
    507014: (Outcome.TIMEOUT, "TIMEOUT", "the AI core did not end in time"),
    507015: (Outcome.TRAP, "DEVICE_EXCEPTION", "the AI core raised an exception"),
    507016: (Outcome.TRAP, "DEVICE_EXCEPTION", "the AI core hit a trap"),
    507034: (Outcome.TIMEOUT, "TIMEOUT", "the vector core did not end in time"),
    507035: (Outcome.TRAP, "DEVICE_EXCEPTION", "the vector core raised an exception"),
    507036: (Outcome.TRAP, "DEVICE_EXCEPTION", "the vector core hit a trap"),
}
MACHINE_FAULTS = {
    107001: ("the device id is not valid", "Choose a device that npu-smi lists."),
    107002: ("the runtime has no context", "Check the driver and the CANN version."),
    207001: ("the device is out of memory", "Free the device or use smaller cases."),
    507010: ("the device lost its heartbeat", "Reset the device and look at its log."),
    507033: ("the device could not be opened", "Check that no other process holds the device."),
    507899: (
        "the driver reports an internal error",
        "Look at the driver's log; restart the device if it stays.",
    ),
}
_CODE = re.compile(r"\b([125]07\d{3})\b")


def classify(text: str) -> tuple[Outcome, Diagnostic]:
    """Read a failed run's error text.

    Return the attempt's outcome for a kernel's fault; raise InfraError for a machine's fault and for codes
    that are not known, so that an unknown failure is never scored against a kernel.
    """
    codes = [int(code) for code in _CODE.findall(text)]
    for code in codes:
        if code in MACHINE_FAULTS:
            what, remedy = MACHINE_FAULTS[code]
            raise InfraError(f"NPU runtime error {code}: {what}.", remedy)
    for code in codes:
        if code in KERNEL_FAULTS:
            outcome, name, what = KERNEL_FAULTS[code]
            return outcome, Diagnostic(
                code=name,
                text=f"NPU runtime error {code}: {what}.",
                stage="test",
                remedy="Check addresses, lengths and synchronisation; the twin names the instruction.",
            )
    raise InfraError(
        f"The NPU run failed without a known error code: {text.strip()[-200:] or 'no output'}.",
        "Look at the plog of the device.",
    )
