"""Device times refit the time model: what a fit without a task makes of it decides whether anything is written."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from akgen.bench.device_record.archive import read_record
from akgen.bench.device_record.pack import pack
from akgen.bench.device_record.replay import replay
from akgen.bench.device_record.twin_times import twin_times
from akgen.settings import Environment
from akgen.tools.core.outcome import InputError
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.settings import read_fitted
from akgen.tools.twin.toolchain import TwinToolchain
from tests.bench.device_runs import SHAPES, Busy, device_run
from tests.command import Ended, command

# what the "device" is otherwise than today's model: copies take longer to begin, and writes move less a cycle
DEVICE = {"dma_issue_cycles": 60.0, "gm_hit_latency_cycles": 260.0, "mte3_long_bytes_per_cycle_core": 10.0}


@pytest.fixture(scope="module")
def device_times(twin: TwinToolchain, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Busy]:
    """Return what a device with other constants than the model's would measure, a kernel for each shape."""
    folder = tmp_path_factory.mktemp("device")
    run = device_run(folder / "run", {name: {"total": 5.0} for name in SHAPES})
    launches = replay(read_record(pack(run, folder / "r.zip", Environment()).path)).launches
    found: dict[str, Busy] = {}
    with twin_times(twin, launches) as times:
        assert not times.not_ready
        for ready in times.ready:
            told = times.predict(ready, DEVICE)
            assert told is not None
            busy = {p.pipe: p.busy_us for p in told.pipes}
            found[ready.recorded.family] = {"total": told.time_us, **busy}
    return found


def _calibrate(times: Mapping[str, Busy], folder: Path, *more: str) -> Ended:
    run = device_run(folder / "run", times)
    return command("calibrate", "--from-run", run, "--out", folder / "timing.json", "--json", *more)


def test_a_fit_that_helps_unseen_tasks_is_written_and_named(
    device_times: dict[str, Busy], tmp_path: Path
) -> None:
    done = _calibrate(device_times, tmp_path, "--rehearsal")
    assert done.code == 0, done.err
    found = done.document
    assert found["held_out_after"] < 0.7 * found["held_out_before"]
    assert found["constants"]["dma_issue_cycles"] > 24 and found["families"] == sorted(SHAPES)
    table = read_fitted(tmp_path / "timing.json", "Ascend910B2")
    settings = Environment(timing=tmp_path / "timing.json")
    twin = make_twin(settings)
    assert table.name in twin.version() and table.name.startswith("rehearsal-fit-")
    assert twin.model_error is not None and "a rehearsal's" in twin.model_error
    twin.prepare(print)
    assert twin.chip_file != make_twin(Environment()).chip_file
    assert twin.chip_file.read_text().endswith(tuple(f"{value:g}\n" for value in table.constants.values()))


def test_a_fit_that_makes_unseen_tasks_worse_is_not_written(
    device_times: dict[str, Busy], tmp_path: Path
) -> None:
    """Each task says something else, so that two of them mislead about the third."""
    factors = dict(zip(SHAPES, (3.0, 1.0, 0.4), strict=True))
    noise = {name: {p: factors[name] * t for p, t in device_times[name].items()} for name in SHAPES}
    done = _calibrate(noise, tmp_path, "--rehearsal")
    assert done.code == 1 and done.document["written"] is None
    assert done.document["held_out_after"] > done.document["held_out_before"]
    assert not (tmp_path / "timing.json").exists()


@pytest.mark.parametrize(
    ("toolchain", "word"),
    [
        ("cann 8.1.RC1.rehearsal (Ascend910B2)", "fake device"),
        ("twin 0.1.0 (Ascend910B2)", "fitted to itself"),
    ],
)
def test_what_no_device_measured_is_refused(toolchain: str, word: str, tmp_path: Path) -> None:
    run = device_run(tmp_path / "run", {"small_rows": {"total": 5.0}}, toolchain=toolchain)
    packed = pack(run, tmp_path / "r.zip", Environment()).path
    refused = command("calibrate", "--from-run", packed, "--out", tmp_path / "t.json")
    assert refused.code == 2 and word in refused.err and not (tmp_path / "t.json").exists()


def test_two_tasks_are_too_few_to_leave_one_out(device_times: dict[str, Busy], tmp_path: Path) -> None:
    two = {name: device_times[name] for name in ("small_rows", "many_rows")}
    refused = _calibrate(two, tmp_path, "--rehearsal")
    assert refused.code == 2 and "3 tasks at least" in refused.out


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"chip": "Ascend910B1"}, "was fitted for Ascend910B1"),
        ({"constants": {"warp_size": 32.0}}, "no constant 'warp_size'"),
        ({"constants": {"dma_issue_cycles": 1e9}}, "beyond belief"),
        ({"constants": {"dma_issue_cycles": -1.0}}, "greater than 0"),
        ({"format": 2}, "newer"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(change: dict[str, object], word: str, tmp_path: Path) -> None:
    table = {
        "chip": "Ascend910B2", "constants": {"dma_issue_cycles": 25.0}, "points": 3, "families": ["a"],
        "fitted_to": ["r"], "toolchain": "cann 8.1", "rehearsal": False, "held_out_before": 0.2,
        "held_out_after": 0.1,
    }  # fmt: skip
    path = tmp_path / "timing.json"
    path.write_text(json.dumps(table))
    assert read_fitted(path, "Ascend910B2").name.startswith("fit-")
    path.write_text(json.dumps(table | change))
    with pytest.raises(InputError, match=word):
        read_fitted(path, "Ascend910B2")
