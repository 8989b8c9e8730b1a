"""Attention, and routing between tokens and experts.

Attention has no dropout, pages or prefixes; beside it stand the choice of keys for sparse attention and the step of a
scheduler.
"""

import math
from typing import Any

import torch

_SOFTMAX_COPIES = 8  # the vendor's operator writes each row's maximum and sum eight times


def npu_fusion_attention(
    query: Any,
    key: Any,
    value: Any,
    head_num: int,
    input_layout: str,
    *,
    pse: Any = None,
    atten_mask: Any = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    **others: Any,
) -> tuple[Any, Any, Any]:
    """Return softmax(scale * q k + pse) v in the layout of the query, and maximum and sum of each row's softmax."""
    unknown = [*_asked(others), *(["dropout"] if keep_prob < 1 else [])]
    if unknown:
        raise NotImplementedError(f"npu_fusion_attention with {', '.join(unknown)}")
    q, k, v = (_heads(t, input_layout, head_num) for t in (query, key, value))
    out, largest, total = _attention(q, k, v, scale, pse, atten_mask)
    rows = [t.expand(*t.shape[:-1], _SOFTMAX_COPIES).contiguous() for t in (largest, total)]
    return _back(out, input_layout).to(query.dtype), rows[0], rows[1]


def npu_fused_infer_attention_score(
    query: Any,
    key: Any,
    value: Any,
    *,
    pse_shift: Any = None,
    atten_mask: Any = None,
    num_heads: int = 1,
    scale: float = 1.0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    softmax_lse_flag: bool = False,
    **others: Any,
) -> tuple[Any, Any]:
    """Return attention as npu_fusion_attention does, and each row's logarithm of the sum (one zero unless asked)."""
    if _asked(others):
        raise NotImplementedError(f"npu_fused_infer_attention_score with {', '.join(_asked(others))}")
    kv_heads = num_key_value_heads or num_heads
    q = _heads(query, input_layout, num_heads)
    k, v = (_heads(t, input_layout, kv_heads) for t in (key, value))
    out, largest, total = _attention(q, k, v, scale, pse_shift, atten_mask)
    lse = largest + total.log() if softmax_lse_flag else torch.zeros(1)
    return _back(out, input_layout).to(query.dtype), lse


def npu_lightning_indexer(
    query: Any,
    key: Any,
    weights: Any,
    *,
    layout_query: str = "BSND",
    layout_key: str = "BSND",
    sparse_count: int = 2048,
    sparse_mode: int = 3,
    return_value: bool = False,
    **others: Any,
) -> tuple[Any, Any]:
    """Return for each query the keys with the largest weighted sum over heads of relu(q k), -1 behind the last."""
    far = (1 << 63) - 1
    if (
        layout_query != "BSND"
        or layout_key != "BSND"
        or [n for n, v in others.items() if v not in (None, far)]
    ):
        raise NotImplementedError("npu_lightning_indexer but in the layout BSND, whole sequences")
    scores = torch.einsum("bsnd,btmd->bsmnt", query.float(), key.float()).relu()
    scores = (scores * weights.float()[:, :, None, :, None]).sum(3)
    rows, columns = query.shape[1], key.shape[1]
    if sparse_mode == 3:
        scores = scores.masked_fill(_later(rows, columns)[:, None], -math.inf)
    values, found = scores.topk(min(sparse_count, columns), dim=-1)
    found = found.masked_fill(values == -math.inf, -1).to(torch.int32)
    missing = sparse_count - found.shape[-1]
    found = torch.nn.functional.pad(found, (0, max(missing, 0)), value=-1)
    return found, values.to(query.dtype) if return_value else torch.zeros(1, dtype=query.dtype)


def npu_advance_step_flashattn(
    input_tokens: Any,
    sampled_token_ids: Any,
    input_positions: Any,
    seq_lens: Any,
    slot_mapping: Any,
    block_tables: Any,
    num_seqs: int,  # noqa: ARG001 (of the vendor's signature)
    num_queries: int,
    block_size: int,
) -> tuple[Any, ...]:
    """Advance each query by its sampled token; return what it updates: tokens, positions, lengths and cache slots."""
    positions = seq_lens[:num_queries]
    blocks = block_tables[:num_queries].gather(1, (positions // block_size)[:, None])[:, 0]
    new = (
        sampled_token_ids.reshape(-1),
        positions,
        positions + 1,
        blocks * block_size + positions % block_size,
    )
    old = (input_tokens, input_positions, seq_lens, slot_mapping)
    return tuple(torch.cat((n[:num_queries], o[num_queries:])) for n, o in zip(new, old, strict=True))


def _asked(others: dict[str, Any]) -> list[str]:
    """Return the arguments that ask for something: what is not absent, zero, or as wide as numbers go."""
    free = ("sparse_mode", "inner_precise", "gen_mask_parallel", "sync", "softmax_layout")
    wide = ("pre_tokens", "next_tokens", "pre_tockens", "next_tockens")
    return [
        n
        for n, v in others.items()
        if n not in (*free, *wide) and v is not None and v is not False and v != 0
    ]


def _attention(q: Any, k: Any, v: Any, scale: float, shift: Any, mask: Any) -> tuple[Any, Any, Any]:
    share = q.shape[1] // k.shape[1]
    k, v = (t.repeat_interleave(share, dim=1) for t in (k, v))
    scores = q @ k.transpose(-1, -2) * scale
    scores = scores if shift is None else scores + shift.float()
    scores = scores if mask is None else scores.masked_fill(mask.bool(), -math.inf)
    largest = scores.amax(-1, keepdim=True)
    powers = (scores - largest).exp()
    total = powers.sum(-1, keepdim=True)
    return powers / total @ v, largest, total


def _heads(t: Any, layout: str, heads: int) -> Any:
    """Return a tensor as batch, head, sequence, width, in float32."""
    wide = t.float()
    if layout == "BNSD":
        return wide
    if layout == "SBH":
        wide = wide.transpose(0, 1)
    if layout in ("BSH", "SBH"):
        return wide.unflatten(-1, (heads, -1)).transpose(1, 2)
    if layout == "BSND":
        return wide.transpose(1, 2)
    raise NotImplementedError(f"attention in the layout {layout}")


def _back(t: Any, layout: str) -> Any:
    if layout == "BNSD":
        return t
    rows = t.transpose(1, 2)
    if layout == "BSND":
        return rows
    return rows.flatten(2) if layout == "BSH" else rows.flatten(2).transpose(0, 1)


def _later(rows: int, columns: int) -> Any:
    """Return which keys lie behind a query, where the last query sees the last key."""
    return torch.arange(columns)[None] > torch.arange(rows)[:, None] + columns - rows


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
