"""The runtime's and the operator library's C interface through ctypes. The worker's only door to a device.

Source: vendor pages "aclInit", "aclrtSetDevice", "aclrtMalloc", "aclrtMemcpy", "aclrtMemset", "aclrtGetMemInfo",
"aclrtSynchronizeStreamWithTimeout", "aclrtEventElapsedTime", "aclCreateTensor", "aclnnXxxGetWorkspaceSize".
No torch_npu: the versions of torch have no part in a verdict.
"""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from akgen.tools.cann.arguments import ArrayKind, Number
from akgen.tools.core.dtypes import DType

_TO_DEVICE, _TO_HOST = 1, 2
_TIMELINE_EVENT = 8  # ACL_EVENT_TIME_LINE
_DDR, _HBM = (
    0,
    1,
)  # ACL_DDR_MEM, ACL_HBM_MEM: of the kind that a device lacks, nothing is free and nothing there


class AclError(Exception):
    """A call returned a non-zero code."""

    def __init__(self, function: str, code: int, text: str = "") -> None:
        super().__init__(f"{function} returned {code}" + (f": {text}" if text else ""))
        self.function, self.code, self.text = function, code, text


class NpuDevice:
    """A device, one stream on it, and the memory taken there."""

    def __init__(self, number: int) -> None:
        self._acl = ctypes.CDLL("libascendcl.so")
        self._acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self._call("aclInit", None)
        self._number = number
        self._call("aclrtSetDevice", ctypes.c_int32(number))
        self.stream = self._made("aclrtCreateStream")

    def limit(self, timeout_s: float) -> None:
        """Bound one operator's time on the device, where the runtime can."""
        if hasattr(self._acl, "aclrtSetOpExecuteTimeOut"):
            self._call("aclrtSetOpExecuteTimeOut", ctypes.c_uint32(max(1, int(timeout_s))))

    def take(self, size_bytes: int) -> int:
        """Allocate; addresses are aligned to 512 bytes."""
        return self._made("aclrtMalloc", ctypes.c_size_t(max(1, size_bytes)), ctypes.c_int(0)).value or 0

    def free_bytes(self) -> int | None:
        """Return how much memory is free on the device; None where the runtime does not say."""
        if not hasattr(self._acl, "aclrtGetMemInfo"):
            return None
        for kind in (_HBM, _DDR):
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            code = self._acl.aclrtGetMemInfo(ctypes.c_int(kind), ctypes.byref(free), ctypes.byref(total))
            if code == 0 and total.value:
                return free.value
        return None

    def put(self, address: int, data: bytes) -> None:
        size = ctypes.c_size_t(len(data))
        self._call("aclrtMemcpy", ctypes.c_void_p(address), size, data, size, ctypes.c_int(_TO_DEVICE))

    def get(self, address: int, size_bytes: int) -> bytes:
        data = ctypes.create_string_buffer(size_bytes)
        size = ctypes.c_size_t(size_bytes)
        self._call("aclrtMemcpy", data, size, ctypes.c_void_p(address), size, ctypes.c_int(_TO_HOST))
        return data.raw

    def fill(self, address: int, size_bytes: int, value: int) -> None:
        size = ctypes.c_size_t(size_bytes)
        self._call(
            "aclrtMemsetAsync", ctypes.c_void_p(address), size, ctypes.c_int32(value), size, self.stream
        )

    def wait(self, timeout_s: float) -> None:
        """Wait for the stream; raises AclError, 507046 if the time passes."""
        self._call("aclrtSynchronizeStreamWithTimeout", self.stream, ctypes.c_int32(int(timeout_s * 1000)))

    def event(self) -> ctypes.c_void_p:
        return self._made("aclrtCreateEventWithFlag", ctypes.c_uint32(_TIMELINE_EVENT))

    def record(self, event: ctypes.c_void_p) -> None:
        self._call("aclrtRecordEvent", event, self.stream)

    def elapsed_us(self, first: ctypes.c_void_p, last: ctypes.c_void_p) -> float:
        found = ctypes.c_float()
        self._call("aclrtEventElapsedTime", ctypes.byref(found), first, last)
        return found.value * 1000

    def close(self) -> None:
        """Give everything back; a profiler writes what it holds only then."""
        self._call("aclrtDestroyStream", self.stream)
        self._call("aclrtResetDevice", ctypes.c_int32(self._number))
        self._call("aclFinalize")

    def _made(self, function: str, *arguments: Any) -> ctypes.c_void_p:
        """Call a function whose first parameter takes what it makes."""
        made = ctypes.c_void_p()
        self._call(function, ctypes.byref(made), *arguments)
        return made

    def _call(self, function: str, *arguments: Any) -> None:
        code = getattr(self._acl, function)(*arguments)
        if code != 0:
            raise AclError(function, code, self.recent())

    def recent(self) -> str:
        """Return the runtime's own words for its last error."""
        said = self._acl.aclGetRecentErrMsg()
        return said.decode(errors="replace")[-2000:] if said else ""


class Aclnn:
    """Tensors and arrays for the entries of one operator package."""

    def __init__(self) -> None:
        self._base = ctypes.CDLL("libnnopbase.so", mode=ctypes.RTLD_GLOBAL)
        for kind in ("Tensor", "TensorList", "IntArray", "FloatArray", "BoolArray"):
            getattr(self._base, f"aclCreate{kind}").restype = ctypes.c_void_p
        self._keep: list[object] = []

    def tensor(self, address: int, shape: Sequence[int], dtype: DType, form: int) -> ctypes.c_void_p:
        """Describe contiguous device memory at `address`."""
        rank = len(shape)
        strides = [1] * rank
        for axis in range(rank - 2, -1, -1):
            strides[axis] = strides[axis + 1] * shape[axis + 1]
        dims, steps = (ctypes.c_int64 * rank)(*shape), (ctypes.c_int64 * rank)(*strides)
        self._keep += [dims, steps]
        return self._create(
            "Tensor", dims, ctypes.c_uint64(rank), ctypes.c_int(dtype.ge_value), steps, ctypes.c_int64(0),
            ctypes.c_int(form), dims, ctypes.c_uint64(rank), ctypes.c_void_p(address),
        )  # fmt: skip

    def tensor_list(self, tensors: Sequence[ctypes.c_void_p]) -> ctypes.c_void_p:
        array = (ctypes.c_void_p * len(tensors))(*[t.value for t in tensors])
        self._keep.append(array)
        return self._create("TensorList", array, ctypes.c_uint64(len(tensors)))

    def array(self, kind: ArrayKind, values: Sequence[Number]) -> ctypes.c_void_p:
        size = len(values)
        made: ctypes.Array[Any]
        if kind == "int":
            made = (ctypes.c_int64 * size)(*(int(v) for v in values))
        elif kind == "float":
            made = (ctypes.c_float * size)(*(float(v) for v in values))
        else:
            made = (ctypes.c_bool * size)(*(bool(v) for v in values))
        self._keep.append(made)
        return self._create(f"{kind.capitalize()}Array", made, ctypes.c_uint64(size))

    def _create(self, kind: str, *arguments: Any) -> ctypes.c_void_p:
        made = getattr(self._base, f"aclCreate{kind}")(*arguments)
        if not made:
            raise AclError(f"aclCreate{kind}", 561103)
        return ctypes.c_void_p(made)


class _Place(ctypes.Structure):
    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("at", ctypes.c_void_p),
    ]


class Operator:
    """The two entries of one operator, from the library that its build made and from no other."""

    def __init__(self, library: Path, op_type: str) -> None:
        """Raises OSError if the library cannot be loaded, AclError 561003 if it lacks the entries."""
        loaded = ctypes.CDLL(str(library))
        self._size_entry = self._own(loaded, library, f"aclnn{op_type}GetWorkspaceSize")
        self._entry = self._own(loaded, library, f"aclnn{op_type}")

    def workspace_size(self, arguments: Sequence[object]) -> tuple[int, ctypes.c_void_p]:
        """Tile, and return the bytes of workspace that the call needs and its executor."""
        size, executor = ctypes.c_uint64(0), ctypes.c_void_p()
        code = self._size_entry(*arguments, ctypes.byref(size), ctypes.byref(executor))
        if code != 0:
            raise AclError(self._size_entry.__name__, code)
        return size.value, executor

    def launch(self, workspace: int, size: int, executor: ctypes.c_void_p, stream: ctypes.c_void_p) -> None:
        where = ctypes.c_void_p(workspace if size else None)
        code = self._entry(where, ctypes.c_uint64(size), executor, stream)
        if code != 0:
            raise AclError(self._entry.__name__, code)

    @staticmethod
    def _own(loaded: ctypes.CDLL, library: Path, name: str) -> Any:
        """Find an entry; a symbol that another library answers with is a decoy."""
        try:
            entry = getattr(loaded, name)
        except AttributeError as absent:
            raise AclError(name, 561003, f"{library.name} has no {name}") from absent
        place = _Place()
        # glibc 2.34 and later have dladdr in the C library, earlier ones in libdl
        finder = ctypes.CDLL(None)
        dladdr = finder.dladdr if hasattr(finder, "dladdr") else ctypes.CDLL("libdl.so.2").dladdr
        known = dladdr(ctypes.cast(entry, ctypes.c_void_p), ctypes.byref(place))
        if not known or Path(place.file.decode()).resolve() != library.resolve():
            raise AclError(name, 561003, f"{name} comes from {place.file!r} and not from {library.name}")
        return entry
