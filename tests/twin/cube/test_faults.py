"""What the cube side must be told off for."""

import numpy as np

from tests.twin.cube.kernels import LOAD_B, TILE
from tests.twin.cube.test_tiles import PLAIN, defines, draw


def run(probe, body: str, **values: object):
    a, b = draw("float16", 32, 32), draw("float16", 32, 32)
    given = {"M": 32, "N": 32, "K": 32, "SUM": "float", "RESULT": "float", "MULTIPLY": PLAIN, "N_MMAD": 32,
             "QUANT": "QuantMode_t::NoQuant", "RELU": "false", "SCALE": 0, "LOAD_B": LOAD_B[2]}  # fmt: skip
    x = np.concatenate([a.ravel(), b.ravel()])
    return probe(body, x, np.zeros((32, 32), np.float32), before=defines(**{**given, **values}))


def without(line: str) -> str:
    assert line in TILE
    return TILE.replace(line, "")


def test_loads_need_the_flag_of_the_copy(probe):
    body = without("    SetFlag<HardEvent::MTE2_MTE1>(0);\n    WaitFlag<HardEvent::MTE2_MTE1>(0);\n")
    assert "PIPE_RACE" in run(probe, body).codes


def test_mmad_needs_the_flag_of_the_loads(probe):
    body = without("    SetFlag<HardEvent::MTE1_M>(0);\n    WaitFlag<HardEvent::MTE1_M>(0);\n")
    assert "PIPE_RACE" in run(probe, body).codes


def test_fixpipe_needs_the_flag_of_mmad(probe):
    body = without("    SetFlag<HardEvent::M_FIX>(0);\n    WaitFlag<HardEvent::M_FIX>(0);\n")
    assert "PIPE_RACE" in run(probe, body).codes


def test_unit_flags_stand_for_it(probe):
    body = without("    SetFlag<HardEvent::M_FIX>(0);\n    WaitFlag<HardEvent::M_FIX>(0);\n")
    body = body.replace("mm.m = M;", "mm.m = M; mm.unitFlag = 3;").replace(
        "fix.nSize = N;", "fix.nSize = N; fix.unitFlag = 3;"
    )
    assert run(probe, body).codes == []


def test_l0a_has_an_end(probe):
    body = (
        TILE.replace("load.srcStride = mr / 16;", "load.dstGap = 127;").replace(
            "/ 16; ++i) {", "/ 16; ++i) { // HERE"
        )
        + "// HERE\n"
    )
    ran = run(probe, body)
    assert "TENSOR_RANGE" in ran.codes


def test_l0_operands_start_at_fractals(probe):
    body = TILE.replace("LoadData(a2[i * 16 *", "LoadData(a2[16 + i * 16 *")
    assert "L0_ALIGNMENT" in run(probe, body).codes


def test_mmad_reads_l0_only(probe):
    ran = run(probe, TILE, MULTIPLY="Mmad(c1, a1, b2, mm);")
    assert ran.codes == ["WRONG_MEMORY"]
    assert "L0A" in ran.one("WRONG_MEMORY").text


def test_unit_flag_1_is_reserved(probe):
    assert run(probe, TILE, MULTIPLY="mm.unitFlag = 1; Mmad(c1, a2, b2, mm);").codes == ["CUBE_RANGE"]


def test_float_does_not_become_half_by_itself(probe):
    assert run(probe, TILE, RESULT="half").codes == ["DTYPE_SUPPORT"]


def test_unsupported_types_are_refused_when_compiled(probe):
    source = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    AscendC::LocalTensor<half> a, c;
    AscendC::Mmad(c, a, a, AscendC::MmadParams{});
}
"""
    built = probe.build(source)
    assert built.library is None
    assert "float x half x half" in built.diagnostics[0].text
