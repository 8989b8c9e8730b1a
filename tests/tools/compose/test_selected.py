"""Elements that a mask selects: read, changed and written back, combined; what is not covered is refused."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from akgen.tools.compose.scope import Unsupported
from tests.tools.compose.composing import assert_right, assert_right_on_twin, normal

Fn = Callable[..., Any]


def in_place(x: Any) -> Any:
    y = x.clone()
    y[y > 0] *= 2
    y[y < -1] = -y[y < -1] + 1
    return y


def places(x: Any) -> Any:
    low, high = x.floor().long(), x.ceil().long()
    low[(high > 0) & (low == high)] -= 1
    return low


def both_sides(x: Any) -> Any:
    y, mask = x.clone(), x > 0
    y[mask] = torch.exp(y[mask].clamp(max=1.5))
    y[~mask] = 0
    return y


def combined(x: Any) -> Any:
    mask = x.abs() < 1
    return x[mask].mean(), x[mask].max(), (x[mask] - x[mask].min()).sum(), torch.masked_select(x, x > 0).std()


def counted(x: Any) -> Any:
    return x * x[x > 0].shape[0] + x[x > 1].numel()


def rows(x: Any) -> Any:
    y, mask = torch.zeros_like(x), x[:, 0] > 0
    y[mask] = x[mask] * 3
    return y, x[mask].sum(0)


def kept_over_a_write(x: Any) -> Any:
    y = x.clone()
    mask = y > 0
    before = y[mask]
    y.mul_(2)
    y[mask] += before
    return y


def confusion(x: Any) -> Any:
    label, valid = x.long().clamp(0, 3), x > -2
    places = label[valid] * 4 + (label[valid] + 1) % 4
    counts = torch.zeros(16, dtype=torch.int64).scatter_add_(0, places, torch.ones_like(places))
    return counts.view(4, 4), torch.bincount(label[x > 0], minlength=5)


def whole_numbers(x: Any) -> Any:
    n = x.long()
    return n[n > 0].sum(), n[n < 0].prod(), (n > 0)[n != 0].sum()


COVERED: list[Fn] = [
    in_place,
    places,
    both_sides,
    combined,
    counted,
    rows,
    kept_over_a_write,
    confusion,
    whole_numbers,
]


@pytest.mark.parametrize("function", COVERED, ids=lambda f: f.__name__)
def test_selected_elements_are_pytorchs(function: Fn) -> None:
    assert_right(function, (normal(5, 7) * 3,))


def test_selected_elements_on_the_twin() -> None:
    assert_right_on_twin(in_place, normal(9, 70))


def another_mask(x: Any) -> Any:
    y = x.clone()
    before = y[y > 0]
    y.mul_(2)
    y[y > 0] = before  # as many, but another mask for all that is known
    return y


REFUSED: dict[str, tuple[Fn, str]] = {
    "another mask": (another_mask, "another mask holds"),
    "two masks": (lambda x: (x[x > 0] + x[x < 0]).sum(), "two masks"),
    "a loop": (lambda x: sum(v for v in x[x > 0]), "a Python loop"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_their_order_is_refused(name: str) -> None:
    function, what = REFUSED[name]
    balanced = torch.tensor([[1.0, -2.0], [-3.0, 4.0]])
    with pytest.raises(Unsupported, match=what):
        assert_right(function, (balanced,))
