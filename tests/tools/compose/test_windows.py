"""Padding and pooling: what PyTorch computes, in the interpreter for many shapes and on the twin for a few."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.sampled import sampled
from tests.tools.compose.composing import assert_right, assert_right_on_twin, composed, normal

Fn = Callable[..., Any]
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
PADDING: dict[str, Fn] = {
    "all sides": lambda x: F.pad(x, (1, 2, 3, 0), value=1.5),
    "one side": lambda x: F.pad(x, (0, 9)),
    "cut and padded": lambda x: F.pad(x, (-1, 2, 3, -2), value=-1.0),
    "channels": lambda x: F.pad(x, (0, 0, 0, 0, 1, 2)),
    "of what is computed": lambda x: F.pad(torch.exp(x), (1, 1, 2, 2)) * 2,
}
POOLING: dict[str, Fn] = {
    "max": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max of pairs": lambda x: F.max_pool2d(x, 2),
    "max, dilated": lambda x: F.max_pool2d(x, 3, 1, 1, 2),
    "max, with a ceiling": lambda x: F.max_pool2d(x, 3, 2, 1, 1, True),
    "max with positions": lambda x: F.max_pool2d(x, (2, 3), (2, 1), (1, 1), return_indices=True),
    "mean": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "mean of what is inside": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
    "mean with a ceiling": lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
    "mean by another number": lambda x: F.avg_pool2d(x, 2, 2, divisor_override=3),
    "max along rows": lambda x: F.max_pool1d(x.flatten(0, 1), 5, 3, 2),
    "mean along rows": lambda x: F.avg_pool1d(x.flatten(0, 1), 4, 2, 1),
    "max in three dimensions": lambda x: F.max_pool3d(x, 2, 2, 1),
    "mean in three dimensions": lambda x: F.avg_pool3d(x, (1, 2, 3), 2),
    "max of what is computed": lambda x: F.max_pool2d(torch.relu(x) + 1, 3, 2, 1).sqrt(),
}


@pytest.mark.parametrize("name", PADDING)
def test_padding(name: str) -> None:
    assert_right(PADDING[name], (normal(3, 4, 5, 37),), (normal(1, 2, 7, 16),))


@pytest.mark.parametrize("dtype", [torch.float16, torch.int32, torch.uint8])
def test_padding_of_other_types(dtype: torch.dtype) -> None:
    assert_right(lambda x: F.pad(x, (3, 1), value=7), (normal(5, 33, dtype=dtype),))


@pytest.mark.parametrize("name", sampled(POOLING, 2))
def test_pooling(name: str) -> None:
    assert_right(POOLING[name], (normal(2, 3, 8, 37),))


@pytest.mark.parametrize("dtype", sampled(FLOATS, 3))
def test_one_program_pools_several_shapes(dtype: torch.dtype) -> None:
    shapes = ((2, 3, 11, 37), (1, 4, 20, 51), (3, 2, 9, 70))
    assert_right(POOLING["max"], *((normal(*s, dtype=dtype),) for s in shapes))


@pytest.mark.parametrize("name", sampled(["max", "max with positions", "mean of what is inside"], 3))
def test_pooling_on_the_twin(name: str) -> None:
    assert_right_on_twin(POOLING[name], normal(2, 3, 11, 37))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_padding_on_the_twin(dtype: torch.dtype) -> None:
    assert_right_on_twin(PADDING["all sides"], normal(3, 4, 5, 37, dtype=dtype))


def means(x: Any) -> Any:
    """Return a row per image of the means of its four by four windows."""
    return F.avg_pool2d(x[:, :, 1:-1, 1:-1], 4).flatten(1).softmax(-1)


def means_of_means(x: Any) -> Any:
    return torch.sigmoid(F.avg_pool2d(F.avg_pool2d(x, 3, 1), 4)).sum((2, 3))


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        pytest.param(means, ((19, 15), (23, 36), (31, 28)), id="the number of windows is a product"),
        pytest.param(
            means_of_means, ((18, 14), (22, 35), (30, 27), (12, 41)), id="some windows leave no rest"
        ),
    ],
)
def test_windows_of_several_images_follow_their_sizes(
    function: Callable[[Any], Any], sizes: tuple[tuple[int, int], ...]
) -> None:
    assert_right(function, *((normal(2, 3, h, w),) for h, w in sizes), core_num=4)


def test_an_edge_that_is_stored_several_times_on_the_twin() -> None:
    def differences(x: Any, w: Any) -> Any:  # of neighbours; the padded rows lie in the workspace
        c = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True, unbiased=False) + 1e-5)
        return torch.cat((c, F.conv1d(F.pad(c, (2, 2), mode="replicate"), w, groups=5)), 1)

    assert_right_on_twin(differences, normal(3, 5, 40), normal(5, 1, 5))


def test_windows_of_a_mirrored_border_are_looked_up_in_what_is_stored() -> None:
    def patches(x: torch.Tensor) -> torch.Tensor:
        y = F.pad(torch.softmax(x, 1), [3] * 4, mode="reflect")
        return (F.unfold(y, 7) * 2).sum(-1)

    composition, _, _ = composed(patches, (normal(1, 2, 9, 11),))
    assert len(composition.groups[0].templates) < 12
    assert_right(patches, (normal(1, 2, 9, 11),))
