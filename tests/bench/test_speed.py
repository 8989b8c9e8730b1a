"""Figures know their targets; PyTorch's times come from a process of their own."""

import sys
from pathlib import Path

import akgen
from akgen.bench.speed import processor_s
from akgen.bench.speed_parts import Figure, kernels, never_seen
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.worker import Worker


def test_a_ratio_has_an_upper_bound_and_a_rate_a_lower_one() -> None:
    ratio = Figure(name="r", value=0.4, target=0.5, unit="ratio", detail="")
    rate = Figure(name="v", value=900, target=1000, unit="per hour", detail="")
    assert ratio.holds and not ratio.model_copy(update={"value": 0.6}).holds
    assert not rate.holds and rate.model_copy(update={"value": 1000.0}).holds


def test_pytorch_is_timed_in_its_own_process() -> None:
    env = {**MINIMAL_ENV, "PYTHONPATH": str(Path(akgen.__file__).parent.parent), "OMP_NUM_THREADS": "1"}
    argv = [sys.executable, "-m", "akgen.tools.reference.baseline"]
    with Worker(argv, cwd=Path("/"), env=env) as worker:
        small, large = (
            min(worker.request({"op": op, "shape": [rows, 512]}, 60.0)["seconds"] for _ in range(3))
            for op, rows in (("rms_norm", 4), ("softmax", 4000))
        )
    assert 0 < small < large


def test_a_project_that_no_cache_has_seen_differs_in_a_comment_only() -> None:
    _, project = next(kernels(None))
    first, second = never_seen(project), never_seen(project)
    assert first.files != second.files
    for path, text in project.files.items():
        assert first.files[path].startswith(text) and "\n//" in first.files[path].removeprefix(text)


def test_processor_time_grows_with_the_work_of_this_process() -> None:
    before = processor_s()
    assert sum(i * i for i in range(2_000_000)) > 0 and processor_s() > before
