"""Functions of lists of tensors (`torch._foreach_*`): each as PyTorch computes it, composed, and in a branch."""

from typing import Any

import pytest
import torch

from akgen.tools.compose.front.record_foreach import foreach_formulas
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.program import compose
from tests.tools.compose.composing import Loaded, assert_close, assert_right, normal, run

FORMULAS = foreach_formulas()


def _given(argument: Any) -> Any:
    match str(argument.type), argument.name:
        case "List[Tensor]", _:
            return [torch.rand(3, 3) * 0.8 + 0.1, torch.rand(4) * 0.8 + 0.1]
        case "List[number]", _:
            return [0.5, 1.5]
        case "Tensor", "scalars":
            return torch.tensor([0.5, 0.25])
        case "Tensor", _:
            return torch.tensor(0.7)
    return 1.5


@pytest.mark.parametrize("operator", FORMULAS, ids=str)
def test_a_formula_is_its_operator(operator: Any) -> None:
    torch.manual_seed(0)
    wanted = [
        a for a in operator._schema.arguments if not a.has_default_value() or a.name in ("value", "ord")
    ]
    args = [_given(a) for a in wanted]
    if "_foreach_mm" in str(operator):
        args = [[v.reshape(-1, 1) @ v.reshape(1, -1) for v in each] for each in args]
    for mine, theirs in zip(FORMULAS[operator](*args), operator(*args), strict=True):
        torch.testing.assert_close(mine, theirs)


def adam(p: Any, g: Any, m: Any, v: Any) -> Any:
    params, grads, first, second = ([t.clone(), t[0] * 2] for t in (p, g, m, v))
    torch._foreach_lerp_(first, grads, 0.1)
    torch._foreach_mul_(second, 0.99)
    torch._foreach_addcmul_(second, grads, grads, 0.01)
    root = torch._foreach_sqrt(second)
    torch._foreach_div_(root, 0.5)
    torch._foreach_add_(root, 1e-3)
    torch._foreach_addcdiv_(params, first, root, [-0.1, -0.2])
    copies = torch._foreach_neg(params)
    torch._foreach_copy_(copies[:1], first[:1])
    torch._foreach_zero_(first[:1])
    return (*params, *second, *copies, *first)


def clipped(x: Any, y: Any) -> Any:
    params = [torch.nn.Parameter(x.clone()), torch.nn.Parameter(y.clone())]
    for p in params:
        p.grad = p.detach() * 2
    norm = torch.nn.utils.clip_grad_norm_(params, 1.0)
    return params[0].grad, params[1].grad, norm


def test_steps_over_lists_are_pytorchs() -> None:
    assert_right(adam, tuple(normal(4, 5, seed=k).abs() for k in range(4)))
    assert_right(clipped, (normal(4, 5), normal(3)))


class Guarded(torch.nn.Module):
    """Writes in a branch in ways that no method of a tensor shows: lists, `out=`, `inplace=True`."""

    def forward(self, x: torch.Tensor) -> Any:
        several, whole, halved = [x.clone(), x[0].clone()], torch.zeros_like(x), x.clone()
        if x.sum() > 0:
            torch._foreach_mul_(several, 2.0)
            torch.exp(x, out=whole)
            torch.nn.functional.relu(halved, inplace=True)
        return (*several, whole, halved)


def test_what_a_branch_writes_is_written_only_there() -> None:
    model, x = Guarded(), normal(4, 5)
    loaded: Any = Loaded(model, (x,))
    raw = trace(loaded)
    composition = compose("TestOp", "test_op", [raw], "A test.")
    for value in (x, -x):
        case = Loaded(model, (value,))
        for mine, want in zip(run(composition, case, raw), case.returned(), strict=True):
            assert_close(mine, want)
