"""What a case's verdict keeps of its trials, and what a task's own checker decides in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.task import Task
from akgen.tools.core.verdict import CaseVerdict
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from tests.tools.judge.judging import PROJECT, Kernel, MakeToolchain, judged, softmax, task

NOTE = Diagnostic(code="SHORT_COPY", text="x", severity="warning")
PROFILE = Profile(
    time_us=8.0, time_source="predicted", toolchain="function 1", cores=1, gm_read_bytes=1, gm_write_bytes=1,
    pipes=(), bound="memory", roofline_share=0.5, core_imbalance=1.0,
)  # fmt: skip
CHECKER = """
from akgen.tools.reference import module_loader
class Lenient(module_loader.ModuleCase):
    def check(self, sample, outputs):
        worst = float((outputs[0] - sample.returned[0]).abs().max())
        return None if worst < 0.2 else f"off by {worst:.1f}" + "." * (worst > 0.5)
def load(reference, case):
    return Lenient(module_loader._module(reference.path), case)
"""


def off_by(*errors: float) -> Kernel:
    """Be off by these errors, one launch after the other; the last one stays."""
    left = list(errors)

    def kernel(inputs: list[Any], folder: Path) -> list[Any]:
        error = left.pop(0) if len(left) > 1 else left[0]
        return [softmax(inputs, folder)[0] + np.float32(error)]

    return kernel


def first_case(reference: ReferenceWorker, folder: Path, toolchain: Any, **more: Any) -> CaseVerdict:
    return judged(reference, folder, toolchain, cases=task(folder).cases[:1], **more).cases[0]


def test_the_first_launch_gives_time_and_profile(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = first_case(reference, tmp_path, function_toolchain(softmax, time_us=50.0, profile=PROFILE))
    assert (found.id, found.outcome, found.trials) == ("4x33", Outcome.CORRECT, 3)
    assert (found.time_us, found.time_source, found.profile) == (50.0, "predicted", PROFILE)
    assert (found.mismatch, found.own_checker, found.diagnostics) == (None, None, ())


def test_a_finding_of_every_launch_is_told_once(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = first_case(reference, tmp_path, function_toolchain(softmax, diagnostics=(NOTE,)))
    assert found.diagnostics == (NOTE,)


def test_a_case_ends_with_its_first_trial_that_fails(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    # The first trial is launched twice, the second after another launch, alone, and with its cores in the usual order.
    chain = function_toolchain(off_by(0, 0, 0.5))
    found = first_case(reference, tmp_path, chain, trials=5)
    assert (found.outcome, found.trials, chain.launches) == (Outcome.WRONG, 2, 5)
    assert found.mismatch is not None and found.mismatch.pattern == "all"


def test_one_trial_is_launched_once_and_the_smallest_case_after_another_launch(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax)
    assert first_case(reference, tmp_path, chain, trials=1).trials == 2
    assert chain.launches == 2


def test_the_largest_errors_are_those_of_all_trials(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = first_case(reference, tmp_path, function_toolchain(off_by(0, 0, 0.5)))
    assert found.max_abs == pytest.approx(0.5, rel=1e-5)
    assert found.max_rel is not None and found.max_rel > 0.5


def test_an_error_that_one_trial_cannot_tell_is_not_told(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = first_case(reference, tmp_path, function_toolchain(off_by(0, 0, np.nan)))
    assert (found.outcome, found.trials) == (Outcome.WRONG, 2)
    assert (found.max_abs, found.max_rel) == (None, None)


# A task's own checker


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReferenceWorker]:
    folder = tmp_path_factory.mktemp("loaders")
    (folder / "case_verdict_loader.py").write_text(CHECKER)
    with ReferenceWorker(import_from=(folder,)) as worker:
        yield worker


def checked(lenient: ReferenceWorker, folder: Path, toolchain: Any, **more: Any) -> CaseVerdict:
    """Judge the first case of a task with a checker that lets an error of 0.2 pass."""
    asked = task(folder, own_checker=True)
    reference = asked.reference.model_copy(update={"loader": "case_verdict_loader"})
    own: Task = asked.model_copy(update={"reference": reference, "cases": asked.cases[:1]})
    return Judge(toolchain, lenient).judge(PROJECT, own, work=folder / "work", **more).cases[0]


def test_what_the_checker_lets_pass_is_correct_and_our_tolerance_is_told_as_a_warning(
    lenient: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = checked(lenient, tmp_path, function_toolchain(off_by(0.1)))
    assert (found.outcome, found.own_checker, found.trials) == (Outcome.CORRECT, "pass", 3)
    assert found.mismatch is not None and found.mismatch.max_abs == pytest.approx(0.1, rel=1e-5)
    assert {(d.code, d.severity) for d in found.diagnostics} == {("OUTPUT_MISMATCH", "warning")}
    assert found.max_used is None  # a share of our tolerance, which is not what is allowed here


@pytest.mark.parametrize(("error", "text"), [(0.3, "off by 0.3."), (0.7, "off by 0.7.")])
def test_the_checkers_objection_is_told_in_its_words(
    lenient: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain, error: float, text: str
) -> None:
    found = checked(lenient, tmp_path, function_toolchain(off_by(error)))
    assert (found.outcome, found.own_checker, found.trials) == (Outcome.WRONG, "fail", 1)
    assert [d.code for d in found.diagnostics] == ["OUTPUT_MISMATCH", "OWN_CHECKER"]
    assert found.diagnostics[1] == Diagnostic(
        code="OWN_CHECKER", text=text, remedy="Come closer to the reference.", stage="test"
    )


def test_one_objection_in_several_trials_is_the_checkers_verdict(
    lenient: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = checked(lenient, tmp_path, function_toolchain(off_by(0, 0, 0.3)))
    assert (found.outcome, found.own_checker, found.trials) == (Outcome.WRONG, "fail", 2)


def test_the_checker_is_not_asked_about_an_output_of_another_form(
    lenient: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = checked(lenient, tmp_path, function_toolchain(lambda _i, _f: [np.zeros(3, np.float32)]))
    assert (found.outcome, found.own_checker) == (Outcome.WRONG, None)
    assert [d.code for d in found.diagnostics] == ["OUTPUT_MISMATCH"]


def test_the_checker_does_not_excuse_a_nan(
    lenient: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def hole(inputs: list[Any], folder: Path) -> list[Any]:
        out = softmax(inputs, folder)[0]
        out[0, 0] = np.nan
        return [out]

    found = checked(lenient, tmp_path, function_toolchain(hole))
    assert found.outcome == Outcome.WRONG


def test_a_right_kernel_that_is_too_fast_cheats_whatever_the_checker_says(
    lenient: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    found = checked(lenient, tmp_path, function_toolchain(softmax, time_us=1e-9))
    assert (found.outcome, found.own_checker) == (Outcome.CHEAT, "pass")
    assert [d.code for d in found.diagnostics] == ["FASTER_THAN_MEMORY"]
