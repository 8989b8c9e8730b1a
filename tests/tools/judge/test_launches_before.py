"""How many launches come before one on other inputs: fewer where each of them takes long."""

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.toolchain import Launch
from akgen.tools.judge.trial import TrialResult, _affordable


@pytest.mark.parametrize(
    ("took", "drawn", "come"),
    [(None, 12, 12), (0.05, 12, 12), (0.5, 5, 5), (0.5, 12, 4), (6.0, 9, 1), (6.0, 1, 1)],
)
def test_launches_that_take_long_are_few(took: float | None, drawn: int, come: int) -> None:
    first = TrialResult(Outcome.CORRECT, Launch(outcome=None, outputs=(), cpu_s=took))
    assert _affordable(drawn, first) == come
    assert _affordable(drawn, None) == drawn
