"""Call an operator's generated aclnn entry points through ctypes: no C++ binding has to be built.

Source: vendor pages "aclnnXxxGetWorkspaceSize", "aclCreateTensor", "aclCreateTensorList". Argument order of the
generated entry: inputs, attributes, outputs, then workspace size and executor. Not covered: aclScalar inputs.
"""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrSpec, AttrValue
from akgen.tools.core.outcome import InputError

FORMAT_ND = 2
_ACL_TYPES = {dtype: dtype.ge_value for dtype in DType}


class AclError(Exception):
    """A call returned a non-zero code; the text carries it for faults.classify."""


class Library:
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
