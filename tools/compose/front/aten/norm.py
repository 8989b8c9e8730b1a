"""Normalisation layers: layer, group, batch and instance norm."""

import math

from akgen.tools.compose.front.aten.reduce import variance
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32


def _reciprocal_deviation(im: Importer, value: int, eps: float) -> int:
    return im.b.unary("rsqrt", im.b.binary("add", value, im.b.const(eps, F32)))


def _affine(im: Importer, x: int, weight: object, bias: object, shape: tuple[int, ...]) -> int:
    """Return x * weight + bias with both seen as `shape`; either may be None."""
    if weight is not None:
        x = im.b.binary("mul", x, im.b.reshape(im.as_lane(weight, F32), shape))
    if bias is not None:
        x = im.b.binary("add", x, im.b.reshape(im.as_lane(bias, F32), shape))
    return x


@handles("native_layer_norm", "layer_norm")
def _layer_norm(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    x = im.as_lane(node.args[0], F32)
    normalized, weight, bias, eps = (
        node.args[1],
        im.arg(node, 2, "weight"),
        im.arg(node, 3, "bias"),
        node.args[4],
    )
    rank = len(im.shape(x))
    axes = tuple(range(rank - len(normalized), rank))
    value, average = variance(im, x, axes)
    rstd = _reciprocal_deviation(im, value, float(eps))
    y = im.b.binary("mul", im.b.binary("sub", x, average), rstd)
    return (_affine(im, y, weight, bias, tuple(normalized)), average, rstd)


@handles("native_group_norm")
def _group_norm(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    x = im.as_lane(node.args[0], F32)
    weight, bias = node.args[1], node.args[2]
    n, c, hw, groups, eps = node.args[3:8]
    shape = im.shape(x)
    grouped = im.b.reshape(x, (n, groups, c // groups, hw))
    value, average = variance(im, grouped, (2, 3))
    rstd = _reciprocal_deviation(im, value, float(eps))
    y = im.b.binary("mul", im.b.binary("sub", grouped, average), rstd)
    y = _affine(im, y, weight, bias, (1, groups, c // groups, 1))
    out = (n, groups)
    return (im.b.reshape(y, shape), im.b.reshape(average, out), im.b.reshape(rstd, out))


def _channels(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (1, shape[1], *([1] * (len(shape) - 2)))


@handles("_native_batch_norm_legit_no_training")
def _batch_norm_inference(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    x = im.as_lane(node.args[0], F32)
    weight, bias, mean, var = node.args[1:5]
    eps = float(node.args[6])
    view = _channels(im.shape(x))
    average = im.b.reshape(im.as_lane(mean, F32), view)
    rstd = _reciprocal_deviation(im, im.b.reshape(im.as_lane(var, F32), view), eps)
    y = im.b.binary("mul", im.b.binary("sub", x, average), rstd)
    return (_affine(im, y, weight, bias, view), None, None)


@handles("_native_batch_norm_legit", "_native_batch_norm_legit_functional", "native_batch_norm")
def _batch_norm(im: Importer, node: TracedNode) -> tuple[int | None, ...]:
    """Batch statistics (also instance norm, which PyTorch writes as this); running statistics are not updated."""
    x = im.as_lane(node.args[0], F32)
    weight, bias = node.args[1], node.args[2]
    eps = float(node.args[-1])
    shape = im.shape(x)
    axes = tuple(i for i in range(len(shape)) if i != 1)
    value, average = variance(im, x, axes)
    rstd = _reciprocal_deviation(im, value, eps)
    y = im.b.binary("mul", im.b.binary("sub", x, average), rstd)
    y = _affine(im, y, weight, bias, _channels(shape))
    out = (math.prod(im.shape(average)),)
    return (y, im.b.reshape(average, out), im.b.reshape(rstd, out))
