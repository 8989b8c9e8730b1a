"""Programs that launch their kernels themselves build and run unmodified; what goes wrong is told as a device does."""

import os
from pathlib import Path

import pytest

from akgen.tools.direct.program import DirectResult, run_direct
from akgen.tools.direct.split import device_text, host_text, task_type
from akgen.tools.twin.sandboxed import UsersProgram
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain

HERE = Path(__file__).parent / "files"
FAST = ["hello_world.asc", "scale_template.asc"]
SLOW = [
    "add_custom.asc",
    "tiling_struct.asc",
    "separate_main.cpp separate_kernel.cpp",
    "chained_kernels.asc",
    "matmul_small.asc",
    "workspace_sync.asc",
    "loop_of_launches.asc",
    "deduced_template.asc",
]


@pytest.fixture(scope="module")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain


def run(twin: TwinToolchain, folder: Path, *sources: Path) -> DirectResult:
    (folder / "run").mkdir(exist_ok=True)
    return run_direct(UsersProgram(sources=sources, folder=folder / "run"), twin, folder / "work")


@pytest.mark.parametrize("names", [*FAST, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
def test_a_program_that_launches_kernels_passes(twin: TwinToolchain, tmp_path: Path, names: str) -> None:
    result = run(twin, tmp_path, *(HERE / name for name in names.split()))
    assert result.passed, result
    assert result.launches and all(one.time_us is not None for one in result.launches)
    if names == "hello_world.asc":
        said = "".join(result.launches[0].printed)
        assert all(f"block {i} of 8 is here" in said for i in range(8))
    if names == "scale_template.asc":
        assert [one.kernel for one in result.launches] == ["scale<float, 256>", "scale<_Float16, 256>"]


CPU_MODE = """#include "acl/acl_prof.h"
#include "cpu_debug_launch.h"
"""
PROFILED = """    aclprofInit("./prof", 6);
    aclprofConfig *profiled = aclprofCreateConfig(nullptr, 0, ACL_AICORE_PIPE_UTILIZATION, nullptr, ACL_PROF_TASK_TIME);
    aclprofStart(profiled);
    int32_t version[3];
    if (aclrtGetVersion(&version[0], &version[1], &version[2]) != ACL_SUCCESS || version[0] < 1) return 1;
"""


def test_headers_of_the_cpu_mode_and_of_profiling(twin: TwinToolchain, tmp_path: Path) -> None:
    text = (HERE / "hello_world.asc").read_text()
    begin = text.index("{", text.index("main(")) + 1
    (tmp_path / "main.asc").write_text(CPU_MODE + text[:begin] + "\n" + PROFILED + text[begin:])
    assert run(twin, tmp_path, tmp_path / "main.asc").passed


@pytest.mark.slow
def test_files_of_a_golden_script_are_read_and_written(twin: TwinToolchain, tmp_path: Path) -> None:
    import numpy as np

    (tmp_path / "run").mkdir()
    x = np.random.default_rng(1).uniform(-2, 2, (6, 128)).astype(np.float16)
    x.tofile(tmp_path / "run" / "input_x.bin")
    result = run(twin, tmp_path, HERE / "golden_files.asc")
    assert result.passed, result
    y = np.fromfile(tmp_path / "run" / "output_y.bin", np.float16).reshape(6, 128)
    assert np.allclose(y, np.exp(x.astype(np.float32)), rtol=2e-3)


KERNEL = """#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void copy(GM_ADDR x, uint32_t count)
{
    AscendC::TPipe pipe;
    AscendC::TBuf<> buffer;
    AscendC::GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float *)x, count);
    pipe.InitBuffer(buffer, count * 4);
    AscendC::DataCopy(buffer.Get<float>(), gm, count); // [copy]
}
int main()
{
    void *x = nullptr;
    aclInit(nullptr);
    aclrtMalloc(&x, 256, ACL_MEM_MALLOC_HUGE_FIRST);
    BODY
}
"""


def test_a_kernel_that_fails_is_told_at_its_line_and_to_the_program(
    twin: TwinToolchain, tmp_path: Path
) -> None:
    source = tmp_path / "copy.asc"
    body = "copy<<<1, nullptr, nullptr>>>((uint8_t *)x, 1024); return aclrtSynchronizeDevice() == 507035 ? 3 : 0;"
    source.write_text(KERNEL.replace("BODY", body))
    result = run(twin, tmp_path, source)
    assert (result.passed, result.ending) == (False, "status 3")
    (found,) = [d for d in result.launches[0].diagnostics if d.severity == "error"]
    line = KERNEL[: KERNEL.index("[copy]")].count("\n") + 1
    assert (found.code, found.file, found.line) == ("GM_OVERRUN", str(source), line)


@pytest.mark.slow
def test_the_host_cannot_read_device_memory(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "peek.asc"
    source.write_text(KERNEL.replace("BODY", "return static_cast<int *>(x)[0];"))
    result = run(twin, tmp_path, source)
    assert (result.passed, result.built, "SIGSEGV" in result.ending) == (False, True, True)


def test_a_host_address_is_none_that_a_kernel_takes(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "own.asc"
    body = "uint8_t own[256]; copy<<<1, nullptr, nullptr>>>(own, 64); return aclrtSynchronizeDevice() == 0 ? 0 : 4;"
    source.write_text(KERNEL.replace("BODY", body))
    result = run(twin, tmp_path, source)
    assert (result.ending, result.launches) == ("status 4", ())
    assert "lies in no device memory" in result.errors


@pytest.mark.slow
def test_a_program_that_does_not_build_says_where(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "wrong.asc"
    source.write_text(KERNEL.replace("BODY", "copy<<<1, nullptr, nullptr>>>(x);"))
    result = run(twin, tmp_path, source)
    assert not result.built
    assert (result.diagnostics[0].file or "").endswith("wrong.asc") and result.diagnostics[0].line == 17


@pytest.mark.slow
def test_kernels_that_macros_write_are_split_and_launched(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "entries.asc"
    source.write_text(ENTRIES)
    result = run(twin, tmp_path, source)
    assert result.passed, result
    assert [one.kernel for one in result.launches] == ["fill_float", "fill_half", "negate"]
    host, device = host_text(ENTRIES), device_text(ENTRIES)
    assert host.count("\n") == device.count("\n") == ENTRIES.count("\n")


ENTRIES = """#include <cstdint>
#include "acl/acl.h"
#include "kernel_operator.h"
#define DEVICE __aicore__ inline
#define KERNEL extern "C" __global__ __aicore__ void
#define ENTRY(name, T)                                           \\
    KERNEL name##_##T(GM_ADDR y, int32_t count)                  \\
    {                                                            \\
        fill<T>(y, count);                                       \\
    }
template <typename T> DEVICE void fill(GM_ADDR y, int32_t count)
{
    AscendC::GlobalTensor<T> out;
    out.SetGlobalBuffer((__gm__ T *)y, count);
    AscendC::InitGlobalMemory<T>(out, count, static_cast<T>(2));
}
ENTRY(fill, float)
ENTRY(fill, half)
KERNEL negate(GM_ADDR y)
{
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    AscendC::GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float *)y, 64);
    auto x = queue.AllocTensor<float>();
    AscendC::DataCopy(x, out, 64);
    queue.EnQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN>(x);
    x = queue.DeQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, float>();
    AscendC::Muls(x, x, -1.0f, 64);
    queue.EnQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM>(x);
    x = queue.DeQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, float>();
    AscendC::DataCopy(out, x, 64);
    queue.FreeTensor(x);
}
int main()
{
    void *y = nullptr, *z = nullptr;
    float values[64];
    aclInit(nullptr);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    aclrtMalloc(&y, 256, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&z, 128, ACL_MEM_MALLOC_HUGE_FIRST);
    fill_float<<<1, nullptr, stream>>>((uint8_t *)y, 64);
    fill_half<<<1, nullptr, stream>>>((uint8_t *)z, 64);
    negate<<<1, nullptr, stream>>>((uint8_t *)y);
    if (aclrtSynchronizeStream(stream) != 0) {
        return 2;
    }
    aclrtMemcpy(values, 256, y, 256, ACL_MEMCPY_DEVICE_TO_HOST);
    return values[0] == -2.0f && values[63] == -2.0f ? 0 : 1;
}
"""


@pytest.mark.parametrize(
    ("mark", "wanted"),
    [
        ("__mix__(0, 1)", "KERNEL_TYPE_MIX_AIV_1_0"),
        ("__mix__(1, 0)", "KERNEL_TYPE_MIX_AIC_1_0"),
        ("__mix__(1, 2)", "KERNEL_TYPE_MIX_AIC_1_2"),
        ("__vector__", "AKGEN_TYPE_OF_VECTOR_MARK"),
        ("", None),
    ],
)
def test_marks_say_which_cores_run(mark: str, wanted: str | None) -> None:
    assert task_type(f"__global__ {mark} __aicore__ void k(GM_ADDR x) {{}}", "k") == wanted


def test_the_halves_keep_their_lines() -> None:
    text = (HERE / "loop_of_launches.asc").read_text()
    host, device = host_text(text), device_text(text)
    assert host.count("\n") == device.count("\n") == text.count("\n")
    assert "<<<" not in host and "Site<advance<Step::DOUBLE>>::at(1, nullptr, stream)" in host
    assert "K {" in device_text(
        "class K { __aicore__ void f() { std::cout << 1; } };\nclass L { std::string s; };"
    )
    assert "DeviceBuffer" not in device and "int main" not in device and "__vector__ void advance" in device


def test_a_class_of_given_template_arguments_is_a_class() -> None:
    text = "template <> struct Apply<Kind::ADD> { static __aicore__ void Run(int n) {} };\nint main() {}\n"
    assert device_text(text).startswith("template <> struct Apply<Kind::ADD> { static")
    assert host_text(text).startswith("template <> struct Apply<Kind::ADD> { static")


def test_functions_end_where_their_bodies_end() -> None:
    text = """struct S { S(int, int); __aicore__ float Get() const; __aicore__ void Set(); std::string Name() {} };
S::S(int a, int b) : a_{a}, b_{b} { printf("S"); }
template <typename T = float, int N = 2> __aicore__ inline T First(T a = T(N)) { return a; }
bool operator==(const S &a, const S &b) { return true; }
__aicore__ inline float S::Get() const { return 1; }
template <typename T> std::vector<T> Iota(size_t n, T step = T(1)) { std::vector<T> v(n); return v; }
int main() { return 0; }
inline void S::Set() { a_ = 1; }
"""
    device, host = device_text(text).splitlines(), host_text(text).splitlines()
    assert "Name" not in device[0] and "Get" in device[0] and "Name" in host[0]
    assert [line.strip() != "" for line in device[1:]] == [False, True, False, True, False, False, True]
    assert [line.strip() != "" for line in host[1:]] == [True, True, True, False, True, True, False]
    assert host[2].rstrip().endswith(";") and device[2].endswith("{ return a; }")


def test_braces_of_literals_are_no_braces() -> None:
    text = """const char *text = R"({"x": "}"})"; constexpr int many = 1'000; char brace = '{';
#if 0
left out {
#endif
__aicore__ void f() {}
int main() {}
"""
    assert "void f" in device_text(text) and "main" not in device_text(text)


def test_what_marked_functions_call_is_the_devices() -> None:
    text = """inline int Twice(int a) { return 2 * Half(a); }
template <typename T> T Half(T a) { return a / 2; }
void Check(int a) { printf("%d", a); }
int Sum(int a) { return a; }
void Muls(float *v) { v[0] *= 2; }
void Step(int n) { printf("%d", n); }
struct Worker { __aicore__ void Step(float f) { Muls(x, f, 8); } };
__aicore__ inline int Sum(float a) { return 1; }
__global__ __aicore__ void k(GM_ADDR x, int n) { Twice<int>(Sum(n)); one.Check(n); }
int main() { Check(1); }
"""
    kept = device_text(text)
    assert "int Twice" in kept and "T Half" in kept
    assert "Muls(float" not in kept and "Step(int" not in kept and "Step(float" in kept
    assert "void Check" not in kept and "int Sum(int" not in kept and "main" not in kept


def test_the_host_picks_the_instance_of_a_template_that_is_launched_without_arguments() -> None:
    head = "template <typename T, int N = 2, typename... Rest>\n"
    head += "__global__ __aicore__ void k(GM_ADDR x, T (*f)[3], const T *y = nullptr, Rest... rest)\n"
    assert "Site<k<float>>::at(1, 0, s)(x)" in host_text(
        head + "{\n}\nvoid f() { k<float><<<1, 0, s>>>(x); }"
    )
    named = head.replace("T (*f)[3]", "T f[3]")
    text = host_text(named + "{\n}\nvoid f() { k<<<1, 0, s>>>(x, t); }")
    assert "{ ::akgen::direct::Site<k<T, N, Rest...>>::configured()(x, f, y, rest...); }" in text
    assert "::akgen::direct::configure(1, 0, s), k(x, t);" in text
    assert text.count("\n") == 4


def test_a_macro_is_one_of_both_halves(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "told.asc"
    source.write_text(
        '#include "acl/acl.h"\n#include "kernel_operator.h"\n'
        "__global__ __vector__ void told(int32_t given)\n{\n"
        '    AscendC::printf("%d", given - NUMBER + FLAG);\n}\n'
        "int main()\n{\n    aclInit(nullptr);\n    aclrtSetDevice(0);\n    aclrtStream stream;\n"
        "    aclrtCreateStream(&stream);\n    told<<<1, nullptr, stream>>>(NUMBER + 40);\n"
        "    return aclrtSynchronizeStream(stream);\n}\n"
    )
    (tmp_path / "run").mkdir()
    program = UsersProgram(sources=(source,), folder=tmp_path / "run", options=("-DNUMBER=3", "-DFLAG"))
    result = run_direct(program, twin, tmp_path / "work")
    assert result.passed and result.launches[0].printed == ("aiv0: 41",), result
