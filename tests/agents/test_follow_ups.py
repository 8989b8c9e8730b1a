"""Follow-ups change what the turns before them told, take it back, or ask where they may mean several things."""

import pytest

from akgen.agents.requests.clauses import clauses
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
