"""GroupNorm, BatchNorm, DeepNorm, Normalize, LayerNorm with reciprocals, its gradient, and Welford's method."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(29)
F32, F16 = np.float32, np.float16
EPS = 1e-3
TOLERANCE = {"float": {"rtol": 2e-5, "atol": 2e-6}, "half": {"rtol": 4e-3, "atol": 4e-3}}


def _fields(kind: str, **values: float) -> str:
    sets = " ".join(f"t.{name} = {value};" for name, value in values.items())
    return f"{kind} t{{}};\n    {sets}\n    "


def _joined(*parts: Array) -> Array:
    return np.concatenate([np.asarray(p).ravel() for p in parts])


def _group(case: Any, dtype: Any, cpp: str, tmp: str) -> Any:
    n, groups, channels, length, stride = 2, 2, 4, 20, 32  # the last 12 of each channel do not count
    x = RNG.normal(3, 2, (n, groups * channels, stride)).astype(dtype)
    gamma, beta = RNG.normal(size=(2, 16)).astype(dtype)
    torch_out = torch.nn.functional.group_norm(
        torch.tensor(x[:, :, :length].astype(np.float64)), groups,
        torch.tensor(gamma[:8].astype(np.float64)), torch.tensor(beta[:8].astype(np.float64)), EPS,
    ).numpy()  # fmt: skip
    whole = np.zeros(x.shape, dtype)
    whole[:, :, :length] = torch_out.astype(dtype)
    sets = x[:, :, :length].astype(np.float64).reshape(n * groups, -1)
    want = _joined(whole, np.resize(sets.mean(1), 16) * _first(4), np.resize(sets.var(1), 16) * _first(4))
    code = (
        _fields("GroupNormTiling", n=n, g=groups, d=channels, c=8, hw=length, hwAlignSize=stride)
        + f"GroupNorm(out, out[{x.size}], out[{x.size + 16}], a, b, b[16], {tmp}{cpp}({EPS}), t);"
    )
    return case(
        f"GroupNorm-{cpp}", code, (x, _joined(gamma, beta)), want.astype(dtype) * 0, want, **TOLERANCE[cpp]
    )


def _first(count: int) -> Array:
    return (np.arange(16) < count).astype(np.float64)


def _batch(case: Any, dtype: Any, cpp: str, tmp: str) -> Any:
    rows, columns = 16, 32
    x = RNG.normal(-1, 3, (rows, columns)).astype(dtype)
    factors = RNG.normal(size=(2, rows)).astype(dtype)
    wide = x.astype(np.float64)
    out = (wide - wide.mean(0)) / np.sqrt(wide.var(0) + EPS) * factors[0][:, None] + factors[1][:, None]
    want = _joined(out, wide.mean(0), wide.var(0))
    code = (
        _fields("BatchNormTiling", originalBLength=rows, meanVarSize=columns)
        + f"BatchNorm(out, out[{x.size}], out[{x.size + columns}], a, b, b[{rows}], {tmp}{cpp}({EPS}), t);"
    )
    return case(f"BatchNorm-{cpp}", code, (x, factors), want.astype(dtype) * 0, want, **TOLERANCE[cpp])


def _deep(case: Any, dtype: Any, cpp: str, tmp: str) -> Any:
    rows, length, stride = 16, 50, 64
    x, gx = RNG.normal(size=(2, rows, stride)).astype(dtype)
    factors = RNG.normal(size=(2, stride)).astype(dtype)
    wide = 0.5 * x.astype(np.float64)[:, :length] + gx.astype(np.float64)[:, :length]
    mean, variance = wide.mean(1), wide.var(1)
    out = np.zeros((rows, stride))
    out[:, :length] = ((wide - mean[:, None]) / np.sqrt(variance[:, None] + EPS)) * factors[0][:length]
    out[:, :length] += factors[1][:length]
    want = _joined(out, mean, variance)
    code = (
        _fields("DeepNormTiling", bLength=4, sLength=4, hLength=stride, originalHLength=length)
        + f"DeepNorm(out, out[{x.size}], out[{x.size + 16}], a, a[{x.size}], b[{stride}], b, "
        + f"{tmp}{cpp}(0.5), {cpp}({EPS}), t);"
    )
    return case(
        f"DeepNorm-{cpp}", code, (_joined(x, gx), factors), want.astype(dtype) * 0, want, **TOLERANCE[cpp]
    )


def _known(case: Any, dtype: Any, cpp: str, tmp: str) -> list[Any]:
    rows, length, stride = 8, 60, 64
    x = RNG.normal(2, 3, (rows, stride)).astype(dtype)
    factors = RNG.normal(size=(2, stride)).astype(F32)
    wide = x.astype(np.float64)[:, :length]
    mean, variance = wide.mean(1), wide.var(1)
    reciprocal = 1 / np.sqrt(variance + EPS)
    plain = (wide - mean[:, None]) * reciprocal[:, None]
    out = np.zeros((rows, stride))
    out[:, :length] = plain * factors[0][:length] + factors[1][:length]
    bare = np.zeros((rows, stride))
    bare[:, :length] = plain * factors[0][:length]
    stats = np.concatenate([mean, variance]).astype(F32)
    take = "LocalTensor<float> r = tmp.ReinterpretCast<float>()[4096];\n    "
    shape = f"{{{rows}, {length}, {stride}}}"
    name = f"Normalize<float, {cpp}>"
    given = ""
    if tmp:
        given = "tmp, "
    return [
        case(
            f"Normalize-{cpp}",
            take + f"NormalizePara p = {shape};\n    {name}(out, r, b, b[8], a, c, c[{stride}], {given}{EPS}f, p);",
            (x, stats, factors), x * 0, out, **TOLERANCE[cpp],
        ),
        case(
            f"Normalize-reciprocals-{cpp}",
            f"NormalizePara p = {shape};\n    LocalTensor<{cpp}> y = tmp.ReinterpretCast<{cpp}>()[4096];\n    "
            f"{name}(y, out, b, b[8], a, c, c[{stride}], {given}{EPS}f, p);",
            (x, stats, factors), np.zeros(rows, F32), reciprocal, rtol=1e-5,
        ),
        case(
            f"Normalize-no-beta-{cpp}",
            take + "static constexpr NormalizeConfig plain = {ReducePattern::AR, -1, true, false, false};\n    "
            f"NormalizePara p = {shape};\n    "
            f"Normalize<float, {cpp}, false, plain>(out, r, b, b[8], a, c, c, {given}{EPS}f, p);",
            (x, stats, factors), x * 0, bare, **TOLERANCE[cpp],
        ),
        case(
            f"LayerNorm-reciprocals-{cpp}",
            "LayerNormSeparateTiling t{};\n    "
            f"LayerNormPara p = {shape};\n    LocalTensor<{cpp}> y = tmp.ReinterpretCast<{cpp}>()[4096];\n    "
            f"LayerNorm<float, {cpp}>(y, out, out[{rows}], a, c, c[{stride}], {EPS}f, {given}p, t);",
            (x, stats, factors), np.zeros(2 * rows, F32), _joined(mean, reciprocal), rtol=1e-4, atol=1e-5,
        ),
    ]  # fmt: skip


def _gradient(case: Any, dtype: Any, cpp: str, tmp: str) -> list[Any]:
    rows, length = 16, 64
    x, dy = RNG.normal(size=(2, rows, length)).astype(dtype)
    gamma = RNG.normal(1, 0.2, length).astype(dtype)
    wide = torch.tensor(x.astype(np.float64), requires_grad=True)
    factor = torch.tensor(gamma.astype(np.float64), requires_grad=True)
    shift = torch.zeros(length, dtype=torch.float64, requires_grad=True)
    y = torch.nn.functional.layer_norm(wide, (length,), factor, shift, EPS)
    y.backward(torch.tensor(dy.astype(np.float64)))
    mean, variance = x.astype(np.float64).mean(1), x.astype(np.float64).var(1)
    normal = (x.astype(np.float64) - mean[:, None]) / np.sqrt(variance[:, None] + EPS)
    assert wide.grad is not None and factor.grad is not None and shift.grad is not None
    size = rows * length
    want = _joined(wide.grad.numpy(), normal)
    shape = {"bLength": 4, "sLength": 4, "hLength": length, "originalHLength": length}
    stats = _joined(variance, mean).astype(dtype)
    close = TOLERANCE[cpp] if cpp == "float" else {"rtol": 1e-2, "atol": 1e-2}
    first = f"LayerNormGrad(out, out[{size}], a, a[{size}], b, b[{rows}], c, {tmp}{cpp}({EPS}), t);"
    sums = _joined(factor.grad.numpy(), shift.grad.numpy())
    return [
        case(
            f"LayerNormGrad-{cpp}",
            _fields("LayerNormGradTiling", **shape) + first,
            (_joined(dy, x), stats, gamma), want.astype(dtype) * 0, want, **close,
        ),
        case(
            f"LayerNormGradBeta-{cpp}",
            _fields("LayerNormGradBetaTiling", **shape)
            + f"LayerNormGradBeta(out, out[{length}], a, a[{size}], {tmp}t);",
            (_joined(normal, dy).astype(dtype),), sums.astype(dtype) * 0, sums,
            rtol=close["rtol"] * 4, atol=close["atol"] * 8,
        ),
    ]  # fmt: skip


def _welford(case: Any, dtype: Any, cpp: str, tmp: str) -> list[Any]:
    length, blocks = 32, 5
    x = RNG.normal(4, 2, (blocks, length)).astype(dtype)
    wide = x.astype(np.float64)
    update = f"Duplicate(out, 0.0f, {2 * length});\n    "
    update += "LocalTensor<float> t0 = tmp.ReinterpretCast<float>()[4096];\n    "
    for i in range(blocks):
        source, target = ("out", "t0") if i % 2 == 0 else ("t0", "out")
        update += (
            f"{{ WelfordUpdateParam p = {{1, {length}, {length}, {1 / (i + 1)}f}};\n    "
            f"WelfordUpdate<{cpp}, float>({target}, {target}[{length}], {source}, {source}[{length}], "
            f"a[{i * length}], {tmp}p); }}\n    "
        )
    update += f"DataCopy(out, t0, {2 * length});"
    want = _joined(wide.mean(0), wide.var(0) * blocks)
    # A tail: the last 8 columns miss the last row.
    counts = np.where(np.arange(length) < 24, blocks, blocks - 1)
    cut = [wide[: counts[i], i] for i in range(length)]
    means, sums = np.array([v.mean() for v in cut]), np.array([v.var() * v.size for v in cut])
    every = np.concatenate(cut)
    tailed = np.zeros(16)
    tailed[[0, 8]] = every.mean(), every.var()
    even = np.zeros(16)
    even[[0, 8]] = wide.mean(), wide.var()
    head = f"{{{blocks}, {length}, {blocks}, 24, {blocks - 1}, 8, {1 / length}f, {1 / every.size}f}}"
    whole = f"{{{blocks}, {length}, {blocks}, {length}, 0, 0, {1 / length}f, {1 / wide.size}f}}"
    final = "WelfordFinalizePara p = %s;\n    WelfordFinalize(out, out[8], a, a[32], %s%sp);"
    partial = (_joined(means, sums).astype(F32),)
    close = {"rtol": 1e-4, "atol": 1e-5}
    zeros = np.zeros(16, F32)
    one = (
        f"Duplicate(out, 7.0f, {2 * length});\n    WelfordUpdateParam p = {{1, {length}, 8, 1.0f}};\n    "
        "static constexpr WelfordUpdateConfig keep = {true};\n    "
        f"WelfordUpdate<{cpp}, float, false, keep>(out, out[{length}], b, b[{length}], a, {tmp}p);"
    )
    kept = np.full(length, 5.0)
    kept[:8] = wide[0, :8]
    return [
        case(f"WelfordUpdate-{cpp}", update, (x,), np.zeros(2 * length, F32), want, rtol=1e-3, atol=1e-3),
        case(
            f"WelfordUpdate-in-place-{cpp}", one,
            (x, np.repeat([5, 0], length).astype(F32)), np.zeros(2 * length, F32),
            _joined(kept, np.zeros(length)), rtol=1e-5, atol=1e-5,
        ),
        case(f"WelfordFinalize-tail-{cpp}", final % (head, "", tmp), partial, zeros, tailed, **close),
        case(
            f"WelfordFinalize-counts-{cpp}", final % (head, "b, ", tmp),
            (*partial, counts.astype(np.int32)), zeros, tailed, **close,
        ),
        case(
            f"WelfordFinalize-even-{cpp}", final % (whole, "", tmp),
            (_joined(wide.mean(0), wide.var(0) * blocks).astype(F32),), zeros, even, **close,
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("tmp", ["tmp, ", ""], ids=["shared", "own"])
def test_norms(bench: Any, case: Any, tmp_path: Path, tmp: str) -> None:
    cases: list[Any] = []
    for dtype, cpp in ((F32, "float"), (F16, "half")):
        cases += [make(case, dtype, cpp, tmp) for make in (_group, _batch, _deep)]
        for family in (_known, _gradient, _welford):
            cases += family(case, dtype, cpp, tmp)
    got = bench.run(cases, tmp_path)
    for c in cases:
        try:
            c.check(got[c.name])
        except AssertionError as error:
            raise AssertionError(c.name) from error
