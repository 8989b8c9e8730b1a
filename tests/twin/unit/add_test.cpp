// A test in a file of its own, as operator samples have it: the kernel is another source of the same program.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <vector>
#ifndef ASCENDC_CPU_DEBUG
#include "acl/acl.h"
#else
#include "tikicpulib.h"
#endif
#include "add_custom_tiling.h"

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, AddCustomTiling tiling);

int32_t main(int32_t argc, char *argv[])
{
    const uint32_t blockDim = 8;
    const uint32_t length = 8 * 2048;
    const size_t bytes = length * sizeof(float);
    auto *x = static_cast<float *>(AscendC::GmAlloc(bytes));
    auto *y = static_cast<float *>(AscendC::GmAlloc(bytes));
    auto *z = static_cast<float *>(AscendC::GmAlloc(bytes));
    auto *tiling = static_cast<uint8_t *>(AscendC::GmAlloc(sizeof(AddCustomTiling)));
    for (uint32_t i = 0; i < length; ++i) {
        x[i] = std::sqrt(static_cast<float>(i));
        y[i] = -1.0f;
    }
    reinterpret_cast<AddCustomTiling *>(tiling)->length = length;
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(add_custom, blockDim, (uint8_t *)x, (uint8_t *)y, (uint8_t *)z, *reinterpret_cast<AddCustomTiling *>(tiling));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < length; ++i) {
        wrong += z[i] != x[i] + y[i];
    }
    std::cout << wrong << " elements of " << length << " are wrong" << std::endl;
    if (argc > 1) { // what a test leaves behind for a script to compare
        std::ofstream(argv[1], std::ios::binary).write(reinterpret_cast<const char *>(z), bytes);
    }
    AscendC::GmFree((void *)x);
    AscendC::GmFree((void *)y);
    AscendC::GmFree((void *)z);
    AscendC::GmFree((void *)tiling);
    return wrong == 0 ? 0 : 1;
}
