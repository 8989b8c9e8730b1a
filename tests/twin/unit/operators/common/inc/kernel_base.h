// What kernels of this repository share.
#ifndef COMMON_KERNEL_BASE_H
#define COMMON_KERNEL_BASE_H
#include "kernel_operator.h"

class KernelBase {
protected:
    __aicore__ inline static uint32_t CeilDiv(uint32_t a, uint32_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
};
#endif
