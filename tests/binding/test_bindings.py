"""Bindings written for the NPU run unmodified: their checks of the device, their names, their launches."""

import os
import runpy
import sys
from pathlib import Path

import pytest
import torch

from akgen.tools.binding.imports import import_as_named
from akgen.tools.binding.module import load
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.twin.conftest import project_folder

HERE = Path(__file__).parent
# folder: the binding's source, files of kernels, projects of operators
FAST = {
    "custom_ops": ("pybind11.cpp", (), ("scale_add",)),
}
SLOW = {
    "direct_add": ("add_custom.asc", (), ()),
    "aclrtlaunch": ("pybind11.cpp", ("leaky_relu.cpp",), ()),
    "library_exec": ("op.cpp", (), ("scale_add",)),
    "autograd": ("op.cpp", (), ()),
    "op_command": ("op.cpp", (), ()),
    "foreach": ("pybind11.cpp", (), ("list_scale",)),
    "two_outputs": ("op.cpp", (), ()),
    "optional_bias": ("op.cpp", (), ()),
    "library_class": ("op.cpp", (), ()),
}


@pytest.fixture(scope="module")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain


@pytest.mark.parametrize("name", [*FAST, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_a_binding_for_the_npu_runs_unmodified(
    twin: TwinToolchain, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, kernels, projects = (FAST | SLOW)[name]
    folder = HERE / name
    operators = [
        KernelProject.read_from(project_folder(p), "".join(w.capitalize() for w in p.split("_")), p)
        for p in projects
    ]
    monkeypatch.setattr(torch.ops, "load_library", torch.ops.load_library)  # both come back afterwards
    before = set(sys.modules)
    module = load(folder / source, operators, twin, kernels=[folder / k for k in kernels], progress=print)
    try:
        import_as_named(module, folder / "check.py")
        runpy.run_path(str(folder / "check.py"), run_name="__main__")
    finally:
        for new in set(sys.modules) - before - {n for n in sys.modules if n.startswith("torch")}:
            del sys.modules[new]
    assert sum(len(o.launches) for o in module.akgen_operators) > 0
