"""CR@k and ER@k against closed forms and brute force."""

from itertools import combinations

import pytest

from akgen.bench.metrics import at_least_one, rate, score
from akgen.bench.record import CaseRow, Record
from akgen.tools.core.outcome import Outcome


def record(task: str, sample: int, outcome: Outcome, level: int = 1, error: str | None = None) -> Record:
    cases = (CaseRow(id="0", outcome=outcome),) if outcome == Outcome.CORRECT else ()
    return Record(
        task=task,
        sample=sample,
        level=level,
        category="x",
        outcome=None if error else outcome,
        error=error,
        cases=cases,
    )


@pytest.mark.parametrize(("n", "c", "k"), [(5, 2, 1), (5, 2, 3), (6, 0, 4), (6, 6, 2), (7, 3, 7), (4, 1, 4)])
def test_the_estimate_is_the_share_of_subsets_with_a_good_sample(n: int, c: int, k: int) -> None:
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert at_least_one(n, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_with_one_draw_it_is_the_success_rate() -> None:
    assert at_least_one(100, 37, 1) == pytest.approx(0.37)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 1, 4), (3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="k must lie"):
        at_least_one(n, c, k)


def test_the_rate_is_the_mean_over_tasks() -> None:
    records = [record("a", i, Outcome.CORRECT if i < 1 else Outcome.WRONG) for i in range(4)]
    records += [record("b", i, Outcome.COMPILE_ERROR) for i in range(4)]
    found = rate(records, lambda r: r.solved, 2)
    assert found is not None
    assert found.value == pytest.approx((at_least_one(4, 1, 2) + 0) / 2)
    compiled = rate(records, lambda r: r.compiled, 2)
    assert compiled is not None
    assert compiled.value == pytest.approx(0.5)


def test_tasks_with_too_few_samples_are_left_out() -> None:
    records = [record("a", 0, Outcome.CORRECT), *(record("b", i, Outcome.WRONG) for i in range(2))]
    found = rate(records, lambda r: r.solved, 2)
    assert found is not None
    assert found.value == 0
    assert rate(records, lambda r: r.solved, 3) is None


def test_errors_of_ours_are_no_samples() -> None:
    records = [record("a", 0, Outcome.CORRECT), record("a", 1, Outcome.WRONG, error="disk full")]
    found = rate(records, lambda r: r.solved, 1)
    assert found is not None
    assert found.value == 1


def test_the_interval_of_yes_or_no_tasks_is_wilsons() -> None:
    records = [record(str(i), 0, Outcome.CORRECT if i < 8 else Outcome.WRONG) for i in range(10)]
    found = rate(records, lambda r: r.solved, 1)
    assert found is not None
    z, n, p = 1.959963985, 10, 0.8
    centre, spread = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    assert found.low == pytest.approx((centre - spread) / (1 + z * z / n))
    assert found.high == pytest.approx((centre + spread) / (1 + z * z / n))


def test_the_bootstrap_interval_holds_the_mean_and_repeats() -> None:
    records = [
        record(str(t), s, Outcome.CORRECT if s < t else Outcome.WRONG) for t in range(5) for s in range(4)
    ]
    first, again = (rate(records, lambda r: r.solved, 1, seed=3) for _ in range(2))
    assert first is not None
    assert first == again
    assert first.low < first.value < first.high


def test_a_correct_result_with_a_finding_is_not_solved() -> None:
    right = record("a", 0, Outcome.CORRECT)
    assert right.solved
    assert not right.model_copy(update={"codes": ("QUEUE_STATE",)}).solved
    assert not right.model_copy(update={"cases": ()}).solved


def test_the_score_weighs_levels_and_needs_all_of_them() -> None:
    records = [record("a", 0, Outcome.CORRECT, 1), record("b", 0, Outcome.WRONG, 2)]
    assert score(records) is None
    records += [record("c", 0, Outcome.CORRECT, 3), record("d", 0, Outcome.WRONG, 3)]
    assert score(records) == pytest.approx(0.2 * 1 + 0.3 * 0 + 0.5 * 0.5)
