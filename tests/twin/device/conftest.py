"""Run a few lines of kernel code on simulated cores: inputs in, outputs and findings out."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from akgen.knowledge.chip import DEFAULT_CHIP, chip, constant_lines, launcher_text
from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Launch, RunOptions
from akgen.tools.twin.host.host_run import TilingResult
from akgen.tools.twin.kernel.kernel_build import BuiltKernel, build_kernel
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.launch import KernelRun, launch
from akgen.tools.twin.runtime_build import Runtime, build_runtime
from akgen.tools.twin.settings import TwinSettings, user_cache
from tests.twin.compilers import ALL_WARNINGS, with_own_warnings_off

Array = np.ndarray[Any, Any]

# `x` is read and `y` is written; `in` and `out` are tensors over them. The body stands where BODY is.
FRAME = """#include "kernel_operator.h"
using namespace AscendC;
using T = %(element)s;
%(before)s
extern "C" __global__ __aicore__ void probe(GM_ADDR x, %(more)sGM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    %(task)s
    GlobalTensor<T> in, out;
    in.SetGlobalBuffer((__gm__ T *)x);
    out.SetGlobalBuffer((__gm__ T *)y);
    TPipe pipe;
%(body)s
}
"""
CPP = {
    "float32": "float",
    "float16": "half",
    "int32": "int32_t",
    "int8": "int8_t",
    "uint8": "uint8_t",
    "uint16": "bfloat16_t",
}


class Ran(NamedTuple):
    """What one launch gave. `source` is the kernel's text, for finding lines in it."""

    launch: Launch
    y: Array | None
    source: str

    @property
    def codes(self) -> list[str]:
        return [d.code for d in self.launch.diagnostics]

    def one(self, code: str) -> Diagnostic:
        """Return the only finding with this code."""
        found = [d for d in self.launch.diagnostics if d.code == code]
        assert len(found) == 1, self.launch.diagnostics
        return found[0]

    def assert_stopped(self, code: str, at: str = "// HERE") -> Diagnostic:
        """Check that the launch ended with this code on the marked line, and nothing else was wrong."""
        errors = [d for d in self.launch.diagnostics if d.severity == "error"]
        assert [d.code for d in errors] == [code], self.launch.diagnostics
        lines = [n for n, line in enumerate(self.source.splitlines(), 1) if at in line]
        assert errors[0].line in lines, (errors[0], lines)
        return errors[0]

    def assert_warned(self, code: str, at: str = "// HERE") -> Diagnostic:
        """Check that the launch went on, and was told nothing but this, on the marked line."""
        found = self.one(code)
        assert self.codes == [code] and found.severity == "warning", self.launch.diagnostics
        assert at in self.source.splitlines()[(found.line or 0) - 1], found
        return found


class Probe:
    """Compiles a kernel body and runs it on `block_dim` vector cores."""

    def __init__(self, runtime: Runtime, store: ContentCache, folder: Path, chip_file: Path) -> None:
        self.runtime, self.store, self.folder, self.chip_file = runtime, store, folder, chip_file
        self.runs = 0

    def build(self, source: str) -> BuiltKernel:
        files = {"op_kernel/probe.cpp": with_own_warnings_off(source)}
        project = KernelProject(op_type="Probe", kernel="probe", files=files)
        return build_kernel(project, None, Variant(None, 0), self.runtime, self.store)

    def __call__(
        self,
        body: str,
        x: Array,
        y: Array,
        *,
        before: str = "",
        task: str = "",
        block_dim: int = 1,
        auto_sync: bool = True,
        zeroed: bool = False,
        trace: bool = False,
        what_if: bool = False,
        workspace_bytes: int = 0,
        tiling: bytes | None = None,
        strict: bool = False,
        inputs: int = 1,
        timeout_s: float = 20.0,
    ) -> Ran:
        """`y` gives the output's type and shape; with `zeroed` it starts as zeros, else as NaN.

        With more `inputs` than one each is `x`; the kernel has them as x1, x2, ... too.
        """
        more = "".join(f"GM_ADDR x{n}, " for n in range(1, inputs))
        source = FRAME % {
            "element": CPP[x.dtype.name],
            "before": before,
            "task": task,
            "body": body,
            "more": more,
        }
        built = self.build(source)
        assert built.library is not None, built.diagnostics
        self.runs += 1
        folder = self.folder / str(self.runs)
        folder.mkdir()
        x.tofile(folder / "x.bin")
        call = Call(
            inputs=(TensorFile(dtype=DType(x.dtype.name), shape=x.shape, path=folder / "x.bin"),) * inputs,
            outputs=(OutputMeta(meta=TensorMeta(dtype=DType(y.dtype.name), shape=y.shape), zeroed=zeroed),),
        )
        what = KernelRun(
            library=built.library,
            symbol=built.symbol,
            op=None,
            tiling=TilingResult(
                block_dim=block_dim, tiling_key=0, workspace_bytes=workspace_bytes, data=tiling
            ),
            auto_sync=auto_sync,
            chip_file=self.chip_file,
            toolchain="twin",
            strict=strict,
        )
        done = launch(
            self.runtime, what, call, folder, RunOptions(timeout_s=timeout_s, trace=trace, what_if=what_if)
        )
        got = None
        if done.outputs:
            file = done.outputs[0]
            assert isinstance(file, TensorFile)
            got = np.fromfile(file.path, dtype=y.dtype).reshape(y.shape)
        return Ran(done, got, source)


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    return build_runtime(TwinSettings(cache=user_cache(os.environ), kernel_flags=ALL_WARNINGS), print)


# What every launch takes, whatever its kernel does.
WITHOUT_START = {"launch_us": 0.0, "launch_core_us": 0.0, "block_start_us": 0.0, "pipe_init_cycles": 0.0}


@pytest.fixture
def probe(runtime: Runtime, tmp_path: Path) -> Probe:
    """Launch kernels whose time is that of their instructions alone."""
    chip_file = tmp_path / "chip.txt"
    chip_file.write_text(launcher_text(chip(DEFAULT_CHIP)) + constant_lines(WITHOUT_START))
    return Probe(runtime, ContentCache(user_cache(os.environ) / "kernel"), tmp_path, chip_file)


@pytest.fixture
def launched(probe: Probe) -> Probe:
    """Launch kernels whose time holds their start, as users see it."""
    probe.chip_file.write_text(launcher_text(chip(DEFAULT_CHIP)))
    return probe


@pytest.fixture
def numbers() -> Callable[..., Array]:
    """Return a function that draws float32 numbers, the same ones in every run."""

    def draw(*shape: int, dtype: str = "float32") -> Array:
        values = np.random.default_rng(7).standard_normal(shape)
        return values.astype(dtype) if dtype.startswith("float") else (values * 50).astype(dtype)

    return draw
