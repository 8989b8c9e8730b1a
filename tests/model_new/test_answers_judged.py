"""Answers with a class, through the whole judge: in the sandbox, on hidden inputs, bindings as they stand."""

from pathlib import Path

import pytest

from akgen.bench.answers.reading import read_answer
from akgen.bench.resolve import resolve_task
from akgen.bench.sources import AnswerFolder
from akgen.tools.core.outcome import Outcome
from akgen.tools.judge.judge import Judge
from tests.model_new.classes import HEAD, forward
from tests.model_new.conftest import answer

SIX = Path(__file__).parents[1] / "bench" / "six_strings.py"
LINEAR = """
import torch

class Model(torch.nn.Module):
    def __init__(self, width, factor=1.0):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.randn(width))
        self.factor = factor

    def forward(self, x, y, twice):
        return [torch.relu(x + y) * self.factor, x + self.bias.expand_as(x) if twice else x]

def get_inputs():
    return [torch.randn(5, 40), torch.randn(5, 40), True]

def get_init_inputs():
    return [40, 2.0]
"""
CLASS = """
class ModelNew(nn.Module):
    def __init__(self, width, factor=1.0):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(width))
        self.factor = factor

    def forward(self, x, y, twice):
        assert twice is True
        return own_ops.relu(own_ops.add(x, y), self.factor), own_ops.add(x, self.shift.expand_as(x).contiguous())
"""


def test_a_class_that_launches_its_kernels_is_correct(judge: Judge, tmp_path: Path) -> None:
    task = resolve_task(str(Path(__file__).parent / "relu.py"))
    verdict = judge.judge(answer(), task, work=tmp_path, seed=1)
    assert verdict.outcome == Outcome.CORRECT, verdict.why()
    assert (verdict.cases[0].time_us or 0) > 0 and verdict.diagnostics == ()
    copying = answer(HEAD + forward("return own_ops.relu(x.clone())"))
    other = judge.judge(copying, task, work=tmp_path / "copying", seed=1)
    assert other.outcome == Outcome.CORRECT, other.why()
    assert (other.cases[0].time_us or 0) > (verdict.cases[0].time_us or 0) + 2  # what a launch takes to begin


@pytest.mark.slow
def test_arguments_attributes_and_parameters_reach_the_class(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "linear.py").write_text(LINEAR)
    task = resolve_task(str(tmp_path / "linear.py"))
    verdict = judge.judge(answer(HEAD + CLASS), task, work=tmp_path / "work", seed=1)
    assert verdict.outcome == Outcome.CORRECT, verdict.why()


FAILURES = [
    (forward("import os", "os._exit(0)"), Outcome.TILING_ERROR, "HOST_CRASH"),
    (
        forward("import os, sys", "sys.stderr.write(\"No module named 'torch'\")", "os._exit(1)"),
        Outcome.TILING_ERROR,
        "HOST_CRASH",
    ),
    (forward("return own_ops.relu(x, 2.0)"), Outcome.WRONG, "OUTPUT_MISMATCH"),
    (forward("return own_ops.nothing(x)"), Outcome.TILING_ERROR, "MODEL_CLASS"),
    (forward("return own_ops.relu(x), x"), Outcome.TILING_ERROR, "MODEL_CLASS"),
    (forward("return own_ops.relu(x).view(-1)"), Outcome.WRONG, "OUTPUT_MISMATCH"),
    (
        forward("import socket", "socket.socket()", "return own_ops.relu(x)"),
        Outcome.CHEAT,
        "SANDBOX_SYSCALL",
    ),
]


@pytest.mark.parametrize(
    ("model", "outcome", "code"),
    [
        (forward("return torch.relu(x)"), Outcome.CHEAT, "DELEGATED"),
        (forward("y = x.clone()", "own_ops.add(y, y)", "return y"), Outcome.CHEAT, "DELEGATED"),
        (
            forward("y = x.t().contiguous()", "own_ops.relu_(y[:1, :4])", "return y.t()"),
            Outcome.CHEAT,
            "DELEGATED",
        ),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in FAILURES),
    ],
)
def test_each_way_to_fail_has_its_outcome_and_its_place(
    judge: Judge, tmp_path: Path, model: str, outcome: Outcome, code: str
) -> None:
    task = resolve_task(str(Path(__file__).parent / "relu.py"))
    verdict = judge.judge(answer(HEAD + model), task, work=tmp_path, seed=1)
    found = [*verdict.diagnostics, *(d for c in verdict.cases for d in c.diagnostics)]
    assert (verdict.outcome, [d.code for d in found][:1]) == (outcome, [code]), verdict.why()
    if code == "DELEGATED":
        assert found[0].file == "model/ModelNew.py"
        assert (found[0].line == 12 and "aten::relu" in found[0].text) or "none of its kernels" in found[
            0
        ].text


@pytest.mark.slow
def test_a_parameter_that_the_class_lacks_is_told_beside_the_verdict(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "linear.py").write_text(LINEAR)
    task = resolve_task(str(tmp_path / "linear.py"))
    lacking = CLASS.replace("torch.randn(width)", "torch.randn(1, width)")
    verdict = judge.judge(answer(HEAD + lacking), task, work=tmp_path / "work", seed=1)
    assert verdict.outcome == Outcome.WRONG and [d.code for d in verdict.diagnostics] == ["MODEL_STATE"]


@pytest.mark.slow
def test_a_binding_that_does_not_compile_names_its_line(judge: Judge, tmp_path: Path) -> None:
    task = resolve_task(str(Path(__file__).parent / "relu.py"))
    project = answer()
    files = {**project.files, "model/kernel/pybind11.cpp": "#include <torch/extension.h>\nint x = nothing;\n"
             "PYBIND11_MODULE(own_ops, m) {}\n"}  # fmt: skip
    verdict = judge.judge(project.model_copy(update={"files": files}), task, work=tmp_path, seed=1)
    assert verdict.outcome == Outcome.COMPILE_ERROR
    found = verdict.diagnostics[0]
    assert (found.code, found.file, found.line) == ("BINDING_BUILD", "model/kernel/pybind11.cpp", 2)


@pytest.mark.slow
def test_six_strings_and_the_same_as_a_folder_are_judged_with_their_own_binding(
    judge: Judge, tmp_path: Path
) -> None:
    (tmp_path / "shift.py").write_text(
        "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x + 1.5\n\n"
        "def get_inputs():\n    return [torch.randn(3, 700)]\n\ndef get_init_inputs():\n    return []\n"
    )
    task = resolve_task(str(tmp_path / "shift.py"))
    project = read_answer(SIX.read_text(), task)
    verdict = judge.judge(project, task, work=tmp_path / "work", seed=1)
    assert verdict.outcome == Outcome.CORRECT, verdict.why()
    for path, text in project.files.items():
        file = tmp_path / "answers" / task.name / path.replace("op_", "ShiftCustom/op_")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    of_msopgen = AnswerFolder(tmp_path / "answers").project(task, 0)
    assert of_msopgen is not None and of_msopgen.model is not None
    verdict = judge.judge(of_msopgen, task, work=tmp_path / "folder", seed=1)
    assert verdict.outcome == Outcome.CORRECT, verdict.why()
    files = {
        path: text if path == "model/op.cpp" else text.replace("ShiftCustom", "OtherCustom")
        for path, text in project.files.items()
    }
    other = project.model_copy(update={"files": files, "op_type": "OtherCustom"})
    verdict = judge.judge(other, task, work=tmp_path / "other", seed=1)
    assert verdict.outcome == Outcome.CHEAT and "aclnnShiftCustom" in verdict.why()
