"""What counts as correct, rule by rule, and what is said of it."""

import pytest

from akgen.knowledge.chip import timing
from akgen.knowledge.hints import mismatch_hints
from akgen.tools.core.call import Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.verdict import Mismatch
from akgen.tools.judge import policy
from akgen.tools.judge.compare import Comparison

WRONG = Mismatch(
    output=1,
    pattern="tail",
    count=3,
    total=9,
    first_index=(2, 1),
    max_abs=0.12345,
    max_rel=7.0,
    note="the end",
)
RIGHT = Comparison(0.0, 0.0, None)
DIFFERENT = Comparison(0.1, 7.0, WRONG)


def of_form(pattern: str) -> Comparison:
    return Comparison(
        None, None, WRONG.model_copy(update={"pattern": pattern, "max_abs": None, "max_rel": None})
    )


def test_all_outputs_inside_their_tolerance_are_correct() -> None:
    assert policy.decide([RIGHT, RIGHT], None, has_own_checker=False) == Outcome.CORRECT


def test_one_output_outside_its_tolerance_is_wrong() -> None:
    assert policy.decide([RIGHT, DIFFERENT], None, has_own_checker=False) == Outcome.WRONG
    assert policy.decide([DIFFERENT, RIGHT], None, has_own_checker=False) == Outcome.WRONG


def test_an_own_checker_decides_over_the_numbers() -> None:
    assert policy.decide([DIFFERENT], None, has_own_checker=True) == Outcome.CORRECT
    assert policy.decide([RIGHT], "mean error 3", has_own_checker=True) == Outcome.WRONG


def test_an_objection_counts_only_where_the_task_has_a_checker() -> None:
    assert policy.decide([RIGHT], "mean error 3", has_own_checker=False) == Outcome.CORRECT


@pytest.mark.parametrize("own_checker", [False, True])
def test_a_foreign_nan_is_wrong_whatever_the_tasks_checker_says(own_checker: bool) -> None:
    foreign = Comparison(0.1, 7.0, WRONG, foreign_nan=True)
    assert policy.decide([RIGHT, foreign], None, has_own_checker=own_checker) == Outcome.WRONG


@pytest.mark.parametrize("own_checker", [False, True])
def test_an_unwritten_element_is_wrong_whatever_the_tasks_checker_says(own_checker: bool) -> None:
    unwritten = Comparison(0.1, 7.0, WRONG, unwritten=True)
    assert policy.decide([RIGHT, unwritten], None, has_own_checker=own_checker) == Outcome.WRONG


@pytest.mark.parametrize("pattern", ["shape", "dtype"])
def test_another_form_is_wrong_whatever_the_tasks_checker_says(pattern: str) -> None:
    assert policy.decide([of_form(pattern)], None, has_own_checker=True) == Outcome.WRONG


@pytest.mark.parametrize("pattern", ["tail", "all", "stale"])
def test_only_shape_and_dtype_are_another_form(pattern: str) -> None:
    assert not of_form(pattern).malformed and not RIGHT.malformed


ORDER = (
    Outcome.CHEAT, Outcome.NO_CODE, Outcome.UNSUPPORTED, Outcome.PLAN_REJECTED, Outcome.COMPILE_ERROR,
    Outcome.TILING_ERROR, Outcome.TRAP, Outcome.TIMEOUT, Outcome.WRONG, Outcome.BUDGET, Outcome.CORRECT,
)  # fmt: skip


def test_the_worst_outcome_counts() -> None:
    assert set(ORDER) == set(Outcome)
    for place, outcome in enumerate(ORDER):
        assert policy.worst(reversed(ORDER[place:])) == outcome


def test_nothing_judged_is_not_correct() -> None:
    assert policy.worst([]) == Outcome.WRONG


def test_reaching_outside_the_sandbox_is_an_attempt() -> None:
    other, reached = Diagnostic(code="TRAP_SANDBOX_", text="x"), Diagnostic(code="SANDBOX_FILE", text="x")
    assert policy.attempted([other, reached])
    assert not policy.attempted([other])
    assert not policy.attempted([])


def call(*shapes: tuple[int, ...]) -> Call:
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(1000,))
    inputs = tuple(TensorMeta(dtype=DType.FLOAT32, shape=shape) for shape in shapes)
    return Call(inputs=inputs, outputs=(OutputMeta(meta=meta), OutputMeta(meta=meta)))


def test_the_least_time_is_nine_tenths_of_moving_the_outputs() -> None:
    least = 0.9 * 8000 / timing()["l2_bytes_per_us_total"]
    assert policy.floor_us(call((500,)), "indexing") == pytest.approx(least)


@pytest.mark.parametrize(
    "category",
    [
        "elementwise",
        "activation",
        "comparison",
        "cast",
        "reduction",
        "softmax",
        "normalization",
        "loss",
        "optimizer",
    ],
)
def test_inputs_that_must_be_read_whole_count(category: str) -> None:
    least = 0.9 * (8000 + 2000 + 40) / timing()["l2_bytes_per_us_total"]
    assert policy.floor_us(call((500,), (10,)), category) == pytest.approx(least)
    looked_up = 0.9 * (8000 + 40) / timing()["l2_bytes_per_us_total"]
    assert policy.floor_us(call((500,), (10,)), category, 40) == pytest.approx(looked_up)


def test_a_mismatch_is_told_with_its_place_and_size() -> None:
    found = policy.mismatch_found(WRONG, warning=False)
    assert found.text == (
        "Output 1 differs in 3 of 9 elements, first at [2, 1] (tail: the end); largest error 0.123 absolute, "
        "7 relative."
    )
    assert (found.code, found.severity, found.stage) == ("OUTPUT_MISMATCH", "error", "test")
    assert found.remedy == mismatch_hints()["tail"].remedy
    assert policy.mismatch_found(WRONG, warning=True).severity == "warning"


def test_a_mismatch_without_a_size_says_so() -> None:
    found = policy.mismatch_found(WRONG.model_copy(update={"max_abs": None, "max_rel": None}), warning=False)
    assert found.text.endswith("(tail: the end); no element can be compared.")


@pytest.mark.parametrize("pattern", ["shape", "dtype"])
def test_another_form_is_told_by_its_note(pattern: str) -> None:
    other = of_form(pattern).mismatch
    assert other is not None
    assert policy.mismatch_found(other, warning=False).text == "Output 1: the end."


def test_two_launches_that_differ_are_a_warning_if_both_are_right() -> None:
    found = policy.nondeterministic(Outcome.CORRECT)
    assert (found.code, found.severity, found.stage) == ("NONDETERMINISTIC", "warning", "test")
    assert found.text == "Two launches on the same inputs gave different outputs, both inside the tolerance."
    assert (
        found.remedy
        == "Look for reads of memory that nobody wrote, and for cores that add in no fixed order."
    )


def test_two_launches_that_differ_are_an_error_if_one_is_wrong() -> None:
    found = policy.nondeterministic(Outcome.WRONG)
    assert found.severity == "error"
    assert found.text == "Two launches on the same inputs gave different outputs; the second one is wrong."


def test_a_claim_below_the_least_time_is_told_with_both() -> None:
    found = policy.too_fast(0.0004, 1.25)
    assert (found.code, found.severity, found.stage) == ("FASTER_THAN_MEMORY", "error", "test")
    assert found.text == "The kernel is said to take 0.000 us; moving its data alone takes 1.250 us."
    assert found.remedy == "Read every input and write every output on each launch."
