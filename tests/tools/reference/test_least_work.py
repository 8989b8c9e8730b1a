"""What the run of a reference shows of the work that every sound kernel has to do."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from akgen.tools.reference.followed import work_of


class Model(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.weight = torch.nn.Parameter(torch.ones(8, 8))

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def work(function: Callable[..., Any], *shapes: tuple[int, ...]) -> Any:
    found = work_of(Model(function), [torch.rand(s) for s in shapes])[1]
    assert found is not None
    return found


def in_place(x: Any) -> Any:
    x[:, 1] += 1
    return x


def copied(x: Any) -> Any:
    out = torch.empty_like(x)
    out[:4] = x[4:]
    out[4:] = x[:4]
    return out


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.t().contiguous(),
        lambda x: x.flip(0).reshape(4, 16),
        lambda x: torch.cat([x, x])[3:],
        lambda x: x[torch.tensor([3, 1])],
        lambda x: x.view(torch.int32),
        copied,
    ],
)
def test_numbers_that_only_move_are_not_computed(function: Any) -> None:
    assert work(function, (8, 8)).computed == (False,)


@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        lambda x: x.half(),
        lambda x: (x + 1).t().contiguous(),
        in_place,
        lambda x: torch.arange(len(x)),
    ],
)
def test_arithmetic_computes(function: Any) -> None:
    assert work(function, (8, 8)).computed == (True,)


def test_each_output_counts_for_itself() -> None:
    assert work(lambda x: (x.t(), x + 1), (8, 8)).computed == (False, True)


@pytest.mark.parametrize(
    ("function", "least"),
    [
        (lambda a, b: a @ b, 64 * 64 * 64 // 16),
        (lambda a, b: torch.relu(a.t() @ b) * 2 + 1, 64 * 64 * 64 // 16),
        (lambda a, b: (a @ b).half(), 64 * 64 * 64 // 16),
        (lambda a, _: a.sum(), (64 * 64 - 1) * 4 // 8),
        (lambda a, _: torch.amax(a, 1) * 0.5, (64 * 64 - 64) * 4 // 8),
        # Of what is shown in part, that part.
        (lambda a, b: torch.relu((a @ b)[0]), 64 * 64 // 16),
        (lambda a, b: (a @ b)[:1].expand(64, 64) * 2, 64 * 64 // 16),
        (lambda a, b: (a @ b).diagonal(), 64 * 64 // 16),
        (lambda a, _: a.sum(1)[:2], (64 * 64 - 64) * 4 // 8 * 2 // 64),
    ],
)
def test_products_and_sums_of_the_inputs_need_their_operations(function: Any, least: int) -> None:
    assert work(function, (64, 64), (64, 64)).least == least


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: (a @ b).sum(),  # the sums of a times those of b
        lambda a, b: torch.tril(a @ b),  # half of it
        lambda a, b: (a @ b) * b,  # b may be a mask
        lambda a, b: torch.diag(a[0]) @ b,  # a product of elements
        lambda a, b: a[:1].expand(64, 64) @ b,  # one row
        lambda a, b: a[:1].expand(64, 64).sum(0) + b,
        lambda a, b: (a @ b) * 0,
        lambda a, b: a.unfold(1, 16, 1).sum(-1),  # sums that share most of their numbers
        lambda a, b: a.reshape(-1).unfold(0, 64, 1) @ b,
        lambda a, b: (a > 0).any(1) & (b > 0).all(1),  # may stop early
        lambda a, b: a + b,
    ],
)
def test_what_may_be_saved_is_not_asked_for(function: Any) -> None:
    assert work(function, (64, 64), (64, 64)).least == 0


@pytest.mark.parametrize(
    ("function", "numbers"),
    [
        (lambda x, y: torch.relu(x) + y, 2 * 64 * 64),
        (lambda x, _: torch.softmax(x, 1), 64 * 64),
        (lambda x, _: x.chunk(2)[0] * x.chunk(2)[1], 64 * 64),
        (lambda x, _: torch.relu(x[:2]) * x[:2], 2 * 64),
        (lambda x, _: torch.relu(x)[:2], 0),
        (lambda x, _: torch.relu(x)[:2] * 2, 0),
        (lambda x, _: torch.nn.functional.nll_loss(x, torch.zeros(64, dtype=torch.int64)), 0),
        (lambda x, _: torch.trace(x), 0),
        (lambda x, y: (x > y).any(), 0),
    ],
)
def test_what_has_to_be_read_is_what_operations_take(function: Any, numbers: int) -> None:
    assert work(function, (64, 64), (64, 64)).bytes_read == 4 * numbers


def test_a_reference_that_cannot_be_followed_runs_all_the_same() -> None:
    def twice(x: Any) -> Any:
        return torch.from_numpy(x.numpy() * 2)

    outputs, _ = work_of(Model(twice), [torch.ones(4)])
    assert outputs[0].tolist() == [2.0] * 4


@pytest.mark.parametrize(
    ("function", "products"),
    [
        (lambda a, b: a @ b, ((4, 64**3),)),
        (lambda a, b: a.half() @ b.half(), ((2, 64**3),)),
        (lambda a, b: a.half().float() @ b.half().float(), ((2, 64**3),)),  # no number has more bits
        (lambda a, b: a.half().float() @ b, ((4, 64**3),)),
        (lambda a, b: (a @ b, (a > 0) * a), ((4, 64**3),)),
        (
            lambda a, b: torch.nn.functional.scaled_dot_product_attention(
                a[None, None], b[None, None], b[None, None], is_causal=True
            ),
            ((4, 2 * 64 * (64 * 65 // 2)),),
        ),
    ],
)
def test_products_are_told_by_the_bytes_of_their_operands(function: Any, products: Any) -> None:
    assert work(function, (64, 64), (64, 64)).products == products


def test_products_of_halves_are_sums_in_float32_rounded_once() -> None:
    a, b = torch.rand(40, 300).half(), torch.rand(300, 20).half()
    (made,), _ = work_of(Model(lambda a, b: a @ b), [a, b])
    assert made.dtype == torch.float16
    torch.testing.assert_close(made, (a.double() @ b.double()).half(), rtol=1e-3, atol=0)
