"""A task on which a degenerate answer passes gets no certificate."""

from pathlib import Path

import pytest

from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Reference, Task, Tolerance
from akgen.tools.judge.certificate import ANSWERS, certify, task_digest
from akgen.tools.reference.client import ReferenceWorker


def task(folder: Path, expression: str, inputs: str = "torch.randn(9, 40)", *, loose: bool = False) -> Task:
    path = folder / "reference.py"
    path.write_text(
        "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
        f"        return {expression}\ndef get_inputs():\n    return [{inputs}]\n"
    )
    return Task(
        name="t",
        suite="file",
        op_type="T",
        kernel="t",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=path),
        cases=(Case(id="0"),),
        tolerances=(Tolerance(dtype="float32", atol=10.0, rtol=0.0),) if loose else (),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("expression", "inputs"),
    [
        ("x.exp()", "torch.randn(9, 40)"),
        ("x.relu()", "torch.rand(9, 40)"),  # a copy of these inputs would pass, but not of a verdict's others
        ("x > 0", "torch.randn(9, 40)"),
        ("x.sum()", "torch.randn(9, 40)"),
        ("x.to(torch.float16)", "torch.randn(1)"),
    ],
)
def test_an_honest_task_is_certified(
    reference: ReferenceWorker, tmp_path: Path, expression: str, inputs: str
) -> None:
    honest = task(tmp_path, expression, inputs)
    certificate = certify(honest, reference)
    assert certificate.rejected == ANSWERS
    assert certificate.digest == task_digest(honest)


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("x * 0", "zeros"),
        ("x.exp() * 0 + 1", "ones"),
        ("x + 0", "input_copy 0"),
        ("torch.full_like(x, 3.5)", "mean"),
        ("torch.arange(360.).reshape(9, 40) + 0 * x", "previous"),
    ],
)
def test_a_degenerate_task_is_refused(
    reference: ReferenceWorker, tmp_path: Path, expression: str, answer: str
) -> None:
    with pytest.raises(InputError, match=f"the answer '{answer}' passes"):
        certify(task(tmp_path, expression), reference)


def test_a_tolerance_that_accepts_anything_is_refused(reference: ReferenceWorker, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'zeros' passes"):
        certify(task(tmp_path, "x.tanh()", loose=True), reference)


def test_the_digest_changes_with_the_task(tmp_path: Path) -> None:
    first = task_digest(task(tmp_path, "x.exp()"))
    assert first == task_digest(task(tmp_path, "x.exp()"))
    assert first != task_digest(task(tmp_path, "x.exp()", loose=True))
    assert first != task_digest(task(tmp_path, "x.exp() + 0"))
