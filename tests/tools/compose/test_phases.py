"""What one loop nest cannot hold is computed in phases, which hand values on through the workspace."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from akgen.tools.compose.back.feasibility import Feasibility
from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.middle.interface import interface
from akgen.tools.compose.middle.loop_nest import LoopNest
from akgen.tools.compose.middle.phases import partition
from akgen.tools.compose.middle.rolled import rolled
from akgen.tools.compose.program import compose
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from tests.sampled import sampled
from tests.tools.compose.composing import Function, Loaded, assert_right, composed, normal

Fn = Callable[..., Any]


def counted_pairs(x: torch.Tensor, y: torch.Tensor) -> Any:
    """Return how often each pair of labels meets, as PyTorch's 64-bit integers, and two things made of that."""
    pairs = F.one_hot(x.long(), 7).t() @ F.one_hot(y.long(), 7)
    return pairs, pairs.sum(0), pairs.diagonal() / pairs.sum(1).clamp(min=1)


def labels(seed: int) -> torch.Tensor:
    return torch.randint(0, 7, (61,), generator=torch.Generator().manual_seed(seed), dtype=torch.int32)


MANY = tuple(normal(5, 9, seed=k) for k in range(12))
PHASED: dict[str, tuple[Fn, tuple[tuple[Any, ...], ...]]] = {
    "a reshape that mixes factors": (
        lambda x: torch.softmax(torch.tanh(x).reshape(-1, 8), -1),
        ((normal(4, 6),), (normal(20, 6),)),
    ),
    "reductions along three axes": (
        lambda x: torch.softmax(x, 1) * torch.softmax(x, 2) * torch.softmax(x, 0),
        ((normal(7, 9, 50),), (normal(3, 17, 64),)),
    ),
    "more tensors than events": (lambda *a: sum(a), (MANY,)),
    "more outputs than events": (lambda x: tuple(x * k + 1 for k in range(12)), ((normal(5, 70),),)),
    "more rows of outputs than events": (
        lambda x: tuple(torch.softmax(x * k, -1) for k in range(10)),
        ((normal(5, 70),),),
    ),
    "more joined pieces than events": (lambda *a: torch.cat([x * 2 for x in a], 1), (MANY,)),
    "windows of what is normalised": (
        lambda x, w: F.conv2d(F.batch_norm(x, None, None, training=True), w, stride=2, padding=2, groups=4),
        ((normal(2, 4, 9, 9), normal(4, 1, 5, 5)),),
    ),
    "a product of whole numbers, kept and used": (counted_pairs, ((labels(0), labels(1)),)),
    "more outputs of different shapes than events": (
        lambda *a: tuple(y for x in a for y in (x * 2, x + 1, x.exp())),
        (tuple(normal(5 + k, 9, seed=k) for k in range(4)),),
    ),
    "two parts of a phase with long columns": (
        lambda x, y: (lambda p, m: ((p * m).sum((0, 2))[1:].mean(), (p * m).sum((0, 2)) / p.sum((0, 2))))(
            torch.softmax(x, 1), torch.zeros_like(x).scatter(1, y[:, None], 1.0)
        ),
        ((normal(2, 5, 2080), normal(2, 2080).abs().long() % 5),),
    ),
    "a softmax of joined pieces": (
        lambda x, y: torch.softmax(torch.cat([x, y], 1), 1),
        ((normal(5, 9), normal(5, 20)), (normal(8, 30), normal(8, 3))),
    ),
}


TURNED: dict[str, tuple[Fn, tuple[tuple[Any, ...], ...]]] = {
    "a matrix and its transpose": (lambda x: x + x.T, ((normal(40, 40),), (normal(200, 200),))),
    "a transpose of what is computed": (
        lambda x: torch.exp(x) + torch.softmax(x, -1).T,
        ((normal(60, 60),), (normal(33, 33),)),
    ),
    "channels last": (lambda x: x.permute(0, 2, 3, 1).exp(), ((normal(2, 3, 8, 8),), (normal(2, 5, 4, 4),))),
    "a permutation of five axes": (
        lambda x: x.permute(4, 2, 0, 3, 1).exp(),
        ((normal(2, 3, 4, 5, 6),), (normal(3, 2, 5, 4, 8),)),
    ),
    "rows of a permutation": (
        lambda x: torch.softmax(x.permute(0, 2, 1), -1),
        ((normal(2, 3, 40),), (normal(2, 50, 40),)),
    ),
    "group norm of channels last": (
        lambda x, g: F.group_norm(x.permute(0, 3, 1, 2), 4, g, g).permute(0, 2, 3, 1),
        ((normal(2, 4, 4, 8), normal(8)),),
    ),
    "pairs that lie apart": (
        lambda x, c, s: torch.stack(
            [x[..., ::2] * c - x[..., 1::2] * s, x[..., ::2] * s + x[..., 1::2] * c], -1
        ).flatten(-2),
        ((normal(5, 7, 20), normal(7, 10), normal(7, 10)),),
    ),
    "results of rows side by side": (lambda x: torch.stack([x.sum(-1), x.amax(-1)], -1), ((normal(5, 20),),)),
}


@pytest.mark.parametrize("name", TURNED)
def test_axes_that_lie_otherwise_in_memory(name: str) -> None:
    function, cases = TURNED[name]
    assert_right(function, *cases)


@pytest.mark.parametrize("name", sampled(PHASED, 2))
def test_phases_compute_what_pytorch_computes(name: str) -> None:
    function, cases = PHASED[name]
    assert_right(function, *cases)


def test_rows_that_fit_and_rows_that_do_not_are_cut_alike() -> None:
    def backward(dy: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> Any:
        mean, rstd = x.mean(-1, keepdim=True), x.var(-1, keepdim=True).rsqrt()
        return torch.ops.aten.native_layer_norm_backward(
            dy, x, [x.shape[-1]], mean, rstd, w, w, [True, True, True]
        )

    assert_right(
        backward,
        (normal(6, 40), normal(6, 40, seed=1), normal(40)),
        (normal(3, 30000), normal(3, 30000, seed=1), normal(30000)),
    )


@pytest.mark.parametrize("shape", [(3, 70000), (300, 12)])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x + 1.0, (x + 1.0) / (x + 1.0).sum(-1, keepdim=True)),
        lambda x: (x + 1.0, x.sum(0), x / x.sum(-1, keepdim=True)),
        lambda x: (torch.exp(x).flip(0), x * 2.0),
        lambda x: (torch.exp(x).flip(0),),
    ],
)
def test_an_input_is_overwritten_when_nothing_reads_it_any_more(function: Fn, shape: tuple[int, int]) -> None:
    x = normal(*shape)
    raw = trace(Loaded(Function(function), (x,)))
    aliases = (0, *[None] * (len(raw.aliases) - 1))
    composition = compose("TestOp", "test_op", [raw.model_copy(update={"aliases": aliases})])
    wanted = function(x)
    metas = [TensorMeta(dtype=DType.FLOAT32, shape=tuple(w.shape)) for w in wanted]
    for got, want in zip(interpret(parse(composition.dsl), [x.numpy()], outputs=metas), wanted, strict=True):
        assert isinstance(got, np.ndarray)
        np.testing.assert_allclose(got, want.numpy(), rtol=3e-5, atol=3e-5)


def test_cases_of_one_structure_have_one_program() -> None:
    function, cases = PHASED["reductions along three axes"]
    composition, _, _ = composed(function, *cases)
    assert len(composition.groups) == 1


def test_the_cut_is_made_where_the_fewest_bytes_go_through_memory() -> None:
    function = lambda x: torch.softmax((x - x.amax(1, keepdim=True)).reshape(-1, 8), -1)  # noqa: E731
    composition, _, _ = composed(lambda x: function(x).sum(), (normal(4, 6),))
    counts = [count for g in composition.groups for t in g.templates for _, count, _ in t.temps]
    assert composition.dsl.count("workspace(") >= len(counts) == 1


def test_outputs_with_some_axes_in_common_do_not_run_through_all_pairs() -> None:
    """Rows times columns of one, and rows times columns of another: no loop runs over both columns."""
    composition, _, _ = composed(
        lambda x, y, z: (x * z, y * z), (normal(64, 70), normal(64, 90), normal(64, 1))
    )
    assert sorted(t.nest.sizes for g in composition.groups for t in g.templates) == [(64, 70), (64, 90)]


def test_what_a_row_has_in_common_is_not_reduced_again_for_each_element_of_another_axis() -> None:
    """Slices of normalised rows: statistics over 96 columns, which the weights of 1,600 pixels wait for."""

    def function(x: torch.Tensor, y: torch.Tensor) -> Any:
        weights = F.layer_norm(x, [x.shape[-1]])[:, :6]
        return y * weights[:, :, None, None].exp()

    args = (normal(64, 96), normal(64, 6, 40, 40))
    composition, _, _ = composed(function, args)
    for template in (t for g in composition.groups for t in g.templates):
        assert not template.nest.overs() or len(template.nest.sizes) == 2
    assert_right(function, args)


def test_what_varies_along_few_axes_is_stored_and_not_the_products_with_it() -> None:
    """A resize by 4 by 4 taps: their weights are 1,536 numbers, their products with the elements 2**24."""

    def taps(count: int) -> tuple[torch.Tensor, torch.Tensor]:
        place, tap = torch.arange(count)[:, None] * 0.37, torch.arange(4)
        d = (place - place.floor() - tap).abs()
        far = (((d - 3.75) * d + 6.0) * d - 3.0) * d + 1.0
        near = (place.floor() + tap).long().clamp(0, 95)
        return near, torch.where(d <= 1.0, ((1.25 * d - 2.25) * d * d + 1.0) * d, far)

    def function(x: torch.Tensor) -> Any:
        (rows, down), (columns, across) = taps(256), taps(128)
        near = x[:, rows[:, None, :, None], columns[None, :, None, :]]
        return (near * down[:, None, :, None] * across[None, :, None, :]).sum((-2, -1))

    composition, _, _ = composed(function, (torch.empty(32, 96, 96),))
    nests = [t.nest for g in composition.groups for t in g.templates]
    stored = [math.prod(n.sizes[a] for a in s.axes) for n in nests for s in n.stores if s.temp is not None]
    assert stored and max(stored) <= 1024


@pytest.mark.slow
def test_what_was_possible_once_is_not_asked_again() -> None:
    def substituted(a: torch.Tensor) -> torch.Tensor:
        for i in range(1, 6):
            row, above = a[..., i, :i].clone(), a[..., :i, :i].clone()
            a[..., i, :i] = row + (row.unsqueeze(-1) * above).sum(-2)
        return a

    raw = trace(Loaded(Function(lambda x: substituted(x.tanh())), (normal(3, 6, 6),)))
    require, asked = Feasibility([raw], interface("TestOp", [raw])).require, []

    def counted(nest: LoopNest, case: int) -> None:
        asked.append(nest)
        require(nest, case)

    partition([rolled(import_graph(raw))], [raw.aliases], counted)
    assert len(asked) <= 160
