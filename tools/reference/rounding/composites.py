"""Composite operations, by the steps in which a kernel computes them.

PyTorch has decompositions of these too; its own take seconds to import.
"""

import math
from typing import Any

import torch

from akgen.tools.reference.rounding.errors import (
    SPREAD,
    Errors,
    NoBound,
    Run,
    Step,
    joined,
    replayed,
    rule,
    scaled,
    single,
)

Weight = Any  # torch.Tensor | None
Normed = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
_PYTORCH_MULTIPLIES = 25  # points: for more, cdist is a product of matrices
_MOST_DIFFERENCES = 1 << 26  # elements of a tensor of all differences
_MEAN_BAG, _MAX_BAG = 1, 2  # PyTorch's numbers of the modes of an embedding bag; 0 is the sum


@rule("std")
def _std(run: Run, step: Step) -> list[Errors | None]:
    return replayed(run, lambda *a, **k: torch.var(*a, **k).sqrt(), step.args, step.kwargs)


@rule("linalg_vector_norm")
def _norm(run: Run, step: Step) -> list[Errors | None]:
    order = step.named["ord"]
    dims, keep = step.reduced()
    if order == 2:
        return replayed(run, lambda x: (x * x).sum(dims, keepdim=keep).sqrt(), step.args[:1], {})
    if order == 0:
        raise NoBound
    if math.isinf(order):
        pick = torch.amax if order > 0 else torch.amin
        return replayed(run, lambda x: pick(x.abs(), dims, keepdim=keep), step.args[:1], {})

    def steps(x: torch.Tensor) -> torch.Tensor:
        return x.abs().sum(dims, keepdim=keep) if order == 1 else _power_sum(x.abs(), dims, keep, order)

    return replayed(run, steps, step.args[:1], {})


def _power_sum(x: torch.Tensor, dims: list[int], keep: bool, order: float) -> torch.Tensor:
    return x.pow(order).sum(dims, keepdim=keep).pow(1 / order)


@rule("_cdist_forward")
def _distances(run: Run, step: Step) -> list[Errors | None]:
    """Distances by differences; and by a product of matrices, as PyTorch's own, where that is what PyTorch does."""
    a, b, order, mode = step.args
    if step.out.numel() * a.shape[-1] > _MOST_DIFFERENCES or order == 0:
        raise NoBound

    def steps(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        apart = (a.unsqueeze(-2) - b.unsqueeze(-3)).abs()
        if math.isinf(order):
            return apart.amax(-1)
        return apart.sum(-1) if order == 1 else _power_sum(apart, [-1], False, order)

    (found,) = replayed(run, steps, (a, b), {})
    by_product = mode == 1 or (mode != 2 and max(a.shape[-2], b.shape[-2]) > _PYTORCH_MULTIPLIES)
    if order != 2 or not by_product:
        return [found]

    def squares(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * a).sum(-1).unsqueeze(-1) + (b * b).sum(-1).unsqueeze(-2) - a @ b.mT * 2

    (more,) = replayed(run, squares, (a, b), {})
    if more is None:
        return [found]
    off = SPREAD * more.square.sqrt() + (0.0 if more.common is None else more.common)
    return [joined(found, scaled(more, 0.5 / torch.maximum(single(step.out), (off * run.roundoff).sqrt())))]


@rule("_embedding_bag", "_embedding_bag_forward_only")
def _bags(run: Run, step: Step) -> list[Errors | None]:
    how = step.named
    index, offsets, mode = how["indices"], how["offsets"], how["mode"]
    if how.get("padding_idx", -1) >= 0:
        raise NoBound
    count = step.out[0].shape[0]
    bag = torch.searchsorted(offsets, torch.arange(index.numel()), right=True) - 1
    sizes = torch.bincount(bag, minlength=count).clamp(min=1).unsqueeze(1)

    def steps(weight: torch.Tensor, scale: Weight) -> torch.Tensor:
        rows = weight.index_select(0, index)
        rows = rows if scale is None else rows * scale.unsqueeze(1)
        empty = torch.zeros(count, rows.shape[1], dtype=rows.dtype)
        if mode == _MAX_BAG:
            return empty.scatter_reduce(0, bag.unsqueeze(1).expand_as(rows), rows, "amax", include_self=False)
        summed = empty.index_add(0, bag, rows)
        return summed / sizes if mode == _MEAN_BAG else summed

    found = replayed(run, steps, (how["weight"], how.get("per_sample_weights")), {})
    return [*found, *[None] * (len(step.outputs) - 1)]


@rule("addmm", "baddbmm", "addmv", "addbmm")
def _added(run: Run, step: Step) -> list[Errors | None]:
    beta, alpha = step.kwargs.get("beta", 1), step.kwargs.get("alpha", 1)

    def steps(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        product = {1: torch.mv, 2: torch.mm}[b.dim()](a, b) if a.dim() == 2 else torch.bmm(a, b)
        if step.name == "addbmm":
            product = product.sum(0)
        product = product if alpha == 1 else product * alpha
        return product if beta == 0 else product + (bias if beta == 1 else bias * beta)

    return replayed(run, steps, step.args[:3], {})


@rule("_scaled_dot_product_flash_attention_for_cpu")
def _attention(run: Run, step: Step) -> list[Errors | None]:
    query, key, value = step.args[:3]
    dropout = step.args[3] if len(step.args) > 3 else step.kwargs.get("dropout_p", 0.0)
    causal = step.args[4] if len(step.args) > 4 else step.kwargs.get("is_causal", False)
    if dropout:
        raise NoBound
    found = run.replay(
        torch.ops.aten._scaled_dot_product_attention_math,
        query,
        key,
        value,
        step.kwargs.get("attn_mask"),
        0.0,
        causal,
        scale=step.kwargs.get("scale"),
    )
    others = len([o for o in step.out if isinstance(o, torch.Tensor)]) - 1
    return [run.errors(found[0]), *[None] * others]


@rule("logcumsumexp")
def _logcumsumexp(run: Run, step: Step) -> list[Errors | None]:
    def steps(x: torch.Tensor, dim: int) -> torch.Tensor:
        largest = x.amax(dim, keepdim=True)
        return (x - largest).exp().cumsum(dim).log() + largest

    return replayed(run, steps, step.args, step.kwargs)


@rule("native_layer_norm")
def _layer_norm(run: Run, step: Step) -> list[Errors | None]:
    def steps(x: torch.Tensor, shape: list[int], weight: Weight, bias: Weight, eps: float) -> Normed:
        dims = list(range(x.dim() - len(shape), x.dim()))
        return _normalised(x, dims, weight, bias, eps)

    return replayed(run, steps, step.args, step.kwargs)


@rule("native_group_norm")
def _group_norm(run: Run, step: Step) -> list[Errors | None]:
    x, weight, bias, count, channels, _, groups, eps = step.args
    shape = [1, channels, *[1] * (x.dim() - 2)]

    def steps(x: torch.Tensor, weight: Weight, bias: Weight) -> Normed:
        y, mean, rstd = _normalised(x.reshape(count, groups, -1), [2], None, None, eps)
        y = y.reshape(x.shape)
        y = y if weight is None else y * weight.reshape(shape)
        y = y if bias is None else y + bias.reshape(shape)
        return y, mean.reshape(count, groups), rstd.reshape(count, groups)

    return replayed(run, steps, (x, weight, bias), {})


@rule("native_batch_norm", "_native_batch_norm_legit_no_training")
def _batch_norm(run: Run, step: Step) -> list[Errors | None]:
    how = step.named
    x, mean, var = how["input"], how["running_mean"], how["running_var"]
    shape = [1, -1, *[1] * (x.dim() - 2)]
    training = how.get("training", False)

    def steps(x: torch.Tensor, weight: Weight, bias: Weight) -> torch.Tensor:
        if training:
            y = _normalised(x, [d for d in range(x.dim()) if d != 1], None, None, how["eps"])[0]
            y = y if weight is None else y * weight.reshape(shape)
            return y if bias is None else y + bias.reshape(shape)
        factor = (var + how["eps"]).rsqrt()
        factor = factor if weight is None else factor * weight
        offset = -mean * factor if bias is None else bias - mean * factor
        return x * factor.reshape(shape) + offset.reshape(shape)

    found = replayed(run, steps, (x, how["weight"], how["bias"]), {})
    return [*found, *[None] * (len(step.outputs) - 1)]


def _normalised(x: torch.Tensor, dims: list[int], weight: Weight, bias: Weight, eps: float) -> Normed:
    var, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
    rstd = (var + eps).rsqrt()
    y = (x - mean) * rstd
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias), mean, rstd


@rule("logsumexp")
def _logsumexp(run: Run, step: Step) -> list[Errors | None]:
    def steps(x: torch.Tensor, dims: list[int], keepdim: bool = False) -> torch.Tensor:
        largest = x.amax(dims, keepdim=True)
        found = (x - largest).exp().sum(dims, keepdim=True).log() + largest
        return found if keepdim else found.reshape(step.out.shape)

    return replayed(run, steps, step.args, step.kwargs)


@rule("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
def _loss(run: Run, step: Step) -> list[Errors | None]:
    """Smooth losses are no steeper than their square or their size, so these stand for them."""
    how = step.named
    limit = how.get("beta", how.get("delta", 1.0))

    def steps(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        off = x - target
        if step.name == "mse_loss":
            each = off * off
        elif step.name == "l1_loss" or limit == 0:
            each = off.abs()
        else:
            near = off * off * (0.5 / (limit if step.name == "smooth_l1_loss" else 1.0))
            far = (off.abs() - 0.5 * limit) * (limit if step.name == "huber_loss" else 1.0)
            each = torch.where(off.abs() < limit, near, far)
        reduction = how.get("reduction", 1)
        return each if reduction == 0 else each.mean() if reduction == 1 else each.sum()

    return replayed(run, steps, (how["self"], how["target"]), {})


@rule("nll_loss_forward")
def _nll_loss(run: Run, step: Step) -> list[Errors | None]:
    x, target, weight, reduction, ignored = step.args
    if x.dim() > 2:
        raise NoBound
    wanted = target != ignored
    index = torch.where(wanted, target, 0)
    factor = wanted.to(x.dtype) if weight is None else torch.where(wanted, weight[index], 0.0)

    def steps(x: torch.Tensor) -> torch.Tensor:
        picked = -x.gather(-1, index.unsqueeze(-1)).squeeze(-1) * factor
        return picked if reduction == 0 else picked.sum() / (factor.sum() if reduction == 1 else 1.0)

    return [*replayed(run, steps, (x,), {}), None]
