"""Two results are never built as one, and what is denied or said again is left out only where it agrees."""

import pytest

from akgen.agents.requests.explained import shortened
from akgen.agents.requests.results_wanted import wanted_results
from akgen.agents.requests.sentence import parse_request


@pytest.mark.parametrize(
    ("text", "returned"),
    [
        ("add residual then rms norm, return both the sum and the norm, x and residual 64x512 fp16", (0, 1)),
        ("先加残差再 layernorm，和也要输出，64x512 fp16", (1, 0)),
        ("matmul 64x128 by 128x256 then relu, return the pre-activation as well", (1, 0)),
        ("add then relu, 8x40 fp32, only return the relu", ()),
    ],
)
def test_the_results_that_are_wanted_are_returned_in_order(text: str, returned: tuple[int, ...]) -> None:
    parsed = parse_request(text)
    assert parsed.problem is None and parsed.request.returned == returned


@pytest.mark.parametrize(
    "text",
    [
        "add x and y, then layer norm, two outputs, both [64, 512]",
        "softmax then topk k=4, 64x512, also return the softmax",
        "relu 再 softmax，64x40 fp32，两个结果都返回",
        "compute s = x + y and then rmsnorm(s), return both. x, y: [8, 64] fp16",
    ],
)
def test_two_results_are_asked_about_where_it_is_not_clear_which(text: str) -> None:
    assert parse_request(text).problem is not None


def test_one_result_is_no_list() -> None:
    assert wanted_results("softmax over rows, return the result, 8x40") is None


def test_weights_of_a_norm_behind_an_addition_are_its_own() -> None:
    request = parse_request("add + rmsnorm, x and y are [64, 32] bf16, weight [32]").request
    assert request.shapes == (((64, 32),),)


@pytest.mark.parametrize(
    ("text", "denied", "again", "alone"),
    [
        ("conv1d, no gelu, conv only", {"gelu"}, set(), {"conv"}),
        ("conv1d, no bias", {"bias"}, set(), set()),
        ("softmax，dropout 不要", {"dropout"}, set(), set()),
        ("tril, zeros above the main diagonal", set(), {"tril"}, set()),
    ],
)
def test_what_is_denied_or_said_again_is_found(
    text: str, denied: set[str], again: set[str], alone: set[str]
) -> None:
    less = shortened(text)
    assert less is not None and [{*less.denied}, {*less.again}, {*less.alone}] == [denied, again, alone]


@pytest.mark.parametrize("text", ["clamp to [0, 6], no 7 please", "softmax without the last row", "no rush"])
def test_a_denial_of_anything_else_stays(text: str) -> None:
    assert shortened(text) is None


@pytest.mark.parametrize("text", ["attention, no softmax, q k v [2, 4, 16, 8]", "gelu 8x64 fp16，不做激活"])
def test_a_denial_of_what_would_be_built_is_asked_about(text: str) -> None:
    assert parse_request(text).problem is not None
