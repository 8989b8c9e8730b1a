"""What is rewritten before a text is read says the same: layouts, lengths of weights, attributes that stand apart."""

import pytest

from akgen.agents.requests.abbreviated import with_permutations
from akgen.agents.requests.listed_steps import with_own_attributes
from akgen.agents.requests.plain_words import everywhere_plain
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.told_weights import with_weights


@pytest.mark.parametrize(
    ("said", "dims"),
    [
        ("NCHW -> NHWC, 2x3x8x8", "(0, 2, 3, 1)"),
        ("transpose [B,S,H,D] to [B,H,S,D], x is 2x8x4x16", "(0, 2, 1, 3)"),
        ("把输入从 NHWC 转成 NCHW，[2, 8, 8, 3]", "(0, 3, 1, 2)"),
        ("channels last to channels first, 8x8x3", "(0, 2, 1)"),
        ("convert the batch from NHWC to NCHW, 2x8x8", None),  # another rank
        ("BSHD to BSHD, 2x8x4x16", None),
        ("sum over H, NCHW 2x3x8x8", None),
    ],
)
def test_a_change_of_layout_is_a_permutation(said: str, dims: str | None) -> None:
    written = with_permutations(said)
    assert (written == said) if dims is None else (f"permute {dims}" in written)


def test_a_layout_that_says_a_permutation_again_is_left_out_and_another_one_stays() -> None:
    assert "BSHD" not in with_permutations("permute (0,2,1,3), x 2x8x4x16 (BSHD in, BHSD out)")
    assert "BSHD" in with_permutations("permute (0,1,3,2), x 2x8x4x16 (BSHD in, BHSD out)")


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("rms norm, x 16x512, weight 512, eps 1e-6", "rms norm, x 16x512, weight [512], eps 1e-6"),
        ("GroupNorm，2x64x8x8，weight、bias 各 64", "GroupNorm，2x64x8x8，weight [64], bias [64]"),
        ("batch norm, x [4, 16, 8, 8], mean, var (each 16)",
         "batch norm, x [4, 16, 8, 8], running_mean [16], running_var [16]"),
        ("layer norm, x 4x8, weight 3", None),  # no axis is as long
        ("relu(x) * weight, bias 8, x 4x8", None),  # of a formula
        ("add bias (8, 49, 49) to scores (2, 8, 49, 49)", None),
    ],
)  # fmt: skip
def test_lengths_of_weights_become_shapes(said: str, written: str | None) -> None:
    assert with_weights(said) == (said if written is None else written)


def test_attributes_of_a_later_clause_go_to_their_layer() -> None:
    said = "conv + relu + max pool: x 2x3x8x8, conv stride 1 padding 1, pool 2x2 stride 2"
    assert with_own_attributes(said).startswith("conv stride 1 padding 1 + relu + max pool 2x2 stride 2")
    assert with_own_attributes("conv stride 2, then relu") == "conv stride 2, then relu"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("A 转置之后乘 B", "A.T @ B"),
        ("A 与 B 的转置相乘", "A @ B.T"),
        ("the transpose of A times B", "A.T @ B"),
        ("A times B", "A times B"),
        ("cumsum from right to left", "reverse cumsum"),
        ("把负值置零", "where(x < 0, 0, x)"),
    ],
)
def test_plain_phrases_become_formulas(said: str, written: str) -> None:
    assert everywhere_plain(said) == written


@pytest.mark.parametrize(
    "said",
    [
        "split x in half along the last dim, 8x64 fp32, sigmoid of the first half times the first half",
        "concat three tensors along dim 1: (8,16), (8,32), fp16",
        "add a per-channel bias [8] to x [2, 16, 4, 4], fp32",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_asked_about(said: str) -> None:
    assert parse_request(said).problem is not None


def test_the_shape_behind_a_formula_is_that_of_the_name_before_it() -> None:
    request = parse_request("A.T @ B：A 是 (64, 32)，B 是 (64, 16)，fp16").request
    assert request.shapes == (((64, 32), (64, 16)),)


def test_rounding_is_not_lost_before_a_cast() -> None:
    request = parse_request("round to nearest and cast to int8, 8x8 fp32").request
    assert [step.operator for step in request.steps] == ["round", "cast"]


def test_a_permutation_keeps_its_zero_and_one() -> None:
    assert parse_request("permute (2, 0, 1), 8x4x3 fp32").request.steps[0].attributes == {"dims": (2, 0, 1)}


@pytest.mark.parametrize(
    "said", ["relu then renormalise, 8x4 fp32", "softmax, then renormalise the weights, 8x4 fp32"]
)
def test_a_normalisation_is_not_dropped(said: str) -> None:
    assert parse_request(said).problem is not None
