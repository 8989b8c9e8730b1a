"""Axes by their names: what is told of a shape's axes decides, and what nobody agrees on is asked about."""

import pytest

from akgen.agents.requests.layouts import layout_of
from akgen.agents.requests.request import Request
from akgen.agents.requests.sentence import parse_request


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("x (B, T, C) = (4, 128, 32)", ("b", "t", "c")),
        ("x: (batch, time, channels) 4x128x32", ("batch", "time", "channels")),
        ("a and b are (2, 128, 64) as (batch, time, channel)", ("batch", "time", "channel")),
        ("[B=4, T=128, C=32]", ("b", "t", "c")),
        ("NHWC 2x4x4x8", ("n", "h", "w", "c")),
        ("a 4x8 matrix", ()),
        ("softmax(x, y) of (4, 8)", ()),
    ],
)
def test_the_names_of_axes_are_read_beside_a_shape(text: str, layout: tuple[str, ...]) -> None:
    assert layout_of(text) == layout


@pytest.mark.parametrize(
    ("text", "dim"),
    [
        ("mean over time, x (B, T, C) = (4, 128, 32)", 1),
        ("mean over the heads, x (B, H, S, D) = (4, 8, 32, 16)", 1),
        ("softmax over channels 2x8x4x4", 1),
        ("softmax (over channels) 2x8x4x4", 1),
        ("softmax over channels, NHWC 2x4x4x8", -1),
        ("sum over height and width of a 2x8x4x4 tensor", (-2, -1)),
        ("mean over the spatial dims, NHWC [2,4,4,8]", (1, 2)),
        ("max over T of x [B=4, T=128, C=32]", 1),
        ("沿时间维求平均，形状 (B, T, C) = (4, 128, 32)", 1),
        ("沿 T 维求和，x: (B,T,C)=(4,128,32)", 1),
        ("mean over batch and time, x (B,T,C): 4x128x32", (0, 1)),
        ("max over sequence, batch 4, seq 128, hidden 512", 1),
        ("argmax over classes 8x21x16x16", 1),
        ("argmax over the experts, (tokens, experts) = (64, 8)", -1),
        ("cumsum over the length dimension of (N, L) = (4, 100)", -1),
        ("l2 norm of each image, x 8x3x16x16", (-3, -2, -1)),
        ("sum of each sample, 8x100", -1),
        ("argmax for each token, (B, S, V) = (2, 8, 100)", -1),
        ("sum over k of x (M, K) = (8, 16)", -1),
        ("cumsum (along the last dim, inclusive) 4x64", -1),
        ("h_t = a_t * h_{t-1} + b_t over time, a and b are (B, T, C) = (2, 128, 64)", 1),
    ],
)
def test_an_axis_is_said_by_its_name(text: str, dim: int | tuple[int, ...]) -> None:
    heard = parse_request(text)
    assert heard.problem is None
    assert heard.request.steps[-1].attributes["dim"] == dim


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("mean over time 4x128x32", "time"),
        ("layernorm over channels 4x128x32", "channels"),
        ("softmax over classes 4x10x32", "classes"),
        ("沿时间维求平均，4x128x32", "时间维"),
    ],
)
def test_an_axis_that_nobody_can_know_is_asked_about(text: str, word: str) -> None:
    heard = parse_request(text)
    assert heard.request == Request() and heard.offer is None
    assert f"“{word}”" in str(heard.problem) and "(B, T, C)" in str(heard.problem)


def test_a_later_sentence_knows_the_names() -> None:
    first = parse_request("mean over time, x (B, T, C) = (4, 128, 32)").request
    second = parse_request("over the channels instead", first)
    assert second.problem is None and second.request.steps[0].attributes == {"dim": -1}


@pytest.mark.parametrize(
    "text",
    [
        "softmax (the last half of the row), x 4x128",
        "abs (the real part of x), x 4x128",
        "mean of each head, x 8x3x16x16",
        "cross entropy of each sample, 32 samples 10 classes",
        "SE block: 2x32x16x16, sigmoid",
    ],
)
def test_what_may_change_the_result_is_asked_about(text: str) -> None:
    assert parse_request(text).problem is not None


def test_all_before_a_shape_is_no_operator() -> None:
    heard = parse_request("F.scaled_dot_product_attention(q, k, v) with q,k,v all (1, 4, 64, 32)")
    assert heard.request.steps == () and heard.request.source is not None
    assert parse_request("all over dim 0, 4x8 bool").request.steps[0].operator == "all"


def test_a_wide_bias_is_a_tensor() -> None:
    heard = parse_request("scores (2, 8, 49, 49) 加上相对位置 bias (8, 49, 49)，然后 softmax，fp16")
    assert heard.problem is None and heard.request.steps[0].operands == ("tensor",)


@pytest.mark.parametrize(
    ("formula", "built"),
    [
        ("max(x) - min(x) per row, 4x8", "torch.amax(x, dim=-1) - torch.amin(x, dim=-1)"),
        ("sum(x - mean(x)) per row, 4x8", "torch.sum(x - torch.mean(x, dim=-1, keepdim=True), dim=-1)"),
        ("x - mean(x) per row, 4x8", "x - torch.mean(x, dim=-1, keepdim=True)"),
    ],
)
def test_reductions_keep_their_axis_only_where_a_tensor_needs_it(formula: str, built: str) -> None:
    assert parse_request(formula).request.steps[0].formula == built


def test_statements_without_a_function_are_a_module() -> None:
    text = "```python\nself.net = nn.Sequential(nn.Linear(8, 4), nn.ReLU())\nreturn self.net(x).softmax(-1)\n``` 2x8"
    heard = parse_request(text)
    assert heard.problem is None and heard.request.source is not None
    assert heard.request.source.arguments == ("x",)


def test_one_operator_of_a_chain_is_exchanged() -> None:
    chain = parse_request("relu then sigmoid, 4x8").request
    changed = parse_request("replace the sigmoid by hardsigmoid", chain)
    assert [s.operator for s in changed.request.steps] == ["relu", "hardsigmoid"]
