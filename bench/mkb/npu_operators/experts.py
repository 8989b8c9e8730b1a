"""Routing between tokens and experts."""

from typing import Any

import torch


def npu_moe_compute_expert_tokens(sorted_expert_for_source_row: Any, num_expert: int) -> Any:
    """Return, for each expert, how many rows go to it and to those before it."""
    experts = torch.arange(num_expert, dtype=sorted_expert_for_source_row.dtype)
    return (sorted_expert_for_source_row[None] <= experts[:, None]).sum(1).to(torch.int32)


def npu_moe_init_routing(x: Any, row_idx: Any, expert_idx: Any, active_num: int) -> tuple[Any, Any, Any]:
    """Return the rows in the order of their experts, where each row went, and the experts in order."""
    rows, k = expert_idx.shape
    experts, order = expert_idx.reshape(-1).sort(stable=True)
    sources = row_idx.reshape(-1)[order].long()
    places = torch.zeros_like(sources).scatter(0, sources, torch.arange(rows * k))
    return x[sources[: min(active_num, rows) * k] % rows], places.to(torch.int32), experts


def npu_moe_finalize_routing(
    expanded_permuted_rows: Any,
    skip1: Any,
    skip2: Any,
    bias: Any,
    scales: Any,
    expanded_src_to_dst_row: Any,
    export_for_source_row: Any,
    drop_pad_mode: int = 0,
) -> Any:
    """Add up what the experts made of each row, weighted, with their biases and the rows that skipped them."""
    rows, k = (scales if scales is not None else expanded_src_to_dst_row.reshape(-1, 1)).shape
    places = expanded_src_to_dst_row.long()
    places = places.view(k, rows).t() if drop_pad_mode in (0, 1) else places.view(rows, k)
    made = expanded_permuted_rows.reshape(-1, expanded_permuted_rows.shape[-1]).float()
    taken = made[places.clamp(min=0)] * (places >= 0)[..., None]
    if bias is not None:
        taken = taken + bias.float()[export_for_source_row.long()]
    if scales is not None:
        taken = taken * scales.float()[..., None]
    total = taken.sum(1)
    for skip in (skip1, skip2):
        total = total if skip is None else total + skip.float()
    return total.to(expanded_permuted_rows.dtype)


def npu_moe_gating_top_k_softmax(x: Any, finished: Any = None, k: int = 1) -> tuple[Any, Any, Any]:
    """Return of each row's softmax the k largest, their experts (none: their number), and the places of the rows."""
    values, experts = x.float().softmax(-1).topk(k, dim=-1)
    if finished is not None:
        experts = experts.masked_fill(finished[..., None], x.shape[-1])
    rows = values.numel() // k
    places = torch.arange(rows * k, dtype=torch.int32).view(k, rows).t().reshape(values.shape)
    return values.to(x.dtype), experts.to(torch.int32), places
