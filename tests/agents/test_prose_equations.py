"""What equations leave to words is written in signs; headings go where they name nothing but what is built."""

import pytest

from akgen.agents.requests.explained import headed, is_named_so
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.shorthand import written_out
from akgen.agents.requests.specified.layout import in_signs
from akgen.agents.requests.specified.reader import specified_request


@pytest.mark.parametrize(
    ("said", "signs"),
    [
        ("q = round(x / s) 再 clamp 到 [-128,127]", "clamp(round(x / s), -128, 127)"),
        ("t = p 若 y=1，否则 1-p", "p if y == 1 else (1-p)"),
        ("w = if y is 1 then a else b", "a if y == 1 else b"),
        ("d = ||a - b||^2", "sum((a - b)**2)"),
        ("s = rowwise absmax / 127", "amax(abs(x), dim=-1, keepdim=True) / 127"),
        ("f = x * 2; 最后取 mean", "reduced = mean(f, dim=None)"),
        ("a p n are (8, 4)", "a, p, n are"),
        ("return (out, h)", "return out, h"),
    ],
)
def test_words_are_written_in_signs(said: str, signs: str) -> None:
    assert signs in in_signs(said)


@pytest.mark.parametrize("said", ["the loss is the mean", "clamp to [0, 6]", "out = a, then the mean of b"])
def test_words_without_an_equation_in_front_stay(said: str) -> None:
    assert in_signs(said) == said


def test_the_axis_of_an_inner_sum_is_not_that_of_the_loss() -> None:
    request = specified_request(
        "loss = mean(relu(||a-p||^2 - ||a-n||^2 + 0.3)), a p n are (64, 32) fp32, summed over the last dim"
    )
    assert request is None or ("relu" in str(request.source) and "dim=None" in str(request.source))


@pytest.mark.parametrize(
    ("heading", "fits"), [("squared distances of", True), ("manhattan distances of", False)]
)
def test_a_heading_names_what_is_built(heading: str, fits: bool) -> None:
    under = headed(f"{heading} x (24, 16) and y (32, 16): d[i,j] = sum_k (x[i,k]-y[j,k])^2")
    assert under is not None
    assert is_named_so(parse_request(under.text).request, under.title) is fits


@pytest.mark.parametrize(
    ("said", "axis"),
    [("sum along the 64 dim, 32 x 64", "over dim -1"), ("max over the 32, x [32, 64]", "over dim -2")],
)
def test_an_axis_is_found_by_its_size(said: str, axis: str) -> None:
    assert axis in written_out(said)


def test_one_of_two_axes_of_a_size_is_asked_about() -> None:
    assert parse_request("sum along the 64 dim, 64 x 64 fp32").problem is not None
