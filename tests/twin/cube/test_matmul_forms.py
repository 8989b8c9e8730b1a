"""Forms of Matmul objects: operands in L1, configurations, constant tilings, blocks in the workspace, layouts of C."""

import numpy as np
import pytest

from tests.twin.cube.test_mixed import INCLUDE
from tests.twin.cube.test_tiles import defines, draw

M, N, K = 32, 48, 64
# One vector core computes all of C; A, B and C are at `a`, `b` and `c`.
OBJECT = """
    using A = MatmulType<TPosition::A_POSITION, CubeFormat::A_FORMAT, T, A_TRANS>;
    using B = MatmulType<TPosition::B_POSITION, CubeFormat::B_FORMAT, T, B_TRANS>;
    using C = MatmulType<TPosition::C_POSITION, CubeFormat::C_FORMAT, float>;
    MatmulImpl<A, B, C, C, CONFIG, MatmulCallBackFunc<nullptr, nullptr, nullptr>, POLICY> mm;
    TCubeTiling cut{};
    cut.M = cut.singleCoreM = ROWS;
    cut.N = cut.singleCoreN = COLUMNS;
    cut.Ka = cut.Kb = cut.singleCoreK = DEPTH;
    cut.baseM = 16;
    cut.baseN = 16;
    cut.baseK = 32;
    GlobalTensor<T> a = in, b = in[ROWS * DEPTH];
    GlobalTensor<float> c;
    c.SetGlobalBuffer((__gm__ float *)y);
    if (::GetSysWorkSpacePtr() == nullptr) { return; }
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, TILING);
    if (GetBlockIdx() == 0) {
        RUN
        mm.End();
    }
"""
CONFIGS = """
constexpr ::MatmulShapeParams SHAPES{32, 48, 64, 16, 16, 32};
constexpr MatmulConfig OF_PARTS = GetMMConfig<MatmulConfigMode::CONFIG_MDL>(SHAPES, ::MatmulFuncParams{true, false},
                                                                         ::MatmulBiasParams{true}, ::MatmulBatchParams{
    false, ::BatchMode::NONE, false});
using CA = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using CC = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr auto CONSTANT = GetMatmulApiTiling<CA, CA, CC, CC>(OF_PARTS);
constexpr MatmulConfig NORMAL = GetNormalConfig(false, false, false, BatchMode::BATCH_LESS_THAN_L1, true,
                                                ::IterateOrder::ORDER_N, ::ScheduleType::OUTER_PRODUCT, false);
constexpr MatmulConfig LARGE = GetMDLConfig(true, false, 2, true, false, false, true, false, true, true, false, true);
constexpr MatmulConfig SPECIAL = GetSpecialMDLConfig(true, false, 1);
constexpr MatmulConfig SHARED = GetIBShareNormConfig(false, false, false, BatchMode::NONE, true, false);
constexpr MatmulConfig BLOCK = GetBasicConfig(16, 48, 64, true);
constexpr MatmulConfig BLOCKS = GetSpecialBasicConfig(16, 16, 32, 32, 48, 64, 1, 1, true);
constexpr MatmulConfig SPLIT = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulFuncParams{
    false, false, false, false, 0, IterateOrder::UNDEF, ScheduleType::INNER_PRODUCT, true, true, false, false, true});
constexpr MatmulConfig PARTS = GetMMConfig<MatmulConfigMode::CONFIG_MDL>(MatmulFuncParams{
    false, false, false, false, 0, IterateOrder::UNDEF, ScheduleType::INNER_PRODUCT, true, true, true});
constexpr MatmulConfig IN_PARTS = GetMDLConfig(false, false, 0, false, false, false, true);
constexpr MatmulConfig changed(bool sums, bool slices)
{
    MatmulConfig config = CFG_NORM;
    config.intraBlockPartSum = sums;
    config.isPartialOutput = slices;
    return config;
}
constexpr MatmulConfig SUMS = changed(true, false), UNFIT = changed(false, true);
constexpr MatmulConfig TWO_MASTERS = GetMDLConfig(false, false, 0, false, false, false, false, true, true, false, true);
"""
PLAIN = "mm.SetTensorA(a, A_TRANS); mm.SetTensorB(b, B_TRANS); "
ALL = PLAIN + "mm.IterateAll(c);"
GIVEN = {
    "ROWS": M, "COLUMNS": N, "DEPTH": K, "A_POSITION": "GM", "B_POSITION": "GM", "C_POSITION": "GM", "A_FORMAT": "ND",
    "B_FORMAT": "ND", "C_FORMAT": "ND", "A_TRANS": "false", "B_TRANS": "false", "CONFIG": "CFG_NORM", "TILING": "&cut",
    "POLICY": "MatmulPolicy", "RUN": ALL,
}  # fmt: skip


def before(**values: object) -> str:
    return INCLUDE + CONFIGS + defines(**{**GIVEN, **values})


def run(
    probe,
    a: np.ndarray,
    b: np.ndarray,
    y: np.ndarray,
    workspace_bytes: int = 0,
    zeroed: bool = False,
    **values,
):
    """Launch for A (M x K) and B (K x N), which lie in memory as they are given."""
    x = np.concatenate([a.ravel(), b.ravel()])
    return probe(OBJECT, x, y, before=before(**values), workspace_bytes=workspace_bytes, zeroed=zeroed)


def factors(dtype: str = "float16") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a, b = draw(dtype, M, K), draw(dtype, K, N)
    return a, b, a.astype(np.float32) @ b.astype(np.float32)


# A is brought to L1 by its vector core, or B, or both, with a queue.
INTO_L1 = """
    TSCM<TPosition::GM, 1> scm;
    pipe.InitBuffer(scm, 1, 16 * 1024);
    LocalTensor<T> t = scm.AllocTensor<T>();
    DataCopy(t, FROM, Nd2NzParams{1, HIGH, WIDE, 0, WIDE, (HIGH + 15) / 16 * 16, 1, 0});
    scm.EnQue(t);
    t = scm.DeQue<T>();
    SET
    scm.FreeTensor(t);
"""


def to_l1(source: str, high: int, wide: int, use: str) -> str:
    text = INTO_L1.replace("FROM", source).replace("HIGH", str(high)).replace("WIDE", str(wide))
    return " ".join(text.replace("SET", use).split())


def test_zeros_fill_ragged_rows_from_the_unified_buffer(probe):
    a, b, _ = factors()
    code = "TBuf<TPosition::VECCALC> ub; pipe.InitBuffer(ub, 8192); LocalTensor<T> rows = ub.Get<T>(); "
    code += f"DataCopy(rows, a, {M * K}); PipeBarrier<PIPE_ALL>(); "
    code += f"TSCM<TPosition::VECIN, 1> scm; pipe.InitBuffer(scm, 1, {M * K * 2}); "
    code += "LocalTensor<T> t = scm.AllocTensor<T>(); "
    for place in (f"DataCopyPad(t, rows, DataCopyExtParams{{{M}, 100, 0, 28, 0}}, ", "DataCopy(t, rows, "):
        code += place + f"Nd2NzParams{{1, {M}, 50, 0, {K}, {M}, 1, 0}}); "
    code += "scm.EnQue(t); t = scm.DeQue<T>(); mm.SetTensorA(t); mm.SetTensorB(b); mm.IterateAll(c); "
    code += "scm.FreeTensor(t);"
    ran = run(probe, a, b, np.zeros((M, N), np.float32), RUN=code, A_POSITION="TSCM", A_FORMAT="NZ")
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, a[:, :50].astype(np.float32) @ b[:50].astype(np.float32), atol=1e-4)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8"])
def test_a_in_l1(probe, dtype, transposed):
    a, b, want = factors(dtype)
    high, wide = (K, M) if transposed else (M, K)
    code = to_l1(
        "a",
        high,
        wide,
        "mm.SetTensorA(t, A_TRANS); mm.SetTensorB(b); while (mm.Iterate()) { mm.GetTensorC(c); }",
    )
    values = {"A_POSITION": "TSCM", "A_FORMAT": "NZ", "A_TRANS": str(transposed).lower(), "RUN": code}
    result = "int32_t" if dtype == "int8" else "float"
    body = OBJECT.replace("float", result)
    x = np.concatenate([(a.T if transposed else a).ravel(), b.ravel()])
    ran = probe(
        body, x, np.zeros((M, N), np.int32 if dtype == "int8" else np.float32), before=before(**values)
    )
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


@pytest.mark.parametrize("copied", ["1, 32, 64, 0, 64, 32, 1, 0", "2, 16, 64, 16 * 64, 64, 32, 1, 256"])
def test_a_from_the_unified_buffer(probe, copied):
    """As one matrix, or as two halves, one below the other."""
    a, b, want = factors()
    code = "TBuf<TPosition::VECCALC> ub; pipe.InitBuffer(ub, 8192); LocalTensor<T> rows = ub.Get<T>(); "
    code += f"DataCopy(rows, a, {M * K}); PipeBarrier<PIPE_ALL>(); "
    to = to_l1("rows", M, K, "mm.SetTensorA(t); mm.SetTensorB(b); mm.IterateAll(c);")
    code += to.replace("GM, 1", "VECIN, 1").replace("1, 32, 64, 0, 64, (32 + 15) / 16 * 16, 1, 0", copied)
    assert copied in code
    ran = run(probe, a, b, np.zeros((M, N), np.float32), RUN=code, A_POSITION="TSCM", A_FORMAT="NZ")
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_a_from_rows_that_lie_apart_in_the_unified_buffer(probe):
    a, b, want = factors()
    code = "TBuf<TPosition::VECCALC> ub; pipe.InitBuffer(ub, 16384); LocalTensor<T> rows = ub.Get<T>(); "
    code += f"DataCopy(rows, a, DataCopyParams{{{M}, {K} / 16, 0, 1}}); PipeBarrier<PIPE_ALL>(); "
    copied = to_l1("rows", M, K, "mm.SetTensorA(t); mm.SetTensorB(b); mm.IterateAll(c);")
    code += copied.replace("GM, 1", "VECIN, 1").replace(
        f"DataCopy(t, rows, Nd2NzParams{{1, {M}, {K}, 0, {K},",
        f"DataCopyPad(t, rows, DataCopyExtParams{{{M}, {K} * 2, 1, 64, 0}}, "
        f"Nd2NzParams{{1, {M}, {K}, 0, {K} + 32,",
    )
    assert "DataCopyPad(" in code
    ran = run(probe, a, b, np.zeros((M, N), np.float32), RUN=code, A_POSITION="TSCM", A_FORMAT="NZ")
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


@pytest.mark.parametrize("transposed", [False, True])
def test_b_in_l1(probe, transposed):
    a, b, want = factors()
    high, wide = (N, K) if transposed else (K, N)
    code = to_l1("b", high, wide, "mm.SetTensorA(a); mm.SetTensorB(t, B_TRANS); mm.IterateAll(c);")
    ran = run(probe, a, b.T if transposed else b, np.zeros((M, N), np.float32), RUN=code, B_POSITION="TSCM",
              B_FORMAT="NZ", B_TRANS=str(transposed).lower())  # fmt: skip
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_what_l1_holds_is_not_copied_again(probe):
    a, b, _ = factors()
    y = np.zeros((M, N), np.float32)
    code = to_l1("a", M, K, "mm.SetTensorA(t); mm.SetTensorB(b); mm.IterateAll(c);")
    held = run(probe, a, b, y, RUN=code, A_POSITION="TSCM", A_FORMAT="NZ").launch.profile
    copied = run(probe, a, b, y).launch.profile
    assert held is not None and copied is not None
    assert held.gm_read_bytes < copied.gm_read_bytes


def test_parts_of_c_leave_beside_multiplications_where_unit_flags_are_on(probe):
    a, b, want = factors()
    blocks = "cut.baseK = K; cut.baseM = 32; for (int i = 0; i < 20; ++i) { mm.Init(&cut); " + ALL + " }"
    blocks = blocks.replace("baseK = K", f"baseK = {K}")
    whole, parts = (
        run(probe, a, b, np.zeros((M, N), np.float32), CONFIG=c, RUN=blocks) for c in ("CFG_MDL", "IN_PARTS")
    )
    np.testing.assert_array_equal(whole.y, parts.y)
    np.testing.assert_allclose(parts.y, want, atol=1e-4)
    of_whole, of_parts = whole.launch.profile, parts.launch.profile
    assert of_whole is not None and of_parts is not None
    assert of_parts.time_us < of_whole.time_us


def test_a_copy_of_several_steps_costs_fewer_instructions(probe):
    a, b, want = factors()
    counts = []
    for steps in (
        "cut.stepKa = 1; cut.stepKb = 1;",
        "cut.stepKa = 2; cut.stepKb = 1;",
        "cut.stepKa = cut.stepKb = 2;",
    ):
        ran = run(
            probe, a, b, np.zeros((M, N), np.float32), CONFIG="CFG_MDL", RUN=steps + " mm.Init(&cut); " + ALL
        )
        np.testing.assert_allclose(ran.y, want, atol=1e-4)
        assert ran.launch.profile is not None
        counts.append(next(p.instructions for p in ran.launch.profile.pipes if p.pipe == "MTE2"))
    assert counts[0] > counts[1] > counts[2]


def test_batches_of_a_in_l1(probe):
    rng = np.random.default_rng(4)
    a, b = (rng.uniform(-1, 1, s).astype(np.float16) for s in ((3, 20, K), (3, K, N)))
    use = "mm.SetTensorA(t); mm.SetTensorB(in[3 * 20 * DEPTH]); mm.IterateBatch(c, 3, 3, false);"
    code = to_l1("a", 20, K, use).replace("Nd2NzParams{1, 20, 64, 0, 64, (20 + 15) / 16 * 16, 1, 0}",
                                          "Nd2NzParams{3, 20, 64, 20 * 64, 64, 32, 1, 32 * 64}")  # fmt: skip
    body = OBJECT.replace("MatmulType<TPosition::A_POSITION, CubeFormat::A_FORMAT, T, A_TRANS>",
                          "MatmulType<TPosition::TSCM, CubeFormat::NZ, T, false, LayoutMode::NORMAL>")  # fmt: skip
    assert "20 * 64" in code and body != OBJECT
    x = np.concatenate([a.ravel(), b.ravel()])
    ran = probe(body, x, np.zeros((3, 20, N), np.float32), before=before(ROWS=20, RUN=code))
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


def test_the_whole_matrix_must_lie_in_l1(probe):
    a, b, _ = factors()
    code = to_l1("a", M, K, "mm.SetTensorA(t); mm.SetTensorB(b); mm.IterateAll(c);").replace(
        "16 * 1024", "2048"
    )
    y = np.zeros((M, N), np.float32)
    assert "TENSOR_RANGE" in run(probe, a, b, y, RUN=code, A_POSITION="TSCM", A_FORMAT="NZ").codes
    copy = f"DataCopy(t, a, Nd2NzParams{{1, {M}, {K}, 0, {K}, ({M} + 15) / 16 * 16, 1, 0}});"
    whole = to_l1("a", M, K, "mm.SetTensorA(t); mm.SetTensorB(b); mm.IterateAll(c);")
    assert copy in whole
    code = whole.replace(copy, "")
    assert "UNWRITTEN_DATA" in run(probe, a, b, y, RUN=code, A_POSITION="TSCM", A_FORMAT="NZ").codes


def test_the_vector_cores_of_a_block_share_l1(probe):
    a, b, _ = factors()
    code = to_l1("a", M, K, "mm.SetTensorA(t); mm.SetTensorB(b); mm.IterateAll(c, 1);").replace(
        "16 * 1024", "300 * 1024"
    )
    body = OBJECT.replace("GetBlockIdx() == 0", "true")
    x = np.concatenate([a.ravel(), b.ravel()])
    values = before(RUN=code, A_POSITION="TSCM", A_FORMAT="NZ")
    assert "UB_OVERFLOW" in probe(body, x, np.zeros((M, N), np.float32), before=values, zeroed=True).codes


def test_without_a_matmul_object_l1_is_the_cube_cores(probe):
    body = """
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIV {
        LocalTensor<T> t(TPosition::TSCM, 0, 256);
        DataCopy(t, in, 256); // HERE
    }
    """
    ran = probe(body, draw("float16", 16, 16), np.zeros(16, np.float32))
    assert "Matmul object" in ran.assert_stopped("WRONG_MEMORY").text


@pytest.mark.parametrize(
    "config",
    ["NORMAL", "LARGE", "SPECIAL", "SHARED", "BLOCK", "BLOCKS", "CFG_MDL", "OF_PARTS", "TWO_MASTERS"],
)
def test_configurations_do_not_change_c(probe, config):
    a, b, want = factors()
    where = "MatrixOffset at = mm.GetOffsetC(); ASCENDC_ASSERT((at.offset == at.row * N + at.col), {});"
    blocks = PLAIN + f"while (mm.Iterate()) {{ {where.replace(' N ', f' {N} ')} mm.GetTensorC(c[0]); }}"
    ran = run(probe, a, b, np.zeros((M, N), np.float32), CONFIG=config, RUN=blocks)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_a_tiling_of_constants_needs_no_structure(probe):
    a, b, want = factors()
    code = "static_assert(CONSTANT.baseM == 16 && CONSTANT.singleCoreK == 64); " + PLAIN + "mm.IterateAll(c);"
    ran = run(
        probe,
        a,
        b,
        np.zeros((M, N), np.float32),
        CONFIG="CONSTANT",
        TILING="(TCubeTiling *)nullptr",
        RUN=code,
    )
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, want, atol=1e-4)


def test_rows_of_an_aligned_c_fill_whole_blocks(probe):
    a, b = draw("float16", M, K), draw("float16", K, 45)
    ran = run(probe, a, b, np.zeros((M, 48), np.float32), COLUMNS=45, C_FORMAT="ND_ALIGN")
    assert ran.codes == []
    np.testing.assert_allclose(ran.y[:, :45], a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


@pytest.mark.parametrize(("config", "c0"), [("CFG_NORM", 16), ("SPLIT", 8)])
@pytest.mark.parametrize("code", [ALL, PLAIN + "while (mm.Iterate()) { mm.GetTensorC(c); }"])
def test_fractals_of_c_have_16_columns_or_8(probe, config, c0, code):
    a, b, want = factors()
    ran = run(probe, a, b, np.zeros((N // c0, M, c0), np.float32), C_FORMAT="NZ", CONFIG=config, RUN=code)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y.transpose(1, 0, 2).reshape(M, N), want, atol=1e-4)


@pytest.mark.parametrize(
    ("cut", "memory"),
    [
        ("cut.baseM = cut.singleCoreM = 512; cut.baseK = cut.singleCoreK = 128;", "L0A"),
        ("cut.baseN = cut.singleCoreN = 512; cut.baseK = cut.singleCoreK = 128;", "L0B"),
        ("cut.baseM = cut.singleCoreM = 256; cut.baseN = cut.singleCoreN = 256;", "L0C"),
        ("cut.depthA1 = 200; cut.depthB1 = 400;", "L1"),
    ],
)
def test_blocks_that_fit_nowhere_are_told(probe, cut, memory):
    a, b, _ = factors()
    body = OBJECT.replace("    GlobalTensor<T> a = in,", f"    {cut}\n    GlobalTensor<T> a = in,")
    assert body != OBJECT
    x = np.concatenate([a.ravel(), b.ravel()])
    ran = probe(body, x, np.zeros((M, N), np.float32), before=before())
    assert f"of {memory}, which has" in ran.one("MATMUL_ROOM").text


FROM_WORKSPACE = """
    mm.SetWorkspace(GetUserWorkspace(workspace), ROWS * COLUMNS * 4);
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> v = buffer.Get<float>();
    mm.Iterate<false>();
    for (uint32_t i = 0; i < ROWS * COLUMNS / 256; ++i) {
        TAKE
        PipeBarrier<PIPE_ALL>();
        DataCopy(c[i * 256], v, 256);
        PipeBarrier<PIPE_ALL>();
    }
"""
TAKES = {
    "in the workspace": "GlobalTensor<float> block = mm.GetTensorC<false>(); DataCopy(v, block, 256);",
    "asynchronously": "mm.AsyncGetTensorC(v); mm.WaitGetTensorC();",
}


@pytest.mark.parametrize("take", TAKES)
def test_blocks_of_c_one_after_another(probe, take):
    a, b, want = factors()
    code = PLAIN + " ".join(FROM_WORKSPACE.replace("TAKE", TAKES[take]).split())
    y = np.zeros((N // 16, M // 16, 16, 16), np.float32)
    ran = run(probe, a, b, y, RUN=code, workspace_bytes=(16 << 20) + y.nbytes, C_POSITION="VECIN")
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y.transpose(1, 2, 0, 3).reshape(M, N), want, atol=1e-4)


CALLBACK = """
void Take(const __gm__ void *, const LocalTensor<int8_t> &, const void *, const uint64_t, const uint64_t) {}
using Ours = MatmulCallBackFunc<Take, nullptr, nullptr>;
"""


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("CONFIG,", "SUMS,", "intraBlockPartSum"),
        ("MatmulCallBackFunc<nullptr, nullptr, nullptr>", "Ours", "MatmulCallBackFunc"),
        ("MatmulType<TPosition::B_POSITION,", "SparseMatmulType<TPosition::GM, TPosition::GM,", "sparse"),
    ],
)
def test_what_is_not_simulated_is_told_when_compiled(probe, old, new, part):
    frame = '#include "kernel_operator.h"\nusing namespace AscendC;\nusing T = half;\n'
    entry = 'extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)\n'
    body = OBJECT.replace(old, new)
    assert body != OBJECT
    start = "{ TPipe pipe; GlobalTensor<T> in; in.SetGlobalBuffer((__gm__ T *)x);\n"
    built = probe.build(frame + before() + CALLBACK + entry + start + body + "}\n")
    assert built.library is None
    assert [d.code for d in built.diagnostics] == ["NOT_SIMULATED"], built.diagnostics
    assert part in built.diagnostics[0].text
