"""Elements and places that a mask selects: indices beside it, writes, products, losses, rows of equally many, order.

Every program is composed for the first draw of its arguments and must be right for all of them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.program import compose
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.task import Distribution
from akgen.tools.reference.protocol import Sample
from tests.tools.compose.composing import Loaded, assert_close, assert_right_on_twin, normal, run

Fn = Callable[..., Any]
Draw = tuple[Any, ...]


class Called(torch.nn.Module):
    """A model that is one function of this file, whose branches can be steered."""

    def __init__(self, function: Fn) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


class Drawn(Loaded):
    """A case of which several draws of the arguments are known."""

    draws: tuple[Draw, ...] = ()

    def sample(self, seed: int, distribution: Distribution) -> Sample:
        args = self.draws[seed % len(self.draws)]
        other = Loaded(self.model, args).sample(seed, distribution)
        return replace(other, args=args)


def right(function: Fn, *draws: Draw) -> None:
    model = Called(function)
    loaded: Any = Drawn(model, draws[0])
    loaded.draws = draws
    raw = trace(loaded)
    composition = compose("TestOp", "test_op", [raw], "A test.")
    for draw in draws:
        case: Any = Loaded(model, draw)
        for mine, want in zip(run(composition, case, raw), case.returned(), strict=True):
            assert_close(mine, want)


X = (normal(6, 5),), (normal(6, 5, seed=3),)


def integer_beside(x: Any) -> Any:
    m = x[:, 0] > 0
    return (x[m, 2] * 2).sum(), x[m, 1:3].sum(0), (x[m][:, None] * x[m, 1].view(-1, 1, 1)).sum(0)


def later_axes(x: Any) -> Any:
    m = x[2] > -0.2
    y = x.clone()
    y[:, m] = 0
    y[2:4, m] += 1
    return x[:, m].sum(1), x[..., m].amax(-1), y, x[1, m].sum(), x[:, m] @ x[:, m].T


def overlapping(x: Any) -> Any:
    out = torch.zeros(2, 3, 5)
    flat = out.view(6, 5)
    for k in range(3):
        one = x[:, k] > 0
        if one.any():
            flat[one] += F.gelu(x[one] * k + 1) * x[one, k].unsqueeze(1)
    mask = (x[:, 0] > 0).view(2, 3)
    if mask.view(-1).any():
        out[mask] += x[mask.view(-1)]  # one mask in two shapes
    return out


def chained(x: Any) -> Any:
    keep = x[:, 0] > -1
    b, s = x[keep], x[keep, 1]
    again = s > 0
    b, s = b[again], s[again]
    both = torch.cat([b, x[x[:, 1] < 0]])
    return b.sum(0), (b * s[:, None]).sum(), b.norm(), torch.einsum("nd,ne->de", b, b), b.T @ b, both.sum(0)


def losses(x: Any, y: Any) -> Any:
    k = x[:, 0] > -0.5
    found = F.cross_entropy(x[k], y[k]), F.mse_loss(x[k], x[k] * 2 + 1)
    log = F.nll_loss(F.log_softmax(x[k], -1), y[k], reduction="sum")
    return *found, log, F.cosine_similarity(x[k], x[k] + 1).mean(), F.one_hot(y[k], 3).sum(0)


def ordered(x: Any) -> Any:
    m = x[:, 0] > -1
    first = torch.where(m)[0][0]
    return x[m][0], x[m][-1], x[m, 0].argmax(), x[m][x[m, 1].argmax()], m.nonzero()[0], x[first]


def sorted_part(x: Any) -> Any:
    m = x[:, 0] > -1
    values, _ = x[m, 0].sort(descending=True)
    return x[m, 0].topk(2)[0], values[:2], x[m].softmax(0).sum(1).max()


def two_axes(x: Any) -> Any:
    r, c = torch.where(x > 0)
    y, z, w = torch.zeros_like(x), torch.zeros_like(x), torch.zeros(5, 6)
    y[r, c] = x[x > 0] * 2
    z[r] = 1.0
    w[c, r] = x[r, c]
    return torch.zeros(6).index_add_(0, r, x[r, c]), torch.zeros(5).index_add_(0, c, x[r, c]), y, z, w


def columns(x: Any) -> Any:
    r, c = torch.where(x[:, 0] > 0)[0], torch.tensor([0, 2])
    y = x.clone()
    y[r[:, None], c] = 0
    return x[r[:, None], c].sum(0), y, x[x[:, 0] > 0][:, c].sum(0)


def off_diagonal(x: Any) -> Any:
    scores = x @ x.T
    off = ~torch.eye(6, dtype=torch.bool)
    rows = scores[off].view(6, 5)
    return rows, torch.logsumexp(rows, 1).mean(), scores[off].view(6, -1).max(1)[0], scores[~off]


@pytest.mark.parametrize(
    "function",
    [integer_beside, later_axes, overlapping, chained, ordered, sorted_part, two_axes, columns, off_diagonal],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_selected_elements_are_pytorchs(function: Fn) -> None:
    right(function, *X)


def test_losses_of_selected_rows() -> None:
    classes = torch.arange(6) % 3
    right(losses, *((*x, classes) for x in X))


SLOTS = torch.tensor([3, -1, 0, 3, 7, -1]), torch.tensor([-1, -1, 2, 2, 2, -1]), torch.full((6,), -1)
CACHE = [(normal(8, 5, seed=9), normal(6, 5), slots) for slots in SLOTS]


def cache(c: Any, x: Any, s: Any) -> Any:
    """Write to places of which some are the same, or none is named at all."""
    a, b, e, g = c.clone(), c.clone(), c.clone(), c.clone()
    ok = s >= 0
    a[s[ok]] = x[ok]
    b.index_put_((s[ok],), x[ok] * 2, accumulate=True)
    e[s[ok], 1] = x[ok, 0]
    g[s[ok]] = 7.0
    return a, b, e, g, c.index_copy(0, s[ok], x[ok]).index_fill_(0, s[ok], -1.0)


def test_places_that_a_mask_selects_are_written_in_their_order() -> None:
    right(cache, *CACHE)


def test_places_are_written_on_the_twin() -> None:
    assert_right_on_twin(lambda c, x, s: cache(c, x, s)[:2], *CACHE[0])


EVEN = torch.tensor([[1.0, 0, 2, 0], [0, 0, 3, 4], [5, 6, 0, 0]])
EVEN_ELSEWHERE = torch.tensor([[0, 0, 2.0, 7], [0, 2, 0, 4], [9, 6, 0, 0]])
UNEVEN = torch.tensor([[0, 5, 2.0, 7], [0, 2, 0, 4], [9, 0, 0, 0]])


def even_rows(z: Any) -> Any:
    m = z > 0
    p = z[m].view(3, -1)
    v, i = p.max(1, keepdim=True)
    index = torch.arange(4).expand(3, 4)
    return v, i, p.mean(1), p.softmax(-1), index[m].view(3, -1).gather(1, i), p.argmin(1), z[m].view(2, -1)


def test_equally_many_elements_of_each_row_are_a_matrix() -> None:
    right(even_rows, (EVEN,), (EVEN_ELSEWHERE,))


def test_rows_of_a_mask_that_select_unlike_many_are_no_matrix() -> None:
    """As many in all, but not in each row: right as long as it is no matrix by rows; another count is refused."""
    right(lambda z: z[z > 0].view(3, -1).max(1)[0], (EVEN,), (UNEVEN,))
    more = torch.ones(3, 4)
    with pytest.raises(Unsupported, match="another shape"):
        right(lambda z: z[z > 0].view(3, -1).sum(), (EVEN,), (more,))


def tokens(e: Any, ids: Any, features: Any) -> Any:
    a, c = e.clone(), e.clone()
    a[ids == 9] = features
    c[ids == 9] = c[ids == 9] + features
    return a, c, e.masked_scatter((ids == 9).unsqueeze(-1).expand_as(e), features)


def test_rows_go_where_a_mask_holds_one_after_the_other() -> None:
    ids = [[1, 9, 9, 2], [9, 3, 4, 5]], [[9, 9, 1, 2], [3, 9, 4, 5]]
    right(tokens, *((normal(2, 4, 3), torch.tensor(i), normal(3, 3, seed=8)) for i in ids))
