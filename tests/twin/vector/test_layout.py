"""DropOut, Pad, UnPad, Transpose of a shape, ConfusionTranspose."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(31)
F32, F16, I32, U16 = np.float32, np.float16, np.int32, np.uint16


def _fractals(matrices: Array) -> Array:
    """Lay [..., rows, columns] out as columns of fractals of 16 x 16."""
    *lead, rows, columns = matrices.shape
    cut = matrices.reshape(*lead, rows, columns // 16, 16)
    return np.ascontiguousarray(np.moveaxis(cut, -2, -3))


def _orders(x: Array) -> dict[str, tuple[Array, Array]]:
    """Return source and destination of each order for an origin [B, N, S, D]."""
    b, n, s, d = x.shape
    by_row = np.ascontiguousarray(x.transpose(0, 2, 1, 3))
    flat = by_row.reshape(b, s, n * d)
    return {
        "TRANSPOSE_NZ2ND_0213": (_fractals(x), by_row),
        "TRANSPOSE_NZ2NZ_0213": (_fractals(x), _fractals(by_row)),
        "TRANSPOSE_NZ2NZ_012_WITH_N": (_fractals(flat), _fractals(x)),
        "TRANSPOSE_NZ2ND_012_WITH_N": (_fractals(flat), x),
        "TRANSPOSE_NZ2ND_012_WITHOUT_N": (_fractals(x), flat),
        "TRANSPOSE_NZ2NZ_012_WITHOUT_N": (_fractals(x), _fractals(flat)),
    }


def _five_axes(case: Any, tmp: str) -> list[Any]:
    """NCDHW to blocks of 16 channels, to fractals, and back; 3 x 5 pixels are filled up to 16."""
    out = []
    n, c, d, h, w = 20, 32, 2, 3, 5
    for dtype in (F16, U16):
        x = RNG.integers(1, 999, (n, c, d, h * w)).astype(dtype)
        plain = np.zeros((n, c, d, 16), dtype)
        plain[..., : h * w] = x
        cut = x.reshape(n, c // 16, 16, d, h * w)
        blocks = np.ascontiguousarray(cut.transpose(0, 3, 1, 4, 2))
        whole = np.zeros((32, c // 16, 16, d, h * w), dtype)
        whole[:n] = cut
        whole = whole.reshape(2, 16, c // 16, 16, d, h * w)
        fractals = np.ascontiguousarray(whole.transpose(4, 2, 5, 0, 1, 3))
        for name, other in (("NDC1HWC0", blocks), ("FRACTAL_Z_3D", fractals)):
            shape = f"auto p = MakeLayout(MakeShape({n}, {c}, {d}, {h}, {w}), MakeStride());\n    "
            shape += (
                f"auto q = MakeLayout(MakeShape({', '.join(map(str, other.shape))}), MakeStride());\n    "
            )
            there = f"static constexpr TransDataConfig there{{DataFormat::NCDHW, DataFormat::{name}}};\n    "
            there += shape + "TransDataParams<decltype(p), decltype(q)> axes{p, q};\n    "
            there += f"TransData<there>(out, a, {tmp}axes);"
            title = f"{name}-{dtype.__name__}"
            out.append(case(f"to-{title}", there, (plain.ravel(),), other.ravel() * 0, other.ravel()))
            back = f"static constexpr TransDataConfig back{{DataFormat::{name}, DataFormat::NCDHW}};\n    "
            back += shape + "TransDataParams<decltype(q), decltype(p)> axes{q, p};\n    "
            back += f"TransData<back>(out, a, {tmp}axes);\n    PipeBarrier<PIPE_ALL>();\n    "
            back += f"for (int i = 0; i < {n * c * d}; ++i) {{ out.SetValue(i * 16 + 15, 0); }}"
            out.append(case(f"from-{title}", back, (other.ravel(),), plain.ravel() * 0, plain.ravel()))
    return out


def _transposes(case: Any, tmp: str) -> list[Any]:
    out = []
    for dtype in (F16, F32):
        x = RNG.integers(-100, 100, (2, 16, 16, 16)).astype(dtype)
        for kind, (src, dst) in _orders(x).items():
            code = (
                "ConfusionTransposeTiling t{};\n    t.param0 = 2; t.param1 = 16; t.param2 = 16; t.param3 = 16;\n    "
                f"ConfusionTranspose(out, a, {tmp}TransposeType::{kind}, t);"
            )
            out.append(case(f"{kind}-{dtype.__name__}", code, (src.ravel(),), src.ravel() * 0, dst.ravel()))
        flat = RNG.integers(0, 99, (32, 48)).astype(dtype)
        code = "ConfusionTransposeTiling t{};\n    t.param0 = 32; t.param1 = 48;\n    "
        code += f"ConfusionTranspose(out, a, {tmp}TransposeType::TRANSPOSE_ND2ND_ONLY, t);"
        out.append(case(f"flat-{dtype.__name__}", code, (flat,), flat.T * 0, flat.T.copy()))
    image = RNG.integers(0, 99, (2, 16, 4, 8)).astype(F16)
    last = np.ascontiguousarray(image.transpose(0, 2, 3, 1))
    square = RNG.integers(0, 99, (16, 16)).astype(U16)
    shape = "TransposeParamsExt p;\n    p.nSize = 2; p.cSize = 16; p.hSize = 4; p.wSize = 8;\n    "
    for name, source, want in (("NCHW2NHWC", image, last), ("NHWC2NCHW", last, image)):
        code = shape + f"p.transposeType = TransposeType::TRANSPOSE_{name};\n    Transpose(out, a, tmp, p);"
        out.append(case(name, code, (source,), want * 0, want))
    code = "TransposeParamsExt p;\n    Transpose(out, a, tmp, p);"
    out.append(case("square", code, (square,), square * 0, square.T.copy()))
    return out


def _drops(case: Any, tmp: str) -> list[Any]:
    out = []
    for dtype, cpp in ((F32, "float"), (F16, "half")):
        x = RNG.normal(size=(4, 64)).astype(dtype)
        chosen = RNG.random((4, 64)) < 0.6
        want = np.where(chosen, (x.astype(F32) / F32(0.8)).astype(F32), 0).astype(dtype)
        wide = np.zeros((4, 96), np.uint8)
        wide[:, :64] = chosen
        wide[:, 64:] = 1  # what lies between the rows must not matter
        bits = np.packbits(chosen, axis=1, bitorder="little")
        apart = np.full((4, 32), 255, np.uint8)
        apart[:, :8] = bits
        masks = {"bytes": chosen.astype(np.uint8), "wide": wide, "bits": bits, "apart": apart}
        modes = {"bytes": 2, "wide": 1, "bits": 3, "apart": 4}
        for name, mask in masks.items():
            info = "DropOutShapeInfo i;\n    i.firstAxis = 4; i.srcLastAxis = 64; "
            info += f"i.maskLastAxis = {mask.shape[1]};\n    "
            for mode in (0, modes[name]):
                call = f"DropOut<{cpp}, false, {mode}>(out, a, b, {tmp}0.8f, i);"
                close = {"rtol": 1e-6} if dtype is F32 else {"rtol": 1e-3}
                out.append(case(f"{name}-{cpp}-{mode}", info + call, (x, mask), x * 0, want, **close))
    return out


def _pads(case: Any, tmp: str) -> list[Any]:
    out = []
    for dtype in (F16, F32, I32):
        x = RNG.integers(0, 99, (16, 15)).astype(dtype)
        whole = np.concatenate([x, np.full((16, 1), 7, dtype)], 1)
        tiling = "PadTiling t{};\n    t.srcHeight = 16; t.srcWidth = %d; t.srcOriWidth = 15;\n    "
        tiling += "PadParams p(0, 1, 7);\n    "
        pad = f"Pad(out, a, p, {tmp}t);"
        cut = "UnPadTiling t{};\n    t.srcHeight = 16; t.srcWidth = 16;\n    UnPadParams p(0, 1);\n    "
        name = dtype.__name__
        dirty = whole.copy()
        dirty[:, 15] = 55
        out += [
            case(f"Pad-{name}", tiling % 15 + pad, (x,), whole * 0, whole),
            case(f"Pad-within-{name}", tiling % 16 + pad, (dirty,), whole * 0, whole),
            case(f"UnPad-{name}", cut + f"UnPad(out, a, p, {tmp}t);", (whole,), x * 0, x),
        ]
    return out


@pytest.mark.parametrize("tmp", ["tmp, ", ""], ids=["shared", "own"])
def test_layout(bench: Any, case: Any, tmp_path: Path, tmp: str) -> None:
    for number, family in enumerate((_transposes, _five_axes, _drops, _pads)):
        cases = family(case, tmp)
        got = bench.run(cases, tmp_path / str(number))
        for c in cases:
            try:
                c.check(got[c.name])
            except AssertionError as error:
                raise AssertionError(c.name) from error
