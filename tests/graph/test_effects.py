"""What was paid for is not paid twice."""

import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from akgen.agents.plan import Plan
from akgen.agents.roles import Planned, Usage
from akgen.graph.store.effects import EffectCache, StoredEffect, digest, latest
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


def test_an_effect_is_kept_with_its_kind_key_cost_and_result(tmp_path: Path) -> None:
    paid = EffectCache(tmp_path / "a" / "effects").once("plan", {"attempt": 1}, Planned, _Payments().pay)
    key = digest("plan", {"attempt": 1})
    (file,) = (tmp_path / "a" / "effects").iterdir()
    assert file.name == f"plan-{key[:24]}.json"
    assert StoredEffect.model_validate_json(file.read_text()) == StoredEffect(
        kind="plan", key=key, seconds=paid.seconds, value=json.loads(PLANNED.model_dump_json())
    )


def test_an_effect_costs_the_time_of_its_act(tmp_path: Path) -> None:
    def wait() -> Planned:
        time.sleep(0.01)
        return PLANNED

    begin = time.monotonic()
    paid = EffectCache(tmp_path).once("plan", {}, Planned, wait)
    assert 0.01 <= paid.seconds <= time.monotonic() - begin


def test_usable_is_asked_about_the_stored_result(tmp_path: Path) -> None:
    asked: list[Planned] = []
    effects = EffectCache(tmp_path)
    effects.once("plan", {}, Planned, _Payments().pay)
    effects.once("plan", {}, Planned, _Payments().pay, usable=lambda value: not asked.append(value))
    assert asked == [PLANNED]


def test_the_digest_is_of_the_kind_and_the_inputs_in_the_order_of_their_names() -> None:
    text = json.dumps(["plan", {"attempt": 1, "task": PLANNED.model_dump_json()}])
    assert digest("plan", {"task": PLANNED, "attempt": 1}) == hashlib.sha256(text.encode()).hexdigest()


def test_the_latest_result_of_a_kind_is_the_one_written_last(tmp_path: Path) -> None:
    effects = EffectCache(tmp_path)
    results = [PLANNED.model_copy(update={"corrections": n}) for n in range(4)]
    for n, result in enumerate(results):
        effects.once("plan", {"attempt": n}, Planned, lambda result=result: result)
        file = tmp_path / f"plan-{digest('plan', {'attempt': n})[:24]}.json"
        second = (1, 4, 3, 2)[n]
        os.utime(file, (second, second))
    effects.once("write", {}, Planned, _Payments().pay)
    assert latest(tmp_path, "plan", Planned) == results[1]


def test_there_is_no_latest_result_of_a_kind_that_was_not_paid_for(tmp_path: Path) -> None:
    EffectCache(tmp_path).once("plan", {}, Planned, _Payments().pay)
    assert latest(tmp_path, "write", Planned) is None
