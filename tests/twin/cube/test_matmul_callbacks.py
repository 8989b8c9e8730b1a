"""Matmul objects whose A and B come to L1 by functions of the kernel, a base block at a time."""

import numpy as np
import pytest

from tests.twin.cube.test_matmul_forms import GIVEN, OBJECT, PLAIN, before, factors

M, N, K = 32, 48, 64
# Rows of A stand 80 elements apart, which the tiling does not know: SetUserDefInfo says so. B is shifted by what
# SetSelfDefineData points to.
BRING = """
__aicore__ inline void BringA(const LocalTensor<int8_t> &l1, const __gm__ void *gm, int row, int col, int useM,
                              int useK, const uint64_t info, const uint64_t)
{
    GlobalTensor<half> from;
    from.SetGlobalBuffer((__gm__ half *)gm);
    Nd2NzParams p{1, (uint16_t)useM, (uint16_t)useK, 0, (uint16_t)info, (uint16_t)((useM + 15) / 16 * 16), 1, 0};
    DataCopy(l1.ReinterpretCast<half>(), from[row * 16 * info + col * 32], p);
}
__aicore__ inline void BringB(const LocalTensor<int8_t> &l1, const __gm__ void *gm, int row, int col, int useK,
                              int useN, const uint64_t, const uint64_t data)
{
    GlobalTensor<half> from;
    from.SetGlobalBuffer((__gm__ half *)gm + *reinterpret_cast<const int *>(data));
    Nd2NzParams p{1, (uint16_t)useK, (uint16_t)useN, 0, 48, (uint16_t)((useK + 15) / 16 * 16), 1, 0};
    DataCopy(l1.ReinterpretCast<half>(), from[row * 32 * 48 + col * 16], p);
}
"""
SET = "int shift = 16; mm.SetUserDefInfo((uint64_t)80); mm.SetSelfDefineData((uint64_t)&shift); "
START = PLAIN.replace("SetTensorB(b", "SetTensorB(in[32 * 80]")
RUNS = {
    "all": START + "mm.IterateAll(c);",
    "block by block": START + "while (mm.Iterate()) { mm.GetTensorC(c); }",
    "asynchronously": START + "mm.IterateAll<false>(c, 0, false, true); mm.WaitIterateAll();",
}


def run(probe, code, functions="BringA, BringB"):
    a, b, want = factors()
    spread = np.full((M, 80), 9, np.float16)
    spread[:, :K] = a
    x = np.concatenate([spread.ravel(), np.full(16, 9, np.float16), b.ravel()])
    body = OBJECT.replace(
        "MatmulCallBackFunc<nullptr, nullptr, nullptr>", f"MatmulCallBackFunc<nullptr, {functions}>"
    )
    assert body != OBJECT and GIVEN
    return probe(body, x, np.zeros((M, N), np.float32), before=before(RUN=SET + code) + BRING), want


@pytest.mark.parametrize("way", RUNS)
def test_functions_bring_both_factors(probe, way):
    ran, want = run(probe, RUNS[way])
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_a_function_brings_one_factor(probe):
    ran, want = run(probe, RUNS["all"].replace("in[32 * 80]", "in[32 * 80 + 16]"), "BringA, nullptr")
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_sums_do_not_go_on_with_functions(probe):
    ran, _ = run(probe, START + "mm.Iterate(); mm.Iterate(true); // HERE")
    assert "MatmulCallBackFunc" in ran.one("MATMUL_OBJECT").text
