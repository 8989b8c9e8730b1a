"""Failing in the same way again changes the strategy."""

from akgen.agents.critic import failure, insist
from akgen.agents.roles import Decision, Feedback
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.verdict import CaseVerdict, Mismatch, Verdict


def _verdict(text: str) -> Verdict:
    found = Diagnostic(code="TENSOR_RANGE", text=text)
    return Verdict(outcome=Outcome.TRAP, toolchain="twin", diagnostics=(found,), compile_s=0.0)


NOW = failure(_verdict("writes 120 bytes of a tensor whose buffer ends after 96 bytes."))
SAME = failure(_verdict("writes 160 bytes of a tensor whose buffer ends after 128 bytes."))
OTHER = failure(_verdict("reads 160 bytes of a tensor whose buffer ends after 128 bytes."))
REPAIR = Decision(
    action="repair", feedback=Feedback(attempt=3, outcome=Outcome.TRAP, text="It traps."), why="TENSOR_RANGE"
)


def test_numbers_do_not_make_another_failure() -> None:
    assert NOW == SAME != OTHER
    assert failure(Verdict(outcome=Outcome.CORRECT, toolchain="twin", compile_s=0.0)) is None


def test_a_warning_that_stays_does_not_make_two_failures_one() -> None:
    warned = Diagnostic(code="TENSOR_LEAK", text="is never freed", severity="warning")
    trapped = _verdict("writes 120 bytes of a tensor whose buffer ends after 96 bytes.")
    trapped = trapped.model_copy(update={"diagnostics": (warned, *trapped.diagnostics)})
    differs = Mismatch(
        output=0, pattern="tail", first_index=(3,), count=1, total=4, max_abs=1.0, max_rel=1.0, note=""
    )
    case = CaseVerdict(id="0", outcome=Outcome.WRONG, mismatch=differs, diagnostics=(warned,))
    wrong = Verdict(outcome=Outcome.WRONG, toolchain="twin", compile_s=0.0, cases=(case,))
    assert failure(trapped) == NOW
    assert failure(wrong) == "mismatch 0 tail"


def test_another_cause_or_another_number_of_it_is_another_failure() -> None:
    def called(**of: str) -> str | None:
        differs = Mismatch(
            output=1, pattern="all", first_index=(3,), count=4, total=4, max_abs=1.0, max_rel=1.0, **of
        )
        case = CaseVerdict(id="0", outcome=Outcome.WRONG, mismatch=differs)
        return failure(Verdict(outcome=Outcome.WRONG, toolchain="twin", compile_s=0.0, cases=(case,)))

    half = called(cause="scaled", what="it is 0.5 times the value", evidence="97%")
    assert half == "mismatch 1 all scaled: it is 0.5 times the value"
    assert half == called(cause="scaled", what="it is 0.5 times the value", evidence="96%")
    assert half != called(cause="scaled", what="it is 0.25 times the value", evidence="97%")
    assert called(cause="unknown") == "mismatch 1 all"


def test_a_new_failure_is_mended_as_it_is() -> None:
    assert insist(REPAIR, NOW, []) == REPAIR
    assert insist(REPAIR, NOW, [NOW, OTHER]) == REPAIR


def test_the_second_time_the_feedback_says_so_and_the_third_time_a_plan_is_asked_for() -> None:
    second = insist(REPAIR, NOW, [OTHER, SAME])
    assert second.action == "repair" and second.feedback is not None
    assert second.feedback.text.startswith("It traps.")
    assert "last 2 attempts failed in this same way" in second.feedback.text
    third = insist(REPAIR, NOW, [SAME, SAME])
    assert third.action == "replan" and third.feedback is not None
    assert third.feedback.action == "replan" and "Plan anew" in third.feedback.text


def test_what_is_given_up_or_tuned_stays() -> None:
    for action in ("give_up", "tune", "replan"):
        decision = REPAIR.model_copy(update={"action": action})
        assert insist(decision, NOW, [NOW, NOW]) == decision
