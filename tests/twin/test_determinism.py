"""Two launches of a project give the same bytes, findings and timeline; test_corpus.py does it for its kernels."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import RunOptions
from akgen.tools.twin.toolchain import TwinToolchain


@pytest.mark.parametrize(
    ("shape", "dtype"), [((7, 1003), "float32"), ((48, 4096), "float16"), ((3,), "float32")]
)
def test_two_launches_are_alike(
    twin: TwinToolchain,
    project: Callable[..., KernelProject],
    calls: Any,
    tmp_path: Path,
    shape: tuple[int, ...],
    dtype: str,
) -> None:
    source = np.random.default_rng(5)
    x, z = (source.standard_normal(shape).astype(dtype) for _ in range(2))
    call = calls.scale_add(x, z, tmp_path / "in", alpha=0.5)
    build = twin.compile(project("scale_add"), [call], tmp_path / "build")
    first, second = (twin.run(build, call, tmp_path / f"run{i}", RunOptions(trace=True)) for i in range(2))
    assert first.outcome is None, first.diagnostics
    assert first.diagnostics == second.diagnostics == ()
    assert calls.read(first.outputs[0]).tobytes() == calls.read(second.outputs[0]).tobytes()
    assert first.time_us == second.time_us
    assert first.profile is not None and second.profile is not None
    assert first.profile.model_copy(update={"trace": None}) == second.profile.model_copy(
        update={"trace": None}
    )
    assert first.profile.trace is not None and second.profile.trace is not None
    assert first.profile.trace.read_bytes() == second.profile.trace.read_bytes()
