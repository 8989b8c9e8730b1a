"""The time model against published device timings: every point within its bound, and the stated error up to date."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from akgen.bench.calibration import TARGET, Bench, Compared, runs, summary
from akgen.knowledge import calibration
from akgen.tools.twin.runtime_build import build_runtime
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.store import Store

FOLDER = Path(__file__).parent / "calibration"
POINTS = [run.point for run in runs(FOLDER)]
# What the model does not reach yet: how far off each may be. All others hold the target.
BEYOND = {
    "add_reads_collide": 0.85,
    "add_read_meets_write": 0.66,
    "add_one_block_repeats": 0.58,
    "scalar_sum": 0.92,
    "tiles_one_core_vector": 1.7,
    "tiles_one_core_read": 1.8,
    "tiles_one_core_write": 1.35,
    "tiles_48_cores_vector": 1.7,
    "tiles_48_cores_read": 0.27,
    "tiles_48_cores_write": 2.4,
    "tiles_apart": 0.5,
    "tiles_apart_read": 0.57,
    "tiles_apart_vector": 0.2,
    "copy_unaligned_rows": 0.29,
    "reduce_twice_whole": 1.3,
    "reduce_block_whole": 1.15,
}
NOT_RUN = {  # need the cube side
    "copy_nd2nz",
    "copy_nd2nz_unaligned",
    "matmul_small_steps",
    "matmul_24_cores",
    "matmul_24_cores_cube",
}


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Compared]]:
    settings = TwinSettings(cache=user_cache(os.environ))
    bench = Bench(
        FOLDER,
        build_runtime(settings, print),
        Store(settings.cache / "kernel"),
        tmp_path_factory.mktemp("calibration"),
    )
    yield {c.point.point: c for c in bench.compare()}


@pytest.mark.parametrize("point", POINTS)
def test_a_published_time_is_predicted(compared: dict[str, Compared], point: str) -> None:
    assert compared[point].distance <= BEYOND.get(point, TARGET), compared[point]


def test_the_stated_error_is_up_to_date(compared: dict[str, Compared]) -> None:
    stated, found = calibration.model_error(), summary(compared.values(), None)
    assert found.by_point == pytest.approx(stated.by_point, abs=0.002)
    assert (found.points, found.within_target) == (stated.points, stated.within_target)
    assert (found.median, found.worst) == pytest.approx((stated.median, stated.worst), abs=0.002)
    assert f"{stated.points} published device timings" in stated.sentence


def test_every_published_point_is_run_or_waits(compared: dict[str, Compared]) -> None:
    assert compared.keys() | NOT_RUN == calibration.points().keys()
    assert not compared.keys() & NOT_RUN


def test_the_exceptions_are_still_needed(compared: dict[str, Compared]) -> None:
    assert {p for p, c in compared.items() if c.distance > TARGET} == BEYOND.keys()
