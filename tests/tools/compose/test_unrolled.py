"""Loops whose steps work on parts of a tensor: triangles, pieces of a whole, numbers that are stacked."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from akgen.tools.dsl.ir import For, walk
from tests.tools.compose.composing import assert_right, assert_right_on_twin, composed, normal

Fn = Callable[..., Any]
N = 12


def forward_substitution(a: Any, b: Any) -> Any:
    x = torch.zeros_like(b)
    for i in range(N):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / (a[i, i].abs() + 4)
    return x


def elimination(a: Any, b: Any) -> Any:
    u = a + 8 * torch.eye(N)
    for k in range(N - 1):
        factor = u[k + 1 :, k] / u[k, k]
        u[k + 1 :, k:] -= factor[:, None] * u[k, k:]
    return u + 0 * b


def cholesky(a: Any, b: Any) -> Any:
    spd = a @ a.T + 4 * torch.eye(N)
    low = torch.zeros_like(spd)
    for j in range(N):
        low[j, j] = (spd[j, j] - (low[j, :j] ** 2).sum()).sqrt()
        if j + 1 < N:
            low[j + 1 :, j] = (spd[j + 1 :, j] - low[j + 1 :, :j] @ low[j, :j]) / low[j, j]
    return low + 0 * b


def inverse_of_a_triangle(a: Any, b: Any) -> Any:
    t = (a / 4).tril(-1)
    for i in range(1, N):
        row, sub = t[i, :i].clone(), t[:i, :i].clone()
        t[i, :i] = row + (row.unsqueeze(-1) * sub).sum(-2)
    return t @ b


class Suppression(torch.nn.Module):
    def forward(self, a: Any, b: Any) -> Any:
        close = (a @ a.T).abs() > 6
        alive = torch.ones(N, dtype=torch.bool)
        for i in range(N):
            if alive[i]:
                alive[i + 1 :] &= ~close[i, i + 1 :]
        return b * alive[:, None]


def suffixes(a: Any, b: Any) -> Any:
    out = a.clone()
    for i in range(N - 1):
        out[:, i + 1 :] = torch.maximum(out[:, i + 1 :], out[:, i : i + 1] - 0.5)
    return out + 0 * b


def edges_of_a_square(a: Any, b: Any) -> Any:
    """A recurrence of neighbours (time warping, alignment), diagonal by diagonal: each has another length."""
    before, last = b.new_full((N + 1,), 9.0), b.new_full((N + 1,), 9.0)
    before[0] = 0
    for k in range(2, 2 * N + 1):
        low, high = max(1, k - N), min(N, k - 1)
        i = torch.arange(low, high + 1)
        best = -torch.logsumexp(-torch.stack([before[i - 1], last[i - 1], last[i]]), 0)
        new = torch.where((2 * i - k).abs() > 6, 9.0, a[i - 1, k - i - 1] + best)
        now = b.new_full((N + 1,), 9.0)
        now[low : high + 1] = new
        before, last = last, now
    return last + 0 * b[:1, :1]


TRIANGLES = [forward_substitution, elimination, cholesky, inverse_of_a_triangle, Suppression(), suffixes]


@pytest.mark.parametrize(("form", "steps"), [*((f, N) for f in TRIANGLES), (edges_of_a_square, 2 * N)])
def test_steps_on_parts_of_every_length_are_loops(form: Fn | torch.nn.Module, steps: int) -> None:
    args = (normal(N, N), normal(N, N, seed=1))
    assert_right(form, args)
    composition, _, _ = composed(form, args)
    kernels = composition.program.kernels
    assert sum(isinstance(s, For) for s in walk(kernels[0].body)) < 3 * steps  # and not one for each step
    assert any("time_step" in str(s) for s in walk(kernels[0].body) if isinstance(s, For))


def test_steps_on_parts_of_every_length_run_on_the_twin() -> None:
    assert_right_on_twin(inverse_of_a_triangle, normal(N, N), normal(N, N, seed=1))


def overlapping_frames(x: Any) -> Any:
    frames, hop = x * 2, 8
    whole = torch.zeros(x.shape[0], hop * 11 + 16)
    for i in range(x.shape[1]):
        whole[:, i * hop : i * hop + 16] += frames[:, i]
    return whole


def heads_one_by_one(x: Any) -> Any:
    q, k = x, x.roll(1, 0)
    return torch.cat([torch.softmax(q[:, h] @ k[:, h].T, -1) @ q[:, h] for h in range(x.shape[1])], -1)


def windows_one_by_one(x: Any) -> Any:
    return torch.stack(
        [(x[:, i] - x[:, i].mean(-1, keepdim=True)).square().sum(-1) for i in range(x.shape[1])], 1
    )


def numbers_one_by_one(x: Any) -> Any:
    flat, best = x[0, 0], []
    top = flat[0] * 0
    for i in range(flat.shape[0]):
        top = torch.maximum(top, flat[i])
        best.append(top * 2 + i)
    return torch.stack(best)


@pytest.mark.parametrize(
    "form", [overlapping_frames, heads_one_by_one, windows_one_by_one, numbers_one_by_one]
)
def test_parts_that_are_joined_are_computed_together(form: Fn) -> None:
    x = normal(6, 12, 16)
    assert_right(form, (x,))
    composition, _, _ = composed(form, (x,))
    assert len(composition.groups[0].templates) < 8


class RaggedRows(torch.nn.Module):
    """Each step writes one row, in two parts whose lengths are elements."""

    def forward(self, x: Any, lengths: Any) -> Any:
        out = torch.zeros_like(x)
        for i in range(x.shape[0]):
            n = lengths[i].item()
            out[i, :n] = x[i, torch.arange(n - 1, -1, -1)] * 2
            if n < x.shape[1]:
                out[i, n:] = x[i, n:]
        return out


def test_rows_that_steps_write_are_computed_together() -> None:
    args = (normal(20, 9, 4), torch.randint(1, 10, (20,), generator=torch.Generator().manual_seed(1)))
    composition, _, _ = composed(RaggedRows(), args)
    assert len(composition.groups[0].templates) == 1
    assert_right(RaggedRows(), args)
