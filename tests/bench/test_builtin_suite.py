"""The built-in suite is complete, runs, and says what it needs to."""

import math
from pathlib import Path

import pytest

from akgen.bench import builtin
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Task
from akgen.tools.judge.certificate import certify, task_digest
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.module_loader import load
from akgen.tools.reference.protocol import Sample
from tests.sampled import sampled

TASKS = [builtin.describe(builtin.TASKS / name) for name in builtin.names()]
CATEGORIES = {
    "elementwise", "activation", "comparison", "cast", "broadcast", "reduction", "softmax", "normalization", "loss",
    "optimizer", "pooling", "resize", "scan", "index", "sort", "matmul", "convolution", "attention", "quantisation",
    "foreach", "layout", "mhc",
}  # fmt: skip
LARGEST_BYTES = 4_500_000


def _name(task: Task) -> str:
    return task.name


def test_the_suite_covers_its_categories_in_three_levels() -> None:
    assert len(TASKS) >= 200
    assert {t.category for t in TASKS} == CATEGORIES
    assert {t.level for t in TASKS} == {1, 2, 3}


@pytest.fixture(scope="module", params=sampled(TASKS, 5), ids=_name)
def task(request: pytest.FixtureRequest) -> Task:
    described: Task = request.param
    return described


@pytest.fixture(scope="module")
def samples(task: Task) -> list[Sample]:
    """Run the reference once on each case of the task; the tests of one task follow each other."""
    return [load(task.reference, case).sample(1, "task") for case in task.cases]


def test_a_task_has_several_cases_and_a_tolerance_for_each_floating_dtype(
    task: Task, samples: list[Sample]
) -> None:
    assert len({c.id for c in task.cases}) == len(task.cases) >= 4
    named = {t.dtype for t in task.tolerances}
    returned = [t for sample in samples for t in sample.returned if hasattr(t, "dtype")]
    dtypes = {DType(str(t.dtype).removeprefix("torch.")) for t in returned}
    assert all(d in named for d in dtypes if d.is_float)


def test_cases_differ_in_size_and_raggedness(task: Task, samples: list[Sample]) -> None:
    shapes = [c.params["shape"] for c in task.cases]
    assert all(isinstance(s, list) for s in shapes)
    lasts = [s[-1] for s in shapes if isinstance(s, list)]
    assert any(int(n) % 16 for n in lasts), "no length that ends inside a block"
    volumes = [_volume(sample) for sample in samples]
    assert min(volumes) < 1000
    assert max(volumes) < LARGEST_BYTES


def test_every_case_gives_finite_values_on_its_own_inputs(task: Task, samples: list[Sample]) -> None:
    for case, sample in zip(task.cases, samples, strict=True):
        values = [value for value in sample.returned if hasattr(value, "isfinite")]
        assert values, case.id
        assert all(value.isfinite().all() for value in values), case.id


def _volume(sample: Sample) -> int:
    tensors = [t for t in (*sample.inputs, *sample.returned) if hasattr(t, "numel")]
    return sum(t.numel() * t.element_size() for t in tensors)


def test_the_certificate_belongs_to_the_task_as_it_stands(task: Task) -> None:
    assert task.certificate is not None, "run python -m akgen.bench.certify"
    assert task.certificate.digest == task_digest(task)
    assert set(task.certificate.rejected) >= {"zeros", "ones", "input_copy", "mean"}


def test_degenerate_answers_still_fail_on_the_small_cases(task: Task, reference: ReferenceWorker) -> None:
    small = sorted(task.cases, key=lambda c: math.prod(c.params["shape"]))[:2]  # type: ignore[arg-type]
    assert certify(task.model_copy(update={"cases": tuple(small)}), reference).rejected


def test_a_task_that_zeros_pass_gets_no_certificate(tmp_path: Path, reference: ReferenceWorker) -> None:
    source = builtin.TASKS / "relu"
    folder = tmp_path / "never_positive"
    folder.mkdir()
    (folder / "task.json").write_text((source / "task.json").read_text())
    text = (source / "reference.py").read_text()
    (folder / "reference.py").write_text(text.replace("torch.relu(x)", "torch.relu(-x.abs())"))
    with pytest.raises(InputError, match="'zeros' passes"):
        certify(builtin.describe(folder), reference)
