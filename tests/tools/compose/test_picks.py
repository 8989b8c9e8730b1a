"""What indices pick, and resizing: what PyTorch computes, in the interpreter, and on the twin for a few forms."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.trace import trace
from tests.sampled import sampled
from tests.tools.compose.composing import (
    Function,
    Loaded,
    assert_right,
    assert_right_on_twin,
    composed,
    normal,
)

Fn = Callable[..., Any]
FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def indices(count: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, count, shape, generator=torch.Generator().manual_seed(sum(shape)))


INDEXED: dict[str, tuple[Any, ...]] = {
    "embedding": (lambda w, i: F.embedding(i, w), normal(20, 33), indices(20, 5, 7)),
    "rows": (lambda x, i: x.index_select(0, i), normal(20, 33), indices(20, 7)),
    "columns": (lambda x, i: x.index_select(1, i), normal(20, 33), indices(33, 7)),
    "a middle axis": (lambda x, i: x.index_select(1, i) + 1, normal(4, 20, 33), indices(20, 7)),
    "from the end": (lambda x, i: x[i], normal(20, 33), indices(20, 7) - 20),
    "columns in two axes": (lambda x, i: x[:, i], normal(20, 33), indices(33, 7, 3)),
    "single elements": (lambda x, i, j: x[i, j], normal(20, 33), indices(20, 50), indices(33, 50)),
    "integers": (lambda x, i: x[i], normal(20, 33, dtype=torch.int32), indices(20, 7)),
    "gather along rows": (lambda x, i: x.gather(1, i), normal(20, 33), indices(33, 20, 7)),
    "one per row": (lambda x, i: x.gather(1, i), normal(20, 33), indices(33, 20, 1)),
    "gather down": (lambda x, i: x.gather(0, i), normal(20, 33), indices(20, 7, 33)),
    "along a middle axis": (
        lambda x, i: torch.take_along_dim(x, i, 1),
        normal(3, 9, 20),
        indices(9, 3, 5, 20),
    ),
    "flat": (lambda x, i: torch.take(x, i), normal(20, 33), indices(660, 77)),
    "of what is computed": (
        lambda x, i: F.embedding(i, torch.softmax(x, -1)),
        normal(20, 33),
        indices(20, 9),
    ),
    "fixed rows of one column": (lambda x: x[[3, 6, 7, 0], -1] * 2, normal(20, 33)),
    "fixed rows by an index": (lambda x, i: x[[3, 6, 7], i], normal(20, 33), indices(33, 3)),
    "fixed rows of a middle place": (lambda x: x[[5, 1, 2], 4, :] + 1, normal(9, 7, 33)),
    "a computed index": (lambda x, i: x[i + 1], normal(20, 33), indices(19, 9)),
}
MOVED: dict[str, Fn] = {
    "flipped rows": lambda x: x.flip(-1),
    "flipped": lambda x: x.flip(0, 2) * 2,
    "rolled": lambda x: torch.roll(x, (3, -2), (3, 1)),
    "rolled as one": lambda x: torch.roll(x, -3),
    "reflected": lambda x: F.pad(x, (3, 2, 1, 1), mode="reflect"),
    "replicated": lambda x: F.pad(x, (3, 2, 1, 1), mode="replicate"),
    "circular": lambda x: F.pad(x, (3, 2, 1, 1), mode="circular"),
    "repeated": lambda x: x.repeat_interleave(3, 1),
    "repeated columns": lambda x: x.repeat_interleave(2, -1),
    "windows as columns": lambda x: F.unfold(x, 3, 1, 1, 2),
    "windows as an axis": lambda x: x.unfold(3, 5, 2),
    "a diagonal": lambda x: x.diagonal(1, 2, 3),
}
RESIZED: dict[str, Fn] = {
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "nearest to a size": lambda x: F.interpolate(x, size=(17, 50)),
    "nearest exact": lambda x: F.interpolate(x, size=(17, 50), mode="nearest-exact"),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "bilinear by corners": lambda x: F.interpolate(x, size=(15, 50), mode="bilinear", align_corners=True),
    "bilinear to less": lambda x: F.interpolate(x, size=(7, 20), mode="bilinear"),
    "bicubic": lambda x: F.interpolate(x, size=(16, 50), mode="bicubic"),
    "linear": lambda x: F.interpolate(x.flatten(1, 2), scale_factor=2.5, mode="linear"),
    "trilinear": lambda x: F.interpolate(x[None, :, :, :4, :5], scale_factor=2, mode="trilinear"),
    "area": lambda x: F.interpolate(x, size=(4, 9), mode="area"),
    "smoothed": lambda x: F.interpolate(x, size=(5, 9), mode="bilinear", antialias=True),
    "smoothed, cubic": lambda x: F.interpolate(x, size=(5, 40), mode="bicubic", antialias=True),
    "adaptive mean": lambda x: F.adaptive_avg_pool2d(x, (4, 7)),
    "adaptive mean of all": lambda x: F.adaptive_avg_pool2d(x, 1),
    "adaptive mean along rows": lambda x: F.adaptive_avg_pool1d(x[0], 7),
    "adaptive maximum with positions": lambda x: F.adaptive_max_pool2d(x, (5, 7), return_indices=True),
}


@pytest.mark.parametrize("name", sampled(INDEXED, 2))
def test_indexed(name: str) -> None:
    function, *args = INDEXED[name]
    assert_right(function, tuple(args))


@pytest.mark.parametrize("name", sampled(MOVED, 2))
def test_moved(name: str) -> None:
    assert_right(MOVED[name], (normal(2, 3, 11, 37),))


@pytest.mark.parametrize("name", sampled(RESIZED, 5))
def test_resized(name: str) -> None:
    assert_right(RESIZED[name], (normal(1, 3, 8, 25),))


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_sampled(mode: str, padding: str, corners: bool) -> None:
    assert_right(
        lambda x, grid: F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=corners),
        (normal(2, 3, 9, 11), normal(2, 4, 5, 2)),
    )


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_program_picks_from_several_shapes(dtype: torch.dtype) -> None:
    cases = [
        (normal(n, m, dtype=dtype), indices(n, k)) for n, m, k in ((20, 33, 7), (5, 100, 30), (64, 8, 2))
    ]
    assert_right(lambda x, i: x[i], *cases)


@pytest.mark.parametrize("step", [2, 5, 16])
def test_elements_some_apart_of_long_rows(step: int) -> None:
    count = 65536 // step
    assert_right(lambda x, y: x[:, :, ::step] * y, (normal(3, 2, count * step), normal(1, 2, count)))


@pytest.mark.slow
def test_one_program_samples_several_shapes() -> None:
    def turned(x: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
        return F.grid_sample(x, F.affine_grid(theta, list(x.shape), align_corners=False), align_corners=False)

    shapes = ((2, 3, 9, 11), (1, 3, 16, 8))
    assert_right(turned, *((normal(*s), normal(s[0], 2, 3)) for s in shapes))


def test_one_program_resizes_several_shapes_whose_factors_are_equal_in_some() -> None:
    shapes = ((1, 2, 24, 32), (1, 3, 25, 31), (2, 2, 12, 40))
    assert_right(lambda x: F.interpolate(x, size=(6, 8), mode="bilinear"), *((normal(*s),) for s in shapes))


TRIANGLES = [(5, 5, 0), (6, 6, -1), (4, 7, 3), (7, 4, -3), (3, 9, -1), (9, 3, -2), (70, 70, 1)]


@pytest.mark.parametrize("shape", sampled(TRIANGLES, 3, whole=True), ids=str)
@pytest.mark.parametrize("side", ["tril", "triu"])
def test_the_elements_of_a_triangle(side: str, shape: tuple[int, int, int]) -> None:
    rows, columns, offset = shape

    def function(x: torch.Tensor) -> Any:
        i, j = getattr(torch, f"{side}_indices")(rows, columns, offset=offset)
        return x[:, i, j] * 2

    assert_right(function, (normal(2, rows, columns),))


def test_pairs_of_a_product_of_several_sizes() -> None:
    def function(x: torch.Tensor) -> Any:
        i, j = torch.triu_indices(x.shape[1], x.shape[1], 1)
        return (x @ x.transpose(1, 2))[:, i, j]

    assert_right(function, (normal(4, 9, 16),), (normal(2, 13, 16),), (normal(3, 30, 8),))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_a_resize_sums_along_one_axis_after_the_other(mode: str) -> None:
    composition, _, _ = composed(
        lambda x: F.interpolate(x, size=(64, 40), mode=mode, antialias=True), (torch.empty(2, 3, 160, 30),)
    )
    nests = [t.nest for g in composition.groups for t in g.templates]
    widest = 11 if mode == "bicubic" else 7
    assert max(math.prod(n.sizes) for n in nests) <= 6 * 64 * 40 * widest


@pytest.mark.parametrize("name", sampled(["embedding", "columns", "single elements", "gather along rows"], 2))
def test_indexed_on_the_twin(name: str) -> None:
    function, *args = INDEXED[name]
    assert_right_on_twin(function, *args)


@pytest.mark.parametrize("name", sampled(["flipped", "reflected", "windows as columns"], 2))
def test_moved_on_the_twin(name: str) -> None:
    assert_right_on_twin(MOVED[name], normal(2, 3, 11, 37))


@pytest.mark.parametrize("name", sampled(["bilinear", "adaptive maximum with positions"], 2))
def test_resized_on_the_twin(name: str) -> None:
    assert_right_on_twin(RESIZED[name], normal(1, 3, 8, 25))


def test_a_cross_product_picks_slices() -> None:
    function = lambda x, y: torch.linalg.cross(x, y) + x[:, (torch.arange(3) * 2 + 1) % 3]  # noqa: E731
    args = (normal(50, 3), normal(50, 3, seed=1))
    graph = import_graph(trace(Loaded(Function(function), args)))
    assert "take" not in {n.op for n in graph.nodes}
    assert_right(function, args)
