"""Attention in one phase: the interpreted program computes what PyTorch computes, over several blocks of keys."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from akgen.tools.compose.back.schedules.attention import WIDEST
from akgen.tools.dsl.ir import SyncAll, walk
from tests.sampled import sampled
from tests.tools.compose.composing import Fn, assert_right, assert_right_on_twin, composed, normal

sdpa = F.scaled_dot_product_attention
KEYS = WIDEST + 37  # two blocks, the last one ragged


def half(*shape: int, seed: int = 0) -> torch.Tensor:
    return normal(*shape, dtype=torch.float16, seed=seed)


def written_out(q: Any, k: Any, v: Any) -> Any:
    return torch.softmax(q @ k.transpose(-1, -2) * 0.3, -1) @ v


def capped(q: Any, k: Any, v: Any, slopes: Any) -> Any:
    scores = q @ k.transpose(-1, -2) / 4
    return torch.softmax(2 * torch.tanh(scores / 2) + slopes, -1) @ v


def from_one_tensor(x: Any) -> Any:
    q, k, v = x.view(2, KEYS, 3, 4, 8).permute(2, 0, 3, 1, 4)
    return written_out(q, k, v).transpose(1, 2).reshape(2, KEYS, 32)


def growing(q: Any, k: Any, v: Any) -> Any:
    """Scores of later keys are far larger: what has been added up must be scaled."""
    return torch.softmax(q @ k.transpose(-1, -2) + torch.arange(KEYS, dtype=torch.float32) / 20, -1) @ v


SCREEN = normal(2, 1, 40, KEYS) > 0
SCREEN[0, 0, 3] = False  # a row without any key gives 0
QKV = (half(2, 4, 40, 32), half(2, 4, KEYS, 32, seed=1), half(2, 4, KEYS, 32, seed=2))
FLAT = (normal(3, 19, 40), normal(3, KEYS, 40, seed=1), normal(3, KEYS, 24, seed=2))
CASES: dict[str, tuple[Fn, tuple[Any, ...]]] = {
    "halves": (sdpa, QKV),
    "a mask that is added": (lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), (*QKV, half(2, 1, 40, KEYS))),
    "a mask of truth values": (lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), (*QKV, SCREEN)),
    "causal": (lambda x: sdpa(x, x, x, is_causal=True), (half(2, 2, KEYS, 16),)),
    "later keys hidden by a triangle": (
        lambda x: torch.softmax((x @ x.mT).masked_fill(torch.triu(torch.ones(KEYS, KEYS), 2).bool(), -1e9), -1) @ x,
        (normal(2, KEYS, 16),),
    ),
    "grouped queries": (
        lambda q, k: sdpa(q, k, k, enable_gqa=True), (half(2, 4, 40, 32), half(2, 2, KEYS, 32)),
    ),
    "written out": (written_out, FLAT),
    "bfloat16": (written_out, tuple(x.bfloat16() for x in FLAT)),
    "capped scores with slopes": (capped, (*FLAT, normal(3, 1, KEYS))),
    "heads of one tensor": (from_one_tensor, (half(2, KEYS, 96),)),
    "scores that grow": (growing, FLAT),
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(CASES, 3))
def test_it_computes_what_pytorch_computes_in_one_phase(name: str) -> None:
    function, arguments = CASES[name]
    (kernel,) = composed(function, arguments)[0].program.kernels
    assert not any(isinstance(s, SyncAll) for s in walk(kernel.body))
    assert_right(function, *[arguments])


def test_several_blocks_of_rows_and_keys_on_the_twin() -> None:
    assert_right_on_twin(
        lambda q, k: torch.softmax(q @ k.transpose(1, 2) / 8, -1) @ k, normal(2, 70, 36), normal(2, KEYS, 36)
    )


@pytest.mark.parametrize("width", [776, 1030])
def test_long_rows_of_values_are_divided_and_scaled_in_parts(width: int) -> None:
    v = normal(1, KEYS, width, seed=2)
    assert_right_on_twin(growing, normal(1, 24, width) / 8, normal(1, KEYS, width, seed=1) / 8, v)


@pytest.mark.slow
def test_many_products_at_work_at_one_time_share_the_first_level_cache() -> None:
    def four_heads_in_a_row(x: Any, w: Any) -> Any:
        q, k, v, a, b = (x @ p for p in w.unbind(0))
        first = torch.softmax(q @ k.mT, -1) @ v
        second = torch.softmax(a @ k.mT, -1) @ b
        return (first @ w[0] + second @ w[1]) @ w[2]

    assert_right_on_twin(four_heads_in_a_row, normal(2, 130, 128) / 11, normal(5, 128, 128) / 11)


def test_weights_that_are_an_output_themselves_are_stored() -> None:
    def both(q: Any, k: Any, v: Any) -> Any:
        weights = torch.softmax(q @ k.transpose(-1, -2), -1)
        return weights @ v, weights

    (kernel, *_) = composed(both, FLAT)[0].kernels
    assert "attention" not in kernel.kinds
