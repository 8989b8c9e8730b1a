"""Every expert kernel is judged correct on the twin, no check fires, and the compiler warns of nothing."""

import os
from pathlib import Path
from typing import get_args

import pytest

from akgen.agents.plan import Category
from akgen.bench.resolve import resolve_task
from akgen.knowledge.patterns import Pattern, patterns
from akgen.tools.core.project import KernelProject
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from tests.twin.compilers import WARNINGS_OF_KERNELS


@pytest.fixture(scope="module")
def strict() -> TwinToolchain:
    """A toolchain to which a warning of the compiler is an error."""
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ), kernel_flags=WARNINGS_OF_KERNELS))
    toolchain.prepare(print)
    return toolchain


@pytest.mark.parametrize("pattern", patterns(), ids=lambda p: p.name)
def test_an_expert_kernel_solves_its_task(
    pattern: Pattern, strict: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    project = KernelProject(op_type=pattern.op_type, kernel=pattern.kernel, files=pattern.files)
    task = resolve_task(pattern.task, case_ids=pattern.cases)
    verdict = Judge(strict, reference).judge(project, task, work=tmp_path, trials=2, seed=7)
    assert verdict.outcome == "correct", verdict.model_dump_json(indent=1)
    assert not [d for case in verdict.cases for d in case.diagnostics]


def test_every_pattern_is_an_example_for_categories_that_plans_name() -> None:
    named = {category for pattern in patterns() for category in pattern.categories}
    assert {"elementwise", "softmax"} <= named <= set(get_args(Category))
    assert [p.name for p in patterns() if "softmax" in p.categories] == ["row_softmax"]
