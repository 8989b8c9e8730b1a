"""What a verdict says of itself: its findings, its first cause, its time."""

import pytest

from akgen.tools.core.outcome import Diagnostic, Outcome, first_cause
from akgen.tools.core.verdict import CaseVerdict, DrawnShapes, Mismatch, Verdict

WARNED = Diagnostic(code="INFER_SHAPE", text="it may be wrong", severity="warning")
FAILED = Diagnostic(code="UB_OVERFLOW", text="too much\nby far", file="op_kernel/x.cpp", line=3)
OTHER = Diagnostic(code="TENSOR_RANGE", text="beyond its end", file="op_kernel/x.cpp")
MISMATCH = Mismatch(
    output=0, pattern="tail", count=3, total=9, first_index=(6,), max_abs=0.5, max_rel=None, note="the end."
)


def case(name: str, outcome: Outcome = Outcome.CORRECT, *found: Diagnostic, **more: object) -> CaseVerdict:
    return CaseVerdict.model_validate({"id": name, "outcome": outcome, "diagnostics": found, **more})


def verdict(*cases: CaseVerdict, found: tuple[Diagnostic, ...] = ()) -> Verdict:
    outcome = next((c.outcome for c in cases if c.outcome != Outcome.CORRECT), Outcome.CORRECT)
    return Verdict(outcome=outcome, toolchain="twin", compile_s=0.1, cases=cases, diagnostics=found)


def test_findings_are_those_of_the_verdict_and_its_cases_each_once() -> None:
    said = verdict(
        case("a", Outcome.TRAP, FAILED, WARNED), case("b", Outcome.TRAP, FAILED, OTHER), found=(WARNED,)
    )
    assert said.findings == (WARNED, FAILED, OTHER)
    assert said.findings_by_case == ((None, WARNED), ("a", FAILED), ("b", OTHER))


def test_the_same_code_at_another_place_is_another_finding() -> None:
    elsewhere = FAILED.model_copy(update={"line": 4})
    assert verdict(case("a", Outcome.TRAP, FAILED, elsewhere)).findings == (FAILED, elsewhere)


def test_codes_are_told_by_severity_and_once() -> None:
    elsewhere = FAILED.model_copy(update={"line": 4})
    said = verdict(case("a", Outcome.TRAP, WARNED, OTHER, FAILED, elsewhere))
    assert said.codes() == ("TENSOR_RANGE", "UB_OVERFLOW")
    assert said.codes("warning") == ("INFER_SHAPE",)


def test_the_first_cause_is_an_error_before_an_earlier_warning() -> None:
    assert first_cause([WARNED, FAILED, OTHER]) == FAILED
    assert first_cause([WARNED]) == WARNED
    assert first_cause([]) is None


def test_the_cause_of_a_verdict_is_its_first_error() -> None:
    said = verdict(
        case("a", Outcome.WRONG, mismatch=MISMATCH), case("b", Outcome.TRAP, OTHER), found=(WARNED,)
    )
    assert said.cause() == OTHER


def test_without_an_error_the_cause_is_the_first_case_with_other_numbers() -> None:
    wrong = case("b", Outcome.WRONG, WARNED, mismatch=MISMATCH)
    assert verdict(case("a"), wrong).cause() == wrong
    assert verdict(case("a", Outcome.CORRECT, WARNED)).cause() is None


def test_a_finding_is_one_line_with_its_place() -> None:
    assert FAILED.sentence == "UB_OVERFLOW: too much by far (op_kernel/x.cpp:3)"
    assert OTHER.sentence == "TENSOR_RANGE: beyond its end (op_kernel/x.cpp)"
    assert WARNED.sentence == "INFER_SHAPE: it may be wrong"
    assert len(WARNED.model_copy(update={"text": "x" * 1000}).sentence) == len("INFER_SHAPE: ") + 300


def test_a_mismatch_is_one_line() -> None:
    assert MISMATCH.sentence == "output 0: tail, 3 of 9 elements, largest error 0.5. the end"
    shape = MISMATCH.model_copy(update={"max_abs": None, "note": ""})
    assert shape.sentence == "output 0: tail, 3 of 9 elements, not comparable"
    named = MISMATCH.model_copy(
        update={"cause": "scaled", "what": "it is twice that", "evidence": "all of it"}
    )
    told = "cause scaled: it is twice that (all of it)"
    assert named.sentence == f"output 0: tail, 3 of 9 elements, largest error 0.5. the end. {told}"
    bare = named.model_copy(update={"evidence": "", "note": ""})
    assert (
        bare.sentence == "output 0: tail, 3 of 9 elements, largest error 0.5. cause scaled: it is twice that"
    )
    unknown = MISMATCH.model_copy(update={"cause": "unknown", "what": "", "evidence": ""})
    assert unknown.explanation == "cause unknown" and MISMATCH.explanation == ""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (verdict(case("a")), ""),
        (verdict(case("a", Outcome.CORRECT, WARNED)), "case a: INFER_SHAPE: it may be wrong"),
        (verdict(case("a", Outcome.CORRECT, WARNED), found=(OTHER,)), OTHER.sentence),
        (verdict(case("a"), case("b", Outcome.WRONG, mismatch=MISMATCH)), f"case b: {MISMATCH.sentence}"),
        (verdict(case("a", Outcome.WRONG, own_checker="fail")), "case a: the task's own check fails"),
        (verdict(case("a", Outcome.TIMEOUT)), "case a: timeout"),
        (verdict(case("a", Outcome.TRAP, WARNED, OTHER, mismatch=MISMATCH)), f"case a: {OTHER.sentence}"),
        (verdict(case("a", Outcome.CORRECT), found=(WARNED,)), WARNED.sentence),
        (Verdict(outcome=Outcome.BUDGET, toolchain="twin", compile_s=0.0), "budget"),
    ],
)
def test_why_says_the_first_cause_in_one_line(said: Verdict, why: str) -> None:
    assert said.why() == why


def timed(name: str, time_us: float | None, outcome: Outcome = Outcome.CORRECT) -> CaseVerdict:
    return CaseVerdict(id=name, outcome=outcome, time_us=time_us, time_source="measured" if time_us else None)


def test_the_mean_time_is_geometric_over_the_cases_that_were_timed() -> None:
    said = verdict(timed("a", 2.0), timed("b", None), timed("c", 8.0))
    assert said.mean_us() == pytest.approx(4.0)
    assert said.time_source == "measured"


def test_the_mean_time_may_be_that_of_the_correct_cases_alone() -> None:
    said = verdict(timed("a", 2.0), timed("c", 8.0, Outcome.WRONG))
    assert said.mean_us(correct=True) == pytest.approx(2.0)
    assert said.mean_us() == pytest.approx(4.0)


def test_the_total_time_is_the_sum() -> None:
    assert verdict(timed("a", 2.0), timed("b", None), timed("c", 8.0)).total_us == 10.0


def test_without_times_there_is_no_mean_and_without_cases_no_total() -> None:
    assert verdict(timed("a", None)).mean_us() is None
    assert verdict(timed("a", None)).time_source is None
    assert Verdict(outcome=Outcome.COMPILE_ERROR, toolchain="twin", compile_s=0.0).total_us is None


def test_the_mismatch_of_a_verdict_is_its_first_cases() -> None:
    other = MISMATCH.model_copy(update={"output": 1})
    said = verdict(
        case("a"), case("b", Outcome.WRONG, mismatch=MISMATCH), case("c", Outcome.WRONG, mismatch=other)
    )
    assert said.mismatch == MISMATCH
    assert verdict(case("a")).mismatch is None


def test_a_verdict_says_what_it_drew_or_why_it_drew_nothing() -> None:
    drawn = DrawnShapes(shapes=((4, 7), (7,)), outcome=Outcome.CORRECT)
    assert drawn.sentence == "shapes beside the listed ones, [4, 7], [7]: correct"
    none = DrawnShapes(why_not="the task is static")
    assert none.sentence == "no shapes beside the listed ones were tried: the task is static"


def test_no_case_takes_less_than_no_time() -> None:
    assert verdict(case("0", time_us=0.0), case("1", time_us=2.0)).mean_us() == 2.0
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        case("0", time_us=-1.0)
