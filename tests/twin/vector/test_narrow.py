"""Quantisation in every form, CastDeq with one scale and with sixteen, and SoftmaxFlash with means that are shifted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(37)
F32, F16, I8, I16 = np.float32, np.float16, np.int8, np.int16


def _byte(values: Array) -> Array:
    return np.clip(np.rint(values), -128, 127).astype(I8)


def _quants(case: Any, tmp: str) -> list[Any]:
    out = []
    for dtype, cpp in ((F32, "float"), (F16, "half")):
        x = RNG.uniform(-20, 20, 64).astype(dtype)
        scale, offset = RNG.uniform(0.5, 2, (2, 16)).astype(dtype)
        times = (x * np.tile(scale, 4)).astype(F16)
        by_tensor = _byte((times.astype(dtype) + np.tile(offset, 4)).astype(F16))
        by_scalar = _byte((times.astype(dtype) + dtype(2)).astype(F16))
        zero = np.zeros(64, I8)
        given = (x, scale, offset)
        out += [
            case(f"tensors-{cpp}", f"AscendQuant(out, a, {tmp}b, c, 16, 16, 64);", given, zero, by_tensor, atol=1),
            case(f"whole-tensors-{cpp}", f"AscendQuant(out, a, {tmp}b, c);", given, zero, by_tensor, atol=1),
            case(
                f"scalar-offset-{cpp}", f"AscendQuant(out, a, {tmp}b, {cpp}(2), 16, 64);",
                given, zero, by_scalar, atol=1,
            ),
            case(
                f"whole-scalar-offset-{cpp}", f"AscendQuant(out, a, {tmp}b, {cpp}(2));",
                given, zero, by_scalar, atol=1,
            ),
        ]  # fmt: skip
    return out


def _antiquants(case: Any, tmp: str) -> list[Any]:
    small = RNG.integers(-8, 8, (4, 32)).astype(I8)
    packed = (small.ravel()[0::2] & 15) | ((small.ravel()[1::2] & 15) << 4)
    wide = RNG.integers(-128, 128, (4, 32)).astype(I8)
    scale, offset = RNG.uniform(0.5, 2, (2, 32)).astype(F16)
    factors = np.concatenate([offset, scale])
    out = []
    for name, cpp, values, src in (
        ("int8", "int8_t", wide, wide),
        ("int4", "int4b_t", small, packed.astype(np.uint8)),
    ):
        head = f"LocalTensor<{cpp}> s = a.ReinterpretCast<{cpp}>();\n    s.SetSize(128);\n    "
        call = f"AscendAntiQuant<{cpp}, half, false>(out, s, "
        sums = (values.astype(F16) + offset).astype(F16)
        close = {"rtol": 2e-3, "atol": 2e-3}
        zero = np.zeros((4, 32), F16)
        out += [
            case(f"{name}-both", head + call + f"b, b[32], {tmp}4);", (src, factors), zero, sums * scale, **close),
            case(f"{name}-scale", head + call + f"b[32], {tmp}4);", (src, factors), zero, values * scale, **close),
            case(
                f"{name}-scalars", head + call + f"half(1.5), half(0.5), {tmp}4);", (src,), zero,
                (values.astype(F32) + 1.5) * 0.5, **close,
            ),
            case(
                f"{name}-scalar", head + call + f"half(0.5), {tmp}4);", (src,), zero,
                values.astype(F32) * 0.5, **close,
            ),
        ]  # fmt: skip
    return out


def _casts(case: Any) -> list[Any]:
    x = RNG.integers(-300, 300, 256).astype(I16)
    scales = np.linspace(0.25, 1, 16).astype(F32)
    offsets = np.arange(-8, 8).astype(I16)
    out = []
    for upper in (True, False):
        word = "true" if upper else "false"
        for dtype, cpp, limits in ((I8, "int8_t", (-128, 127)), (np.uint8, "uint8_t", (0, 255))):
            sign = "true" if dtype is I8 else "false"
            one = np.clip(np.rint(x * F32(0.5) + 3), *limits).astype(dtype)
            many = np.clip(np.rint(x * np.tile(scales, 16) + np.tile(offsets, 16)), *limits).astype(dtype)
            table = (
                "float sc[16]; int16_t of[16]; bool si[16];\n    for (int i = 0; i < 16; ++i) "
                f"{{ sc[i] = b.GetValue(i); of[i] = i - 8; si[i] = {sign}; }}\n    "
                "VdeqInfo info(sc, of, si);\n    SetDeqScale(tmp.ReinterpretCast<uint64_t>(), info);\n    "
            )
            calls = (
                ("one", f"SetDeqScale(0.5f, 3, {sign});\n    ", "false", one),
                ("table", table, "true", many),
            )
            for name, head, vector, narrow in calls:
                want = np.full((16, 2, 16), 9, dtype)
                want[:, 1 if upper else 0] = narrow.reshape(16, 16)
                kept = np.full(512, 9, dtype)
                forms = {
                    "count": f"CastDeq<{cpp}, int16_t, {vector}, {word}>(out, a, 256);",
                    "mask": f"CastDeq<{cpp}, int16_t, true, {vector}, {word}>(out, a, 128, 2, {{1, 1, 8, 8}});",
                    "later": "uint64_t m[2] = {~0ULL, ~0ULL};\n    "
                    f"CastDequant<{cpp}, int16_t, true, {vector}, {word}>(out, a, m, 2, {{1, 1, 8, 8}});",
                }
                for form, call in forms.items():
                    label = f"{name}-{cpp}-{word}-{form}"
                    out.append(case(label, head + call, (x, scales), kept, want.ravel()))
    wide = RNG.integers(-1000, 1000, 64).astype(np.int32)
    code = "SetDeqScale(half(0.25));\n    CastDeq<half, int32_t>(out, a, 64);"
    out.append(case("half", code, (wide,), np.zeros(64, F16), (wide * 0.25).astype(F16)))
    return out


def _shifted(case: Any, tmp: str) -> list[Any]:
    rows, columns, alpha, loop = 8, 512, 0.9375, 3
    x = RNG.normal(size=(rows, columns)).astype(F16)
    before = RNG.uniform(0.5, 1.5, (3, rows)).astype(F32)  # mean, sum, maximum
    ratio = alpha / (1 - alpha)
    wide = x.astype(np.float64)
    whole = wide.mean(1)
    local = wide.reshape(rows, 8, -1).mean(2)
    moved = wide - np.repeat((whole[:, None] - local) * ratio, columns // 8, axis=1)
    head = f"SoftMaxTiling t;\n    SoftMaxParams p(8, 512, 8, 512, {loop}, 8, {alpha}f);\n    "
    held = np.repeat(before, 8, axis=1).reshape(3, rows, 8)
    order = "LocalTensor<float> m = tmp.ReinterpretCast<float>()[4096];\n    LocalTensor<half> y = out_h[0];\n    "
    order = order.replace("out_h[0]", "tmp.ReinterpretCast<half>()[10240]")
    call = f"SoftmaxFlashV3<half, float, %s>(y, out, out[64], out[128], a, e, b, b[64], b[128], {tmp}t, p);"
    extra = "LocalTensor<half> e = tmp.ReinterpretCast<half>()[9000 / 16 * 16];\n    "
    first_max = moved.max(1)
    first = [whole, np.exp(moved - first_max[:, None]).sum(1), first_max]
    mean = (whole + before[0] * (loop - 1)) / loop
    now, then = (whole - mean) * ratio, (before[0] - mean) * ratio
    top = np.maximum(now + moved.max(1), then + before[2])
    carried = np.exp(before[2] - top + then)
    values = np.exp(moved - (top - now)[:, None])
    later = [mean, values.sum(1) + carried * before[1], top]
    spread = [np.repeat(np.concatenate(s), 8).reshape(3, rows, 8) for s in (first, later)]
    rowwise = f"SoftmaxFlashV3<half, float, true>(out, m, m[64], m[128], a, e, b, b[64], b[128], {tmp}t, p);"
    zero = np.zeros((3, rows, 8), F32)
    close = {"rtol": 3e-3, "atol": 3e-3}
    return [
        case("statistics", head + order + extra + call % "false", (x, held), zero, spread[0], **close),
        case("statistics-update", head + order + extra + call % "true", (x, held), zero, spread[1], **close),
        case("rows-update", head + order + extra + rowwise, (x, held), x * 0, values, **close),
    ]


@pytest.mark.parametrize("tmp", ["tmp, ", ""], ids=["shared", "own"])
def test_quantisation(bench: Any, case: Any, tmp_path: Path, tmp: str) -> None:
    _compare(bench, [*_quants(case, tmp), *_antiquants(case, tmp)], tmp_path)


def test_narrowing_casts(bench: Any, case: Any, tmp_path: Path) -> None:
    _compare(bench, _casts(case), tmp_path)


@pytest.mark.parametrize("tmp", ["tmp, ", ""], ids=["shared", "own"])
def test_softmax_with_shifted_means(bench: Any, case: Any, tmp_path: Path, tmp: str) -> None:
    _compare(bench, _shifted(case, tmp), tmp_path)


def test_a_sign_that_does_not_fit_is_told(bench: Any, case: Any, tmp_path: Path) -> None:
    x = np.ones(64, I16)
    code = "SetDeqScale(1.0f, 0, true);\n    CastDeq<uint8_t, int16_t, false>(out, a, 64);"
    done = bench.launch([case("sign", code, (x,), np.zeros(128, np.uint8), x)], tmp_path)
    assert [d.code for d in done.diagnostics if d.severity == "error"] == ["CAST_MODE"]


def _compare(bench: Any, cases: list[Any], folder: Path) -> None:
    got = bench.run(cases, folder)
    for c in cases:
        try:
            c.check(got[c.name])
        except AssertionError as error:
            raise AssertionError(c.name) from error
