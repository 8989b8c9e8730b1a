"""LoadData of an image in all its parameters, against a model in NumPy: the image becomes a matrix (im2col), of which a
part is taken, transposed where L0B or enTranspose says so, in fractals of 512 bytes."""

from dataclasses import dataclass

import numpy as np
import pytest

# Products with the unit matrix show what L0A or L0B holds: every value is a small integer. In L0A the part is A, in L0B
# its transposition is what fractals hold, and the part is B.
SHOW = """
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l1, 256 * 1024);
    pipe.InitBuffer(l0a, 64 * 1024);
    pipe.InitBuffer(l0b, 64 * 1024);
    pipe.InitBuffer(l0c, 128 * 1024);
    constexpr uint32_t c0 = 32 / sizeof(T);
    LocalTensor<T> image = l1.Get<T>(), unit = image[64 * 1024 / sizeof(T)], a2 = l0a.Get<T>(), b2 = l0b.Get<T>();
    LocalTensor<SUM> c1 = l0c.Get<SUM>();
    DataCopy(image, in, IMAGE);
    DataCopy(unit, in[IMAGE], Nd2NzParams{1, UNIT, UNIT, 0, UNIT, UNIT, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    SetLoadDataRepeat(LoadDataRepeatParam(REPEAT));
    SetLoadDataBoundary(BOUNDARY); // HERE
    uint8_t pads[4] = {PADS};
    LoadData3DParamsV2<T> p(pads, HEIGHT, WIDTH, CHANNELS, K_EXTENT, M_EXTENT, K_START, M_START, STRIDES, FILTER,
                            DILATION, TRANSPOSE, false, T(PADDING));
    LoadData(PART, image, p); // HERE
    OTHER
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    Mmad(c1, a2, b2, MmadParams(ROWS, COLUMNS, SIDE, 0, false, true));
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    GlobalTensor<SUM> c;
    c.SetGlobalBuffer((__gm__ SUM *)y);
    Fixpipe<SUM, SUM, CFG_ROW_MAJOR>(c, c1, FixpipeParamsV220(COLUMNS, ROWS, (ROWS + 15) / 16 * 16, COLUMNS, false));
"""
# The unit matrix is symmetric: as B it is taken as it stands in L1, fractal by fractal.
UNIT_RIGHT = """for (uint32_t k = 0; k < SIDE / c0; ++k) {
        LoadData(b2[k * c0 * UNIT], unit[k * c0 * UNIT], LoadData2DParams(0, UNIT / 16, 1, 0, 0, false, 0));
    }"""
UNIT_LEFT = """for (uint32_t m = 0; m < UNIT / 16; ++m) {
        LoadData(a2[m * 16 * SIDE], unit[m * 16 * c0], LoadData2DParams(0, SIDE / c0, UNIT / 16, 0, 0, false, 0));
    }"""


@dataclass(frozen=True)
class Window:
    """A call of LoadData; pads are left, right, top, bottom; pairs are width, height."""

    dtype: str = "float16"
    image: tuple[int, int, int] = (6, 8, 32)  # height, width, channels
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    strides: tuple[int, int] = (1, 1)
    filter: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    start: tuple[int, int] = (0, 0)  # m, k
    extent: tuple[int, int] = (16, 32)
    transpose: bool = False
    right: bool = False
    repeat: tuple[int, int, int] = (0, 1, 0)  # stride, times, mode
    padding: int = 0
    boundary: int = 0

    @property
    def c0(self) -> int:
        return 32 // np.dtype(self.dtype).itemsize


def planes(w: Window, image: np.ndarray) -> np.ndarray:
    """Return the image as L1 holds it: planes of C0 channels, and a narrower one of those left."""
    whole = w.image[2] // w.c0 * w.c0
    parts = [image[:, :, c : c + w.c0].ravel() for c in range(0, whole, w.c0)]
    return np.concatenate([*parts, image[:, :, whole:].ravel()])


def matrix(w: Window, image: np.ndarray) -> np.ndarray:
    """im2col: a row for each place of the filter; columns by plane, filter row, filter column, channel."""
    left, right, top, bottom = w.pads
    padded = np.pad(image, ((top, bottom), (left, right), (0, 0)), constant_values=w.padding)
    (sw, sh), (fw, fh), (dw, dh) = w.strides, w.filter, w.dilation
    high = (padded.shape[0] - (fh - 1) * dh - 1) // sh + 1
    wide = (padded.shape[1] - (fw - 1) * dw - 1) // sw + 1
    rows = []
    for i in range(high):
        for j in range(wide):
            window = padded[
                i * sh : i * sh + (fh - 1) * dh + 1 : dh, j * sw : j * sw + (fw - 1) * dw + 1 : dw
            ]
            rows.append(
                np.concatenate([window[:, :, c : c + w.c0].ravel() for c in range(0, w.image[2], w.c0)])
            )
    return np.array(rows)


def part(w: Window, whole: np.ndarray) -> np.ndarray:
    stride, times, mode = w.repeat
    step = (0, stride * w.c0) if mode else (stride * 16, 0)
    begin = [(w.start[0] + r * step[0], w.start[1] + r * step[1]) for r in range(times)]
    blocks = [whole[m : m + w.extent[0], k : k + w.extent[1]] for m, k in begin]
    return np.concatenate(blocks, axis=1 if mode else 0)


WINDOWS = {
    "a part inside": Window(start=(16, 16), extent=(16, 16)),
    "a start between fractals": Window(start=(5, 0), extent=(32, 32)),
    "a filter": Window(image=(6, 8, 16), filter=(3, 2), extent=(16, 96)),
    "part of a filter": Window(filter=(3, 2), start=(0, 80), extent=(16, 48)),
    "strides": Window(image=(16, 17, 16), strides=(2, 3), filter=(3, 3), extent=(32, 144)),
    "dilation": Window(image=(12, 12, 16), filter=(3, 2), dilation=(2, 4), extent=(32, 96)),
    "padding": Window(image=(6, 8, 16), pads=(1, 2, 3, 0), padding=7, filter=(2, 3), extent=(32, 96)),
    "bytes": Window(dtype="int8", image=(5, 8, 64), start=(0, 32), extent=(32, 32)),
    "floats": Window(dtype="float32", image=(4, 8, 24), start=(16, 8), extent=(16, 16)),
    "transposed halves": Window(image=(4, 12, 48), transpose=True, start=(16, 16), extent=(32, 32)),
    "transposed floats": Window(dtype="float32", image=(1, 48, 32), transpose=True, extent=(48, 32)),
    "transposed floats, an odd fractal": Window(dtype="float32", image=(1, 48, 24), transpose=True, extent=(48, 24)),
    "a filter, transposed": Window(filter=(2, 2), transpose=True, start=(3, 16), extent=(16, 64)),
    "right halves": Window(image=(4, 12, 48), right=True, start=(16, 16), extent=(32, 32)),
    "right floats": Window(dtype="float32", image=(1, 48, 24), right=True, extent=(48, 24)),
    "a right filter": Window(dtype="float32", image=(7, 9, 8), right=True, filter=(3, 2), extent=(32, 48)),
    "repeats along m": Window(image=(1, 96, 16), extent=(16, 16), repeat=(2, 3, 0)),
    "repeats along k": Window(image=(1, 16, 96), extent=(16, 16), repeat=(2, 3, 1)),
    "repeats along m, transposed": Window(
        dtype="float32", image=(1, 96, 16), transpose=True, extent=(16, 16), repeat=(2, 3, 0)
    ),
    "repeats along k, transposed": Window(
        dtype="float32", image=(1, 32, 48), transpose=True, extent=(32, 16), repeat=(2, 3, 1)
    ),
    "four channels": Window(image=(8, 8, 4), filter=(4, 4), extent=(16, 64)),
    "four channels more": Window(image=(8, 8, 20), filter=(4, 2), extent=(16, 160)),
    "eight channels of bytes": Window(dtype="int8", image=(8, 8, 8), filter=(2, 2), extent=(32, 32)),
    "a boundary": Window(image=(1, 128, 16), start=(16, 0), extent=(64, 16), boundary=1024),
}  # fmt: skip


def show(probe, w: Window, body: str = SHOW):
    rng = np.random.default_rng(4)
    image = rng.integers(-60, 60, w.image).astype(w.dtype)
    stored = planes(w, image)
    whole = matrix(w, image)
    if w.boundary:
        held = w.boundary // stored.itemsize // w.image[2]
        whole = whole[np.arange(len(whole)) % held]
    want = part(w, whole).astype(np.int32)
    if w.transpose:
        want = want.T
    side = want.shape[0] if w.right else want.shape[1]
    unit = -(-side // 32) * 32
    shown = np.zeros((unit, want.shape[1]) if w.right else (want.shape[0], unit), np.int32)
    shown[: want.shape[0], : want.shape[1]] = want
    stored = np.concatenate([stored, np.zeros(-len(stored) % 64, stored.dtype)])
    values = {
        "SUM": "int32_t" if w.dtype == "int8" else "float",
        "IMAGE": len(stored),
        "SIDE": side,
        "UNIT": unit,
        "REPEAT": ", ".join(map(str, w.repeat)),
        "BOUNDARY": w.boundary,
        "PADS": ", ".join(map(str, w.pads)),
        "HEIGHT": w.image[0],
        "WIDTH": w.image[1],
        "CHANNELS": w.image[2],
        "K_EXTENT": w.extent[1],
        "M_EXTENT": w.extent[0],
        "K_START": w.start[1],
        "M_START": w.start[0],
        "STRIDES": ", ".join(map(str, w.strides)),
        "FILTER": ", ".join(map(str, w.filter)),
        "DILATION": ", ".join(map(str, w.dilation)),
        "TRANSPOSE": str(w.transpose).lower(),
        "PADDING": w.padding,
        "PART": "b2" if w.right else "a2",
        "ROWS": shown.shape[0],
        "COLUMNS": shown.shape[1],
        "OTHER": " ".join((UNIT_LEFT if w.right else UNIT_RIGHT).split()),
    }
    before = "\n".join(f"#define {name} {value}" for name, value in values.items())
    empty = np.zeros(shown.shape, np.int32 if w.dtype == "int8" else np.float32)
    return probe(
        body, np.concatenate([stored, np.eye(unit, dtype=w.dtype).ravel()]), empty, before=before
    ), shown


def test_every_parameter_of_a_window(probe):
    for name, window in WINDOWS.items():
        ran, want = show(probe, window)
        assert ran.codes == [], (name, ran.launch.diagnostics)
        np.testing.assert_array_equal(ran.y, want, err_msg=name)


@pytest.mark.parametrize(
    "none",
    ["p.kExtension = 0", "p.mExtension = 0", "p.l1H = 0", "p.channelSize = 0", "p.filterW = 0"],
)
def test_a_window_of_nothing_loads_nothing(probe, none):
    """A copy of nothing leaves L0A unwritten, which the product then reads."""
    body = SHOW.replace("LoadData(PART", f"{none};\n    LoadData(PART")
    assert show(probe, Window(), body)[0].codes == ["UNWRITTEN_DATA"]


WRONG = {
    "channelSize is 12": Window(image=(6, 8, 12), extent=(16, 16)),
    "channelSize is 34": Window(dtype="int8", image=(6, 8, 34)),
    "kStartPt is 8": Window(start=(0, 8), extent=(16, 16)),
    "kExtension is 24": Window(image=(6, 8, 48), extent=(16, 24)),
    "mExtension is 20": Window(extent=(20, 32)),
    "strideW is 64": Window(image=(6, 80, 32), strides=(64, 1), extent=(12, 32)),
    "the boundary is 512": Window(boundary=512),
    "as they are": Window(dtype="int8", transpose=True, extent=(32, 32)),
    "go to L0A only": Window(dtype="int8", right=True, extent=(32, 32)),
}


@pytest.mark.parametrize("words", WRONG)
def test_windows_that_the_page_excludes(probe, words):
    ran, _ = show(probe, WRONG[words])
    code = "DTYPE_SUPPORT" if WRONG[words].dtype == "int8" and "channel" not in words else "CUBE_RANGE"
    assert words in ran.assert_stopped(code).text


def test_repeats_along_k_of_several_rows_are_warned_of(probe):
    """The page does not say how they lie in L0A."""
    ran, want = show(probe, Window(image=(1, 32, 96), extent=(32, 16), repeat=(2, 3, 1)))
    assert ran.codes == ["CUBE_RANGE"]
    np.testing.assert_array_equal(ran.y, want)
