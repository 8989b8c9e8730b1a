"""Mixtures of experts as people write them: rows that a mask names, parts of sorted rows, weights by an index."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from akgen.tools.compose.scope import Unsupported
from tests.tools.compose.composing import assert_right, assert_right_on_twin, composed, normal

Fn = Callable[..., Any]
EXPERTS, WIDTH, HIDDEN = 4, 8, 12


def expert(x: Any, up: Any, down: Any, e: int) -> Any:
    return F.linear(F.silu(F.linear(x, up[e])), down[e])


def by_places(x: Any, gate: Any, up: Any, down: Any) -> Any:
    weight, chosen = torch.softmax(x @ gate, -1).topk(2, -1)
    out = torch.zeros_like(x)
    for e in range(EXPERTS):
        token, slot = torch.where(chosen == e)
        if token.numel() == 0:
            continue
        out.index_add_(0, token, expert(x[token], up, down, e) * weight[token, slot, None])
    return out


def by_one_hot(x: Any, gate: Any, up: Any, down: Any) -> Any:
    weight, chosen = torch.softmax(x @ gate, -1).topk(2, -1)
    out = torch.zeros_like(x)
    mask = F.one_hot(chosen, num_classes=EXPERTS).permute(2, 1, 0)
    for e in range(EXPERTS):
        slot, token = torch.where(mask[e])
        rows = x[None, token].reshape(-1, x.shape[1])
        out.index_add_(0, token, (expert(rows, up, down, e) * weight[token, slot, None]).to(x.dtype))
    return out


def by_mask(x: Any, gate: Any, up: Any, down: Any) -> Any:
    weight, chosen = torch.softmax(x @ gate, -1).topk(2, -1)
    out = torch.zeros_like(x)
    for e in range(EXPERTS):
        hit = chosen == e
        rows = hit.any(dim=-1)
        if rows.any():
            out[rows] += expert(x[rows], up, down, e) * (weight * hit).sum(-1)[rows].unsqueeze(-1)
    return out


def best_alone(x: Any, gate: Any, up: Any, down: Any) -> Any:
    best = (x @ gate).argmax(-1)
    out = torch.zeros_like(x)
    for e in range(EXPERTS):
        rows = (best == e).nonzero(as_tuple=True)[0]
        if len(rows) > 0:
            out[rows] = expert(x.index_select(0, rows), up, down, e)
    return out


def normed(x: Any, gate: Any, up: Any, down: Any) -> Any:
    """Layers between the choice and the product, and another place for the result."""
    best = (x @ gate).argmax(-1)
    out = x.clone()
    for e in range(EXPERTS):
        rows = torch.nonzero(best == e).squeeze(-1)
        out[rows] += expert(F.layer_norm(x[rows], (WIDTH,)).softmax(-1), up, down, e)[:, :WIDTH]
    return out


def by_sorting(x: Any, gate: Any, up: Any, down: Any) -> Any:
    weight, chosen = torch.softmax(x @ gate, -1).topk(2, -1)
    order = chosen.flatten().argsort(stable=True)
    counts = torch.bincount(chosen.flatten(), minlength=EXPERTS).tolist()
    parts = x[order // 2].split(counts)
    rows = torch.cat([expert(part, up, down, e) for e, part in enumerate(parts)])
    back = torch.empty_like(rows)
    back[order] = rows
    return (back.view(x.shape[0], 2, -1) * weight.unsqueeze(-1)).sum(1)


def by_ends(x: Any, gate: Any, up: Any, down: Any) -> Any:
    chosen = torch.softmax(x @ gate, -1).topk(2, -1)[1]
    counts = chosen.new_zeros((x.shape[0], EXPERTS)).scatter_(1, chosen, 1).sum(0)
    order = chosen.view(-1).argsort(stable=True)
    rows, outputs, start = x[order // 2], [], 0
    for e, count in enumerate(counts.tolist()):
        end = start + count
        if count == 0:
            continue
        outputs.append(expert(rows[start:end], up, down, e))
        start = end
    return torch.cat(outputs)[order.argsort()].view(x.shape[0], 2, -1).sum(1)


def returned(x: Any, gate: Any, up: Any, down: Any) -> Any:
    """What was put back in order is the result, and some of it is picked from the end."""
    best = (x @ gate).argmax(-1)
    order, counts = best.argsort(stable=True), torch.bincount(best, minlength=EXPERTS).tolist()
    rows = torch.cat([part @ up[e].mT for e, part in enumerate(x[order].split(counts))])
    back = torch.empty_like(rows)
    back[order] = rows
    out = torch.zeros(10, HIDDEN)
    out[:] = back
    return back, out, rows[torch.arange(-3, 0)]


def by_index(x: Any, gate: Any, up: Any, down: Any) -> Any:
    best = (x @ gate).argmax(-1)
    return torch.einsum("td,tdh->th", x, up[best].mT) @ down[0].mT


def by_flat_rows(x: Any, gate: Any, up: Any, down: Any) -> Any:
    """Rows cut out of the flattened tensor, at offsets that grow in a branch."""
    counts = torch.bincount((x @ gate).argmax(-1), minlength=EXPERTS)
    flat, outputs, offset = x.flatten(), [], 0
    for e, count in enumerate(counts):
        if count > 0:
            rows = flat[offset : offset + count * WIDTH].view(count, WIDTH)
            outputs.append(expert(rows, up, down, e).flatten())
            offset += count * WIDTH
    return torch.cat(outputs)


def by_ends_of_groups(x: Any, gate: Any, up: Any, down: Any) -> Any:
    counts, outputs, start = torch.bincount((x @ gate).argmax(-1), minlength=EXPERTS), [], 0
    for e, end in enumerate(counts.cumsum(0).tolist()):
        outputs.append(x[start:end] @ up[e].mT)
        start = end
    return torch.cat(outputs)


FORMS: list[Fn] = [
    by_places,
    by_one_hot,
    by_mask,
    best_alone,
    normed,
    by_sorting,
    by_ends,
    by_index,
    by_flat_rows,
    by_ends_of_groups,
    returned,
]


class Mixture(nn.Module):
    """A model in this file, so that branches of the functions in it are recorded."""

    def __init__(self, form: Fn) -> None:
        super().__init__()
        self.form = form

    def forward(self, *args: Any) -> Any:
        return self.form(*args)


def weights() -> tuple[torch.Tensor, ...]:
    gate, up = normal(WIDTH, EXPERTS), normal(EXPERTS, HIDDEN, WIDTH)
    return gate, up, normal(EXPERTS, WIDTH, HIDDEN)


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_every_way_to_write_experts_is_pytorchs(form: Fn) -> None:
    assert_right(Mixture(form), (normal(10, WIDTH), *weights()))


def test_an_expert_that_nobody_asks_changes_nothing() -> None:
    gate, up, down = weights()
    gate[:, 1] = -100
    assert_right(Mixture(by_places), (normal(6, WIDTH).abs(), gate, up, down))


def apart(mask: Any, x: Any) -> Any:
    """Two masks that differ in the axis along which they were reduced alone."""
    y = x.clone()
    y[mask.any(dim=0)] = x[mask.any(dim=1)] * 2
    return y


def twice(x: Any) -> Any:
    token, _ = torch.where(x > 0)
    out = x.clone()
    out[token] = x[token] * 2  # a row may be named several times
    return out


def another_length(x: Any) -> Any:
    """Parts of two lengths: that of one does not tell the other's."""
    count = (x[0] > 0).sum().item()
    part = x[:count]
    back = torch.zeros_like(torch.cat([part, part]))
    back[torch.arange(2)] = part
    return back.sum(0)


def beside(x: Any) -> Any:
    out = x.clone()
    out[:, torch.where(x[0] > 0)[0]] = 0
    return out


def test_places_that_are_the_same_and_others_beside_them_are_written() -> None:
    assert_right(lambda x: (twice(x), beside(x), torch.nonzero(x > 0)), (normal(5, 6),))


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: apart(x > 0, x), "another mask"), (another_length, "writing a tensor to a part"),
    ],
)  # fmt: skip
def test_what_is_not_the_same_mask_is_refused(function: Fn, what: str) -> None:
    mirrored = torch.tensor([[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    with pytest.raises(Unsupported, match=what):
        assert_right(function, (mirrored,))


@pytest.mark.parametrize("form", [by_places, by_one_hot, best_alone, by_sorting, by_ends, by_flat_rows])
def test_experts_that_differ_in_weights_alone_are_one_product(form: Fn) -> None:
    composition, _, _ = composed(Mixture(form), (normal(10, WIDTH), *weights()))
    assert all("grouped" in k.kinds and "grouped" in composition.dsl for k in composition.kernels)


def test_halves_that_indices_pick_keep_their_indices() -> None:
    """Where a nest computes in halves, indices of its loads are numbered anew, too."""
    x, w = normal(20, WIDTH).half(), normal(EXPERTS, WIDTH, HIDDEN).half()
    ends = torch.tensor([4, 9, 9, 20])

    def groups(x: Any, w: Any, ends: Any) -> Any:
        outputs, start = [], 0
        for e, end in enumerate(ends.tolist()):
            outputs.append(x[start:end] @ w[e])
            start = end
        return torch.cat(outputs)

    assert_right(groups, (x, w, ends))


class Groups(nn.Module):
    def forward(self, x: Any, w: Any, ends: Any) -> Any:
        found, start = [], 0
        for e, end in enumerate(ends):
            if end - start > 0:
                found.append(x[start:end] @ w[e])
                start = end
        return torch.cat(found)


@pytest.mark.parametrize("ends", [[3, 9, 9, 14, 20, 26, 33, 40], [9, 3, 14, 14, 11, 40, 26, 40]])
def test_many_groups_are_found_by_one_count_for_each_row(ends: list[int]) -> None:
    """An end before the last one's is that of an empty group."""
    case = (normal(40, WIDTH), normal(8, WIDTH, HIDDEN), torch.tensor(ends))
    assert_right(Groups(), case)
    composition, _, _ = composed(Groups(), case)
    assert "contract_groups" in str(composition.groups[0].templates)
    assert len(composition.groups[0].templates) < 14


def test_grouped_rows_on_the_twin() -> None:
    gate, up, _ = weights()
    assert_right_on_twin(lambda x, g, u: by_ends_of_groups(x, g, u, u), normal(40, WIDTH), gate, up)


class Gated(nn.Module):
    """Experts that are layers, each with weights of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.experts = nn.ModuleList([nn.Linear(WIDTH, WIDTH) for _ in range(EXPERTS)])

    def forward(self, x: Any) -> Any:
        best = self.gate(x).argmax(-1)
        out = torch.zeros_like(x)
        for e, layer in enumerate(self.experts):
            rows = best == e
            if not rows.any():
                continue
            out[rows] = torch.relu(layer(x[rows]))
        return out


def test_experts_that_are_layers() -> None:
    assert_right(Gated(), (normal(7, WIDTH),))
