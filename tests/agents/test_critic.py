"""The critic's decisions and the feedback that it writes."""

from pathlib import Path
from typing import get_args

import pytest

from akgen.agents.critic import CompilerCritic, RuleCritic
from akgen.agents.plan import Plan
from akgen.agents.prompts.advice import advice_for
from akgen.agents.prompts.feedback import explain
from akgen.agents.prompts.repair import repair_user
from akgen.agents.roles import Decision, TuningMove
from akgen.knowledge.hints import (
    bottleneck_rules,
    cause_hints,
    change_hints,
    mismatch_hints,
    outcome_meanings,
)
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import Bound, Change, PipeTime, Prediction, Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import CaseVerdict, Cause, Mismatch, Verdict

TASK = Task(
    name="x",
    suite="file",
    op_type="X",
    kernel="x",
    reference=Reference(loader="m", path=Path("x.py")),
    cases=(Case(id="0"),),
)
PLAN = Plan(origin="test", category="other", thought="so")
UNKNOWN = Diagnostic(
    code="UNKNOWN_NAME",
    text="'ReduceAdd' was not declared in this scope",
    file="op_kernel/x.cpp",
    line=12,
    stage="compile",
)


def _verdict(outcome: Outcome, *found: Diagnostic, cases: tuple[CaseVerdict, ...] = ()) -> Verdict:
    return Verdict(outcome=outcome, toolchain="twin", compile_s=0.1, diagnostics=found, cases=cases)


def _decide(verdict: Verdict, left: int = 3, plan: Plan | None = PLAN) -> Decision:
    return RuleCritic().criticise(TASK, plan, verdict, 1, left)


def _profile(bound: Bound, share: float, *pipes: PipeTime, imbalance: float = 1.0) -> Profile:
    return Profile(
        time_source="predicted",
        toolchain="twin",
        time_us=10.0,
        cores=40,
        gm_read_bytes=1,
        gm_write_bytes=1,
        pipes=pipes,
        bound=bound,
        roofline_share=share,
        core_imbalance=imbalance,
    )


def _correct(profile: Profile | None) -> Verdict:
    return _verdict(Outcome.CORRECT, cases=(CaseVerdict(id="0", outcome=Outcome.CORRECT, profile=profile),))


def _different(pattern: str, **more: str) -> Verdict:
    mismatch = Mismatch(
        output=0, pattern=pattern, count=3, total=100, first_index=(0, 97), max_abs=0.5, max_rel=2.0, **more
    )
    cases = (
        CaseVerdict(id="even", outcome=Outcome.CORRECT),
        CaseVerdict(id="ragged", outcome=Outcome.WRONG, mismatch=mismatch),
    )
    return _verdict(Outcome.WRONG, cases=cases)


def test_an_invented_interface_is_answered_with_the_nearest_that_exist() -> None:
    decision = _decide(_verdict(Outcome.COMPILE_ERROR, UNKNOWN))
    assert decision.action == "repair"
    assert decision.feedback is not None
    assert "op_kernel/x.cpp:12" in decision.feedback.text
    assert (
        "Nearest interface that exists: ReduceSum<T>(dst, src, sharedTmpBuffer, count)"
        in decision.feedback.text
    )


def test_a_catalogued_finding_carries_its_cause_and_remedy() -> None:
    text = explain(_verdict(Outcome.TRAP, Diagnostic(code="COPY_LENGTH", text="66 bytes", stage="test")))
    assert "DataCopyPad" in text and "count * sizeof(T) % 32 != 0" in text


def test_a_findings_own_remedy_goes_before_the_catalogues() -> None:
    own = Diagnostic(code="COPY_LENGTH", text="66 bytes", remedy="Take 96.", stage="test")
    text = explain(_verdict(Outcome.TRAP, own))
    assert "Remedy: Take 96." in text and "Use DataCopyPad" not in text


@pytest.mark.parametrize("pattern", sorted(mismatch_hints()))
def test_every_mismatch_pattern_is_explained_with_a_remedy(pattern: str) -> None:
    decision = _decide(_different(pattern))
    assert decision.action == "repair" and decision.feedback is not None
    hint = mismatch_hints()[pattern]
    assert hint.meaning in decision.feedback.text and hint.remedy in decision.feedback.text
    assert "case ragged" in decision.feedback.text and "3 of 100" in decision.feedback.text
    assert "already pass: even" in decision.feedback.text


@pytest.mark.parametrize("cause", sorted(cause_hints()))
def test_a_known_cause_is_explained_before_the_pattern(cause: str) -> None:
    what, shown = "it is 0.5 times too large", "true of 97% of the wrong elements"
    decision = _decide(_different("all", cause=cause, what=what, evidence=shown))
    assert decision.feedback is not None
    hint = cause_hints()[cause]
    assert f"cause {cause}: {what} ({shown}). {hint.meaning}" in decision.feedback.text
    assert f"Remedy: {hint.remedy}" in decision.feedback.text
    assert mismatch_hints()["all"].meaning not in decision.feedback.text


def test_an_unknown_cause_is_said_and_the_pattern_explained() -> None:
    decision = _decide(_different("scattered", cause="unknown"))
    assert decision.feedback is not None
    assert f"cause unknown. {mismatch_hints()['scattered'].meaning}" in decision.feedback.text
    assert "recision" not in decision.feedback.text


def test_every_cause_has_its_text() -> None:
    assert set(cause_hints()) == set(get_args(Cause)) - {"unknown"}


def test_every_pattern_and_outcome_that_can_occur_has_its_text() -> None:
    assert set(mismatch_hints()) == set(get_args(Mismatch.model_fields["pattern"].annotation))
    assert set(outcome_meanings()) == {str(outcome) for outcome in Outcome}


def test_many_findings_are_cut_and_counted_errors_first() -> None:
    warning = Diagnostic(code="HINT", text="soft", severity="warning")
    errors = [Diagnostic(code="TENSOR_RANGE", text=f"number {i}", file="a.cpp", line=i) for i in range(1, 12)]
    text = explain(_verdict(Outcome.TRAP, warning, *errors))
    assert "number 1" in text and "number 11" not in text and "soft" not in text
    assert "and 4 more findings" in text


def test_a_refused_plan_is_planned_again() -> None:
    refused = Diagnostic(code="PLAN_OVERFLOW", text="UB holds 196608 bytes; the plan needs 200000.")
    decision = _decide(_verdict(Outcome.PLAN_REJECTED, refused), plan=None)
    assert decision.action == "replan"
    assert decision.feedback is not None and "200000" in decision.feedback.text


@pytest.mark.parametrize("outcome", [Outcome.UNSUPPORTED, Outcome.BUDGET])
def test_what_another_attempt_cannot_mend_is_given_up(outcome: Outcome) -> None:
    assert _decide(_verdict(outcome, UNKNOWN)).action == "give_up"


def test_the_last_attempt_is_not_repaired() -> None:
    assert _decide(_verdict(Outcome.COMPILE_ERROR, UNKNOWN), left=0).action == "give_up"


def test_a_correct_kernel_is_accepted_when_nothing_may_go_into_speed() -> None:
    assert _decide(_correct(_profile("imbalance", 0.2, imbalance=2.0)), left=0).action == "accept"


def test_a_correct_kernel_near_the_roofline_is_accepted() -> None:
    assert _decide(_correct(_profile("imbalance", 0.95, imbalance=2.0))).action == "accept"


def test_a_correct_kernel_without_a_timeline_is_accepted() -> None:
    assert _decide(_correct(None)).action == "accept"


def test_a_slow_kernel_is_tuned_with_the_numbers_of_its_bottleneck() -> None:
    scalar = PipeTime(pipe="S", busy_us=6.0, stalled_us=1.0, idle_us=3.0, instructions=1000)
    decision = _decide(_correct(_profile("scalar", 0.2, scalar)))
    assert decision.action == "tune"
    assert decision.feedback is not None and "busy 60% of the time" in decision.feedback.text


def _would(change: Change, gain: float, *, fits: bool = True) -> Prediction:
    return Prediction(change=change, duration_us=10.0 * (1 - gain), gain=gain, cores=40, fits=fits)


def test_the_largest_simulated_gain_is_the_hypothesis() -> None:
    profile = _profile("latency", 0.2).model_copy(
        update={"what_if": (_would("larger_tiles", 0.4), _would("double_buffer", 0.25, fits=False))}
    )
    decision = _decide(_correct(profile))
    assert decision.action == "tune" and "6 us instead of 10 (40% less)" in decision.why
    assert decision.feedback is not None
    first, second = (decision.feedback.text.index(f"{gain}% less") for gain in (40, 25))
    assert first < second and "shorten the tiles" in decision.feedback.text[second:]
    assert decision.hypothesis == TuningMove(kind="larger_tiles", predicted_gain=0.4)
    assert _decide(_correct(_profile("latency", 0.2))).hypothesis is None  # a rule's advice promises nothing


def test_a_rule_gives_way_where_its_change_was_simulated_and_gains_nothing() -> None:
    copies = PipeTime(pipe="MTE2", busy_us=3.0, stalled_us=6.0, idle_us=1.0, instructions=10)
    guessed = _profile("memory", 0.7, copies)
    assert any("two buffers" in text for text in advice_for(guessed))
    simulated = guessed.model_copy(update={"what_if": (_would("double_buffer", 0.01),)})
    assert not any("two buffers" in text or "second" in text for text in advice_for(simulated))


CODE = """constexpr int32_t COPIES = {copies};
pipe.InitBuffer(in_, COPIES, tile * sizeof(half));
pipe.InitBuffer(out_, 2, tile * sizeof(half));
pipe.InitBuffer(work_, tile * sizeof(float));
xGm_.SetGlobalBuffer((__gm__ half*)x);  // GetValue, in a comment
{more}
Cast(work, x, RoundMode::CAST_NONE, count);
"""


def _project(copies: int = 2, more: str = "") -> KernelProject:
    text = CODE.format(copies=copies, more=more)
    return KernelProject(op_type="Add", kernel="add", files={"op_kernel/add.cpp": text})


@pytest.mark.parametrize(
    ("change", "other"),
    [
        ("double_buffer", _project(copies=1)),
        ("casts", _project(more="Cast(y, work, RoundMode::CAST_RINT, count);")),
        ("aligned_rows", _project(more="rows_.SetGlobalBuffer((__gm__ half*)GetUserWorkspace(workspace));")),
    ],
)
def test_what_the_code_does_already_or_cannot_change_is_not_advised(
    change: Change, other: KernelProject
) -> None:
    profile = _profile("memory", 0.3).model_copy(update={"what_if": (_would(change, 0.4),)})
    advice = change_hints()[change].advice
    assert not any(text.startswith(advice) for text in advice_for(profile, _project()))
    assert any(text.startswith(advice) for text in advice_for(profile, other))
    for project, kind in ((_project(), None), (other, change)):
        decision = RuleCritic().criticise(TASK, PLAN, _correct(profile), 1, 3, project)
        assert (decision.hypothesis.kind if decision.hypothesis else None) == kind


def test_longer_tiles_that_have_no_room_and_cores_that_are_taken_are_not_advised() -> None:
    would = (_would("larger_tiles", 0.4, fits=False), _would("more_cores", 0.3))
    profile = _profile("latency", 0.3).model_copy(update={"what_if": would})
    assert advice_for(profile) == ()
    loads = PipeTime(pipe="MTE2", busy_us=1.0, stalled_us=0.0, idle_us=9.0, instructions=40)
    assert advice_for(_profile("latency", 0.3, loads)) == ()  # one load for a core: no tile can be longer
    twice = loads.model_copy(update={"instructions": 80})
    assert "longer tiles" in advice_for(_profile("latency", 0.3, twice), _project())[0]


def test_loops_of_the_scalar_unit_are_named_only_where_there_are_some() -> None:
    scalar = PipeTime(pipe="S", busy_us=6.0, stalled_us=1.0, idle_us=3.0, instructions=1000)
    profile = _profile("scalar", 0.2, scalar)
    assert advice_for(profile, _project()) == ()
    assert "GetValue" in advice_for(profile, _project(more="sum += x.GetValue(i);"))[0]


def test_every_simulated_change_has_its_advice() -> None:
    assert set(change_hints()) == set(get_args(Change))
    assert {r.change for r in bottleneck_rules() if r.change} <= set(change_hints())


@pytest.mark.parametrize("rule", bottleneck_rules(), ids=lambda r: r.id)
def test_every_bottleneck_rule_can_be_written_out(rule: object) -> None:
    text = rule.advice.format(roofline=0.5, imbalance=1.5, busy=0.4, stalled=0.6)  # type: ignore[attr-defined]
    assert "{" not in text


def test_the_same_verdict_gives_the_same_decision() -> None:
    assert _decide(_different("tail")) == _decide(_different("tail"))


def test_a_compiler_alone_says_what_it_said_and_nothing_of_ours() -> None:
    found = UNKNOWN.model_copy(
        update={"text": "ReduceAdd does not exist.", "said": UNKNOWN.text, "remedy": "ReduceSum."}
    )
    verdict = _verdict(Outcome.COMPILE_ERROR, found)
    ruled, bare = (c.criticise(TASK, PLAN, verdict, 1, 3) for c in (RuleCritic(), CompilerCritic()))
    assert ruled.feedback is not None and "Remedy: ReduceSum." in ruled.feedback.text
    assert bare.action == ruled.action == "repair" and bare.feedback is not None
    assert bare.feedback.text == (
        "Outcome: compile_error.\nop_kernel/x.cpp:12: error: 'ReduceAdd' was not declared in this scope\n"
    )
    files = {"op_kernel/x.cpp": "\n" * 11 + "ReduceSum(y, x, work, 8);\n"}
    broken = KernelProject(op_type="X", kernel="x", files=files)
    assert repair_user("", "", ruled.feedback, broken, 9000)[1]
    assert not repair_user("", "", bare.feedback, broken, 9000)[1]


def test_a_compiler_alone_does_not_say_why_numbers_differ() -> None:
    different = Mismatch(
        output=0, pattern="all", count=7, total=9, first_index=(0, 1), max_abs=0.5, max_rel=1.0
    )
    case = CaseVerdict(id="ragged", outcome=Outcome.WRONG, mismatch=different)
    bare = CompilerCritic().criticise(TASK, PLAN, _verdict(Outcome.WRONG, cases=(case,)), 1, 3)
    assert bare.feedback is not None
    assert bare.feedback.text == "Outcome: wrong.\nCases that fail: ragged.\n"
