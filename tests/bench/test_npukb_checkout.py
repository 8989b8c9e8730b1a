"""The adapter on a real checkout of NPUKernelBench, given by AKGEN_NPUKB_ROOT."""

import os
from pathlib import Path

import pytest

from akgen.bench.npukb.discovery import describe, find_tasks
from akgen.bench.npukb.loader import load
from akgen.bench.npukb.sizes import sized
from akgen.bench.sources import Answers
from akgen.tools.core.dtypes import DType

ROOT = os.environ.get("AKGEN_NPUKB_ROOT")
pytestmark = [
    pytest.mark.npukb,
    pytest.mark.skipif(ROOT is None, reason="AKGEN_NPUKB_ROOT is not set: no checkout of NPUKernelBench"),
]
FOLDERS = find_tasks(Path(ROOT)) if ROOT else ()


def test_the_checkout_is_whole() -> None:
    assert len(FOLDERS) == 157
    assert (
        sum(len(describe(f).cases) for f in FOLDERS) == 1804
    )  # three of 1807 have a dtype that no OpDef takes


def test_answers_bring_host_and_kernel_without_their_entry_points() -> None:
    answers = [Answers().project(describe(f), 0) for f in FOLDERS]
    found = [a for a in answers if a is not None]
    assert len(found) == 153
    for project in found:
        assert project.kernel_file in project.files
        assert project.host_files
        assert not any(
            "opdev/" in text for path, text in project.files.items() if path.startswith("op_host/")
        )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_the_smallest_case_binds_and_the_reference_passes_its_own_check(folder: Path) -> None:
    task = sized(describe(folder))
    case = min(task.cases, key=lambda c: c.size_bytes or 0)
    loaded = load(task.reference, case)
    sample = loaded.sample(1, "task")
    spec = loaded.declared.spec
    assert len(loaded.binding.inputs) == len(spec.inputs)
    assert len(loaded.binding.aliases) >= len(spec.outputs)
    outputs = [
        _as(value, dtype) for value, dtype in zip(sample.returned, loaded.binding.output_dtypes, strict=True)
    ]
    if all(want is None for want in sample.expected):
        pytest.skip("the binding derives what it returns; only its own check can compare")
    assert loaded.check(sample, outputs) is None


def test_an_axis_that_the_entry_point_swaps_is_last_for_the_kernel_and_back_in_its_place_after_it() -> None:
    task = describe(next(f for f in FOLDERS if f.name == "TopKV3"))
    loaded = load(task.reference, next(c for c in task.cases if c.id == "2"))  # the axis is the first of two
    sample = loaded.sample(1, "task")
    assert {a.name: a.value for a in loaded.binding.attrs}["dim"] == -1
    assert sample.inputs[0].shape == (128, 64)
    assert [tuple(t.shape) for t in sample.expected] == [(128, 4), (128, 4)]
    assert loaded.check(sample, sample.expected) is None


def _as(value, dtype: DType):  # type: ignore[no-untyped-def]
    import torch

    cast = getattr(torch, dtype.value)
    return [t.to(cast) for t in value] if isinstance(value, list) else value.to(cast)
