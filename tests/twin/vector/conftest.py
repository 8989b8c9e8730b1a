"""Run many small pieces of kernel code in one launch on one vector core, and compare each with NumPy."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from akgen.knowledge.chip import DEFAULT_CHIP, chip, launcher_text
from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
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
CPP = {
    "float16": "half", "float32": "float", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t",
    "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t",
    "bool": "bool",
}  # fmt: skip
LANE_BYTES = 32
TEMPORARY_BYTES = 32768


class Case(NamedTuple):
    """`code` sees the inputs as a, b, c, the destination as out (filled with `out`) and a byte tensor tmp.

    `types` overrides the C++ element types, in the order a, b, c, out; "" keeps NumPy's.
    """

    name: str
    code: str
    inputs: tuple[Array, ...]
    out: Array
    want: Array
    rtol: float = 0.0
    atol: float = 0.0
    types: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    def check(self, got: Array) -> None:
        """Compare, NaN with NaN; integers and tolerance 0 must agree exactly."""
        if self.rtol == 0.0 and self.atol == 0.0:
            np.testing.assert_array_equal(got, self.want)
        else:
            exact = self.want.astype(np.float64)
            np.testing.assert_allclose(got.astype(np.float64), exact, rtol=self.rtol, atol=self.atol)


class Bench:
    """Builds a kernel from cases and runs it."""

    def __init__(self, runtime: Runtime, store: ContentCache, chip_file: Path) -> None:
        self.runtime, self._store, self._chip_file = runtime, store, chip_file
        self.last_source = ""

    def build(self, source: str) -> BuiltKernel:
        files = {"op_kernel/vector_cases.cpp": with_own_warnings_off(source)}
        project = KernelProject(op_type="VectorCases", kernel="vector_cases", files=files)
        return build_kernel(project, None, Variant(None, 0), self.runtime, self._store)

    def launch(self, cases: Sequence[Case], folder: Path, *, only: int = -1) -> Launch:
        """Run all cases, or the one with that number. The kernel is built once for both."""
        folder.mkdir(parents=True, exist_ok=True)
        self.last_source = _source(cases)
        built = self.build(self.last_source)
        assert built.library is not None, built.diagnostics
        blob = b"".join(_padded(part) for case in cases for part in (*case.inputs, case.out))
        file = folder / "in.bin"
        file.write_bytes(_padded(np.array([only], dtype=np.int32)) + blob)
        length = file.stat().st_size
        out_bytes = sum(len(_padded(case.out)) for case in cases)
        call = Call(
            inputs=(TensorFile(dtype=DType.UINT8, shape=(length,), path=file),),
            outputs=(OutputMeta(meta=TensorMeta(dtype=DType.UINT8, shape=(out_bytes,)), zeroed=True),),
        )
        what = KernelRun(
            library=built.library,
            symbol=built.symbol,
            op=None,
            tiling=TilingResult(data=None, block_dim=1, tiling_key=0, workspace_bytes=0),
            auto_sync=True,
            chip_file=self._chip_file,
            toolchain="twin",
        )
        return launch(self.runtime, what, call, folder, RunOptions(timeout_s=60.0))

    def run(self, cases: Sequence[Case], folder: Path) -> dict[str, Array]:
        """Return what each case left in its destination."""
        done = self.launch(cases, folder)
        assert done.outcome is None, done.diagnostics
        written = done.outputs[0]
        assert isinstance(written, TensorFile)
        raw = written.path.read_bytes()
        results, at = {}, 0
        for case in cases:
            results[case.name] = np.frombuffer(raw, case.out.dtype, case.out.size, at).reshape(case.out.shape)
            at += len(_padded(case.out))
        assert len(results) == len(cases), "names must differ"
        return results


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    settings = TwinSettings(cache=user_cache(os.environ), kernel_flags=ALL_WARNINGS)
    chip_file = tmp_path_factory.mktemp("chip") / "chip.txt"
    chip_file.write_text(launcher_text(chip(DEFAULT_CHIP)))
    return Bench(build_runtime(settings, print), ContentCache(settings.cache / "kernel"), chip_file)


@pytest.fixture(scope="session")
def case() -> Callable[..., Case]:
    return Case


def _padded(array: Array) -> bytes:
    raw = array.tobytes()
    return raw + b"\0" * (-len(raw) % LANE_BYTES)


def _source(cases: Sequence[Case]) -> str:
    """Write the kernel: each case copies its operands in, runs its code and copies the destination out."""
    parts, at_in, at_out = [], LANE_BYTES, 0
    for number, case in enumerate(cases):
        lines, ub = [], 0
        names = [*"abc"[: len(case.inputs)], "out"]
        for i, (name, array) in enumerate(zip(names, (*case.inputs, case.out), strict=True)):
            cpp = case.types[i] if i < len(case.types) and case.types[i] else CPP[array.dtype.name]
            size = len(_padded(array))
            lines.append(f"LocalTensor<uint8_t> {name}_bytes = memory.GetWithOffset<uint8_t>({size}, {ub});")
            lines.append(f"LocalTensor<{cpp}> {name} = {name}_bytes.ReinterpretCast<{cpp}>();")
            lines.append(f"DataCopy({name}_bytes, input[{at_in}], {size});")
            ub, at_in = ub + size, at_in + size
        out_size = len(_padded(case.out))
        lines.append(f"LocalTensor<uint8_t> tmp = memory.GetWithOffset<uint8_t>({TEMPORARY_BYTES}, {ub});")
        lines += ["PipeBarrier<PIPE_ALL>();", case.code, "PipeBarrier<PIPE_ALL>();"]
        lines += [f"DataCopy(output[{at_out}], out_bytes, {out_size});", "PipeBarrier<PIPE_ALL>();"]
        at_out += out_size
        body = "\n    ".join(lines)
        parts.append(f"if (only == -1 || only == {number}) {{ // {case.name}\n    {body}\n}}")
    body = "\n".join(parts)
    return f"""#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR y)
{{
TPipe pipe;
TBuf<TPosition::VECCALC> memory;
pipe.InitBuffer(memory, 180 * 1024);
GlobalTensor<uint8_t> input, output;
input.SetGlobalBuffer(x);
output.SetGlobalBuffer(y);
GlobalTensor<int32_t> selector;
selector.SetGlobalBuffer((__gm__ int32_t *)x);
const int32_t only = selector.GetValue(0);
{body}
}}
"""
