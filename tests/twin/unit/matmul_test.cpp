// A Matmul object on a cube core and its vector cores, with a tiling from the host library of the same program.
#include <cmath>
#include <cstdio>
#include "tikicpulib.h"
#include "lib/matmul_intf.h"

using namespace AscendC;
using namespace matmul;

constexpr uint32_t M = 64, N = 96, K = 128;
uint32_t make_tiling(uint32_t m, uint32_t n, uint32_t k, uint8_t *buffer);

extern "C" __global__ __aicore__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling)
{
    TCubeTiling cut;
    auto *words = reinterpret_cast<uint32_t *>(&cut);
    for (uint32_t i = 0; i < sizeof(TCubeTiling) / sizeof(uint32_t); ++i) {
        words[i] = reinterpret_cast<__gm__ uint32_t *>(tiling)[i];
    }
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut);
    if (GetBlockIdx() >= cut.usedCoreNum) {
        return;
    }
    const uint32_t across = (cut.M + cut.singleCoreM - 1) / cut.singleCoreM;
    const uint32_t row = GetBlockIdx() % across * cut.singleCoreM, column = GetBlockIdx() / across * cut.singleCoreN;
    GlobalTensor<half> left, right;
    GlobalTensor<float> result;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a));
    right.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b));
    result.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c));
    mm.SetTensorA(left[row * cut.Ka]);
    mm.SetTensorB(right[column]);
    mm.IterateAll(result[row * cut.N + column]);
    mm.End();
}

int main()
{
    auto *a = static_cast<half *>(GmAlloc(M * K * sizeof(half)));
    auto *b = static_cast<half *>(GmAlloc(K * N * sizeof(half)));
    auto *c = static_cast<float *>(GmAlloc(M * N * sizeof(float)));
    auto *workspace = static_cast<uint8_t *>(GmAlloc(1 << 20));
    auto *tiling = static_cast<uint8_t *>(GmAlloc(1024));
    for (uint32_t i = 0; i < M * K; ++i) {
        a[i] = static_cast<half>(std::sin(0.3f * static_cast<float>(i)));
    }
    for (uint32_t i = 0; i < K * N; ++i) {
        b[i] = static_cast<half>(std::cos(0.2f * static_cast<float>(i)));
    }
    const uint32_t bytes = make_tiling(M, N, K, tiling);
    SetKernelMode(KernelMode::MIX_MODE);
    ICPU_RUN_KF(product, 1, (uint8_t *)a, (uint8_t *)b, (uint8_t *)c, workspace, tiling);
    int wrong = 0;
    for (uint32_t i = 0; i < M * N; ++i) {
        float want = 0;
        for (uint32_t k = 0; k < K; ++k) {
            want += static_cast<float>(a[i / N * K + k]) * static_cast<float>(b[k * N + i % N]);
        }
        wrong += !(std::abs(c[i] - want) < 1e-3f);
    }
    printf("%u bytes of tiling, %d wrong\n", bytes, wrong);
    return wrong != 0;
}
