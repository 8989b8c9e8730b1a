"""Convolutions composed: the interpreted program computes what PyTorch computes."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from akgen.tools.dsl.ir import Multiply, walk
from tests.sampled import sampled
from tests.tools.compose.composing import Fn, assert_right, assert_right_on_twin, composed, normal

H = torch.float16
X, W, V = normal(2, 6, 9, 10), normal(8, 6, 3, 3), normal(8)
UP = normal(6, 8, 3, 3)  # of a transposed convolution


def layers(x: Any, w: Any, v: Any) -> Any:
    return F.conv2d(F.relu(F.conv2d(x, w, padding=1)), v, padding=1)


CASES: dict[str, tuple[Fn, tuple[tuple[Any, ...], ...]]] = {
    "windows of one": (F.conv2d, ((X, normal(8, 6, 1, 1), V),)),
    "three by three": (F.conv2d, ((X, W, V),)),
    "padding": (lambda x, w: F.conv2d(x, w, padding=1), ((X, W),)),
    "halves": (lambda x, w: F.conv2d(x, w, padding=1), ((X.to(H), W.to(H)),)),
    "stride and dilation": (lambda x, w: F.conv2d(x, w, padding=1, stride=2, dilation=2), ((X, W),)),
    "groups": (lambda x, w: F.conv2d(x, w, padding=1, groups=2), ((X, normal(8, 3, 3, 3)),)),
    "one channel a group": (lambda x, w: F.conv2d(x, w, padding=1, groups=6), ((X, normal(6, 1, 3, 3)),)),
    "two filters a channel": (lambda x, w, v: F.conv2d(x, w, v, groups=6), ((X, normal(12, 1, 3, 3), normal(12)),)),
    "one dimension": (lambda x, w: F.conv1d(x, w, padding=2, dilation=2), ((normal(2, 5, 30), normal(7, 5, 3)),)),
    "three dimensions": (F.conv3d, ((normal(2, 3, 5, 6, 7), normal(4, 3, 3, 3, 3), normal(4)),)),
    "without a batch": (F.conv2d, ((normal(6, 9, 10), W, V),)),
    "two layers": (layers, ((X, W, normal(4, 8, 3, 3)),)),
    "transposed": (lambda x, w, v: F.conv_transpose2d(x, w, v, padding=1), ((X, UP, V),)),
    "transposed, two by two": (
        lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), ((X, UP),)
    ),
    "transposed, odd lengths": (lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), ((X, UP),)),
    "transposed, with gaps": (
        lambda x, w: F.conv_transpose1d(x, w, stride=3, dilation=2), ((normal(2, 5, 12), normal(5, 4, 4)),)
    ),
    "transposed, in groups": (lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2), ((X, normal(6, 4, 2, 2)),)),
    "transposed, in eight parts": (
        lambda x, w, v: F.conv_transpose2d(x, w, v, stride=(2, 4), padding=1),
        ((normal(1, 2, 2, 3), normal(2, 2, 3, 5), normal(2)),),
    ),
    "transposed, three dimensions": (
        lambda x, w: F.conv_transpose3d(x, w, stride=2, padding=1, output_padding=1),
        ((normal(2, 3, 4, 5, 6), normal(3, 4, 3, 3, 3)),),
    ),
    "transposed, filters of a channel": (
        lambda x, w: F.conv_transpose2d(x, w, stride=(2, 1), padding=1, groups=3),
        ((normal(2, 3, 7, 8), normal(3, 2, 4, 4)),),
    ),
    "several shapes": (
        lambda x, w, v: F.relu(F.conv2d(x, w, v, padding=1)),
        ((X, W, V), (normal(3, 4, 12, 14), normal(5, 4, 3, 3), normal(5))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(CASES, 6))
def test_it_computes_what_pytorch_computes(name: str) -> None:
    function, cases = CASES[name]
    assert_right(function, *cases)


def test_windows_of_one_element_are_multiplied_where_they_lie() -> None:
    composition, _, _ = composed(F.conv2d, (X, normal(8, 6, 1, 1)))
    (kernel,) = composition.program.kernels
    assert sum(isinstance(s, Multiply) for s in walk(kernel.body)) == 1
    assert "workspace" not in composition.dsl


def test_channels_by_themselves_take_no_cube_core() -> None:
    composition, _, _ = composed(lambda x, w: F.conv2d(x, w, groups=6), (X, normal(6, 1, 3, 3)))
    assert "matmul_object" not in composition.dsl


def test_a_strided_transposed_convolution_is_one_product() -> None:
    composition, _, _ = composed(
        lambda x, w: F.conv_transpose3d(x, w, stride=2, padding=1),
        (normal(2, 3, 4, 5, 6), normal(3, 4, 4, 4, 4)),
    )
    for kernel in composition.program.kernels:
        assert sum(isinstance(s, Multiply) for s in walk(kernel.body)) == 1


@pytest.mark.slow
def test_transposed_on_the_twin() -> None:
    assert_right_on_twin(lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), X, normal(6, 8, 4, 4))
