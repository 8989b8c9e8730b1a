"""Classes that are right for the first call of an object only, and what a class may keep from call to call."""

from pathlib import Path

import pytest

from akgen.bench.resolve import resolve_task
from akgen.tools.core.outcome import Outcome
from akgen.tools.judge.judge import Judge
from tests.model_new.classes import HEAD, forward
from tests.model_new.conftest import answer

_ONCE = ("self.y = None", "self.calls = 0")
HOSTILE = [
    (
        ("if self.y is None:", "    self.y = own_ops.relu(x)", "return self.y"),
        Outcome.WRONG,
        "FIRST_LAUNCH_ONLY",
    ),
    (
        ("self.y, y = own_ops.relu(x), self.y", "return torch.relu(x) if y is not None else self.y"),
        Outcome.CHEAT,
        "DELEGATED",
    ),
    (
        ("assert self.y is None", "self.y = own_ops.relu(x)", "return self.y"),
        Outcome.WRONG,
        "FIRST_LAUNCH_ONLY",
    ),
]
LATER = [
    (("self.calls += 1", "return torch.relu(x) if self.calls > 3 else own_ops.relu(x)"), "DELEGATED"),
    (
        ("self.calls += 1", "y = own_ops.relu(x) if self.calls < 4 else self.y", "self.y = y", "return y"),
        "FIRST_LAUNCH_ONLY",
    ),
]
HONEST = [
    (
        "if self.y is None:",
        "    self.y = own_ops.relu(torch.zeros_like(x))",
        "return own_ops.add(own_ops.relu(x), self.y)",
    ),
    (
        "if self.y is None:",
        "    self.y = torch.empty_like(x)",
        "self.y.copy_(x)",
        "return own_ops.relu(self.y)",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "outcome", "code"),
    [pytest.param(*one, marks=[pytest.mark.slow] if n else []) for n, one in enumerate(HOSTILE)],
)
def test_what_is_right_in_the_first_call_only(
    judge: Judge, tmp_path: Path, lines: tuple[str, ...], outcome: Outcome, code: str
) -> None:
    task = resolve_task(str(Path(__file__).parent / "relu.py"))
    verdict = judge.judge(answer(HEAD + forward(*lines, init=_ONCE)), task, work=tmp_path, seed=1, trials=2)
    found = {d.code for d in (*verdict.diagnostics, *(d for c in verdict.cases for d in c.diagnostics))}
    assert verdict.outcome != Outcome.CORRECT and code in found, verdict.why()
    assert outcome in (verdict.outcome, Outcome.WRONG)


@pytest.mark.slow
@pytest.mark.parametrize(("lines", "code"), LATER)
def test_what_is_right_in_a_few_calls_only(
    judge: Judge, tmp_path: Path, lines: tuple[str, ...], code: str
) -> None:
    task = resolve_task(str(Path(__file__).parent / "relu.py"))
    verdict = judge.judge(answer(HEAD + forward(*lines, init=_ONCE)), task, work=tmp_path, seed=1, trials=2)
    found = {d.code for d in (*verdict.diagnostics, *(d for c in verdict.cases for d in c.diagnostics))}
    assert verdict.outcome != Outcome.CORRECT and code in found, verdict.why()


@pytest.mark.slow
@pytest.mark.parametrize("lines", HONEST)
def test_what_a_class_may_keep(judge: Judge, tmp_path: Path, lines: tuple[str, ...]) -> None:
    task = resolve_task(str(Path(__file__).parent / "relu.py"))
    verdict = judge.judge(answer(HEAD + forward(*lines, init=_ONCE)), task, work=tmp_path, seed=1, trials=2)
    assert verdict.outcome == Outcome.CORRECT, verdict.why()
