"""Matmul objects that go on with sums: Iterate with enPartialSum, and sums in the kernel's own part of L0C."""

import numpy as np
import pytest

from tests.twin.cube.test_matmul_forms import M, N, factors, run

# K in three parts, C in one block.
PARTS = """
    for (int at = 0; at < 64; at += 24) {
        mm.SetTail(32, 48, at + 24 < 64 ? 24 : 64 - at);
        mm.SetTensorA(a[at]); mm.SetTensorB(b[at * 48]);
        mm.Iterate(at > 0); AFTER
    }
"""
WHOLE = "cut.baseM = 32; cut.baseN = 48; mm.Init(&cut); "


def test_a_product_in_parts_along_k(probe):
    a, b, want = factors()
    code = WHOLE + PARTS.replace("AFTER", "") + "mm.GetTensorC(c);"
    ran = run(probe, a, b, np.zeros((M, N), np.float32), RUN=code)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_each_part_may_be_taken(probe):
    a, b, want = factors()
    code = WHOLE + PARTS.replace("AFTER", "mm.GetTensorC(c);")
    ran = run(probe, a, b, np.zeros((M, N), np.float32), RUN=code)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_another_object_between_does_not_disturb_the_sums(probe):
    a, b, want = factors()
    other = "two.SetTensorA(b); two.SetTensorB(b); two.Iterate(); two.GetTensorC(c);"
    code = "decltype(mm) two; two.Init(&cut); " + WHOLE + PARTS.replace("AFTER", other) + "mm.GetTensorC(c);"
    ran = run(probe, a, b, np.zeros((M, N), np.float32), RUN=code)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


OWN = """
    using A = MatmulType<TPosition::GM, CubeFormat::ND, T>;
    using C = MatmulType<TPosition::CO1, CubeFormat::NZ, float>;
    using Bias = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    Matmul<A, A, C, Bias> mm;
    TCubeTiling cut{};
    cut.usedCoreNum = 1; cut.M = cut.singleCoreM = cut.baseM = 32; cut.N = cut.singleCoreN = cut.baseN = 48;
    cut.Ka = cut.Kb = cut.singleCoreK = 64; cut.baseK = 32;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut);
    GlobalTensor<T> a = in, b = in[32 * 64];
    GlobalTensor<float> c;
    c.SetGlobalBuffer((__gm__ float *)y);
    TQue<TPosition::CO1, 1> sums;
    pipe.InitBuffer(sums, 1, 32 * 48 * 4);
    LocalTensor<float> held = sums.AllocTensor<float>();
    RUN
    FixpipeParamsV220 fix;
    fix.nSize = 48; fix.mSize = 32; fix.srcStride = 32; fix.dstStride = 48;
    QUEUE
    Fixpipe<float, float, CFG_ROW_MAJOR>(c, held, fix); // HERE
    sums.FreeTensor(held);
    mm.End();
"""
QUEUE = "sums.EnQue(held); held = sums.DeQue<float>();"
ONE = "mm.SetTensorA(a); mm.SetTensorB(b); mm.Iterate(false, held);"
CUBE_ONLY = '#define ASCENDC_CUBE_ONLY\n#include "lib/matmul_intf.h"\nusing namespace matmul;\n'


def own(probe, code: str, queue: str = QUEUE):
    a, b, want = factors()
    x = np.concatenate([a.ravel(), b.ravel()])
    body = OWN.replace("RUN", code).replace("QUEUE", queue)
    return probe(body, x, np.zeros((M, N), np.float32), before=CUBE_ONLY), want


@pytest.mark.parametrize(
    "code", [ONE, WHOLE + PARTS.replace("at > 0", "at > 0, held").replace("AFTER", "")], ids=["one", "parts"]
)
def test_sums_go_into_the_kernels_own_tensor(probe, code):
    ran, want = own(probe, code)
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_who_takes_own_sums_out_waits_for_them(probe):
    ran, _ = own(probe, ONE, queue="")
    ran.assert_stopped("PIPE_RACE")


def test_own_sums_want_an_object_whose_c_lies_in_l0c(probe):
    body = OWN.replace("TPosition::CO1, CubeFormat::NZ", "TPosition::GM, CubeFormat::ND").replace("RUN", ONE)
    source = CUBE_ONLY + probe_frame(body.replace("QUEUE", QUEUE))
    assert [d.code for d in probe.build(source).diagnostics] == ["WRONG_ARGUMENTS"]


def probe_frame(body: str) -> str:
    from tests.twin.device.conftest import FRAME

    return FRAME % {"element": "half", "before": "", "task": "", "body": body, "more": ""}
