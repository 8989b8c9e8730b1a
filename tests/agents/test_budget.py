"""Budgets: what is left, what is used up, how they are written."""

import pytest

from akgen.agents.budget import Budget, Spent, exhausted, parse_budget, remaining
from akgen.agents.calls.model_call import Usage


def test_what_is_left_is_never_below_zero() -> None:
    left = remaining(
        Budget(attempts=2, tokens=100, wall_s=5.0, device_s=1.0),
        Spent(attempts=3, tokens=150, wall_s=2.0, device_s=9.0),
    )
    assert left == Budget(attempts=0, tokens=0, wall_s=3.0, device_s=0.0)


@pytest.mark.parametrize(("spent", "left"), [(0.5, 1.0), (1.5, 0.0), (4.0, 0.0)])
def test_the_cost_that_is_left_is_the_limit_less_what_is_spent(spent: float, left: float) -> None:
    assert remaining(Budget(cost=1.5), Spent(cost=spent)).cost == left


def test_what_is_used_is_added_to_what_was_spent() -> None:
    before = Spent(attempts=1, tokens=100, output_tokens=40, cost=0.5, wall_s=2.0, device_s=1.0)
    usage = Usage(input_tokens=20, output_tokens=3, cost=0.25)
    assert before.plus(attempts=2, usage=usage, wall_s=4.0, device_s=0.5) == Spent(
        attempts=3, tokens=123, output_tokens=43, cost=0.75, wall_s=6.0, device_s=1.5
    )


def test_what_is_not_named_is_not_spent() -> None:
    spent = Spent(attempts=1, tokens=100, output_tokens=40, cost=0.5, wall_s=2.0, device_s=1.0)
    assert spent.plus() == spent


def test_times_are_summed_to_the_microsecond() -> None:
    spent = Spent().plus(wall_s=1.2345678, device_s=0.7654321)
    assert (spent.wall_s, spent.device_s) == (1.234568, 0.765432)


def test_no_limit_stays_no_limit() -> None:
    assert remaining(Budget(), Spent(tokens=10**9, wall_s=1e9)) == Budget()
    assert exhausted(Budget(), Spent(tokens=10**9, wall_s=1e9)) is None


@pytest.mark.parametrize(
    ("budget", "spent", "words"),
    [
        (Budget(attempts=2), Spent(attempts=2), "2 of 2 attempts"),
        (Budget(tokens=100), Spent(tokens=120), "120 of 100 tokens"),
        (Budget(cost=1.5), Spent(cost=2.25), "2.25 of 1.5 are spent"),
        (Budget(wall_s=5.0), Spent(wall_s=5.5), "5.5 of 5.0 s"),
        (Budget(device_s=1.0), Spent(device_s=1.0), "on the device"),
    ],
)
def test_the_limit_that_is_used_up_is_named_with_both_numbers(
    budget: Budget, spent: Spent, words: str
) -> None:
    used = exhausted(budget, spent)
    assert used is not None and words in used


def test_an_attempt_that_has_begun_may_end_when_attempts_are_used_up() -> None:
    assert exhausted(Budget(attempts=1), Spent(attempts=1), besides_attempts=True) is None


def test_a_budget_is_read_from_its_parts() -> None:
    assert parse_budget("tokens=2e4, wall=600,device=1.5", 3) == Budget(
        attempts=3, tokens=20000, wall_s=600.0, device_s=1.5
    )
    assert parse_budget("", 4) == Budget(attempts=4)


def test_a_cost_below_one_is_a_budget() -> None:
    assert parse_budget("cost=0.5", 4).cost == 0.5


def test_an_unknown_budget_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"^'cups' is not a budget; known are tokens, cost, wall, device\.$"):
        parse_budget("cups=3", 4)


@pytest.mark.parametrize(
    "text",
    [
        "tokens",
        "tokens=",
        "tokens=x",
        "wall=-1",
        "wall=0",
        "wall=inf",
        "wall=nan",
        "cups=3",
        "=3",
        "wall=1=2",
    ],
)
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="budget"):
        parse_budget(text, 4)
