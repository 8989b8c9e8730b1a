// The kernel alone: the structure of its tiling comes from a header that the build generates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "tikicpulib.h"
#include "../op_host/adds_tail_tiling_def.h"
#include "graph/types.h"

extern "C" __global__ __aicore__ void adds_tail(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling);

int main()
{
    const uint32_t blocks = 2, total = 1003;
    static_assert(ge::DT_FLOAT16 == 1 && ge::FORMAT_ND == 2, "names of the graph engine");
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    auto *x = ((float *)AscendC::GmAlloc(total * sizeof(float)));
    auto *z = ((float *)AscendC::GmAlloc(total * sizeof(float)));
    uint8_t *workspace = (uint8_t *)AscendC::GmAlloc(32);
    uint8_t *tiling = (uint8_t *)AscendC::GmAlloc(sizeof(AddsTailTilingData));
    AddsTailTilingData *tilingData = reinterpret_cast<AddsTailTilingData *>(tiling);
    tilingData->totalLength = total;
    tilingData->perCore = 504;
    tilingData->tileLength = 256;
    tilingData->scalar = -1.5f;
    for (uint32_t i = 0; i < total; ++i) {
        x[i] = static_cast<float>(i % 100) / 8 + 1;
    }
    ICPU_RUN_KF(adds_tail, blocks, (uint8_t *)x, (uint8_t *)z, workspace, tiling);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < total; ++i) {
        const auto wanted = static_cast<double>(x[i] - 1.5f);
        wrong += std::abs(static_cast<double>(z[i]) - wanted) > 1e-5 * std::abs(wanted);
    }
    std::printf("%u of %u wrong\n", wrong, total);
    AscendC::GmFree((void *)x);
    AscendC::GmFree((void *)z);
    AscendC::GmFree((void *)workspace);
    AscendC::GmFree((void *)tiling);
    return wrong != 0;
}
