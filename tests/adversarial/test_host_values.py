"""Host code reads an input's values only where the task names them: else it could compute the answer itself."""

from typing import Any

from akgen.tools.core.outcome import Outcome

HOST = "op_host/scale_shift.cpp"


def test_a_tiling_function_that_would_compute_the_answer_sees_no_values(court: Any) -> None:
    text = court.honest.files[HOST].replace(
        'this->Input("x").ParamType(REQUIRED)', 'this->Input("x").ParamType(REQUIRED).ValueDepend(REQUIRED)'
    )
    read = "const float *x = context->GetInputTensor(0)->GetData<float>();\n"
    found = court.files(
        {HOST: text.replace("// HOST\n", read + "if (x != nullptr) { return ge::GRAPH_FAILED; }\n")}
    )
    assert found.outcome == Outcome.CORRECT  # there is nothing to read
    stolen = court.files({HOST: text.replace("// HOST\n", read + "tiling.set_total((uint32_t)x[0]);\n")})
    assert stolen.outcome == Outcome.TILING_ERROR
