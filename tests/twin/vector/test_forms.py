"""Strides, masks from the register, counter mode, compound instructions, fills, gathers and transposes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(11)
F32, F16 = np.float32, np.float16


def _f32(*shape: int) -> Array:
    return RNG.uniform(-4, 4, shape).astype(F32)


def _f16(*shape: int) -> Array:
    return RNG.uniform(-4, 4, shape).astype(F16)


def _strided(case: Any) -> list[Any]:
    x, y, row = _f32(4, 64), _f32(4, 64), _f32(64)
    wide = np.zeros((4, 16, 8), F32)
    spread = wide.copy()
    spread[:, ::2] = x.reshape(4, 8, 8) + 1
    block = _f32(4, 8)
    kept = np.full(64, 9, F32)
    bits, other = (RNG.integers(0, 1 << 30, 64).astype(np.int32) for _ in range(2))
    zero = np.zeros(16, np.int32)
    return [
        case("row-broadcast", "Add(out, a, b, 64, 4, {1, 1, 1, 8, 8, 0});", (x, row), x * 0, x + row),
        case(
            "block-broadcast",
            "Mul(out, a, b, 64, 4, {1, 1, 0, 8, 8, 1});",
            (x, block),
            x * 0,
            x * np.tile(block, 8),
        ),
        case(
            "accumulate",
            "Add(out, a, out, 64, 4, {1, 1, 1, 0, 8, 0});",
            (x,),
            np.zeros(64, F32),
            np.add.accumulate(x)[-1],
        ),
        case("spread-blocks", "Adds(out, a, 1.0f, 64, 4, {2, 1, 16, 8});", (x,), wide, spread),
        case(
            "in-place",
            "Muls(out, out, 2.0f, 200);",
            (),
            x,
            np.r_[x.ravel()[:200] * 2, x.ravel()[200:]].reshape(x.shape),
        ),
        case(
            "register-mask",
            "SetMaskNorm(); SetVectorMask<float>(0, 0xf);\n"
            "    Add<float, false>(out, a, b, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8}); ResetMask();",
            (x, y),
            kept,
            np.r_[(x + y).ravel()[:4], kept[4:]],
        ),
        case(
            "counter-mode",
            "SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(0, 150);\n"
            "    Add<float, false>(out, a, b, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8}); SetMaskNorm(); ResetMask();",
            (x, y),
            np.full(256, 9, F32),
            np.r_[(x + y).ravel()[:150], np.full(106, 9, F32)],
        ),
        case("zero-repeats", "Add(out, a, b, 64, 0, {1, 1, 1, 8, 8, 8});", (x, y), kept, kept),
        case("zero-count", "Add(out, a, b, 0);", (x, y), kept, kept),
        case("operator", "out = a * b;", (x, y), x * 0, x * y),
        case(
            "stride-0-is-1",
            "Adds(out, a, 1.0f, 64, 2, {0, 1, 8, 8});",
            (x,),
            x * 0,
            np.r_[x[:2] + 1, x[2:] * 0],
        ),
        case("halves", "And(out, a, b, 96);", (bits, other), bits * 0, np.r_[(bits & other)[:48], zero]),
        case("halves-of-all", "out = a | b;", (bits, other), bits * 0, bits | other),
        case(
            "moved-down",
            "Adds(out, out[64], 0.0f, 128);",
            (),
            x,
            np.r_[x[1], x[2], x[2], x[3]].reshape(4, 64),
        ),
    ]


def _compound(case: Any) -> list[Any]:
    x, y, z = _f32(100), _f32(100), _f32(100)
    h, g = _f16(200), _f16(200)
    wide = _f32(200)
    short = RNG.integers(-3000, 3000, 128).astype(np.int16)
    fused = (x.astype(np.float64) * z + y).astype(F32)
    product = h.astype(F32) * g.astype(F32)
    return [
        case("FusedMulAdd", "FusedMulAdd(out, a, b, 100);", (x, y), z, fused),
        case("FusedMulAddRelu", "FusedMulAddRelu(out, a, b, 100);", (x, y), z, np.maximum(fused, 0)),
        case("MulAddRelu", "MulAddRelu(out, a, b, 100);", (x, y), z, np.maximum(fused, 0)),
        case(
            "MulAddRelu-repeat",
            "MulAddRelu(out, a, b, 32, 1, {1, 1, 1, 8, 8, 8});",
            (x, y),
            z,
            np.r_[np.maximum(fused[:32], 0), z[32:]],
        ),
        case(
            "MulAddDst", "MulAddDst(out, a, b, 100);", (x, y), z, (x.astype(np.float64) * y + z).astype(F32)
        ),
        case(
            "MulAddDst-wide",
            "MulAddDst(out, a, b, 200);",
            (h, g),
            wide,
            (product + wide).astype(F32),
            1e-6,
            1e-6,
        ),
        case("Axpy", "Axpy(out, a, 2.5f, 100);", (x,), z, (x.astype(np.float64) * 2.5 + z).astype(F32)),
        case(
            "Axpy-wide",
            "Axpy(out, a, (half)2, 200);",
            (h,),
            wide,
            (h.astype(F32) * 2 + wide).astype(F32),
            1e-6,
            1e-6,
        ),
        case(
            "AddReluCast",
            "AddReluCast(out, a, b, 100);",
            (x, y),
            np.zeros(100, F16),
            np.maximum(x + y, 0).astype(F16),
        ),
        case(
            "SubReluCast",
            "SubReluCast(out, a, b, 200);",
            (h, g),
            np.zeros(200, np.int8),
            np.rint(np.maximum((h.astype(F32) - g).astype(F16), 0)).astype(np.int8),
        ),
        case(
            "AddReluCast-int16",
            "AddReluCast(out, a, a, 128);",
            (short,),
            np.zeros(128, np.int8),
            np.clip(2 * short.astype(int), 0, 127).astype(np.int8),
        ),
        case(
            "MulCast",
            "MulCast(out, a, b, 200);",
            (h, g),
            np.zeros(200, np.int8),
            np.rint(product.astype(F16)).astype(np.int8),
        ),
        case(
            "AddDeqRelu",
            "SetDeqScale((half)0.5);\n    AddDeqRelu(out, a, b, 40);",
            (np.arange(-20, 20, dtype=np.int32), np.full(40, 3, np.int32)),
            np.zeros(40, F16),
            np.maximum((np.arange(-20, 20) + 3) * 0.5, 0).astype(F16),
        ),
        case(
            "ShiftRight-round",
            "ShiftRight(out, a, (int16_t)2, 128, 1, {1, 1, 8, 8}, true);",
            (short,),
            short * 0,
            (short.astype(int) + 2 >> 2).astype(np.int16),
        ),
        case(
            "int32-wraps",
            "Add(out, a, a, 8);",
            (np.full(8, 2**30 + 5, np.int32),),
            np.zeros(8, np.int32),
            np.full(8, 2**31 + 10, np.int64).astype(np.int32),
        ),
    ]


def _fills(case: Any) -> list[Any]:
    x = _f32(16)
    table = _f32(6, 1)
    line = _f32(1, 24)
    half_old = np.full(160, 3, F16)
    masked = np.where(np.arange(128) % 2 == 0, 5, 3)
    return [
        case(
            "Duplicate",
            "Duplicate(out, (half)5, 150);",
            (),
            half_old,
            np.r_[np.full(150, 5), np.full(10, 3)].astype(F16),
        ),
        case(
            "Duplicate-bf16",
            "Duplicate(out, bfloat16_t(1.0f), 16);",
            (),
            np.zeros(16, np.uint16),
            np.full(16, 0x3F80, np.uint16),
            types=("bfloat16_t",),
        ),
        case(
            "Duplicate-bits",
            "uint64_t m[2] = {0x5555555555555555UL, 0x5555555555555555UL};\n    Duplicate(out, (half)5, m, 1, 1, 8);",
            (),
            half_old,
            np.r_[masked, np.full(32, 3)].astype(F16),
        ),
        case(
            "Brcb", "Brcb(out, a, 2, {1, 8});", (x,), np.zeros((16, 8), F32), np.repeat(x, 8).reshape(16, 8)
        ),
        case(
            "CreateVecIndex",
            "CreateVecIndex(out, (int32_t)5, 40);",
            (),
            np.zeros(40, np.int32),
            np.arange(5, 45, dtype=np.int32),
        ),
        case(
            "ArithProgression",
            "ArithProgression(out, 1.0f, 0.5f, 33);",
            (),
            np.zeros(33, F32),
            1 + 0.5 * np.arange(33, dtype=F32),
        ),
        case(
            "Broadcast-last",
            "uint32_t d[2] = {6, 24}, s[2] = {6, 1};\n    Broadcast<float, 2, 1>(out, a, d, s, tmp);",
            (table,),
            np.zeros((6, 24), F32),
            np.broadcast_to(table, (6, 24)),
        ),
        case(
            "Broadcast-first",
            "uint32_t d[2] = {5, 24}, s[2] = {1, 24};\n    BroadCast<float, 2, 0>(out, a, d, s);",
            (line,),
            np.zeros((5, 24), F32),
            np.broadcast_to(line, (5, 24)),
        ),
    ]


def _gathers(case: Any) -> list[Any]:
    x = _f32(128)
    index = RNG.permutation(100).astype(np.uint32)
    bits = RNG.integers(0, 2**32, 4, dtype=np.uint32)
    on = np.unpackbits(bits.view(np.uint8), bitorder="little").astype(bool)
    blocks = RNG.integers(0, 16, 8).astype(np.uint32)
    count = "uint64_t kept = 0;\n    GatherMask(out, {}, kept);\n    out.SetValue(127, (float)kept);"

    def packed(chosen: Array) -> Array:
        return np.r_[chosen, np.zeros(127 - chosen.size), chosen.size].astype(F32)

    return [
        case("Gather", "Gather(out, a, b, 0, 100);", (x, index * 4), np.zeros(100, F32), x[index]),
        case("Gather-base", "Gather(out, a, b, 16, 100);", (x, index * 4), np.zeros(100, F32), x[index + 4]),
        case(
            "Gather-repeat",
            "Gather(out, a, b, 0, (uint64_t)8, 2, 8);",
            (x, np.r_[index, index][:128] * 4),
            np.zeros(128, F32),
            np.r_[x[index[:8]], np.zeros(56), x[index[64:72]], np.zeros(56)].astype(F32),
        ),
        case(
            "Gatherb",
            "Gatherb(out, a, b, 1, {1, 8});",
            (x, blocks * 32),
            np.zeros(64, F32),
            x.reshape(16, 8)[blocks].ravel(),
        ),
        case(
            "GatherMask-even",
            count.format("a, (uint8_t)1, false, 0, {1, 2, 8, 0}"),
            (x,),
            np.zeros(128, F32),
            packed(x[::2]),
        ),
        case(
            "GatherMask-fourth",
            count.format("a, (uint8_t)6, false, 0, {1, 2, 8, 0}"),
            (x,),
            np.zeros(128, F32),
            packed(x[3::4]),
        ),
        case(
            "GatherMask-bits",
            count.format("a, b, true, 100, {1, 1, 8, 8}"),
            (x, np.r_[bits, np.zeros(4, np.uint32)]),
            np.zeros(128, F32),
            packed(x[:100][on[:100]]),
        ),
        case("Copy", "Copy(out, a, 64, 2, {1, 1, 8, 8});", (x,), x * 0, x),
    ]


def _transposes(case: Any) -> list[Any]:
    square = RNG.integers(-99, 99, (16, 16)).astype(np.int16)
    wide = _f32(16, 8)
    small = RNG.integers(-99, 99, (16, 32)).astype(np.int8)
    lists = (
        "LocalTensor<{t}> d[16], s[16];\n"
        "    for (int i = 0; i < 16; ++i) {{ d[i] = out[i * {n}]; s[i] = a[i * {n}]; }}\n"
        "    TransDataTo5HD<{t}>(d, s, {{{p}, 1, 0, 0}});"
    )
    pairs = np.stack([wide[:8].T, wide[8:].T], 1).reshape(16, 8)
    behind = np.vstack([RNG.integers(-99, 99, (16, 16)).astype(np.int16), square])
    strided = lists.replace("1, 0, 0", "1, 0, 16").format(t="int16_t", n=16, p="false, false")
    x, y = _f32(64), _f32(256)
    running_add = (
        "Add(out, a, out, 64, 4, {1, 1, 1, 8, 8, 0});"  # each repeat adds to what the first one wrote
    )
    blocks = y.reshape(4, 64)
    running = np.stack([blocks[0], *(blocks[0] + blocks[1:])]).ravel()
    bits = np.packbits(y[:64] < x, bitorder="little")
    low = np.zeros((16, 32), np.int8)
    low[:, :16] = small[:, :16].T
    high = np.zeros((16, 32), np.int8)
    high[:, 16:] = small[:, 16:].T
    return [
        case("Transpose", "Transpose(out, a);", (square,), square * 0, square.T),
        case("TransDataTo5HD-one-repeat", strided, (behind,), square * 0, square.T),
        case(
            "Compare-mask",
            "Compare(out, a, b, CMPMODE::LT, 5, 1, {1, 1, 1, 8, 8, 8});",
            (y, x),
            bits * 0,
            bits,
        ),
        case("Silu-in-place", "Silu(out, out, 64);", (), x, np.ones(64, np.float32)),
        case("Add-running", running_add, (y,), np.zeros(256, np.float32), running),
        case(
            "TransDataTo5HD-b16",
            lists.format(t="int16_t", n=16, p="false, false"),
            (square,),
            square * 0,
            square.T,
        ),
        case("TransDataTo5HD-b32", lists.format(t="float", n=8, p="false, false"), (wide,), wide * 0, pairs),
        case("TransDataTo5HD-b8", lists.format(t="int8_t", n=32, p="false, false"), (small,), small * 0, low),
        case(
            "TransDataTo5HD-b8-high",
            lists.format(t="int8_t", n=32, p="true, true"),
            (small,),
            small * 0,
            high,
        ),
    ]


def _intrinsics(case: Any) -> list[Any]:
    x, y = _f32(2, 64), _f32(2, 64)
    h = _f16(2, 64)
    square = RNG.integers(-99, 99, (16, 16)).astype(np.uint16)
    full = "set_mask_norm(); set_vector_mask(FULL_MASK, FULL_MASK);\n    "
    nibbles = RNG.integers(0, 256, 64).astype(np.uint8)
    f32 = "(__ubuf__ float *){}.GetPhyAddr()"
    a, b, out = f32.format("a"), f32.format("b"), f32.format("out")
    u16 = "(__ubuf__ uint16_t *){}.GetPhyAddr()"
    lists = (
        "uint64_t d[16], s[16];\n    for (int i = 0; i < 16; ++i) {\n"
        "        d[i] = out.GetPhyAddr() + 32 * i; s[i] = a.GetPhyAddr(16 * i);\n    }\n"
        "    set_va_reg_sb(VA0, d); set_va_reg_sb(VA1, d + 8); set_va_reg_sb(VA2, s); set_va_reg_sb(VA3, s + 8);\n"
        "    scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);"
    )
    sums = np.add.reduce(x, 1)
    return [
        case("vadd", full + f"vadd({out}, {a}, {b}, 2, 1, 1, 1, 8, 8, 8);", (x, y), x * 0, x + y),
        case("vmuls", full + f"vmuls({out}, {a}, 3.0f, 2, 1, 1, 8, 8);", (x,), x * 0, x * 3),
        case("vsqrt", full + f"vsqrt({out}, {a}, 2, 1, 1, 8, 8);", (np.abs(x),), x * 0, np.sqrt(np.abs(x))),
        case("vcadd", full + f"vcadd({out}, {a}, 2, 1, 1, 8, false);", (x,), sums * 0, sums, 1e-5, 1e-5),
        case(
            "vcmax",
            full + f"vcmax({out}, {a}, 2, 1, 1, 8, ONLY_VALUE);",
            (x,),
            sums * 0,
            x.max(1),
        ),
        case(
            "vcmin",
            full + f"vcmin({out}, {a}, 2, 1, 1, 8, ONLY_VALUE);",
            (x,),
            sums * 0,
            x.min(1),
        ),
        case(
            "vcmp-vsel",
            full
            + f"vcmp_gt({a}, {b}, 1, 1, 1, 1, 8, 8, 8);\n    vsel({out}, {a}, {b}, 1, 1, 1, 1, 8, 8, 8);",
            (x[0], y[0]),
            x[0] * 0,
            np.maximum(x[0], y[0]),
        ),
        case(
            "vconv_s42f16",
            full
            + "vconv_s42f16((__ubuf__ half *)out.GetPhyAddr(), (__ubuf__ void *)a.GetPhyAddr(), 1, 1, 1, 8, 2);",
            (nibbles,),
            np.zeros(128, F16),
            np.stack([nibbles & 15, nibbles >> 4], 1).ravel().astype(np.int8).astype(F16)
            - (16 * (np.stack([nibbles & 15, nibbles >> 4], 1).ravel() > 7)),
        ),
        case("vector_dup", full + f"vector_dup({out}, 4.0f, 2, 1, 0, 8, 0);", (), x, np.full_like(x, 4)),
        case(
            "vconv",
            full + f"vconv_f162f32({out}, (__ubuf__ half *)a.GetPhyAddr(), 2, 1, 1, 8, 4);",
            (h,),
            x,
            h.astype(F32),
        ),
        case(
            "vcmpv",
            full + f"vcmpv_lt((__ubuf__ uint8_t *)out.GetPhyAddr(), {a}, {b}, 2, 1, 1, 1, 8, 8, 8);",
            (x, y),
            np.zeros(16, np.uint8),
            np.packbits(x.ravel() < y.ravel(), bitorder="little"),
        ),
        case(
            "vtranspose",
            f"vtranspose({u16.format('out')}, {u16.format('a')});",
            (square,),
            square * 0,
            square.T,
        ),
        case("address-registers", lists, (square,), square * 0, square.T),
        case(
            "TransDataTo5HDImpl",
            "__ubuf__ uint16_t *d[16], *s[16];\n    for (int i = 0; i < 16; ++i) {\n"
            "        d[i] = (__ubuf__ uint16_t *)out[16 * i].GetPhyAddr();\n"
            "        s[i] = (__ubuf__ uint16_t *)a[16 * i].GetPhyAddr();\n    }\n"
            "    TransDataTo5HDParams p(false, false, 1, 0, 0);\n    TransDataTo5HDImpl(d, s, p);",
            (square,),
            square * 0,
            square.T,
        ),
        case(
            "AscendCUtils",
            "AscendCUtils::SetMask<float>(3);\n"
            f"    vadd({out}, {a}, {b}, 1, 1, 1, 1, 8, 8, 8); AscendCUtils::ResetMask();",
            (x, y),
            np.zeros(8, F32),
            np.r_[(x + y).ravel()[:3], np.zeros(5)].astype(F32),
        ),
    ]


GROUPS = {
    "intrinsics": _intrinsics,
    "strided": _strided,
    "compound": _compound,
    "fills": _fills,
    "gathers": _gathers,
    "transposes": _transposes,
}


@pytest.mark.parametrize("group", GROUPS)
def test_instructions(bench: Any, case: Any, tmp_path: Path, group: str) -> None:
    cases = GROUPS[group](case)
    results = bench.run(cases, tmp_path)
    for c in cases:
        try:
            c.check(results[c.name])
        except AssertionError as wrong:
            raise AssertionError(f"{c.name}: {wrong}") from None
