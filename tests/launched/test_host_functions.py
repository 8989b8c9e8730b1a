"""What a host function may do and what it is told; several launches on memory of its own; records that it forged."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from akgen.tools.core.call import Attr, Call, OutputMeta, Poison, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import RunOptions
from akgen.tools.launched.record import host_head, record
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.host.host_run import HostFailure
from akgen.tools.twin.toolchain import TwinToolchain

FILE = "op_kernel/twice.asc"
KERNELS = """#include "akgen/tensor.h"
#include "kernel_operator.h"
using namespace AscendC;

template <typename T> __global__ __aicore__ void add_rows(GM_ADDR x, GM_ADDR row, GM_ADDR y, uint32_t rows, T factor)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> a, b;
    pipe.InitBuffer(a, 64 * sizeof(T));
    pipe.InitBuffer(b, 64 * sizeof(T));
    GlobalTensor<T> xGm, rowGm, yGm;
    xGm.SetGlobalBuffer((__gm__ T*)x, rows * 64);
    rowGm.SetGlobalBuffer((__gm__ T*)row, 64);
    yGm.SetGlobalBuffer((__gm__ T*)y, rows * 64);
    for (uint32_t i = GetBlockIdx(); i < rows; i += GetBlockNum()) {
        DataCopy(a.Get<T>(), xGm[i * 64], 64);
        DataCopy(b.Get<T>(), rowGm, 64);
        PipeBarrier<PIPE_ALL>();
        Muls(a.Get<T>(), a.Get<T>(), factor, 64);
        PipeBarrier<PIPE_V>();
        Add(a.Get<T>(), a.Get<T>(), b.Get<T>(), 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(yGm[i * 64], a.Get<T>(), 64);
        PipeBarrier<PIPE_ALL>();
    }
}
"""
HOST = """
void launch_twice(const akgen::Tensor& x, const akgen::Tensor& y, float factor, aclrtStream stream)
{
    uint8_t *middle = nullptr, *row = nullptr, *zero = nullptr;
    aclrtMalloc((void **)&middle, x.numel() * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void **)&row, 64 * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc((void **)&zero, 64 * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    std::vector<float> ones(64, 1.0f);
    aclrtMemcpy(row, 64 * 4, ones.data(), 64 * 4, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemset(zero, 64 * 4, 0, 64 * 4);
    BODY
    add_rows<float><<<4, nullptr, stream>>>(x.data, row, middle, x.size(0), 1.0f);
    add_rows<float><<<4, nullptr, stream>>>(middle, zero, y.data, x.size(0), factor);
    aclrtSynchronizeStream(stream);
}
"""
META = TensorMeta(dtype=DType.FLOAT32, shape=(6, 64))
CALL = Call(inputs=(META,), attrs=(Attr(name="factor", value=3.0),), outputs=(OutputMeta(meta=META),))


def project(body: str = "", host: str = HOST) -> KernelProject:
    return KernelProject(op_type="Twice", kernel="twice", files={FILE: KERNELS + host.replace("BODY", body)})


def test_launches_share_memory_that_the_host_allocated_and_set(
    launching: TwinToolchain, tmp_path: Path
) -> None:
    build = launching.compile(project(), [CALL], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    x = np.random.default_rng(1).standard_normal((6, 64)).astype(np.float32)
    x.tofile(tmp_path / "x.bin")
    given = TensorFile(dtype=META.dtype, shape=META.shape, path=tmp_path / "x.bin")
    call = CALL.model_copy(update={"inputs": (given,)})
    done = launching.run(build, call, tmp_path / "run", RunOptions(poison=Poison(seed=1)))
    assert done.outcome is None, done.diagnostics
    (out,) = done.outputs
    assert isinstance(out, TensorFile)
    assert np.allclose(np.fromfile(out.path, np.float32).reshape(6, 64), (x + 1) * 3, rtol=1e-6)
    assert done.profile is not None and done.time_us is not None and done.time_us > done.profile.time_us
    assert np.array_equal(np.fromfile(tmp_path / "x.bin", np.float32).reshape(6, 64), x)


@pytest.mark.slow
def test_programs_of_two_caches_that_share_entries_each_read_their_own_chip(
    launching: TwinToolchain, tmp_path: Path
) -> None:
    """A host's program names a file of the cache that it was built for, which may be gone when another one runs it."""
    asked = "if (platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv() == 0) return;"
    text = '#include "tiling/platform/platform_ascendc.h"\n' + HOST.replace("BODY", asked)
    for name in ("first", "second"):
        cache = tmp_path / name
        cache.mkdir()
        for shared in ("runtime", "kernel", "objects"):
            (cache / shared).symlink_to(launching.settings.cache / shared)
        (tmp_path / "host").mkdir(exist_ok=True)
        (cache / "host").symlink_to(tmp_path / "host")
        twin = make_twin(Settings(cache=cache))
        build = twin.compile(project(host=text), [CALL], tmp_path / f"build_{name}")
        assert build.outcome is None, build.diagnostics
        shutil.rmtree(cache)


MISTAKES = [  # one file holds all; the attribute says which is made
    ("if (*(float *)x.data > 0) return;", "HOST_CRASH", "SIGSEGV"),
    (
        "aclrtMemcpy(ones.data(), 4, x.data, 4, ACL_MEMCPY_DEVICE_TO_HOST);",
        "HOST_MEMORY",
        "does not see values",
    ),
    ("aclrtMemset(zero, 1 << 20, 0, 1 << 20);", "HOST_MEMORY", "reaches beyond"),
    ("row = (uint8_t *)ones.data();", "HOST_MEMORY", "no device memory"),
    ("x.size(2);", "HOST_CRASH", "size(2) of a tensor of 2 axes"),
    ("return;", "NO_LAUNCH", "without launching"),
]


@pytest.mark.parametrize(("body", "code", "said"), MISTAKES)
def test_what_a_host_function_cannot_do_is_said(
    launching: TwinToolchain, tmp_path: Path, body: str, code: str, said: str
) -> None:
    chosen = [one for one, _, _ in MISTAKES].index(body)
    text = "\n".join(f"if (factor == {n}) {{ {one} }}" for n, (one, _, _) in enumerate(MISTAKES))
    call = CALL.model_copy(update={"attrs": (Attr(name="factor", value=float(chosen)),)})
    build = launching.compile(project(text), [call], tmp_path / "build")
    assert build.outcome is Outcome.TILING_ERROR
    (found,) = build.diagnostics
    assert (found.code, found.file) == (code, FILE) and said in found.text


@pytest.mark.parametrize(
    "change",
    [("float factor, ", ""), ("launch_twice", "run")],
)
def test_a_host_function_with_another_head_is_told_which_one_it_needs(
    launching: TwinToolchain, tmp_path: Path, change: tuple[str, str]
) -> None:
    text = HOST.replace(*change).replace("x.size(0), factor", "x.size(0), 3.0f")
    build = launching.compile(project(host=text), [CALL], tmp_path / "build")
    assert build.outcome is Outcome.COMPILE_ERROR
    (found,) = build.diagnostics
    assert found.code == "LAUNCH_FUNCTION" and host_head("twice", CALL) in (found.remedy or "")
    assert host_head("twice", CALL) == (
        "void launch_twice(const akgen::Tensor& x0, const akgen::Tensor& y0, float factor, aclrtStream stream)"
    )


LAUNCH = {"kind": "launch", "kernel": "k<float>", "line": 1, "blocks": 1, "blob": "", "memory": [0]}
END = {"kind": "end"}


@pytest.mark.parametrize(
    "lines",
    [
        [{**LAUNCH, "kernel": 'k>::call(0, 0); asm("nop"'}, END],
        [{**LAUNCH, "memory": [7]}, END],
        [{"kind": "copy", "memory": 1, "offset": 1535, "bytes": "0000"}, LAUNCH, END],
        [{"kind": "fill", "memory": 1, "offset": 0, "value": 1, "count": 1 << 31}, LAUNCH, END],
        [{"kind": "allocate", "bytes": 1 << 60}, LAUNCH, END],
        [LAUNCH],
    ],
)
def test_a_record_that_the_runtime_did_not_write_is_refused(
    launching: TwinToolchain, tmp_path: Path, lines: list[dict[str, object]]
) -> None:
    program = tmp_path / "program"
    text = "\n".join(json.dumps(line) for line in lines)
    program.write_text(f"#!/bin/sh\ncat > \"$2\" <<'END'\n{text}\nEND\n")
    program.chmod(0o755)
    with pytest.raises(HostFailure) as failed:
        record(program, CALL, launching, tmp_path / "work")
    assert failed.value.diagnostic.code in ("SANDBOX_REPORT", "SANDBOX_SYSCALL", "HOST_CRASH")
