"""Cube and vector cores together: flags between them, and Matmul objects."""

import json

import numpy as np
import pytest

from tests.twin.cube.kernels import MIXED, OBJECT
from tests.twin.cube.test_tiles import defines, draw

GAP = "(COLUMNS - 32) * sizeof(RESULT) / 32"
INCLUDE = '#include "lib/matmul_intf.h"\nusing namespace matmul;\n'
ALL = "mm.IterateAll(c[row * COLUMNS]);"
BLOCKS = "while (mm.Iterate()) { mm.GetTensorC(c[row * COLUMNS]); }"
IN_UB = """
    TQue<TPosition::VECOUT, 1> out_queue;
    pipe.InitBuffer(out_queue, 1, 16 * 32 * sizeof(RESULT));
    for (uint32_t i = 0; mm.Iterate(); ++i) {
        LocalTensor<RESULT> v = out_queue.AllocTensor<RESULT>();
        mm.GetTensorC<true>(v, false, true);
        Adds(v, v, static_cast<RESULT>(1), 16 * 32);
        out_queue.EnQue(v);
        v = out_queue.DeQue<RESULT>();
        DataCopy(c[row * COLUMNS + i * 32], v, DataCopyParams{16, sizeof(RESULT), 0, GAP});
        out_queue.FreeTensor(v);
    }
"""


def mixed(probe, wait: str, **options):
    a, b = draw("float16", 32, 64), draw("float16", 64, 32)
    x = np.concatenate([a.ravel(), b.ravel()])
    values = defines(M=32, N=32, K=64, WAIT_FOR_CUBE=wait)
    task = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);"
    y = np.zeros((32, 32), np.float32)
    ran = probe(MIXED, x, y, before=values, task=task, workspace_bytes=(16 << 20) + 4096, **options)
    return ran, a.astype(np.float32) @ b.astype(np.float32) + 1


def test_vector_cores_take_over_from_the_cube_core(probe):
    ran, want = mixed(probe, "CrossCoreWaitFlag(3);")
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, want, atol=1e-5)


def test_each_kind_of_core_has_its_pipes_in_the_profile(probe):
    ran, _ = mixed(probe, "CrossCoreWaitFlag(3);")
    assert ran.launch.profile is not None
    busy = {p.pipe: p.busy_us for p in ran.launch.profile.pipes}
    assert all(busy[name] > 0 for name in ("MTE2", "MTE1", "M", "FIX", "V", "MTE3"))


def arrows_between_cores(ran):
    """Return (core, pipe) of both ends of each arrow from core to core, and check that it goes forward in time."""
    trace = json.loads(ran.launch.profile.trace.read_text())
    cores = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e.get("name") == "process_name"}
    pipes = {
        (e["pid"], e["tid"]): e["args"]["name"]
        for e in trace["traceEvents"]
        if e.get("name") == "thread_name"
    }
    ends = {e["id"]: e for e in trace["traceEvents"] if e["ph"] == "f"}
    found = []
    for e in trace["traceEvents"]:
        if e["ph"] == "s" and e["name"] == "cores":
            end = ends[e["id"]]
            assert e["ts"] <= end["ts"]
            found.append(tuple((cores[x["pid"]], pipes[x["pid"], x["tid"]]) for x in (e, end)))
    return found


def test_the_trace_shows_who_waited_for_the_other_core(probe):
    ran, _ = mixed(probe, "CrossCoreWaitFlag(3);", trace=True)
    assert sorted(arrows_between_cores(ran)) == [
        (("aic0", "FIX"), (vector, "S")) for vector in ("aiv0", "aiv1")
    ]


def matmul(probe, a, b, y, run: str, *, trace: bool = False, **values: object):
    given = {"ROWS": 64, "COLUMNS": 64, "DEPTH": 96, "TRANS_A": "false", "TRANS_B": "false",
             "C_POSITION": "GM", "BIAS": "", "GAP": GAP, "RESULT": "float", "RUN": run}  # fmt: skip
    x = np.concatenate([a.ravel(), b.ravel()])
    return probe(OBJECT, x, y, before=INCLUDE + defines(**{**given, **values}), block_dim=2, trace=trace)


def test_the_trace_of_a_matmul_object_goes_to_the_cube_core_and_back(probe):
    a, b = draw("float16", 64, 96), draw("float16", 96, 64)
    ran = matmul(probe, a, b, np.zeros((64, 64), np.float32), ALL, trace=True)
    found = set(arrows_between_cores(ran))
    assert (("aiv0", "S"), ("aic0", "S")) in found and (("aic0", "FIX"), ("aiv0", "S")) in found


@pytest.mark.parametrize(
    "run", [ALL, BLOCKS, "mm.IterateAll<false>(c[row * COLUMNS], 0, false, true); mm.WaitIterateAll();"]
)
def test_a_matmul_object_computes_its_part(probe, run):
    a, b = draw("float16", 64, 96), draw("float16", 96, 64)
    ran = matmul(probe, a, b, np.zeros((64, 64), np.float32), run)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32), atol=1e-5)


@pytest.mark.parametrize(("ta", "tb"), [(True, False), (False, True), (True, True)])
def test_operands_may_lie_transposed(probe, ta, tb):
    a, b = draw("float32", 64, 96), draw("float32", 96, 64)
    ran = matmul(probe, a.T if ta else a, b.T if tb else b, np.zeros((64, 64), np.float32), ALL,
                 TRANS_A=str(ta).lower(), TRANS_B=str(tb).lower())  # fmt: skip
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a @ b, atol=1e-4)


def test_blocks_of_c_come_into_the_unified_buffer(probe):
    a, b = draw("float16", 64, 96), draw("float16", 96, 64)
    ran = matmul(probe, a, b, np.zeros((64, 64), np.float16), IN_UB, RESULT="half", C_POSITION="VECIN")
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32) + 1, rtol=2e-3, atol=4e-3)


def test_a_bias_is_added_to_each_row(probe):
    a, b = draw("float32", 64, 96), draw("float32", 96, 64)
    bias = "{ GlobalTensor<float> bias; bias.SetGlobalBuffer((__gm__ float *)x); mm.SetBias(bias); }"
    ran = matmul(probe, a, b, np.zeros((64, 64), np.float32), ALL, BIAS=bias)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a @ b + a.ravel()[:64], atol=1e-4)


def test_atomic_addition_goes_on_what_is_there(probe):
    a, b = draw("float32", 64, 96), draw("float32", 96, 64)
    ran = matmul(
        probe,
        a,
        b,
        np.zeros((64, 64), np.float32),
        "mm.IterateAll(c[row * COLUMNS]); mm.IterateAll(c[row * COLUMNS], 1);",
    )
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, 2 * (a @ b), atol=1e-4)


def test_a_matmul_object_needs_cube_cores(probe):
    a, b = draw("float16", 64, 96), draw("float16", 96, 64)
    x = np.concatenate([a.ravel(), b.ravel()])
    values = defines(
        ROWS=64,
        COLUMNS=64,
        DEPTH=96,
        TRANS_A="false",
        TRANS_B="false",
        C_POSITION="GM",
        BIAS="",
        RESULT="float",
        RUN=ALL,
    )
    ran = probe(
        OBJECT,
        x,
        np.zeros((64, 64), np.float32),
        before=INCLUDE + values,
        task="KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);",
    )
    assert ran.codes == ["MATMUL_CORES"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("TBuf<> early; pipe.InitBuffer(early, 32); REGIST(mm, &cut);", "MATMUL_OBJECT"),
        ("decltype(mm) b, c, d, e; REGIST(mm, &cut, b, &cut, c, &cut, d, &cut, e, &cut);", "MATMUL_OBJECT"),
        ("REGIST(mm, &cut); CrossCoreSetFlag<1, PIPE_MTE3>(1); CrossCoreWaitFlag(1);", "EVENT_ID"),
    ],
)
def test_what_the_library_rules_out_is_warned_of(probe, line, code):
    ran = probe(
        f"""
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
    TCubeTiling cut{{}};
    {line} // HERE""",
        np.zeros(16, np.float16),
        np.zeros(16, np.float16),
        before=INCLUDE + "#define REGIST(...) REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), __VA_ARGS__)\n",
        task="KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);",
        workspace_bytes=16 << 20,
    )
    assert (ran.one(code).severity, ran.source.splitlines()[ran.one(code).line - 1].strip()[-4:]) == (
        "warning",
        "HERE",
    )


def test_results_outside_c_are_refused(probe):
    a, b = draw("float16", 64, 96), draw("float16", 96, 64)
    ran = matmul(
        probe, a, b, np.zeros((64, 64), np.float32), "mm.IterateAll(c[row * COLUMNS + 32 * COLUMNS]);"
    )
    assert "GM_OVERRUN" in ran.codes
