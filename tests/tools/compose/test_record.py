"""What is recorded computes what the reference computes; what needs elements or another tracer is refused."""

import copy
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.utils import _pytree as pytree

from akgen.tools.compose.front.record import CapturedGraph, record
from akgen.tools.compose.front.record_outside import Unrecordable
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.front.traced import RemoteTrace
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.task import Case, Reference
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.program import run
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.module_loader import load
from tests.tools.compose.composing import Function, normal


def computed(capture: CapturedGraph, args: list[Any]) -> list[torch.Tensor]:
    """Run a captured graph on real tensors."""
    values: dict[Any, Any] = {}
    flat = pytree.tree_leaves(args)
    for leaf in capture.leaves:
        values[leaf.name] = flat[leaf.key] if leaf.kind == "arg" and isinstance(leaf.key, int) else leaf.value

    def known(node: torch.fx.Node) -> Any:
        return values[node.name]

    for node in capture.graph.nodes:
        if node.op == "call_function":
            given = torch.fx.node.map_arg((node.args, node.kwargs), known)
            values[node.name] = node.target(*given[0], **given[1])
    return [values[name] for name in capture.returned]


def written_in_place(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] = 1.0
    y[:, 1:].mul_(2)
    return y.add_(3)


def written_through_a_view(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    y.copy_(x)
    y.view(-1)[2:5].zero_()
    return y


def written_to_the_input(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


def constants(x: torch.Tensor) -> torch.Tensor:
    scale = torch.tensor([2.0, 0.5], device=x.device, dtype=x.dtype)
    return x * scale[1] * float(scale.sum().item()) + torch.tensor(3)


def shapes(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    mask = torch.tril(torch.ones(rows, columns, dtype=torch.bool, device=x.device))
    weights = torch.arange(columns, device=x.device, dtype=x.dtype) / x.numel()
    return x.masked_fill(mask, float("-inf")).softmax(-1).nan_to_num() @ weights.unsqueeze(-1)


def lists(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    first, *others = x.split(2, dim=1)
    best = torch.max(x, dim=1)
    return first + 1, *others, best.values, best.indices, x


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "in place": written_in_place,
    "through a view": written_through_a_view,
    "to the input": written_to_the_input,
    "constants": constants,
    "shapes": shapes,
    "lists": lists,
    "log-sum-exp": lambda x: torch.logsumexp(x, -1),
    "cross entropy": lambda x: F.cross_entropy(x, torch.arange(x.shape[0]) % x.shape[1]),
    "bce with logits": lambda x: F.binary_cross_entropy_with_logits(x, torch.ones_like(x)),
    "dropout": lambda x: F.dropout(x, 0.5, training=False) + 1,
    "half": lambda x: F.gelu(x.half()).float(),
    "batch norm": lambda x: F.batch_norm(x, torch.zeros(6), torch.ones(6)),
    "conversions": lambda x: x.to("cpu").int().double().to(torch.float32) + x.new_full((6,), 2).type_as(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_recorded_computes_what_the_reference_computes(name: str) -> None:
    model = Function(FUNCTIONS[name])
    capture = record(model, (normal(4, 6),))
    wanted = model(normal(4, 6))
    found = computed(capture, [normal(4, 6)])
    for a, b in zip(found, pytree.tree_leaves(wanted), strict=True):
        assert a.dtype == b.dtype
        torch.testing.assert_close(a, b)


def test_a_gradient_that_the_reference_asks_for_is_recorded() -> None:
    def gradient(x: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            left, right = x.chunk(2, -1)
            result: torch.Tensor = torch.autograd.grad(left * F.gelu(right), x, torch.ones(4, 3))[0]
        return result

    model, x = Function(gradient), normal(4, 6).requires_grad_()
    (found,) = computed(record(model, (x,)), [x])
    torch.testing.assert_close(found, model(x))


def test_parameters_and_buffers_are_leaves() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(6, 3), torch.nn.BatchNorm1d(3)).eval()
    capture = record(model, (normal(4, 6),))
    state = [leaf.key for leaf in capture.leaves if leaf.kind == "state"]
    assert state == [*dict(model.named_parameters()), *dict(model.named_buffers())]
    torch.testing.assert_close(computed(capture, [normal(4, 6)])[0], model(normal(4, 6)))


@pytest.mark.parametrize("name, function", {
    "a branch on an element": lambda x: x + 1 if x[0, 0] > 0 else x,
    "a number that is read": lambda x: x * float(x.max()),
    "a shape that depends on elements": lambda x: x[x > 0],
    "bytes in NumPy": lambda x: x + len(x.numpy().tobytes()),
    "elements in a list": lambda x: x + torch.tensor(x.tolist()),
    "a deep copy": lambda x: x + copy.deepcopy(x),
}.items())  # fmt: skip
def test_what_needs_elements_is_not_recorded(name: str, function: Callable[..., Any]) -> None:
    with pytest.raises((Unrecordable, RuntimeError, NotImplementedError)):
        record(Function(function), (normal(4, 6),))


REFERENCE = """
import torch
class Model(torch.nn.Module):
    def forward(self, x, alpha: float):
        return (x * alpha).masked_fill(x < 0, float("-inf")).half()
def get_inputs(params):
    return [torch.randn(params["n"], 8), 3.0]
"""


def test_the_reference_process_gives_the_same_trace(reference: ReferenceWorker, tmp_path: Any) -> None:
    path = tmp_path / "reference.py"
    path.write_text(REFERENCE)
    given, case = (
        Reference(loader="akgen.tools.reference.module_loader", path=path),
        Case(id="0", params={"n": 5}),
    )
    assert RemoteTrace(reference)(given, case) == trace(load(given, case))


def test_the_reference_process_refuses_with_the_same_sentence(
    reference: ReferenceWorker, tmp_path: Any
) -> None:
    path = tmp_path / "reference.py"
    path.write_text(REFERENCE.replace("(x * alpha)", "x[x > 0]").replace("x < 0", "x[x > 0] < 1"))
    given, case = (
        Reference(loader="akgen.tools.reference.module_loader", path=path),
        Case(id="0", params={"n": 5}),
    )
    with pytest.raises(Unsupported) as here:
        trace(load(given, case))
    with pytest.raises(Unsupported) as there:
        RemoteTrace(reference)(given, case)
    assert (there.value.op, there.value.sentence) == (here.value.op, here.value.sentence)


def test_recording_leaves_sympy_unread_until_somebody_needs_it() -> None:
    said = run(
        [sys.executable, "-c", _RECORDS],
        cwd=Path.cwd(),
        timeout_s=120,
        env={**MINIMAL_ENV, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert said.out.split() == ["False", "True", "x**2", "True"], said.err


_RECORDS = """
import sys
import torch
from akgen.tools.compose.front.record import record

record(torch.nn.Softmax(dim=-1), (torch.randn(3, 4),))
print("sympy.core" in sys.modules)
import sympy  # stands for it
stand_in = sympy
from sympy.core.symbol import Symbol
import sympy
print(stand_in.Basic is sympy.Basic)
print(Symbol("x") ** 2)
print(isinstance(Symbol("x"), stand_in.Basic) and not isinstance(2, stand_in.Basic))
"""
