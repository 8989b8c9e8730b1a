"""Our CPU references of torch_npu operators, on cases worked out by hand or by another way to compute them."""

import math

import pytest
import torch
import torch.nn.functional as F

from akgen.bench.mkb import npu_operators as npu


def test_rotations_keep_the_length_of_every_pair() -> None:
    x = torch.randn(2, 3, 4, 8)
    angle = torch.rand(1, 1, 4, 4)
    half = torch.cat((angle, angle), -1)
    turned = npu.npu_rotary_mul(x, half.cos(), half.sin())
    assert torch.allclose(
        turned[..., :4] ** 2 + turned[..., 4:] ** 2, x[..., :4] ** 2 + x[..., 4:] ** 2, atol=1e-5
    )
    pairs = angle.repeat_interleave(2, -1)
    twined = npu.npu_rotary_mul(x, pairs.cos(), pairs.sin(), rotary_mode="interleave")
    assert torch.allclose(
        twined.unflatten(-1, (4, 2)).norm(dim=-1), x.unflatten(-1, (4, 2)).norm(dim=-1), atol=1e-5
    )
    gathered = npu.npu_interleave_rope(x, half.cos(), half.sin())
    assert torch.allclose(torch.stack(gathered.chunk(2, -1), -1).flatten(-2), twined, atol=1e-5)


def test_group_norm_with_swish() -> None:
    x, weight, bias = torch.randn(2, 6, 5), torch.rand(6), torch.randn(6)
    out, mean, rstd = npu.npu_group_norm_swish(x, 3, weight, bias)
    assert torch.allclose(out, F.silu(F.group_norm(x, 3, weight, bias)), atol=1e-6)
    assert mean.shape == rstd.shape == (2, 3)
    assert torch.allclose(mean, x.reshape(2, 3, -1).mean(-1), atol=1e-6)


def test_experts_get_their_rows_and_give_them_back() -> None:
    rows, k = 5, 2
    x = torch.randn(rows, 4)
    experts = torch.randint(0, 3, (rows, k), dtype=torch.int32)
    own = torch.arange(rows * k, dtype=torch.int32).reshape(k, rows).t().contiguous()
    sent, places, order = npu.npu_moe_init_routing(x, own, experts, rows)
    assert torch.equal(order, experts.reshape(-1).sort().values)
    back = npu.npu_moe_finalize_routing(sent, None, None, None, torch.full((rows, k), 0.5), places, experts)
    assert torch.allclose(back, x, atol=1e-6)
    assert npu.npu_moe_compute_expert_tokens(order, 3).tolist() == [
        int((experts <= e).sum()) for e in range(3)
    ]


def test_gates_choose_the_largest_and_none_for_finished_rows() -> None:
    x = torch.tensor([[0.0, 2.0, 1.0], [3.0, 0.0, 1.0]])
    values, experts, places = npu.npu_moe_gating_top_k_softmax(x, torch.tensor([False, True]), k=2)
    assert experts.tolist() == [[1, 2], [3, 3]]
    assert torch.allclose(values[0], x[0].softmax(-1)[[1, 2]])
    assert places.tolist() == [[0, 2], [1, 3]]


def test_logits_are_kept_by_number_and_probability() -> None:
    logits = torch.tensor([[1.0, 4.0, 2.0, 3.0]])
    few = npu.npu_top_k_top_p(logits, torch.tensor([1.0]), torch.tensor([2]))
    assert few.tolist() == [[-math.inf, 4.0, -math.inf, 3.0]]
    one = npu.npu_top_k_top_p(logits, torch.tensor([0.1]), torch.tensor([4]))
    assert one.tolist() == [[-math.inf, 4.0, -math.inf, -math.inf]]


def test_quantised_rows_come_back_within_half_a_step() -> None:
    x = torch.randn(3, 16)
    small, scale = npu.npu_dynamic_quant(x)
    assert small.dtype == torch.int8
    assert bool(((small * scale[:, None] - x).abs() <= scale[:, None] * 0.5001).all())
    wide, scales = npu.npu_swiglu_quant(x, quant_mode=1, activate_left=True)
    assert torch.allclose(wide * scales[:, None], F.silu(x[:, :8]) * x[:, 8:], atol=float(scales.max()))


def test_updates_are_quantised_into_their_places() -> None:
    cache = torch.zeros(2, 6, 4, dtype=torch.int8)
    updates = torch.tensor([[[2.0, 4.0, 6.0, 400.0]], [[-2.0, 0.0, 2.0, 4.0]]])
    out = npu.npu_quant_scatter(
        cache, torch.tensor([1, 5]), updates, torch.full((1, 1, 4), 2.0), axis=-2, quant_axis=-1
    )
    assert out[0, 1].tolist() == [1, 2, 3, 127] and out[1, 5].tolist() == [-1, 0, 1, 2]
    assert int(out.count_nonzero()) == 7


def test_attention_in_every_layout() -> None:
    q, k, v = (torch.randn(2, 4, 5, 8) for _ in range(3))
    want = F.scaled_dot_product_attention(q, k, v)
    forms = {
        "BNSD": lambda t: t,
        "BSND": lambda t: t.transpose(1, 2),
        "BSH": lambda t: t.transpose(1, 2).flatten(2),
        "SBH": lambda t: t.transpose(1, 2).flatten(2).transpose(0, 1),
    }
    for layout, form in forms.items():
        out, largest, total = npu.npu_fusion_attention(form(q), form(k), form(v), 4, layout, scale=8**-0.5)
        assert torch.allclose(out, form(want), atol=1e-5)
        assert largest.shape == total.shape == (2, 4, 5, 8)
        other, _ = npu.npu_fused_infer_attention_score(
            form(q), form(k), form(v), num_heads=4, scale=8**-0.5, input_layout=layout
        )
        assert torch.allclose(other, form(want), atol=1e-5)


def test_sparse_attention_looks_at_the_past() -> None:
    q, k = torch.randn(1, 3, 2, 4), torch.randn(1, 3, 1, 4)
    found, _ = npu.npu_lightning_indexer(q, k, torch.ones(1, 3, 2), sparse_count=4)
    assert found[0, 0, 0, 1:].tolist() == [-1, -1, -1] and int(found[0, 0, 0, 0]) == 0
    assert sorted(found[0, 2, 0, :3].tolist()) == [0, 1, 2]


def test_products_of_integers() -> None:
    a, b = torch.randint(-5, 5, (3, 4), dtype=torch.int8), torch.randint(-5, 5, (4, 2), dtype=torch.int8)
    exact = (a.double() @ b.double()).float()
    scale = torch.tensor([0.5, 2.0])
    assert torch.equal(npu.npu_quant_matmul(a, b, scale, output_dtype="float16").float(), exact * scale)
    assert torch.equal(
        npu.npu_quant_matmul_reduce_sum(a[None], b[None], x2_scale=scale).float(), exact * scale
    )
    x = torch.randn(3, 4)
    out = npu.npu_weight_quant_batchmatmul(x, b, scale, torch.ones(2))
    assert torch.allclose(out, x @ ((b.float() + 1) * scale), atol=1e-5)
    small, scales = npu.npu_grouped_matmul_swiglu_quant_v2(
        a, [torch.stack((b, b))], [torch.ones(2, 2)], torch.ones(3), torch.tensor([1, 3])
    )
    assert torch.allclose(
        small * scales[:, None], F.silu(exact[:, :1]) * exact[:, 1:], atol=float(scales.max())
    )


def test_feed_forward_with_a_gate() -> None:
    x, first, second = torch.randn(3, 4), torch.randn(4, 6), torch.randn(3, 5)
    gate, other = (x @ first).chunk(2, -1)
    assert torch.allclose(npu.npu_ffn(x, first, second, "swiglu"), (F.silu(gate) * other) @ second, atol=1e-5)


def test_one_step_of_adam() -> None:
    var, m, v, grad = torch.ones(3), torch.zeros(3), torch.zeros(3), torch.tensor([1.0, -2.0, 0.5])
    npu.npu_apply_adam(0.9, 0.999, 0.1, 0.9, 0.999, 1e-8, grad, False, False, out=(var, m, v))
    assert torch.allclose(var, 1 - 0.1 * grad.sign(), atol=1e-4)


def test_boxes_overlap() -> None:
    box = torch.tensor([[0.0, 0.0, 2.0, 2.0], [5.0, 5.0, 6.0, 6.0]])
    truth = torch.tensor([[1.0, 1.0, 3.0, 2.0]])
    assert torch.allclose(npu.npu_iou(box, truth), torch.tensor([[1 / 5, 0.0]]))
    assert torch.allclose(npu.npu_iou(box, truth, mode=1), torch.tensor([[1 / 2, 0.0]]))


def test_a_scheduler_advances_its_queries() -> None:
    tokens, positions, lengths, slots = npu.npu_advance_step_flashattn(
        torch.zeros(3, dtype=torch.int64), torch.tensor([[7], [8]]), torch.zeros(3, dtype=torch.int64),
        torch.tensor([1, 5, 9]), torch.zeros(3, dtype=torch.int64), torch.arange(9).reshape(3, 3), 3, 2, 4,
    )  # fmt: skip
    assert tokens.tolist() == [7, 8, 0] and positions.tolist() == [1, 5, 0] and lengths.tolist() == [2, 6, 9]
    assert slots.tolist() == [0 * 4 + 1, 4 * 4 + 1, 0]


def test_a_cache_takes_normalised_values_and_turned_keys() -> None:
    kv = torch.randn(1, 1, 2, 6)
    k_cache, v_cache = torch.zeros(1, 1, 4, 2), torch.zeros(1, 1, 4, 4)
    still = torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 2, 2)
    keys, values, *_ = npu.npu_kv_rmsnorm_rope_cache(
        kv, torch.ones(4), *still, torch.tensor([[3, 0]]), k_cache, v_cache, epsilon=0.0
    )
    assert torch.allclose(keys[0, 0, [3, 0]], kv[0, 0, :, 4:], atol=1e-6)
    assert torch.allclose(values[0, 0, [3, 0]].square().mean(-1), torch.ones(2), atol=1e-5)
    assert int(values[0, 0, [1, 2]].count_nonzero()) == 0


def test_an_operator_that_is_not_covered_is_named() -> None:
    with pytest.raises(AttributeError, match=r"no CPU reference of torch_npu\.npu_lstm"):
        npu.npu_lstm  # noqa: B018
