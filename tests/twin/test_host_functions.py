"""Device code calls functions that are marked for the device, or constexpr; others belong to the host."""

import os
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.kernel.kernel_build import BuiltKernel, build_kernel
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.runtime_build import build_runtime
from akgen.tools.twin.settings import TwinSettings, user_cache
from tests.twin.compilers import COMPILERS

# %s stands before four functions and a constructor; `declared` is marked in its class.
SOURCE = """#include "kernel_operator.h"
using namespace AscendC;
template <typename T> %(free)s inline T up(T a, T b) { return (a + b - 1) / b; }
constexpr int twice(int a) { return 2 * a; }
inline int unused(int a) { return a; }
namespace part {
struct Pair {
    int a = 1, b = 2; // constructed by what nobody wrote
};
%(scoped)s int sum(const Pair &p) { return p.a + p.b; }
}
struct Plain {
    Plain() = default;
    __aicore__ int get() const { return a; }
    int a = 1;
};
template <typename T> class Kernel {
public:
    %(made)s inline Kernel() { n_ = 3; }
    __aicore__ inline void Declared(int n);
    %(member)s inline int Member(int n)
    {
        part::Pair pair;
        auto more = [&](int k) { return k + n; };
        Plain plain;
        return plain.get() + n + up(n, 4) + twice(n) + more(1) + part::sum(pair);
    }
    int n_;
};
template <typename T> inline void Kernel<T>::Declared(int n)
{
    n_ = n;
}
extern "C" __global__ __aicore__ void marks(GM_ADDR x, GM_ADDR y)
{
    Kernel<float> kernel;
    kernel.Declared(static_cast<int>(GetBlockIdx()));
    GlobalTensor<int32_t> out;
    out.SetGlobalBuffer((__gm__ int32_t *)y);
    out.SetValue(0, kernel.Member(kernel.n_));
}
"""
MARK = "__aicore__"
ALL = {"free": MARK, "scoped": MARK, "made": MARK, "member": MARK}


@pytest.fixture(params=COMPILERS)
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    runtime = build_runtime(TwinSettings(cache=user_cache(os.environ), compiler=request.param), print)

    def run(source: str) -> BuiltKernel:
        project = KernelProject(op_type="Marks", kernel="marks", files={"op_kernel/marks.cpp": source})
        return build_kernel(project, None, Variant(None, 0), runtime, ContentCache(tmp_path / "kernel"))

    return run


def test_marked_and_constexpr_functions_are_called(build: Any) -> None:
    built = build(SOURCE % ALL)
    assert built.library is not None, built.diagnostics


@pytest.mark.parametrize(
    ("which", "name", "line"),
    [("free", "up", 3), ("scoped", "sum", 10), ("made", "Kernel", 19), ("member", "Member", 21)],
)
def test_a_function_without_the_mark_is_the_hosts(build: Any, which: str, name: str, line: int) -> None:
    built = build(SOURCE % (ALL | {which: ""}))
    assert [d.code for d in built.diagnostics] == ["HOST_FUNCTION"], built.diagnostics
    assert (built.diagnostics[0].line, built.diagnostics[0].text.split()[0]) == (line, name)
    assert built.library is None
