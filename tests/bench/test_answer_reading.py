"""Answers as models write them are read as text: fences, thoughts, constants that are put together, folders of runs."""

import json
from pathlib import Path

import pytest

from akgen.bench.answers.reading import AnswerRefused, read_answer
from akgen.bench.mkb import discovery
from akgen.bench.mkb.detector import detect
from akgen.bench.sources import AnswerFolder
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Task

HERE = Path(__file__).parent
SIX = (HERE / "six_strings.py").read_text()
DIRECT = {
    "name": "shift", "author": "somebody", "problem": "shift", "format_version": "0.1",
    "entry": {"model": "ModelNew.py::ModelNew"}, "build": {"type": "ascendc_direct_launch"},
    "sources": [
        {"path": "ModelNew.py", "content": "class ModelNew: ..."},
        {"path": "./kernel/shift.cpp", "content": "// 10_relu_custom 10ReluCustom"},
        {"path": "README.md", "content": "words"},
    ],
}  # fmt: skip


def task(name: str = "shift") -> Task:
    return discovery.describe(Path(f"/checkout/reference/activation/{name}.py"))


def test_six_strings_become_a_project_of_their_names() -> None:
    project = read_answer(SIX, task())
    assert sorted(project.files) == [
        "model/model_new.py", "model/op.cpp", "op_host/shift_custom.cpp", "op_host/shift_custom_tiling.h",
        "op_kernel/shift_custom.cpp",
    ]  # fmt: skip
    assert (project.op_type, project.kernel) == ("ShiftCustom", "shift_custom")
    assert project.model == "model/model_new.py::ModelNew"
    assert "SetBlockDim(8)" in project.files["op_host/shift_custom.cpp"]


@pytest.mark.parametrize("fence", ["```python\n{}\n```", "```\n{}```", "~~~py\n{}\n~~~", "{}"])
@pytest.mark.parametrize(
    "around", ["{}", "<think>First ```python\nx = 1\n``` no.</think>\nHere it is:\n\n{}\n\nDone."]
)
def test_the_words_of_a_reply_are_left_out(fence: str, around: str) -> None:
    if fence == "{}" and around != "{}":
        return  # words around code without a fence are no Python
    for text in (SIX, json.dumps(DIRECT)):
        assert read_answer(around.format(fence.format(text)), task()).model is not None


def test_json_after_words_without_a_fence_is_found() -> None:
    assert read_answer("Here it is: " + json.dumps(DIRECT), task()).model == "model/ModelNew.py::ModelNew"


def test_direct_launch_keeps_its_sources_where_they_lie() -> None:
    project = read_answer(json.dumps(DIRECT), task())
    assert sorted(project.files) == ["model/ModelNew.py", "model/kernel/shift.cpp"]


def test_a_name_that_begins_with_a_digit_becomes_one_that_languages_have() -> None:
    project = read_answer(json.dumps(DIRECT), task("10_relu"))
    assert project.files["model/kernel/shift.cpp"] == "// op_10_relu_custom Op10ReluCustom"
    assert project.kernel == "op_10_relu_custom"
    six = SIX.replace("shift_custom", "10_relu_custom").replace("ShiftCustom", "10ReluCustom")
    found = read_answer(six.replace("custom_ops_lib.10", "custom_ops_lib.op_10"), task("10_relu"))
    assert (found.op_type, found.kernel) == ("Op10ReluCustom", "op_10_relu_custom")
    assert '"op_10_relu_custom_tiling.h"' in found.files["op_host/op_10_relu_custom.cpp"]
    assert "custom_ops_lib.op_10_relu_custom" in found.files["model/model_new.py"]


FOLDED = {
    "'a' 'b'": "ab",
    "'a' + 'b'": "ab",
    "f'{A}b{N}'": "xb3",
    "A + 'y'": "xy",
    "'@'.replace('@', A)": "x",
    "' a '.strip()": "a",
    "'-'.join(['a', A])": "a-x",
    "'ab' * 2": "abab",
    "textwrap.dedent('  a')": "a",
    "('a'\n 'b')": "ab",
}
REFUSED = [
    "open('f').read()",
    "f'{A:>3}'",
    "'%s' % A",
    "B",
    "A[0]",
    "make()",
    "3",
    "A if A else 'b'",
    "'a'.encode()",
]


@pytest.mark.parametrize("code", FOLDED)
def test_what_is_constant_is_folded(code: str) -> None:
    project = read_answer(f"A = 'x'\nN = 3\n{SIX}\nmodel_src = {code}\n", task())
    assert project.files["model/model_new.py"] == FOLDED[code]


@pytest.mark.parametrize("code", REFUSED)
def test_what_only_running_would_tell_is_refused_in_a_sentence(code: str) -> None:
    with pytest.raises(AnswerRefused, match="model_src is"):
        read_answer(f"A = 'x'\n{SIX}\nmodel_src = {code}\n", task())


def test_a_string_that_grows_is_followed_and_one_set_in_a_loop_is_not() -> None:
    grown = read_answer(f"{SIX}\nmodel_src += '# end'\n", task())
    assert grown.files["model/model_new.py"].endswith("# end")
    with pytest.raises(AnswerRefused, match="set inside a for"):
        read_answer(f"{SIX}\nfor i in range(2):\n    model_src += 'x'\n", task())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I cannot do that.", "no valid Python"),
        ("kernel_src = 'x'", "does not define project_json_src"),
        ('{"sources": []}', "no list `sources`"),
        ('{"sources": [{"path": "a.cpp", "content": "int x;"}]}', "defines a class ModelNew"),
        ('{"entry": {"model": "M.py::A"}, "sources": [{"path": "a.py", "content": ""}]}', "none of the sources"),
        ('{"sources": [1]}', "lacks its path"),
        ('{"sources": [{"path": "a"', "is no JSON"),
        (SIX.replace('"op": ', '"operator": '), "names no operator"),
        (SIX.replace("__global__", ""), "no kernel entry"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(AnswerRefused, match=why):
        read_answer(text, task())


def test_an_answer_is_never_executed(tmp_path: Path) -> None:
    flag = tmp_path / "ran"
    read_answer(f"open({str(flag)!r}, 'w')\n{SIX}", task())
    assert not flag.exists()


def test_the_folder_that_the_benchmark_writes_is_read_from_anywhere_above_its_runs(tmp_path: Path) -> None:
    runs = tmp_path / "output" / "ascendc" / "add_shot" / "0.0-1.0" / "some-model"
    for k in (0, 1):
        (runs / f"run{k}").mkdir(parents=True)
        (runs / f"run{k}" / "shift.txt").write_text(f"```python\n{SIX}\nmodel_src = 'run {k}'\n```")
        (runs / f"run{k}" / "shift_cot.txt").write_text("thoughts")
    for root in (tmp_path, runs, runs / "run1"):
        found = AnswerFolder(root).project(task(), 1)
        assert found is not None and found.files["model/model_new.py"] == "run 1"
    assert (
        AnswerFolder(runs).project(task(), 2) is None and AnswerFolder(runs).project(task("elu"), 0) is None
    )
    (runs.parent / "other" / "run0").mkdir(parents=True)
    (runs.parent / "other" / "run0" / "shift.txt").write_text(SIX)
    with pytest.raises(InputError, match="several models"):
        AnswerFolder(tmp_path)


@pytest.mark.parametrize("place", ["shift.txt", "shift.py", "shift.json", "shift/0.txt", "shift/sample0.md"])
def test_plainer_folders_are_read_too(tmp_path: Path, place: str) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text(json.dumps(DIRECT) if place.endswith("json") else SIX)
    assert AnswerFolder(tmp_path).project(task(), 0) is not None


def test_a_folder_of_msopgen_with_a_class_and_its_binding_is_one_answer(tmp_path: Path) -> None:
    project = read_answer(SIX, task())
    for path, text in project.files.items():
        made = path.replace("op_", "ShiftCustom/op_", 1).replace("model/op.cpp", "CppExtension/csrc/op.cpp")
        target = tmp_path / "shift" / made
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    found = AnswerFolder(tmp_path).project(task(), 0)
    assert found is not None and found.kernel == "shift_custom" and found.op_type == "ShiftCustom"
    assert found.model == "model/model/model_new.py::ModelNew"
    assert "model/CppExtension/csrc/op.cpp" in found.files and "op_host/shift_custom.cpp" in found.files


def test_the_benchmarks_detector_reads_what_forward_reaches() -> None:
    imports = "import torch\nimport own\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    head = f"{imports}class ModelNew(nn.Module):\n"
    made = "    def __init__(self):\n        self.a = nn.Sequential(nn.Linear(2, 2))\n        self.b = nn.Identity()\n"
    flagged = {
        "x + 1": "operator +", "torch.relu(x)": "torch.relu", "F.gelu(x)": "F.gelu", "x.softmax(-1)": "softmax",
        "self.a(x)": "nn.Linear", "self.other(x)": "operator @",
    }  # fmt: skip
    other = "    def other(self, x):\n        return x @ x\n"
    for code, what in flagged.items():
        found = detect(f"{head}{made}    def forward(self, x):\n        return {code}\n{other}")
        assert len(found) == 1 and what in found[0], (code, found)
    for code in ("own.relu(x)", "torch.empty_like(x)", "self.b(x)", "x.view(-1)", "torch.zeros(3)"):
        assert detect(f"{head}{made}    def forward(self, x):\n        return {code}\n{other}") == ()
    assert detect("class ModelNew: ...") == () and detect("def (") == ()
