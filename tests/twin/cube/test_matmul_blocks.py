"""Matmul objects that make a part of their blocks: those on one side of the diagonal, or one for each baseK."""

import numpy as np
import pytest

from tests.twin.cube.test_matmul_forms import ALL, OBJECT, PLAIN, before, factors, run

M, N, K = 32, 48, 64
BLOCK_BY_BLOCK = PLAIN + "while (mm.Iterate()) { mm.GetTensorC(c); }"
ASYNCHRONOUSLY = PLAIN + "mm.IterateAll<false>(c, 0, false, true); mm.WaitIterateAll();"


def triangle(want: np.ndarray, upper: bool) -> np.ndarray:
    """Clear the blocks of 16 x 16 that lie wholly on the other side of the diagonal."""
    row, column = np.indices(want.shape) // 16
    return np.where(row <= column if upper else row >= column, want, 0)


@pytest.mark.parametrize("code", [ALL, BLOCK_BY_BLOCK, ASYNCHRONOUSLY])
@pytest.mark.parametrize("side", ["Upper", "Lower"])
def test_blocks_on_one_side_of_the_diagonal(probe, side, code):
    a, b, want = factors()
    y = np.zeros((M, N), np.float32)
    ran = run(probe, a, b, y, RUN=code, POLICY=f"AscendC::Impl::Detail::Trian{side}MatmulPolicy", zeroed=True)
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_allclose(ran.y, triangle(want, side == "Upper"), atol=1e-4)


SLICES = PLAIN + "int at = 0; while (mm.Iterate()) { mm.GetTensorC(c[at], 0, SEQUENTIAL); at += 256; }"


def test_a_block_for_each_part_of_k(probe):
    a, b, want = factors()
    y = np.zeros((N // 16, M // 16, K // 32, 16, 16), np.float32)
    ran = run(probe, a, b, y, RUN=SLICES.replace("SEQUENTIAL", "true"), CONFIG="PARTS")
    assert ran.codes == [], ran.launch.diagnostics
    x, z = a.astype(np.float32), b.astype(np.float32)
    for part in range(K // 32):
        one = x[:, part * 32 : part * 32 + 32] @ z[part * 32 : part * 32 + 32]
        got = ran.y[:, :, part].transpose(1, 2, 0, 3).reshape(M, N)
        np.testing.assert_allclose(got, one, atol=1e-4)
    np.testing.assert_allclose(ran.y.sum(axis=2).transpose(1, 2, 0, 3).reshape(M, N), want, atol=1e-4)


def test_parts_of_k_are_written_by_themselves(probe):
    a, b, _ = factors()
    y = np.zeros((N // 16, M // 16, K // 32, 16, 16), np.float32)
    ran = run(probe, a, b, y, RUN=SLICES.replace("SEQUENTIAL", "false"), CONFIG="PARTS")
    assert "enSequentialWrite" in ran.one("MATMUL_OBJECT").text


@pytest.mark.parametrize(
    ("config", "words"), [("PARTS", "Iterate and GetTensorC"), ("UNFIT", "belongs to CFG_MDL")]
)
def test_forms_that_parts_of_k_do_not_have(probe, config, words):
    frame = '#include "kernel_operator.h"\nusing namespace AscendC;\nusing T = half;\n'
    entry = 'extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)\n'
    start = "{ TPipe pipe; GlobalTensor<T> in; in.SetGlobalBuffer((__gm__ T *)x);\n"
    built = probe.build(frame + before(CONFIG=config) + "\n" + entry + start + OBJECT + "}\n")
    assert [d.code for d in built.diagnostics] == ["WRONG_ARGUMENTS"], built.diagnostics
    assert words in built.diagnostics[0].text
