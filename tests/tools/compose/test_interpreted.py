"""Composed programs compute what PyTorch computes, in the interpreter: shapes, dtypes and ragged ends."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.tools.compose.composing import assert_right, composed, normal

FLOATS = (torch.float32, torch.float16, torch.bfloat16)
Fn = Callable[..., Any]
POINTWISE: dict[str, Fn] = {
    "gelu": F.gelu,
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "mish": F.mish,
    "hardswish": F.hardswish,
    "elu": F.elu,
    "selu": F.selu,
    "leaky relu": lambda x: F.leaky_relu(x, 0.2),
    "softplus": F.softplus,
    "logsigmoid": F.logsigmoid,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "atan": torch.atan,
    "asin": lambda x: torch.asin(torch.tanh(x)),
    "acos": lambda x: torch.acos(torch.tanh(x)),
    "log2": lambda x: torch.log2(x.abs() + 1),
    "erfc": torch.erfc,
    "powers": lambda x: x**3 + (x * x + 1) ** 0.5 + (x.abs() + 1) ** -2,
    "clamp": lambda x: torch.clamp(x, -0.5, 0.7),
    "where": lambda x: torch.where((x > 0) & ~(x > 1), x, -x),
    "round": lambda x: torch.round(x * 3) + torch.floor(x) - torch.trunc(x),
    "nan to num": lambda x: torch.nan_to_num(x),
}


@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise(name: str) -> None:
    assert_right(POINTWISE[name], (normal(3, 37),), (normal(2500),))


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_program_serves_every_float(dtype: torch.dtype) -> None:
    cases = [(normal(5, n, dtype=dtype), normal(5, n, dtype=dtype)) for n in (1, 33)]
    assert_right(lambda x, y: x * y + 0.5, *cases)


REDUCING: dict[str, Fn] = {
    "softmax": lambda x: torch.softmax(x, -1),
    "log softmax": lambda x: torch.log_softmax(x, -1),
    "logsumexp": lambda x: torch.logsumexp(x, -1),
    "layer norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "rms norm": lambda x: F.rms_norm(x, x.shape[-1:]),
    "max": lambda x: torch.max(x, -1)[0],
    "variance": lambda x: torch.var(x, -1),
    "argmax": lambda x: torch.argmax(x, -1),
    "norm": lambda x: torch.linalg.vector_norm(x, dim=-1),
    "mean of all": lambda x: x.mean(),
    "scaled by a norm": lambda x: x / torch.linalg.vector_norm(x),
    "first axis": lambda x: x.sum(0),
    "first axis, twice": lambda x: x - x.mean(0, keepdim=True),
}


@pytest.mark.parametrize("name", REDUCING)
def test_reductions(name: str) -> None:
    assert_right(REDUCING[name], (normal(7, 65),), (normal(50, 13),))


@pytest.mark.parametrize("name", ["softmax", "layer norm", "first axis"])
def test_rows_that_do_not_fit_are_read_in_passes(name: str) -> None:
    assert_right(REDUCING[name], (normal(3, 20011),), (normal(2, 100003),))


@pytest.mark.parametrize("name", ["log softmax", "rms norm", "variance", "argmax", "logsumexp"])
def test_several_cores_share_a_row(name: str) -> None:
    assert_right(REDUCING[name], (normal(3, 20011),), (normal(5, 4133),), (normal(1, 98352),))


def test_the_first_place_of_nan_is_that_of_the_extreme() -> None:
    x = normal(6, 40)
    x[1], x[2, 7], x[3, 3], x[4] = math.nan, math.nan, math.inf, -math.inf
    assert_right(lambda x: (x.argmax(1), x.min(1).indices, x.argmin(0)), (x,))


def test_a_composition_of_long_kernels_keeps_the_best_and_the_one_that_always_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    softmax, args = REDUCING["softmax"], (normal(8, 40),)
    names = [k.name for k in composed(softmax, args)[0].program.kernels]
    assert len(names) > 2
    monkeypatch.setattr("akgen.tools.compose.back.kernels.MOST_STATEMENTS", 10)
    kept = [k.name for k in composed(softmax, args)[0].program.kernels]
    assert kept == [names[0], names[-1]]
    assert_right(softmax, args, (normal(3, 100003),))


@pytest.mark.parametrize("cores", [1, 2, 48])
def test_the_number_of_cores_does_not_matter(cores: int) -> None:
    assert_right(lambda x: (x * x).sum().sqrt(), (normal(9001),), core_num=cores)
    assert_right(lambda x: torch.softmax(x, -1), (normal(50, 13),), core_num=cores)


LOSSES: dict[str, Fn] = {
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "smooth l1": F.smooth_l1_loss,
    "huber": F.huber_loss,
    "bce": lambda x, y: F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y)),
    "bce with logits": lambda x, y: F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)),
    "kl": lambda x, y: F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1), reduction="sum"),
    "cosine": lambda x, y: F.cosine_similarity(x, y),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str) -> None:
    assert_right(LOSSES[name], (normal(6, 40), normal(6, 40, seed=1)))


def test_cross_entropy_looks_up_classes() -> None:
    targets = torch.tensor([3, 0, 8, 8, 5])
    assert_right(F.cross_entropy, (normal(5, 9), targets))


@pytest.mark.parametrize("cores", [48, 7, 1])
def test_few_long_rows_are_cut_over_all_cores(cores: int) -> None:
    def scaled(x: Any, w: Any) -> Any:
        return torch.relu(x * w) + 1.0

    shapes = ((3, 5000), (25, 26000), (60, 1100), (5, 100))
    assert_right(scaled, *((normal(r, n), normal(n)) for r, n in shapes), core_num=cores)


def test_broadcasts_over_several_axes() -> None:
    assert_right(
        lambda x, b, s: x * s + b,
        (normal(4, 5, 6), normal(5, 1), normal(6)),
        (normal(2, 8, 33), normal(8, 1), normal(33)),
    )


def test_cases_of_different_structure_share_a_program() -> None:
    assert_right(
        lambda x, y: x - y,
        (normal(4, 8), normal(4, 8)),
        (normal(4, 8), normal(8)),
        (normal(4, 8), normal(4, 1)),
    )


def test_several_outputs_of_an_optimizer_step() -> None:
    def step(
        p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, lr: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        moved = 0.9 * m + g
        return p - lr * moved, moved

    tensors = [normal(1030, seed=k) for k in range(3)]
    assert_right(step, (*tensors, 0.1), (*tensors, 0.25))


def test_batch_statistics_and_row_gradients() -> None:
    assert_right(lambda x: F.batch_norm(x, None, None, training=True), (normal(6, 5, 11),))
    assert_right(lambda x: F.group_norm(x, 2), (normal(3, 4, 25),))
    assert_right(
        lambda d, x: [(d * x).sum(0), d - (d * x).sum(1, keepdim=True)],
        (normal(9, 20), normal(9, 20, seed=3)),
    )


def test_integers_and_truth_values() -> None:
    ints = (normal(7, 9, dtype=torch.int32), normal(7, 9, dtype=torch.int32, seed=5))
    assert_right(lambda a, b: torch.where(a < b, a * 2, b - 1), ints)
    assert_right(lambda a, b: (a == b) | (a > 3), ints)
    big = torch.tensor([2**30, 2**30 + 1, -(2**31), 2**31 - 1], dtype=torch.int32)
    assert_right(lambda a, b: a >= b, (big, big.flip(0)))
    assert_right(lambda a: ~a, (ints[0] > 0,))


def test_positions_beyond_a_million_are_exact() -> None:
    first = 1_234_567
    x = normal(300, 20, dtype=torch.int32)
    assert_right(lambda x: x + torch.arange(first, first + 20, dtype=torch.int32), (x,))
    assert_right(lambda x: x + torch.arange(first, first + 300, dtype=torch.int32)[:, None], (x,))


def test_joined_pieces_and_masks() -> None:
    assert_right(lambda x: torch.cat([x[..., 3:] * 2, -x[..., :3]], -1), (normal(5, 6),))
    assert_right(lambda x: torch.tril(x) + torch.triu(x, 1), (normal(12, 12),))


def test_lists_of_tensors() -> None:
    sizes = [(1,), (5, 7), (3000,)]
    lists = [[normal(*s, seed=k) for s in sizes] for k in range(2)]
    assert_right(lambda xs, ys: [x * y + 1 for x, y in zip(xs, ys, strict=True)], (lists[0], lists[1]))
    scale = torch.tensor([0.5, 2.0, 3.0])
    assert_right(lambda xs, s: [x * s[k] for k, x in enumerate(xs)], (lists[0], scale))
    assert_right(lambda xs: [torch.linalg.vector_norm(x) for x in xs], (lists[0][1:],))


def test_a_number_that_the_reference_makes_a_tensor_of_is_a_constant() -> None:
    assert_right(lambda x: (x * torch.tensor(0.5)).clamp(max=torch.tensor(0.25)), (normal(3, 17),))
    assert_right(lambda x: x + torch.tensor([2.0]).to(x.dtype), (normal(5, 8),))


def test_single_numbers() -> None:
    assert_right(lambda x, y: torch.exp(x) * y, (torch.tensor(0.3), torch.tensor([2.0])))
