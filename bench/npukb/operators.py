"""The module `kernel_gen_ops` that a task's ModelNew imports, made from its pybind.cpp.

Calling one of its functions runs the binding as written: outputs are allocated, arguments prepared, and at
EXEC_NPU_CMD the launch is handed to whoever listens. What the binding does with the outputs afterwards (casts,
slices, the order in which it returns them) runs too, so the benchmark's own check sees what it would see.
TorchLibrary says what `torch::`, `at::`, `c10::` and `std::` names mean, on CPU tensors.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from akgen.bench.npukb.cpp.interpreter import Interpreter, Unknown
from akgen.bench.npukb.cpp.list_methods import list_method
from akgen.bench.npukb.cpp.parser import parse
from akgen.bench.npukb.cpp.values import IntArray, Options, Pointer, Scalar

Listener = Callable[["RecordedLaunch"], None]


@dataclass
class RecordedLaunch:
    """What one EXEC_NPU_CMD was given, with the allocations that preceded it."""

    name: str
    args: list[Any]
    cleared: list[Any] = field(default_factory=list)  # tensors that the binding filled with zeros
    converted: list[tuple[Any, Any]] = field(
        default_factory=list
    )  # (result, source), filled until the call ends


class Operators:
    """The functions of one pybind.cpp. `listener` is called at every launch."""

    def __init__(self, path: Path, kernel: str) -> None:
        self.listener: Listener | None = None
        self.unit = parse(path.read_text(errors="replace"), path.name)
        self.where = path.name
        self.module = ModuleType("kernel_gen_ops")
        for exported, function in self.unit.exports.items():
            name = kernel if exported == "custom_pybind_api" else exported
            setattr(self.module, name, self._bind(function))

    def _bind(self, function: str) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            library = TorchLibrary(self._launch)
            self.library = library
            interpreter = Interpreter(self.unit, library, self.where)
            if function in self.unit.refused:
                raise self.unit.refused[function]
            python = [list(a) if isinstance(a, tuple) else a for a in args]
            return interpreter.call(self.unit.functions[function], python, named)

        return call

    def _launch(self, name: str, args: list[Any]) -> None:
        if self.listener is not None:
            self.listener(RecordedLaunch(name, args, self.library.cleared, self.library.converted))


_DTYPES = {
    "Float": torch.float32, "Float32": torch.float32, "Half": torch.float16, "Float16": torch.float16,
    "BFloat16": torch.bfloat16, "Double": torch.float64, "Float64": torch.float64, "Byte": torch.uint8,
    "UInt8": torch.uint8, "Char": torch.int8, "Int8": torch.int8, "Short": torch.int16, "Int16": torch.int16,
    "Int": torch.int32, "Int32": torch.int32, "Long": torch.int64, "Int64": torch.int64, "Bool": torch.bool,
    "ComplexFloat": torch.complex64,
}  # fmt: skip
_SPACES = ("torch::", "at::", "c10::", "std::")
_PLAIN = {
    "contiguous", "clone", "narrow", "sum", "transpose", "squeeze", "unsqueeze", "select", "flatten", "numel", "dim",
    "t", "permute", "is_contiguous", "slice", "any", "all", "max", "min", "abs", "eq", "ne",
}  # fmt: skip
_UNDEFINED: dict[str, Callable[[], Any]] = {
    "defined": lambda: False,
    "has_value": lambda: False,
    "cpu": lambda: None,
}


class TorchLibrary:
    """Allocates on the CPU and remembers which tensors were cleared and which were converted from which."""

    def __init__(self, launch: Callable[[str, list[Any]], None]) -> None:
        self._launch = launch
        self.cleared: list[torch.Tensor] = []
        self.converted: list[tuple[torch.Tensor, torch.Tensor]] = []  # (result, what it was converted from)

    def launch(self, name: str, args: list[Any]) -> None:
        self._launch(name, args)

    def constant(self, name: str) -> Any:
        short = _strip(name)
        for prefix in ("ScalarType::", "k"):
            if short.startswith(prefix) and short.removeprefix(prefix) in _DTYPES:
                return _DTYPES[short.removeprefix(prefix)]
        if short in ("nullopt", "nullopt_t"):
            return None
        raise Unknown(name)

    def call(self, name: str, args: list[Any]) -> Any:
        short = _strip(name)
        if short in ("empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like"):
            return self._allocate(short, args)
        if short in ("TensorOptions", "dtype"):
            return Options(args[0] if args else None)
        if short == "ConvertType":
            return _convert_type(args[0])
        if short == "ConvertTensorToAclScaler" or short == "ConvertTensorToScalar":
            return Scalar(args[0].reshape(-1)[0].item(), origin=args[0])
        if short == "infer_size":
            return list(torch.broadcast_shapes(tuple(args[0]), tuple(args[1])))
        if short in ("ceil", "floor", "sqrt", "abs", "round", "pow", "exp", "log"):
            return getattr(math, {"abs": "fabs"}.get(short, short))(*args) * 1.0
        if short in ("max", "min"):
            return (max if short == "max" else min)(*args)
        if short in ("make_tuple", "tie", "make_pair"):
            return list(args)
        if short in (
            "runtime_error",
            "invalid_argument",
            "to_string",
            "move",
            "optional",
            "Tensor",
            "make_optional",
        ):
            return args[0] if args else None
        raise Unknown(name)

    def method(self, owner: Any, name: str, args: list[Any]) -> Any:
        if name in ("value", "has_value", "value_or") and not isinstance(owner, Options):
            return _optional(owner, name, args)
        if owner is None and name in _UNDEFINED:
            return _UNDEFINED[name]()
        match owner:
            case torch.Tensor():
                return self._tensor(owner, name, args)
            case list():
                return list_method(owner, name, args)
            case Options():
                return (
                    Options(args[0])
                    if name == "dtype" and args
                    else owner.dtype
                    if name == "dtype"
                    else owner
                )
            case Scalar():
                return owner.value
            case str() if name == "c_str":
                return owner
            case str() if name in ("size", "length", "empty"):
                return not owner if name == "empty" else len(owner)
            case str() if name == "compare":
                return 0 if owner == args[0] else 1
            case dict() if name in ("at", "find", "count"):
                return owner[args[0]] if name == "at" else int(args[0] in owner)
        raise Unknown(f"{type(owner).__name__}.{name}")

    def _allocate(self, name: str, args: list[Any]) -> torch.Tensor:
        like = args[0] if name.endswith("_like") else None
        dtype = next((d for d in (_dtype(a) for a in args[1:]) if d is not None), None)
        shape = (
            list(like.shape) if like is not None else [args[0]] if isinstance(args[0], int) else list(args[0])
        )
        if dtype is None:
            dtype = like.dtype if like is not None else torch.float32
        fill = args[1] if name == "full" else 1 if name.startswith("ones") else 0
        out = torch.full(shape, fill, dtype=dtype)
        if name.startswith("zeros"):
            self.cleared.append(out)
        return out

    def _tensor(self, t: torch.Tensor, name: str, args: list[Any]) -> Any:
        match name:
            case "sizes":
                return list(t.shape)
            case "size":
                return t.shape[args[0]]
            case "options":
                return Options(t.dtype)
            case "dtype" | "scalar_type":
                return t.dtype
            case "device" | "npu" | "cpu" | "cuda":
                return t
            case "defined":
                return True
            case "item":
                return t.item()
            case "data_ptr" | "accessor":
                flat = t.reshape(-1).tolist() if name == "data_ptr" else t.tolist()
                return Pointer(flat, 0, t) if name == "data_ptr" else flat
            case "element_size":
                return t.element_size()
            case "zero_" | "fill_":
                t.fill_(args[0] if args else 0)
                if not args or args[0] == 0:
                    self.cleared.append(t)
                return t
            case "to" | "toType":
                dtype = next((d for d in (_dtype(a) for a in args) if d is not None), t.dtype)
                result = t.to(dtype)
                if result is not t:
                    self.converted.append((result, t))
                return result
            case "view" | "reshape" | "expand":
                shape = args[0] if isinstance(args[0], list) else args
                return getattr(t, name)(shape)
        if name in _PLAIN:
            return getattr(t, name)(*args)
        raise Unknown(f"at::Tensor::{name}")


def _strip(name: str) -> str:
    for space in _SPACES:
        name = name.removeprefix(space)
    return name


def _dtype(value: Any) -> Any:
    if isinstance(value, torch.dtype):
        return value
    return value.dtype if isinstance(value, Options) else None


def _optional(owner: Any, name: str, args: list[Any]) -> Any:
    if name == "has_value":
        return owner is not None
    if owner is None and name == "value_or":
        return args[0]
    return owner


def _convert_type(value: Any) -> Any:
    return IntArray(tuple(int(v) for v in value), origin=value) if isinstance(value, list) else value
