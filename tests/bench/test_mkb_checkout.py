"""The adapter on a real checkout of MultiKernelBench, given by AKGEN_MKB_ROOT."""

import os
from pathlib import Path

import pytest

from akgen.bench.mkb import discovery, loader
from akgen.bench.mkb.sizes import sized
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Mode

ROOT = os.environ.get("AKGEN_MKB_ROOT")
pytestmark = [
    pytest.mark.mkb,
    pytest.mark.slow,
    pytest.mark.skipif(ROOT is None, reason="AKGEN_MKB_ROOT is not set: no checkout of MultiKernelBench"),
]


def test_every_reference_loads_and_gives_a_sample() -> None:
    files = discovery.find_tasks(Path(ROOT or ""))
    assert len(files) == 401
    failed = {}
    for path in files:
        task = sized(discovery.describe(path, Mode.STATIC))
        try:
            loader.load(task.reference, task.cases[0]).sample(1, "task")
        except InputError as e:
            failed[path.stem] = e.text
    assert {why for why in failed.values() if "einops" not in why} == set()
