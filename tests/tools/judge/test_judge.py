"""A verdict is right for right answers, wrong for every kind of wrong one, and cannot be talked round."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.outcome import Diagnostic, InputError, Outcome
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from tests.tools.judge.judging import PROJECT, SOFTMAX, MakeToolchain, judged, softmax, task


def test_a_right_kernel_is_correct_on_every_case(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    toolchain = function_toolchain(softmax)
    verdict = judged(reference, tmp_path, toolchain)
    assert verdict.outcome == Outcome.CORRECT
    assert [c.id for c in verdict.cases] == ["4x33", "16x128"]
    assert all(c.trials == 3 and c.max_abs is not None and c.max_abs < 1e-6 for c in verdict.cases)
    assert all(c.max_bound is not None and 0 < c.max_bound < 1e-4 for c in verdict.cases)
    assert all(c.max_used is not None and 0 < c.max_used < 0.1 for c in verdict.cases)
    assert verdict.diagnostics == ()
    assert len(toolchain.compiled) == 2
    assert toolchain.launches == 2 * 4 + 1  # three trials, the first launched twice; a case drawn beside them
    assert [p for p in (tmp_path / "work").rglob("*") if p.is_file()] == []  # nothing expected is left behind


def test_a_wrong_kernel_is_wrong_with_place_and_remedy(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def forget_last_column(inputs: list[Any], folder: Path) -> list[Any]:
        out = softmax(inputs, folder)[0]
        out[:, -1] = 0.5
        return [out]

    verdict = judged(reference, tmp_path, function_toolchain(forget_last_column))
    assert verdict.outcome == Outcome.WRONG
    mismatch = verdict.cases[0].mismatch
    assert mismatch is not None
    assert (mismatch.pattern, mismatch.first_index) == ("tail", (0, 32))
    assert (verdict.cases[0].max_used or 0) > 100
    finding = verdict.cases[0].diagnostics[0]
    assert finding.code == "OUTPUT_MISMATCH"
    assert "columns 32 to 32 of rows of 33" in finding.text
    assert finding.remedy


def test_a_kernel_that_knows_only_normal_inputs_fails(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def no_maximum(inputs: list[Any], folder: Path) -> list[Any]:
        with np.errstate(all="ignore"):
            e = np.exp(inputs[0])
            return [e / e.sum(axis=-1, keepdims=True)]

    outcomes = {
        judged(reference, tmp_path, function_toolchain(no_maximum), trials=6, seed=s).outcome for s in (1, 2)
    }
    assert outcomes == {Outcome.WRONG}


def test_an_answer_kept_from_the_trial_before_is_stale(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    kept: dict[tuple[int, ...], Any] = {}

    def cached(inputs: list[Any], folder: Path) -> list[Any]:
        return [kept.setdefault(inputs[0].shape, softmax(inputs, folder)[0])]

    verdict = judged(reference, tmp_path, function_toolchain(cached))
    assert verdict.outcome == Outcome.WRONG
    assert verdict.cases[0].mismatch is not None
    assert verdict.cases[0].mismatch.pattern == "stale"


@pytest.mark.parametrize("shift", [0.0, 1e-7])
def test_unrepeatable_outputs_are_named(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain, shift: float
) -> None:
    calls = itertools.count()

    def drifting(inputs: list[Any], folder: Path) -> list[Any]:
        out = softmax(inputs, folder)[0]
        out[0, 0] *= np.float32(1 + shift * next(calls))
        return [out]

    codes = [
        d.code for c in judged(reference, tmp_path, function_toolchain(drifting)).cases for d in c.diagnostics
    ]
    assert codes == ([] if shift == 0 else ["NONDETERMINISTIC"] * 2)


def test_the_files_the_candidate_is_given_do_not_lead_to_the_expected_ones(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    seen: list[Path] = []

    def spy(inputs: list[Any], folder: Path) -> list[Any]:
        seen.extend(p for p in folder.parent.rglob("*"))
        return softmax(inputs, folder)

    judged(reference, tmp_path, function_toolchain(spy))
    names = {p.name for p in seen}
    assert names <= {"in", "in0.bin", "run", "again", "out0.bin"}


def test_missing_and_short_files_are_wrong_not_an_error(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    for kernel in (lambda i, f: [], lambda i, f: [np.zeros(3, np.float32)]):
        verdict = judged(reference, tmp_path, function_toolchain(kernel))
        assert verdict.outcome == Outcome.WRONG
        assert verdict.cases[0].mismatch is not None
        assert verdict.cases[0].mismatch.pattern == "shape"


def test_the_toolchains_outcome_and_findings_decide_first(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    trap = Diagnostic(code="UB_OVERFLOW", text="too much")
    chain = function_toolchain(softmax, diagnostics=(trap,))
    assert judged(reference, tmp_path, chain).outcome == Outcome.TRAP
    chain = function_toolchain(softmax, outcome=Outcome.TIMEOUT)
    assert judged(reference, tmp_path, chain).outcome == Outcome.TIMEOUT
    attempt = Diagnostic(code="SANDBOX_NETWORK", text="socket")
    chain = function_toolchain(softmax, outcome=Outcome.TRAP, diagnostics=(attempt,))
    assert judged(reference, tmp_path, chain).outcome == Outcome.CHEAT
    note = Diagnostic(code="NONDETERMINISTIC", text="a warning", severity="warning")
    chain = function_toolchain(softmax, diagnostics=(note,))
    assert judged(reference, tmp_path, chain).outcome == Outcome.CORRECT


def test_a_time_below_the_memorys_is_a_cheat(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax, time_us=1e-6)
    verdict = judged(reference, tmp_path, chain)
    assert verdict.outcome == Outcome.CHEAT
    assert verdict.cases[0].diagnostics[-1].code == "FASTER_THAN_MEMORY"


def test_touching_the_reference_is_a_cheat(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def tamper(inputs: list[Any], folder: Path) -> list[Any]:
        (tmp_path / "reference.py").write_text(SOFTMAX.replace("softmax(x", "softmax(0 * x"))
        return softmax(inputs, folder)

    verdict = judged(reference, tmp_path, function_toolchain(tamper))
    assert verdict.outcome == Outcome.CHEAT
    assert verdict.diagnostics[0].code == "TAMPERED"


def test_an_attack_in_the_text_is_never_compiled(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    toolchain = function_toolchain(softmax)
    bad = PROJECT.model_copy(update={"files": {"op_kernel/s.cpp": 'asm(".incbin \\"/etc/passwd\\"");'}})
    verdict = Judge(toolchain, reference).judge(bad, task(tmp_path), work=tmp_path / "work")
    assert verdict.outcome == Outcome.CHEAT
    assert toolchain.compiled == []


def test_judging_stops_early_only_when_asked(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def zeros(inputs: list[Any], folder: Path) -> list[Any]:
        return [np.zeros_like(inputs[0])]

    assert len(judged(reference, tmp_path, function_toolchain(zeros)).cases) == 2
    assert len(judged(reference, tmp_path, function_toolchain(zeros), stop_on_first_failure=True).cases) == 1


def test_only_the_chosen_cases_are_judged_and_reported_as_they_end(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    ended: list[str] = []
    chosen = task(tmp_path).cases[1:]
    verdict = judged(
        reference, tmp_path, function_toolchain(softmax), cases=chosen, on_case=lambda c: ended.append(c.id)
    )
    assert ended == ["16x128"] == [c.id for c in verdict.cases]
    with pytest.raises(InputError, match="no case"):
        judged(reference, tmp_path, function_toolchain(softmax), cases=())


def test_the_same_seed_gives_the_same_trials(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    seen: list[bytes] = []

    def record(inputs: list[Any], folder: Path) -> list[Any]:
        seen.append(inputs[0].tobytes())
        return softmax(inputs, folder)

    for seed in (5, 5, None, None):
        judged(reference, tmp_path, function_toolchain(record), seed=seed)
    runs = [tuple(seen[i : i + 9]) for i in range(0, 36, 9)]  # two cases and one that was drawn
    assert runs[0] == runs[1]
    assert len(set(runs)) == 3


def test_a_tasks_own_checker_decides_and_ours_is_reported(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    loader = tmp_path / "package" / "judge_test_loader.py"
    loader.parent.mkdir()
    loader.write_text(
        "from akgen.tools.reference import module_loader\n"
        "class Lenient(module_loader.ModuleCase):\n"
        "    def check(self, sample, outputs):\n"
        "        worst = float((outputs[0] - sample.returned[0]).abs().max())\n"
        "        return None if worst < 0.2 else f'off by {worst:.1f}'\n"
        "def load(reference, case):\n"
        "    return Lenient(module_loader._module(reference.path), case)\n"
    )
    with ReferenceWorker(import_from=(loader.parent,)) as worker:
        lenient = task(tmp_path, own_checker=True)
        ours = lenient.reference.model_copy(update={"loader": "judge_test_loader"})
        lenient = lenient.model_copy(update={"reference": ours})
        for error, outcome, said in ((0.1, Outcome.CORRECT, "pass"), (0.3, Outcome.WRONG, "fail")):

            def near(inputs: list[Any], folder: Path, error: float = error) -> list[Any]:
                return [softmax(inputs, folder)[0] + np.float32(error)]

            verdict = Judge(function_toolchain(near), worker).judge(PROJECT, lenient, work=tmp_path / "work")
            assert verdict.outcome == outcome
            assert {c.own_checker for c in verdict.cases} == {said}
            assert all(c.mismatch is not None for c in verdict.cases)

        def holes(inputs: list[Any], folder: Path) -> list[Any]:
            out = softmax(inputs, folder)[0]
            out[0, 0] = np.nan
            return [out]

        verdict = Judge(function_toolchain(holes), worker).judge(PROJECT, lenient, work=tmp_path / "work")
        assert verdict.outcome == Outcome.WRONG
