"""Import a binding so that its operator runs on the twin: results come back into the binding's own tensors.

The binding is the user's code and runs in the caller's process; host code and kernel run in the sandbox, as ever.
"""

import ctypes
import functools
import importlib.machinery
import importlib.util
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

import torch
from torch.utils.cpp_extension import include_paths

from akgen.tools.binding.arguments import Given, Target, bind
from akgen.tools.binding.build import (
    BuiltBinding,
    TorchParts,
    build_binding,
    build_chip,
    build_device,
)
from akgen.tools.binding.npu import install_npu
from akgen.tools.core.call import TensorFile
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import Diagnostic, InputError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Launch, Progress, RunOptions
from akgen.tools.direct.kernels import DirectKernels
from akgen.tools.reference.tensors import read
from akgen.tools.twin.compiler import find_compiler
from akgen.tools.twin.toolchain import TwinToolchain

_COUNT = itertools.count()
Listener = Callable[[str, Sequence[Given]], None]
_P = ParamSpec("_P")
_R = TypeVar("_R")


class OperatorFailed(RuntimeError):
    """The operator was refused, or a check ended its launch; `diagnostics` says why."""

    def __init__(self, name: str, what: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        told = "; ".join(_told(d) for d in diagnostics if d.severity == "error")
        super().__init__(f"{name} {what}: {told or 'nothing is known about it'}")
        self.diagnostics = diagnostics


class BoundOperator:
    """Runs what a binding launches. `launches` holds every launch so far, with predicted times and warnings."""

    def __init__(self, project: KernelProject, twin: TwinToolchain, *, timeout_s: float = 120.0) -> None:
        self.op_type = project.op_type
        self.launches: list[Launch] = []
        self._project, self._twin = project, twin
        self._timeout_s = timeout_s
        self._spec: OpSpec | None = None

    def launch(self, name: str, given: Sequence[Given]) -> None:
        """Serve one EXEC_NPU_CMD. Raises OperatorFailed, InputError, InfraError."""
        with tempfile.TemporaryDirectory(prefix="akgen-binding-") as work:
            folder = Path(work)
            bound = bind(name, given, self._interface(name, folder), folder)
            build = self._twin.compile(self._project, [bound.call], folder / "build")
            if build.outcome is not None:
                raise OperatorFailed(name, f"does not build ({build.outcome})", build.diagnostics)
            done = self._twin.run(build, bound.call, folder / "run", RunOptions(timeout_s=self._timeout_s))
            if done.outcome is not None:
                raise OperatorFailed(name, f"failed on the twin ({done.outcome})", done.diagnostics)
            for target, files in zip(bound.targets, done.outputs, strict=True):
                _fill(target, files)
        self.launches.append(done.model_copy(update={"outputs": ()}))

    def _interface(self, name: str, folder: Path) -> OpSpec:
        if self._spec is None:
            spec, found = self._twin.read_spec(self._project, folder / "spec")
            if spec is None:
                raise OperatorFailed(name, "has no interface", found)
            self._spec = spec
        return self._spec


class LaunchedKernels:
    """The launches of one kernel that a binding launches itself."""

    def __init__(self, kernel: str) -> None:
        self.op_type = kernel
        self.launches: list[Launch] = []

    def launch(self, value: Any, kernels: DirectKernels, timeout_s: float) -> None:
        """Run the kernel on the memory that the binding names, and copy it back. Raises OperatorFailed, InfraError."""
        file, blocks, arguments, memory = value
        with tempfile.TemporaryDirectory(prefix="akgen-binding-") as work:
            folder = Path(work)
            files = [folder / f"memory_{i}.bin" for i in range(len(memory))]
            for path, (address, size) in zip(files, memory, strict=True):
                path.write_bytes(ctypes.string_at(address, size))
            launched = kernels.launch(
                self.op_type, Path(file), blocks, arguments, files, folder / "run", timeout_s=timeout_s
            )
            done = launched.done
            if done.outcome is not None:
                raise OperatorFailed(self.op_type, f"failed on the twin ({done.outcome})", done.diagnostics)
            for path, (address, size) in zip(launched.memory, memory, strict=True):
                ctypes.memmove(address, path.read_bytes(), size)
        self.launches.append(done.model_copy(update={"outputs": ()}))


def load(
    source: Path,
    projects: Sequence[KernelProject],
    twin: TwinToolchain,
    *,
    kernels: Sequence[Path] = (),
    progress: Progress = lambda _: None,
    timeout_s: float = 120.0,
) -> ModuleType:
    """Return the binding's module; its attribute `akgen_operators` holds the BoundOperator of each project, in order.

    aclnnX is served by the project whose operator is X, whatever its name if there is one project. A kernel that the
    binding launches itself, from its own text or from the files `kernels`, joins the operators when it is launched.
    Compiles the binding if its content is new. Raises InputError if it does not compile.
    """
    operators = [BoundOperator(project, twin, timeout_s=timeout_s) for project in projects]
    launched: dict[str, LaunchedKernels] = {}
    compiler = find_compiler(twin.settings)
    chip = build_chip(twin.chip_file.with_suffix(".h"), compiler, twin.settings.cache)
    ctypes.CDLL(str(chip), mode=ctypes.RTLD_GLOBAL)
    install_npu(build_device(torch_parts(), compiler, twin.settings.cache, progress), twin.settings.chip)
    built = build_binding(
        source,
        torch_parts(),
        compiler,
        twin.settings.cache,
        progress,
        kernels=kernels,
        runtime=twin.runtime.folder,
    )
    direct = DirectKernels((source, *kernels), (), twin)

    def serve(name: str, given: Sequence[Given]) -> None:
        if given and given[0][0] == "launch":
            if name not in launched:
                launched[name] = LaunchedKernels(name)
                module.akgen_operators.append(launched[name])
            launched[name].launch(given[0][1], direct, timeout_s)
            return
        if not operators:
            raise InputError(f"No operator is given for {name}.", "Add the project of that operator.")
        wanted = name.removeprefix("aclnn").lower()
        fitting = [o for o in operators if o.op_type.lower() == wanted] or list(operators)
        if len(fitting) > 1:
            have = ", ".join(o.op_type for o in operators)
            raise InputError(
                f"No project is named for {name}; there are {have}.", "Add the project of that operator."
            )
        fitting[0].launch(name, given)

    module = attach(built, serve)
    module.akgen_operators = list(operators)  # type: ignore[attr-defined]
    module.akgen_any_name = built.any_name or not built.has_module  # type: ignore[attr-defined]
    return module


def attach(built: BuiltBinding, listener: Listener) -> ModuleType:
    """Import a built binding and let `listener` serve its launches.

    Each call gives a module of its own, with a listener of its own, also for the same file: Python and pybind11 keep
    modules by name and path, so each has another package and is loaded from a copy.
    """
    with tempfile.TemporaryDirectory(prefix="akgen-binding-") as folder:
        library = Path(folder) / built.library.name
        shutil.copyfile(built.library, library)
        if not built.has_module:
            ctypes.PyDLL(str(library), mode=ctypes.RTLD_GLOBAL).akgen_listen(ctypes.py_object(listener))
            return ModuleType(built.module)
        name = f"akgen_binding_{next(_COUNT)}.{built.module}"
        loader = importlib.machinery.ExtensionFileLoader(name, str(library))
        spec = importlib.util.spec_from_file_location(name, library, loader=loader)
        if spec is None:
            raise InputError(f"{built.library} is no module.", "Delete it and load the binding again.")
        extension = importlib.util.module_from_spec(spec)
        loader.exec_module(extension)
        ctypes.PyDLL(str(library)).akgen_listen(ctypes.py_object(listener))
    module = ModuleType(built.module, extension.__doc__)
    for name in (n for n in vars(extension) if not n.startswith("__")):
        value = getattr(extension, name)
        setattr(module, name, _filled(value) if callable(value) and not isinstance(value, type) else value)
    return module


def torch_parts() -> TorchParts:
    """Return what of this process's PyTorch a binding is compiled against."""
    return TorchParts(
        version=torch.__version__,
        include=tuple(Path(p) for p in include_paths()),
        library=Path(torch.__file__).parent / "lib",
        options=(f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",),
    )


def _filled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let torch::empty give NaN while a binding's function runs, as memory of a device may hold anything."""

    @functools.wraps(function)
    def call(*args: _P.args, **named: _P.kwargs) -> _R:
        with _fill_empty():
            return function(*args, **named)

    return call


@contextmanager
def _fill_empty() -> Iterator[None]:
    before = torch.are_deterministic_algorithms_enabled()
    only_warn = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=only_warn)


def _fill(target: Target, files: TensorFile | tuple[TensorFile, ...]) -> None:
    if isinstance(target, tuple):
        assert isinstance(files, tuple)
        for one, file in zip(target, files, strict=True):
            _fill(one, file)
        return
    assert not isinstance(files, tuple)
    with torch.no_grad():
        target.copy_(read(files))


def _told(d: Diagnostic) -> str:
    place = f" ({d.file}:{d.line})" if d.file and d.line else ""
    return f"{d.code}{place}: {d.text}" + (f" {d.remedy}" if d.remedy else "")
