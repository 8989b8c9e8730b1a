"""Follow-ups change what the turns before them told, take it back, or ask where they may mean several things."""

import pytest

from akgen.agents.requests.follow_up_words import clauses
from akgen.agents.requests.listed_steps import with_steps
from akgen.agents.requests.request import Request
from akgen.agents.requests.revised import revised, without_unchanged
from akgen.agents.requests.sentence import parse_request

NORM = "rms norm, x [4, 8, 32] fp16, weight [32] fp16, eps=1e-6"
CHANGED = {
    (NORM, "eps 改成 1e-5"): "rms norm, x [4, 8, 32] fp16, weight [32] fp16, eps=1e-5",
    (NORM, "bf16 instead of fp16"): "rms norm, x [4, 8, 32] bf16, weight [32] bf16, eps=1e-6",
    (NORM, "x 改成 [2, 8, 32]"): "rms norm, x [2, 8, 32] fp16, weight [32] fp16, eps=1e-6",
    (NORM, "hidden from 32 to 64"): None,  # of x alone, or of the weight too
    ("y = 0.9 * a + 0.1 * b", "change 0.9 to 0.8 and 0.1 to 0.2"): "y = 0.8 * a + 0.2 * b",
    ("y = a * b + c", "sorry, should be y = a * (b + c)"): "y = a * (b + c)",
    ("gelu fp16 8x40", "write the output as fp32"): "gelu fp16 8x40, output fp32",
    ("gelu fp16 8x40", "also fp32"): None,  # another case
    ("softmax fp16 8x40", "dim 0"): None,  # an axis, no size of one
    ("gelu, then a sum, then gelu", "relu instead of gelu"): None,  # which of the two
    ("linear, x [16, 32], w [16, 32]", "batch from 16 to 64"): None,  # may be the weight's size, too
    ("linear, x [8, 32], w [16, 32], b [16]", "drop the bias"): "linear, x [8, 32], w [16, 32], ",
}


@pytest.mark.parametrize(("told", "said"), CHANGED)
def test_a_follow_up_is_written_into_the_turn_that_told_what_it_changes(told: str, said: str) -> None:
    found, wanted = [way.turns for way in revised((told,), said)], CHANGED[told, said]
    assert found == [(wanted,)] if wanted is not None else len(found) != 1


def test_a_turn_is_taken_back_and_what_is_known_is_compared_without_its_history() -> None:
    first = parse_request("softmax over the last dim, 8x40 fp16").request
    second = parse_request("make it log softmax", first).request
    assert second != first and second.earlier == (first,)
    for said in ("undo that", "hmm no, revert the last change", "撤销", "back to softmax"):
        assert parse_request(said, second).request == first
    assert parse_request("undo", first).problem is not None and parse_request("undo", first).request == first
    assert first == first.model_copy(update={"said": ("softmax",), "earlier": (Request(),)})


def test_what_may_be_changed_in_several_ways_is_asked_about() -> None:
    known = parse_request("linear, x [16, 32], w [16, 32], b [16], fp16").request
    asked = parse_request("batch from 16 to 64", known)
    assert asked.problem is not None and asked.request == known


def test_clauses_end_where_no_bracket_is_open() -> None:
    assert clauses("two changes: 1) x is [2, 8], 2) use f(a, b). done") == [
        "two changes:", "x is [2, 8]", "use f(a, b)", "done",
    ]  # fmt: skip
    assert without_unchanged("eps 改成 1e-5，其他不变") == "eps 改成 1e-5"
    assert without_unchanged("same shape") == "same shape"


def test_numbers_of_steps_are_an_order_where_each_has_an_operator() -> None:
    assert with_steps("1) relu 2) square, 8x40") == "relu, then square, 8x40"
    assert with_steps("relu 1) fp16 2) fast") == "relu 1) fp16 2) fast"


GONE_ON = {  # what stands after two turns: each step's operator or formula
    ("relu, [64, 64] fp32", "negate it"): ["relu", "neg"],
    ("sum over dim 1, [64, 64] fp32", "sqrt of that please"): ["sum", "sqrt"],
    ("sigmoid, [64, 64] fp32", "1 - that"): ["sigmoid", "1 - x"],
    ("tanh, [64, 64] fp32", "用 x 减去它"): ["tanh", "first - x"],
    ("mean over dim 1, [64, 100] fp32", "multiply x by it"): ["mean", "first * x"],
    ("matmul a [16, 32] b [32, 24] fp32", "multiply it by x"): None,  # by which of the two
    ("sum of squares per row, [64, 100] fp32", "divide x by its square root"): None,  # whose
    ("a - b, both [64, 64] fp32", "swap a and b"): ["b - a"],
    ("a + b, both [64, 64] fp32", "b 换成常数 2，不再当输入了"): ["a + 2"],
    ("a + b, both [64, 64] fp32", "average of the two"): None,
    ("bmm a [2, 8, 16] b [2, 16, 4] fp16", "b arrives as [2, 4, 16], transpose it"): ["a @ torch.transpose(b, -1, -2)"],
    ("bmm a [2, 8, 16] b [2, 16, 4] fp16", "b arrives as [2, 4, 32], transpose it"): None,
    ("layer norm, x [8, 64] fp16, weight [64], bias [64]", "no affine"): ["layer_norm"],
    ("layer norm, x [8, 64] fp16, weight [64], bias [64]", "without the weight"): None,  # the bias alone stays
    ("cat a [4, 8] and b [4, 16] on dim 1, fp32", "also append c [4, 2]"): ["torch.cat((x0, x1, x2), dim=1)"],
    ("flip dim 0, [4, 8] fp32", "dim 1 as well"): None,
    ("mean over dim 1, [4, 8] fp32", "mask bool [4, 8], average only where it's True"): [
        "(x * mask).sum(1) / (mask).sum(1)"
    ],
}  # fmt: skip


@pytest.mark.parametrize(("told", "said"), GONE_ON)
def test_a_follow_up_goes_on_from_what_stands_or_is_asked_about(told: str, said: str) -> None:
    before = parse_request(told).request
    heard = parse_request(said, before)
    wanted = GONE_ON[told, said]
    assert (heard.problem is None) == (wanted is not None), heard.problem
    assert wanted is not None or heard.request == before
    assert wanted is None or [s.formula or s.operator for s in heard.request.steps] == wanted


@pytest.mark.parametrize("said", ["yes", "ok thanks", "好的，谢谢", "looks good!"])
def test_that_all_is_well_changes_nothing_and_is_not_asked_about(said: str) -> None:
    known = parse_request("relu fp16 8x40").request
    heard = parse_request(said, known)
    assert heard.problem is None and heard.request == known


SET = {
    ("leaky relu 0.1, 8x8 fp32", "change slope to 0.3"): {"negative_slope": 0.3},
    ("leaky relu 0.1, 8x8 fp32", "slope should be 0.3, not 0.1"): {"negative_slope": 0.3},
    ("leaky relu 0.1, 8x8 fp32", "slope should be 0.3, not 0.2"): None,
    ("pad the last dim with 3 zeros on the right, [4, 10] fp16", "pad value should be -1"): {"value": -1.0},
    ("topk k=5 over dim 0, [64, 100] fp32", "top 8 instead"): {"k": 8, "dim": 0},
    ("topk k=5 over dim 0, [64, 100] fp32", "smallest ones (ascending)"): {"largest": False, "dim": 0},
    ("layer norm 8x64 fp16, no affine", "i need affine"): {},
    ("max pool 2x2 stride 2, 1x2x8x8 fp32", "kernel 改 3，stride 还是 2"): {"kernel_size": 3, "stride": 2},
}


@pytest.mark.parametrize(("told", "said"), SET)
def test_a_follow_up_sets_an_attribute_by_any_of_its_names(told: str, said: str) -> None:
    heard = parse_request(said, parse_request(told).request)
    wanted = SET[told, said]
    assert (heard.problem is None) == (wanted is not None), heard.problem
    assert wanted is None or wanted.items() <= heard.request.steps[0].attributes.items()
