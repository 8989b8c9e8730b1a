"""Numbers in eight bits: by row, behind SwiGLU, into a cache; products of such matrices; the feed-forward network.

Products of integers are exact.
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

LARGEST = 127.0
_DTYPES = {None: torch.int8, 1: torch.float16, 27: torch.bfloat16, 2: torch.int8, 3: torch.int32}


def npu_dynamic_quant(
    x: Any, *, smooth_scales: Any = None, group_index: Any = None, dst_type: Any = None
) -> tuple[Any, Any]:
    """Return each row in int8 with the scale that gives it back: its largest magnitude over 127."""
    if group_index is not None or dst_type not in (None, torch.int8):
        raise NotImplementedError("npu_dynamic_quant with groups, or to another type than int8")
    wide = x.float() if smooth_scales is None else x.float() * smooth_scales.float()
    scale = wide.abs().amax(-1) / LARGEST
    return _rounded(wide / scale[..., None]), scale


def npu_quant_scatter(
    input: Any,
    indices: Any,
    updates: Any,
    quant_scales: Any,
    quant_zero_points: Any = None,
    axis: int = 0,
    quant_axis: int = 1,  # noqa: ARG001 (scales broadcast along it)
    reduce: str = "update",
) -> Any:
    """Return `input` with quantised updates in it: those of batch i from place indices[i] along the axis."""
    if reduce != "update":
        raise NotImplementedError(f"npu_quant_scatter with reduce {reduce}")
    axis = axis % input.dim()
    values = updates.float() / quant_scales.float()
    if quant_zero_points is not None:
        values = values + quant_zero_points.float()
    shape = [1] * input.dim()
    first = indices.long().reshape(-1, *shape[1:])
    along = torch.arange(updates.shape[axis]).reshape(*shape[:axis], -1, *shape[axis + 1 :])
    return input.scatter(axis, (first + along).expand(updates.shape).contiguous(), _rounded(values))


def npu_swiglu_quant(
    x: Any,
    *,
    smooth_scales: Any = None,
    offsets: Any = None,
    group_index: Any = None,
    activate_left: bool = False,
    quant_mode: int = 0,
    group_list_type: int = 0,
    dst_type: Any = None,
) -> tuple[Any, Any]:
    """Return SwiGLU in int8 and the scales of its rows: given for each group (mode 0) or by the row (mode 1)."""
    if dst_type not in (None, torch.int8, "int8"):
        raise NotImplementedError(f"npu_swiglu_quant to {dst_type}")
    left, right = x.float().chunk(2, -1)
    gate, other = (left, right) if activate_left else (right, left)
    active = gate * torch.sigmoid(gate) * other
    rows = active.reshape(-1, active.shape[-1])
    if smooth_scales is not None:
        rows = rows * _by_group(smooth_scales, group_index, group_list_type, rows)
    if quant_mode == 0:
        if offsets is not None:
            rows = rows + _by_group(offsets, group_index, group_list_type, rows)
        return _rounded(rows).reshape(active.shape), torch.zeros(active.shape[:-1])
    scale = LARGEST / rows.abs().amax(-1)
    return _rounded(rows * scale[:, None]).reshape(active.shape), (1 / scale).reshape(active.shape[:-1])


def _by_group(values: Any, groups: Any, listed_as: int, rows: Any) -> Any:
    """Give every row the values of its group; groups are listed by their ends (0) or lengths (1)."""
    table = values.float().reshape(values.shape[0], -1)
    if groups is None:
        return values.float()
    ends = groups.long() if listed_as == 0 else groups.long().cumsum(0)
    own = (torch.arange(rows.shape[0])[:, None] >= ends[None]).sum(1)
    return torch.cat((table, torch.ones_like(table[:1])))[own.clamp(max=table.shape[0])]


def _rounded(values: Any) -> Any:
    return values.round().clamp(-LARGEST - 1, LARGEST).to(torch.int8)


def npu_quant_matmul(
    x1: Any,
    x2: Any,
    scale: Any,
    *,
    offset: Any = None,
    pertoken_scale: Any = None,
    bias: Any = None,
    output_dtype: Any = None,
    group_sizes: Any = None,
) -> Any:
    """Return the product of int8 matrices, scaled by the column and by the row, in `output_dtype` (int8 if None)."""
    if group_sizes is not None or scale.dtype == torch.int64:
        raise NotImplementedError("npu_quant_matmul with group sizes, or with packed scales")
    dtype = output_dtype if isinstance(output_dtype, torch.dtype) else _named(output_dtype)
    total = _product(x1, x2)
    if bias is not None and bias.dtype == torch.int32:
        total = total + bias
    if dtype == torch.int32:
        return total.to(torch.int32)
    wide = total.float() * scale.float()
    if pertoken_scale is not None:
        wide = wide * pertoken_scale.float()[:, None]
    if bias is not None and bias.dtype != torch.int32:
        wide = wide + bias.float()
    if dtype == torch.int8:
        wide = wide if offset is None else wide + offset.float()
        return wide.round().clamp(-LARGEST - 1, LARGEST).to(torch.int8)
    return wide.to(dtype)


def npu_quant_matmul_reduce_sum(x1: Any, x2: Any, *, x1_scale: Any = None, x2_scale: Any = None) -> Any:
    """Return the sum over the batch of the products of int8 matrices, scaled by the row and the column."""
    wide = _product(x1, x2).float()
    wide = wide if x1_scale is None else wide * x1_scale.float()[..., None]
    wide = wide if x2_scale is None else wide * x2_scale.float()
    return wide.sum(0).to(torch.bfloat16)


def npu_weight_quant_batchmatmul(
    x: Any,
    weight: Any,
    antiquant_scale: Any,
    antiquant_offset: Any = None,
    quant_scale: Any = None,
    quant_offset: Any = None,
    bias: Any = None,
    antiquant_group_size: int = 0,
    inner_precise: int = 0,  # noqa: ARG001 (how precise the vendor's operator is)
) -> Any:
    """Return x @ ((weight + offset) * scale) + bias, with one scale for a column, a group of rows, or an element."""
    if quant_scale is not None or quant_offset is not None:
        raise NotImplementedError("npu_weight_quant_batchmatmul with a quantised result")
    offset, scale = (_repeated(v, weight, antiquant_group_size) for v in (antiquant_offset, antiquant_scale))
    wide = weight.float() if offset is None else weight.float() + offset
    result = x.float() @ (wide * scale)
    return (result if bias is None else result + bias.float()).to(x.dtype)


def npu_ffn(
    x: Any,
    weight1: Any,
    weight2: Any,
    activation: str,
    *,
    expert_tokens: Any = None,
    bias1: Any = None,
    bias2: Any = None,
    **others: Any,
) -> Any:
    """Return activation(x @ weight1 + bias1) @ weight2 + bias2; of the gated activations, by halves."""
    unknown = [name for name, v in others.items() if v is not None and name != "inner_precise"]
    if unknown or expert_tokens is not None or weight1.dim() != 2:
        raise NotImplementedError(f"npu_ffn with {', '.join(unknown) or 'experts'}")
    first = x.float() @ weight1.float()
    first = first if bias1 is None else first + bias1.float()
    name = activation.lower()
    if name in _GATES:
        gate, other = first.chunk(2, -1)
        active = _ACTIVATIONS[_GATES[name]](gate) * other
    else:
        active = _ACTIVATIONS[name](first)
    second = active @ weight2.float()
    return (second if bias2 is None else second + bias2.float()).to(x.dtype)


def npu_grouped_matmul_swiglu_quant_v2(
    x: Any,
    weight: Any,
    weight_scale: Any,
    x_scale: Any,
    group_list: Any,
    *,
    smooth_scale: Any = None,
    bias: Any = None,
    dequant_mode: int = 0,
    quant_mode: int = 0,
    quant_dtype: int = 0,
    group_list_type: int = 0,
    **others: Any,
) -> tuple[Any, Any]:
    """Multiply each group's rows with its matrix, apply SwiGLU, and quantise each row; int8 and the rows' scales."""
    unknown = [name for name, v in others.items() if v]
    if unknown or smooth_scale is not None or bias is not None or dequant_mode or quant_mode or quant_dtype:
        raise NotImplementedError("npu_grouped_matmul_swiglu_quant_v2 but by token and channel, to int8")
    (matrices,), (scales,) = weight, weight_scale
    ends = group_list if group_list_type == 0 else group_list.cumsum(0)
    own = (torch.arange(x.shape[0])[:, None] >= ends[None]).sum(1).clamp(max=matrices.shape[0] - 1)
    products = torch.stack([_product(x, m) for m in matrices])[own, torch.arange(x.shape[0])]
    wide = products.float() * scales.float()[own] * x_scale.float()[:, None]
    gate, other = wide.chunk(2, -1)
    active = F.silu(gate) * other
    scale = active.abs().amax(-1) / LARGEST
    return (active / scale[:, None]).round().clamp(-LARGEST - 1, LARGEST).to(torch.int8), scale


_ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "silu": F.silu,
    "fastgelu": lambda v: v * torch.sigmoid(1.702 * v),
}
_GATES = {"geglu": "gelu", "swiglu": "silu", "reglu": "relu"}


def _product(a: Any, b: Any) -> Any:
    return torch.matmul(a.to(torch.int32), b.to(torch.int32))


def _named(output: Any) -> Any:
    return getattr(torch, output) if isinstance(output, str) else _DTYPES[output]


def _repeated(values: Any, weight: Any, group: int) -> Any:
    """Give each row of a matrix the values of its group of rows."""
    if values is None:
        return None
    wide = values.float()
    if group and wide.dim() > 1 and wide.shape[-2] not in (1, weight.shape[-2]):
        wide = wide.repeat_interleave(group, dim=-2)[..., : weight.shape[-2], :]
    return wide
