"""Candidates that are planned side by side get the plans that they would get one after the other."""

from concurrent.futures import ThreadPoolExecutor

from akgen.agents.composer.model_free import ModelFree
from akgen.bench.resolve import resolve_task


def test_threads_plan_as_one_would() -> None:
    task = resolve_task("abs_value")
    alone = ModelFree().plan(task, None, 0).plan
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: ModelFree().plan(task, None, 0).plan, range(4)))
    assert alone is not None
    assert together == [alone] * 4
