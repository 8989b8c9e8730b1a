"""A user's binding, compiled for the CPU: its operators run on the twin, and arguments arrive as they were passed.

The binding is compiled once; that takes some seconds where it is not in the cache.
"""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from akgen.tools.binding.build import build_binding, prelude_digest
from akgen.tools.binding.module import OperatorFailed, attach, load, torch_parts
from akgen.tools.cann.trial import PROJECT as KNOWN_GOOD
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.compiler import find_compiler
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

HERE = Path(__file__).parent
PROJECTS = HERE.parents[1] / "twin" / "projects"
SOURCE = HERE / "ops.cpp"


def project(op_type: str, kernel: str) -> KernelProject:
    folder = KNOWN_GOOD if kernel == "scale_add" else PROJECTS / kernel
    return KernelProject.read_from(folder, op_type, kernel)


@pytest.fixture(scope="module")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain


@pytest.fixture(scope="module")
def module(twin: TwinToolchain) -> ModuleType:
    projects = [project("ScaleAdd", "scale_add"), project("ListScale", "list_scale")]
    return load(SOURCE, projects, twin, progress=print)


@pytest.mark.parametrize("dtype", sampled([torch.float32, torch.float16], 2))
def test_an_operator_gives_what_it_computes(module: ModuleType, dtype: torch.dtype) -> None:
    x, z = (torch.randn(7, 13, dtype=dtype) for _ in range(2))
    y = module.scale_add(x, z, 2.0)
    assert torch.equal(y, x + z * 2)
    assert module.akgen_operators[0].launches[-1].time_us > 0


def test_inputs_may_be_views(module: ModuleType) -> None:
    x = torch.randn(16, 32)
    y = module.scale_add(x.t(), x.t(), 1.0)
    assert torch.equal(y, (x + x).t())


def test_tensors_are_worked_on_in_place(module: ModuleType) -> None:
    tensors = [torch.arange(n, dtype=torch.float32) for n in (5, 64, 1000)]
    wanted = [3 * t for t in tensors]
    module.list_scale(tensors, 3)
    assert all(torch.equal(a, b) for a, b in zip(tensors, wanted, strict=True))


def test_a_refusal_of_the_host_raises_with_its_words(module: ModuleType) -> None:
    with pytest.raises(OperatorFailed, match="x and z differ in shape") as raised:
        module.scale_add(torch.ones(4), torch.ones(5), 1.0)
    assert [d.code for d in raised.value.diagnostics] == ["TILING_REFUSED"]


def test_a_call_that_does_not_fit_the_opdef_says_so(twin: TwinToolchain, module: ModuleType) -> None:
    own = load(SOURCE, [project("ScaleAdd", "scale_add")], twin)
    with pytest.raises(InputError, match="aclnnListScale is called with 2 arguments"):
        own.list_scale([torch.ones(3)], 2.0)


def test_two_loads_of_one_binding_do_not_share_their_operators(
    twin: TwinToolchain, module: ModuleType
) -> None:
    other = load(SOURCE, [project("ScaleAdd", "scale_add")], twin)
    before = [len(m.akgen_operators[0].launches) for m in (module, other)]
    module.scale_add(torch.ones(8), torch.ones(8), 1.0)
    assert [len(m.akgen_operators[0].launches) for m in (module, other)] == [before[0] + 1, before[1]]


def test_arguments_arrive_in_order_with_their_kinds(twin: TwinToolchain) -> None:
    built = build_binding(SOURCE, torch_parts(), find_compiler(twin.settings), twin.settings.cache, print)
    seen: list[Any] = []
    every_kind: Callable[..., None] = attach(built, lambda name, given: seen.append((name, given))).every_kind
    x = torch.tensor([1.5, 2.0])
    every_kind(x, None, [x, x + 1], "mean", [1, 2, 3], True, -1, [0.5])
    (name, given), = seen  # fmt: skip
    assert name == "aclnnEveryKind"
    assert [kind for kind, _ in given] == [
        "tensor", "none", "tensors", "str", "ints", "ints", "none", "scalar", "scalars", "bools", "bool", "int",
        "floats", "int", "str", "none", "none",
    ]  # fmt: skip
    values = [value for _, value in given]
    assert values[0] is x
    assert [t.tolist() for t in values[2]] == [[1.5, 2.0], [2.5, 3.0]]
    assert values[3:15] == [
        "mean", [1, 2, 3], [1, 2, 3], None, 1.5, [2.5, 3], [True, False], True, -1, [0.5], 0, "mean",
    ]  # fmt: skip


def test_a_binding_that_does_not_compile_says_where(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "pybind.cpp"
    source.write_text("PYBIND11_MODULE(kernel_gen_ops, m) {}\n")  # without the helper's header
    with pytest.raises(InputError, match=r"pybind\.cpp:1"):
        build_binding(source, torch_parts(), find_compiler(twin.settings), tmp_path / "cache", print)


def test_the_precompiled_header_serves_every_folder_with_the_same_pytorch(twin: TwinToolchain) -> None:
    here, compiler = torch_parts(), find_compiler(twin.settings)
    elsewhere = here.model_copy(
        update={"include": (Path("/opt/torch/include"),), "library": Path("/opt/lib")}
    )
    other = here.model_copy(update={"version": "2.0.0"})
    assert (
        prelude_digest(elsewhere, compiler)
        == prelude_digest(here, compiler)
        != prelude_digest(other, compiler)
    )
