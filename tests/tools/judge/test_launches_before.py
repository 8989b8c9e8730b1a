"""How many launches come before one on other inputs, fewer where each of them takes long, and how long all may take."""

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.toolchain import Launch
from akgen.tools.judge.trial import TrialResult, affordable, time_limit


@pytest.mark.parametrize(
    ("took", "drawn", "come"),
    [(None, 12, 12), (0.05, 12, 12), (0.5, 5, 5), (0.5, 12, 4), (6.0, 9, 1), (6.0, 1, 1)],
)
def test_launches_that_take_long_are_few(took: float | None, drawn: int, come: int) -> None:
    first = TrialResult(Outcome.CORRECT, Launch(outcome=None, outputs=(), cpu_s=took))
    assert affordable(drawn, first) == come
    assert affordable(drawn, None) == drawn


def test_every_launch_that_comes_before_has_the_time_of_one_alone() -> None:
    assert [time_limit(60.0, launches) for launches in (1, 4)] == [120.0, 300.0]
    assert time_limit(60.0, 12) == 300.0  # more than a few come only where they are short
