"""Numbers to eight bits: by row, behind SwiGLU, and into a cache."""

from typing import Any

import torch

LARGEST = 127.0


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
