"""Masks in requests and follow-ups: what they are laid beside, what true means, and that nobody guesses it."""

import pytest

from akgen.agents.requests.request import Request
from akgen.agents.requests.sentence import parse_request

ATTENTION = "torch.nn.functional.scaled_dot_product_attention"


def heard(*turns: str) -> tuple[str | None, Request]:
    request, problem = Request(), None
    for turn in turns:
        parsed = parse_request(turn, request)
        request, problem = parsed.request, parsed.problem
    return problem, request


@pytest.mark.parametrize(
    ("turns", "formula"),
    [
        (["attention, q k v (2, 4, 32, 16), key padding mask (2, 32) bool, True = padding"],
         f"{ATTENTION}(q, k, v, attn_mask=~mask[:, None, None, :])"),
        (["scaled dot product attention, q, k, v: [1, 2, 16, 8]",
          "add a key padding mask, bool [1, 16], True where the token is real"],
         f"{ATTENTION}(q, k, v, attn_mask=mask[:, None, None, :])"),
        (["attention, q/k/v all 2x4x64x32, causal", "no, not causal: use a bool mask 64x64 instead, True = attend"],
         f"{ATTENTION}(q, k, v, attn_mask=mask)"),
        (["softmax over the last dim of 4x64x64 scores with a bool mask of the same shape, True means keep"],
         "torch.softmax(x.masked_fill(~mask, float(\"-inf\")), dim=-1)"),
        (["attention with a padding mask, q k v 2x8x64x32, mask [2, 64] bool, False = ignore"],
         f"{ATTENTION}(q, k, v, attn_mask=mask[:, None, None, :])"),
        (["沿最后一维 softmax，(8, 50)", "加一个 bool 掩码 (8, 50)，True 表示屏蔽"],
         "torch.softmax(x.masked_fill(mask, float(\"-inf\")), dim=-1)"),
    ],
)  # fmt: skip
def test_a_mask_is_laid_beside_the_scores_and_keeps_or_drops_as_said(turns: list[str], formula: str) -> None:
    problem, request = heard(*turns)
    assert problem is None
    assert [s.formula for s in request.steps] == [formula]
    assert request.steps[0].variables[-1] == "mask" and len(request.shapes[0]) == len(
        request.steps[0].variables
    )


@pytest.mark.parametrize(
    "turns",
    [
        ["attention, q k v (2, 4, 32, 16), key padding mask (2, 32)"],
        ["attention, q k v (2, 4, 32, 16)", "add a key padding mask (2, 32)"],
        ["softmax over the last dim of 4x64x64 scores with a padding mask (4, 64)"],
    ],
)
def test_what_a_mask_means_is_asked_with_an_offer_that_yes_takes(turns: list[str]) -> None:
    request = Request()
    for turn in turns:
        parsed = parse_request(turn, request)
        request = parsed.request
    assert parsed.problem is not None and parsed.offer is not None
    taken = parse_request(parsed.offer, request)
    assert taken.problem is None and "mask" in taken.request.steps[0].variables


def test_both_values_of_a_mask_may_be_said_but_not_against_each_other() -> None:
    scores = "attention, q k v (2, 4, 32, 16), key padding mask (2, 32)"
    problem, request = heard(f"{scores}, True = keep, False = ignore")
    assert (
        problem is None
        and request.steps[0].formula == f"{ATTENTION}(q, k, v, attn_mask=mask[:, None, None, :])"
    )
    assert heard(f"{scores}, True = keep, False = keep")[0] is not None


def test_a_mask_that_fits_nowhere_is_asked_about() -> None:
    assert heard("attention, q k v (2, 4, 32, 16), bool mask (7, 32), True = keep")[0] is not None


def test_a_softmax_becomes_causal_in_a_follow_up() -> None:
    problem, request = heard("softmax，[2, 4, 32, 32]", "加上因果掩码")
    assert problem is None and [s.operator for s in request.steps] == ["causal_softmax"]
