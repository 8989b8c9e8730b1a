"""What a bench run says of a verdict in one line."""

from typing import Literal

from akgen.bench.record import case_row
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.verdict import CaseVerdict, Verdict


def finding(code: str, severity: Literal["error", "warning"], text: str = "x") -> Diagnostic:
    return Diagnostic(code=code, stage="test", severity=severity, text=text)


def verdict(outcome: Outcome, *cases: CaseVerdict, found: tuple[Diagnostic, ...] = ()) -> Verdict:
    return Verdict(outcome=outcome, toolchain="twin", compile_s=0.1, cases=cases, diagnostics=found)


WARNED = finding("INFER_SHAPE", "warning")
WRONG = CaseVerdict(
    id="2", outcome=Outcome.WRONG, diagnostics=(WARNED, finding("OUTPUT_MISMATCH", "error", "3 differ"))
)


def test_the_error_is_told_and_not_a_warning_before_it() -> None:
    assert case_row(WRONG).why == "OUTPUT_MISMATCH: 3 differ"
    right = CaseVerdict(id="1", outcome=Outcome.CORRECT, diagnostics=(WARNED,))
    assert verdict(Outcome.WRONG, right, WRONG, found=(WARNED,)).why() == "case 2: OUTPUT_MISMATCH: 3 differ"


def test_a_warning_is_told_where_nothing_else_is_wrong() -> None:
    right = CaseVerdict(id="1", outcome=Outcome.CORRECT, diagnostics=(WARNED,))
    assert verdict(Outcome.CORRECT, right).why() == "case 1: INFER_SHAPE: x"
    assert verdict(Outcome.CORRECT).why() == ""


def test_a_failed_check_of_the_task_comes_before_a_warning() -> None:
    failed = CaseVerdict(id="1", outcome=Outcome.WRONG, own_checker="fail", diagnostics=(WARNED,))
    assert case_row(failed).why == "the task's own check fails"
