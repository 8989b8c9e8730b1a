"""A trial's outcome, finding by finding: what is launched, compared and told. No reference process runs."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.knowledge.chip import timing
from akgen.tools.core.call import Call, OutputMeta, Poison, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, InputError, Outcome
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.toolchain import Build
from akgen.tools.judge import raw
from akgen.tools.judge.trial import KernelUnderTest, TrialResult, run_trial
from akgen.tools.judge.trials import Prepared, TrialPlan
from akgen.tools.reference.client import SampleFiles
from tests.reference_process import reference_process

X = np.linspace(1, 2, 64, dtype=np.float32)
CASE = Case(id="0")
PLAN = TrialPlan(0, 1, "task")
Kernel = Callable[[list[Any], Path], list[Any]]
WARNING = Diagnostic(code="SHORT_COPY", text="x", severity="warning")


def left(count: int, dtype: type, poison: Poison = PLAN.poison) -> Any:
    """Return what an output holds that a kernel did not write."""
    return np.frombuffer(poison.outputs(), dtype)[:count].copy()


def double(inputs: list[Any], _folder: Path) -> list[Any]:
    return [2 * inputs[0]]


@pytest.fixture
def trial(tmp_path: Path, function_toolchain: Callable[..., Any]) -> Callable[..., TrialResult]:
    """Run one trial of a task that doubles X; `wants` are the expected outputs, `own` what the reference returned."""

    numbers = itertools.count()

    def store(name: str, array: Any) -> TensorFile:
        path = tmp_path / name
        array.tofile(path)
        return TensorFile(dtype=DType(array.dtype.name), shape=array.shape, path=path)

    def run(
        kernel: Kernel = double,
        *,
        wants: tuple[Any, ...] = (2.0 * X.astype(np.float64),),
        metas: tuple[Any, ...] = (TensorMeta(dtype=DType.FLOAT32, shape=(64,)),),
        again: bool = False,
        previous: TrialResult | None = None,
        zeroed: bool = False,
        category: str = "other",
        toolchain: Any = None,
        **more: Any,
    ) -> TrialResult:
        expected = tuple(store(f"want{i}", w) if w is not None else None for i, w in enumerate(wants))
        call = Call(inputs=(store("x", X),), outputs=tuple(OutputMeta(meta=m, zeroed=zeroed) for m in metas))
        vectors = SampleFiles(call=call, expected=expected, returned=expected)
        task = Task(
            name="double", suite="file", category=category, op_type="D", kernel="d",
            reference=Reference(loader="none", path=tmp_path), cases=(CASE,),
        )  # fmt: skip
        build = Build(toolchain="function 1", outcome=None, op=None, folder=tmp_path, compile_s=0.0)
        under_test = KernelUnderTest(
            toolchain or function_toolchain(kernel, **more), reference_process(), build, task, 60.0
        )
        folder = tmp_path / f"launched{next(numbers)}"
        prepared = Prepared(folder, tmp_path / "expected", vectors)
        return run_trial(under_test, CASE, PLAN, prepared, previous, again=again, trace=False)

    return run


Trial = Callable[..., TrialResult]


def test_a_right_output_is_correct(trial: Trial) -> None:
    result = trial()
    assert (result.outcome, result.diagnostics, result.mismatch) == (Outcome.CORRECT, [], None)
    assert [c.max_abs for c in result.compared] == [0.0]
    assert not result.own_checked and result.own_verdict is None


def test_a_wrong_output_is_wrong_and_told_once(trial: Trial) -> None:
    result = trial(lambda x, _: [3 * x[0]])
    assert result.outcome == Outcome.WRONG
    assert [(d.code, d.severity) for d in result.diagnostics] == [("OUTPUT_MISMATCH", "error")]
    assert result.mismatch is not None and result.mismatch.pattern == "all"


@pytest.mark.parametrize("outcome", [Outcome.TRAP, Outcome.TIMEOUT, Outcome.CHEAT, Outcome.TILING_ERROR])
def test_a_launch_that_did_not_end_is_not_compared(trial: Trial, outcome: Outcome) -> None:
    result = trial(outcome=outcome, diagnostics=(WARNING,))
    assert (result.outcome, result.compared, result.diagnostics) == (outcome, [], [WARNING])


def test_reaching_outside_the_sandbox_is_a_cheat_before_anything_else(trial: Trial) -> None:
    reached = Diagnostic(code="SANDBOX_FILE", text="x")
    result = trial(outcome=Outcome.TRAP, diagnostics=(reached,))
    assert (result.outcome, result.compared) == (Outcome.CHEAT, [])


def test_an_error_of_a_check_is_a_trap_although_the_numbers_are_right(trial: Trial) -> None:
    found = Diagnostic(code="UB_OVERFLOW", text="x")
    result = trial(diagnostics=(WARNING, found))
    assert (result.outcome, result.compared, result.diagnostics) == (Outcome.TRAP, [], [WARNING, found])


def test_a_warning_is_told_beside_a_correct_outcome(trial: Trial) -> None:
    result = trial(diagnostics=(WARNING,))
    assert (result.outcome, result.diagnostics) == (Outcome.CORRECT, [WARNING])


@pytest.mark.parametrize(("factor", "told"), [(2, ["warning"]), (3, ["error", "error"])])
def test_what_a_device_goes_on_with_is_blamed_for_wrong_numbers_alone(
    trial: Trial, factor: int, told: list[str]
) -> None:
    past = Diagnostic(code="TENSOR_RANGE", text="x", severity="warning")
    result = trial(lambda x, _: [factor * x[0]], diagnostics=(past,))
    assert result.diagnostics[0].code == "TENSOR_RANGE"
    assert [d.severity for d in result.diagnostics] == told


def test_an_output_that_the_reference_lacks_is_not_compared(trial: Trial) -> None:
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(64,))
    result = trial(
        lambda x, _: [2 * x[0], 9 * x[0]], wants=(2.0 * X.astype(np.float64), None), metas=(meta, meta)
    )
    assert result.outcome == Outcome.CORRECT
    assert len(result.compared) == 1


def test_every_output_is_compared_after_one_that_the_reference_lacks(trial: Trial) -> None:
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(64,))
    result = trial(
        lambda x, _: [9 * x[0], 3 * x[0]], wants=(None, 2.0 * X.astype(np.float64)), metas=(meta, meta)
    )
    assert result.outcome == Outcome.WRONG
    assert result.mismatch is not None and result.mismatch.output == 1


def test_a_reference_without_any_output_is_the_tasks_fault(trial: Trial) -> None:
    with pytest.raises(
        InputError, match=r"^Task double, case 0: the reference gives no output to compare with\."
    ):
        trial(wants=(None,))


def test_a_missing_output_is_told(trial: Trial) -> None:
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(64,))
    want = 2.0 * X.astype(np.float64)
    result = trial(wants=(want, want), metas=(meta, meta))
    assert result.outcome == Outcome.WRONG
    assert result.mismatch is not None
    assert (result.mismatch.output, result.mismatch.note) == (1, "the output is missing")


def test_an_output_is_held_to_the_dtype_that_the_task_asks_for(trial: Trial) -> None:
    want = 2.0 * X.astype(np.float64)
    half = TensorMeta(dtype=DType.FLOAT16, shape=(64,))
    assert (
        trial(lambda x, _: [(2 * x[0]).astype(np.float16)], wants=(want,), metas=(half,)).outcome
        == Outcome.CORRECT
    )


def test_an_output_that_was_cleared_is_not_called_unwritten(trial: Trial) -> None:
    def nothing(_x: list[Any], _f: Path) -> list[Any]:
        return [left(64, np.int32)]

    ints = TensorMeta(dtype=DType.INT32, shape=(64,))
    want = np.arange(64, dtype=np.int32)
    assert trial(nothing, wants=(want,), metas=(ints,)).compared[0].unwritten
    assert not trial(nothing, wants=(want,), metas=(ints,), zeroed=True).compared[0].unwritten


# The answer of the trial before


def test_a_wrong_answer_that_equals_the_one_before_is_stale(trial: Trial) -> None:
    before = trial(lambda x, _: [3 * x[0]])
    assert set(before.digests) == {(0, 0)}
    result = trial(lambda x, _: [3 * x[0]], previous=before)
    assert result.mismatch is not None
    assert result.mismatch.pattern == "stale"
    assert result.mismatch.note == "the output equals that of the previous, different input"
    assert result.compared[0].max_abs == before.compared[0].max_abs
    assert result.mismatch.count == 64


def test_a_right_answer_that_equals_the_one_before_is_right(trial: Trial) -> None:
    assert trial(previous=trial()).outcome == Outcome.CORRECT


def test_another_wrong_answer_than_before_is_not_stale(trial: Trial) -> None:
    before = trial(lambda x, _: [3 * x[0]])
    result = trial(lambda x, _: [4 * x[0]], previous=before)
    assert result.mismatch is not None and result.mismatch.pattern == "all"


def test_a_stale_answer_keeps_what_was_never_written(trial: Trial) -> None:
    def poison(_x: list[Any], _f: Path) -> list[Any]:
        return [left(64, np.float32)]

    result = trial(poison, previous=trial(poison))
    assert result.mismatch is not None and result.mismatch.pattern == "stale"
    assert result.compared[0].unwritten


# The second launch


def test_a_trial_is_launched_twice_if_asked(trial: Trial, function_toolchain: Callable[..., Any]) -> None:
    for again, launches in ((True, 2), (False, 1)):
        chain = function_toolchain(double)
        assert trial(toolchain=chain, again=again).outcome == Outcome.CORRECT
        assert chain.launches == launches


def test_a_wrong_kernel_is_not_launched_again(trial: Trial, function_toolchain: Callable[..., Any]) -> None:
    chain = function_toolchain(lambda x, _: [3 * x[0]])
    assert trial(toolchain=chain, again=True).outcome == Outcome.WRONG
    assert chain.launches == 1


def second(factor: float) -> Kernel:
    """Double at the first launch; at the second, multiply by another factor."""
    return lambda x, folder: [np.float32(2 if folder.name == "run" else factor) * x[0]]


def test_a_second_launch_with_another_right_answer_is_warned_of(trial: Trial) -> None:
    result = trial(second(2 * (1 + 1e-6)), again=True)
    assert result.outcome == Outcome.CORRECT
    assert [(d.code, d.severity) for d in result.diagnostics] == [("NONDETERMINISTIC", "warning")]


def test_a_second_launch_with_a_wrong_answer_is_wrong(trial: Trial) -> None:
    result = trial(second(3), again=True)
    assert result.outcome == Outcome.WRONG
    assert [d.code for d in result.diagnostics] == ["OUTPUT_MISMATCH", "NONDETERMINISTIC"]
    assert result.diagnostics[1].severity == "error"


INTEGERS = [DType.BOOL, DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64]
FLOATS = [DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_an_element_that_nobody_wrote_is_found_where_the_poison_is_the_answer(
    trial: Trial, function_toolchain: Callable[..., Any], dtype: DType
) -> None:
    """What the first poison is, is expected everywhere; the kernel writes all elements but one."""
    storage = {DType.BFLOAT16: "uint16", DType.BOOL: "uint8"}.get(dtype, dtype.value)
    want = left(64, np.dtype(storage).type)

    def all_but_one(_x: list[Any], _f: Path) -> list[Any]:
        out = want.copy()
        out[5] = left(64, np.dtype(storage).type, chain.poisons[-1])[5]
        return [out]

    metas = (TensorMeta(dtype=dtype, shape=(64,)),)
    expected = raw.as_float64(want, dtype) if dtype.is_float else want
    chain = function_toolchain(all_but_one)
    result = trial(toolchain=chain, wants=(expected,), metas=metas)
    assert chain.launches == 2
    assert (result.outcome, [d.code for d in result.diagnostics]) == (Outcome.WRONG, ["OUTPUT_MISMATCH"])
    assert result.mismatch is not None and (result.mismatch.pattern, result.mismatch.count) == (
        "unwritten",
        1,
    )
    # A kernel that writes the same values is right: they are its answer.
    assert trial(lambda _x, _f: [want], wants=(expected,), metas=metas).outcome == Outcome.CORRECT


def test_an_element_that_nobody_wrote_is_found_where_not_a_number_is_expected(trial: Trial) -> None:
    def nothing_at_seven(inputs: list[Any], _f: Path) -> list[Any]:
        out = 2 * inputs[0]
        out[7] = left(64, np.float32)[7]
        return [out]

    want = 2.0 * X.astype(np.float64)
    want[7] = np.nan
    result = trial(nothing_at_seven, wants=(want,))
    assert result.outcome == Outcome.WRONG
    assert result.mismatch is not None and result.mismatch.pattern == "unwritten"


def test_a_right_answer_without_the_poisons_values_needs_no_second_launch(
    trial: Trial, function_toolchain: Callable[..., Any]
) -> None:
    chain = function_toolchain(double)
    trial(toolchain=chain)
    assert chain.poisons == [PLAN.poison]


def test_what_is_not_compared_may_differ_between_launches(trial: Trial) -> None:
    def with_rest(inputs: list[Any], folder: Path) -> list[Any]:
        return [2 * inputs[0], np.full(64, float(folder.name == "run"), np.float32)]

    metas = tuple(TensorMeta(dtype=DType.FLOAT32, shape=(64,)) for _ in range(2))
    result = trial(with_rest, wants=(2.0 * X.astype(np.float64), None), metas=metas, again=True)
    assert (result.outcome, result.diagnostics) == (Outcome.CORRECT, [])


def test_the_first_launchs_time_stands_for_the_trial(trial: Trial, tmp_path: Path) -> None:
    result = trial(second(3), again=True)
    output = result.launch.outputs[0]
    assert isinstance(output, TensorFile) and output.path == tmp_path / "launched0" / "run" / "out0.bin"


# The least time


@pytest.mark.parametrize(
    ("time_us", "outcome"), [(1e-9, Outcome.CHEAT), (1000.0, Outcome.CORRECT), (None, Outcome.CORRECT)]
)
def test_a_right_kernel_that_claims_less_than_moving_its_data_takes_cheats(
    trial: Trial, time_us: float | None, outcome: Outcome
) -> None:
    result = trial(time_us=time_us)
    assert result.outcome == outcome
    assert [d.code for d in result.diagnostics] == ["FASTER_THAN_MEMORY"] * (outcome == Outcome.CHEAT)


def test_a_wrong_kernel_is_wrong_however_fast(trial: Trial) -> None:
    result = trial(lambda x, _: [3 * x[0]], time_us=1e-9)
    assert result.outcome == Outcome.WRONG
    assert [d.code for d in result.diagnostics] == ["OUTPUT_MISMATCH"]


def test_a_kernel_that_must_read_its_input_needs_the_time_for_that(trial: Trial) -> None:
    between = (
        1.5 * 0.9 * X.nbytes / timing()["l2_bytes_per_us_total"]
    )  # more than the output alone, less than both
    assert trial(time_us=between, category="other").outcome == Outcome.CORRECT
    assert trial(time_us=between, category="elementwise").outcome == Outcome.CHEAT


# Lists of tensors


def test_the_tensors_of_a_list_are_compared_one_by_one(trial: Trial, tmp_path: Path) -> None:
    metas = tuple(TensorMeta(dtype=DType.FLOAT32, shape=(64,)) for _ in range(2))
    want = 2.0 * X.astype(np.float64)
    result = trial(lambda x, _: [2 * x[0], 3 * x[0]], wants=(want, want), metas=metas)
    assert [c.mismatch is None for c in result.compared] == [True, False]
    assert set(result.digests) == {(0, 0), (1, 0)}
