"""What the host library says of the norms' tilings and buffers is what the device needs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from akgen.tools.core.call import Call, OutputMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.kernel.kernel_prelude import vendor_structs
from akgen.tools.twin.toolchain import TwinToolchain


def test_norms_run_with_the_tilings_and_the_least_buffers_of_the_host(
    twin: TwinToolchain, project: Callable[..., KernelProject], calls: Any, tmp_path: Path
) -> None:
    x = np.random.default_rng(3).standard_normal((8, 8, 32)).astype(np.float32)
    shape = calls.meta(DType.FLOAT32, *x.shape)
    call = Call(inputs=(calls.tensor(x, tmp_path, "x"),), outputs=(OutputMeta(meta=shape),))
    build = twin.compile(project("norm_chain"), [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = twin.run(build, call, tmp_path / "run")
    assert launch.outcome is None and not launch.diagnostics, launch.diagnostics
    v = torch.nn.functional.group_norm(torch.tensor(x).double(), 2, eps=1e-5)
    v = torch.nn.functional.layer_norm(2 * v, (32,), eps=1e-5)
    v = (v - v.mean(0)) / torch.sqrt(v.var(0, correction=0) + 1e-5)
    v = v / torch.sqrt((v**2).mean(-1, keepdim=True) + 1e-5)
    v = torch.nn.functional.layer_norm(v, (32,), eps=1e-5)
    expected = v.reshape(64, 32).T.reshape(x.shape).numpy()
    np.testing.assert_allclose(calls.read(launch.outputs[0]), expected, rtol=1e-3, atol=1e-4)


def test_library_structs_are_known_to_the_build() -> None:
    assert {
        "RmsNormTiling",
        "GroupNormTiling",
        "TopkTiling",
        "PadTiling",
        "LayerNormGradTiling",
    } <= vendor_structs()
