"""CPU references of the torch_npu operators that the benchmark calls, each from its public documentation.

`import torch_npu` in a reference gives this module. An argument that an operator does not take here raises
NotImplementedError. Not covered: npu_lstm and npu_sparse_flash_attention, which the benchmark calls with shapes and
indices that their documentation does not allow.
"""

from typing import Any

from akgen.bench.mkb.npu_operators.attention import (
    npu_advance_step_flashattn,
    npu_fused_infer_attention_score,
    npu_fusion_attention,
    npu_lightning_indexer,
    npu_moe_compute_expert_tokens,
    npu_moe_finalize_routing,
    npu_moe_gating_top_k_softmax,
    npu_moe_init_routing,
)
from akgen.bench.mkb.npu_operators.elementwise import (
    npu_apply_adam,
    npu_group_norm_swish,
    npu_interleave_rope,
    npu_iou,
    npu_kv_rmsnorm_rope_cache,
    npu_rotary_mul,
    npu_top_k_top_p,
)
from akgen.bench.mkb.npu_operators.quantization import (
    npu_dynamic_quant,
    npu_ffn,
    npu_grouped_matmul_swiglu_quant_v2,
    npu_quant_matmul,
    npu_quant_matmul_reduce_sum,
    npu_quant_scatter,
    npu_swiglu_quant,
    npu_weight_quant_batchmatmul,
)

__all__ = [
    "npu_advance_step_flashattn", "npu_apply_adam", "npu_dynamic_quant", "npu_ffn", "npu_fused_infer_attention_score",
    "npu_fusion_attention", "npu_group_norm_swish", "npu_grouped_matmul_swiglu_quant_v2", "npu_interleave_rope",
    "npu_iou", "npu_kv_rmsnorm_rope_cache", "npu_lightning_indexer", "npu_moe_compute_expert_tokens",
    "npu_moe_finalize_routing", "npu_moe_gating_top_k_softmax", "npu_moe_init_routing", "npu_quant_matmul",
    "npu_quant_matmul_reduce_sum", "npu_quant_scatter", "npu_rotary_mul", "npu_swiglu_quant", "npu_top_k_top_p",
    "npu_weight_quant_batchmatmul",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise AttributeError(f"there is no CPU reference of torch_npu.{name}")
