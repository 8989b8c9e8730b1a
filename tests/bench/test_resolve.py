"""What `akgen solve TASK` may be called with."""

import json
from pathlib import Path

import pytest

from akgen.bench import builtin
from akgen.bench.resolve import resolve_task
from akgen.tools.core.op_spec import camel_case, snake_case
from akgen.tools.core.outcome import InputError

CHECKOUT = Path(__file__).parent / "checkout"
KERNELBENCH = """
\"\"\"Doubles.\"\"\"
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return x + x

def get_inputs():
    return [torch.randn(4, 5)]

def get_init_inputs():
    return []
"""


def test_a_built_in_name() -> None:
    task = resolve_task("softmax_rows")
    assert (task.suite, task.op_type, task.kernel, task.mode) == (
        "builtin",
        "SoftmaxRows",
        "softmax_rows",
        "dynamic",
    )


def test_static_mode_keeps_the_first_case() -> None:
    task = resolve_task("softmax_rows", mode="static")
    assert task.mode == "static"
    assert len(task.cases) == 1


def test_named_cases_are_chosen_from_all_also_in_static_mode() -> None:
    task = resolve_task("softmax_rows", mode="static", case_ids=("bf16",))
    assert [c.id for c in task.cases] == ["bf16"]


def test_a_case_that_does_not_exist_is_refused_with_its_neighbours() -> None:
    with pytest.raises(InputError, match="bf16"):
        resolve_task("softmax_rows", case_ids=("bf61",))


def test_a_benchmark_folder_and_a_name_inside_a_checkout() -> None:
    by_name = resolve_task("BlendAdd", root=CHECKOUT)
    by_path = resolve_task(str(CHECKOUT / "tasks/level1/Math/BlendAdd"))
    assert by_name == by_path
    assert by_name.suite == "npukb"
    assert by_name.cases and all(c.size_bytes for c in by_name.cases)


def test_a_kernelbench_file_is_described_without_being_run(tmp_path: Path) -> None:
    path = tmp_path / "10_double-it.py"
    path.write_text(KERNELBENCH + "\nraise SystemExit('ran')\n")
    task = resolve_task(str(path))
    assert (task.op_type, task.kernel, task.description) == ("Op10DoubleIt", "op_10_double_it", "Doubles.")
    assert [c.id for c in task.cases] == ["0"]


def test_a_task_folder_of_the_users(tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    folder.mkdir()
    spec = {
        "level": 1,
        "category": "elementwise",
        "description": "d",
        "cases": [{"id": "a", "params": {"n": 3}}],
    }
    (folder / "task.json").write_text(json.dumps(spec))
    (folder / "reference.py").write_text(KERNELBENCH)
    task = resolve_task(str(folder))
    assert (task.suite, task.name) == ("file", "twice")
    (folder / "task.json").write_text(json.dumps({**spec, "colour": "red"}))
    with pytest.raises(InputError, match="colour"):
        resolve_task(str(folder))
    (folder / "task.json").write_text(json.dumps({**spec, "cases": []}))
    with pytest.raises(InputError, match="no cases"):
        resolve_task(str(folder))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("softmax_row", "softmax_rows"),
        ("Softmaxrows", "softmax_rows"),
        ("zzzz", "bench list"),
        ("a/b", "does not exist"),
    ],
)
def test_an_unknown_task_is_refused_with_the_nearest_names(text: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        resolve_task(text)


def test_names_of_a_checkout_are_suggested_too() -> None:
    with pytest.raises(InputError, match="BlendAdd"):
        resolve_task("blendadd", root=CHECKOUT)


@pytest.mark.parametrize(
    ("text", "message"),
    [("x = 1\n", "does not define Model and get_inputs"), ("def broken(:\n", "not valid Python")],
)
def test_a_file_that_is_no_task_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "task.py"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        resolve_task(str(path))


def test_a_folder_that_is_no_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a task folder"):
        resolve_task(str(tmp_path))


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        ("AddRmsNormCast", "add_rms_norm_cast"), ("SwiGlu", "swi_glu"), ("LayerNormV4", "layer_norm_v4"),
        ("ApplyAdamWV2", "apply_adam_wv2"), ("TopKV3", "top_kv3"), ("ForeachLog10", "foreach_log10"),
        ("GeGluGradV2", "ge_glu_grad_v2"), ("Snrm2", "snrm2"),
    ],
)  # fmt: skip
def test_kernel_names_follow_the_operator_names(camel: str, snake: str) -> None:
    assert snake_case(camel) == snake


@pytest.mark.parametrize(
    ("text", "camel"),
    [("row softmax-2", "RowSoftmax2"), ("10_relu", "Op10Relu"), ("gelu", "Gelu"), ("--", "Op")],
)
def test_any_text_gives_a_legal_operator_type(text: str, camel: str) -> None:
    assert camel_case(text) == camel


def _built_in_folders() -> list[Path]:
    return sorted(p.parent for p in builtin.TASKS.glob("*/reference.py"))


def test_every_built_in_name_resolves() -> None:
    assert [resolve_task(name).name for name in builtin.names()] == [p.name for p in _built_in_folders()]
