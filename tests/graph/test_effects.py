"""What was paid for is not paid twice."""

from pathlib import Path

import pytest

from akgen.agents.plan import Plan
from akgen.agents.roles import Planned, Usage
from akgen.graph.store.effects import EffectCache
from akgen.tools.core.outcome import InfraError

PLANNED = Planned(
    plan=Plan(origin="test", category="other", thought="because"),
    usage=Usage(input_tokens=7, seconds=float("inf")),
)


class _Payments:
    def __init__(self) -> None:
        self.made = 0

    def pay(self) -> Planned:
        self.made += 1
        return PLANNED


def test_the_same_inputs_are_paid_once_also_by_another_process(tmp_path: Path) -> None:
    payments = _Payments()
    first = EffectCache(tmp_path).once("plan", {"task": PLANNED, "attempt": 1}, Planned, payments.pay)
    again = EffectCache(tmp_path).once("plan", {"attempt": 1, "task": PLANNED}, Planned, payments.pay)
    assert payments.made == 1
    assert again.value == first.value == PLANNED
    assert again.seconds == first.seconds
    assert (first.reused, again.reused) == (False, True)


@pytest.mark.parametrize("inputs", [{"attempt": 2}, {"attempt": 1, "seed": 0}, {"attempt": None}])
def test_other_inputs_are_another_payment(tmp_path: Path, inputs: dict[str, object]) -> None:
    payments, effects = _Payments(), EffectCache(tmp_path)
    effects.once("plan", {"attempt": 1}, Planned, payments.pay)
    effects.once("plan", inputs, Planned, payments.pay)
    assert payments.made == 2


def test_an_act_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> Planned:
        raise InfraError("The endpoint is down.", "Start it.")

    effects = EffectCache(tmp_path)
    with pytest.raises(InfraError):
        effects.once("plan", {"attempt": 1}, Planned, fail)
    assert effects.once("plan", {"attempt": 1}, Planned, _Payments().pay).reused is False


def test_a_result_whose_files_are_gone_is_made_again(tmp_path: Path) -> None:
    payments, effects = _Payments(), EffectCache(tmp_path)
    effects.once("plan", {}, Planned, payments.pay)
    effects.once("plan", {}, Planned, payments.pay, usable=lambda _: False)
    assert payments.made == 2
