"""Batches of products through one Matmul object: shared factors, layouts, biases, results in the workspace."""

import numpy as np
import pytest

from tests.twin.cube.test_mixed import INCLUDE
from tests.twin.cube.test_tiles import defines, draw

M, N, K = 16, 32, 48
OBJECT = """
    using A = MatmulType<TPosition::GM, CubeFormat::ND, T, false, LayoutMode::LAYOUT>;
    using B = MatmulType<TPosition::GM, CubeFormat::ND, T, true, LayoutMode::LAYOUT>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, float, false, LayoutMode::LAYOUT_C>;
    using Bias = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    Matmul<A, B, C, Bias, CONFIG> mm;
    TCubeTiling cut{};
    cut.M = cut.singleCoreM = cut.ALayoutInfoS = cut.CLayoutInfoS1 = ROWS;
    cut.N = cut.singleCoreN = cut.BLayoutInfoS = cut.CLayoutInfoS2 = COLUMNS;
    cut.Ka = cut.Kb = cut.singleCoreK = cut.ALayoutInfoD = cut.BLayoutInfoD = DEPTH;
    cut.baseM = 16;
    cut.baseN = 32;
    cut.baseK = 32;
    cut.isBias = 1;
    cut.ALayoutInfoB = cut.BLayoutInfoB = cut.CLayoutInfoB = BATCHES;
    cut.ALayoutInfoN = cut.BLayoutInfoN = cut.CLayoutInfoN = HEADS;
    cut.ALayoutInfoG = cut.CLayoutInfoG = GROUPS;
    cut.BLayoutInfoG = 1;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut);
    if ASCEND_IS_AIV {
        if (GetBlockIdx() == 0) {
            constexpr uint32_t from_b = BATCHES * HEADS * GROUPS * ROWS * DEPTH;
            GlobalTensor<float> c;
            c.SetGlobalBuffer((__gm__ float *)y);
            mm.SetTensorA(in);
            mm.SetTensorB(in[from_b], true);
            RUN
        }
    }
"""
CONFIGS = """
constexpr MatmulBatchParams ALIKE{false, BatchMode::BATCH_LESS_THAN_L1, false};
constexpr MatmulConfig ONE_BIAS = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(ALIKE);
"""


def run(
    probe,
    a: np.ndarray,
    b: np.ndarray,
    y: np.ndarray,
    code: str,
    *,
    sizes=(1, 1, 1),
    extra=(),
    bytes_of_workspace=0,
    **values: object,
):
    """Sizes: of the axes B, N and G; G of the right factor is 1."""
    names = dict(zip(("BATCHES", "HEADS", "GROUPS"), sizes, strict=True))
    given = {
        "ROWS": M,
        "COLUMNS": N,
        "DEPTH": K,
        "LAYOUT": "NORMAL",
        "LAYOUT_C": "NORMAL",
        "CONFIG": "CFG_NORM",
        "RUN": code,
    }
    x = np.concatenate([a.ravel(), b.ravel(), *extra])
    before = INCLUDE + CONFIGS + defines(**{**given, **names, **values})
    return probe(OBJECT, x, y, before=before, block_dim=1, workspace_bytes=bytes_of_workspace)


def factors(batches: int, heads: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    return draw("float32", batches, heads, groups, M, K), draw("float32", batches, heads, 1, N, K)


def test_matrices_follow_each_other(probe):
    a, b = factors(1, 3, 1)
    ran = run(
        probe, a, b, np.zeros((3, M, N), np.float32), "mm.IterateBatch(c, 3, 3, false);", sizes=(1, 3, 1)
    )
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, np.einsum("hmk,hnk->hmn", a[0, :, 0], b[0, :, 0]), atol=1e-4)


def test_a_smaller_batch_serves_for_the_groups_of_the_larger(probe):
    a, b = factors(1, 2, 3)
    code = "mm.SetBatchNum(6, 2); mm.IterateBatch(c, false, 0, false);"
    ran = run(probe, a, b, np.zeros((2, 3, M, N), np.float32), code, sizes=(1, 2, 3))
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, np.einsum("hgmk,hnk->hgmn", a[0], b[0, :, 0]), atol=1e-4)


@pytest.mark.parametrize("layout", ["BSNGD", "SBNGD", "BNGS1S2"])
@pytest.mark.parametrize("loops", [1, 2])
def test_layouts(probe, layout, loops):
    a, b = factors(2, 2, 2)
    order = {"BSNGD": (0, 3, 1, 2, 4), "SBNGD": (3, 0, 1, 2, 4), "BNGS1S2": (0, 1, 2, 3, 4)}[layout]
    wanted = np.einsum("bhgmk,bhnk->bhgmn", a, b[:, :, 0])
    code = {
        1: "mm.IterateBatch(c, 8, 4, false);",
        2: "mm.SetWorkspace(c); mm.IterateNBatch(2, 4, 2, false);",
    }[loops]
    ran = run(probe, a.transpose(order).copy(), b.transpose(order).copy(), np.zeros(wanted.size, np.float32), code,
              sizes=(2, 2, 2), LAYOUT=layout, LAYOUT_C=layout)  # fmt: skip
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, wanted.transpose(order).ravel(), atol=1e-4)


@pytest.mark.parametrize("shared", [False, True])
def test_a_bias_is_one_row_or_a_row_for_each_matrix(probe, shared):
    a, b = factors(1, 2, 1)
    bias = draw("float32", 2, N)
    code = f"""{{
        GlobalTensor<float> bias;
        bias.SetGlobalBuffer((__gm__ float *)x + {a.size + b.size});
        mm.SetBias(bias);
        mm.IterateBatch(c, 2, 2, false);
    }}"""
    config = "ONE_BIAS" if shared else "CFG_NORM"
    y = np.zeros((2, M, N), np.float32)
    ran = run(probe, a, b, y, code, sizes=(1, 2, 1), extra=[bias.ravel()], CONFIG=config)
    assert ran.codes == []
    rows = bias[:1] if shared else bias
    np.testing.assert_allclose(
        ran.y, np.einsum("hmk,hnk->hmn", a[0, :, 0], b[0, :, 0]) + rows[:, None], atol=1e-4
    )


def test_batches_of_the_workspace_come_one_after_another(probe):
    a, b = factors(1, 4, 1)
    code = """{
        mm.SetWorkspace(GetUserWorkspace(workspace), 0);
        mm.IterateNBatch<false>(2, 2, 2, false);
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 2 * ROWS * COLUMNS * sizeof(float));
        LocalTensor<float> part = buffer.Get<float>();
        mm.GetBatchC<false>(part, 2, 2);
        Adds(part, part, 1.0f, 2 * ROWS * COLUMNS);
        PipeBarrier<PIPE_ALL>();
        DataCopy(c, part, 2 * ROWS * COLUMNS);
        PipeBarrier<PIPE_ALL>();
        GlobalTensor<float> rest = mm.GetBatchTensorC<false>(2, 2);
        DataCopy(part, rest, 2 * ROWS * COLUMNS);
        PipeBarrier<PIPE_ALL>();
        DataCopy(c[2 * ROWS * COLUMNS], part, 2 * ROWS * COLUMNS);
    }"""
    y = np.zeros((4, M, N), np.float32)
    ran = run(probe, a, b, y, code, sizes=(1, 4, 1), bytes_of_workspace=16 * 2**20 + y.nbytes)
    assert ran.codes == []
    wanted = np.einsum("hmk,hnk->hmn", a[0, :, 0], b[0, :, 0])
    np.testing.assert_allclose(ran.y, wanted + np.array([1, 1, 0, 0])[:, None, None], atol=1e-4)


def test_without_a_workspace_it_is_refused(probe):
    a, b = factors(1, 2, 1)
    code = "mm.IterateNBatch(1, 2, 2, false);"
    ran = run(probe, a, b, np.zeros((2, M, N), np.float32), code, sizes=(1, 2, 1))
    assert ran.codes == ["NULL_POINTER"]
