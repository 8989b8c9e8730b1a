"""Data types as the operator interface names them."""

from enum import StrEnum


class DType(StrEnum):
    """A tensor's element type, under PyTorch's name."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT64 = "float64"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    BOOL = "bool"
    COMPLEX64 = "complex64"

    @property
    def size_bytes(self) -> int:
        return _SIZES[self]

    @property
    def ge_name(self) -> str:
        """Return the graph engine's name, as op_host writes it (`DT_FLOAT16`)."""
        return "DT_" + _GE[self]

    @property
    def ge_value(self) -> int:
        """Return the graph engine's enum value; kernels use it as a tiling key."""
        return _GE_VALUES[self]

    @property
    def cpp_name(self) -> str:
        """Return the type's name in kernel code (`half`), as DTYPE_<NAME> expands to it."""
        return _CPP[self]

    @property
    def real(self) -> "DType":
        """Return the type of what kernels move and compute with: complex numbers are pairs of floats."""
        return DType.FLOAT32 if self == DType.COMPLEX64 else self

    @property
    def is_float(self) -> bool:
        return self in (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, DType.FLOAT64)


_SIZES = {
    DType.FLOAT32: 4, DType.FLOAT16: 2, DType.BFLOAT16: 2, DType.FLOAT64: 8, DType.INT8: 1, DType.INT16: 2,
    DType.INT32: 4, DType.INT64: 8, DType.UINT8: 1, DType.UINT16: 2, DType.UINT32: 4, DType.UINT64: 8,
    DType.BOOL: 1, DType.COMPLEX64: 8,
}  # fmt: skip
_GE = {
    DType.FLOAT32: "FLOAT", DType.FLOAT16: "FLOAT16", DType.BFLOAT16: "BF16", DType.FLOAT64: "DOUBLE",
    DType.INT8: "INT8", DType.INT16: "INT16", DType.INT32: "INT32", DType.INT64: "INT64",
    DType.UINT8: "UINT8", DType.UINT16: "UINT16", DType.UINT32: "UINT32", DType.UINT64: "UINT64",
    DType.BOOL: "BOOL", DType.COMPLEX64: "COMPLEX64",
}  # fmt: skip
_GE_VALUES = {
    DType.FLOAT32: 0, DType.FLOAT16: 1, DType.INT8: 2, DType.INT32: 3, DType.UINT8: 4, DType.INT16: 6,
    DType.UINT16: 7, DType.UINT32: 8, DType.INT64: 9, DType.UINT64: 10, DType.FLOAT64: 11, DType.BOOL: 12,
    DType.COMPLEX64: 16, DType.BFLOAT16: 27,
}  # fmt: skip
_CPP = {
    DType.FLOAT32: "float", DType.FLOAT16: "half", DType.BFLOAT16: "bfloat16_t", DType.FLOAT64: "double",
    DType.INT8: "int8_t", DType.INT16: "int16_t", DType.INT32: "int32_t", DType.INT64: "int64_t",
    DType.UINT8: "uint8_t", DType.UINT16: "uint16_t", DType.UINT32: "uint32_t", DType.UINT64: "uint64_t",
    DType.BOOL: "bool", DType.COMPLEX64: "complex64",
}  # fmt: skip
BY_GE_NAME = {d.ge_name: d for d in DType}
