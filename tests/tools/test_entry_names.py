"""Entry points keep away from the C library's and the vendor's names."""

from pathlib import Path

import pytest

from akgen.bench import builtin
from akgen.bench.resolve import resolve_task
from akgen.tools.core.op_spec import entry_name, taken_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("softmax", "softmax"),
        ("matmul", "matmul_op"),
        ("Exp", "exp_op"),
        ("2nd try", "op_2nd_try"),
        ("int", "int_op"),
    ],
)
def test_a_taken_name_gets_a_suffix(text: str, name: str) -> None:
    assert entry_name(text) == name


def test_no_built_in_task_has_a_taken_name() -> None:
    assert not taken_names() & set(builtin.names())


def test_a_reference_called_like_a_namespace_has_an_operator_and_an_entry_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "matmul.py"
    path.write_text("class Model: ...\ndef get_inputs(): ...\n")
    task = resolve_task(str(path))
    assert (task.op_type, task.kernel, task.name) == ("MatmulOp", "matmul_op", "matmul")
