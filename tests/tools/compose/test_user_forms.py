"""Forms that users' modules take, and that say in other words what handlers know."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from tests.sampled import sampled
from tests.tools.compose.composing import assert_right, normal

BINS = torch.randint(0, 5, (3, 20), generator=torch.Generator().manual_seed(1))
PLACES = torch.randint(0, 7, (6, 5), generator=torch.Generator().manual_seed(2))
ZEROS = torch.tensor([1, 3, 0, -2], dtype=torch.int32)
WIDE = torch.randint(-500, 500, (6, 6), generator=torch.Generator().manual_seed(3), dtype=torch.int32)


def square_of_expanded(x: torch.Tensor) -> torch.Tensor:
    length = x.norm(dim=1, keepdim=True).expand(7, 7)
    return length * length.t()


def labels_alike(x: torch.Tensor) -> torch.Tensor:
    return (x.expand(7, 7) == x.expand(7, 7).t()).float()


def pool_of_joined(x: torch.Tensor) -> torch.Tensor:
    front = x[..., :1].expand(-1, -1, 2)
    return functional.avg_pool1d(torch.cat([front, x], -1).transpose(1, 2), 3, 1)


def walked_scan(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Run along an axis that a loop walks outside of the tiles."""
    return x.gather(-1, places.unsqueeze(-1)).squeeze(-1).cumsum(1).sum(1)


def clipped_product(x: torch.Tensor) -> torch.Tensor:
    """Multiply integers that fit into int8, because they are cut off there."""
    whole = x.mul(40).round().clamp(-128, 127).to(torch.int8).to(torch.int32)
    return whole @ whole.t()


def matrix_nms(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """Sort, pick, compare each with each: kernels of equal schedules for different parts."""
    order = scores.argsort(descending=True)
    low = torch.max(boxes[order][:, None], boxes[order][None, :]).prod(-1).triu(1)
    return scores[order] * ((1 - low) / (1 - low.max(0)[0][:, None]).clamp(min=1e-4)).min(dim=0).values


def scattered(reduce: str) -> Callable[..., torch.Tensor]:
    return lambda places, x: torch.zeros(3, 5).scatter_reduce(1, places, x, reduce, include_self=False)


def linear_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Run sums along an axis of matrices and, beside them, of rows."""
    over = (q.unsqueeze(-1) * (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(1)).sum(-2)
    return over / (q * k.cumsum(1)).sum(-1, keepdim=True)


def greatest_of_hidden(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Take the greatest and the least of rows, columns and a whole that may hold nothing but infinities."""
    low = x.masked_fill(x < 1.5, -torch.inf)
    return low.amax(-1), low.amax(0), (-low).amin(-1), torch.where(low.amax(-1).isinf(), 0.0, 1.0)


def rotated(x: torch.Tensor) -> torch.Tensor:
    """Write the halves of a part of rows into a tensor that is as strided as the part."""
    part = x[..., :6]
    out = torch.empty_like(part)
    out[..., ::2] = part[..., ::2] - part[..., 1::2]
    out[..., 1::2] = part[..., 1::2] + part[..., ::2]
    return torch.cat((out, x[..., 6:]), -1)


def gram_polynomial(x: torch.Tensor) -> torch.Tensor:
    a = x @ x.T
    return 2 * a + (a * 0.5) @ a


def alike_but_itself(x: torch.Tensor) -> torch.Tensor:
    y = x @ x.T
    y.fill_diagonal_(-1e9)
    return y.softmax(-1)


FORMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "expanded_and_turned": (square_of_expanded, (normal(7, 5),)),
    "loaded_expanded_and_turned": (labels_alike, (normal(7),)),
    "pool_of_joined": (pool_of_joined, (normal(2, 3, 8),)),
    "walked_scan": (walked_scan, (normal(6, 5, 7), PLACES)),
    "clipped_product": (clipped_product, (normal(6, 9),)),
    "wide_product": (lambda a: a @ a, (WIDE,)),
    "constant_product": (
        lambda a, b: torch.ones(3, 6) @ b + (a @ torch.full((6, 7), 2.0)).sum(), (normal(5, 6), normal(6, 7))
    ),
    "rolls_of_computed": (lambda x: torch.roll(torch.softmax(x, -1), (1, 2), (0, 1)), (normal(4, 6),)),
    "mean_of_scattered": (scattered("mean"), (BINS, normal(3, 20))),
    "maximum_of_scattered": (scattered("amax"), (BINS, normal(3, 20))),
    "scatter_into_few_rows": (lambda x, i, s: x.scatter(1, i, s), (normal(6, 8), PLACES[:4, :3], normal(4, 3))),
    "many_hot": (lambda i: torch.zeros(6, 8, dtype=torch.bool).scatter(1, i, True), (PLACES,)),
    "masked_scatter": (lambda x, s: x.masked_scatter(x > 0, s), (normal(4, 6), normal(30))),
    "frames_by_strides": (lambda x: x.as_strided((10, 20), (8, 1)) * 2, (normal(100),)),
    "city_block_distance": (lambda a, b: torch.cdist(a, b, p=1.0), (normal(4, 6), normal(5, 6))),
    "log_cumulative_sum": (lambda x: torch.logcumsumexp(x * 30, 1), (normal(4, 33),)),
    "angle": (lambda x, y: torch.atan2(x, y) + torch.angle(torch.complex(x, y)), (normal(3, 9), normal(3, 9, seed=3))),
    "linear_attention": (linear_attention, tuple(torch.rand(2, 9, n) + 0.1 for n in (5, 5, 6))),
    "folded_ones": (lambda x: functional.fold(torch.ones_like(x), (8, 8), 4, 1, 1, 2), (normal(1, 48, 16),)),
    "greatest_of_hidden": (greatest_of_hidden, (normal(9, 20),)),
    "logarithm_of_gamma": (
        lambda x: (torch.lgamma(x), torch.digamma(x)),
        (torch.tensor([1e-3, 0.3, 1.0, 1.4616, 1.5, 2.0, 2.5, 3.0, 7.9, 8.0, 33.0, 1e4, -0.3, -1.4, -2.6, -7.3]),),
    ),
    "angle_of_small": (
        lambda x, y: (torch.atan2(x, y), torch.hypot(x, y) * 1e38),
        (torch.tensor([-2.9e-39, 1e-38, 0.0, 0.0, 3e-39]), torch.tensor([2.9e-39, -1e-38, 0.0, -1e-39, 4e-39])),
    ),
    "inverse_of_erf": (lambda x: torch.erfinv(x), (torch.linspace(-1, 1, 41),)),
    "rotated": (rotated, (normal(2, 3, 4, 10).transpose(1, 2),)),
    "gram_polynomial": (gram_polynomial, (normal(7, 5),)),
    "alike_but_itself": (alike_but_itself, (normal(7, 5),)),
    "diagonal_below": (lambda x, y: torch.diagonal_scatter(x * 2, y, -3), (normal(12, 20), normal(9))),
    "fake_quantised": (
        lambda x, s, z: torch.fake_quantize_per_channel_affine(x, s, z, 0, -8, 9),
        (torch.arange(-40, 40).view(4, 20) * 0.25, torch.tensor([0.5, 0.5, 1.0, 2.0]), ZEROS),
    ),
    "hot_of_computed": (lambda x: functional.one_hot((x * 2).long().clamp(0, 4), 5).sum(0), (torch.rand(30) * 3,)),
    "experts_counted": (lambda i: torch.bincount(i.flatten() + 1, minlength=9), (PLACES,)),
    "constants_written": (
        lambda x: torch.where(torch.tensor([True, False]).view(2, 1), x, -x) / x.new_tensor([0.9, 1.2]).view(2, 1),
        (normal(3, 2, 17),),
    ),
    "constants_looked_up": (lambda x: torch.tensor([0.1, 0.5, -2.0, 7.0])[x.long()], (torch.rand(50) * 4,)),
    "matrix_nms": (matrix_nms, (torch.rand(37, 2), torch.rand(37))),
}  # fmt: skip


@pytest.mark.parametrize("form", sampled(FORMS, 3))
def test_a_form_is_right(form: str) -> None:
    function, args = FORMS[form]
    assert_right(function, args)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_of_embeddings_are_right(mode: str) -> None:
    assert_right(torch.nn.EmbeddingBag(30, 8, mode=mode), (torch.arange(24).view(4, 6),))


def test_bags_of_embeddings_whose_lengths_differ_are_right() -> None:
    bag = torch.nn.EmbeddingBag(30, 8, mode="mean", padding_idx=2)
    assert_right(lambda x, starts, w: functional.embedding_bag(x, w, starts, mode="mean", padding_idx=2),
                 (torch.arange(24), torch.tensor([0, 5, 6, 20]), bag.weight.detach()))  # fmt: skip


def test_a_recurrent_layer_that_starts_at_zero_is_right() -> None:
    layer = torch.nn.LSTM(6, 5, batch_first=True)
    assert_right(lambda x, *w: torch.func.functional_call(layer, dict(zip(layer.state_dict(), w, strict=True)), x)[0],
                 (normal(2, 3, 6), *layer.state_dict().values()))  # fmt: skip
