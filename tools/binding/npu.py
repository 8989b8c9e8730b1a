"""PyTorch's device `npu` over host memory, and the module `torch_npu` that scripts import for it.

A process has the device for good once it is installed.
Not covered: several devices, streams that run beside each other,
graphs, distributed work.
"""

import contextlib
import ctypes
import sys
import time
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

import torch

_DEVICE = "npu"


class _Stream:
    """The one stream: everything has happened when a call returns."""

    def __init__(self, *_: object, **__: object) -> None:
        self.npu_stream = 0

    def synchronize(self) -> None: ...

    def wait_stream(self, _: object) -> None: ...

    def wait_event(self, _: object) -> None: ...

    def record_event(self, event: "_Event | None" = None) -> "_Event":
        event = event or _Event()
        event.record()
        return event


class _Event:
    def __init__(self, *_: object, **__: object) -> None:
        self._at = 0.0

    def record(self, _: object = None) -> None:
        self._at = time.perf_counter()

    def synchronize(self) -> None: ...

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: "_Event") -> float:
        """Return milliseconds of this machine, not of a device."""
        return (end._at - self._at) * 1e3


def install_npu(library: Path, chip: str) -> ModuleType:
    """Register the device, once for the process, and `torch_npu`; return that module, or the one that is imported."""
    known = sys.modules.get("torch_npu")
    if known is not None:
        return known
    npu = getattr(torch, _DEVICE, None) or _register(library, chip)
    plugin: Any = ModuleType("torch_npu")
    plugin.npu = npu
    plugin.__version__ = torch.__version__
    plugin.__getattr__ = vendor_operator
    plugin.__path__ = []  # a package
    plugin.__spec__ = ModuleSpec("torch_npu", None, is_package=True)
    sys.modules["torch_npu"] = plugin
    sys.modules["torch_npu.npu"] = npu
    return sys.modules["torch_npu"]


def _register(library: Path, chip: str) -> ModuleType:
    ctypes.CDLL(str(library)).akgen_npu_register()
    torch.utils.rename_privateuse1_backend(_DEVICE)
    npu = _npu(chip)
    torch._register_device_module(_DEVICE, npu)
    torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, for_storage=False)
    return npu


def vendor_operator(name: str, called: Callable[[str], object] | None = None) -> Callable[..., NoReturn]:
    """Return what `torch_npu.npu_...` is here: a function that can be imported, as transformers does, but not called.

    `called` is told its name when it is called all the same. Raises AttributeError for other names.
    """
    if not name.startswith("npu_"):
        raise AttributeError(f"module 'torch_npu' has no attribute {name!r}")

    def absent(*_: object, **__: object) -> NoReturn:
        if called is not None:
            called(f"torch_npu.{name}")
        raise NotImplementedError(
            f"torch_npu.{name} is an operator of the vendor, which the twin does not have: "
            "call an operator of your own, or PyTorch's functions on tensors of the CPU."
        )

    return absent


def _npu(chip: str) -> ModuleType:
    npu: Any = ModuleType("torch.npu")
    for name, value in {
        "is_available": True, "is_initialized": True, "device_count": 1, "current_device": 0,
        "_is_in_bad_fork": False, "get_device_name": chip, "memory_allocated": 0, "max_memory_allocated": 0,
        "get_amp_supported_dtype": [torch.float16, torch.bfloat16],
    }.items():  # fmt: skip
        setattr(npu, name, _always(value))
    for name in ("init", "_lazy_init", "set_device", "synchronize", "empty_cache", "set_compile_mode", "set_option",
                 "reset_peak_memory_stats"):  # fmt: skip
        setattr(npu, name, _always(None))
    npu.manual_seed = npu.manual_seed_all = (
        torch.default_generator.manual_seed
    )  # torch.manual_seed calls these
    npu.get_rng_state = lambda _=0: torch.get_rng_state()
    npu.set_rng_state = lambda state, _=0: torch.set_rng_state(state)
    npu.Stream, npu.Event = _Stream, _Event
    npu.current_stream = npu.default_stream = lambda _=None: _Stream()
    npu.stream = npu.device = lambda _=None: contextlib.nullcontext()
    npu.config = SimpleNamespace(allow_internal_format=False)
    module: ModuleType = npu
    return module


def _always(value: object) -> Any:
    return lambda *_, **__: value
