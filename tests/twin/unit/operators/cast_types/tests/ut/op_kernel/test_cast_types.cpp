// The kernel alone: the structure of its tiling comes from a header that the build generates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "tikicpulib.h"
#include "cast_types_tiling_data.h"

#include "../../../op_kernel/cast_types.cpp"

int main()
{
    const uint32_t blocks = 4, total = 4096;
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    auto *x = ((float *)AscendC::GmAlloc(total * sizeof(float)));
    auto *z = ((half *)AscendC::GmAlloc(total * sizeof(half)));
    uint8_t *workspace = (uint8_t *)AscendC::GmAlloc(32);
    uint8_t *tiling = (uint8_t *)AscendC::GmAlloc(sizeof(CastTypesTilingData));
    CastTypesTilingData *tilingData = reinterpret_cast<CastTypesTilingData *>(tiling);
    tilingData->totalLength = total;
    tilingData->perCore = total / blocks;
    tilingData->tileLength = 512;
    for (uint32_t i = 0; i < total; ++i) {
        x[i] = static_cast<float>(i % 100) / 8 + 1;
    }
    ICPU_RUN_KF(cast_types, blocks, (uint8_t *)x, (uint8_t *)z, workspace, tiling);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < total; ++i) {
        const auto wanted = static_cast<double>(static_cast<half>(x[i]));
        wrong += std::abs(static_cast<double>(z[i]) - wanted) > 1e-5 * std::abs(wanted);
    }
    std::printf("%u of %u wrong\n", wrong, total);
    AscendC::GmFree((void *)x);
    AscendC::GmFree((void *)z);
    AscendC::GmFree((void *)workspace);
    AscendC::GmFree((void *)tiling);
    return wrong != 0;
}
