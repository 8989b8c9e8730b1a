"""Every expert kernel is judged correct on the twin, no check fires, and the compiler warns of nothing.

`make experts` judges each on all cases of its task, times it on a long one and prints its share of the roofline.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from akgen.agents.plan import Category
from akgen.bench.resolve import resolve_task
from akgen.knowledge.patterns import Pattern, expert_for, patterns
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled
from tests.twin.compilers import WARNINGS_OF_KERNELS

KERNELS = pytest.mark.parametrize("pattern", patterns(), ids=lambda p: p.name)
MOST_LINES = 150  # of a kernel, blank ones aside


@pytest.fixture(scope="module")
def judge(reference: ReferenceWorker) -> Judge:
    """A judge whose toolchain takes a warning of the compiler for an error."""
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ), kernel_flags=WARNINGS_OF_KERNELS))
    toolchain.prepare(print)
    return Judge(toolchain, reference)


def _project(pattern: Pattern) -> KernelProject:
    return KernelProject(op_type=pattern.op_type, kernel=pattern.kernel, files=pattern.files)


def _solves(pattern: Pattern, cases: Sequence[str], trials: int, judge: Judge, folder: Path) -> None:
    task = resolve_task(pattern.task, case_ids=tuple(cases))
    verdict = judge.judge(_project(pattern), task, work=folder, trials=trials, seed=7)
    assert verdict.outcome == "correct", verdict.model_dump_json(indent=1)
    assert not [d for case in verdict.cases for d in case.diagnostics]


@pytest.mark.parametrize("pattern", sampled(patterns(), 4), ids=lambda p: p.name)
def test_an_expert_kernel_solves_its_first_and_last_case(
    pattern: Pattern, judge: Judge, tmp_path: Path
) -> None:
    _solves(pattern, (pattern.cases[0], pattern.cases[-1]), 1, judge, tmp_path)


@pytest.mark.slow
@KERNELS
def test_an_expert_kernel_solves_all_its_cases(pattern: Pattern, judge: Judge, tmp_path: Path) -> None:
    _solves(pattern, pattern.cases, 2, judge, tmp_path)


@pytest.mark.slow
@KERNELS
def test_an_expert_kernel_comes_near_the_roofline(pattern: Pattern, judge: Judge, tmp_path: Path) -> None:
    task = resolve_task(pattern.task)
    task = task.model_copy(update={"cases": (Case(id="large", params=dict(pattern.large)),)})
    build = judge.compile(_project(pattern), task, tmp_path / "build")
    profile = judge.profile(build, task, tmp_path / "run")
    assert profile is not None
    print(f"\n{pattern.name}: {profile.summary()} ({profile.roofline_share:.4f})")
    assert profile.roofline_share >= pattern.least_share


@KERNELS
def test_an_expert_kernel_is_short_enough_to_be_read(pattern: Pattern) -> None:
    kernel = pattern.files[f"op_kernel/{pattern.kernel}.cpp"]
    assert len([line for line in kernel.splitlines() if line.strip()]) <= MOST_LINES


@KERNELS
def test_a_task_with_the_operations_of_a_kernel_is_shown_one_that_has_them(pattern: Pattern) -> None:
    if pattern.operations:
        shown = expert_for([f"aten.{name}.default" for name in pattern.operations], (), "another")
        assert shown is not None and set(shown.operations) & set(pattern.operations)
    shown = expert_for(pattern.operations, pattern.categories, pattern.task)
    assert shown is None or shown.task != pattern.task


def test_operations_choose_before_categories_and_rare_ones_before_common_ones() -> None:
    def chosen(*operations: str, category: str = "elementwise") -> str:
        found = expert_for([f"aten.{name}.default" for name in operations], (category,), "another")
        return found.name if found else ""

    assert chosen("mul", "add") == "elementwise"
    assert chosen("mul", "cumsum") == chosen("sum", "cumsum") == "scan"
    assert chosen("sum", category="reduction") == "row_reduce"
    assert chosen("index_add", category="other") == "scatter"
    assert chosen("_softmax", category="softmax") == "row_softmax"


def test_every_pattern_is_an_example_for_categories_that_plans_name() -> None:
    named = {category for pattern in patterns() for category in pattern.categories}
    assert {"elementwise", "softmax"} <= named <= set(get_args(Category))
