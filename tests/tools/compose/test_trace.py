"""What a trace holds, and what it refuses."""

import sys
from pathlib import Path

import pytest
import torch

from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.front.traced import Origin
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Case, Distribution, Reference
from akgen.tools.reference.module_loader import load
from akgen.tools.reference.protocol import Sample
from tests.tools.compose.composing import Function, Loaded, normal


def test_arguments_and_parameters_become_operator_inputs_in_binding_order() -> None:
    class Affine(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(normal(8))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.weight

    raw = trace(Loaded(Affine(), (normal(4, 8),)))
    origins = [n.origin for n in raw.nodes if n.kind == "input"]
    assert sorted(o.input for o in origins if o is not None) == [0, 1]
    assert [m.shape for m in raw.inputs if not isinstance(m, tuple) and m is not None] == [(4, 8), (8,)]
    assert [n.target for n in raw.nodes if n.kind == "call"] == ["aten.mul.Tensor"]


COUNTING = """
import torch
RUNS = []
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(8))
    def forward(self, x):
        RUNS.append(x.dtype)
        return x * self.weight, x + self.weight
def get_inputs():
    return [torch.randn(4, 8)]
"""


def test_a_trace_makes_no_golden_values(tmp_path: Path) -> None:
    """In float64 with error bounds, these took nine tenths of the time to compose an operator of 134 MB."""
    path = tmp_path / "counting.py"
    path.write_text(COUNTING)
    case = load(Reference(loader="akgen.tools.reference.module_loader", path=path), Case(id="0"))
    runs = sys.modules[type(case.model).__module__].RUNS
    trace(case)
    assert torch.float64 not in runs
    (given, weight) = case.inputs_of(0)
    drawn = case.sample(0, "task").inputs
    assert torch.equal(drawn[0], given) and torch.equal(drawn[1], weight)
    assert torch.float64 in runs


def test_elements_of_a_list_keep_their_positions() -> None:
    raw = trace(Loaded(Function(lambda xs: [x + 1 for x in xs]), ([normal(3), normal(5)],)))
    assert [n.origin for n in raw.nodes if n.kind == "input"] == [
        Origin(input=0, element=0),
        Origin(input=0, element=1),
    ]
    assert [o.element for o in raw.outputs] == [0, 1]


def test_dtypes_of_outputs_are_the_reference_s_own() -> None:
    raw = trace(Loaded(Function(lambda x: (x > 0, x.half())), (normal(7),)))
    assert raw.output_dtypes == (DType.BOOL, DType.FLOAT16)


def test_control_flow_on_values_is_refused_with_a_sentence() -> None:
    def branches(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if bool((x > 0).all()) else x - 1

    with pytest.raises(Unsupported, match="depends on the values of a tensor"):
        trace(Loaded(Function(branches), (normal(7),)))


class Drawn(Loaded):
    """A case whose inputs differ from draw to draw."""

    def sample(self, seed: int, distribution: Distribution) -> Sample:
        drawn = tuple(normal(*a.shape, seed=seed) for a in self.example_args)
        return Loaded(self.model, drawn).sample(seed, distribution)


def test_a_shape_that_depends_on_values_is_refused() -> None:
    with pytest.raises(Unsupported, match="depends on"):
        trace(Drawn(Function(lambda x: x[x > 0]), (normal(7),)))


def test_a_single_number_that_the_reference_branches_on_is_taken_from_the_task() -> None:
    def powered(x: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
        return x * x if order.item() == 2 else x

    raw = trace(Loaded(Function(powered), (normal(7), torch.tensor(2.0))))
    assert raw.fixed == (1,)
    assert [n.target for n in raw.nodes if n.kind == "call"] == ["aten.mul.Tensor"]
