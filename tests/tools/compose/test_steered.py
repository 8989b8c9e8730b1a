"""References that values steer: branches, numbers and lengths that depend on elements; NumPy; quantised tensors.

A program is composed for one draw and must be right for others, which take other branches.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.program import compose
from akgen.tools.compose.scope import Unsupported
from tests.sampled import sampled
from tests.tools.compose.composing import (
    Function,
    Loaded,
    assert_right,
    assert_right_on_twin,
    normal,
    run,
)

Draw = tuple[Any, ...]


class Branches(torch.nn.Module):
    """Takes one of several ways, writes in place on some, and returns early on one."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        if n[0].item() == 0:
            return x
        out = torch.zeros_like(x)
        found = []
        for k in range(3):
            if n[0] > k:
                continue
            out[k] = x[k] * 2
            if x.sum() > 0 and not n[1]:
                out[k].add_(1)
            else:
                scale = int(n[1]) + 1
                out[k] *= scale
        if n[1] > 1:
            found.append(out + 1)
        else:
            found.append(out - 1)
        return found[0]


class Finite(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        flags = [float(torch.isnan(x).any() or torch.isinf(x).any()) for x in (a, b)]
        return torch.tensor(sum(flags) > 0, dtype=torch.float32)


class Slices(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        start, stop = n.tolist()
        out = torch.zeros_like(x)
        out[start : start + 3] = x[:3] * 2
        out[:stop] += x[stop].exp()
        return torch.cat([out, x[stop:].sum(0, keepdim=True), x[:stop].mean(0, keepdim=True)])


class Reversed(torch.nn.Module):
    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        out = torch.zeros_like(x)
        for i in range(x.shape[0]):
            length = lengths[i].item()
            out[i, torch.arange(length)] = x[i, torch.arange(length - 1, -1, -1)]
            if length < x.shape[1]:
                out[i, length:] = x[i, length:]
        return out


class Repeated(torch.nn.Module):
    def forward(self, x: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
        rows = torch.repeat_interleave(x, times, dim=0)
        total = times.sum().item()
        out = torch.zeros((12, *x.shape[1:]))
        if total > 0:
            out[:total] = rows
        return out


class RangesOfK(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        m, n, results, start = a.shape[1], b.shape[1], [], 0
        for end in ends:
            k = end - start
            if k > 0:
                left = a.flatten()[start * m : end * m].view(k, m).transpose(0, 1)
                results.append(torch.matmul(left, b[start:end]).flatten())
                start = end
            else:
                results.append(torch.zeros([m, n]).flatten())
        return torch.cat(results)


class RangesOfM(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        results, start = [], 0
        for i, end in enumerate(ends):
            if end - start > 0:
                results.append(torch.matmul(a[start:end], b[i]).flatten())
                start = end
        return torch.cat(results)


class Shapes(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return torch.zeros(3)
        return torch.zeros(4)


def _ends(*values: int) -> torch.Tensor:
    return torch.tensor(values)


CASES: dict[str, tuple[torch.nn.Module, list[Draw]]] = {
    "branches": (Branches(), [(normal(4, 8, seed=s), _ends(n, s)) for s, n in enumerate((2, 1, 0, 3))]),
    "whether all are finite": (
        Finite(), [(normal(20), normal(7)), (normal(20), torch.full((7,), torch.inf)), (normal(20) / 0, normal(7))],
    ),
    "slices": (Slices(), [(normal(10, 6), _ends(4, 7)), (normal(10, 6), _ends(0, 2)), (normal(10, 6), _ends(7, 9))]),
    "reversed": (Reversed(), [(normal(2, 7, 5), _ends(*n)) for n in ((4, 7), (1, 2), (7, 7))]),
    "repeated": (Repeated(), [(normal(5, 8), _ends(*n)) for n in ((1, 0, 3, 2, 1), (0, 0, 0, 0, 2), (4, 4, 0, 0, 4))]),
    "ranges of k": (RangesOfK(), [(normal(9, 6), normal(9, 5), _ends(*n)) for n in ((2, 2, 7), (0, 4, 9))]),
    "ranges of m": (RangesOfM(), [(normal(9, 6), normal(3, 6, 5), _ends(*n)) for n in ((2, 2, 9), (3, 5, 9))]),
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(CASES, 8))
def test_a_program_takes_the_way_that_values_tell(name: str) -> None:
    model, draws = CASES[name]
    cases = [Loaded(model, draw) for draw in draws]
    raw = trace(cases[0])
    composition = compose("TestOp", "test_op", [raw])
    for case in cases:
        for got, want in zip(run(composition, case, raw), case.returned(), strict=True):
            np.testing.assert_allclose(got, want.numpy(), rtol=3e-5, atol=3e-5)


class Cleared(torch.nn.Module):
    def forward(self, xs: list[torch.Tensor], n: torch.Tensor) -> list[torch.Tensor]:
        for i in range(len(xs)):
            if n[i] == 0:
                continue
            xs[i][n[i] : n[i] + 2] = 0
        return xs


def test_tensors_of_a_list_that_are_computed_in_different_ways() -> None:
    assert_right(Cleared(), ([normal(5, 6), normal(4, 3)], _ends(2, 0)))


@pytest.mark.slow
def test_slices_that_values_tell_run_on_the_twin() -> None:
    assert_right_on_twin(Slices(), normal(10, 6), _ends(4, 7))


@pytest.mark.parametrize(("function", "why"), [
    (lambda x: x[: x.argmax()], "shape depends"),
    (Shapes(), "different shapes"),
    (lambda x: x[: x.argmax()].cumsum(0).sum(), "cumsum of a part whose length depends on the values"),
])  # fmt: skip
def test_what_lengths_cannot_steer_is_refused(function: Callable[..., Any], why: str) -> None:
    class Drawn(Loaded):
        def sample(self, seed: int, distribution: Any) -> Any:
            return Loaded(self.model, (normal(9, seed=seed),)).sample(seed, distribution)

    with pytest.raises(Unsupported, match=why):
        compose(
            "TestOp",
            "test_op",
            [
                trace(
                    Drawn(
                        function if isinstance(function, torch.nn.Module) else Function(function),
                        (normal(9),),
                    )
                )
            ],
        )


ARRAYS: dict[str, tuple[Callable[..., torch.Tensor], Draw]] = {
    "running sum": (
        lambda x: torch.from_numpy(np.cumsum(x.cpu().numpy(), axis=1, dtype=np.float32)),
        (normal(4, 9),),
    ),
    "arithmetic": (
        lambda x: torch.from_numpy(np.exp(x.numpy()).sum(axis=-1) / 2 + np.float32(1)),
        (normal(4, 9),),
    ),
    "joined": (
        lambda x: torch.tensor(np.concatenate([x.numpy(), x.numpy().T], axis=0)[::2]),
        (normal(4, 4),),
    ),
    "where": (
        lambda x: torch.as_tensor(np.where(x.numpy() > 0, x.numpy(), 0).astype(np.float32)),
        (normal(40),),
    ),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_numpy_functions_of_a_tensor_are_recorded(name: str) -> None:
    function, args = ARRAYS[name]
    assert_right(function, args)


def test_functions_of_scipy_that_pytorch_lacks() -> None:
    special = pytest.importorskip("scipy.special")
    x = torch.cat([torch.linspace(0, 12, 200), torch.tensor([1e-3, 1e5])])
    assert_right(lambda x: torch.from_numpy(special.spence(x.numpy())), (x,))
    assert_right(lambda x: torch.from_numpy(special.spence(x.numpy())), (x.half()[:200],))


def _quantised(x: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor) -> torch.Tensor:
    return torch.quantize_per_channel(x, scale, zero, 1, torch.qint8).int_repr()


@pytest.mark.parametrize("zero", [torch.rand(9), torch.arange(9) - 4], ids=["float zeros", "integer zeros"])
def test_quantised_tensors_are_their_integers(zero: torch.Tensor) -> None:
    assert_right(_quantised, (normal(4, 9) * 3, torch.rand(9) + 0.1, zero))
    assert_right(
        lambda x: torch.quantize_per_tensor(x, 0.1, 3, torch.quint8).dequantize() + 1, (normal(4, 9) * 3,)
    )
