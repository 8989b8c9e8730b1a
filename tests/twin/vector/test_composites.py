"""Sorting, normalisation and quantisation."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(13)
F32, F16 = np.float32, np.float16


def _records(values: Array, indices: Array) -> Array:
    """Interleave scores and indices as the chip does, in the scores' type."""
    words = np.zeros((values.size, 2), np.uint32)
    if values.dtype == F32:
        words[:, 0] = values.view(np.uint32)
    else:
        words[:, 0] = values.view(np.uint16)
    words[:, 1] = indices
    return words.view(values.dtype).ravel()


def _sorted_records(values: Array, indices: Array) -> Array:
    order = np.argsort(-values.astype(np.float64), kind="stable")
    return _records(values[order], indices[order])


def _sorting(case: Any) -> list[Any]:
    out = []
    for dtype, cpp in ((F32, "float"), (F16, "half")):
        x = RNG.permutation(128).astype(dtype)
        at = np.arange(128, dtype=np.uint32)
        runs = np.concatenate([_sorted_records(x[i : i + 32], at[i : i + 32]) for i in range(0, 128, 32)])
        zero = np.zeros_like(runs)
        step = 32 * 8 // x.itemsize
        lists = ", ".join(f"a[{i * step}]" for i in range(4))
        merge = (
            (
                "MrgSort4Info info;\n    info.validBit = 15;\n"
                "    for (int i = 0; i < 4; ++i) {{ info.elementLengths[i] = 32; }}\n"
                f"    MrgSort(out, MrgSortSrcList<{cpp}>({lists}), info);"
            )
            .replace("{{", "{")
            .replace("}}", "}")
        )
        whole = f"LocalTensor<{cpp}> work = tmp.ReinterpretCast<{cpp}>();\n Sort<{cpp}, true>(out, a, b, work, 4);"
        values = "Extract(out, tmp.ReinterpretCast<uint32_t>(), a, 4);"
        top = (
            "struct { int unused; } t{};\n    TopKInfo info{2, 64, 60};\n    LocalTensor<int32_t> none;\n"
            "    LocalTensor<bool> unfinished;\n"
            "    TopK(out, tmp.ReinterpretCast<int32_t>(), a, none, unfinished, 8, t, info);"
        )
        with_config = f"TopK<{cpp}, false, false, false, TopKMode::TOPK_NORMAL, defaultTopKConfig>("
        best = np.sort(x.reshape(2, 64)[:, :60], 1)[:, ::-1][:, :8]
        padded = np.zeros((2, 32 // x.itemsize * (-(-8 * x.itemsize // 32))), dtype)
        padded[:, :8] = best
        out += [
            case(f"Sort32-{cpp}", "Sort32(out, a, b, 4);", (x, at), zero, runs),
            case(f"MrgSort-{cpp}", merge, (runs,), zero, _sorted_records(x, at)),
            case(f"Sort-{cpp}", whole, (x, at), zero, _sorted_records(x, at)),
            case(f"Extract-{cpp}", values, (_sorted_records(x, at),), x * 0, np.sort(x)[::-1]),
            case(f"TopK-{cpp}", top, (x,), padded * 0, padded),
            case(f"TopK-config-{cpp}", top.replace("TopK(", with_config), (x,), padded * 0, padded),
        ]
    scores = RNG.permutation(32).astype(F16)
    order = np.concatenate([i + np.argsort(-scores[i : i + 16].astype(F32)) for i in (0, 16)])
    proposals = "LocalTensor<half> all = tmp.ReinterpretCast<half>();\n    ProposalConcat(all, a, 2, 4);\n"
    out += [
        case(
            "RpSort16",
            proposals + "    RpSort16(all, all, 2);\n    ProposalExtract(out, all, 2, 4);",
            (scores,),
            scores * 0,
            scores[order],
        ),
        case(
            "MrgSort4",
            proposals + "    RpSort16(all, all, 2);\n    LocalTensor<half> merged = all[256];\n"
            "    uint16_t n[4] = {16, 16, 0, 0};\n"
            "    MrgSort4(merged, MrgSortSrcList<half>(all, all[128], all, all), MrgSort4Info(n, false, 3, 1));\n"
            "    ProposalExtract(out, merged, 2, 4);",
            (scores,),
            scores * 0,
            np.sort(scores)[::-1],
        ),
    ]
    return out


def _norms(case: Any) -> list[Any]:
    x = RNG.normal(size=(4, 64)).astype(F32)
    gamma, beta = RNG.random(64).astype(F32), RNG.random(64).astype(F32)
    both = np.concatenate([gamma, beta])
    wide = x.astype(np.float64)
    mean, variance = wide.mean(1, keepdims=True), wide.var(1, keepdims=True)
    layer = (
        "LayerNormTiling t{};\n    t.bLength = 2; t.sLength = 2; t.hLength = 64; t.originalHLength = 64;\n"
    )
    root = "RmsNormTiling t{};\n    t.bLength = 2; t.sLength = 2; t.hLength = 64; t.originalHLength = 64;\n"
    square = (wide**2).mean(1, keepdims=True)
    close = {"rtol": 1e-5, "atol": 1e-6}
    return [
        case(
            "LayerNorm",
            layer + "    LocalTensor<float> s = tmp.ReinterpretCast<float>();\n"
            "    LayerNorm(out, s, s[64], a, b, b[64], 1e-5f, t);",
            (x, both),
            x * 0,
            (wide - mean) / np.sqrt(variance + 1e-5) * gamma + beta,
            **close,
        ),
        case(
            "RmsNorm",
            root + "    RmsNorm(out, a, b, tmp, 1e-5f, t);",
            (x, gamma),
            x * 0,
            wide / np.sqrt(square + 1e-5) * gamma,
            **close,
        ),
    ]


def _quantisation(case: Any) -> list[Any]:
    x = RNG.uniform(-30, 30, 200).astype(F16)
    y = RNG.uniform(-30, 30, 200).astype(F32)
    i = RNG.integers(-1000, 1000, (3, 16)).astype(np.int32)
    scale = RNG.random(16).astype(F32)
    k = RNG.integers(-100, 100, (4, 32)).astype(np.int8)
    factors = RNG.uniform(0.5, 2, (2, 32)).astype(F16)
    half = (x * F16(2)).astype(F16) + F16(3)
    return [
        case(
            "AscendQuant",
            "AscendQuant(out, a, 2.0f, 3.0f, 200);",
            (x,),
            np.zeros(200, np.int8),
            np.clip(np.rint(half), -128, 127).astype(np.int8),
        ),
        case(
            "AscendQuant-float",
            "AscendQuant(out, a, tmp, 5.0f, 0.0f, 200);",
            (y,),
            np.zeros(200, np.int8),
            np.clip(np.rint((y * 5).astype(F16)), -128, 127).astype(np.int8),
        ),
        case(
            "AscendDequant",
            "AscendDequant(out, a, b, tmp, {3, 16, 16});",
            (i, scale),
            np.zeros((3, 16), F32),
            i.astype(F32) * scale,
        ),
        case(
            "AscendDequant-half",
            "AscendDequant(out, a, 0.5f, {3, 16, 16});",
            (i,),
            np.zeros((3, 16), F16),
            (i * 0.5).astype(F16),
        ),
        case(
            "AscendAntiQuant",
            "AscendAntiQuant<int8_t, half, false>(out, a, b, b[32], 4);",
            (k, factors),
            np.zeros((4, 32), F16),
            ((k.astype(F16) + factors[0]) * factors[1]).astype(F16),
        ),
    ]


@pytest.mark.parametrize("group", [_sorting, _norms, _quantisation], ids=["sorting", "norms", "quantisation"])
def test_apis(bench: Any, case: Any, tmp_path: Path, group: Any) -> None:
    cases = group(case)
    results = bench.run(cases, tmp_path)
    for c in cases:
        try:
            c.check(results[c.name])
        except AssertionError as wrong:
            raise AssertionError(f"{c.name}: {wrong}") from None
