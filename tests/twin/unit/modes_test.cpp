// Tiling keys, tiling data, and kernels for cube cores, alone and beside vector cores.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include "tikicpulib.h"

using namespace std;
using namespace AscendC;

// What a test gives a kernel in the place of the header that the host side's build generates.
struct ScaleTiling {
    float factor;
    uint32_t length;
};
#define GET_TILING_DATA(tilingData, tilingArg) ScaleTiling tilingData = *reinterpret_cast<__gm__ ScaleTiling *>(tilingArg)

template <typename T> __aicore__ inline void scale_on(GM_ADDR x, const ScaleTiling &tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<T> data;
    data.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x), tiling.length);
    pipe.InitBuffer(buffer, tiling.length * sizeof(T));
    LocalTensor<T> v = buffer.Get<T>();
    DataCopy(v, data, tiling.length);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Muls(v, v, static_cast<T>(tiling.factor), tiling.length);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(data, v, tiling.length);
    assert(v.GetSize() == tiling.length, "%u elements", v.GetSize());
    v.Print(2);
    v.ToFile("scaled.bin");
}

extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    if (TILING_KEY_IS(1)) {
        scale_on<float>(x, data);
    } else if (TILING_KEY_IS(2)) {
        scale_on<half>(x, data);
    }
}

constexpr uint32_t M = 32, N = 32, K = 64;

// C = A x B, both in `x`. With vector cores, these add one to half of the rows each.
template <bool with_vector> __aicore__ inline void product(GM_ADDR x, GM_ADDR y, GM_ADDR between)
{
    TPipe pipe;
    GlobalTensor<half> in;
    GlobalTensor<float> half_way, result;
    in.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x));
    half_way.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(with_vector ? between : y));
    result.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y));
    if ASCEND_IS_AIC {
        TBuf<TPosition::A1> l1;
        TBuf<TPosition::A2> l0a;
        TBuf<TPosition::B2> l0b;
        TBuf<TPosition::CO1> l0c;
        pipe.InitBuffer(l1, 64 * 1024);
        pipe.InitBuffer(l0a, 32 * 1024);
        pipe.InitBuffer(l0b, 32 * 1024);
        pipe.InitBuffer(l0c, 64 * 1024);
        LocalTensor<half> a1 = l1.Get<half>(), b1 = a1[M * K], a2 = l0a.Get<half>(), b2 = l0b.Get<half>();
        LocalTensor<float> c1 = l0c.Get<float>();
        DataCopy(a1, in, Nd2NzParams{1, M, K, 0, K, M, 1, 0});
        DataCopy(b1, in[M * K], Nd2NzParams{1, K, N, 0, N, K, 1, 0});
        SetFlag<HardEvent::MTE2_MTE1>(0);
        WaitFlag<HardEvent::MTE2_MTE1>(0);
        for (uint32_t i = 0; i < M / 16; ++i) {
            LoadData(a2[i * 16 * K], a1[i * 256], LoadData2DParams{0, K / 16, M / 16, 0, 0, false, 0});
        }
        for (uint32_t k = 0; k < K / 16; ++k) {
            LoadData(b2[k * 16 * N], b1[k * 256], LoadData2DParams{0, N / 16, K / 16, 0, 0, true, 0});
        }
        SetFlag<HardEvent::MTE1_M>(0);
        WaitFlag<HardEvent::MTE1_M>(0);
        MmadParams mm;
        mm.m = M;
        mm.n = N;
        mm.k = K;
        mm.unitFlag = 3;
        Mmad(c1, a2, b2, mm);
        FixpipeParamsV220 fix{N, M, M, N, false};
        fix.unitFlag = 3;
        Fixpipe<float, float, CFG_ROW_MAJOR>(half_way, c1, fix);
        if (with_vector) {
            CrossCoreSetFlag<2, PIPE_FIX>(3);
        }
    }
    if ASCEND_IS_AIV {
        constexpr uint32_t part = M * N / 2;
        TBuf<TPosition::VECCALC> ub;
        pipe.InitBuffer(ub, part * sizeof(float));
        LocalTensor<float> v = ub.Get<float>();
        CrossCoreWaitFlag(3);
        DataCopy(v, half_way[GetSubBlockIdx() * part], part);
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        Adds(v, v, 1.0f, part);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(result[GetSubBlockIdx() * part], v, part);
    }
}
extern "C" __global__ __aicore__ void cube_only(GM_ADDR x, GM_ADDR y) { product<false>(x, y, nullptr); }
extern "C" __global__ __aicore__ void mixed(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) { product<true>(x, y, workspace); }

template <typename T> static int scaled(int64_t key)
{
    constexpr uint32_t length = 512;
    auto *x = static_cast<T *>(GmAlloc(length * sizeof(T)));
    auto *tiling = static_cast<ScaleTiling *>(GmAlloc(sizeof(ScaleTiling)));
    *tiling = {2.0f, length};
    fill(x, x + length, static_cast<T>(3));
    SetKernelMode(KernelMode::AIV_MODE);
    ICPU_SET_TILING_KEY(key);
    ICPU_RUN_KF(scale, 1, (uint8_t *)x, nullptr, (uint8_t *)tiling);
    const int wrong = length - static_cast<int>(count(x, x + length, static_cast<T>(6)));
    GmFree(x);
    GmFree(tiling);
    return wrong;
}

static int multiplied(KernelMode mode)
{
    auto *x = static_cast<half *>(GmAlloc((M * K + K * N) * sizeof(half)));
    auto *y = static_cast<float *>(GmAlloc(M * N * sizeof(float)));
    auto *workspace = static_cast<uint8_t *>(GmAlloc(M * N * sizeof(float)));
    for (uint32_t i = 0; i < M * K + K * N; ++i) {
        x[i] = static_cast<half>(std::sin(0.1f * static_cast<float>(i)));
    }
    SetKernelMode(mode);
    if (mode == KernelMode::AIC_MODE) {
        ICPU_RUN_KF(cube_only, 1, (uint8_t *)x, (uint8_t *)y);
    } else {
        auto run = [](GM_ADDR a, GM_ADDR c, GM_ADDR w) { mixed(a, c, w); }; // a callable serves as well
        ICPU_RUN_KF(run, 1, (uint8_t *)x, (uint8_t *)y, workspace);
    }
    int wrong = 0;
    for (uint32_t i = 0; i < M * N; ++i) {
        float want = mode == KernelMode::AIC_MODE ? 0.0f : 1.0f;
        for (uint32_t k = 0; k < K; ++k) {
            want += static_cast<float>(x[i / N * K + k]) * static_cast<float>(x[M * K + k * N + i % N]);
        }
        wrong += std::abs(y[i] - want) > 1e-4f * max(1.0f, std::abs(want));
    }
    GmFree(x);
    GmFree(y);
    GmFree(workspace);
    return wrong;
}

int main()
{
    const int wrong[] = {scaled<float>(1), scaled<half>(2), multiplied(KernelMode::AIC_MODE), multiplied(KernelMode::MIX_MODE)};
    printf("wrong: %d float, %d half, %d cube, %d mixed\n", wrong[0], wrong[1], wrong[2], wrong[3]);
    return wrong[0] + wrong[1] + wrong[2] + wrong[3];
}
