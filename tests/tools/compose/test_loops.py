"""Loops over time, which a trace unrolls, are rolled: one step is written once, in a loop over nests."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.sampled import sampled
from tests.tools.compose.composing import assert_close, assert_right_on_twin, composed, normal, run


def biquad(x: torch.Tensor, b0: torch.Tensor) -> torch.Tensor:
    """Two filters one after the other: states that begin as zeros, outputs that are stacked."""
    for _ in range(2):
        first = second = torch.zeros(x.shape[0])
        out = []
        for i in range(x.shape[1]):
            y = b0 * x[:, i] + first
            first = x[:, i] * 0.4 - 0.3 * y + second
            second = 0.7 * x[:, i] - 0.2 * y
            out.append(y)
        x = torch.stack(out, 1)
    return x


def scan_backward(x: torch.Tensor, gate: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    """From the last step to the first, with a sum in each; outputs stand in the order of time."""
    out: list[torch.Tensor] = []
    for i in range(x.shape[1] - 1, -1, -1):
        h = torch.exp(-gate[:, i, :, None].abs()) * h + x[:, i, None, :] * torch.sigmoid(h)
        out.insert(0, (h * h.sin()).sum(-1))
    return torch.stack(out, 1)


def delta_rule(k: torch.Tensor, v: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The state is read by a product with a vector, and what it lacks is written."""
    out = torch.zeros(v.shape)
    for i in range(k.shape[1]):
        old = torch.einsum("bk,bkv->bv", k[:, i], state)
        state = 0.9 * state + k[:, i, :, None] * torch.tanh(v[:, i] - old)[:, None, :]
        out[:, i] = torch.einsum("bk,bkv->bv", k[:, i], state)
    return out, state


def recurrent(x: torch.Tensor, w: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """A product of matrices in each step: the cube cores take part in the loop."""
    h = torch.zeros(x.shape[0], w.shape[1])
    for i in range(x.shape[1]):
        z = torch.sigmoid(x[:, i] @ w + h @ u)
        h = z * h + (1 - z) * torch.tanh(x[:, i] @ w - h @ u)
        h = h / (1.0 + h.abs().mean(-1, keepdim=True))
    return h


def heat(u: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """Neighbours of another core's elements in each step, a number that changes with time, a part that grows."""
    for i in range(20):
        left, right = torch.roll(u, 1, 1), torch.roll(u, -1, 1)
        flow = 0.2 * (left + right - 2 * u) + 0.01 * i * torch.sin(source) * u
        u = u + flow / (1 + flow.abs()) - 0.1 * (u - u.roll(1, 0)).tanh()
    return u


def ctc_like(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Shifts along the row that each step makes, and a maximum over it."""
    alpha = x[0]
    for t in range(1, x.shape[0]):
        before = torch.nn.functional.pad(alpha, (1, -1), value=-20.0)
        two = torch.where(mask, torch.nn.functional.pad(alpha, (2, -2), value=-20.0), -20.0)
        top = torch.maximum(torch.maximum(alpha, before), two)
        alpha = x[t] + top + torch.log((alpha - top).exp() + (before - top).exp() + (two - top).exp())
    return torch.logsumexp(alpha, -1)


def substituted(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Forward from step to step, then back: the second loop takes what the first has made, last step first."""
    up, right = [torch.tanh(a[:, 0])], [b[:, 0]]
    for t in range(1, a.shape[1]):
        up.append(torch.tanh(a[:, t] - 0.5 * up[-1]))
        right.append(b[:, t] - up[-1] * right[-1])
    x = [right[-1]]
    for t in range(a.shape[1] - 2, -1, -1):
        x.append(right[t] - up[t] * x[-1])
    return torch.stack(x[::-1], -1)


def rows_in_place(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Rows of what the last step left, each step's own: slices that move of a value that is made anew."""
    y = y.clone()
    for i in range(1, x.shape[0]):
        y[i] = torch.tanh(y[i] + 0.5 * y[i - 1].sin()) * x[i] + y[i].cos()
    return y


def a_row_of_what_is_carried(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """A row that moves of a value that the step itself has made."""
    for i in range(1, x.shape[0]):
        z = torch.tanh(y + x[i])
        y = torch.cat([z[:1] * 0.9, z[1:] + y[:1].sin() * z[i].cos()], 0)
    return y


def both_ways(x: torch.Tensor, w: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    steps = list(x.unbind(1))
    for _ in range(2):
        h, ahead, back = torch.zeros_like(steps[0][:, :4]), [], []
        for s in steps:
            h = torch.tanh(torch.sigmoid(s @ w) * h + s @ u)
            ahead.append(h)
        for s in reversed(steps):
            h = torch.tanh(torch.sigmoid(s @ u) * h - s @ w)
            back.insert(0, h)
        steps = [torch.cat(pair, 1) for pair in zip(ahead, back, strict=True)]
    return torch.stack(steps)


CASES: list[tuple[Callable[..., Any], tuple[torch.Tensor, ...], int]] = [
    (biquad, (normal(6, 24), normal(1)), 2),
    (scan_backward, (normal(2, 24, 3), normal(2, 24, 5, seed=1), normal(2, 5, 3)), 1),
    (delta_rule, (normal(2, 20, 4), normal(2, 20, 5), normal(2, 4, 5)), 1),
    (recurrent, (normal(3, 12, 4), normal(4, 16), 0.2 * normal(16, 16)), 1),
    (heat, (normal(4, 16), normal(4, 16, seed=1)), 1),
    (substituted, (normal(3, 16), normal(3, 16, seed=1)), 2),
    (ctc_like, (normal(20, 2, 9), normal(2, 9) > 0), 1),
    (both_ways, (normal(2, 24, 8), 0.3 * normal(8, 4), 0.3 * normal(8, 4, seed=1)), 4),
]


@pytest.mark.parametrize(("function", "args", "loops"), sampled(CASES, 7), ids=[c[0].__name__ for c in CASES])
def test_a_loop_over_time_is_written_once(
    function: Callable[..., Any], args: tuple[torch.Tensor, ...], loops: int
) -> None:
    composition, (loaded,), (raw,) = composed(function, args)
    nests = [t.nest for t in composition.groups[0].templates]
    assert len({n.loop for n in nests} - {None}) == loops
    assert len(nests) < max(25, 12 * loops)
    for mine, want in zip(run(composition, loaded, raw, 3), loaded.returned(), strict=True):
        assert_close(mine, want)


@pytest.mark.parametrize(("function", "loops"), [(rows_in_place, {1}), (a_row_of_what_is_carried, {1})])
def test_slices_that_move_of_what_steps_make_are_read_where_they_are(
    function: Callable[..., Any], loops: set[int]
) -> None:
    composition, (loaded,), (raw,) = composed(function, (normal(9, 5), normal(9, 5, seed=1)))
    assert {t.nest.loop for t in composition.groups[0].templates} - {None} == loops
    assert_close(*run(composition, loaded, raw, 3), loaded.returned()[0])


@pytest.mark.parametrize(("function", "args"), [c[:2] for c in CASES if c[0] in (biquad, recurrent)])
def test_a_loop_over_time_runs_on_the_twin(
    function: Callable[..., Any], args: tuple[torch.Tensor, ...]
) -> None:
    assert_right_on_twin(function, *args)


def test_steps_that_join_more_than_eight_values_are_a_loop() -> None:
    def mixed(x: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        for t in range(x.shape[1]):
            c = torch.stack([torch.sin(c[:, k] + x[:, t]) * c[:, k - 1] for k in range(9)], 1)
        return c

    composition, (loaded,), (raw,) = composed(mixed, (normal(3, 6), normal(3, 9)))
    assert {t.nest.loop for t in composition.groups[0].templates} - {None} == {1}
    assert_close(*run(composition, loaded, raw, 3), loaded.returned()[0])


def test_steps_that_one_nest_computes_from_what_it_loads_once_stay_fused() -> None:
    def polynomial(x: torch.Tensor) -> torch.Tensor:
        y = torch.ones_like(x)
        for k in range(12):
            y = y * x * (1.0 / (k + 1)) + torch.sin(y)
        return y

    composition, _, _ = composed(polynomial, (normal(64),))
    assert [t.nest.loop for t in composition.groups[0].templates] == [None]


@pytest.mark.slow
def test_one_program_serves_every_number_of_steps() -> None:
    composition, cases, raws = composed(biquad, (normal(6, 24), normal(1)), (normal(4, 31), normal(1)))
    assert len(composition.groups) == 1
    for case, raw in zip(cases, raws, strict=True):
        (got,) = run(composition, case, raw, 3)
        assert_close(got, case.returned()[0])
