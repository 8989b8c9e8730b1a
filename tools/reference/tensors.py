"""Tensors between PyTorch and raw files."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from akgen.tools.core.call import TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InputError


def dtype_of(dtype: torch.dtype) -> DType:
    """Return our name of a torch dtype. Raises InputError for one that operators do not know."""
    name = str(dtype).removeprefix("torch.")
    try:
        return DType(name)
    except ValueError:
        raise InputError(
            f"Tensors of dtype {name} have no counterpart in an operator.",
            "Use one of " + ", ".join(DType) + ".",
        ) from None


def torch_dtype(dtype: DType) -> torch.dtype:
    found = getattr(torch, dtype.value)
    assert isinstance(found, torch.dtype)
    return found


def meta_of(tensor: torch.Tensor) -> TensorMeta:
    return TensorMeta(dtype=dtype_of(tensor.dtype), shape=tuple(tensor.shape))


def write(tensor: torch.Tensor, path: Path) -> TensorFile:
    """Write the tensor's elements, row-major, without a header."""
    flat = tensor.detach().contiguous()
    if flat.dtype == torch.bfloat16:  # NumPy has none; the bits are what counts
        flat = flat.view(torch.int16)
    flat.numpy().tofile(path)
    return TensorFile(dtype=dtype_of(tensor.dtype), shape=tuple(tensor.shape), path=path)


def read(file: TensorFile) -> torch.Tensor:
    """Read a tensor that fills its file exactly. Raises ValueError if it does not."""
    raw = np.fromfile(file.path, dtype=np.uint8)
    if raw.nbytes != file.size_bytes:
        raise ValueError(f"{file.path.name} holds {raw.nbytes} bytes instead of {file.size_bytes}")
    if raw.nbytes == 0:
        return torch.empty(file.shape, dtype=torch_dtype(file.dtype))
    return torch.from_numpy(raw).view(torch_dtype(file.dtype)).reshape(file.shape)


Written = TensorFile | tuple[TensorFile, ...] | None


def write_value(value: torch.Tensor | Sequence[torch.Tensor] | None, folder: Path, stem: str) -> Written:
    """Write a tensor, or each tensor of a list, below `folder`; None stays None."""
    if value is None:
        return None
    if isinstance(value, torch.Tensor):
        return write(value, folder / f"{stem}.bin")
    return tuple(write(t, folder / f"{stem}_{i}.bin") for i, t in enumerate(value))
