"""Which experiences a coder is shown, and how many."""

from pathlib import Path
from typing import Literal

import pytest

from akgen.agents.prompts.experience import MOST, Experience, rank, within
from akgen.agents.roles import Feedback
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.task import Reference, Task

TASK = Task(
    name="mine", suite="file", category="softmax", op_type="M", kernel="m", cases=(),
    reference=Reference(loader="x", path=Path("x.py")),
)  # fmt: skip


def _known(
    key: str, *codes: str, kind: Literal["repair", "tune"] = "repair", category: str = "softmax",
    task: str = "other", change: str = "-a\n+b", shown: int = 0, helped: int = 0,
) -> Experience:  # fmt: skip
    return Experience(
        kind=kind, key=key, task=task, category=category, codes=codes, change=change, gain=1.2, toolchain="twin",
        run="r", shown=shown, helped=helped,
    )  # fmt: skip


def _feedback(code: str, action: Literal["repair", "tune"] = "repair") -> Feedback:
    return Feedback(
        attempt=1,
        outcome=Outcome.TRAP,
        text="x",
        diagnostics=(Diagnostic(code=code, text="x"),),
        action=action,
    )


def _keys(known: list[Experience], feedback: Feedback | None) -> list[str]:
    return [e.key for e in rank(tuple(known), TASK, None, feedback)]


def test_a_repair_is_shown_for_its_finding_only_and_its_category_comes_first() -> None:
    known = [
        _known("far", "UB_OVERFLOW", category="loss"),
        _known("near", "UB_OVERFLOW"),
        _known("other", "PIPE_RACE"),
    ]
    assert _keys(known, _feedback("UB_OVERFLOW")) == ["near", "far"]


def test_what_proved_useful_comes_before_what_did_not() -> None:
    known = [
        _known("failed", "PIPE_RACE", shown=5),
        _known("new", "PIPE_RACE"),
        _known("good", "PIPE_RACE", shown=5, helped=5),
    ]
    assert _keys(known, _feedback("PIPE_RACE")) == ["good", "new", "failed"]


def test_a_task_never_sees_its_own_past() -> None:
    assert _keys([_known("own", "PIPE_RACE", task="mine")], _feedback("PIPE_RACE")) == []


@pytest.mark.parametrize("feedback", [None, _feedback("X", "tune")])
def test_tuning_steps_of_the_category_are_shown_where_nothing_is_broken(feedback: Feedback | None) -> None:
    known = [
        _known("tune", "memory", kind="tune"),
        _known("repair", "X"),
        _known("loss", "memory", kind="tune", category="loss"),
    ]
    assert _keys(known, feedback) == ["tune"]


def test_the_budget_holds_for_all_of_them_together() -> None:
    small = tuple(_known(str(i), "X", change="+x\n" * 10) for i in range(9))
    assert len(within(small)) == MOST
    large = _known("large", "X", change="+x\n" * 800)
    assert within((large, *small), tokens=200) == small[: len(within((large, *small), tokens=200))]
    assert sum(e.tokens for e in within((large, *small), tokens=200)) <= 200
