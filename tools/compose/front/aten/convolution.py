"""Convolutions, plain and transposed, with what is added per channel."""

from akgen.tools.compose.front.aten.columns import windows_times
from akgen.tools.compose.front.aten.reduce import finish
from akgen.tools.compose.front.aten.transposed import transposed_convolution
from akgen.tools.compose.front.aten.windows import numbers
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32


@handles("convolution")
def _convolution(im: Importer, node: TracedNode) -> int:
    x, weight = im.tensor(node, 0), im.tensor(node, 1)
    bias, transposed, groups = node.args[2], node.args[6], node.args[8]
    count = len(im.shape(weight)) - 2
    if len(im.shape(x)) == count + 1:  # without a batch
        x = im.b.reshape(x, (1, *im.shape(x)))
    stride, pad, dilation = (numbers(node.args[k], count) for k in (3, 4, 5))
    out = im.out(node).shape[-count:]
    if transposed:
        value = transposed_convolution(im, node, x, weight, out, stride, pad, dilation, groups)
    else:
        value = windows_times(im, node, x, weight, out, stride, pad, dilation, groups)
    if bias is not None:
        lanes = im.as_lane(bias, F32)
        value = im.b.binary("add", value, im.b.reshape(lanes, (*im.shape(lanes), *(1,) * count)))
    return finish(im, im.b.reshape(value, im.out(node).shape), node)
