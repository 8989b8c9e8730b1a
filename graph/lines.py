"""What people read while a run goes on: one line per stage."""

from collections.abc import Sequence

from akgen.agents.plan import Plan
from akgen.agents.roles import Decision
from akgen.tools.core.outcome import Diagnostic, Outcome, first_cause
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import Verdict


def plan_line(plan: Plan) -> str:
    tiling = plan.tiling
    if tiling is None:
        return f"{plan.category}, by {plan.origin}"
    return (
        f"{plan.category}, {tiling.block_dim} cores by {tiling.split or 'blocks'}, tile {tiling.tile_length}, "
        f"UB {tiling.ub_bytes} B, by {plan.origin}"
    )


def project_line(project: KernelProject) -> str:
    lines = sum(text.count("\n") for text in project.files.values())
    return f"{len(project.files)} files, {lines} lines, kernel {project.kernel}"


def build_line(build: Build) -> str:
    return f"in {build.compile_s:.2f} s" if build.outcome is None else first_finding(build.diagnostics)


def verdict_line(verdict: Verdict) -> str:
    passed = sum(case.outcome is Outcome.CORRECT for case in verdict.cases)
    count = f"{passed} of {len(verdict.cases)} cases correct"
    errors = [case.max_rel for case in verdict.cases if case.max_rel is not None]
    worst = f", worst relative error {max(errors):.2g}" if errors else ""
    if verdict.outcome is Outcome.CORRECT:
        return count + worst
    return f"{count}{worst}; {verdict.why()}"


def profile_line(profile: Profile | None) -> str:
    if profile is None:
        return "no timeline"
    return f"{profile.time_text()}, {profile.roofline_share:.0%} of the roofline, bound by {profile.bound}"


def decision_line(decision: Decision) -> str:
    return f"{decision.action}: {decision.why}" if decision.why else decision.action


def first_finding(found: Sequence[Diagnostic]) -> str:
    """Return the first error with its place, or the first warning, or a plain statement that there is none."""
    cause = first_cause(found)
    return cause.sentence if cause else "no diagnostic"
