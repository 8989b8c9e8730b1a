"""Two cases full of numbers that are equal by chance: the kernels must be right on shapes beside them."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from akgen.agents.composer.model_free import Composed, ModelFree
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.program import Composition
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.dsl import DslError
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from akgen.tools.reference import module_loader
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.drawn_shapes import draw
from tests.sampled import sampled
from tests.tools.compose.composing import array

HEADER = """
import torch
import torch.nn.functional as F
def tensor(params, *shape):
    return torch.randn(shape).to(getattr(torch, params["dtype"]))
class Model(torch.nn.Module):
    def forward(self, {arguments}):
        return {formula}
def get_inputs(params):
    p = params
    return [{inputs}]
"""
IMAGE = "tensor(p, p['n'], p['c'], p['h'], p['w'])"
WEIGHT = IMAGE + ", tensor(p, {}, 3, 3), tensor(p, p['o'])"
IMAGES = ({"n": 2, "c": 4, "o": 6, "h": 8, "w": 8}, {"n": 2, "c": 12, "o": 12, "h": 6, "w": 11})
PLANE = "tensor(p, p['a'], p['b'])"
CUBE = "tensor(p, p['a'], p['k'], p['b'])"
ROWS = ({"a": 4, "b": 8, "k": 4}, {"a": 9, "b": 18, "k": 9})
Operator = tuple[str, str, str, tuple[dict[str, int | float], ...]]
OPERATORS: dict[str, Operator] = {
    "transposed convolution": (
        "x, w, b", "F.conv_transpose2d(x, w, b, stride=2, padding=1)", WEIGHT.format("p['c'], p['o']"), IMAGES
    ),
    "convolution": ("x, w, b", "F.conv2d(x, w, b, padding=1)", WEIGHT.format("p['o'], p['c']"), IMAGES),
    "linear resize": ("x", "F.interpolate(x, scale_factor=2, mode='bilinear')", IMAGE, IMAGES),
    "adaptive pooling": ("x", "F.adaptive_avg_pool2d(x, 2)", IMAGE, IMAGES),
    "attention": (
        "x, y", "torch.softmax(x @ y.transpose(1, 2) / x.shape[-1] ** 0.5, -1) @ y",
        "tensor(p, 2, p['a'], p['b']), tensor(p, 2, p['k'], p['b'])", ROWS,
    ),
    "rotated halves": (
        "x, c", "torch.cat([x[..., : x.shape[-1] // 2] * c, x[..., x.shape[-1] // 2 :] * (1 - c)], -1)",
        "tensor(p, p['k'], p['a'], p['b']), tensor(p, p['a'], p['b'] // 2)", ROWS,
    ),
    "every other row": ("x", "x[:, torch.arange(0, x.shape[1], 2)]", "tensor(p, p['a'], p['b'], p['k'])", ROWS),
    "halves as gate": ("x", "F.glu(x)", PLANE, ROWS),
    "constant like a size": ("x", "(x - x.mean(1, keepdim=True)) * x.shape[0] + 4", CUBE, ROWS),
    "triangle": ("x", "x.tril() @ x.transpose(-1, -2)", PLANE, ROWS),
}  # fmt: skip
NO_RULE = "x * sum(x.shape[0] % k == 0 for k in range(1, x.shape[0] + 1))"  # divisors: 3 of 4 and of 9


def task_of(folder: Path, operator: Operator, dtypes: tuple[str, str]) -> Task:
    arguments, formula, inputs, sizes = operator
    path = folder / "reference.py"
    path.write_text(HEADER.format(arguments=arguments, formula=formula, inputs=inputs))
    params = [{**s, "dtype": dtype} for s, dtype in zip(sizes, dtypes, strict=True)]
    return Task(
        name="t", suite="file", op_type="TestOp", kernel="test_op",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=path),
        cases=tuple(Case(id=str(k), params=p) for k, p in enumerate(params)),
    )  # fmt: skip


def drawn(task: Task, seed: int) -> Case:
    """Return a case as the judge draws it."""
    with ReferenceWorker() as reference:
        found = draw(task, task.cases, partial(reference.describe, task.reference), seed)
    assert found.case is not None
    return found.case


def assert_right(composition: Composition, task: Task, case: Case) -> None:
    loaded = module_loader.load(task.reference, case)
    face, traced = composition.face, trace(loaded)
    sample = loaded.sample(0, "task")
    dtypes = dict(
        zip(face.input_names, (m.dtype for m in traced.inputs if isinstance(m, TensorMeta)), strict=True)
    )
    outputs = [
        TensorMeta(dtype=d, shape=tuple(w.shape))
        for d, w in zip(traced.output_dtypes, sample.returned, strict=True)
    ]
    got = interpret(
        parse(composition.dsl),
        [array(v) for v in sample.inputs],
        dict(zip(face.attr_names, (value for _, value in traced.attrs), strict=True)),
        dtypes=dtypes,
        outputs=outputs,
        core_num=6,
    )
    for mine, want in zip(got, sample.returned, strict=True):
        exact = array(want).astype(np.float64)
        bound = max(1.0, abs(exact).max()) * (1e-4 if want.dtype == torch.float32 else 4e-3)
        np.testing.assert_allclose(np.asarray(mine, np.float64), exact, atol=bound, rtol=0)


@pytest.mark.parametrize("name", sampled(OPERATORS, 3))
def test_what_is_equal_by_chance_in_two_cases_is_no_rule(name: str, tmp_path: Path) -> None:
    task = task_of(tmp_path, OPERATORS[name], ("float32", "float16"))
    composed = ModelFree()._composed(task)
    assert isinstance(composed, Composed), composed
    for case in (*task.cases, drawn(task, 1)):
        assert_right(composed.composition, task, case)


def test_attributes_of_the_same_number_in_every_case_are_told_apart(tmp_path: Path) -> None:
    formula = "x.lerp(y, 1 - decay) / (1 - power) + decay * power"
    inputs = f"{PLANE}, {PLANE}, p['decay'], p['power']"
    same = {"decay": 0.9, "power": 0.9}
    rows = tuple({**r, **same} for r in ROWS)
    task = task_of(tmp_path, ("x, y, decay, power", formula, inputs, rows), ("float32", "float32"))
    composed = ModelFree()._composed(task)
    assert isinstance(composed, Composed), composed
    other = {**task.cases[0].params, "decay": 0.75, "power": 0.5}
    for case in (*task.cases, Case(id="other", params=other)):
        assert_right(composed.composition, task, case)


def test_a_kernel_refuses_sizes_for_which_no_rule_was_found(tmp_path: Path) -> None:
    task = task_of(tmp_path, ("x", NO_RULE, PLANE, ROWS), ("float32", "float32"))
    composed = ModelFree()._composed(task)
    assert isinstance(composed, Composed), composed
    for case in task.cases:
        assert_right(composed.composition, task, case)
    with pytest.raises(DslError, match="not made for"):
        assert_right(composed.composition, task, drawn(task, 0))
