"""A task on which a degenerate answer passes gets no certificate."""

from pathlib import Path

import pytest

from akgen.tools.core.dtypes import DType
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
        ("x[:4] + 1", "torch.randn(9, 40)"),  # half of the rows are all that the reference reads
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


def test_half_of_the_elements_is_an_answer(reference: ReferenceWorker, tmp_path: Path) -> None:
    """A literal atol above a mean's size lets nothing pass, since it shrinks; an rtol of one half does not."""
    own = Tolerance(dtype=DType.BFLOAT16, atol=0.1, rtol=0.016)
    asked = task(tmp_path, "x.mean()", "torch.randn(64, 64).bfloat16()").model_copy(
        update={"tolerances": (own,)}
    )
    assert certify(asked, reference).rejected == ANSWERS
    loose = Tolerance(dtype=DType.FLOAT32, atol=0.0, rtol=0.5)
    asked = task(tmp_path, "x.abs().mean()", "torch.randn(64, 64)").model_copy(
        update={"tolerances": (loose,)}
    )
    with pytest.raises(
        InputError, match=r"the answer 'half of axis \d' passes and looks at half of the inputs"
    ):
        certify(asked, reference)


def test_the_digest_changes_with_the_task(tmp_path: Path) -> None:
    first = task_digest(task(tmp_path, "x.exp()"))
    assert first == task_digest(task(tmp_path, "x.exp()"))
    assert first != task_digest(task(tmp_path, "x.exp()", loose=True))
    assert first != task_digest(task(tmp_path, "x.exp() + 0"))


def test_a_refusal_names_task_case_and_answer_and_what_to_do(
    reference: ReferenceWorker, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refused:
        certify(task(tmp_path, "x * 0"), reference)
    assert refused.value.text == "Task t, case 0: the answer 'zeros' passes without computing anything."
    assert refused.value.remedy == "Choose inputs whose outputs vary, or a tighter tolerance."


def with_forward(asked: Task, forward: str, inputs: str) -> Task:
    """Give a task's reference this forward method and these inputs."""
    asked.reference.path.write_text(
        f"import torch\nclass Model(torch.nn.Module):\n    {forward}\ndef get_inputs():\n    return [{inputs}]\n"
    )
    return asked


@pytest.mark.parametrize(
    ("forward", "inputs", "answer"),
    [
        (
            "def forward(self, x, y): return y + 0 * x",
            "torch.randn(9, 40), torch.randn(9, 40)",
            "input_copy 1",
        ),
        (
            "def forward(self, x, y): return y + 0 * x.sum()",
            "torch.randn(3), torch.randn(9, 40)",
            "input_copy 1",
        ),
        (
            "def forward(self, x, y): return x + 0 * y, x * 1",
            "torch.randn(9), torch.randn(9)",
            "input_copy 0",
        ),
        ("def forward(self, x): return (x * 0 + 2, x * 0 + 2)", "torch.randn(9, 40)", "mean"),
    ],
)
def test_an_answer_that_passes_on_every_output_is_found(
    reference: ReferenceWorker, tmp_path: Path, forward: str, inputs: str, answer: str
) -> None:
    with pytest.raises(InputError, match=f"the answer '{answer}' passes"):
        certify(with_forward(task(tmp_path, "x"), forward, inputs), reference)


@pytest.mark.parametrize(
    ("forward", "inputs"),
    [
        ("def forward(self, x): return x + 0, x.exp()", "torch.randn(9, 40)"),  # one output is not enough
        ("def forward(self, x): return x.exp(), x + 0", "torch.randn(9, 40)"),
        ("def forward(self, x): return x.reshape(-1) + 0", "torch.randn(9, 40)"),  # a copy has another shape
        ("def forward(self, x): return x.to(torch.float16) + 0", "torch.randn(9, 40)"),  # or another dtype
    ],
)
def test_an_answer_that_fails_on_one_output_fails(
    reference: ReferenceWorker, tmp_path: Path, forward: str, inputs: str
) -> None:
    assert certify(with_forward(task(tmp_path, "x"), forward, inputs), reference).rejected == ANSWERS


def test_every_case_is_looked_at(reference: ReferenceWorker, tmp_path: Path) -> None:
    asked = with_forward(task(tmp_path, "x"), "def forward(self, x): return x.exp() * (len(x) < 9)", "None")
    asked.reference.path.write_text(
        asked.reference.path.read_text().replace("get_inputs():\n    return [None]", "get_inputs(params):\n"
        "    return [torch.randn(params['n'], 40)]")
    )  # fmt: skip
    cases = tuple(Case(id=f"of {n}", params={"n": n}) for n in (3, 9))
    with pytest.raises(InputError, match="case of 9: the answer 'zeros'"):
        certify(asked.model_copy(update={"cases": cases}), reference)
    assert certify(asked.model_copy(update={"cases": cases[:1]}), reference).rejected == ANSWERS


def test_the_digest_speaks_of_name_cases_tolerances_checker_and_sources_alone(tmp_path: Path) -> None:
    asked = task(tmp_path, "x.exp()")
    changes = ({"name": "u"}, {"cases": (Case(id="1"),)}, {"own_checker": True})
    assert len({task_digest(asked.model_copy(update=change)) for change in ({}, *changes)}) == 4
    assert task_digest(asked.model_copy(update={"op_type": "U", "description": "more"})) == task_digest(asked)


def test_the_digest_of_a_folder_holds_names_and_contents_of_its_python_files(tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "in").mkdir(parents=True)
    (place / "a.py").write_text("1")
    (place / "in" / "b.py").write_text("2")
    asked = task(tmp_path, "x")
    asked = asked.model_copy(update={"reference": asked.reference.model_copy(update={"path": place})})
    seen = [task_digest(asked)]
    (place / "notes.txt").write_text("no source")
    assert task_digest(asked) == seen[0]
    (place / "in" / "b.py").write_text("3")
    seen.append(task_digest(asked))
    (place / "in" / "b.py").rename(place / "in" / "c.py")
    seen.append(task_digest(asked))
    (place / "in" / "c.py").unlink()
    seen.append(task_digest(asked))
    assert len(set(seen)) == 4
