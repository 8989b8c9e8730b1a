"""The first real cause of a compile error, with a stable code, the file and the line; the same with either compiler."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.twin.compilers import COMPILERS

Projects = Callable[..., KernelProject]
ADD = "Add(y, y, x, count);"


@pytest.fixture(scope="module", params=COMPILERS)
def twin(request: pytest.FixtureRequest) -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ), compiler=request.param))
    toolchain.prepare(print)
    return toolchain


@pytest.mark.parametrize(
    ("new", "code", "part"),
    [
        ("Addz(y, y, x, count);", "UNKNOWN_API", "did you mean Add"),
        ("Add(y, y, x);\n        Add(y, y);", "WRONG_ARITY", "Add takes"),
        ("Muls(y, y, x, count);", "WRONG_ARGUMENTS", "Muls"),
        ("xQueue_.Size();", "UNKNOWN_MEMBER", "has no member Size"),
        ("Muls(y, x, fabs(alpha_), count);", "HOST_NAME", "fabs is a host name"),
        ("Muls(y, x, (T)FLT_MAX, count);", "HOST_NAME", "FLT_MAX is a host name"),
        ("std::vector<int> v;", "HOST_NAME", "vector is a host name"),
        ("Subs(y, x, alpha_, count);", "OTHER_CHIP", "Subs is an API of later chips"),
        ("Where(y, x, y, x, count);", "OTHER_CHIP", "Ascend910B does not have it"),
        ("MicroAPI::RegTensor<T> r;", "OTHER_CHIP", "MicroAPI"),
        ("using namespace AscendC::Reg;", "OTHER_CHIP", "Reg"),
        ("Hccl<0> h;", "NOT_SIMULATED", "one device"),
        ("Add(y, y, x, counts);", "UNDECLARED", "counts is not declared"),
        ("MatmulConfig c;", "UNDECLARED", "lib/matmul_intf.h declares it"),
        ("Add(y, y, x, count)) ;", "SYNTAX", "expected"),
        ("ASSERT((count > 0);", "SYNTAX", "parenthesis that ASSERT opens is never closed"),
        ("__aicore__ void later(int); later(1);", "LINK", "later is declared and never defined"),
        ("auto *p = new int[4]; y.SetValue(0, (T)p[1]);", "HOST_NAME", "new or delete"),
    ],
)
def test_device_code(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, new: str, code: str, part: str
) -> None:
    edited = project("scale_add", kernel=(ADD, new))
    finding = _finding(twin, edited, calls, tmp_path)
    assert finding.code == code, finding
    assert part in finding.text
    assert finding.file == "op_kernel/scale_add.cpp"
    if "new int" not in new:
        lines = edited.files[edited.kernel_file].splitlines()
        around = lines[(finding.line or 0) - 1 : (finding.line or 0) + 1]
        assert any(part in line for line in around for part in new.splitlines()), around


# What stands in the kernel or the host, and what its first finding's remedy names.
REMEDIES = {
    "kernel": {
        "half two = 2.0f; LocalTensor<half> h; Muls(h, h, 0.5, count);": "static_cast<half>(...)",
        "y[5] = alpha_;": "SetValue(i, value)",
        "LocalTensor<float> again; again = xQueue_.DeQue();": "DeQue<float>()",
    },
    "host": {
        "uint32_t ub; platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreMemSize("
        "platform_ascendc::CoreMemType::UB, ub);": "Declare the variable as uint64_t",
        "const uint32_t *all = std::vector<uint32_t>{1};": ".data()",
    },
}


@pytest.mark.parametrize("part_of", REMEDIES)
def test_the_remedy_names_the_change(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, part_of: str
) -> None:
    anchor = {"kernel": ADD, "host": "context->SetBlockDim("}[part_of]
    lines = "\n".join(REMEDIES[part_of])
    edited = project("scale_add", **{part_of: (anchor, f"{lines}\n{anchor}")})
    build = twin.compile(edited, [_call(calls, tmp_path)], tmp_path / "build")
    told = [d.remedy or "" for d in build.diagnostics]
    missing = [w for w in REMEDIES[part_of].values() if not any(w in t for t in told)]
    assert not missing, build.diagnostics


def test_a_member_template_of_what_depends_needs_the_word(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    own = "template <typename B> __aicore__ inline void Take(B &buf) { auto t = buf.Get<half>(); }\n"
    edited = project("scale_add", kernel=('extern "C" __global__', own + 'extern "C" __global__'))
    finding = _finding(twin, edited, calls, tmp_path)
    assert finding.code == "SYNTAX" and "buf.template Get<" in (finding.remedy or ""), finding


INCLUDE = '#include "kernel_operator.h"'
REGISTER = "REGISTER_TILING_DATA_CLASS(ScaleAdd, ScaleAddTilingData)"
TWO_INPUTS = "GM_ADDR z, GM_ADDR y, GM_ADDR workspace"


@pytest.mark.parametrize(
    ("part_of", "old", "new", "code", "part"),
    [
        ("kernel", "data.alpha", "data.beta", "TILING_STRUCT", "ScaleAddTilingData has no field beta"),
        ("tiling", REGISTER, "", "TILING_STRUCT", "registers no tiling struct"),
        ("kernel", INCLUDE, "", "INCLUDE_MISSING", "kernel_operator.h"),
        ("kernel", "((__gm__ T *)x", "((T *)x", "ADDRESS_SPACE", "takes a __gm__ pointer"),
        ("kernel", "((__gm__ T *)z", "(reinterpret_cast<T *>(z)", "ADDRESS_SPACE", "takes a __gm__ pointer"),
        ("kernel", INCLUDE, INCLUDE + '\n#include "lib.h"', "INCLUDE_MISSING", "lib.h"),
        (
            "kernel",
            "void scale_add(",
            "void add_scale(",
            "ENTRY_NAME",
            "the __global__ functions are add_scale",
        ),
        ("kernel", TWO_INPUTS, TWO_INPUTS[11:], "ENTRY_PARAMETERS", "x, z, y, workspace, tiling"),
        (
            "host",
            "context->SetBlockDim(",
            "context->SetBlockDims(",
            "UNKNOWN_MEMBER",
            "did you mean SetBlockDim",
        ),
        ("host", "tiling.set_tile(", "tiling.set_tiles(", "UNKNOWN_MEMBER", "set_tiles"),
        (
            "tiling",
            "END_TILING_DATA_DEF",
            "TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, soft);\nEND_TILING_DATA_DEF",
            "UNDECLARED",
            "tiling/tiling_api.h declares it",
        ),
        ("host", '#include "scale_add_tiling.h"', '#include "add.h"', "INCLUDE_MISSING", "add.h"),
    ],
)
def test_what_host_and_kernel_must_agree_on(
    twin: TwinToolchain,
    project: Projects,
    calls: Any,
    tmp_path: Path,
    part_of: str,
    old: str,
    new: str,
    code: str,
    part: str,
) -> None:
    finding = _finding(twin, project("scale_add", **{part_of: (old, new)}), calls, tmp_path)
    assert finding.code == code, finding
    assert part in finding.text


def test_code_that_runs_at_load_is_a_cheat(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    bad = '__attribute__((constructor)) void early() { __asm__ volatile("nop"); }\nextern "C" __global__'
    edited = project("scale_add", kernel=('extern "C" __global__', bad))
    build = twin.compile(edited, [_call(calls, tmp_path)], tmp_path / "build")
    assert build.outcome is Outcome.CHEAT
    assert build.diagnostics[0].code == "STATIC_CONSTRUCTOR"


def test_a_kernel_cannot_read_files_while_it_is_compiled(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    edited = project(
        "scale_add", kernel=("using namespace AscendC;", '#include "/etc/passwd"\nusing namespace AscendC;')
    )
    build = twin.compile(edited, [_call(calls, tmp_path)], tmp_path / "build")
    assert build.outcome is Outcome.COMPILE_ERROR
    assert "root:" not in build.model_dump_json()


def _call(calls: Any, folder: Path) -> Any:
    x = np.ones(64, np.float32)
    return calls.scale_add(x, x, folder)


def _finding(twin: TwinToolchain, whole: KernelProject, calls: Any, folder: Path) -> Diagnostic:
    build = twin.compile(whole, [_call(calls, folder)], folder / "build")
    assert build.outcome is Outcome.COMPILE_ERROR, build
    assert build.diagnostics[0].stage == "compile"
    return build.diagnostics[0]
