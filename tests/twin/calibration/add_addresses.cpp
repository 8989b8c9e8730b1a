// REPEATS times Add over 64 repeats of float, with operands at fixed addresses of the Unified Buffer.
#include "kernel_operator.h"
using namespace AscendC;
#ifndef SRC0_BLOCK
#define SRC0_BLOCK 1
#define SRC0_REPEAT 8
#endif

extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 0x2c000);
    LocalTensor<float> all = memory.Get<float>();
    LocalTensor<float> src0 = all[SRC0 / 4], src1 = all[SRC1 / 4], dst = all[DST / 4];
    for (int i = 0; i < REPEATS; ++i) {
        Add(dst, src0, src1, 64, 64, BinaryRepeatParams{1, SRC0_BLOCK, 1, 8, SRC0_REPEAT, 8});
    }
}
