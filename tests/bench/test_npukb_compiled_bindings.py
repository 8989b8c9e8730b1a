"""The reader of NPUKernelBench's bindings, and the same bindings compiled: both give an operator the same arguments.

Each compile takes about ten seconds of a core where it is not in the cache.
"""

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from akgen.bench.npukb.cpp.values import IntArray, Scalar
from akgen.bench.npukb.discovery import describe, find_tasks
from akgen.bench.npukb.loader import execute, load
from akgen.bench.npukb.operators import RecordedLaunch
from akgen.bench.npukb.shims import benchmark_modules, seeded
from akgen.bench.npukb.sizes import sized
from akgen.bench.npukb.tensors import copied
from akgen.bench.sources import Answers
from akgen.tools.binding.build import build_binding
from akgen.tools.binding.module import attach, torch_parts
from akgen.tools.binding.module import load as load_binding
from akgen.tools.core.op_spec import snake_case
from akgen.tools.twin.compiler import find_compiler
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain

ROOT = os.environ.get("AKGEN_NPUKB_ROOT")
pytestmark = [
    pytest.mark.npukb,
    pytest.mark.slow,
    pytest.mark.skipif(ROOT is None, reason="AKGEN_NPUKB_ROOT is not set: no checkout of NPUKernelBench"),
]
# Scalars, optional tensors, texts, integer lists made by hand, lists of tensors and of scalars, one with only inputs.
TASKS = (
    "Arange",
    "CrossEntropyLoss",
    "Eye",
    "ForeachMulScalarList",
    "LayerNormV4",
    "StridedSliceAssignV2",
    "GroupGemm",
)
FOLDERS = [f for f in find_tasks(Path(ROOT)) if f.name.split("_")[0] in TASKS] if ROOT else []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_the_compiled_binding_passes_what_the_reader_says(folder: Path) -> None:
    task = sized(describe(folder))
    case = load(task.reference, min(task.cases, key=lambda c: c.size_bytes or 0))
    with benchmark_modules(case.operators.module), seeded(0):
        init = case.prepare.get_init_inputs(case.row, None)
    read: list[RecordedLaunch] = []
    case.operators.listener = read.append
    run_new(case.module, case.operators.module, init, case.example_args)
    seen: list[tuple[str, Any]] = []
    compiled = compiled_module(folder, lambda name, given: seen.append((name, list(given))))
    with benchmark_modules(compiled):
        module = execute(folder / "validation" / "module.py")
    run_new(module, compiled, init, case.example_args)
    assert len(read) == len(seen) == 1
    name, given = seen[0]
    assert name == read[0].name
    assert len(given) == len(read[0].args)
    inputs = len(case.declared.spec.inputs)
    for i, ((kind, value), wanted) in enumerate(zip(given, read[0].args, strict=True)):
        assert plain(value, i < inputs) == plain(wanted, i < inputs), f"argument {i} ({kind})"


def compiled_module(folder: Path, listener: Any) -> ModuleType:
    """Return the task's binding, compiled, under the names that its ModelNew uses."""
    settings = TwinSettings(cache=user_cache(os.environ))
    source = folder / "validation" / "pybind.cpp"
    built = build_binding(source, torch_parts(), find_compiler(settings), settings.cache, print)
    return named_for(folder, attach(built, listener))


def named_for(folder: Path, compiled: ModuleType) -> ModuleType:
    """Return the module with the names that the task's ModelNew uses."""
    module = ModuleType("kernel_gen_ops")
    for name in (n for n in vars(compiled) if not n.startswith("__")):
        exported = snake_case(folder.name.split("_")[0]) if name == "custom_pybind_api" else name
        setattr(module, exported, getattr(compiled, name))
    return module


def run_new(module: ModuleType, operators: ModuleType, init: Any, args: Any) -> None:
    with benchmark_modules(operators), torch.no_grad():
        module.ModelNew(*copied(init))(*copied(args))


def plain(value: Any, with_values: bool) -> Any:
    """Reduce an argument to what an operator gets of it. What an output holds before the launch does not count."""
    if isinstance(value, torch.Tensor):
        return (str(value.dtype), tuple(value.shape), value.flatten().tolist() if with_values else None)
    if isinstance(value, Scalar):
        return value.value
    if isinstance(value, IntArray):
        return list(value.values)
    if isinstance(value, list | tuple):
        return [plain(v, with_values) for v in value]
    return value


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_the_answer_called_through_its_compiled_binding_passes_the_tasks_own_check(folder: Path) -> None:
    twin = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    task = sized(describe(folder))
    case = load(task.reference, min(task.cases, key=lambda c: c.size_bytes or 0))
    answer = Answers().project(describe(folder), 0)
    assert answer is not None
    compiled = load_binding(folder / "validation" / "pybind.cpp", [answer], twin, progress=print)
    module = named_for(folder, compiled)
    with benchmark_modules(case.operators.module), seeded(0):
        init = case.prepare.get_init_inputs(case.row, None)
    with benchmark_modules(module), torch.no_grad():
        own = execute(folder / "validation" / "module.py")
        wanted = own.Model(*copied(init))(*copied(case.example_args))
        got = own.ModelNew(*copied(init))(*copied(case.example_args))
    assert case._objection(wanted, got) is None
    (launch,) = compiled.akgen_operators[0].launches
    assert not [d for d in launch.diagnostics if d.severity == "error"]
