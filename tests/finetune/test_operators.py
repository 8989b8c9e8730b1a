"""Drawn operators are different, sound and reproducible, and the composer's kernels for them are PyTorch's."""

import json
import random
import re
from itertools import islice
from pathlib import Path

import pytest
import torch

from akgen.bench import builtin
from akgen.finetune.operators.families import FAMILIES
from akgen.finetune.operators.sketch import LANGUAGES, REACH, Operation, Sketch, operations
from akgen.finetune.operators.tasks import Operator, drawn, write
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.program import compose
from akgen.tools.core.outcome import InputError
from akgen.tools.dsl.parse import parse
from akgen.tools.reference.module_loader import load
from tests.command import command
from tests.sampled import sampled

MANY = tuple(drawn(7, 150))
CONVERTED = ("float32", "float16", "bfloat16", "int32", "int8")  # by a reference's last line


def _sketch() -> Sketch:
    return Sketch(random.Random(0))


def _operation(code: str, **more: object) -> Operation:
    return Operation.model_validate({"name": "n", "code": code, "en": "{a}", "zh": "{a}", **more})


def test_every_family_and_difficulty_is_drawn_and_no_operator_twice() -> None:
    assert {(o.family, o.difficulty) for o in MANY} == {(f, d) for f in FAMILIES for d in (1, 2, 3)}
    assert len({o.digest for o in MANY}) == len({o.name for o in MANY}) == len(MANY)


def test_a_larger_folder_of_the_same_seed_begins_with_the_smaller_one() -> None:
    assert tuple(islice(drawn(7, 500), 30)) == MANY[:30]
    assert {o.digest for o in drawn(8, 30)} != {o.digest for o in MANY[:30]}


def test_a_family_that_is_exhausted_ends() -> None:
    assert 3 <= len(list(drawn(0, 50, ["scan"]))) <= 50
    with pytest.raises(InputError, match="no family 'pool'"):
        list(drawn(0, 1, ["pool"]))


@pytest.mark.parametrize("operator", MANY[:60], ids=lambda o: o.name)
def test_a_reference_gives_finite_numbers_in_its_dtypes(operator: Operator, tmp_path: Path) -> None:
    task = builtin.describe(write(operator, tmp_path))
    for case in task.cases:
        sample = load(task.reference, case).sample(3, "task")
        assert all(t.isfinite().all() for t in sample.returned), case
        converted = [name for name in CONVERTED if f"torch.{name})" in operator.reference]
        assert str(sample.returned[0].dtype) == f"torch.{(converted or [case.params['dtype']])[0]}"


@pytest.mark.parametrize("operator", sampled(MANY[:18], 3), ids=lambda o: o.name)
def test_the_composer_serves_all_cases(operator: Operator, tmp_path: Path) -> None:
    task = builtin.describe(write(operator, tmp_path))
    traces = [trace(load(task.reference, case)) for case in task.cases]
    composition = compose(task.op_type, task.kernel, traces, task.description)
    assert parse(composition.dsl) == composition.program


def test_descriptions_name_every_step_and_input_in_both_languages() -> None:
    for operator in MANY:
        inputs = operator.reference.split("forward(self, ")[1].split(")")[0]
        names = [part.split(":")[0] for part in inputs.split(", ")]
        for language in LANGUAGES:
            assert all(name in operator.said[language] for name in names), operator.name
            assert "{" not in operator.said[language]


@pytest.mark.parametrize(
    "code", ["{a} * 0.0", "torch.exp(torch.exp({a}))", "torch.log({a})", "{a} * 1.0", "1.0 / {a}", "{a} - {a}"]
)  # fmt: skip
def test_a_line_that_is_constant_infinite_or_nothing_new_is_not_taken(code: str) -> None:
    sketch = _sketch()
    assert sketch.apply(_operation(code), a=sketch.input("full")) is None
    assert sketch.steps == []


def test_a_jump_is_taken_where_rounding_cannot_decide_it_only() -> None:
    sketch = _sketch()
    jump = _operation("torch.where({a} > 0.5, {a}, 0.0)", jumps="a")
    x = sketch.input("full")
    assert sketch.apply(jump, a=x) is not None
    computed = sketch.apply(_operation("{a} * 0.3"), a=x)
    assert computed is not None and sketch.apply(jump, a=computed) is None


def test_results_come_in_an_order_that_needs_no_words() -> None:
    several = 0
    for operator in drawn(3, 60, ["varied", "optimizer", "normalisation"]):
        (returned,) = re.findall(r"^        return (t\d.*)$", operator.reference, re.M)
        last, *others = [int(n) for n in re.findall(r"\bt(\d+)", returned)]
        assert others == sorted(others) and last > max(others, default=-1), operator.reference
        several += len(others) > 1
    assert several


def test_what_the_outputs_do_not_need_is_left_out() -> None:
    sketch = _sketch()
    x, y = sketch.input("full"), sketch.input("full")
    used = sketch.apply(_operation("{a} * 2.0"), a=x)
    sketch.apply(_operation("{a} * 3.0"), a=y)
    assert used is not None
    assert sketch.reached((used,)) == ([x], [used])


def test_the_sample_reaches_what_inputs_may_hold() -> None:
    assert _sketch().input("full").now.abs().max() == torch.tensor(REACH)


def test_operations_have_names_of_their_own() -> None:
    names = [
        o.name
        for kind in ("unary", "binary", "reduction", "normalisation", "product", "scan")
        for o in operations(kind)
    ]  # type: ignore[arg-type]
    assert len(set(names)) == len(names)


def test_the_command_writes_a_suite(tmp_path: Path) -> None:
    ended = command("data", "operators", tmp_path / "ops", "--count", "9", "--seed", "7", "--json")
    assert ended.code == 0
    assert ended.document["operators"] == 9
    folders = sorted(p.name for p in (tmp_path / "ops").iterdir())
    assert folders == sorted(o.name for o in MANY[:9])
    told = json.loads((tmp_path / "ops" / folders[0] / "operator.json").read_text())
    assert set(told["said"]) == set(LANGUAGES)
