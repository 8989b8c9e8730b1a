"""The judge's steps by themselves: what is compiled, launched and profiled, and what a verdict keeps of it."""

from pathlib import Path
from typing import Any

import pytest

from akgen.tools.core.outcome import Diagnostic, InfraError, InputError, Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.toolchain import Build, RunOptions
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge import source_filter
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.judge.trial import time_limit
from akgen.tools.reference.client import ReferenceWorker
from tests.tools.judge.judging import PROJECT, SOFTMAX, MakeToolchain, judged, softmax, task

ATTACK = PROJECT.model_copy(update={"files": {"op_kernel/s.cpp": 'asm("nop");'}})
NOTE = Diagnostic(code="SHORT_COPY", text="x", severity="warning")
TAMPERED = Diagnostic(
    code="TAMPERED",
    text="The task's reference or the judge's own files changed while the candidate was compiled or run.",
    remedy="Leave the files of the task alone while it is judged, and judge again.",
    stage="test",
)
PROFILE = Profile(
    time_us=8.0, time_source="predicted", toolchain="function 1", cores=1, gm_read_bytes=1, gm_write_bytes=1,
    pipes=(), bound="memory", roofline_share=0.5, core_imbalance=1.0,
)  # fmt: skip
BUILT = {"compile_s": 2.5, "kernel_compile_s": 1.5, "diagnostics": (NOTE,)}


def test_the_toolchains_version_stands_for_the_judge(
    reference: ReferenceWorker, function_toolchain: MakeToolchain
) -> None:
    assert Judge(function_toolchain(softmax), reference).toolchain == "function 1"


# Compiling


def test_a_text_that_the_filter_refuses_is_a_build_with_its_findings(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax)
    _, findings = source_filter.look(ATTACK)
    assert Judge(chain, reference).compile(ATTACK, task(tmp_path), tmp_path / "b") == Build(
        toolchain="function 1",
        outcome=Outcome.CHEAT,
        op=None,
        folder=tmp_path / "b",
        compile_s=0.0,
        diagnostics=findings,
    )
    assert chain.compiled == []


def test_a_project_is_compiled_for_the_calls_of_the_chosen_cases(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain, asked = function_toolchain(softmax, built=BUILT), task(tmp_path)
    judge = Judge(chain, reference)
    build = judge.compile(PROJECT, asked, tmp_path / "a" / "b")
    assert (build.outcome, build.folder, build.compile_s) == (None, tmp_path / "a" / "b", 2.5)
    assert build.folder.is_dir()
    assert [c.outputs[0].meta.shape for c in chain.compiled] == [(4, 33), (16, 128)]
    judge.compile(PROJECT, asked, tmp_path / "a" / "b", cases=asked.cases[1:])
    assert [c.outputs[0].meta.shape for c in chain.compiled] == [(16, 128)]


def test_reaching_out_while_compiling_is_a_cheat(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    reached = Diagnostic(code="SANDBOX_FILE", text="x")
    chain = function_toolchain(softmax, built={"outcome": Outcome.COMPILE_ERROR, "diagnostics": (reached,)})
    build = Judge(chain, reference).compile(PROJECT, task(tmp_path), tmp_path / "b")
    assert (build.outcome, build.diagnostics) == (Outcome.CHEAT, (reached,))


def test_a_task_is_described_by_its_first_case_and_profiled_on_its_largest(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    judge, asked = Judge(function_toolchain(softmax), reference), task(tmp_path)
    assert judge.describe(asked).outputs[0].meta.shape == (4, 33)
    assert judge.largest(asked).id == "16x128"
    backwards = asked.model_copy(update={"cases": asked.cases[::-1]})
    assert judge.largest(backwards).id == "16x128"


@pytest.mark.parametrize("step", ["compile", "judge"])
def test_cases_of_the_same_id_are_refused(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain, step: str
) -> None:
    asked, judge = task(tmp_path), Judge(function_toolchain(softmax), reference)
    twice = (asked.cases[0], asked.cases[0])
    with pytest.raises(InputError) as refused:
        if step == "compile":
            judge.compile(PROJECT, asked, tmp_path / "b", cases=twice)
        else:
            judge.judge(PROJECT, asked, work=tmp_path / "w", cases=twice)
    assert refused.value.text == "Task softmax has two cases of the same id."
    assert refused.value.remedy == "Give every case its own id."
    with pytest.raises(InputError) as empty:
        judge.compile(PROJECT, asked, tmp_path / "b", cases=())
    assert empty.value.text == "Task softmax has no case to judge."
    assert empty.value.remedy == "Choose at least one case."


# Testing


def test_a_build_that_failed_is_the_verdict(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax, built={**BUILT, "outcome": Outcome.COMPILE_ERROR})
    assert judged(reference, tmp_path, chain) == Verdict(
        outcome=Outcome.COMPILE_ERROR,
        toolchain="function 1",
        compile_s=2.5,
        kernel_compile_s=1.5,
        diagnostics=(NOTE,),
    )
    assert chain.launches == 0


def test_a_verdict_keeps_what_is_known_of_its_build(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    verdict = judged(reference, tmp_path, function_toolchain(softmax, built=BUILT))
    assert (verdict.outcome, verdict.toolchain) == (Outcome.CORRECT, "function 1")
    assert (verdict.compile_s, verdict.kernel_compile_s, verdict.diagnostics) == (2.5, 1.5, (NOTE,))


def test_every_launch_has_the_judges_time_limit_and_its_own_folder(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax)
    Judge(chain, reference, run_timeout_s=7.5).judge(PROJECT, task(tmp_path), work=tmp_path / "w", trials=2)
    assert [options.timeout_s for _, options in chain.asked] == [
        7.5 if not before else time_limit(7.5, before) for before in chain.before
    ]
    assert len(chain.asked) == 7 and sum(map(bool, chain.before)) == 1  # one comes after others
    places = [folder.relative_to(tmp_path / "w").as_posix() for folder, _ in chain.asked]
    names = [f"{case}-{launch}" for case in ("4x33", "16x128") for launch in ("0/run", "0/again", "1/run")]
    assert places[:-1] == [f"test/candidate/{name}" for name in names]
    assert places[-1].endswith("-0/run") and "_drawn_" in places[-1] and places[-1] not in places[:-1]


def test_a_judge_gives_a_launch_a_minute_unless_told_otherwise(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax)
    judged(reference, tmp_path, chain, trials=1)
    limits = [options.timeout_s for _, options in chain.asked]
    assert len(limits) == 4  # the smallest case twice, the other one, drawn shapes
    assert {limit for limit, before in zip(limits, chain.before, strict=True) if not before} == {60.0}


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("what_if", [False, True])
def test_a_trace_and_what_if_are_made_at_the_first_launch_of_each_case(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain, trace: bool, what_if: bool
) -> None:
    chain = function_toolchain(softmax)
    judged(reference, tmp_path, chain, trials=2, trace=trace, what_if=what_if)
    flags = [(options.trace, options.what_if) for _, options in chain.asked]
    assert flags == [(trace, what_if), (False, False), (False, False)] * 2 + [
        (False, False)
    ]  # and a drawn case


def test_no_trace_is_made_unless_it_is_asked_for(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain, asked = function_toolchain(softmax), task(tmp_path)
    judge = Judge(chain, reference)
    judge.judge(PROJECT, asked, work=tmp_path / "w", trials=1)
    build = judge.compile(PROJECT, asked, tmp_path / "b")
    verdict = judge.test(build, asked, tmp_path / "t")
    assert {(options.trace, options.what_if) for _, options in chain.asked} == {(False, False)}
    assert [c.trials for c in verdict.cases] == [3, 3]


def test_a_reference_that_fails_is_the_tasks_fault(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax)
    judge, asked = Judge(chain, reference), task(tmp_path)
    build = judge.compile(PROJECT, asked, tmp_path / "b")
    broken = task(tmp_path, SOFTMAX.replace("torch.softmax(x, dim=-1)", "x.nothing()"))
    with pytest.raises(InputError, match="AttributeError"):
        judge.test(build, broken, tmp_path / "t")


# Tampering


@pytest.mark.parametrize("text", [SOFTMAX + "# changed", "this is no Python"])
def test_a_reference_that_a_launch_changed_is_told_once_after_the_builds_findings(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain, text: str
) -> None:
    def tamper(inputs: list[Any], folder: Path) -> list[Any]:
        (tmp_path / "reference.py").write_text(text)
        return softmax(inputs, folder)

    verdict = judged(reference, tmp_path, function_toolchain(tamper, built=BUILT))
    assert verdict.outcome == Outcome.CHEAT
    assert verdict.diagnostics == (NOTE, TAMPERED)


def test_a_reference_that_compiling_changed_is_told(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    class Tampering(function_toolchain):  # type: ignore[misc, valid-type]
        def compile(self, *args: Any) -> Build:
            (tmp_path / "reference.py").write_text(SOFTMAX + "# changed")
            return super().compile(*args)  # type: ignore[no-any-return]

    verdict = judged(reference, tmp_path, Tampering(softmax, built=BUILT))
    assert verdict.outcome == Outcome.CHEAT
    assert verdict.diagnostics == (NOTE, TAMPERED)
    assert len(verdict.cases) == 2


def test_a_reference_that_is_written_again_as_it_was_is_untouched(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def rewrite(inputs: list[Any], folder: Path) -> list[Any]:
        (tmp_path / "again.py").write_text(SOFTMAX)
        (tmp_path / "again.py").replace(tmp_path / "reference.py")
        return softmax(inputs, folder)

    assert judged(reference, tmp_path, function_toolchain(rewrite)).outcome == Outcome.CORRECT


FOLDER_LOADER = """
from akgen.tools.reference import module_loader
def load(reference, case):
    return module_loader.ModuleCase(module_loader._module(reference.path / "in" / "model.py"), case)
"""


@pytest.mark.parametrize(
    ("name", "outcome"),
    [("in/model.py", Outcome.CHEAT), ("new.txt", Outcome.CHEAT), ("__pycache__/x.pyc", Outcome.CORRECT)],
)
def test_every_file_of_a_reference_in_a_folder_is_watched(
    tmp_path: Path, function_toolchain: MakeToolchain, name: str, outcome: Outcome
) -> None:
    loaders, place = tmp_path / "loaders", tmp_path / "place"
    loaders.mkdir()
    (loaders / "judge_steps_loader.py").write_text(FOLDER_LOADER)
    for folder in ("in", "__pycache__"):
        (place / folder).mkdir(parents=True)
    asked = task(place / "in")
    (place / "in" / "model.py").write_text(SOFTMAX)
    watched = asked.reference.model_copy(update={"loader": "judge_steps_loader", "path": place})

    def tamper(inputs: list[Any], folder: Path) -> list[Any]:
        (place / name).write_text(SOFTMAX + "# changed")
        return softmax(inputs, folder)

    with ReferenceWorker(import_from=(loaders,)) as worker:
        judge = Judge(function_toolchain(tamper), worker)
        verdict = judge.judge(
            PROJECT, asked.model_copy(update={"reference": watched}), work=tmp_path / "w", trials=1
        )
    assert verdict.outcome == outcome


# Profiling


def test_a_profile_is_of_the_largest_case_with_trace_and_what_if(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    seen: list[tuple[int, ...]] = []

    def watched(inputs: list[Any], folder: Path) -> list[Any]:
        seen.append(inputs[0].shape)
        return softmax(inputs, folder)

    chain = function_toolchain(watched, profile=PROFILE)
    judge, asked = Judge(chain, reference, run_timeout_s=7.5), task(tmp_path)
    build = judge.compile(PROJECT, asked, tmp_path / "b")
    assert judge.profile(build, asked, tmp_path / "p") == PROFILE
    assert seen == [(16, 128)]
    wanted = RunOptions(timeout_s=7.5, trace=True, what_if=True)
    assert chain.asked == [(tmp_path / "p" / "run", wanted)]
    assert sorted(p.name for p in (tmp_path / "p").iterdir()) == ["run"]


def test_a_profile_with_a_seed_has_the_same_inputs_as_the_first_trial(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    seen: list[bytes] = []

    def watched(inputs: list[Any], folder: Path) -> list[Any]:
        seen.append(inputs[0].tobytes())
        return softmax(inputs, folder)

    judge, asked = Judge(function_toolchain(watched), reference), task(tmp_path)
    build = judge.compile(PROJECT, asked, tmp_path / "b")
    judge.profile(build, asked, tmp_path / "p1", 5)
    judge.profile(build, asked, tmp_path / "p2", 5)
    judge.profile(build, asked, tmp_path / "p3")
    judge.test(build, asked, tmp_path / "t", 5, cases=asked.cases[1:], trials=1)
    assert seen[0] == seen[1] == seen[3] != seen[2]


def test_a_build_that_failed_has_no_profile(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    chain = function_toolchain(softmax, profile=PROFILE, built={"outcome": Outcome.TILING_ERROR})
    judge, asked = Judge(chain, reference), task(tmp_path)
    build = judge.compile(PROJECT, asked, tmp_path / "b")
    assert judge.profile(build, asked, tmp_path / "p") is None
    assert chain.launches == 0


def test_a_launch_that_the_machine_breaks_leaves_no_expected_values_behind(
    reference: ReferenceWorker, tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    def broken(inputs: list[Any], folder: Path) -> list[Any]:
        raise InfraError("The device is gone.", "Bring it back.")

    judge, asked = Judge(function_toolchain(broken), reference), task(tmp_path)
    build = judge.compile(PROJECT, asked, tmp_path / "b")
    with pytest.raises(InfraError):
        judge.profile(build, asked, tmp_path / "p")
    assert sorted(p.name for p in (tmp_path / "p").iterdir()) == ["run"]


# Opening


def test_an_opened_judge_has_a_prepared_toolchain_and_a_reference(
    tmp_path: Path, function_toolchain: MakeToolchain
) -> None:
    said: list[str] = []
    with open_judge(function_toolchain(softmax), said.append) as judge:
        assert said == ["nothing to prepare"]
        assert judge.judge(PROJECT, task(tmp_path), work=tmp_path / "w", trials=1).outcome == Outcome.CORRECT
