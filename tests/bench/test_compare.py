"""Two runs side by side: what one alone solves, exact p-values, ratios of times with their interval."""

from pathlib import Path

import numpy as np
import pytest

from akgen.bench.compare import RunComparison, compare, compare_all
from akgen.bench.record import BenchConfig, CaseRow, Record
from akgen.bench.statistics import mcnemar
from akgen.bench.store import BenchStore
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.profile import TimeSource
from tests.command import command

Times = dict[str, float | None]  # task -> microseconds; None: not solved


def stored(folder: Path, times: Times, source: TimeSource = "predicted", cases: int = 2) -> BenchStore:
    config = BenchConfig(
        suite="builtin", source="composer", mode="dynamic", toolchain="twin 0", tasks=tuple(times)
    )
    store = BenchStore.begin(folder, config)
    for task, us in times.items():
        outcome = Outcome.WRONG if us is None else Outcome.CORRECT
        rows = tuple(
            CaseRow(
                id=f"{k}", outcome=outcome, time_us=None if us is None else us * (k + 1), time_source=source
            )
            for k in range(cases)
        )
        store.append(
            Record(
                task=task, sample=0, level=1, category="some", outcome=outcome, cases=rows, time_us=us,
                time_source=source,
            )
        )  # fmt: skip
    return store


def compared(tmp_path: Path, first: Times, second: Times) -> RunComparison:
    return compare(stored(tmp_path / "first", first), stored(tmp_path / "second", second))


def test_ratios_are_first_over_second_by_common_cases(tmp_path: Path) -> None:
    first = stored(tmp_path / "first", {"a": 3.0, "b": 8.0, "c": None, "d": 5.0}, cases=3)
    second = stored(tmp_path / "second", {"a": 6.0, "b": 2.0, "c": 1.0, "d": None})
    found = compare(first, second)
    assert [(r.task, pytest.approx(r.ratio)) for r in found.ratios] == [("a", 0.5), ("b", 4.0)]
    assert found.mean_ratio == pytest.approx(np.sqrt(2.0))
    assert found.low is not None and found.high is not None
    assert 0.5 <= found.low <= found.mean_ratio <= found.high <= 4.0
    assert (found.tasks, found.both, found.first_alone, found.second_alone) == (4, 2, ("d",), ("c",))
    assert found.p_solved == 1.0


def test_mcnemar_is_the_exact_test_of_a_fair_coin() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 * 0.5**5)
    assert mcnemar(3, 3) == 1.0


def test_the_interval_covers_a_known_ratio_as_often_as_it_says(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    covered = 0
    for k in range(40):
        base = random.lognormal(2.0, 1.0, 40)
        noise = random.lognormal(np.log(1.2), 0.2, 40)
        found = compared(
            tmp_path / str(k),
            {f"t{i}": float(b * n) for i, (b, n) in enumerate(zip(base, noise, strict=True))},
            {f"t{i}": float(b) for i, b in enumerate(base)},
        )
        assert found.low is not None and found.high is not None and found.p_time is not None
        covered += found.low <= 1.2 <= found.high
        assert found.p_time < 0.05
    assert 33 <= covered <= 40


def test_predicted_and_measured_times_are_not_compared(tmp_path: Path) -> None:
    first = stored(tmp_path / "first", {"a": 3.0})
    second = stored(tmp_path / "second", {"a": 3.0}, source="measured")
    with pytest.raises(InputError, match="predicted"):
        compare(first, second)


def test_runs_without_a_common_task_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="share no judged task"):
        compared(tmp_path, {"a": 1.0}, {"b": 1.0})


def test_several_runs_are_compared_in_pairs_and_corrected_for_their_number(tmp_path: Path) -> None:
    tasks = [f"t{n}" for n in range(24)]
    good = stored(tmp_path / "x" / "run", dict.fromkeys(tasks, 1.0))
    again = stored(tmp_path / "y" / "run", dict.fromkeys(tasks, 1.0))
    worse = stored(tmp_path / "z" / "run", {t: 1.0 if n < 14 else None for n, t in enumerate(tasks)})
    found = {(p.first, p.second): p for p in compare_all([good, again, worse])}
    assert {names: p.differ for names, p in found.items()} == {
        ("x/run", "y/run"): False,
        ("x/run", "z/run"): True,
        ("y/run", "z/run"): True,
    }
    alone = found["x/run", "z/run"].comparison
    assert (len(alone.first_alone), alone.rates[0].difference) == (10, pytest.approx(-10 / 24))
    assert found["x/run", "z/run"].p == pytest.approx(3 * alone.p)
    assert alone.rates[0].h < -0.8 and alone.odds is not None and alone.odds.value == 0.0


def test_the_command_compares_two_runs_or_more(tmp_path: Path) -> None:
    for name, us in (("a", 2.0), ("b", 1.0), ("c", 1.0)):
        stored(tmp_path / name, {"t": us, "u": us})
    runs = [tmp_path / name for name in "abc"]
    two = command("bench", "compare", *runs[:2], "--json").document
    assert two["mean_ratio"] == pytest.approx(2.0) and "p_solved" in two
    three = command("bench", "compare", *runs, "--json").document
    assert [(p["first"], p["second"], p["differ"]) for p in three["pairs"]] == [
        ("a", "b", False), ("a", "c", False), ("b", "c", False),
    ]  # fmt: skip
    assert command("bench", "compare", *runs).code == 0
