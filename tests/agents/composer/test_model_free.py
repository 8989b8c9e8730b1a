"""The planner and coder: plans that are fit to be read, refusals that name the operation, programs that lower."""

from pathlib import Path

import pytest

from akgen.agents.composer import ModelFree
from akgen.agents.roles import Feedback
from akgen.knowledge.chip import chip
from akgen.tools.compose.middle import phases
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.task import Case, Mode, Reference, Task
from akgen.tools.dsl.parse import parse

LOADER = "akgen.tools.reference.module_loader"
TEMPLATE = """
import torch
import torch.nn.functional as F

class Model(torch.nn.Module):
    def forward(self, {args}):
        return {body}

def get_inputs(params):
    make = lambda *shape: torch.randn(*shape).to(getattr(torch, params.get("dtype", "float32")))
    return [{inputs}]

def get_init_inputs(params):
    return []
"""


def task(
    folder: Path, body: str, inputs: str = "make(*params['shape'])", args: str = "x", **changes: object
) -> Task:
    path = folder / "reference.py"
    path.write_text(TEMPLATE.format(body=body, inputs=inputs, args=args))
    cases = (
        Case(id="small", params={"shape": [3, 33]}),
        Case(id="wide", params={"shape": [64, 1000], "dtype": "float16"}),
    )
    fields = {
        "name": "probe", "suite": "file", "op_type": "Probe", "kernel": "probe", "cases": cases,
        "reference": Reference(loader=LOADER, path=path),
    }  # fmt: skip
    return Task.model_validate({**fields, **changes})


def test_a_plan_says_what_is_computed_how_it_is_cut_and_what_it_costs(tmp_path: Path) -> None:
    planned = ModelFree().plan(task(tmp_path, "torch.softmax(x, -1)"), None, 0)
    plan = planned.plan
    assert plan is not None and plan.tiling is not None and plan.dsl is not None
    assert plan.route == "dsl" and plan.category == "softmax"
    assert "exp(x - max(x, axes [1]))" in plan.thought
    assert f"UB {chip().ub_size} bytes" in plan.thought
    for buffer in plan.tiling.buffers:
        assert f"{buffer.name}: {buffer.copies} x {buffer.size_bytes}" in plan.thought
    assert plan.tiling.split == "rows"
    assert {k.name for k in parse(plan.dsl).kernels} >= {"probe_rows"}


def test_the_project_has_host_tiling_and_kernel(tmp_path: Path) -> None:
    made = ModelFree()
    what = task(tmp_path, "torch.tanh(x)")
    plan = made.plan(what, None, 0).plan
    assert plan is not None
    written = made.write(what, plan, None, None, 0)
    assert written.project is not None
    assert set(written.project.files) == {
        "op_host/probe.cpp",
        "op_host/probe_tiling.h",
        "op_kernel/probe.cpp",
        "op_kernel/tile_ops.h",
    }
    assert "GetCoreNumAiv" in written.project.files["op_host/probe.cpp"]


def test_composing_is_deterministic(tmp_path: Path) -> None:
    what = task(tmp_path, "torch.softmax(x, -1)")
    assert ModelFree().plan(what, None, 0) == ModelFree().plan(what, None, 0)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("torch.special.i0(x)", "aten.i0"),
        ("torch.fft.rfft(x.float()).real", "aten._fft_r2c"),
        ("torch.special.bessel_j0(x.float())", "aten.special_bessel_j0"),
        ("x[x > 0]", "depends on tensor values"),
    ],
)
def test_what_is_not_covered_is_named(tmp_path: Path, body: str, named: str) -> None:
    planned = ModelFree().plan(task(tmp_path, body), None, 0)
    assert planned.plan is None and planned.outcome is Outcome.UNSUPPORTED
    (found,) = planned.diagnostics
    assert found.code == "COMPOSER_SCOPE" and named in found.text and found.remedy


def test_a_search_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phases, "LONGEST_SEARCH", 0.0)
    planned = ModelFree().plan(task(tmp_path, "torch.softmax(x, -1)"), None, 0)
    assert planned.plan is None and planned.outcome is Outcome.UNSUPPORTED
    assert "No plan for the reference's" in planned.diagnostics[0].text


def test_wrong_numbers_make_it_round_the_other_way(tmp_path: Path) -> None:
    made = ModelFree()
    what = task(tmp_path, "torch.exp(x) * 3 + torch.tanh(x)")
    wrong = Feedback(attempt=1, outcome=Outcome.WRONG, text="Output 0 differs.")
    first, second = made.plan(what, None, 0).plan, made.plan(what, wrong, 0).plan
    assert first is not None and second is not None
    assert "round_float16" not in (first.dsl or "") and "round_float16" in (second.dsl or "")


def test_attributes_of_the_reference_become_attributes_of_the_operator(tmp_path: Path) -> None:
    what = task(tmp_path, "x * scale", inputs="make(*params['shape']), 0.75", args="x, scale: float")
    made = ModelFree()
    plan = made.plan(what, None, 0).plan
    assert plan is not None
    written = made.write(what, plan, None, None, 0)
    assert written.project is not None
    assert 'this->Attr("scale")' in written.project.files["op_host/probe.cpp"]


def test_a_static_task_gets_the_kernel_alone_that_its_shape_takes(tmp_path: Path) -> None:
    what = task(tmp_path, "torch.softmax(x, -1)")
    for mode, least, most in ((Mode.STATIC, 1, 1), (Mode.DYNAMIC, 3, 9)):
        plan = ModelFree().plan(what.model_copy(update={"cases": what.cases[:1], "mode": mode}), None, 0).plan
        assert plan is not None and plan.dsl is not None
        assert least <= len(parse(plan.dsl).kernels) <= most
