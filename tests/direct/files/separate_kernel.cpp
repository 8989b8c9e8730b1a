// The kernel's half of separate_main.cpp: a function for the launch beside the kernel.
#include "kernel_operator.h"
#include "separate_kernel.h"

extern "C" __global__ __aicore__ void sub_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    SubKernel<int32_t> op;
    op.Run(x, y, z);
}

void sub_custom_do(uint32_t blockDim, void *stream, uint8_t *x, uint8_t *y, uint8_t *z)
{
    sub_custom<<<blockDim, nullptr, stream>>>(x, y, z);
}
