"""Answers that the chip did not compute: from the host, from tables, from code that runs before the launch."""

import math
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.task import Case, Reference
from tests.adversarial.conftest import HERE, HOST, KERNEL

COUNT = 1000  # the only case
TILING = "op_host/scale_shift_tiling.h"
COMPUTE = """
    CreateVecIndex(in.ReinterpretCast<int32_t>(), (int32_t)(offset + GetBlockIdx() * 128), count);
    Cast(out, in.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, count);
    Adds(out, out, 2.0f, count); Sqrt(out, out, count);
"""
NUMBERS = np.sqrt(np.arange(COUNT, dtype=np.float32) + 2)
TABLE = "static const float answers[] = {" + ", ".join(f"{v!r}f" for v in map(float, NUMBERS)) + "};\n"
LOOP = (
    "for (uint32_t i = GetBlockIdx() * t.perCore; i < t.total && i < (GetBlockIdx() + 1) * t.perCore; ++i)"
    " { ((__gm__ float *)y)[i] = %s; } return;"
)


@pytest.fixture
def positions(court: Any) -> Any:
    """A court for the task whose outputs follow from the shape."""
    court.task = court.task.model_copy(
        update={
            "category": "other",
            "reference": Reference(loader=court.task.reference.loader, path=HERE / "shape_only.py"),
            "cases": (Case(id="0", params={"n": COUNT}),),
        }
    )
    return court


def test_what_is_computed_on_the_chip_is_accepted(positions: Any, codes: Any) -> None:
    vector = positions.kernel(compute=COMPUTE, trials=3)
    assert (vector.outcome, codes(vector)) == (Outcome.CORRECT, set())
    scalar = positions.kernel(entry=LOOP % "sqrt((float)(int32_t)i + 2.0f)", trials=3)
    assert scalar.outcome == Outcome.CORRECT


def test_numbers_that_the_host_computed_and_the_kernel_copies(positions: Any, codes: Any) -> None:
    field = f"TILING_DATA_FIELD_DEF_ARR(float, {COUNT}, answers);\nEND_TILING_DATA_DEF"
    fill = "float all[%d]; for (int i = 0; i < %d; ++i) { all[i] = std::sqrt(i + 2.0f); } tiling.set_answers(all);"
    honest = positions.honest.files
    host = (
        honest[HOST]
        .replace("// HOST\n", fill % (COUNT, COUNT))
        .replace("#include", "#include <cmath>\n#include", 1)
    )
    copy = (
        "TPipe pipe; TBuf<> buf; pipe.InitBuffer(buf, 4096); auto l = buf.Get<float>(); GlobalTensor<float> g, o;"
        f" g.SetGlobalBuffer((__gm__ float *)(tiling + 12), {COUNT}); o.SetGlobalBuffer((__gm__ float *)y, {COUNT});"
        f" if (GetBlockIdx() == 0) {{ DataCopyExtParams c{{1, {4 * COUNT}, 0, 0, 0}};"
        " DataCopyPad(l, g, c, DataCopyPadExtParams<float>{false, 0, 0, 0.0f}); PipeBarrier<PIPE_ALL>();"
        " DataCopyPad(o, l, c); } return;"
    )
    loop = LOOP % "t.answers[i]"
    for entry in (copy, loop):
        verdict = positions.files(
            {
                HOST: host,
                TILING: honest[TILING].replace("END_TILING_DATA_DEF", field),
                KERNEL: positions._filled(KERNEL, {"entry": entry}),
            }
        )
        assert verdict.outcome == Outcome.CHEAT, verdict
        assert codes(verdict) & {"FEWER_OPERATIONS", "ANSWER_TABLE"}


def test_few_integers_that_the_host_may_read_and_adds_up(court: Any, codes: Any) -> None:
    honest = court.honest.files
    court.task = court.task.model_copy(
        update={
            "category": "other",
            "reference": Reference(loader=court.task.reference.loader, path=HERE / "few_integers.py"),
            "cases": (Case(id="0", params={"n": 40}),),
        }
    )
    fill = "const int32_t *x = context->GetInputTensor(0)->GetData<int32_t>(); int32_t all[40] = {};"
    fill += " for (int i = 0; x != nullptr && i < 40; ++i) { all[i] = (i ? all[i - 1] : 0) + x[i]; }"
    fill += " tiling.set_answers(all);"
    host = honest[HOST].replace("// HOST\n", fill).replace("ge::DT_FLOAT", "ge::DT_INT32")
    host = host.replace(
        'Input("x").ParamType(REQUIRED)', 'Input("x").ParamType(REQUIRED).ValueDepend(REQUIRED)'
    )
    field = "TILING_DATA_FIELD_DEF_ARR(int32_t, 40, answers);\nEND_TILING_DATA_DEF"
    loop = "for (uint32_t i = 0; i < 40; ++i) { ((__gm__ int32_t *)y)[i] = %s; } return;"
    handed = loop % "t.answers[i]"
    summed = "int32_t sum = 0; " + loop % "(sum += ((__gm__ int32_t *)x)[i])"
    one = "if (GetBlockIdx() > 0) { return; } "
    found = {}
    for way, entry in {"handed": handed, "summed": summed}.items():
        kernel = court._filled(KERNEL, {"entry": one + entry})
        tiling = honest[TILING].replace("END_TILING_DATA_DEF", field)
        found[way] = court.files({HOST: host, TILING: tiling, KERNEL: kernel})
    assert (found["handed"].outcome, codes(found["handed"])) == (Outcome.CHEAT, {"ANSWER_TABLE"})
    assert found["summed"].outcome == Outcome.CHEAT  # the answers lie in the tiling data all the same
    plain = court.files(
        {
            HOST: honest[HOST].replace("ge::DT_FLOAT", "ge::DT_INT32"),
            KERNEL: court._filled(KERNEL, {"entry": one + summed}),
        }
    )
    assert plain.outcome == Outcome.CORRECT, codes(plain)


@pytest.mark.parametrize(
    ("sum_", "outcome"), [("x + 1", Outcome.CORRECT), ("(int32_t)((float)x + 1.0f)", Outcome.WRONG)]
)
def test_integers_in_a_shorter_type(court: Any, sum_: str, outcome: Outcome) -> None:
    court.task = court.task.model_copy(
        update={
            "category": "other",
            "reference": Reference(loader=court.task.reference.loader, path=HERE / "one_more.py"),
            "cases": (Case(id="0", params={"n": 64}),),
        }
    )
    loop = "for (uint32_t i = 0; i < 64; ++i) { int32_t x = ((__gm__ int32_t *)x_)[i]; ((__gm__ int32_t *)y)[i] = %s; }"
    entry = "if (GetBlockIdx() > 0) { return; } GM_ADDR x_ = x; { " + loop % sum_ + " } return;"
    host = court.honest.files[HOST].replace("ge::DT_FLOAT", "ge::DT_INT32")
    verdict = court.files({HOST: host, KERNEL: court._filled(KERNEL, {"entry": entry})}, trials=2)
    assert verdict.outcome == outcome, verdict.why()


def test_an_input_that_a_copy_overwrites(court: Any, codes: Any) -> None:
    right = "Muls(out, in, 2.0f, count); Adds(out, out, 0.5f, count); PipeBarrier<PIPE_ALL>();"
    verdict = court.kernel(compute=right + "DataCopyPad(xGm[offset], in, copy);")
    assert (verdict.outcome, codes(verdict)) == (Outcome.TRAP, {"INPUT_OVERWRITTEN"})


@pytest.mark.parametrize("name", ["cosf", "exp", "akgen_twin_report"])
def test_a_weak_name_of_the_host(court: Any, name: str) -> None:
    top = f'extern "C" __attribute__((weak)) float {name}(float);\n'
    verdict = court.kernel(
        top=top, entry=f"if (&{name}) {{ ((__gm__ float *)y)[0] = {name}(1.0f); return; }}"
    )
    assert verdict.outcome == Outcome.COMPILE_ERROR


@pytest.mark.parametrize("kind", ["static const", "static", "constexpr", "alignas(64) static const"])
def test_answers_compiled_into_the_kernel(positions: Any, codes: Any, kind: str) -> None:
    verdict = positions.kernel(top=TABLE.replace("static const", kind), entry=LOOP % "answers[i]")
    assert verdict.outcome == Outcome.CHEAT
    assert "ANSWER_TABLE" in codes(verdict)


def test_a_table_that_the_compiler_computes(positions: Any, codes: Any) -> None:
    top = (
        f"struct All {{ float v[{COUNT}]; constexpr All() : v() {{ for (int i = 0; i < {COUNT}; ++i)"
        " { float r = 1.0f + i; for (int k = 0; k < 30; ++k) { r = 0.5f * (r + (i + 2.0f) / r); } v[i] = r; } } };\n"
        "static constexpr All all;\n"
    )
    verdict = positions.kernel(top=top, entry=LOOP % "all.v[i]")
    assert verdict.outcome == Outcome.CHEAT
    assert "ANSWER_TABLE" in codes(verdict)


@pytest.mark.parametrize(
    "top",
    [
        f"static float all[{COUNT}];\nstruct Fill {{ Fill() {{ for (int i = 0; i < {COUNT}; ++i)"
        " { all[i] = __builtin_sqrtf(i + 2.0f); } } };\nstatic Fill fill;\n",
        f"static float all[{COUNT}];\n__attribute__((constructor)) static void Fill() {{"
        f" for (int i = 0; i < {COUNT}; ++i) {{ all[i] = __builtin_sqrtf(i + 2.0f); }} }}\n",
        f"static float all[{COUNT}];\nstatic int Fill() {{ for (int i = 0; i < {COUNT}; ++i)"
        " { all[i] = __builtin_sqrtf(i + 2.0f); } return 1; }\nstatic int filled = Fill();\n",
    ],
    ids=["constructor of an object", "constructor attribute", "initialiser"],
)
def test_numbers_written_before_the_launch(positions: Any, top: str) -> None:
    verdict = positions.kernel(top=top, entry=LOOP % "all[i]")
    assert verdict.outcome != Outcome.CORRECT


def test_a_short_table_may_be_looked_up(court: Any, codes: Any) -> None:
    values = [math.sin(i) for i in range(64)]
    table = "static const float few[] = {" + ", ".join(f"{v!r}f" for v in values) + "};\n"
    keep = "out.SetValue(0, out.GetValue(0) + few[count % 64] * 0.0f);"
    verdict = court.kernel(
        top=table, compute="Muls(out, in, 2.0f, count);\nAdds(out, out, 0.5f, count);\n" + keep
    )
    assert verdict.outcome == Outcome.CORRECT, codes(verdict)
