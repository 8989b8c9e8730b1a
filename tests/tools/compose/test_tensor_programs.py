"""Tensor programs: what is written of a trace computes what it computes; what does not fit is told by its line."""

from pathlib import Path

import numpy as np
import pytest

from akgen.bench import builtin
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.program import compose
from akgen.tools.compose.scope import Unsupported
from akgen.tools.compose.tensor_program.composed import compose_tensor_program, graph_on
from akgen.tools.compose.tensor_program.instantiate import instantiate
from akgen.tools.compose.tensor_program.ir import FORMS
from akgen.tools.compose.tensor_program.numeric import run_graph
from akgen.tools.compose.tensor_program.parse import parse_tensor_program
from akgen.tools.compose.tensor_program.written import tensor_program_of
from akgen.tools.core.call import Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import DslError
from akgen.tools.reference.module_loader import load
from akgen.tools.reference.protocol import LoadedCase

F32 = DType.FLOAT32
TASKS = Path(builtin.__file__).parent / "tasks"
SOFTMAX = """x: [M, N]
m = reduce_max(x, 1)
e = sub(x, m)
e = exp(e)
s = reduce_sum(e, 1)
y = div(e, s)
return y
"""


def _call(*shapes: tuple[int, ...], out: tuple[int, ...], dtype: DType = F32) -> Call:
    inputs = tuple(TensorMeta(dtype=dtype, shape=s) for s in shapes)
    return Call(inputs=inputs, outputs=(OutputMeta(meta=TensorMeta(dtype=dtype, shape=out)),))


def _calls(cases: list[TracedGraph]) -> list[Call]:
    return [
        Call(
            inputs=c.inputs,
            outputs=tuple(
                OutputMeta(meta=TensorMeta(dtype=d, shape=c.output_shape(k) or ()))
                for k, d in enumerate(c.output_dtypes)
            ),
        )
        for c in cases
    ]


def _traced(name: str) -> tuple[list[TracedGraph], LoadedCase]:
    task = builtin.describe(TASKS / name)
    loaded = [load(task.reference, case) for case in task.cases[:2]]
    return [trace(one) for one in loaded], loaded[0]


@pytest.mark.parametrize(
    "name", ["column_sum", "cumsum_rows", "layer_norm", "linear_layer", "rotary_embedding", "masked_scaled_softmax",
             "argmin_columns", "constant_pad", "sort_rows_with_places"]
)  # fmt: skip
def test_what_is_written_of_a_task_computes_what_the_task_computes(name: str) -> None:
    traces, first = _traced(name)
    program = parse_tensor_program(tensor_program_of(traces))
    sample = first.sample(1, "task")
    given = [np.asarray(i.double()) for i in sample.inputs if hasattr(i, "double")]
    got = run_graph(graph_on(program, _calls(traces)[0]), given)
    assert len(got) == len(sample.expected)
    for have, want in zip(got, sample.expected, strict=True):
        assert hasattr(want, "double") and np.allclose(have, want.double().numpy(), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("name", ["add_row_bias", "row_variance"])
def test_what_is_written_of_a_task_composes_to_the_same_tile_program(name: str) -> None:
    traces, _ = _traced(name)
    program = parse_tensor_program(tensor_program_of(traces))
    composed = compose_tensor_program(program, "Same", "same", _calls(traces), "doc", fixed=True)
    named = [t.model_copy(update={"input_names": tuple(i.name for i in program.inputs)}) for t in traces]
    assert (
        composed.dsl
        == compose("Same", "same", [t.model_copy(update={"output_names": None}) for t in named], "doc").dsl
    )


def test_cases_that_are_computed_in_different_ways_are_no_one_program() -> None:
    with pytest.raises(Unsupported, match="different ways"):
        tensor_program_of([*_traced("row_max")[0], *_traced("column_sum")[0]])


def test_a_program_serves_other_shapes_and_ranks() -> None:
    program = parse_tensor_program("x: [...]\ny: [...]\nt = mul(x, 2)\nt = add(t, y)\nreturn t\n")
    calls = [_call((3, 5), (3, 5), out=(3, 5)), _call((7,), (7,), out=(7,))]
    composed = compose_tensor_program(program, "Axpy", "axpy", calls)
    assert composed.face.input_names == ("x", "y")
    x = np.arange(6.0).reshape(2, 3)
    metas = [TensorMeta(dtype=F32, shape=(2, 3))] * 2
    (got,) = run_graph(instantiate(program, metas, (F32,)), [x, x])
    assert (got == 3 * x).all()


def test_half_operands_of_a_product_are_read_as_they_lie_in_memory() -> None:
    program = parse_tensor_program("x: [M, K]\nw: [K, N]\nt = matmul(x, w)\nt = relu(t)\nreturn t\n")
    metas = [TensorMeta(dtype=DType.FLOAT16, shape=s) for s in ((4, 8), (8, 6))]
    graph = instantiate(program, metas, (DType.FLOAT16,))
    assert [n.stored for n in graph.nodes if n.op == "contract"] == [DType.FLOAT16]


@pytest.mark.parametrize(("computed", "stored"), [("exp", F32), ("round_float16", DType.FLOAT16)])
def test_a_computed_operand_of_a_product_is_half_where_the_program_rounds_it(
    computed: str, stored: DType
) -> None:
    program = parse_tensor_program(f"x: [M, K]\nw: [K, N]\nt = {computed}(x)\nt = matmul(t, w)\nreturn t\n")
    metas = [TensorMeta(dtype=DType.FLOAT16, shape=s) for s in ((4, 8), (8, 6))]
    graph = instantiate(program, metas, (DType.FLOAT16,))
    assert [n.stored for n in graph.nodes if n.op == "contract"] == [stored]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("x: [M, N]\ny = relu(x\n", "TENSOR_SYNTAX", 2),
        ("x: [M, N]\ny = relu(x)\n", "TENSOR_SYNTAX", 2),
        ("y = iota(3)\nreturn y\n", "TENSOR_SYNTAX", 1),
        ("x: [M]\nimport os\nreturn x\n", "TENSOR_SYNTAX", 2),
        ("x: [M]\ny = relu(exp(x))\nreturn y\n", "TENSOR_SYNTAX", 2),
        ("x: [M]\ny = x + 1\nreturn y\n", "TENSOR_SYNTAX", 2),
        ("x: [M]\ny = softmax(x)\nreturn y\n", "TENSOR_UNKNOWN_OP", 2),
        ("x: [M]\ny = relu(z)\nreturn y\n", "TENSOR_UNKNOWN_NAME", 2),
        ("x: [M]\ny = expand(x, [K, M])\nreturn y\n", "TENSOR_UNKNOWN_NAME", 2),
        ("x: [M]\ny = add(x)\nreturn y\n", "TENSOR_ARITY", 2),
        ("x: [M]\ny = relu(x, x)\nreturn y\n", "TENSOR_ARITY", 2),
        ("x: [M]\ny = scan_sum(x, 0, up=True)\nreturn y\n", "TENSOR_ARITY", 2),
        ("x: [M]\ny = cast(x, float8)\nreturn y\n", "TENSOR_DTYPE", 2),
    ],
)
def test_what_is_no_program_is_told_by_code_and_line(text: str, code: str, line: int) -> None:
    with pytest.raises(DslError) as caught:
        parse_tensor_program(text)
    assert [(d.code, d.line) for d in caught.value.diagnostics] == [(code, line)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("y = add(x, z)", "TENSOR_SHAPE"),
        ("y = reduce_sum(x, 2)", "TENSOR_SHAPE"),
        ("y = reshape(x, [N, N])", "TENSOR_SHAPE"),
        ("y = permute(x, 0, 0)", "TENSOR_SHAPE"),
        ("y = slice(x, 1, 4, N)", "TENSOR_SHAPE"),
        ("y = matmul(x, x)", "TENSOR_SHAPE"),
        ("y = where(x, x, 0)", "TENSOR_DTYPE"),
        ("y = mask_not(x)", "TENSOR_DTYPE"),
        ("y = bit_and(x, 1)", "TENSOR_DTYPE"),
        ("y = reduce_sum(x, 1)", "TENSOR_SHAPE"),
    ],
)
def test_what_does_not_fit_a_call_is_told_by_code(line: str, code: str) -> None:
    program = parse_tensor_program(f"x: [M, N]\nz: [K]\n{line}\nreturn y\n")
    with pytest.raises(DslError) as caught:
        graph_on(program, _call((3, 5), (4,), out=(3, 5)))
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_a_program_of_another_interface_is_refused() -> None:
    program = parse_tensor_program(SOFTMAX)
    for call in (_call((3, 5), (3, 5), out=(3, 5)), _call((3, 5, 2), out=(3, 5, 2))):
        with pytest.raises(DslError, match="line 1") as caught:
            graph_on(program, call)
        assert [d.code for d in caught.value.diagnostics] == ["TENSOR_INTERFACE"]


def test_what_the_composer_cannot_schedule_is_told() -> None:
    program = parse_tensor_program("x: [M, N]\ny = relu(x)\nreturn y\n")
    with pytest.raises(DslError) as caught:
        compose_tensor_program(program, "Empty", "empty", [_call((0, 5), out=(0, 5))], fixed=True)
    assert [d.code for d in caught.value.diagnostics] == ["TENSOR_SCOPE"]


def test_every_operation_of_the_language_is_in_the_prompt() -> None:
    from akgen.agents.prompts import raw_text

    language = raw_text("tensor_language.md")
    assert [op for op in FORMS if op not in language and op != "stored" and op != "round_float32"] == []
