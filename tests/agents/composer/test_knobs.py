"""The composer's knobs: the program changes as it is told to, and still computes the same."""

import numpy as np
import pytest

from akgen.agents.composer.model_free import ModelFree
from akgen.bench.resolve import resolve_task
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.task import Task
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse

FREE = ModelFree()
TASKS = ("relu", "softmax_rows", "mean_all", "batch_norm_inference")


@pytest.fixture(scope="module", params=TASKS)
def task(request: pytest.FixtureRequest) -> Task:
    return resolve_task(request.param)


def _dsl(task: Task, knobs: Knobs | None = None) -> str:
    planned = FREE.plan(task.model_copy(update={"knobs": knobs}), None, 0)
    assert planned.plan is not None and planned.plan.dsl is not None
    return planned.plan.dsl


def test_no_knob_leaves_the_text_as_it_is(task: Task) -> None:
    assert _dsl(task, None) == _dsl(task, Knobs())


KNOBS = (
    Knobs(cores=3),
    Knobs(grain=256),
    Knobs(pieces=1),
    Knobs(pieces=8),
    Knobs(buffers=1),
    Knobs(tile_length=512),
    Knobs(cores=5, grain=64, pieces=2, buffers=1),
)


@pytest.mark.parametrize("knobs", KNOBS, ids=str)
def test_a_turned_program_computes_what_it_did(task: Task, knobs: Knobs) -> None:
    before, after = (parse(text) for text in (_dsl(task), _dsl(task, knobs)))
    rng = np.random.default_rng(1)
    inputs = [rng.random((7, 333) if n == "x" else (333,), dtype=np.float32) for n in before.host.inputs]
    attrs = {p.name: p.default for p in before.host.params if p.kind == "float"}
    expected = interpret(before, inputs, attrs)
    for want, got in zip(expected, interpret(after, inputs, attrs), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)


def _kernels(dsl: str) -> list[str]:
    return [kernel.name for kernel in parse(dsl).kernels]


def test_each_schedule_can_be_had_alone(task: Task) -> None:
    every = _kernels(_dsl(task))
    for k, name in enumerate(every):
        assert _kernels(_dsl(task, Knobs(schedule=name))) == every[k:]


def test_the_last_schedule_is_the_only_kernel() -> None:
    task = resolve_task("softmax_rows")
    assert _kernels(_dsl(task)) == [f"softmax_rows_{kind}" for kind in ("shared", "split", "rows", "items")]
    assert _kernels(_dsl(task, Knobs(schedule="softmax_rows_items"))) == ["softmax_rows_items"]


@pytest.mark.parametrize("knobs", [Knobs(grain=512), Knobs(schedule="no_such_kernel")], ids=str)
def test_a_knob_that_changes_nothing_is_reported(knobs: Knobs) -> None:
    task = resolve_task("add_row_bias")  # rows are cut one by one: there is no least share
    plan = FREE.plan(task.model_copy(update={"knobs": knobs}), None, 0).plan
    plain = FREE.plan(task, None, 0).plan
    assert plan is not None and plain is not None
    assert plan.dsl == plain.dsl
    assert plan.risks == (*plain.risks, f"Asked for without effect on this program: {knobs}.")


def test_the_plan_has_as_many_cores_as_were_asked_for() -> None:
    task = resolve_task("relu")
    plan = FREE.plan(task.model_copy(update={"knobs": Knobs(cores=20)}), None, 0).plan
    assert plan is not None and plan.tiling is not None and plan.tiling.block_dim == 20


def test_cores_that_the_work_would_not_fill_get_smaller_shares() -> None:
    task = resolve_task("relu", case_ids=("tiny",))
    plain, asked = (
        FREE.plan(task.model_copy(update={"knobs": k}), None, 0).plan for k in (None, Knobs(cores=8))
    )
    assert plain is not None and plain.tiling is not None and plain.tiling.block_dim == 1
    assert asked is not None and asked.tiling is not None and asked.tiling.block_dim >= 1


def test_knobs_reach_a_models_prompt() -> None:
    from akgen.agents.prompts.builder import task_text

    task = resolve_task("relu").model_copy(update={"knobs": Knobs(cores=20, buffers=1)})
    assert "at most 20 cores, 1 buffers" in task_text(task, None)
