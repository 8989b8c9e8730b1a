"""The stages of a sample that make something: plan, write, compile, test, profile.

Each calls one decider or tool, once for the same inputs. A stage that ends the attempt early leaves a verdict; the
edges of `machine` look at nothing else.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from akgen.agents.budget import Spent, exhausted
from akgen.agents.plan import Plan
from akgen.agents.roles import Planned, Written
from akgen.graph.deps import AttemptScope, Deps
from akgen.graph.state import Profiled, SampleState
from akgen.tools.core.outcome import Diagnostic, Outcome, first_cause
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import Verdict
from akgen.tools.timeline.page import DrawnLaunch, write_page

Update = dict[str, Any]


def plan(state: SampleState, runtime: Runtime[Deps]) -> Update:
    """Ask the planner."""
    deps, task, sample = runtime.context, state["task"], state["sample"]
    scope = AttemptScope("plan", state, deps)
    feedback = state["feedback"]
    inputs = {"by": deps.planner.name, "task": task, "sample": sample, "attempt": scope.attempt}
    planned = scope.pay(
        {**inputs, "feedback": feedback}, Planned, lambda: deps.planner.plan(task, feedback, sample)
    )
    text = _plan_line(planned.plan) if planned.plan else _first_finding(planned.diagnostics)
    spent = scope.done(text, planned.outcome, planned.usage)
    missing = None if planned.plan else (planned.outcome or Outcome.NO_CODE, planned.diagnostics)
    return {"planned": planned, "spent": spent, "verdict": _stopped(deps, spent, missing)}


def write(state: SampleState, runtime: Runtime[Deps]) -> Update:
    """Ask the coder, who reads the plan, the critic's feedback and the previous project."""
    deps, task, sample = runtime.context, state["task"], state["sample"]
    scope = AttemptScope("write", state, deps)
    the_plan, feedback, previous = _plan(state), state["feedback"], state["project"]
    inputs = {"by": deps.coder.name, "task": task, "sample": sample, "attempt": scope.attempt}
    written = scope.pay(
        {**inputs, "plan": the_plan, "feedback": feedback, "previous": previous},
        Written,
        lambda: deps.coder.write(task, the_plan, feedback, previous, sample),
    )
    text = _first_finding(written.diagnostics)
    if written.project is not None:
        text = _project_line(written.project)
        written.project.write_to(scope.folder / "project")
    spent = scope.done(text, written.outcome, written.usage)
    missing = None if written.project else (written.outcome or Outcome.NO_CODE, written.diagnostics)
    return {
        "written": written,
        "project": written.project or previous,
        "spent": spent,
        "verdict": _stopped(deps, spent, missing),
    }


def compile_(state: SampleState, runtime: Runtime[Deps]) -> Update:
    """Build host and device code for the task's cases."""
    deps, task, project = runtime.context, state["task"], _project(state)
    scope = AttemptScope("compile", state, deps)
    folder = scope.folder / "build"
    build = scope.pay(
        {"toolchain": deps.workbench.toolchain, "task": task, "project": project},
        Build,
        lambda: deps.workbench.compile(project, task, folder),
        usable=lambda stored: stored.folder.is_dir(),
    )
    spent = scope.done(_build_line(build), build.outcome)
    missing = None if build.outcome is None else (build.outcome, build.diagnostics)
    return {"build": build, "spent": spent, "verdict": _stopped(deps, spent, missing, build)}


def test(state: SampleState, runtime: Runtime[Deps]) -> Update:
    """Let the judge run every case in the sandbox and compare."""
    deps, task, build = runtime.context, state["task"], _build(state)
    scope = AttemptScope("test", state, deps)
    folder = scope.folder / "test"
    inputs = {"toolchain": deps.workbench.toolchain, "task": task, "project": _project(state)}
    verdict = scope.pay(
        {**inputs, "seed": deps.config.seed},
        Verdict,
        lambda: deps.workbench.test(build, task, folder, deps.config.seed, what_if=deps.config.tune > 0),
    )
    return {"verdict": verdict, "spent": scope.done(verdict.summary(), verdict.outcome)}


def profile(state: SampleState, runtime: Runtime[Deps]) -> Update:
    """Take the timeline of the case that takes longest."""
    deps, build = runtime.context, _build(state)
    task = _slowest(state)
    scope = AttemptScope("profile", state, deps)
    folder = scope.folder / "profile"
    inputs = {"toolchain": deps.workbench.toolchain, "task": task, "project": _project(state)}
    profiled = scope.pay(
        {**inputs, "seed": deps.config.seed},
        Profiled,
        lambda: _profiled(
            deps.workbench.profile(build, task, folder, deps.config.seed), task.name, folder, _project(state)
        ),
    )
    text = profiled.profile.summary() if profiled.profile else "no timeline"
    return {"profiled": profiled, "spent": scope.done(text, None)}


def _profiled(found: Profile | None, title: str, folder: Path, project: KernelProject) -> Profiled:
    """Draw the timeline beside its trace, where there is one."""
    if found is None or found.trace is None:
        return Profiled(profile=found)
    drawn = DrawnLaunch(title=title, profile=found, trace=found.trace, sources=project.files)
    return Profiled(profile=found, page=write_page(drawn, folder / "timeline.html"))


def _slowest(state: SampleState) -> Task:
    """Return the task with only the case that the verdict found to take longest."""
    task, verdict = state["task"], state["verdict"]
    assert verdict is not None
    slowest = max(verdict.cases, key=lambda case: case.time_us or 0.0)
    return task.only((slowest.id,))


def _stopped(
    deps: Deps,
    spent: Spent,
    missing: tuple[Outcome, tuple[Diagnostic, ...]] | None,
    build: Build | None = None,
) -> Verdict | None:
    """Return the verdict of an attempt that goes no further, or None if it does."""
    if missing is None:
        used = exhausted(deps.config.budget, spent, besides_attempts=True)
        if used is None:
            return None
        text = f"The run's budget ended this attempt before its verdict: {used}."
        missing = (Outcome.BUDGET, (Diagnostic(code="BUDGET_EXHAUSTED", text=text),))
    outcome, diagnostics = missing
    return Verdict(
        outcome=outcome,
        toolchain=deps.workbench.toolchain,
        compile_s=build.compile_s if build else 0.0,
        kernel_compile_s=build.kernel_compile_s if build else None,
        diagnostics=diagnostics,
    )


def _plan(state: SampleState) -> Plan:
    planned = state["planned"]
    assert planned is not None and planned.plan is not None
    return planned.plan


def _project(state: SampleState) -> KernelProject:
    project = state["project"]
    assert project is not None
    return project


def _build(state: SampleState) -> Build:
    build = state["build"]
    assert build is not None
    return build


def _plan_line(plan: Plan) -> str:
    tiling = plan.tiling
    if tiling is None:
        return f"{plan.category}, by {plan.origin}"
    return (
        f"{plan.category}, {tiling.block_dim} cores by {tiling.split or 'blocks'}, tile {tiling.tile_length}, "
        f"UB {tiling.ub_bytes} B, by {plan.origin}"
    )


def _project_line(project: KernelProject) -> str:
    lines = sum(text.count("\n") for text in project.files.values())
    return f"{len(project.files)} files, {lines} lines, kernel {project.kernel}"


def _build_line(build: Build) -> str:
    return f"in {build.compile_s:.2f} s" if build.outcome is None else _first_finding(build.diagnostics)


def _first_finding(found: Sequence[Diagnostic]) -> str:
    """Return the first error with its place, or the first warning, or a plain statement that there is none."""
    cause = first_cause(found)
    return cause.sentence if cause else "no diagnostic"
