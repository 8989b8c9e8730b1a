// The kernel alone: the structure of its tiling comes from a header that the build generates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "tikicpulib.h"

#include "../../../op_kernel/leaky_relu_attr.cpp"

int main()
{
    const uint32_t blocks = 4, total = 4096;
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    auto *x = ((float *)AscendC::GmAlloc(total * sizeof(float)));
    auto *z = ((float *)AscendC::GmAlloc(total * sizeof(float)));
    uint8_t *workspace = (uint8_t *)AscendC::GmAlloc(32);
    uint8_t *tiling = (uint8_t *)AscendC::GmAlloc(sizeof(LeakyReluAttrTilingData));
    LeakyReluAttrTilingData *tilingData = reinterpret_cast<LeakyReluAttrTilingData *>(tiling);
    tilingData->totalLength = total;
    tilingData->perCore = total / blocks;
    tilingData->tileLength = 512;
    tilingData->scalar = 0.25f;
    for (uint32_t i = 0; i < total; ++i) {
        x[i] = static_cast<float>(i % 100) / 8 + 1;
    }
    ICPU_RUN_KF(leaky_relu_attr, blocks, (uint8_t *)x, (uint8_t *)z, workspace, tiling);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < total; ++i) {
        const auto wanted = static_cast<double>(x[i] > 0 ? x[i] : x[i] * 0.25f);
        wrong += std::abs(static_cast<double>(z[i]) - wanted) > 1e-5 * std::abs(wanted);
    }
    std::printf("%u of %u wrong\n", wrong, total);
    AscendC::GmFree((void *)x);
    AscendC::GmFree((void *)z);
    AscendC::GmFree((void *)workspace);
    AscendC::GmFree((void *)tiling);
    return wrong != 0;
}
