"""What a text lays out: what inputs hold, of which types, what is returned; what is left over is asked about."""

import pytest

from akgen.agents.requests.request import Request
from akgen.agents.requests.specified.reader import specified_request
from akgen.agents.requests.task import reference_for
from akgen.tools.core.dtypes import DType
from akgen.tools.reference.meta_run import results_of
from tests.agents.sentences.made import space_of


def told(text: str) -> Request:
    request = specified_request(text)
    assert request is not None and request.source is not None
    return request


def test_inputs_have_the_types_and_lie_in_the_ranges_that_are_told() -> None:
    request = told(
        "x fp16 [8, 16], t fp32 [16] values in [0.5, 2], ids int32 [8] (0..3), w bf16 [4, 16]. y = x * t * w[ids]"
    )
    shapes = {f"shape{i or ''}": list(s) for i, s in enumerate(request.shapes[0])}
    x, t, ids, w = space_of(reference_for(request))["get_inputs"]({**shapes, "dtype": "float16"})
    assert [str(v.dtype) for v in (x, t, ids, w)] == [
        "torch.float16",
        "torch.float32",
        "torch.int32",
        "torch.bfloat16",
    ]
    assert bool((t >= 0.5).all() and (t <= 2).all() and (ids >= 0).all() and (ids <= 3).all())
    assert request.dtypes == (DType.FLOAT16,)


@pytest.mark.parametrize(
    ("said", "body"),
    [
        ("q = x / s, s = max(|x|) / 127 per row. x fp16 [8, 16]. return q, s", "return q, s.squeeze(-1)"),
        ("y = x * s, x fp16 [8, 16], s fp32 [8], out fp16", "s = s[:, None]"),
        ("y = x @ w, x int8 [8, 16], w int8 [16, 4], y int32 [8, 4]", "x = x.to(torch.int32)"),
        ("m = mean(x, -1); y = x - m; x fp16 [8, 16]; return y and m, fp32", "keepdim=True"),
        (
            "y = LN(x), x fp16 [8, 16], gamma fp32 [16], beta fp32 [16], eps 1e-6",
            "x.shape[-1:], gamma, beta, eps=1e-06",
        ),
        ("int8 quant: q = round(x / s) as int8, x [8, 16], s [16]", "return q.to(torch.int8)"),
        ("y = e^x * 2, x fp16 [8, 16], y fp32", "torch.exp(x) * 2"),
    ],
)
def test_statements_become_lines_of_pytorch(said: str, body: str) -> None:
    source = told(said).source
    assert source is not None and body in source.text


@pytest.mark.parametrize(
    "said",
    [
        "y = x * w + c, x fp16 [8, 16], w fp32 [16]",  # c is no tensor
        "y = x * w, x fp16 [8, 16], w fp32 [16], scale fp32 [16]",  # nothing takes scale
        "y = x * w, x fp16 [8, 16], w fp32 [16], reversed",
        "y = x * w, x fp16 [8, 16], w fp32 [16], y fp32 [16, 8]",
        "y = x / sum(x, -1), x fp16 [16, 16], output fp32",  # of a row, or as PyTorch broadcasts?
        "y = x ^ w, x int32 [16], w int32 [16]",
        "y = var(x, -1) * w, x fp16 [16, 8], w fp32 [16]",  # over N, or over N - 1?
        "y = x * w, x fp16 [8, 16], w fp32 [16], mean fp32 [8]; return y, mean",
        "y = LN(x) * (1 + s), x fp16 [8, 16], s fp32 [16]",  # with weights of its own?
        "y = relu(a @ b + bias), a fp16 [8, 16], b fp32 [16, 32], bias is 32",  # a length
        "q = round(x * s) as int8, y = q * s. x fp16 [8, 16], s fp32 [16]. return y",  # what comes between is int8
        "int8 quant: q = round(x / s), x [8, 16], s [16]",
        "gelu: y = x * w, x fp16 [8, 16], w fp32 [16]",
        "causal softmax: y = softmax(x) * w, x fp16 [8, 16], w fp32 [16]",
    ],
)
def test_what_does_not_fit_or_is_left_over_is_not_read(said: str) -> None:
    assert specified_request(said) is None


def test_a_function_that_raises_returns_nothing() -> None:
    assert results_of("def f(x): return x @ x", "f", [((2, 3), "float32")]) is None
    assert results_of("def f(x): return x.sum(0), x", "f", [((2, 3), "int8")]) == [
        ((3,), "int64"),
        ((2, 3), "int8"),
    ]


def test_whole_numbers_are_divided_by_no_zero_and_results_come_in_the_order_that_is_told() -> None:
    request = told("a, b int32 [64]. fmod(a, b) and remainder(a, b), both, two outputs, fmod first")
    made = space_of(reference_for(request))
    a, b = made["get_inputs"]({"shape": [64], "shape1": [64], "dtype": "int32"})
    assert bool((b != 0).all() and (b < 0).any())
    assert [
        bool((r == w).all()) for r, w in zip(made["Model"]()(a, b), (a.fmod(b), a.remainder(b)), strict=True)
    ] == [True, True]
    assert specified_request("a, b int32 [64]. fmod(a, b) and remainder(a, b), both, remainder first") is None
