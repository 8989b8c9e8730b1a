"""Integer and boolean inputs: which are numbers, and the values that hidden trials give them."""

import itertools
from typing import Any

import pytest
import torch

from akgen.tools.reference.whole_numbers import free_inputs, redrawn


class Of(torch.nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.forward = function


def ints(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=dtype, generator=torch.Generator().manual_seed(1))


X, Y = ints(-9, 9, 4, 20), ints(-9, 9, 4, 20).flip(0)
TABLE, MASK = torch.randn(50, 3), ints(0, 2, 4, 20).bool()
NUMBERS = {
    "added": (lambda x, y: x + y - 3, [X, Y], [(2**31 - 1) >> 3] * 2),
    "multiplied": (lambda x, y: x * y, [X, Y], [(2**31 - 1) >> 17] * 2),
    "summed": (lambda x: x.sum(-1, dtype=torch.int32), [X], [(2**31 - 1) >> 5]),
    "the larger": (lambda x, y: torch.maximum(x, y).clamp(max=7), [X, Y], [2**30 - 1] * 2),
    "wider": (
        lambda x, y: x.to(torch.int32) * y.to(torch.int32),
        [X.to(torch.int8), Y.to(torch.int8)],
        [127] * 2,
    ),
    "a remainder's dividend": (lambda x: x % 7, [X], [2**30 - 1]),
    "dequantised": (lambda x: x.float() * 0.1, [X.to(torch.int8)], [127]),
    "long": (lambda x, y: x * y, [X.long(), Y.long()], [(2**31 - 1) >> 17] * 2),
    "a mask": (lambda t, m: t.masked_fill(m, 0.0), [torch.randn(4, 20), MASK], [None]),
    "a mask of integers": (
        lambda t, m: t.masked_fill(m == 0, 0.0),
        [torch.randn(4, 20), MASK.long()],
        [None],
    ),
    "compared with a number": (
        lambda t, n: t.masked_fill(n > 3, 0.0),
        [torch.randn(4, 20), X.long()],
        [2**30 - 1],
    ),
}
PLACES = {
    "ends read as a list": (
        lambda t, e: torch.cat([t[a:b] * 2 for a, b in itertools.pairwise([0, *e.tolist()])]),
        [torch.randn(9, 2), torch.tensor([2, 5, 9])],
    ),
    "lengths, summed and read": (
        lambda t, n: t[: int(n.cumsum(0).numpy()[-1])].sum(),
        [torch.randn(9, 2), torch.tensor([2, 3])],
    ),
    "embedding": (lambda t, i: torch.nn.functional.embedding(i, t), [TABLE, ints(0, 50, 4)]),
    "moved before": (lambda t, i: t[(i + 1) % 50], [TABLE, ints(0, 50, 4, dtype=torch.int64)]),
    "gather": (lambda t, i: t.gather(0, i), [TABLE, ints(0, 50, 4, 3, dtype=torch.int64)]),
    "lengths": (lambda x, n: x[:, : int(n[0])], [torch.randn(4, 20), ints(3, 9, 1)]),
    "one of many": (lambda i: torch.nn.functional.one_hot(i, 50), [ints(0, 50, 4, dtype=torch.int64)]),
    "positions": (lambda p: p.float().sin(), [ints(0, 50, 4)]),
    "lengths to compare": (lambda x, n: x * (torch.arange(20) < n[:, None]), [torch.randn(4, 20), ints(3, 9, 4)]),
    "a divisor": (lambda x, y: x // y, [torch.randn(4, 20), ints(1, 9, 4, 20)]),
    "scattered": (lambda x, i: torch.zeros(9).index_add(0, i, x), [torch.randn(4), ints(0, 9, 4)]),
    "picked by a mask": (lambda x, m: x[m], [torch.randn(4, 20), MASK]),
}  # fmt: skip


@pytest.mark.parametrize("case", NUMBERS)
def test_what_is_computed_with_is_a_number(case: str) -> None:
    function, args, most = NUMBERS[case]
    found = free_inputs(Of(function), args)
    assert [f.most for f in found] == most
    changed = redrawn(list(args), found, "normal", torch.Generator().manual_seed(3))
    for f in found:
        assert not torch.equal(changed[f.place], args[f.place])
        assert changed[f.place].dtype == args[f.place].dtype
        if f.most is not None:
            assert int(changed[f.place].abs().max()) > f.most // 2
    assert redrawn(list(args), found, "task", torch.Generator())[0] is args[0]


@pytest.mark.parametrize("case", PLACES)
def test_what_names_a_place_stays(case: str) -> None:
    function, args = PLACES[case]
    assert free_inputs(Of(function), args) == ()


def test_numbers_are_of_both_signs() -> None:
    args = [ints(0, 9, 4, 20), ints(0, 9, 4, 20, dtype=torch.uint8)]
    free = free_inputs(Of(lambda x, y: x // 4 + y), args)
    changed = redrawn(args, free, "normal", torch.Generator().manual_seed(3))
    assert int(changed[0].min()) < 0 <= int(changed[1].min())


def test_indices_that_are_never_drawn_anew_come_in_another_order() -> None:
    args = [TABLE, torch.arange(50).flip(0)]
    free = free_inputs(Of(lambda t, i: t[i]), args, args)
    assert [(f.place, f.indices) for f in free] == [(1, True)]
    changed = redrawn(args, free, "normal", torch.Generator().manual_seed(3))[1]
    assert not torch.equal(changed, args[1]) and torch.equal(changed.sort()[0], torch.arange(50))
    once = (
        torch.arange(4)[:, None].expand(4, 6).clone()
    )  # scattered along axis 0: each column holds each index once
    rows = redrawn([once], [free[0]._replace(place=0)], "normal", torch.Generator().manual_seed(1))[0]
    assert not torch.equal(rows, once) and torch.equal(rows.sort(0)[0], once)


@pytest.mark.parametrize(
    "function",
    [
        lambda t, i: t[i] * (i > torch.arange(50))[:, None],
        lambda t, i: t[: int(i[0])],
        lambda t, i: t[i] + i[:, None],
    ],
)
def test_indices_that_mean_more_stay(function: Any) -> None:
    args = [TABLE, torch.arange(50).flip(0)]
    assert free_inputs(Of(function), args, args) == ()
    assert free_inputs(Of(lambda t, i: t[i]), args, [TABLE, torch.arange(50)]) == ()


def test_a_mask_is_as_full_as_before_in_each_row() -> None:
    causal = torch.ones(40, 40, dtype=torch.bool).tril()
    free = free_inputs(
        Of(lambda s, m: s.masked_fill(~m, float("-inf")).softmax(-1)), [torch.randn(40, 40), causal]
    )
    changed = redrawn([torch.randn(40, 40), causal], free, "sparse", torch.Generator().manual_seed(2))[1]
    assert torch.equal(changed.sum(-1), causal.sum(-1)) and not torch.equal(changed, causal)
    full = redrawn([torch.randn(2, 2), torch.ones(40, 40).bool()], free, "normal", torch.Generator())[1]
    assert 0.6 < float(full.float().mean()) < 0.9 and bool(full.any(-1).all())
    assert redrawn([causal[0], causal[:, :4]], free, "normal", torch.Generator())[1].shape == (40, 4)
