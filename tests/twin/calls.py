"""Calls of our projects, with NumPy values in files."""

from pathlib import Path
from typing import Any

import numpy as np

from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrValue

Array = np.ndarray[Any, Any]


def tensor(value: Array, folder: Path, name: str) -> TensorFile:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.bin"
    value.tofile(file)
    return TensorFile(dtype=DType(value.dtype.name), shape=value.shape, path=file)


def meta(dtype: DType, *shape: int) -> TensorMeta:
    return TensorMeta(dtype=dtype, shape=shape)


def read(file: TensorFile) -> Array:
    return np.fromfile(file.path, dtype=file.dtype.value).reshape(file.shape)


def scale_add(x: Array, z: Array, folder: Path, **attrs: AttrValue) -> Call:
    return Call(
        inputs=(tensor(x, folder, "x"), tensor(z, folder, "z")),
        attrs=tuple(Attr(name=n, value=v) for n, v in attrs.items()),
        outputs=(OutputMeta(meta=meta(DType(x.dtype.name), *x.shape)),),
    )


def kinds(mode: str, *, bias: bool = False, dtype: DType = DType.FLOAT16, out: DType = DType.BOOL) -> Call:
    """Describe a call of the `kinds` project; no values, for it is not launched."""
    return Call(
        inputs=(meta(dtype, 16), meta(DType.FLOAT32, 16) if bias else None),
        attrs=(Attr(name="axis", value=-1), Attr(name="mode", value=mode)),
        outputs=(OutputMeta(meta=meta(out, 16)),),
    )
