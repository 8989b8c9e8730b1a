"""Run the tasks' Python files: with stand-ins for what they import, and deterministically.

The files import torch_npu and the benchmark's own framework, and draw random integers as only an NPU allows. All
changes to modules are undone when the context ends. Runs in the reference process only.
"""

import importlib.util
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch.utils._device import _device_constructors

from akgen.tools.core.outcome import InputError

TASK_ERRORS = (
    RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError, NameError, ImportError, SyntaxError,
    ArithmeticError, AssertionError,
)  # fmt: skip
INTEGER_SPREAD = 10  # random integers stand where an NPU draws floats into an integer tensor


def execute(path: Path) -> ModuleType:
    """Import a file of the checkout under a name of its own, without leaving it in sys.modules."""
    spec = importlib.util.spec_from_file_location(f"npukb_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"{path} does not exist.", "Check that the checkout is complete.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except TASK_ERRORS as e:
        raise InputError(
            f"{path} cannot be loaded: {type(e).__name__}: {first_line(e)}.", "Correct the file."
        ) from e
    return module


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


@contextmanager
def benchmark_modules(operators: ModuleType) -> Iterator[None]:
    """Make `import kernel_gen_ops` give `operators`, and the other imports of the tasks succeed."""
    transfer = ModuleType("torch_npu.contrib.transfer_to_npu")
    contrib = ModuleType("torch_npu.contrib")
    contrib.transfer_to_npu = transfer  # type: ignore[attr-defined]
    npu = ModuleType("torch_npu")
    npu.contrib = contrib  # type: ignore[attr-defined]
    helpers = ModuleType("framework.utils")
    helpers.check_precision = check_precision  # type: ignore[attr-defined]
    framework = ModuleType("framework")
    framework.utils = helpers  # type: ignore[attr-defined]
    modules = {m.__name__: m for m in (transfer, contrib, npu, helpers, framework)}
    modules["kernel_gen_ops"] = operators
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def check_precision(
    outputs: Any, outputs_new: Any, max_abs_error: float, max_rel_error: float
) -> tuple[int, torch.Tensor, torch.Tensor]:
    """Apply the benchmark's rule: an element fails if both errors are too large; every value must be finite.

    Returns (1 or 0, all absolute errors, all relative errors), as its callers expect.
    """
    ok, absolute, relative = True, [], []
    for want, got in zip(_as_list(outputs), _as_list(outputs_new), strict=False):
        if got.dtype == torch.bool:
            want, got = want.to(torch.int), got.to(torch.int)
        difference = torch.abs(want - got)
        ratio = difference / (torch.abs(want) + 1e-7)
        ok &= all(bool(torch.isfinite(t).all()) for t in (want, got, difference, ratio))
        ok &= not bool(((difference > max_abs_error) & (ratio > max_rel_error)).any())
        absolute.append(difference.reshape(-1))
        relative.append(ratio.reshape(-1))
    return int(ok), torch.cat(absolute), torch.cat(relative)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw from this seed, also integers through float generators; restore all generators afterwards."""
    _device_constructors()  # kept from its first call on, which must see PyTorch's own functions
    states = random.getstate(), np.random.get_state(), torch.random.get_rng_state()
    original = {name: getattr(torch, name) for name in ("randn", "rand", "randn_like", "rand_like")}
    methods = {name: getattr(torch.Tensor, name) for name in ("uniform_", "normal_")}
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.default_generator.manual_seed(
        seed
    )  # torch.manual_seed would note a traceback for devices not in use
    try:
        for name, function in original.items():
            setattr(torch, name, _integer_safe(function, signed="randn" in name))
        for name, function in methods.items():
            setattr(torch.Tensor, name, _integer_safe_method(function))
        yield
    finally:
        for name, function in original.items():
            setattr(torch, name, function)
        for name, function in methods.items():
            setattr(torch.Tensor, name, function)
        random.setstate(states[0])
        np.random.set_state(states[1])
        torch.random.set_rng_state(states[2])


def _as_list(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]


def _integral(dtype: torch.dtype | None) -> bool:
    return dtype is not None and not dtype.is_floating_point and not dtype.is_complex


def _integer_safe(function: Callable[..., torch.Tensor], *, signed: bool) -> Callable[..., torch.Tensor]:
    def draw(*args: Any, **named: Any) -> torch.Tensor:
        dtype = named.get("dtype")
        if dtype is None and args and isinstance(args[0], torch.Tensor):
            dtype = args[0].dtype
        if not _integral(dtype):
            return function(*args, **named)
        values = function(*args, **{**named, "dtype": torch.float32}) * INTEGER_SPREAD
        return (values if signed else values.abs()).trunc().to(dtype)

    return draw


def _integer_safe_method(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def fill(tensor: torch.Tensor, *args: Any, **named: Any) -> torch.Tensor:
        if not _integral(tensor.dtype):
            return function(tensor, *args, **named)
        return tensor.copy_(function(torch.empty(tensor.shape), *args, **named).trunc())

    return fill
