"""LoadData of an image with what SetFmatrix, SetLoadDataPaddingValue and their kin keep, against a convolution."""

import numpy as np
import torch

CONVOLVE = """
    constexpr uint32_t H = 8, W = 8, C = 16, N = 16, K = 9 * C;
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l1, 64 * 1024);
    pipe.InitBuffer(l0a, 32 * 1024);
    pipe.InitBuffer(l0b, 32 * 1024);
    pipe.InitBuffer(l0c, 32 * 1024);
    LocalTensor<T> image = l1.Get<T>(), weights = image[16 * 1024], a2 = l0a.Get<T>(), b2 = l0b.Get<T>();
    LocalTensor<float> c1 = l0c.Get<float>();
    DataCopy(image, in, H * W * C);
    DataCopy(weights, in[H * W * C], Nd2NzParams{1, K, N, 0, N, K, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    uint8_t pads[4] = {1, 1, 1, 1}, none[4] = {0, 0, 0, 0};
    LOAD
    for (uint32_t k = 0; k < K / 16; ++k) {
        LoadData(b2[k * 16 * N], weights[k * 256], LoadData2DParams{0, N / 16, K / 16, 0, 0, true, 0});
    }
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams mm;
    mm.m = H * W;
    mm.n = N;
    mm.k = K;
    mm.cmatrixInitVal = true;
    Mmad(c1, a2, b2, mm);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    FixpipeParamsV220 fix(N, H * W, H * W, N, false);
    GlobalTensor<float> c;
    c.SetGlobalBuffer((__gm__ float *)y);
    Fixpipe<float, float, CFG_ROW_MAJOR>(c, c1, fix);
"""
KEPT = "static constexpr IsResetLoad3dConfig kept = {false, false};\n    "
SIZES = "LoadData3DParamsV2<T>(PADS, HEIGHT, WIDTH, C, K, H * W, 0, 0, 1, 1, 3, 3, 1, 1, false, false, T(0))"
NOTHING = SIZES.replace("PADS", "none").replace("HEIGHT", "1").replace("WIDTH", "1")
WHOLE = SIZES.replace("PADS", "pads").replace("HEIGHT", "H").replace("WIDTH", "W")
LOADS = {
    "its own": f"LoadData(a2, image, {WHOLE});",
    "kept": KEPT
    + "SetFmatrix(H, W, pads, FmatrixMode::FMATRIX_LEFT);\n    SetLoadDataPaddingValue(T(0));\n    "
    + f"SetLoadDataRepeat({{0, 1, 0}});\n    SetLoadDataBoundary(0u);\n    LoadData<T, kept>(a2, image, {NOTHING});",
    "kept in a word": KEPT
    + f"SetFMatrixBitModeParams word({WHOLE});\n    SetFmatrix(word, FmatrixMode::FMATRIX_LEFT);\n    "
    + f"LoadData<T, kept>(a2, image, {NOTHING});",
    "in words": "SetFmatrix(H, W, pads, FmatrixMode::FMATRIX_LEFT);\n    SetLoadDataPaddingValue(T(0));\n    "
    + "LoadData3DParamsV2Pro words;\n    words.channelSize = C;\n    words.filterConfig = 0x10103030101;\n    "
    + "words.extConfig = uint64_t{K} | uint64_t{H * W} << 16;\n    LoadData(a2, image, words);",
    "another padding": KEPT
    + "SetFmatrix(H, W, pads, FmatrixMode::FMATRIX_LEFT);\n    SetLoadDataPaddingValue(T(2));\n    "
    + f"LoadData<T, kept>(a2, image, {NOTHING});",
}


def test_a_convolution_of_an_image_whose_shape_is_kept(probe):
    rng = np.random.default_rng(8)
    image = rng.uniform(-1, 1, (8, 8, 16)).astype(np.float16)
    weights = rng.uniform(-1, 1, (9 * 16, 16)).astype(np.float16)
    x = np.concatenate([image.ravel(), weights.ravel()])
    kernel = torch.tensor(weights.astype(np.float64)).reshape(3, 3, 16, 16).permute(3, 2, 0, 1)
    planes = torch.tensor(image.astype(np.float64)).permute(2, 0, 1)
    for name, load in LOADS.items():
        border = 2.0 if name == "another padding" else 0.0
        padded = torch.nn.functional.pad(planes, (1, 1, 1, 1), value=border)
        want = torch.nn.functional.conv2d(padded, kernel).permute(1, 2, 0).reshape(64, 16).numpy()
        ran = probe(CONVOLVE.replace("LOAD\n", load + "\n"), x, np.zeros((64, 16), np.float32))
        assert ran.codes == [], (name, ran.launch.diagnostics)
        np.testing.assert_allclose(ran.y, want, atol=2e-3, err_msg=name)


def test_a_shape_that_nobody_has_kept_is_told(probe):
    x = np.zeros(8 * 8 * 16 + 9 * 16 * 16, np.float16)
    load = KEPT + f"LoadData<T, kept>(a2, image, {NOTHING}); // HERE"
    ran = probe(CONVOLVE.replace("LOAD\n", load + "\n"), x, np.zeros((64, 16), np.float32))
    ran.assert_stopped("CUBE_RANGE")
