"""The module `kernel_gen_ops` that a task's ModelNew imports, made from its pybind.cpp.

Calling one of its functions runs the binding as written: outputs are allocated, arguments prepared, and at
EXEC_NPU_CMD the launch is handed to whoever listens. What the binding does with the outputs afterwards (casts,
slices, the order in which it returns them) runs too, so the benchmark's own check sees what it would see.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from akgen.bench.npukb.cpp.interpreter import Interpreter
from akgen.bench.npukb.cpp.parser import parse
from akgen.bench.npukb.cpp.torch_library import TorchLibrary

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
