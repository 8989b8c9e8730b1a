"""Kernels that are right for what a normal distribution draws: every verdict of several trials has other values."""

from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome

ANSWER = "Muls(out, out, 2.0f, count); Adds(out, out, 0.5f, count);"
USUAL_ONLY = {
    "clipped where a normal number seldom is": f"Mins(out, in, 6.0f, count); Maxs(out, out, -6.0f, count); {ANSWER}",
    "clipped at a hundred": f"Mins(out, in, 100.0f, count); {ANSWER}",
}


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if n else []) for n, k in enumerate(USUAL_ONLY)]
)
def test_values_that_are_seldom_drawn(court: Any, kind: str) -> None:
    assert (
        court.kernel(compute=USUAL_ONLY[kind]).outcome == Outcome.CORRECT
    )  # the task's own inputs show nothing
    assert court.kernel(compute=USUAL_ONLY[kind], trials=2).outcome == Outcome.WRONG
