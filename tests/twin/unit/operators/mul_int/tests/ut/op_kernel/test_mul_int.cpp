// The kernel alone: the structure of its tiling comes from a header that the build generates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "tikicpulib.h"
#include "../op_host/mul_int_tiling_def.h"

#include "../../../op_kernel/mul_int.cpp"

int main()
{
    const uint32_t blocks = 4, total = 4096;
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    auto *x = ((int32_t *)AscendC::GmAlloc(total * sizeof(int32_t)));
    auto *y = ((int32_t *)AscendC::GmAlloc(total * sizeof(int32_t)));
    auto *z = ((int32_t *)AscendC::GmAlloc(total * sizeof(int32_t)));
    uint8_t *workspace = (uint8_t *)AscendC::GmAlloc(32);
    uint8_t *tiling = (uint8_t *)AscendC::GmAlloc(sizeof(MulIntTilingData));
    MulIntTilingData *tilingData = reinterpret_cast<MulIntTilingData *>(tiling);
    tilingData->totalLength = total;
    tilingData->perCore = total / blocks;
    tilingData->tileLength = 512;
    for (uint32_t i = 0; i < total; ++i) {
        x[i] = static_cast<int32_t>(i) - 2000;
        y[i] = static_cast<int32_t>(3);
    }
    ICPU_RUN_KF(mul_int, blocks, (uint8_t *)x, (uint8_t *)y, (uint8_t *)z, workspace, tiling);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < total; ++i) {
        const auto wanted = static_cast<double>(x[i] * y[i]);
        wrong += std::abs(static_cast<double>(z[i]) - wanted) > 1e-5 * std::abs(wanted);
    }
    std::printf("%u of %u wrong\n", wrong, total);
    AscendC::GmFree((void *)x);
    AscendC::GmFree((void *)y);
    AscendC::GmFree((void *)z);
    AscendC::GmFree((void *)workspace);
    AscendC::GmFree((void *)tiling);
    return wrong != 0;
}
